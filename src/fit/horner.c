/* Writes polynomials by Horner's scheme. */
#include "horner.h"

lane_value horner_f32(lane_program *p, const double *coefficient, unsigned degree, lane_value v)
{
    lane_value sum = lane_f32(p, coefficient[degree]);
    for (unsigned k = degree; k-- > 0;) sum = lane_fma(p, sum, v, lane_f32(p, coefficient[k]));
    return sum;
}
