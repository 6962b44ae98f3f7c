/* Two factored plans from one table, for a function and its derivative:
 *
 *     f = v^m exp(q) R(t),   f' = v^(m-1) exp(q) S(t),   S(t) = R(t) - b t,   b > 0,   S(root) = 0
 *
 * GELU and its derivative have this form. There, b t exp(q) is the derivative of the factor normcdf(x).
 *
 * R - b t loses bits near the root. S + b t loses bits where S is nearly -b t. A bound in ulps needs these
 * bits. The table therefore holds S / (t - root) below the place where R and -S have the same size, and R
 * above it. Adding or subtracting b t gives the other of the two. The value that is computed second is never
 * the smaller one. The two programs differ only in a max or min, and in the steps after it. */
#include "budget.h"
#include "factored.h"
#include "factored_exp.h"
#include "factored_shapes.h"
#include "float_bits.h"
#include "segments.h"

#include <math.h>

/* The scale of exp. exp is made larger by this factor and the table smaller by the same factor. exp then
 * stays normal wherever f is not 0, and only the last product can be subnormal. */
static const double exp_scale = 0x1p64;

enum { FUNCTION, DERIVATIVE };

struct pair {
    struct factor f[2];
    /* The function of the pair for which this plan is: FUNCTION or DERIVATIVE. */
    unsigned role;
    quad b;
    double split; /* the t where R and -S have the same size */
    struct factored_exp exp;
    struct segments table;
    double edge; /* the split as a u of the table */
    bool short_argument;
    const struct target_costs *costs;
};

/* -- common to both functions -- */

/* Computes f / (x^m exp(q)) on f's own side. */
static bool rest_of(quad *out, const struct factor *f, reference *truth, double t)
{
    struct factor_rest rest = {f, truth, *factor_own_exponent(f), .side = f->own};
    return factor_rest_at(&rest, t, out);
}

/* Checks that both functions have the same exponent, and that it is even. The program computes exp(q(-t)) in
 * place of exp(q(t)). */
static bool have_one_exponent(const struct factor f[2])
{
    const struct factor_polynomial *p = factor_own_exponent(&f[0]), *q = factor_own_exponent(&f[1]);
    bool same = f[0].own == f[1].own && p->degree == q->degree;
    for (unsigned k = 0; same && k <= p->degree; k++)
        same = quad_abs(p->coefficient[k] - q->coefficient[k]) <= (quad)0x1p-90 &&
               (k % 2 == 0 || p->coefficient[k] == 0);
    return same;
}

/* Finds b, and checks at several places that R - S is b t. */
static bool find_difference(struct pair *w, reference *const truth[2])
{
    static const double probes[] = {0.75, 0.0625, 1.1875, 2.71875, 5.3125};
    for (unsigned i = 0; i < sizeof probes / sizeof *probes; i++) {
        quad rest[2];
        for (unsigned k = 0; k < 2; k++)
            if (!rest_of(&rest[k], &w->f[k], truth[k], probes[i])) return false;
        const quad b = (rest[FUNCTION] - rest[DERIVATIVE]) / probes[i];
        if (i == 0) w->b = b;
        if (quad_abs(b - w->b) > (quad)0x1p-70 * quad_abs(b)) return false;
    }
    return w->b > 0;
}

/* Finds the place where R falls below -S, by bisection. */
static bool find_split(struct pair *w, reference *truth)
{
    enum { HALVINGS = 30 };
    const struct factor *f = &w->f[FUNCTION];
    double low = (double)w->f[DERIVATIVE].root, high = f->side[f->own].last;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        quad r;
        if (!rest_of(&r, f, truth, middle)) return false;
        *(2 * r - w->b * middle > 0 ? &low : &high) = middle;
    }
    w->split = low;
    return true;
}

static bool is_simple(const struct factor *f)
{
    return f->line.mirrors && (f->line.sign > 0 || f->line.slope != 0 || f->line.constant != 0);
}

static bool find_pair(struct pair *w, reference *const truth[2])
{
    const struct factor *f = &w->f[FUNCTION], *derivative = &w->f[DERIVATIVE];
    return is_simple(f) && is_simple(derivative) && !f->has_root && derivative->has_root &&
           f->power == derivative->power + 1 && have_one_exponent(w->f) && find_difference(w, truth) &&
           find_split(w, truth[FUNCTION]);
}

/* -- the table -- */

struct table_source {
    const struct pair *w;
    reference *truth;
    bool below;
};

static bool table_at(void *context, double t, quad *out)
{
    const struct table_source *s = context;
    if (!rest_of(out, &s->w->f[FUNCTION], s->truth, t)) return false;
    if (s->below) *out = (*out - s->w->b * t) / (t - s->w->f[DERIVATIVE].root);
    return true;
}

static bool set_goal(struct segments_goal *goal, const struct pair *w, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    *goal = (struct segments_goal){.type = LANE_F32,
                                   .log2_entries = plan_log2_entries(&r->profile, r->costs, 0),
                                   .sides = 1,
                                   .split = w->split,
                                   .relative = true,
                                   .highest = SEGMENTS_MAX_DEGREE};
    for (unsigned k = 0; k < 2; k++) goal->end = fmax(goal->end, w->f[k].side[w->f[k].own].last);
    for (int above = 0; above < 2; above++) {
        struct table_source source = {w, context->traits->fitted, !above};
        const struct surrogate_request request = {
            .value = table_at, .context = &source, .high = goal->end, .tolerance = 0x1p-40, .relative = true};
        goal->side[above] =
            (struct segments_side){.f = surrogate_make(&request, context->memory), .limit = (double)NAN};
        if (!goal->side[above].f) return false;
    }
    return true;
}

/* Returns the start of the first segment of side[1], in u. */
static double edge_of(const struct segments *s, double split)
{
    struct segment cut[SEGMENTS_MAX_ENTRIES];
    const unsigned count = segments_cut(s, cut);
    for (unsigned i = 0; i < count; i++)
        if (cut[i].low >= split) return cut[i].low + s->offset;
    return INFINITY;
}

/* -- code -- */

/* Returns t - root, given -t. If t has at most 12 bits, the root's first word also gets 12 bits after the
 * point, so that the first difference is exact. */
static lane_value distance(const struct pair *w, lane_program *p, lane_value minus_t)
{
    const quad root = w->f[DERIVATIVE].root;
    const double high = w->short_argument ? rint((double)root * 0x1p12) * 0x1p-12 : (double)(float)root;
    const lane_value far = lane_sub(p, lane_f32(p, -high), minus_t);
    return lane_sub(p, far, lane_f32(p, (double)(root - (quad)high)));
}

/* Returns R or S, divided by exp_scale. */
static lane_value rest(const struct pair *w, lane_program *p, lane_value x, lane_value minus_t)
{
    const lane_value u = lane_sub(p, lane_f32(p, w->table.offset), minus_t);
    const lane_value is_below = lane_less(p, u, lane_f32(p, w->edge));
    const lane_value factor = lane_select(p, is_below, distance(w, p, minus_t), lane_f32(p, 1));
    const lane_value first = lane_mul(p, segments_build(&w->table, p, minus_t, x), factor);
    const double b = (double)w->b / exp_scale;
    const lane_value less_or_more = lane_select(p, is_below, lane_f32(p, -b), lane_f32(p, b));
    const lane_value second = lane_fma(p, less_or_more, minus_t, first);
    return lane_binary(p, w->role == DERIVATIVE ? LANE_MIN : LANE_MAX, first, second);
}

static lane_value build(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct pair *w = parameters;
    const struct factor *own = &w->f[w->role];
    (void)possible;
    const lane_value minus_t =
        lane_max(p, lane_f32(p, -w->table.limit), lane_unary(p, LANE_NEG, lane_unary(p, LANE_ABS, x)));
    const struct factored_exp_value e =
        factored_exp_build(&w->exp, p, (struct factored_exp_argument){.t = minus_t}, w->costs);
    const lane_value v = own->own || !own->power ? minus_t : lane_unary(p, LANE_NEG, minus_t);
    lane_value y = factored_scale(&e.scale, p, e.whole);
    for (unsigned k = 0; k < own->power; k++) y = lane_mul(p, y, v);
    y = lane_mul(p, y, rest(w, p, x, minus_t));
    return factored_joined(own, p, x, (struct factored_part){.value = y}, w->costs);
}

/* -- candidates -- */

/* Returns half the cost of both programs together. An instruction that both programs contain counts once. */
static double shared_cost(const struct candidate *a, const struct candidate *b, const struct plan_request *r)
{
    lane_program *p = lane_create(a->program->memory, &r->profile);
    const lane_value x = lane_load(p, LANE_F32, 0);
    lane_store(p, lane_inline(p, a->program, &x), 1);
    lane_store(p, lane_inline(p, b->program, &x), 2);
    return plan_cost(p, r->costs) / 2;
}

/* Returns whether the companion's program keeps its bound. The companion's planner then makes the same
 * decision. */
static bool is_kept(const struct candidate *c, const struct shape_context *of)
{
    const struct plan_request *companion = of->request;
    struct tally tally;
    struct diag none = {0};
    struct measurer *m = measurer_create(companion, of->traits);
    const bool known = m && !plan_measure(&tally, m, c->program, &companion->piece.bound, &none);
    const double most = element_is_half(companion->piece.argument) ? 1 : BUDGET_COMPANION;
    measurer_free(m);
    return known && !tally.wrong && !tally.undecided &&
           tally.max_ulp <= most * judge_allowed(&companion->piece.bound);
}

static bool make_candidate(struct candidate *out, const struct pair *w, unsigned role,
                           const struct shape_context *context)
{
    static const char *const roles[] = {"function", "derivative"};
    struct text t = text_new(context->memory);
    struct pair *copy = arena_alloc(context->memory, sizeof *copy);
    *copy = *w;
    copy->role = role;
    text_add(&t, "%s of a pair from one table: ", roles[role]);
    segments_describe(&t, &w->table);
    text_add(&t, ", split at %g; exp by %u terms", w->edge - w->table.offset, w->exp.terms);
    *out = (struct candidate){.shape = "pair", .description = t.data, .build = build, .parameters = copy};
    return candidate_finish(out, context);
}

/* Sets the table, made small by exp_scale and mirrored, because its argument is -t. */
static void set_table(struct pair *w, const struct segments *found)
{
    w->table = *found;
    w->edge = edge_of(found, w->split);
    w->table.mirrored = true;
    for (unsigned k = 0; k <= found->degree; k++)
        for (unsigned n = 0; n < SEGMENTS_MAX_ENTRIES; n++) w->table.coefficient[k][n] /= exp_scale;
}

/* Makes candidates with two shares of the error bound for the table: the default share, and a larger one for
 * cases in which every input is tested afterwards. */
static size_t candidates_of(struct candidate *out, size_t room, struct pair *w, unsigned role,
                            const struct shape_context *const context[2])
{
    enum { FOUND = 8 };
    static const double shares[] = {1, 3};
    const struct shape_context *own = context[role], *other = context[!role];
    struct segments found[FOUND];
    struct segments_goal goal;
    struct candidate beside;
    size_t count = 0;
    const double ulps =
        fmax(BUDGET_FACTORED_LEAST, judge_allowed(&own->request->piece.bound) - BUDGET_FACTORED_PAIR);
    const struct factored_exp_form form = {.argument = w->short_argument ? EXP_SHORT : EXP_EXACT,
                                           .scale = exp_scale};
    if (!factored_exp_fit(&w->exp, factor_own_exponent(&w->f[0]), form, BUDGET_EXPONENTIAL * ulps) ||
        !set_goal(&goal, w, context[FUNCTION]))
        return 0;
    for (unsigned i = 0; i < 2; i++) {
        goal.wanted = 0x1p-23 * ulps * shares[i];
        const unsigned tables = segments_search(found, FOUND, &goal, own->memory);
        for (unsigned k = 0; k < tables && count < room; k++) {
            set_table(w, &found[k]);
            if (found[k].index != INDEX_EXPONENT || !make_candidate(&out[count], w, role, own) ||
                !make_candidate(&beside, w, !role, other))
                continue;
            out[count].cost = shared_cost(&out[count], &beside, own->request);
            count += is_kept(&beside, other);
        }
    }
    return count;
}

static size_t with_companion(struct candidate *out, size_t room, const struct factor *own,
                             const struct shape_context *context, unsigned number)
{
    const struct piece *companion = &context->request->companions[number];
    const unsigned role = own->has_root ? DERIVATIVE : FUNCTION;
    struct plan_request r = *context->request;
    struct shape_context other = *context;
    struct pair w = {.short_argument = element_is_half(r.piece.argument), .costs = r.costs};
    r.piece.written = companion->written;
    r.piece.simplified = companion->simplified;
    r.companion_count = 0;
    r.piece.result = ELEMENT_F32; /* The companion is judged before its last rounding. */
    other.request = &r;
    struct traits **known = &context->companions[number];
    if (!*known)
        *known = traits_create(context->memory, r.piece.written, r.piece.simplified, false, r.progress);
    other.traits = *known;
    const struct factor *found = *known ? factored_of_f32(&other) : NULL;
    if (!found) return no_candidates(context, "pair", "the companion has no part in f32");
    w.f[role] = *own;
    w.f[!role] = *found;
    const struct shape_context *const both[] = {role ? &other : context, role ? context : &other};
    reference *const truth[] = {both[0]->traits->fitted, both[1]->traits->fitted};
    if (find_pair(&w, truth)) return candidates_of(out, room, &w, role, both);
    return no_candidates(context, "pair", "the two functions do not share a table");
}

size_t factored_pair_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    const struct factor *own = r->companion_count ? factored_of_f32(context) : NULL;
    size_t count = 0;
    if (!own)
        return no_candidates(context, "pair",
                             r->companion_count ? "the function has no part in f32"
                                                : "the kernel does not compute its derivative, too");
    for (unsigned i = 0; i < r->companion_count; i++)
        count += with_companion(out + count, room - count, own, context, i);
    return count ? count : no_candidates(context, "pair", WHY_NO_FIT);
}
