/* exp and log and what is made of them, sqrt, abs, sign, floor, round.
 *
 * exp(u): n = round(u / ln 2) by adding a large number whose last bits then hold n; r = u - n ln 2 with ln
 * 2 in two parts; a polynomial of r; times 2^n. Every clamp keeps NaN, and 2^n multiplies, so that a NaN
 * in u reaches the result. */
#include "compose.h"

#include <float.h>
#include <math.h>

/* Constants of the format. ln2_high has enough trailing zeros for n * ln2_high to be exact; ln2_low is the
 * rest, rounded. constants.py prints them. */
static const struct format {
    double shifter; /* 1.5 * 2^(mantissa bits): adding it rounds to an integer */
    unsigned mantissa;
    double ln2_high, ln2_low;
    double lowest, highest; /* exp's range: below and above it the result is 0 and infinity in f32; in f64
                             * as much of both, so that exp(x) and exp(-x) keep in step */
} formats[2] = {
    {0x1.8p23, 23, 0x1.62e4p-1, 0x1.7f7d1cp-20, -104.5, 89.5},
    {0x1.8p52, 52, 0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45, -700, 700},
};

static const struct format *format_of(const struct composer *c) { return &formats[c->type == LANE_F64]; }

/* exp(u) = scale * (1 + fraction), scale a power of two (f64: as a number; f32: its exponent, for scale2). */
struct exponential {
    lane_value fraction, scale;
};

struct octave { /* exp(factor u) doubles in a step of u, high + low; n * high is exact */
    double high, low, inverse, factor;
};

static struct exponential reduced_exponential(struct composer *c, lane_value u, double lowest, double highest,
                                              struct octave o)
{
    const struct format *f = format_of(c);
    lane_program *p = c->program;
    u = compose_at_least(c, compose_at_most(c, u, highest), lowest);
    lane_value shifter = compose_number(c, f->shifter);
    lane_value shifted = compose_fma(c, u, compose_number(c, o.inverse), shifter);
    lane_value n = compose_sub(c, shifted, shifter);
    lane_value r = compose_fma(c, n, compose_number(c, -o.high), u);
    if (o.low != 0) r = compose_fma(c, n, compose_number(c, -o.low), r);
    if (o.factor != 1) r = compose_mul(c, r, compose_number(c, o.factor));
    lane_value q = compose_polynomial(c, KERNEL_EXPM1, r);
    lane_value fraction = compose_fma(c, compose_mul(c, r, r), q, r);
    if (c->type == LANE_F32) return (struct exponential){fraction, n};
    lane_value shift = lane_const_bits(p, LANE_I64, f->mantissa);
    lane_value bits = lane_binary(p, LANE_SHL, lane_unary(p, LANE_BITCAST, shifted), shift);
    bits = lane_binary(p, LANE_IADD, bits, lane_const_bits(p, LANE_I64, UINT64_C(0x3ff) << 52));
    return (struct exponential){fraction, lane_unary(p, LANE_BITCAST, bits)};
}

static struct exponential compose_exponential(struct composer *c, lane_value u, double lowest, double highest)
{
    const struct format *f = format_of(c);
    const struct octave natural = {f->ln2_high, f->ln2_low, 0x1.71547652b82fep+0 /* 1 / ln 2 */, 1};
    return reduced_exponential(c, u, lowest, highest, natural);
}

static lane_value exponential_value(struct composer *c, struct exponential e)
{
    if (c->type == LANE_F64) return compose_fma(c, e.scale, e.fraction, e.scale);
    return lane_binary(c->program, LANE_SCALE2, compose_add(c, compose_number(c, 1), e.fraction), e.scale);
}

lane_value compose_exp(struct composer *c, lane_value u)
{
    const struct format *f = format_of(c);
    return exponential_value(c, compose_exponential(c, u, f->lowest, f->highest));
}

lane_value compose_exp_of_multiple(struct composer *c, mpfr_srcptr factor, lane_value u)
{
    enum { SPARE_BITS_F32 = 9, SPARE_BITS_F64 = 11 }; /* of n */
    const struct format *f = format_of(c);
    const mpfr_prec_t bits =
        (mpfr_prec_t)f->mantissa + 1 - (c->type == LANE_F32 ? SPARE_BITS_F32 : SPARE_BITS_F64);
    struct octave o = {.factor = mpfr_get_d(factor, MPFR_RNDN)};
    mpfr_t step, leading;
    mpfr_init2(step, mpfr_get_prec(factor));
    mpfr_init2(leading, bits);
    mpfr_const_log2(step, MPFR_RNDN);
    mpfr_div(step, step, factor, MPFR_RNDN);
    mpfr_set(leading, step, MPFR_RNDN);
    o.high = mpfr_get_d(leading, MPFR_RNDN);
    mpfr_sub_d(step, step, o.high, MPFR_RNDN);
    o.low = mpfr_get_d(step, MPFR_RNDN);
    if (fabs(o.low) < 0x1p-60 * fabs(o.high)) o.low = 0; /* the factor is log(2), rounded */
    o.inverse = 1 / (o.high + o.low);
    mpfr_clears(step, leading, (mpfr_ptr)0);
    const double lowest = f->lowest / o.factor, highest = f->highest / o.factor;
    return exponential_value(c, reduced_exponential(c, u, fmin(lowest, highest), fmax(lowest, highest), o));
}

/* scale * fraction + (scale - 1): no cancellation, because the two differ in size or sign away from 0, and
 * scale is 1 near it. */
static lane_value expm1_below(struct composer *c, lane_value u, double highest)
{
    const double largest = 88.02; /* from here on an f32 needs 2^128: half of all is computed, and doubled */
    const bool halved = c->type == LANE_F32 && highest > largest;
    const double unit = halved ? 0.5 : 1;
    const struct exponential e = compose_exponential(c, u, -40, highest);
    lane_value scale = e.scale;
    if (c->type == LANE_F32) scale = lane_binary(c->program, LANE_SCALE2, compose_number(c, unit), scale);
    lane_value y;
    if (c->program->profile.fma || !halved)
        y = compose_fma(c, scale, e.fraction, compose_sub(c, scale, compose_number(c, unit)));
    else /* 0 less 0 keeps the sign of a product that vanished */
        y = compose_sub(c, compose_mul(c, scale, e.fraction), compose_sub(c, compose_number(c, unit), scale));
    return halved ? compose_add(c, y, y) : y;
}

lane_value compose_expm1(struct composer *c, lane_value u)
{
    if (c->type == LANE_F64) return expm1_below(c, u, format_of(c)->highest);
    c->has_far = true;
    return expm1_below(c, u, c->far ? 89 : 88.02);
}

lane_value compose_sigmoid(struct composer *c, lane_value u)
{
    lane_value one = compose_number(c, 1);
    return compose_div(c, one, compose_add(c, one, compose_exp(c, compose_neg(c, u))));
}

/* tanh(u) = t / (t + 2) with t = expm1(2u); beyond |2u| = 40 it is 1 to 17 digits. */
lane_value compose_tanh(struct composer *c, lane_value u)
{
    lane_value twice = compose_at_least(c, compose_at_most(c, compose_add(c, u, u), 40), -40);
    lane_value t = expm1_below(c, twice, c->type == LANE_F64 ? format_of(c)->highest : 88.02);
    return compose_div(c, t, compose_add(c, t, compose_number(c, 2)));
}

/* log((1 + s) / (1 - s)) = 2 s + s z Q(z), z = s^2, Q the kernel; gives the whole. */
static lane_value log_of_ratio(struct composer *c, lane_value s, enum kernel_function kernel)
{
    lane_value z = compose_mul(c, s, s);
    lane_value q = compose_polynomial(c, kernel, z);
    return compose_mul(c, s, compose_fma(c, z, q, compose_number(c, 2)));
}

lane_value compose_log_of_mantissa(struct composer *c, lane_value f)
{
    lane_value s = compose_div(c, f, compose_add(c, compose_number(c, 2), f));
    return log_of_ratio(c, s, KERNEL_ATANH);
}

/* u = 2^e m, m in [sqrt(1/2), sqrt 2), by integer arithmetic on the bits; log u = e ln 2 + log m. */
static lane_value log_of_positive(struct composer *c, lane_value u)
{
    const struct format *f = format_of(c);
    lane_program *p = c->program;
    const uint64_t root32 = 0x3f3504f3, root64 = 0x3fe6a09e667f3bcd, one32 = 0x3f800000,
                   one64 = UINT64_C(0x3ff) << 52;
    lane_value shift = compose_bits(c, f->mantissa, f->mantissa);
    lane_value moved = lane_binary(p, LANE_IADD, lane_unary(p, LANE_BITCAST, u),
                                   compose_bits(c, one32 - root32, one64 - root64));
    lane_value biased = lane_binary(p, LANE_SHR, moved, shift);
    /* The bits of 2^mantissa with the biased exponent as last bits are a float: no conversion needed. */
    double power = c->type == LANE_F32 ? 0x1p23 : 0x1p52;
    lane_value e = lane_unary(
        p, LANE_BITCAST, lane_binary(p, LANE_OR, biased, compose_bits(c, 0x4b000000, UINT64_C(0x433) << 52)));
    e = compose_sub(c, e, compose_number(c, power + (c->type == LANE_F32 ? 127 : 1023)));
    lane_value m = lane_binary(p, LANE_AND, moved, compose_bits(c, 0x7fffff, (UINT64_C(1) << 52) - 1));
    m = lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_IADD, m, compose_bits(c, root32, root64)));
    lane_value part = compose_log_of_mantissa(c, compose_sub(c, m, compose_number(c, 1)));
    part = compose_fma(c, e, compose_number(c, f->ln2_low), part);
    return compose_fma(c, e, compose_number(c, f->ln2_high), part);
}

/* -inf at 0, NaN below, u itself for +inf and NaN. Subnormal f32 arguments are normal in f64; in f32 the
 * plan is measured. */
lane_value compose_log(struct composer *c, lane_value u)
{
    lane_program *p = c->program;
    lane_value zero = compose_number(c, 0), infinity = compose_number(c, (double)INFINITY);
    lane_value below = lane_select(p, lane_binary(p, LANE_EQ, u, zero), compose_number(c, -(double)INFINITY),
                                   compose_number(c, (double)NAN));
    lane_value finite = lane_select(p, lane_binary(p, LANE_LT, zero, u), log_of_positive(c, u), below);
    return lane_select(p, lane_binary(p, LANE_LT, u, infinity), finite, u);
}

/* log(v) + (u - (v - 1)) / v with v = 1 + u rounded: the second term is what the rounding lost. */
lane_value compose_log1p(struct composer *c, lane_value u)
{
    lane_program *p = c->program;
    lane_value one = compose_number(c, 1), v = compose_add(c, u, one);
    lane_value lost = compose_div(c, compose_sub(c, u, compose_sub(c, v, one)), v);
    lane_value inside = lane_binary(p, LANE_MAND, lane_binary(p, LANE_LT, compose_number(c, 0), v),
                                    lane_binary(p, LANE_LT, u, compose_number(c, (double)INFINITY)));
    lane_value log = compose_log(c, v);
    return lane_select(p, inside, compose_add(c, log, lost), log);
}

/* max(u, 0) + log1p(exp(-|u|)), the latter by s = w / (2 + w), w in (0, 1]. */
lane_value compose_softplus(struct composer *c, lane_value u)
{
    lane_value w = compose_exp(c, compose_neg(c, compose_abs(c, u)));
    lane_value s = compose_div(c, w, compose_add(c, compose_number(c, 2), w));
    return compose_add(c, compose_at_least(c, u, 0), log_of_ratio(c, s, KERNEL_LOG1P));
}

lane_value compose_sqrt(struct composer *c, lane_value u) { return lane_unary(c->program, LANE_SQRT, u); }
lane_value compose_abs(struct composer *c, lane_value u) { return lane_unary(c->program, LANE_ABS, u); }

lane_value compose_sign(struct composer *c, lane_value u)
{
    lane_program *p = c->program;
    lane_value zero = compose_number(c, 0);
    lane_value negative = lane_select(p, lane_binary(p, LANE_LT, u, zero), compose_number(c, -1), u);
    return lane_select(p, lane_binary(p, LANE_LT, zero, u), compose_number(c, 1), negative);
}

lane_value compose_round(struct composer *c, lane_value u) { return lane_unary(c->program, LANE_ROUND, u); }
lane_value compose_floor(struct composer *c, lane_value u) { return lane_floor(c->program, u); }
