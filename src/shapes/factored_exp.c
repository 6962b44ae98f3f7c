/* exp(q(t)): n = round(q / ln 2), r = q - n ln 2, a polynomial of r.
 *
 * q is carried as v + low, v the rounded value and low what its rounding lost. Where q = c * t^k, v is t^k and c goes
 * into the constants, which saves the multiplication and what it would lose. */
#include "factored_exp.h"

#include "fit.h"

#include <math.h>
#include <string.h>

static const double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56; /* ln 2 to 106 bits */
quad factored_ln2(void) { return (quad)ln2_high + (quad)ln2_low; }

/* The exponent if q is c t^k, k = 1 or 2; else 0. */
static unsigned monomial(const struct factor_polynomial *q)
{
    for (unsigned k = 1; k < q->degree; k++)
        if (q->coefficient[k] != 0) return 0;
    return q->degree <= 2 ? q->degree : 0;
}

/* The factor of the polynomial's variable. */
static quad slope_of(const struct factor_polynomial *q)
{
    const unsigned k = monomial(q);
    return k ? q->coefficient[k] : 1;
}

bool factored_exp_suits(const struct factor_polynomial *q, bool has_fma)
{
    return has_fma || monomial(q) != 0;
}

quad factored_expm1_quotient(quad z)
{
    enum { TERMS = 26 };
    quad value = 1;
    for (int k = TERMS; k >= 2; k--) value = 1 + value * z / k;
    return value;
}

bool factored_exp_fit(struct factored_exp *out, const struct factor_polynomial *q, double error)
{
    enum { POINTS = 24 };
    struct fit_problem problem;
    struct fit_result result;
    const quad slope = slope_of(q);
    const double half = (double)(factored_ln2() / 2 / quad_abs(slope)) * (1 + 0x1p-10);
    *out = (struct factored_exp){.q = *q, .scale = 1};
    fit_points(&problem, -half, half, POINTS);
    for (unsigned i = 0; i < POINTS; i++) {
        const quad z = slope * problem.point[i], quotient = factored_expm1_quotient(z);
        problem.value[i] = slope * quotient;
        problem.weight[i] = quad_abs(problem.point[i]) / (1 + z * quotient) + (quad)0x1p-60;
    }
    for (out->terms = 1; out->terms <= FACTORED_EXP_TERMS; out->terms++) {
        fit_powers(&problem, out->terms);
        if (fit_error(&problem) > error) continue;
        if (!fit_polynomial(&problem, LANE_F32, &result)) return false;
        for (unsigned k = 0; k < out->terms; k++) out->coefficient[k + 1] = (float)result.coefficient[k];
        out->error = result.error;
        out->unit = out->coefficient[1] == 1;
        return true;
    }
    return false;
}

/* -- code -- */

static lane_value number(lane_program *p, double value) { return lane_const(p, LANE_F32, value); }
static lane_value add(lane_program *p, lane_value a, lane_value b) { return lane_binary(p, LANE_ADD, a, b); }
static lane_value sub(lane_program *p, lane_value a, lane_value b) { return lane_binary(p, LANE_SUB, a, b); }
static lane_value mul(lane_program *p, lane_value a, lane_value b) { return lane_binary(p, LANE_MUL, a, b); }

struct two_floats {
    lane_value high, low;
    bool has_low;
};

static double high_of(quad c) { return (double)(float)c; }
static double low_of(quad c) { return (double)(c - (quad)(float)c); }

/* a * t, exactly but for what low * t rounds. */
static struct two_floats times(lane_program *p, struct two_floats a, lane_value t)
{
    struct two_floats r = {.high = mul(p, a.high, t), .has_low = true};
    r.low = lane_fma(p, a.high, t, lane_unary(p, LANE_NEG, r.high));
    if (a.has_low) r.low = lane_fma(p, a.low, t, r.low);
    return r;
}

/* t^2: without fma from halves of 12 bits, whose products are exact. */
static struct two_floats square(lane_program *p, lane_value t)
{
    if (p->profile.fma) return times(p, (struct two_floats){.high = t}, t);
    const lane_value mask = lane_const_bits(p, LANE_I32, 0xfffff000);
    const lane_value cut = lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, t), mask);
    const lane_value half = lane_unary(p, LANE_BITCAST, cut), rest = sub(p, t, half);
    struct two_floats r = {.high = mul(p, t, t), .has_low = true};
    r.low = add(p, sub(p, mul(p, half, half), r.high), mul(p, rest, add(p, t, half)));
    return r;
}

/* a + c for any sizes: the rounding error of the sum is exact. */
static struct two_floats plus(lane_program *p, struct two_floats a, quad c)
{
    const lane_value constant = number(p, high_of(c));
    struct two_floats r = {.high = add(p, a.high, constant), .has_low = true};
    const lane_value back = sub(p, r.high, constant);
    const lane_value rest = add(p, sub(p, a.high, back), sub(p, constant, sub(p, r.high, back)));
    r.low = a.has_low ? add(p, rest, a.low) : rest;
    if (low_of(c) != 0) r.low = add(p, r.low, number(p, low_of(c)));
    return r;
}

/* q(t) by Horner's rule in two floats; q(0) = 0. */
static struct two_floats general(const struct factor_polynomial *q, lane_program *p, lane_value t)
{
    const quad leading = q->coefficient[q->degree];
    struct two_floats v = {number(p, high_of(leading)), number(p, low_of(leading)), low_of(leading) != 0};
    for (unsigned k = q->degree; k-- > 0;) {
        v = times(p, v, t);
        if (q->coefficient[k] != 0) v = plus(p, v, q->coefficient[k]);
    }
    return v;
}

static struct two_floats argument(const struct factored_exp *e, lane_program *p, lane_value t)
{
    const struct factor_polynomial *q = &e->q;
    const struct two_floats first = {.high = t};
    const unsigned power = monomial(q);
    if (power == 2 && e->short_argument) return (struct two_floats){.high = mul(p, t, t)};
    return power == 0 ? general(q, p, t) : power == 1 ? first : square(p, t);
}

/* `c` cut to 15 bits, so that its products with |n| < 2^9 are exact. */
static double short_of(quad c)
{
    int exponent;
    const double fraction = frexp((double)c, &exponent);
    return ldexp(trunc(fraction * 0x1p15), exponent - 15);
}

static struct factored_exp_value value_of(const struct factored_exp *e, lane_program *p, lane_value r)
{
    const double one = e->scale;
    lane_value sum =
        number(p, one * (double)e->coefficient[e->terms]); /* fraction / r, or its part beyond 1 */
    const unsigned last = e->unit && e->terms > 1 && one == 1 ? 2 : 1;
    for (unsigned k = e->terms; k-- > last;)
        sum = lane_fma(p, sum, r, number(p, one * (double)e->coefficient[k]));
    struct factored_exp_value v = {.fraction = mul(p, r, sum)};
    if (last == 2) v.fraction = lane_fma(p, mul(p, r, r), sum, r);
    const lane_value slope = last == 2 ? lane_fma(p, sum, r, number(p, 1)) : sum;
    v.whole = lane_fma(p, slope, r, number(p, one));
    return v;
}

struct factored_exp_value factored_exp_build(const struct factored_exp *e, lane_program *p, lane_value t)
{
    const struct two_floats v = argument(e, p, t);
    const quad period = factored_ln2() / slope_of(&e->q);
    const lane_value shifter = number(p, 0x1.8p23);
    const lane_value n = sub(p, lane_fma(p, v.high, number(p, (double)(1 / period)), shifter), shifter);
    const double first = short_of(period);
    lane_value r = lane_fma(p, n, number(p, -first), v.high);
    r = lane_fma(p, n, number(p, -(double)(period - (quad)first)), r);
    if (v.has_low) r = add(p, r, v.low);
    struct factored_exp_value value = value_of(e, p, r);
    value.n = n;
    return value;
}

/* 2^k for a whole k in -126 .. 127: adding 1.5 * 2^23 leaves k in the last bits, which then become the exponent. */
static lane_value power_of_two(lane_program *p, lane_value k)
{
    const lane_value biased = add(p, k, number(p, 0x1.8p23 + 127));
    return lane_unary(
        p, LANE_BITCAST,
        lane_binary(p, LANE_SHL, lane_unary(p, LANE_BITCAST, biased), lane_const_bits(p, LANE_I32, 23)));
}

struct factored_scale factored_scale_make(lane_program *p, lane_value n, const struct target_costs *costs)
{
    struct factored_scale s = {.has_factors = costs->op[CLASS_SCALE][0].count > 2, .n = n};
    if (!s.has_factors) return s;
    const lane_value most = lane_binary(p, LANE_MAX, number(p, -100), n); /* times 2^-20 is still normal */
    s.high = power_of_two(p, most);
    s.low = power_of_two(p, sub(p, n, most));
    return s;
}

lane_value factored_scale(const struct factored_scale *s, lane_program *p, lane_value y)
{
    return s->has_factors ? mul(p, mul(p, y, s->high), s->low) : lane_binary(p, LANE_SCALE2, y, s->n);
}

lane_value factored_scale_coarse(const struct factored_scale *s, lane_program *p, lane_value y)
{
    return s->has_factors ? mul(p, y, s->high) : lane_binary(p, LANE_SCALE2, y, s->n);
}
