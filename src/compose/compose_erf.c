/* erf, erfc, normcdf.
 *
 * erfc(a) for a >= 0 is exp(-a^2) times the scaled erfcx(a), a polynomial of (a - 2) / (a + 2): relative
 * accuracy in the whole tail. Rounding a^2 costs a^2 units of the last place of the compute type, which
 * f64 has to spare for f32 results. */
#include "compose.h"

/* sqrt(700), where exp(-a^2) reaches the clamp of compose_exp: sums with other exponentials of the same
 * square, as in gelu's derivative, then keep their sign far out. */
static const double largest_argument = 26.4575;

static lane_value erfc_of_magnitude(struct composer *c, lane_value magnitude)
{
    lane_value a = compose_at_most(c, magnitude, largest_argument), two = compose_number(c, 2);
    lane_value x = compose_div(c, compose_sub(c, a, two), compose_add(c, a, two));
    lane_value bell = compose_exp(c, compose_neg(c, compose_mul(c, a, a)));
    return compose_mul(c, bell, compose_polynomial(c, KERNEL_ERFCX, x));
}

static lane_value is_negative(struct composer *c, lane_value u)
{
    return lane_binary(c->program, LANE_LT, u, compose_number(c, 0));
}

lane_value compose_erfc(struct composer *c, lane_value u)
{
    lane_value tail = erfc_of_magnitude(c, compose_abs(c, u));
    lane_value reflected = compose_sub(c, compose_number(c, 2), tail);
    return lane_select(c->program, is_negative(c, u), reflected, tail);
}

lane_value compose_erf(struct composer *c, lane_value u)
{
    lane_value a = compose_abs(c, u), one = compose_number(c, 1);
    lane_value z = compose_at_most(c, compose_mul(c, u, u), 1);
    lane_value inner = compose_mul(c, u, compose_polynomial(c, KERNEL_ERF, z));
    lane_value outer = compose_sub(c, one, erfc_of_magnitude(c, a));
    outer = lane_select(c->program, is_negative(c, u), compose_neg(c, outer), outer);
    return lane_select(c->program, lane_binary(c->program, LANE_LT, a, one), inner, outer);
}

lane_value compose_normcdf(struct composer *c, lane_value u)
{
    const double minus_root_half = -0x1.6a09e667f3bcdp-1; /* -1 / sqrt 2 */
    lane_value erfc = compose_erfc(c, compose_mul(c, u, compose_number(c, minus_root_half)));
    return compose_mul(c, compose_number(c, 0.5), erfc);
}
