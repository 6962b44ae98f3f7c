/* Formulas in double words as candidates, for f32 results: f64_plan.c makes those of f64. */
#include "extended_shape.h"
#include "changes.h"
#include "compose.h"
#include "float_bits.h"
#include "shape.h"

#include <math.h>

lane_value extended_shape_build(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct extended_shape *s = parameters;
    struct composer c = {.program = p, .kind = NUMBER_DOUBLE_WORDS, .far = s->far, .tails = s->tails};
    struct number input = number_of_word(x);
    if (s->normalized) input = number_normalized(&c, input);
    const struct number v = compose_expr(&c, s->formula, input);
    lane_value y = s->odd && !v.has_exponent ? number_odd(&c, v) : number_rounded(&c, v);
    for (unsigned i = 0; i < s->patch_count; i++) y = f64_patch_build(&s->patch[i], p, x, y);
    *possible = !c.impossible;
    return y;
}

const char *extended_shape_text(const struct extended_shape *shape)
{
    static const char *const text[2][2] = {
        {"the simplified formula in double words",
         "the simplified formula in double words, polynomials around roots"},
        {"the simplified formula in double words with exponents",
         "the simplified formula in double words with exponents, polynomials around roots"}};
    return text[shape->normalized][shape->patch_count > 0];
}

static bool is_covered(const struct f64_patch *patch, unsigned count, double x)
{
    for (unsigned i = 0; i < count; i++)
        if (fabs(x - patch[i].root) <= patch[i].width / 2) return true;
    return false;
}

void extended_shape_patch(struct extended_shape *shape, arena *memory, reference *truth,
                          const struct extended_roots *roots)
{
    struct f64_patch *patch = arena_alloc(memory, F64_MOST_PATCHES * sizeof *patch);
    unsigned count = 0;
    for (unsigned i = 0; i < roots->count && count < F64_MOST_PATCHES; i++)
        if (!is_covered(patch, count, roots->at[i]) && f64_patch_fit(&patch[count], truth, roots->at[i]))
            count++;
    shape->patch = patch;
    shape->patch_count = count;
}

/* -- for f32 -- */

static lane_value build_narrowed(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const lane_value y = extended_shape_build(parameters, p, lane_unary(p, LANE_WIDEN, x), possible);
    return lane_unary(p, LANE_NARROW, y);
}

static void quick_values(void *context, const float *x, double *values, size_t count)
{
    double lanes[SCAN_BLOCK], error[SCAN_BLOCK];
    const double *inputs[1] = {lanes};
    for (size_t i = 0; i < count; i++) lanes[i] = (double)x[i];
    reference_quick(context, inputs, count, values, error);
}

void extended_find_roots(struct extended_roots *roots, reference *truth)
{
    enum { ROOM = EXTENDED_MOST_ROOTS / 2 };
    uint32_t places[2 * ROOM];
    double zero = 0, value;
    *roots = (struct extended_roots){.count = 0};
    if (reference_value(truth, &zero, &value, NULL) == REFERENCE_DECIDED && value == 0)
        roots->at[roots->count++] = 0;
    size_t count = changes_find(places, ROOM, quick_values, truth);
    count += changes_find_touching(places + count, ROOM, quick_values, truth);
    for (size_t i = 0; i < count && roots->count < ROOM; i++) {
        const double x = (double)f32_of_bits(places[i]);
        const bool is_root =
            reference_value(truth, &x, &value, NULL) == REFERENCE_DECIDED && fabs(value) < 0x1p-10;
        if (is_root && fabs(x) > 0x1p-60) roots->at[roots->count++] = x;
    }
}

size_t extended_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    arena *memory = context->memory;
    struct extended_shape shape = {.formula = context->request->simplified};
    struct extended_roots roots;
    size_t count = 0;
    const bool is_exact = judge_is_exact(&context->request->bound),
               is_last = context->stage == PLAN_LAST_STAGE;
    if (is_exact && is_last && !context->answers) return 0;
    shape.tails = arena_alloc(memory, 2 * sizeof *shape.tails);
    if (is_last) {
        extended_find_roots(&roots, context->fitted);
        extended_shape_patch(&shape, memory, context->fitted, &roots);
        if (!shape.patch_count) return 0;
    }
    if (is_exact && !is_last) {
        struct f64_patch *start = arena_alloc(memory, sizeof *start);
        shape.odd = true;
        shape.patch_count = f64_patch_start(start, context->fitted, 0x1p-4);
        shape.patch = start;
    }
    for (int normalized = 0; normalized < 2 && count < room; normalized++) {
        struct extended_shape *own = arena_alloc(memory, sizeof *own);
        *own = shape;
        own->normalized = own->far = normalized;
        out[count] = (struct candidate){.shape = "wide extended",
                                        .description = extended_shape_text(own),
                                        .build = build_narrowed,
                                        .parameters = own};
        if (candidate_finish(&out[count], context->request, context->truth)) count++;
    }
    return count;
}
