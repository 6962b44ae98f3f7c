/* atan: with t = |u|, atan(t) is pi/2 + atan(-1/t) beyond tan(3 pi/8), pi/4 + atan((t - 1) / (t + 1)) beyond tan(pi/8),
 * so that one quotient s is left, of at most tan(pi/8), for a polynomial of s^2. */
#include "compose.h"

static const double near_end = 0x1.a8279ap-2, far_begin = 0x1.3504f4p+1; /* tan(pi/8), tan(3 pi/8) about */
static const double half_pi = 0x1.921fb54442d18p+0, quarter_pi = 0x1.921fb54442d18p-1;

lane_value compose_atan(struct composer *c, lane_value u)
{
    lane_program *p = c->program;
    const lane_value t = compose_abs(c, u), zero = compose_number(c, 0), one = compose_number(c, 1);
    const lane_value middle = lane_binary(p, LANE_LT, compose_number(c, near_end), t);
    const lane_value far = lane_binary(p, LANE_LT, compose_number(c, far_begin), t);
    lane_value top = lane_select(p, middle, compose_sub(c, t, one), t);
    lane_value bottom = lane_select(p, middle, compose_add(c, t, one), one);
    lane_value base = lane_select(p, middle, compose_number(c, quarter_pi), zero);
    top = lane_select(p, far, compose_number(c, -1), top);
    bottom = lane_select(p, far, t, bottom);
    base = lane_select(p, far, compose_number(c, half_pi), base);
    const lane_value s = compose_div(c, top, bottom), z = compose_mul(c, s, s);
    const lane_value part = compose_fma(c, compose_mul(c, s, z), compose_polynomial(c, KERNEL_ATAN, z), s);
    const lane_value y = compose_add(c, base, part);
    return lane_select(p, lane_binary(p, LANE_LT, u, zero), compose_neg(c, y), y);
}
