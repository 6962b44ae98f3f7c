/* A rational plan as operations. */
#include "rational.h"

#include "horner.h"

static lane_value number(lane_program *p, double value) { return lane_const(p, LANE_F32, value); }
static lane_value mul(lane_program *p, lane_value a, lane_value b) { return lane_binary(p, LANE_MUL, a, b); }

struct ratio { /* a / b */
    lane_value a, b;
    bool whole; /* b is 1, and not there */
};

static lane_value quotient_of(lane_program *p, struct ratio r)
{
    return r.whole ? r.a : lane_binary(p, LANE_DIV, r.a, r.b);
}

/* 2 a b / (a^2 + b^2) times `limit`. */
static struct ratio circle(lane_program *p, struct ratio r, double limit)
{
    lane_value twice = r.a;
    if (2 * limit == 2)
        twice = lane_binary(p, LANE_ADD, r.a, r.a);
    else if (2 * limit != 1)
        twice = mul(p, r.a, number(p, 2 * limit));
    return (struct ratio){mul(p, twice, r.b), lane_fma(p, r.b, r.b, mul(p, r.a, r.a)), false};
}

/* The same with a / 2 for a and 1 + b for b: a (1 + b) / (1 + (b (b + 2) + a^2 / 4)). Near 0, where every rounding
 * is seen in the result, 1 + b is never rounded. */
static struct ratio fine_circle(lane_program *p, struct ratio r, double limit)
{
    lane_value quarter = mul(p, mul(p, number(p, 0.25), r.a), r.a);
    lane_value rest = lane_fma(p, r.b, lane_binary(p, LANE_ADD, r.b, number(p, 2)), quarter);
    lane_value above = lane_fma(p, r.a, r.b, r.a);
    if (limit != 1) above = mul(p, above, number(p, limit));
    return (struct ratio){above, lane_binary(p, LANE_ADD, number(p, 1), rest), false};
}

/* w -> w (1 + w / 2^(k+1)): 1 + w / 2^k squared is 1 + this / 2^(k-1). So scaled, subnormal w lose no bits. */
static struct ratio squared(lane_program *p, struct ratio r, unsigned k)
{
    lane_value part = number(p, 0.5 / (1u << k));
    if (r.whole) return (struct ratio){lane_fma(p, mul(p, part, r.a), r.a, r.a), 0, true};
    return (struct ratio){mul(p, r.a, lane_fma(p, part, r.a, r.b)), mul(p, r.b, r.b), false};
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
    struct ratio r = {0, 0, !q->denominator_degree};
    if (w->unit) { /* v + v u P', u the variable: the roundings before the last count little near 0 */
        r.a = horner_f32_halves(p, q->numerator + 1, q->numerator_degree - 1, variable);
        r.a = lane_fma(p, mul(p, v, variable), r.a, v);
    } else {
        r.a = horner_f32(p, q->numerator, q->numerator_degree, variable);
        for (unsigned k = 0; k < w->m; k++) r.a = mul(p, r.a, v);
    }
    if (w->link == LINK_FINE_CIRCLE)
        r.b = mul(p, variable, horner_f32(p, q->denominator + 1, q->denominator_degree - 1, variable));
    else if (!r.whole)
        r.b = horner_f32(p, q->denominator, q->denominator_degree, variable);
    return r;
}

/* a + 2 b */
static lane_value plus_twice(lane_program *p, struct ratio r)
{
    lane_value two = number(p, 2);
    return r.whole ? lane_binary(p, LANE_ADD, r.a, two) : lane_fma(p, two, r.b, r.a);
}

lane_value rational_build(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct rational *w = parameters;
    lane_value variable, v = argument(p, w, x, &variable);
    struct ratio r = polynomials(p, w, v, variable);
    (void)possible;
    if (w->link == LINK_CIRCLE) r = circle(p, r, w->f.limit);
    if (w->link == LINK_FINE_CIRCLE) r = fine_circle(p, r, w->f.limit);
    for (unsigned k = w->doublings; k > 0; k--) r = squared(p, r, k);
    /* g - 1 = a / b */
    if (w->link == LINK_HYPERBOLIC) r = (struct ratio){r.a, plus_twice(p, r), false};
    lane_value h = quotient_of(p, r);
    if (w->link == LINK_SQUARES) h = times(p, h, -w->f.limit);
    if (w->link == LINK_HYPERBOLIC) h = times(p, h, w->f.limit);
    if (w->form == RATIONAL_SQUARE && w->m) return half_line_signed_result(p, &w->f, x, h);
    return half_line_result(p, &w->f, x, h, false);
}
