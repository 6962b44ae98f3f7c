/* The shape of square roots: f = sqrt(g), where g has a plan. A root halves relative errors, so that g may be
 * twice as far off.
 *
 * A g that decays like exp(c x) becomes subnormal where its root is still a normal number. There,
 * sqrt(g(x)) = sqrt(exp(c x)) = exp(c x / 2) = g(x / 2). One program of g serves both: its argument is x or
 * x / 2, and its result counts with or without the root. */
#include "parts.h"

#include <math.h>

struct root {
    const lane_program *part;
    bool ends[2];   /* g decays for x > 0, for x < 0 */
    double from[2]; /* |x| from which on it is tiny */
};

/* The logarithm of the size of g from which on x / 2 takes the place of x. The size is far above the
 * subnormals, and so small that g is exp(c x) in all bits. */
static const double log_tiny = -90 * 0x1.62e42fefa39efp-1; /* log(2^-90) */

static lane_value build_root(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct root *w = parameters;
    const lane_value half = lane_mul(p, x, lane_f32(p, 0.5));
    lane_value v = x, beyond[2] = {0};
    (void)possible;
    for (int side = 0; side < 2; side++) {
        if (!w->ends[side]) continue;
        const lane_value limit = lane_f32(p, side ? -w->from[1] : w->from[0]);
        beyond[side] = side ? lane_less(p, x, limit) : lane_less(p, limit, x);
        v = lane_select(p, beyond[side], half, v);
    }
    const lane_value g = lane_inline(p, w->part, &v);
    lane_value y = lane_unary(p, LANE_SQRT, g);
    for (int side = 0; side < 2; side++)
        if (w->ends[side]) y = lane_select(p, beyond[side], g, y);
    return y;
}

/* Finds where g becomes tiny, from the decay of its root f. Returns false if g does not decay like exp(c x)
 * where it decays. */
static bool find_ends(struct root *w, struct traits *t)
{
    const struct factor *f = traits_factor(t);
    for (int side = 0; side < 2 && f; side++) {
        const struct factor_polynomial *q = &f->side[side].q;
        if (!f->side[side].decays) continue;
        if (q->degree != 1 || f->power) return false;
        w->ends[side] = true;
        w->from[side] = (double)(float)(log_tiny / (2 * (double)q->coefficient[1]));
    }
    return true;
}

static bool is_root(const expr *e)
{
    return e->kind == EXPR_sqrt || (e->kind == EXPR_POWER && !mpq_cmp_ui(e->number, 1, 2));
}

size_t root_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    const expr *f = r->piece.simplified;
    struct root found = {.part = NULL};
    size_t count = 0;
    if (!part_suits(r)) return no_candidates(context, "root", WHY_NO_PARTS);
    if (!is_root(f)) return no_candidates(context, "root", "the formula is no square root");
    if (!find_ends(&found, context->traits))
        return no_candidates(context, "root", "its argument decays, but not like exp(c x)");
    const struct part_steps s = part_steps_of(2 * judge_allowed(&r->piece.bound));
    for (unsigned i = 0; i < s.count && count < room; i++) {
        struct planned_part part;
        struct root *w = arena_alloc(context->memory, sizeof *w);
        struct text t = text_new(context->memory);
        if (!part_plan(&part, f->operand[0], s.ulps[i], context)) break;
        *w = found;
        w->part = part.program;
        text_add(&t, "the root of a plan within %.3g ulp, %s%s", s.ulps[i], part.shape,
                 w->ends[0] || w->ends[1] ? "; of x/2 where that is tiny" : "");
        out[count] =
            (struct candidate){.shape = "root", .description = t.data, .build = build_root, .parameters = w};
        if (candidate_finish(&out[count], context)) count++;
    }
    return count ? count : no_candidates(context, "root", WHY_NO_PART);
}
