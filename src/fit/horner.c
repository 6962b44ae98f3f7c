/* Writes polynomials by Horner's rule, and as two chains of it. */
#include "horner.h"

enum { SPLIT_DEGREE = 6 };

/* coefficient[first], [first + step] ... [<= last], of powers of v */
static lane_value chain(lane_program *p, const double *coefficient, unsigned first, unsigned last,
                        unsigned step, lane_value v)
{
    unsigned k = first + (last - first) / step * step;
    lane_value sum = lane_f32(p, coefficient[k]);
    for (; k > first; k -= step) sum = lane_fma(p, sum, v, lane_f32(p, coefficient[k - step]));
    return sum;
}

lane_value horner_f32(lane_program *p, const double *coefficient, unsigned degree, lane_value v)
{
    return chain(p, coefficient, 0, degree, 1, v);
}

lane_value horner_f32_halves(lane_program *p, const double *coefficient, unsigned degree, lane_value v)
{
    if (degree < SPLIT_DEGREE) return horner_f32(p, coefficient, degree, v);
    lane_value square = lane_mul(p, v, v);
    lane_value odd = chain(p, coefficient, 1, degree, 2, square);
    return lane_fma(p, odd, v, chain(p, coefficient, 0, degree, 2, square));
}
