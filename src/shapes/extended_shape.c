/* The extended shape: the formula in double words, with polynomials around the roots where its parts cancel.
 * This shape is the most expensive one. It keeps bounds that no other shape keeps, for f64 and, where f64
 * arithmetic is not enough, for f32. */
#include "compose.h"
#include "f64_patch.h"
#include "shape.h"

#include <math.h>

struct extended_shape {
    const expr *formula;
    bool normalized; /* The input has an exponent of its own, so that no intermediate value overflows. */
    unsigned ways;   /* of the composer: COMPOSE_FAR or 0 */
    struct segments **tails; /* two, for all shapes of a search: see struct composer */
    const struct f64_patch *patch;
    unsigned patch_count;
    bool odd; /* The result is rounded to odd, because the caller rounds it to f32. */
};

static lane_value build_extended(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct extended_shape *s = parameters;
    struct composer c = {.program = p, .kind = NUMBER_DOUBLE_WORDS, .ways = s->ways, .tails = s->tails};
    struct number input = number_of_word(x);
    if (s->normalized) input = number_normalized(&c, input);
    const struct number v = compose_expr(&c, s->formula, input);
    lane_value y = s->odd && !v.has_exponent ? number_odd(&c, v) : number_rounded(&c, v);
    for (unsigned i = 0; i < s->patch_count; i++) y = f64_patch_build(&s->patch[i], p, x, y);
    *possible = !c.impossible;
    return y;
}

/* Writes the shape in f64 lanes for f32 arguments and results. */
static lane_value build_narrowed(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    return lane_unary(p, LANE_NARROW, build_extended(parameters, p, lane_unary(p, LANE_WIDEN, x), possible));
}

static const char *text_of(const struct extended_shape *shape)
{
    static const char *const text[2][2] = {
        {"the simplified formula in double words",
         "the simplified formula in double words, polynomials around roots"},
        {"the simplified formula in double words with exponents",
         "the simplified formula in double words with exponents, polynomials around roots"}};
    return text[shape->normalized][shape->patch_count > 0];
}

/* -- polynomials around roots -- */

static bool is_covered(const struct f64_patch *patch, unsigned count, double x)
{
    for (unsigned i = 0; i < count; i++)
        if (fabs(x - patch[i].root) <= patch[i].width / 2) return true;
    return false;
}

/* Fits polynomials around as many of the roots as there is room for. */
static void patch_roots(struct extended_parts *parts, const struct shape_context *context, const double *root,
                        unsigned count)
{
    for (unsigned i = 0; i < count && parts->patch_count < F64_MOST_PATCHES; i++)
        if (!is_covered(parts->patch, parts->patch_count, root[i]) &&
            f64_patch_fit(&parts->patch[parts->patch_count], context->traits->fitted, root[i]))
            parts->patch_count++;
}

static void fit_patches(struct extended_parts *parts, const struct shape_context *context)
{
    unsigned count;
    const double *root = traits_roots(context->traits, &count);
    parts->patch = arena_alloc(context->memory, F64_MOST_PATCHES * sizeof *parts->patch);
    patch_roots(parts, context, root, count);
    patch_roots(parts, context, context->roots, context->root_count);
}

/* The forms that each stage of the search tries. */
enum patching { PLAIN, PATCHED, PATCHED_IF_ANY };
struct form {
    unsigned stage;
    enum patching patching; /* Polynomials around roots. PATCHED needs a root. */
    bool normalized, far;
};
static const struct form forms[] = {
    {5, PLAIN, false, false},
    {5, PLAIN, true, true},
    {6, PATCHED, false, false},
    {6, PATCHED, true, true},
};
static const struct form f64_forms[] = {
    {2, PLAIN, false, false},  {3, PLAIN, true, false},         {4, PATCHED, false, false},
    {4, PATCHED, true, false}, {5, PATCHED_IF_ANY, true, true},
};

/* Makes the shape of a form. Returns false if this function has no such form. For 0.5 ulp of f32, the last
 * stage mends what it can. There the rounding to f32 must see the whole value, and near 0 also its second
 * term. */
static bool make_shape(struct extended_shape *out, const struct form *form,
                       const struct shape_context *context)
{
    struct extended_parts *parts = context->extended;
    const bool is_exact = judge_is_exact(&context->request->piece.bound),
               is_wide = context->request->piece.argument == ELEMENT_F64;
    if (is_exact && !is_wide && form->patching && !context->answers) return false;
    if (form->patching == PATCHED && !parts->patch) fit_patches(parts, context);
    if (form->patching == PATCHED && !parts->patch_count) return false;
    *out = (struct extended_shape){.formula = context->request->piece.simplified,
                                   .normalized = form->normalized,
                                   .ways = form->far ? COMPOSE_FAR : 0,
                                   .tails = parts->tails};
    if (form->patching) {
        out->patch = parts->patch;
        out->patch_count = parts->patch_count;
    } else if (is_exact && !is_wide) {
        struct f64_patch *start = arena_alloc(context->memory, sizeof *start);
        out->odd = true;
        out->patch_count = f64_patch_start(start, context->traits->fitted, 0x1p-4);
        out->patch = start;
    }
    return true;
}

size_t extended_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const bool wide = context->request->piece.argument == ELEMENT_F64;
    const struct form *list = wide ? f64_forms : forms;
    const size_t form_count = wide ? sizeof f64_forms / sizeof *list : sizeof forms / sizeof *list;
    size_t count = 0;
    for (size_t i = 0; i < form_count && count < room; i++) {
        struct extended_shape *own = arena_alloc(context->memory, sizeof *own);
        if (list[i].stage != context->stage) continue;
        if (!make_shape(own, &list[i], context)) {
            no_candidates(context, wide ? "extended" : "wide extended",
                          "no polynomials around roots serve it");
            continue;
        }
        out[count] = (struct candidate){.shape = wide ? "extended" : "wide extended",
                                        .description = text_of(own),
                                        .build = wide ? build_extended : build_narrowed,
                                        .parameters = own};
        if (candidate_finish(&out[count], context)) count++;
    }
    return count;
}
