/* The composed shapes. They compute the formula as it stands, in f32 or f64 lanes, with one rounding per
 * operation. Formulas without elementary functions are called direct. */
#include "compose.h"
#include "f64_patch.h"
#include "log_table.h"
#include "shape.h"

#include <float.h>
#include <math.h>

struct composition {
    const expr *formula;
    struct composer as; /* the settings of the composer, without the program */
    bool widens;        /* Argument and result are f32, and the lanes are f64. */
    bool held;          /* see enum row_form */
    float range[2];     /* the limits of a held argument */
    /* Polynomials of a wide composition, near 0 or far from it. */
    const struct f64_patch *patch;
    unsigned patch_count;
};

static lane_value hold(lane_program *p, lane_value x, const float *range)
{
    if (range[0] > -FLT_MAX) x = lane_max(p, lane_f32(p, (double)range[0]), x);
    return range[1] < FLT_MAX ? lane_min(p, lane_f32(p, (double)range[1]), x) : x;
}

/* Ways that make no candidate of their own if no function heeds them. */
static const unsigned heeded = COMPOSE_FAR | COMPOSE_CAREFUL | COMPOSE_ROUGH | COMPOSE_HALF_TURNS |
                               COMPOSE_QUARTER_TURNS | COMPOSE_TABLES;

/* Returns y, or the formula in f64 where x is larger than `most` in size. Few arguments of sin and cos are
 * that large. */
static lane_value unless_large(const struct composition *w, lane_program *p, lane_value x, lane_value y,
                               double most, bool *possible)
{
    enum { BITS = 32 };
    struct composer c = {.kind = NUMBER_F64, .bits = BITS, .cache = w->as.cache, .program = p};
    const lane_value wide = compose_expr(&c, w->formula, number_of_word(lane_unary(p, LANE_WIDEN, x))).high;
    const lane_value is_large = lane_less(p, lane_f32(p, most), lane_unary(p, LANE_ABS, x));
    *possible = *possible && !c.impossible;
    return lane_rarely(p, is_large, lane_unary(p, LANE_NARROW, wide), y);
}

static lane_value build_composition(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct composition *w = parameters;
    struct composer c = w->as;
    c.program = p;
    c.range = w->held ? w->range : NULL;
    const lane_value input = w->widens ? lane_unary(p, LANE_WIDEN, x) : w->held ? hold(p, x, w->range) : x;
    lane_value y = compose_expr(&c, w->formula, number_of_word(input)).high;
    *possible = !c.impossible && !(c.ways & heeded & ~c.heeds);
    if (c.turns_to > 0) y = unless_large(w, p, x, y, c.turns_to, possible);
    for (unsigned i = 0; i < w->patch_count; i++) y = f64_patch_build(&w->patch[i], p, input, y);
    return w->widens ? lane_unary(p, LANE_NARROW, y) : y;
}

/* The formula that a row composes. */
enum row_form {
    WRITTEN,
    SIMPLIFIED,
    /* Simplified, and x is held in the range outside of which the formula is constant. The clamps inside of
     * the formula then need no operations. */
    HELD,
    /* Simplified, and multiplied by each factor of a power in turn (compose_with_factors_in_turn). */
    IN_TURN
};
static const char *const row_forms[] = {"formula as written", "simplified formula",
                                        "simplified formula of a clamped x", "simplified formula"};

/* A kind of composition. Direct rows are for formulas without elementary functions, the other rows for the
 * rest. */
enum { MOST_ACCURACIES = 6 };
struct row {
    const char *words; /* what follows the form in the description */
    bool direct;
    enum row_form form;
    enum number_kind kind;
    /* Asks the composer for ways of writing. COMPOSE_FUSED is only for absolute bounds, COMPOSE_PAIRS only
     * for ulps.
     */
    unsigned ways;
    unsigned stage; /* of the search */
    /* The accuracies of the polynomials in bits, with one candidate for each. In direct rows they apply to
     * powers such as x^(1/3). */
    unsigned bits[MOST_ACCURACIES];
};
static const struct row compositions[] = {
    {", in f32", true, WRITTEN, NUMBER_F32, 0, 0, {20}},
    {", in f32", true, SIMPLIFIED, NUMBER_F32, 0, 0, {20}},
    {", in f32", true, HELD, NUMBER_F32, 0, 0, {20}},
    {", in f32, fused", true, HELD, NUMBER_F32, COMPOSE_FUSED, 0, {20}},
    {" in f32", false, SIMPLIFIED, NUMBER_F32, 0, 0, {8, 12, 16, 20, 24, 27}},
    {" in f32", false, SIMPLIFIED, NUMBER_F32, COMPOSE_FAR, 0, {8, 12, 16, 20, 24, 27}},
    {" in f32, ln 2 in one word", false, SIMPLIFIED, NUMBER_F32, COMPOSE_ROUGH, 0, {16, 20, 24, 27}},
    {" in f32, with care", false, SIMPLIFIED, NUMBER_F32, COMPOSE_CAREFUL, 0, {27}},
    {" in f32, by half turns, large x in f64",
     false,
     SIMPLIFIED,
     NUMBER_F32,
     COMPOSE_HALF_TURNS,
     0,
     {8, 12, 20, 27}},
    {" in f32, by quarter turns, large x in f64",
     false,
     SIMPLIFIED,
     NUMBER_F32,
     COMPOSE_QUARTER_TURNS,
     0,
     {12, 20, 24, 27}},
    {" in f32, by quarter turns with care, large x in f64",
     false,
     SIMPLIFIED,
     NUMBER_F32,
     COMPOSE_QUARTER_TURNS | COMPOSE_CAREFUL,
     0,
     {24, 27}},
    {" in f32, powers factor by factor", false, IN_TURN, NUMBER_F32, 0, 0, {12, 16, 20, 24, 27}},
    {" in f32, powers factor by factor", false, IN_TURN, NUMBER_F32, COMPOSE_FAR, 0, {12, 16, 20, 24, 27}},
    {" in f32, powers factor by factor, logarithms by tables",
     false,
     IN_TURN,
     NUMBER_F32,
     COMPOSE_TABLES | COMPOSE_FAR,
     0,
     {8, 12, 16, 20, 24, 27}},
    {" in f32, logarithms by tables",
     false,
     SIMPLIFIED,
     NUMBER_F32,
     COMPOSE_TABLES,
     0,
     {8, 12, 16, 20, 24, 27}},
    {" in f32, logarithms by tables",
     false,
     SIMPLIFIED,
     NUMBER_F32,
     COMPOSE_TABLES | COMPOSE_FAR,
     0,
     {8, 12, 16, 20, 24, 27}},
    {" in f32 with care, logarithms by tables",
     false,
     SIMPLIFIED,
     NUMBER_F32,
     COMPOSE_TABLES | COMPOSE_CAREFUL,
     0,
     {24, 27}},
    {" in f32 with care, logarithms by tables",
     false,
     SIMPLIFIED,
     NUMBER_F32,
     COMPOSE_TABLES | COMPOSE_CAREFUL | COMPOSE_FAR,
     0,
     {24, 27}},
    {", in two words of f32", true, SIMPLIFIED, NUMBER_F32, COMPOSE_PAIRS, 0, {20}},
    {", in two words of f32", true, HELD, NUMBER_F32, COMPOSE_PAIRS, 0, {20}},
    {" in two words of f32", false, SIMPLIFIED, NUMBER_F32, COMPOSE_CAREFUL | COMPOSE_PAIRS, 0, {27}},
    {" in f64", false, SIMPLIFIED, NUMBER_F64, 0, 1, {32}},
    {" in f64", false, SIMPLIFIED, NUMBER_F64, 0, 2, {42}},
    {" in f64", false, SIMPLIFIED, NUMBER_F64, 0, 3, {50}},
    {", in f64", true, WRITTEN, NUMBER_F64, 0, 1, {50}},
    {", in f64", true, SIMPLIFIED, NUMBER_F64, 0, 2, {50}},
    {" in f64, fractions as quotients", false, SIMPLIFIED, NUMBER_F64, COMPOSE_QUOTIENTS, 4, {50}},
    {" in f64, fractions as quotients", true, SIMPLIFIED, NUMBER_F64, COMPOSE_QUOTIENTS, 3, {50}},
};
static const struct row f64_compositions[] = {
    {", in f64", true, WRITTEN, NUMBER_F64, 0, 0, {50}},
    {", in f64", true, SIMPLIFIED, NUMBER_F64, 0, 0, {50}},
    {", in f64", false, SIMPLIFIED, NUMBER_F64, 0, 0, {32, 42, 50}},
};

static const char *shape_of(const struct row *row, bool widens)
{
    if (widens) return row->direct ? "wide direct" : "wide composed";
    return row->direct ? "direct" : "composed";
}

static const char *describe_composed(const struct row *row, unsigned bits, arena *memory)
{
    struct text t = text_new(memory);
    text_add(&t, "the %s%s", row_forms[row->form], row->words);
    if (!row->direct && !(row->ways & COMPOSE_QUOTIENTS))
        text_add(&t, ", functions to 2^-%u%s", bits, row->ways & COMPOSE_FAR ? ", of any size" : "");
    return t.data;
}

/* Returns whether the row can serve f64. Functions in f64 lose their last bits, which an absolute bound may
 * allow. The sine and cosine of large numbers lose all bits. */
static bool suits_f64(const struct plan_request *r, const struct row *row)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(r->dag), r->piece.simplified, &count);
    bool turns = false;
    for (uint32_t i = 0; i < count; i++) turns = turns || expr_is_wave(nodes[i]);
    return row->direct || (r->piece.bound.kind == BOUND_ABS && !turns);
}

/* Finds the range outside of which the formula has its values at the infinities. Only finite values count.
 * The range ends at the formula's first and last kink. */
static bool find_range(float range[2], struct traits *t)
{
    const struct traits_end *ends = traits_ends(t); /* -infinity first, then infinity */
    unsigned count;
    const double *kink = traits_kinks(t, &count);
    bool found = false;
    range[0] = -FLT_MAX, range[1] = FLT_MAX;
    for (int side = 0; side < 2; side++)
        for (unsigned i = 0; i < count && ends[side].is_known && isfinite(ends[side].value); i++) {
            const bool is_outer = side ? kink[i] > 0 : kink[i] < 0;
            double value;
            if (!is_outer || fabs(kink[i]) >= fabs((double)range[side]) ||
                (double)(float)kink[i] != kink[i] ||
                reference_value(t->truth, &kink[i], &value, NULL) != REFERENCE_DECIDED ||
                value != ends[side].value)
                continue;
            range[side] = (float)kink[i];
            found = true;
        }
    return found;
}

static bool has_logarithm(const struct plan_request *r)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(r->dag), r->piece.simplified, &count);
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i]->kind == EXPR_log || nodes[i]->kind == EXPR_log1p) return true;
    return false;
}

/* Returns log2 of the entries of the largest table for logarithms, or 0 if the profile has none that is
 * useful. */
static unsigned most_log_bits(const struct plan_request *r)
{
    const unsigned most = plan_log2_entries(&r->profile, r->costs, 0);
    const bool is_useful = r->profile.fma && most >= LOG_TABLE_LEAST_BITS && has_logarithm(r);
    return !is_useful ? 0 : most < LOG_TABLE_MOST_BITS ? most : (unsigned)LOG_TABLE_MOST_BITS;
}

static bool make_candidate(struct candidate *out, const struct row *row, unsigned bits, unsigned log_bits,
                           const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    struct composition *w = arena_alloc(context->memory, sizeof *w);
    *w = (struct composition){.formula = row->form == WRITTEN ? r->piece.written : r->piece.simplified,
                              .as = {.kind = row->kind,
                                     .ways = row->ways,
                                     .bits = bits,
                                     .log_bits = log_bits,
                                     .of_f64 = r->piece.argument == ELEMENT_F64,
                                     .flushes = r->piece.bound.flush,
                                     .has_roots = r->costs->op[CLASS_SQRT32][0].ports == DIVIDER,
                                     .cache = context->cache},
                              .held = row->form == HELD,
                              .widens = r->piece.argument != ELEMENT_F64 && row->kind == NUMBER_F64};
    if (row->ways & COMPOSE_FUSED && r->piece.bound.kind != BOUND_ABS) return false;
    if (row->ways & COMPOSE_PAIRS &&
        (r->piece.bound.kind == BOUND_ABS || judge_is_exact(&r->piece.bound) || !r->profile.fma))
        return false;
    if (row->ways & COMPOSE_PAIRS) w->formula = compose_with_moved_clamps(r->dag, w->formula);
    if (row->form == IN_TURN) {
        const expr *plain = w->formula;
        w->formula = compose_with_factors_in_turn(r->dag, plain);
        if (w->formula == plain) return false;
    }
    if (w->held && !find_range(w->range, context->traits)) return false;
    *out = (struct candidate){.shape = shape_of(row, w->widens),
                              .description = describe_composed(row, bits, context->memory),
                              .build = build_composition,
                              .parameters = w,
                              .many_roundings = true};
    return candidate_finish(out, context);
}

/* Makes a candidate, or, with COMPOSE_TABLES, one for each size of tables. Smaller tables take longer
 * polynomials. With care they are more accurate, because their reciprocals have fewer bits. */
static size_t make_candidates(struct candidate *out, size_t room, const struct row *row, unsigned bits,
                              unsigned log_bits, const struct shape_context *context)
{
    size_t count = 0;
    if (!(row->ways & COMPOSE_TABLES)) return room && make_candidate(out, row, bits, 0, context);
    for (unsigned size = log_bits; size >= LOG_TABLE_LEAST_BITS && count < room; size--)
        count += make_candidate(&out[count], row, bits, size, context);
    return count;
}

size_t composed_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    const bool wide = r->piece.argument == ELEMENT_F64;
    const struct row *rows = wide ? f64_compositions : compositions;
    const size_t row_count = wide ? sizeof f64_compositions / sizeof *f64_compositions
                                  : sizeof compositions / sizeof *compositions;
    const unsigned log_bits = wide ? 0 : most_log_bits(r);
    size_t count = 0;
    for (const struct row *row = rows; row < rows + row_count; row++) {
        if (row->stage != context->stage || row->direct != context->traits->is_algebraic) continue;
        if (wide && !suits_f64(r, row)) {
            no_candidates(context, shape_of(row, false),
                          "in f64, functions serve absolute bounds, and no sine or cosine");
            continue;
        }
        for (unsigned k = 0; k < MOST_ACCURACIES && row->bits[k]; k++)
            count += make_candidates(out + count, room - count, row, row->bits[k], log_bits, context);
    }
    return count;
}

/* Each candidate is the formula in f64 with a polynomial in double words near 0. The later stage uses a wider
 * polynomial. */
size_t started_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    enum { NARROW_STAGE = 3 };
    const bool is_late = context->stage > NARROW_STAGE;
    const struct plan_request *r = context->request;
    struct f64_patch *start = arena_alloc(context->memory, sizeof *start);
    size_t count = 0;
    if (!f64_patch_start(start, context->traits->fitted, is_late ? 0.5 : 0x1p-4))
        return no_candidates(context, "wide started", "no polynomial near 0 was found");
    for (int quotients = 0; quotients <= (is_late ? 1 : 0) && count < room; quotients++) {
        struct composition *w = arena_alloc(context->memory, sizeof *w);
        struct text t = text_new(context->memory);
        *w = (struct composition){.formula = r->piece.simplified,
                                  .as = {.kind = NUMBER_F64,
                                         .bits = 50,
                                         .ways = quotients ? COMPOSE_QUOTIENTS : 0,
                                         .cache = context->cache},
                                  .widens = true,
                                  .patch = start,
                                  .patch_count = 1};
        text_add(&t,
                 "the simplified formula in f64%s; for |x| <= %g x^%u times a polynomial of %u terms, in "
                 "double words",
                 quotients ? ", fractions as quotients" : "", start->width, start->power, start->terms);
        out[count] = (struct candidate){
            .shape = "wide started", .description = t.data, .build = build_composition, .parameters = w};
        if (candidate_finish(&out[count], context)) count++;
    }
    return count;
}

size_t ended_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    struct f64_patch *end = arena_alloc(context->memory, 2 * sizeof *end);
    struct composition *w = arena_alloc(context->memory, sizeof *w);
    struct text t = text_new(context->memory);
    *w = (struct composition){.formula = r->piece.simplified,
                              .as = {.kind = NUMBER_F64, .bits = 50, .cache = context->cache},
                              .widens = true,
                              .patch = end};
    text_add(&t, "the simplified formula in f64");
    for (int side = 1; side >= -1 && room; side -= 2) {
        if (!f64_patch_far(&end[w->patch_count], context->traits->fitted, side)) continue;
        const struct f64_patch *p = &end[w->patch_count++];
        text_add(&t, "; for x %s %g x^-%u times a polynomial of %u terms in 1/x",
                 side > 0 ? ">=" : "<=", side / p->width, p->power, p->terms);
    }
    if (!w->patch_count)
        return no_candidates(context, "wide ended", "no polynomial of 1/x for large x was found");
    *out = (struct candidate){
        .shape = "wide ended", .description = t.data, .build = build_composition, .parameters = w};
    return candidate_finish(out, context);
}
