/* atan: s = |u| or 1/|u|, whichever is at most 1, is near one of nine corners k/8, and
 * atan(s) = atan(k/8) + atan(q), q = (s - k/8) / (1 + s k/8), |q| <= 1/16, of which only q itself needs more than 53
 * bits. */
#include "extended_fit.h"
#include "float_bits.h"

enum { CORNERS = 9, LOG2_CORNERS = 4, TERMS = 7 };

static const double shifter = 0x1.8p52; /* adding it rounds to an integer, which the last bits then hold */

/* (atan(q) / q - 1) / z at z = q^2 */
static bool rest_of_atan(void *context, mpfr_t y, mpfr_srcptr z)
{
    (void)context;
    mpfr_t q, t;
    if (mpfr_zero_p(z)) {
        mpfr_set_si(y, -1, MPFR_RNDN);
        mpfr_div_ui(y, y, 3, MPFR_RNDN);
        return true;
    }
    mpfr_inits2(2 * EXT_FIT_BITS, q, t, (mpfr_ptr)0);
    mpfr_sqrt(q, z, MPFR_RNDN);
    mpfr_atan(t, q, MPFR_RNDN);
    mpfr_div(t, t, q, MPFR_RNDN);
    mpfr_sub_ui(t, t, 1, MPFR_RNDN);
    mpfr_div(y, t, z, MPFR_RNDN);
    mpfr_clears(q, t, (mpfr_ptr)0);
    return true;
}

/* atan(k/8) of the corner that the last bits of `index` tell. */
static struct extended corner_value(struct extender *c, lane_value index)
{
    uint64_t high[1 << LOG2_CORNERS] = {0}, low[1 << LOG2_CORNERS] = {0};
    mpfr_t angle;
    mpfr_init2(angle, EXT_FIT_BITS);
    for (unsigned k = 0; k < CORNERS; k++) {
        mpfr_set_ui_2exp(angle, k, -3, MPFR_RNDN);
        mpfr_atan(angle, angle, MPFR_RNDN);
        const struct ext_pair pair = ext_split(angle);
        high[k] = bits_of_f64(pair.high);
        low[k] = bits_of_f64(pair.low);
    }
    mpfr_clear(angle);
    lane_program *p = c->program;
    return (struct extended){.high = lane_lookup(p, lane_table_add(p, LANE_F64, LOG2_CORNERS, high), index),
                             .low = lane_lookup(p, lane_table_add(p, LANE_F64, LOG2_CORNERS, low), index),
                             .has_low = true,
                             .bounded = true};
}

/* For |q| <= 1/16. */
static struct extended atan_near_zero(struct extender *c, struct extended q)
{
    double coefficient[EXT_MOST_TERMS];
    if (!ext_fit(coefficient, TERMS, 0, 0x1.08p-8, rest_of_atan, NULL))
        c->impossible = "atan has no polynomial";
    const lane_value z = ext_times(c, q.high, q.high);
    const lane_value cube = ext_times(c, ext_times(c, q.high, z), ext_polynomial(c, coefficient, TERMS, z));
    return ext_quick_two_sum(c, q.high, ext_plus(c, ext_low(c, q), cube));
}

struct extended extended_atan(struct extender *c, struct extended whole)
{
    lane_program *p = c->program;
    const struct extended u = ext_plain(c, whole), one = ext_integer(c, 1);
    const struct extended t = ext_clamped(c, ext_abs(c, u), 0, 0x1p100); /* beyond it is pi/2 to 30 digits */
    const lane_value large = ext_op(c, LANE_LT, one.high, t.high);
    const lane_value s = lane_select(p, large, ext_op(c, LANE_DIV, one.high, t.high), t.high);
    const lane_value shifted = ext_multiply_add(c, s, ext_number(c, 8), ext_number(c, shifter));
    const lane_value eighths = ext_minus(c, shifted, ext_number(c, shifter));
    const struct extended corner = ext_single(ext_times(c, eighths, ext_number(c, 0.125)));
    const struct extended product = ext_mul(c, t, corner);
    const struct extended top = ext_select(c, large, ext_sub(c, one, product), ext_sub(c, t, corner));
    const struct extended bottom = ext_select(c, large, ext_add(c, t, corner), ext_add(c, one, product));
    const struct extended part = atan_near_zero(c, ext_div(c, top, bottom));
    const struct extended angle = ext_add(c, corner_value(c, lane_unary(p, LANE_BITCAST, shifted)), part);
    struct extended y = ext_select(c, large, ext_sub(c, ext_constant(c, ext_half_pi), angle), angle);
    y = ext_select(c, ext_is_below_zero(c, u.high), ext_neg(c, y), y);
    return ext_where_tiny(c, whole, whole, y);
}
