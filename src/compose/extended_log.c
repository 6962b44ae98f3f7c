/* log and what is made of it.
 *
 * log u = e ln 2 + log m, m in [sqrt(1/2), sqrt 2); log m = 2 atanh(s), s = (m - 1) / (m + 1), whose first two terms
 * have all bits. */
#include "extended_fit.h"

#include <math.h>

enum { TERMS_LOG = 10, TERMS_LOG1P = 15 };

/* (2 atanh(s) / s - 2) / s^2 at z = s^2 */
static bool rest_of_atanh(void *context, mpfr_t y, mpfr_srcptr z)
{
    (void)context;
    mpfr_t s;
    if (mpfr_zero_p(z)) {
        mpfr_set_ui(y, 2, MPFR_RNDN);
        mpfr_div_ui(y, y, 3, MPFR_RNDN);
        return true;
    }
    mpfr_init2(s, 2 * EXT_FIT_BITS);
    mpfr_sqrt(s, z, MPFR_RNDN);
    mpfr_t t;
    mpfr_init2(t, 2 * EXT_FIT_BITS);
    mpfr_atanh(t, s, MPFR_RNDN);
    mpfr_div(t, t, s, MPFR_RNDN);
    mpfr_sub_ui(t, t, 1, MPFR_RNDN);
    mpfr_mul_ui(t, t, 2, MPFR_RNDN);
    mpfr_div(y, t, z, MPFR_RNDN);
    mpfr_clears(s, t, (mpfr_ptr)0);
    return true;
}

static struct extended two_thirds(struct extender *c)
{
    mpfr_t value;
    mpfr_init2(value, EXT_FIT_BITS);
    mpfr_set_ui(value, 2, MPFR_RNDN);
    mpfr_div_ui(value, value, 3, MPFR_RNDN);
    const struct ext_pair pair = ext_split(value);
    mpfr_clear(value);
    return ext_constant(c, pair);
}

/* log((1 + s) / (1 - s)) for s^2 <= `most`. */
static struct extended log_of_ratio(struct extender *c, struct extended s, double most, unsigned terms)
{
    double coefficient[EXT_MOST_TERMS];
    if (!ext_fit(coefficient, terms, 0, most, rest_of_atanh, NULL)) c->impossible = "log has no polynomial";
    const struct extended plain = ext_plain(c, s), z = ext_mul(c, plain, plain);
    const struct extended third = two_thirds(c);
    const lane_value tail = ext_polynomial(c, coefficient + 1, terms - 1, z.high);
    struct extended w = ext_quick_two_sum(c, third.high, ext_times(c, tail, z.high));
    w.low = ext_plus(c, w.low, third.low);
    w = ext_mul(c, w, z);
    struct extended sum = ext_quick_two_sum(c, ext_number(c, 2), w.high);
    sum.low = ext_plus(c, sum.low, w.low);
    sum.bounded = true;
    return ext_mul(c, s, sum);
}

struct mantissa { /* u = 2^exponent (1 + rest) */
    struct extended rest;
    lane_value exponent;
};

static struct mantissa mantissa_of(struct extender *c, struct extended u)
{
    lane_program *p = c->program;
    const uint64_t root = 0x3fe6a09e667f3bcd, one = UINT64_C(0x3ff) << 52;
    u = ext_normalized(c, u); /* a subnormal's high part is below 1, and normal */
    const lane_value moved =
        ext_op(c, LANE_IADD, lane_unary(p, LANE_BITCAST, u.high), lane_const_bits(p, LANE_I64, one - root));
    const lane_value biased = ext_op(c, LANE_SHR, moved, lane_const_bits(p, LANE_I64, 52));
    lane_value e = lane_unary(
        p, LANE_BITCAST, ext_op(c, LANE_OR, biased, lane_const_bits(p, LANE_I64, UINT64_C(0x433) << 52)));
    e = ext_minus(c, e, ext_number(c, 0x1p52 + 1023));
    lane_value m = ext_op(c, LANE_AND, moved, lane_const_bits(p, LANE_I64, (UINT64_C(1) << 52) - 1));
    m = lane_unary(p, LANE_BITCAST, ext_op(c, LANE_IADD, m, lane_const_bits(p, LANE_I64, root)));
    struct mantissa y = {ext_single(ext_minus(c, m, ext_number(c, 1))), e};
    if (u.has_low) /* |e| is at most 100 */
        y.rest = ext_two_sum(c, y.rest.high, ext_op(c, LANE_SCALE2, u.low, lane_unary(p, LANE_NEG, e)));
    if (u.has_exponent) y.exponent = ext_plus(c, y.exponent, u.exponent);
    return y;
}

static struct extended log_of_mantissa(struct extender *c, struct mantissa m)
{
    const struct extended s = ext_div(c, m.rest, ext_add(c, ext_integer(c, 2), m.rest));
    const struct extended log = log_of_ratio(c, s, 0.0296, TERMS_LOG);
    const double ln2_high = 0x1.62e42fefap-1, ln2_low = 0x1.cf79abc9e3b3ap-40; /* 37 and 53 bits */
    const struct extended whole = ext_quick_two_sum(c, ext_times(c, m.exponent, ext_number(c, ln2_high)),
                                                    ext_times(c, m.exponent, ext_number(c, ln2_low)));
    return ext_add(c, whole, log);
}

/* `y` where u > 0, else -infinity at 0 and NaN. */
static struct extended where_positive(struct extender *c, struct extended u, struct extended y)
{
    lane_program *p = c->program;
    const lane_value zero = ext_number(c, 0), positive = ext_op(c, LANE_LT, zero, u.high);
    const lane_value other = lane_select(p, ext_op(c, LANE_EQ, u.high, zero),
                                         ext_number(c, -(double)INFINITY), ext_number(c, (double)NAN));
    y.high = lane_select(p, positive, y.high, other);
    if (y.has_low) y.low = lane_select(p, positive, y.low, zero);
    return y;
}

struct extended extended_log(struct extender *c, struct extended u)
{
    return where_positive(c, u, log_of_mantissa(c, mantissa_of(c, u)));
}

/* Where 1 + u has exponent 0 its fraction is u with all its bits. */
struct extended extended_log1p(struct extender *c, struct extended u)
{
    const struct extended v = ext_add(c, ext_integer(c, 1), u), plain = ext_plain(c, u);
    struct mantissa m = mantissa_of(c, v);
    const lane_value near = ext_op(c, LANE_EQ, m.exponent, ext_number(c, 0));
    m.rest = ext_select(c, near, plain, m.rest);
    return ext_where_tiny(c, u, u, where_positive(c, v, log_of_mantissa(c, m)));
}

/* max(u, 0) + log1p(w), w = exp(-|u|), which is log((1 + s) / (1 - s)) with s = w / (2 + w). */
struct extended extended_softplus(struct extender *c, struct extended u)
{
    const struct extended w = extended_exp(c, ext_neg(c, ext_abs(c, u)));
    struct extended below = ext_add(c, ext_integer(c, 2), ext_plain(c, w));
    below.bounded = true;
    const struct extended log = log_of_ratio(c, ext_div(c, w, below), 0.1112, TERMS_LOG1P);
    const struct extended above = ext_add(c, ext_plain(c, u), ext_plain(c, log));
    return ext_select(c, ext_is_below_zero(c, u.high), log, above);
}
