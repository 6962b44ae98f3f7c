/* The composed shapes: the formula as it stands, in f32 or f64 lanes, one rounding an operation. Formulas without
 * elementary functions are called direct. */
#include "compose.h"
#include "f64_patch.h"
#include "shape.h"

struct composition {
    const expr *formula;
    enum lane_type type;
    unsigned bits;
    bool quotients, far;           /* see struct composer */
    bool widens;                   /* the argument is f32, and the result */
    const struct f64_patch *start; /* near 0, of wide ones; may be NULL */
    struct polynomial_cache *cache;
};

static lane_value build_composition(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct composition *w = parameters;
    const bool wide = w->type == LANE_F64;
    struct composer c = {.program = p,
                         .kind = wide ? NUMBER_F64 : NUMBER_F32,
                         .bits = w->bits,
                         .quotients = w->quotients,
                         .far = w->far,
                         .cache = w->cache};
    const lane_value input = w->widens ? lane_unary(p, LANE_WIDEN, x) : x;
    lane_value y = compose_expr(&c, w->formula, number_of_word(input)).high;
    *possible = !c.impossible && (!w->far || c.has_far);
    if (w->start) y = f64_patch_build(w->start, p, input, y);
    return w->widens ? lane_unary(p, LANE_NARROW, y) : y;
}

/* Which compositions there are: stage of the search, shape, formula as written or simplified, type, bits of the
 * polynomials. `direct` is for formulas without elementary functions only, the others for the rest. */
struct row {
    unsigned stage;
    const char *shape, *description;
    bool direct, written;
    enum lane_type type;
    unsigned bits;
    bool quotients, far; /* of the formula's fractions; see struct composer */
};
static const struct row compositions[] = {
    {0, "direct", "the formula as written, in f32", true, true, LANE_F32, 0, false, false},
    {0, "direct", "the simplified formula, in f32", true, false, LANE_F32, 0, false, false},
    {0, "composed", "the simplified formula in f32, functions to 2^-8", false, false, LANE_F32, 8, false,
     false},
    {0, "composed", "the simplified formula in f32, functions to 2^-12", false, false, LANE_F32, 12, false,
     false},
    {0, "composed", "the simplified formula in f32, functions to 2^-16", false, false, LANE_F32, 16, false,
     false},
    {0, "composed", "the simplified formula in f32, functions to 2^-20", false, false, LANE_F32, 20, false,
     false},
    {0, "composed", "the simplified formula in f32, functions to 2^-24", false, false, LANE_F32, 24, false,
     false},
    {0, "composed", "the simplified formula in f32, functions to 2^-27", false, false, LANE_F32, 27, false,
     false},
    {0, "composed", "the simplified formula in f32, functions to 2^-8, of any size", false, false, LANE_F32,
     8, false, true},
    {0, "composed", "the simplified formula in f32, functions to 2^-12, of any size", false, false, LANE_F32,
     12, false, true},
    {0, "composed", "the simplified formula in f32, functions to 2^-16, of any size", false, false, LANE_F32,
     16, false, true},
    {0, "composed", "the simplified formula in f32, functions to 2^-20, of any size", false, false, LANE_F32,
     20, false, true},
    {0, "composed", "the simplified formula in f32, functions to 2^-24, of any size", false, false, LANE_F32,
     24, false, true},
    {0, "composed", "the simplified formula in f32, functions to 2^-27, of any size", false, false, LANE_F32,
     27, false, true},
    {1, "wide composed", "the simplified formula in f64, functions to 2^-32", false, false, LANE_F64, 32,
     false, false},
    {2, "wide composed", "the simplified formula in f64, functions to 2^-42", false, false, LANE_F64, 42,
     false, false},
    {3, "wide composed", "the simplified formula in f64, functions to 2^-50", false, false, LANE_F64, 50,
     false, false},
    {1, "wide direct", "the formula as written, in f64", true, true, LANE_F64, 50, false, false},
    {2, "wide direct", "the simplified formula, in f64", true, false, LANE_F64, 50, false, false},
    {4, "wide composed", "the simplified formula in f64, fractions as quotients", false, false, LANE_F64, 50,
     true, false},
    {3, "wide direct", "the simplified formula in f64, fractions as quotients", true, false, LANE_F64, 50,
     true, false},
};
static const struct row f64_compositions[] = {
    {0, "direct", "the formula as written, in f64", true, true, LANE_F64, 50, false, false},
    {0, "direct", "the simplified formula, in f64", true, false, LANE_F64, 50, false, false},
    {0, "composed", "the simplified formula, in f64, functions to 2^-32", false, false, LANE_F64, 32, false,
     false},
    {0, "composed", "the simplified formula, in f64, functions to 2^-42", false, false, LANE_F64, 42, false,
     false},
    {0, "composed", "the simplified formula, in f64", false, false, LANE_F64, 50, false, false},
};

/* In f64 the functions lose their last bits, which an absolute bound may allow; sin and cos of large numbers lose all. */
static bool suits_f64(const struct plan_request *r, const struct row *row)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(r->dag), r->simplified, &count);
    bool turns = false;
    for (uint32_t i = 0; i < count; i++)
        turns = turns || nodes[i]->kind == EXPR_sin || nodes[i]->kind == EXPR_cos;
    return row->direct || (r->bound.kind == BOUND_ABS && !turns);
}

size_t composed_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    const bool wide = r->argument == ELEMENT_F64;
    const struct row *rows = wide ? f64_compositions : compositions;
    const size_t row_count = wide ? sizeof f64_compositions / sizeof *f64_compositions
                                  : sizeof compositions / sizeof *compositions;
    size_t count = 0;
    for (const struct row *row = rows; row < rows + row_count && count < room; row++) {
        if (row->stage != context->stage || row->direct != context->algebraic) continue;
        if (wide && !suits_f64(r, row)) continue;
        struct composition *w = arena_alloc(context->memory, sizeof *w);
        *w = (struct composition){.formula = row->written ? r->written : r->simplified,
                                  .type = row->type,
                                  .bits = row->bits,
                                  .quotients = row->quotients,
                                  .far = row->far,
                                  .widens = !wide && row->type == LANE_F64,
                                  .cache = context->cache};
        out[count] = (struct candidate){.shape = row->shape,
                                        .description = row->description,
                                        .build = build_composition,
                                        .parameters = w,
                                        .many_roundings = true};
        if (candidate_finish(&out[count], r, context->truth)) count++;
    }
    return count;
}

/* Candidates are the formula in f64 with a polynomial in double words near 0, the wider in the later stage. */
size_t started_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    enum { NARROW_STAGE = 3 };
    const bool is_late = context->stage > NARROW_STAGE;
    const struct plan_request *r = context->request;
    struct f64_patch *start = arena_alloc(context->memory, sizeof *start);
    size_t count = 0;
    if (!f64_patch_start(start, context->fitted, is_late ? 0.5 : 0x1p-4)) return 0;
    for (int quotients = 0; quotients <= (is_late ? 1 : 0) && count < room; quotients++) {
        struct composition *w = arena_alloc(context->memory, sizeof *w);
        struct text t = text_new(context->memory);
        *w = (struct composition){r->simplified, LANE_F64, 50, quotients, false, true, start, context->cache};
        text_add(&t,
                 "the simplified formula in f64%s; for |x| <= %g x^%u times a polynomial of %u terms, in "
                 "double words",
                 quotients ? ", fractions as quotients" : "", start->width, start->power, start->terms);
        out[count] = (struct candidate){
            .shape = "wide started", .description = t.data, .build = build_composition, .parameters = w};
        if (candidate_finish(&out[count], r, context->truth)) count++;
    }
    return count;
}
