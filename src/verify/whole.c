/* Compares the interpreter with the reference of several inputs. */
#include "whole.h"

#include "bits.h"
#include "element.h"
#include "interp.h"

#include <stdlib.h>

struct whole {
    interp *interpreter;
    reference *truth;
    unsigned char *elements; /* one array per operand */
    struct kernel_row *rows;
    double *inputs;
};

static bool whole_init(struct whole *w, const struct verify_subject *subject,
                       const struct verify_result *result)
{
    const size_t count = (size_t)subject->kernel->operand_count + subject->kernel->made_count;
    w->interpreter = interp_create_kernel(subject->kernel);
    w->truth = reference_create(result->written, result->simplified, (unsigned)count);
    w->elements = malloc((count + 1) * BITS_BLOCK * sizeof(double));
    w->rows = malloc((count + 1) * sizeof *w->rows);
    w->inputs = calloc(count + 1, sizeof *w->inputs);
    return w->interpreter && w->truth && w->elements && w->rows && w->inputs;
}

static void whole_clear(struct whole *w)
{
    interp_free(w->interpreter);
    reference_free(w->truth);
    free(w->elements);
    free(w->rows);
    free(w->inputs);
}

/* Returns true if a saturated result is right, because the exact value is beyond the type's ends, or
 * is NaN and becomes 0. */
static bool is_saturated(enum element_type type, double computed, const struct exact_value *e)
{
    const double least = element_least(type), most = element_most(type),
                 exact = ldexp(e->high, (int)fmax(-4096, fmin(4096, (double)e->exponent)));
    return (computed == least && exact <= least) || (computed == most && exact >= most) ||
           (isnan(exact) && computed == element_types[type].value(element_types[type].near(exact)));
}

static double largest(struct whole *w, const struct lane_kernel *kernel, uint32_t operand, uint64_t seed,
                      size_t count)
{
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const enum element_type type = kernel->operands[k].type;
        /* The inputs are read again below, so results have arrays of their own. */
        w->rows[k] = (struct kernel_row){w->elements + (size_t)k * BITS_BLOCK * sizeof(double), 1, 0};
        for (size_t n = 0; n < count; n++)
            element_set(w->rows[k].data, type, n,
                        type == ELEMENT_U64 ? seed + k
                                            : element_types[type].near(samples_normal(k, seed, n)));
    }
    bits_make_rows(
        kernel, w->rows,
        (float *)(void *)(w->elements + (size_t)kernel->operand_count * BITS_BLOCK * sizeof(double)), count);
    interp_run_row(w->interpreter, w->rows, count);
    double most = 0;
    for (size_t n = 0; n < count; n++) {
        for (uint32_t k = 0; k < kernel->operand_count + kernel->made_count; k++) {
            const enum element_type type = kernel->operands[k].type;
            if (!kernel->operands[k].is_result && type != ELEMENT_U64)
                w->inputs[k] = element_types[type].value(element_get(w->rows[k].data, type, n));
        }
        struct exact_value exact;
        exact_value_find(&exact, w->truth, w->inputs);
        const enum element_type type = kernel->operands[operand].type;
        const double computed = element_types[type].value(element_get(w->rows[operand].data, type, n));
        if (exact.undecided || (!element_has_nan(type) && is_saturated(type, computed, &exact))) continue;
        most = fmax(most, result_error_of(&element_types[type].format, computed, &exact, 0, false).ulp);
    }
    return most;
}

double whole_error(const struct verify_subject *subject, uint32_t result, uint64_t seed, size_t count)
{
    struct whole w = {0};
    double most = -1;
    if (whole_init(&w, subject, &subject->results[result]))
        most = largest(&w, subject->kernel, subject->results[result].operand, seed, count);
    whole_clear(&w);
    return most;
}
