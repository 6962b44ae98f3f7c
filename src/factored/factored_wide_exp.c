/* Powers of two of a polynomial, in f64 lanes.
 *
 * z counts sixteenths of an octave. Adding 1.5 * 2^52 rounds z to n, and the last bits of the sum then hold
 * n. One fused operation gives the rest r = z - n. Its only error is its rounding, because the products in z
 * are exact.
 *
 * A table gives 2^(n/16) by n's low four bits. The exponent is added as an integer: n 2^48 puts n's upper
 * bits into the place of the exponent and the low four bits below it. The table's entries are smaller by
 * these low bits. */
#include "factored_exp.h"

#include <math.h>
#include <string.h>

#include "fit.h"

enum { EXP_POINTS = 33 };

static const double SHIFTER = 0x1.8p52;

/* Returns `value` rounded to `bits` bits, or to multiples of 2^-fraction if these leave fewer bits. */
static double shortened(double value, int bits, int fraction)
{
    int exponent;
    frexp(value, &exponent);
    const int last = exponent - bits > -fraction ? exponent - bits : -fraction;
    return ldexp(nearbyint(ldexp(value, -last)), last);
}

/* Returns (2^(x/16) - 1) / x. */
static quad rest_of_power(double x)
{
    const quad unit = reduction_ln2() / 16;
    return unit * factored_expm1_quotient(unit * x);
}

static bool fit_rest(struct wide_exp *out)
{
    struct fit_problem problem;
    struct fit_result result;
    fit_points(&problem, -0.5, 0.5 + 0x1p-20,
               EXP_POINTS + 1); /* With an even number of points, 0 is not among them. */
    for (unsigned i = 0; i < problem.point_count; i++) {
        problem.value[i] = rest_of_power((double)problem.point[i]);
        problem.weight[i] = 1;
    }
    fit_powers(&problem, WIDE_EXP_TERMS);
    if (!fit_polynomial(&problem, LANE_F64, &result)) return false;
    memcpy(out->coefficient, result.coefficient, problem.term_count * sizeof *out->coefficient);
    return true;
}

bool wide_exp_find(struct wide_exp *out, const struct factor_polynomial *q)
{
    const double units =
        0x1.71547652b82fep+4; /* 16 / ln 2. Its rounding error is left to the other factor. */
    const double c1 = (double)q->coefficient[1] * units, c2 = (double)q->coefficient[2] * units,
                 c3 = (double)q->coefficient[3] * units;
    *out = (struct wide_exp){0};
    if (q->degree < 1 || q->degree > 3 || (c2 != 0 && q->degree != 2) || (c1 != 0 && c2 != 0)) return false;
    if (q->degree == 1) out->c1 = c1;
    if (q->degree == 2) out->c2 = c2;
    if (q->degree == 3) { /* c3 t^2 has 48 + 5 bits, and the last bit of the sum is 2^-44. */
        out->c1 = shortened(c1, 53, 40);
        out->c3 = shortened(c3, 5, 40);
    }
    return fit_rest(out);
}

struct factor_polynomial wide_exp_exponent(const struct wide_exp *e)
{
    const quad unit = reduction_ln2() / 16;
    struct factor_polynomial q = {e->c3 != 0 ? 3 : e->c2 != 0 ? 2 : 1, {0, e->c1, e->c2, e->c3}};
    for (unsigned k = 1; k <= q.degree; k++) q.coefficient[k] *= unit;
    return q;
}

/* Adds the table of 2^(k/16), with k 2^48 subtracted from the bits of entry k. */
static uint32_t power_table(lane_program *p)
{
    uint64_t bits[WIDE_ENTRIES];
    for (unsigned k = 0; k < WIDE_ENTRIES; k++) {
        const quad power = 1 + rest_of_power(k) * k;
        const double rounded = (double)power;
        memcpy(&bits[k], &rounded, sizeof rounded);
        bits[k] -= (uint64_t)k << 48;
    }
    return lane_table_add(p, LANE_F64, WIDE_LOG2_ENTRIES, bits);
}

lane_value wide_exp_build(const struct wide_exp *e, lane_program *p, lane_value t)
{
    const lane_value shifter = lane_const(p, LANE_F64, SHIFTER);
    lane_value a = lane_const(p, LANE_F64, e->c1), b = t; /* z = a b */
    if (e->c2 != 0) {
        a = lane_const(p, LANE_F64, e->c2);
        b = lane_mul(p, t, t);
    } else if (e->c3 != 0) {
        a = lane_fma(p, lane_mul(p, t, t), lane_const(p, LANE_F64, e->c3), a);
    }
    const lane_value shifted = lane_fma(p, b, a, shifter), bits = lane_unary(p, LANE_BITCAST, shifted);
    const lane_value minus_n = lane_sub(p, shifter, shifted);
    const lane_value r = lane_fma(p, b, a, minus_n);
    lane_value scale = lane_unary(p, LANE_BITCAST, lane_lookup(p, power_table(p), bits));
    scale =
        lane_binary(p, LANE_IADD, scale, lane_binary(p, LANE_SHL, bits, lane_const_bits(p, LANE_I64, 48)));
    scale = lane_unary(p, LANE_BITCAST, scale);
    lane_value sum = lane_const(p, LANE_F64, e->coefficient[WIDE_EXP_TERMS - 1]);
    for (unsigned k = WIDE_EXP_TERMS - 1; k-- > 0;)
        sum = lane_fma(p, sum, r, lane_const(p, LANE_F64, e->coefficient[k]));
    return lane_fma(p, scale, lane_mul(p, sum, r), scale);
}
