/* Piecewise power plans: the forms, and the search for the cheapest plan. */
#include "piecewise_power.h"
#include "float_bits.h"

#include <limits.h>

static const char own_name[] = "piecewise power";
#include <math.h>
#include <string.h>

enum { MOST_POWER = 6, LEAST_DEGREE = 1, MOST_DEGREE = 7, MOST_WRONG = 3, FOUND = 3, MOST_FITS = 320 };

/* -- code -- */

static lane_value build_piecewise_power(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct piecewise_power *w = parameters;
    const bool is_ramp = w->form == POWER_RAMP, is_point = w->form == POWER_POINT;
    const enum lane_type type = w->q.type;
    const lane_value zero = lane_const(p, type, 0), high = lane_const(p, type, w->high);
    lane_value from_below = x, t = x, v;
    (void)possible;
    if (w->form == POWER_SIDES) {
        from_below = lane_max(p, lane_const(p, type, w->low), x);
        t = lane_min(p, high, from_below);
        v = w->held[0] ? from_below : x;
        if (w->held[1]) v = w->held[0] ? t : lane_min(p, high, x);
    } else {
        t = lane_min(p, high, lane_unary(p, LANE_ABS, x));
        v = is_ramp || is_point ? t : x;
        if (w->form == POWER_PRODUCT && w->held[1] && w->m)
            v = lane_max(p, lane_const(p, type, -w->high), lane_min(p, high, x));
        if (w->form == POWER_PRODUCT && w->held[1] && w->m) t = lane_unary(p, LANE_ABS, v);
    }
    lane_value y = segments_build(&w->q, p, t, t);
    for (unsigned k = 0; k < w->k; k++) y = lane_mul(p, y, y);
    lane_value factor = w->sign < 0 ? lane_unary(p, LANE_NEG, w->m ? v : y) : w->m ? v : y;
    for (unsigned k = 1; k < w->m; k++) factor = lane_mul(p, factor, v);
    if (is_ramp) {
        const lane_value base = lane_max(p, zero, x);
        return w->m ? lane_fma(p, factor, y, base) : lane_add(p, base, factor);
    }
    if (w->m) y = lane_mul(p, factor, y);
    if (!w->m) y = factor;
    if (!is_point) return y;
    const lane_value negative = lane_less(p, x, zero), other = lane_sub(p, lane_const(p, type, w->sum), y);
    return w->decays_left ? lane_select(p, negative, y, other) : lane_select(p, negative, other, y);
}

static void describe_piecewise_power(struct candidate *c, const struct piecewise_power *w, arena *memory)
{
    static const char *const forms[] = {"max(x,0) + part", "part, sum - part", "part of |x|", "part"};
    struct text t = text_new(memory);
    text_add(&t, "%s%s; part = %sv^%u q^%u, q: ", w->q.type == LANE_F16 ? "in f16, " : "", forms[w->form],
             w->sign < 0 ? "-" : "", w->m, 1u << w->k);
    segments_describe(&t, &w->q);
    text_add(&t, ", %.4g <= t <= %.4g", w->low, w->high);
    c->shape = own_name;
    c->description = t.data;
}

/* -- forms -- */

/* Returns whether f seems to have the symmetry of the form. The points decide later. */
static bool has_form(struct piecewise_power *w, const struct symmetry *s, reference *truth)
{
    quad left, right;
    switch (w->form) {
    case POWER_RAMP: return line_is(&s->difference, 1, 0);
    case POWER_PRODUCT: return line_is(&s->difference, 0, 0) || line_is(&s->sum, 0, 0);
    case POWER_POINT:
        w->sum = (double)(float)s->sum.constant;
        if (w->sum == 0 || !line_is(&s->sum, 0, w->sum)) return false;
        if (!formula_value(&left, truth, -16) || !formula_value(&right, truth, 16)) return false;
        w->decays_left = quad_abs(left) < quad_abs(right);
        return true;
    default: return true;
    }
}

/* Finds how the part, that is f without its base, begins at 0, and its sign. */
static bool set_start(struct piecewise_power *w, struct traits *t)
{
    enum { LARGEST = 4 };
    const bool left = w->form == POWER_RAMP || (w->form == POWER_POINT && w->decays_left);
    quad value;
    if (!traits_leading_power(&w->m, LARGEST, t, left) || !formula_value(&value, t->fitted, left ? -1 : 1))
        return false;
    w->sign = value < 0 ? -1 : 1;
    return true;
}

/* -- ways to cut -- */

/* Sets the segments of a way to cut. Returns false if the way does not exist. */
static bool set_cut(struct piecewise_power *w, unsigned way)
{
    enum { STEPS = 12 };
    struct segments *s = &w->q;
    const double entries = 1u << s->log2_entries;
    s->limit = w->high;
    if (way == 0) {
        s->index = INDEX_UNIFORM;
        s->width =
            segments_rounded_up((w->high - w->low) / (entries - (w->form == POWER_SIDES ? 1.01 : 0.51)));
        return true;
    }
    if (w->form == POWER_SIDES || way > s->log2_entries) return false;
    s->index = INDEX_EXPONENT;
    s->fraction_bits = s->log2_entries - way; /* 2^way octaves */
    for (unsigned i = 0; i < STEPS; i++) {    /* Takes the least offset whose segments are few enough. */
        s->offset = segments_rounded_up(w->high / (ldexp(1, 1 << way) - 1) * (1 + i / (double)STEPS));
        if (segments_reach(s)) return true;
    }
    return false;
}
enum { WAYS = 4 };

/* -- the search -- */

struct option {
    struct piecewise_power w;
    unsigned form, way, operations;
};

/* The knowledge about the options of a form and a way. The variable does not affect whether an option is
 * possible. */
struct known {
    unsigned hard;
    bool tried[MOST_DEGREE + 1][MOST_POWER + 1], possible[MOST_DEGREE + 1][MOST_POWER + 1];
};

static unsigned operations_of(const struct piecewise_power *w)
{
    /* Operations besides the clamps: abs, base, choice. */
    static const unsigned around[POWER_FORM_COUNT] = {4, 4, 2, 2};
    const unsigned index = w->q.index == INDEX_UNIFORM ? 1 : 2, distance = w->q.variable == VARIABLE_ARGUMENT
                                                                               ? 0
                                                                           : w->q.index == INDEX_UNIFORM ? 2
                                                                                                         : 3;
    return around[w->form] + 1 + index + distance + 2 * w->q.degree + 1 + w->k + w->m;
}

/* Inserts an option. The list is sorted by the number of operations. */
static void insert(struct option *list, unsigned *count, const struct option *o)
{
    unsigned at = (*count)++;
    for (; at && list[at - 1].operations > o->operations; at--) list[at] = list[at - 1];
    list[at] = *o;
}

enum { OPTIONS = POWER_FORM_COUNT * WAYS * 2 * (MOST_POWER + 1) * (MOST_DEGREE - LEAST_DEGREE + 1) };

static unsigned list_options(struct option *list, const struct piecewise_power *form, enum lane_type type,
                             unsigned log2_entries, unsigned count)
{
    for (unsigned way = 0; way < WAYS; way++)
        for (unsigned degree = LEAST_DEGREE; degree <= MOST_DEGREE; degree++)
            for (unsigned k = 0; k <= MOST_POWER; k++)
                for (unsigned distance = 0; distance < 2; distance++) {
                    struct option o = {.w = *form, .form = form->form, .way = way};
                    o.w.k = k;
                    o.w.q = (struct segments){
                        .type = type, .sides = 1, .log2_entries = log2_entries, .degree = degree};
                    o.w.q.variable = distance ? VARIABLE_DISTANCE : VARIABLE_ARGUMENT;
                    if (!set_cut(&o.w, way)) continue;
                    o.operations = operations_of(&o.w);
                    insert(list, &count, &o);
                }
    return count;
}

/* Returns the number of inputs for which the candidate is wrong. */
static unsigned add_candidate(struct candidate *out, const struct piecewise_power *found,
                              const struct shape_context *context)
{
    struct piecewise_power *w = arena_alloc(context->memory, sizeof *w);
    struct answers_wrong wrong;
    *w = *found;
    *out =
        (struct candidate){.build = build_piecewise_power, .parameters = w, .halves = w->q.type == LANE_F16};
    describe_piecewise_power(out, w, context->memory);
    if (!candidate_finish(out, context) || !answers_check(&wrong, context->answers, out->program))
        return UINT_MAX;
    return wrong.count;
}

/* Makes candidates that compute in lanes of the type, with tables of at most `entries` entries. */
static size_t candidates_in(enum lane_type type, double share, unsigned entries, struct candidate *out,
                            size_t room, const struct shape_context *context)
{
    const unsigned most_wrong = type == LANE_F16 ? 0 : MOST_WRONG; /* Only f32 programs can be patched. */
    struct known known[POWER_FORM_COUNT][WAYS] = {0};
    struct power_points inputs = {0}, points[POWER_FORM_COUNT], thin[POWER_FORM_COUNT];
    unsigned count = 0, log2_entries = 0, enough = 0, fits = 0;
    size_t found = 0;
    while (2u << log2_entries <= entries && 2u << log2_entries <= SEGMENTS_MAX_ENTRIES) log2_entries++;
    const struct symmetry *symmetry = traits_symmetry(context->traits);
    if (!symmetry) return no_candidates(context, own_name, "the reference could not decide its symmetry");
    struct option *list = arena_alloc(context->memory, OPTIONS * sizeof *list);
    for (unsigned form = 0; form < POWER_FORM_COUNT; form++) {
        struct piecewise_power w = {
            .form = (enum power_form)form, .result = context->answers->result, .share = share};
        const unsigned before = count;
        if (!has_form(&w, symmetry, context->traits->fitted) || !set_start(&w, context->traits)) continue;
        if (!inputs.point && !answers_settle(context->answers))
            return no_candidates(context, own_name, "not all results could be decided");
        if (!inputs.point) piecewise_power_inputs(&inputs, context->answers, context->memory);
        if (piecewise_power_points(&points[form], &w, &inputs, context->answers, context->memory))
            count = list_options(list, &w, type, log2_entries, count);
        if (count > before) piecewise_power_thin(&thin[form], &points[form], context->memory);
    }
    for (unsigned i = 0; i < count && found < FOUND && found < room; i++) {
        struct option *o = &list[i];
        if (found && o->operations > enough) break;
        struct known *k = &known[o->form][o->way];
        bool *tried = &k->tried[o->w.q.degree][o->w.k], *possible = &k->possible[o->w.q.degree][o->w.k];
        if (!*tried) *possible = piecewise_power_is_possible(&o->w, &thin[o->form], most_wrong, &k->hard);
        *tried = true;
        if (*possible && ++fits > MOST_FITS) break;
        if (!*possible ||
            !piecewise_power_fit(&o->w, &points[o->form], most_wrong, &k->hard, context->memory))
            continue;
        const unsigned wrong = add_candidate(&out[found], &o->w, context);
        if (wrong > most_wrong) continue;
        const unsigned whole = o->operations + 2 * wrong; /* including its patches */
        if (!found || whole < enough) enough = whole;
        found++;
    }
    return found ? found : no_candidates(context, own_name, WHY_NO_FIT);
}

/* Values to try for `share` (piecewise_power.h). One half gives the cheapest plans for loose bounds. For
 * correct rounding, the share makes no difference. */
enum { HELD_SHARES = 2 };
static const double held_shares[HELD_SHARES] = {0.5, 0.8};

/* Makes candidates in f16. The second share may succeed where f16's roundings leave nothing of the first. */
static size_t candidates_in_f16(struct candidate *out, size_t room, const struct shape_context *context)
{
    const unsigned entries = context->request->profile.lookup_f16;
    size_t found = 0;
    for (size_t i = 0; i < HELD_SHARES && !found; i++)
        found = candidates_in(LANE_F16, held_shares[i], entries, out, room, context);
    return found;
}

/* Returns why the shape is not tried, or NULL. */
static const char *why_not(const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    if (r->unrounded) return "it fits to rounded results";
    if (context->traits->is_algebraic) return WHY_ALGEBRAIC;
    if (!r->profile.fma) return WHY_NO_FMA;
    return r->profile.lookup_f32 < 8 ? "lookups hold no table of 8" : NULL;
}

static bool has_f16(const struct plan_request *r)
{
    return r->profile.lookup_f16 && r->piece.argument == ELEMENT_F16 && !judge_is_exact(&r->piece.bound);
}

size_t piecewise_power_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    const struct target_profile *profile = &r->profile;
    const char *why = context->answers ? why_not(context) : "it serves 16-bit results of 16-bit arguments";
    if (why) return no_candidates(context, own_name, why);
    const size_t halves =
        has_f16(r) && r->piece.result == ELEMENT_F16 ? candidates_in_f16(out, room, context) : 0;
    return halves +
           candidates_in(LANE_F32, held_shares[0], profile->lookup_f32, out + halves, room - halves, context);
}

/* Makes candidates for the results that the request allows, where its type is the one of the program's
 * results or, for f16 lanes, f16. */
static size_t candidates_for(const struct plan_request *r, struct candidate *out, size_t room,
                             const struct shape_context *context)
{
    struct shape_context own = *context;
    struct answers answers;
    struct answers_asked asked = {0};
    size_t count = 0;
    own.request = r;
    own.answers = &answers;
    if (answers_find(&answers, r, context->traits->truth, &asked))
        count = r->piece.result == ELEMENT_F16
                    ? candidates_in_f16(out, room, &own)
                    : candidates_in(LANE_F32, held_shares[0], r->profile.lookup_f32, out, room, &own);
    answers_free(&answers);
    return count;
}

size_t piecewise_power_operands(struct candidate *out, size_t room, const struct shape_context *context)
{
    /* The roundings of a polynomial in f32 and of its powers take most of fewer ulps. */
    static const double least_ulps = 16;
    struct plan_request request = *context->request;
    struct piece *piece = &request.piece;
    const bool by_abs = piece->bound.kind == BOUND_ABS, from_half = element_is_half(piece->argument);
    /* f16 does not have the digits for a bound in ulps of f32. */
    const bool serves = by_abs ? has_f16(&request) : from_half && judge_allowed(&piece->bound) >= least_ulps;
    if (!serves || piece->result != ELEMENT_F32)
        return no_candidates(
            context, own_name,
            "it serves arguments of 8 and 16 bits: f16 within absolute bounds, others from 16 ulp on");
    const char *why = request.is_factor ? "it follows the whole product" : why_not(context);
    if (why) return no_candidates(context, own_name, why);
    if (by_abs) piece->result = ELEMENT_F16;
    return candidates_for(&request, out, room, context);
}
