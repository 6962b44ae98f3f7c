/* A rational plan as operations. */
#include "rational.h"

#include "horner.h"

static lane_value number(lane_program *p, double value) { return lane_const(p, LANE_F32, value); }
static lane_value mul(lane_program *p, lane_value a, lane_value b) { return lane_binary(p, LANE_MUL, a, b); }

struct ratio { /* a / b; of SQUARES b is 1, and not there */
    lane_value a, b;
};

/* 2 a b / (a^2 + b^2) times `limit`. */
static struct ratio circle(lane_program *p, struct ratio r, double limit)
{
    lane_value twice = r.a;
    if (2 * limit == 2)
        twice = lane_binary(p, LANE_ADD, r.a, r.a);
    else if (2 * limit != 1)
        twice = mul(p, r.a, number(p, 2 * limit));
    return (struct ratio){mul(p, twice, r.b), lane_fma(p, r.b, r.b, mul(p, r.a, r.a))};
}

/* w -> w (1 + w / 2^(k+1)): 1 + w / 2^k squared is 1 + this / 2^(k-1). So scaled, subnormal w lose no bits. */
static lane_value squared(lane_program *p, lane_value w, unsigned k)
{
    return lane_fma(p, mul(p, number(p, 0.5 / (1u << k)), w), w, w);
}

static lane_value times(lane_program *p, lane_value y, double factor)
{
    return factor == 1 ? y : mul(p, y, number(p, factor));
}

/* The variable within its limits, and that of the polynomials. */
static lane_value argument(lane_program *p, const struct rational *w, lane_value x, lane_value *variable)
{
    if (w->form == RATIONAL_LINEAR) return *variable = half_line_clamped(p, &w->f, x);
    if (!w->m) {
        lane_value square = mul(p, x, x);
        return *variable = lane_binary(p, LANE_MIN, number(p, w->f.f.end * w->f.f.end), square);
    }
    lane_value inside = lane_binary(p, LANE_MIN, number(p, w->f.f.end), x);
    inside = lane_binary(p, LANE_MAX, number(p, -w->f.f.end), inside);
    *variable = mul(p, inside, inside);
    return inside;
}

/* a and b of R. */
static struct ratio polynomials(lane_program *p, const struct rational *w, lane_value v, lane_value variable)
{
    const struct quotient *q = &w->r;
    struct ratio r = {0, 0};
    if (w->unit) { /* v + v u P', u the variable: the roundings before the last count little near 0 */
        r.a = horner_f32_halves(p, q->numerator + 1, q->numerator_degree - 1, variable);
        r.a = lane_fma(p, mul(p, v, variable), r.a, v);
    } else {
        r.a = horner_f32(p, q->numerator, q->numerator_degree, variable);
        for (unsigned k = 0; k < w->m; k++) r.a = mul(p, r.a, v);
    }
    if (w->link != LINK_SQUARES) r.b = horner_f32(p, q->denominator, q->denominator_degree, variable);
    return r;
}

lane_value rational_build(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct rational *w = parameters;
    lane_value variable, v = argument(p, w, x, &variable);
    struct ratio r = polynomials(p, w, v, variable);
    (void)possible;
    if (w->link == LINK_SQUARES) {
        for (unsigned k = w->doublings; k > 0; k--) r.a = squared(p, r.a, k);
        return half_line_result(p, &w->f, x, times(p, r.a, -w->f.limit), false);
    }
    if (w->link == LINK_CIRCLE) r = circle(p, r, w->f.limit);
    lane_value h = lane_binary(p, LANE_DIV, r.a, r.b);
    if (w->form == RATIONAL_SQUARE && w->m) return half_line_signed_result(p, &w->f, x, h);
    return half_line_result(p, &w->f, x, h, false);
}
