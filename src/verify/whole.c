/* Interpreter against the reference of several inputs. */
#include "whole.h"

#include "bits.h"
#include "element.h"
#include "interp.h"

#include <stdlib.h>

struct whole {
    interp *interpreter;
    reference *truth;
    unsigned char *elements; /* an array an operand */
    struct kernel_row *rows;
    double *inputs;
    mpfr_t exact;
};

enum { BITS = 160 };

static bool whole_init(struct whole *w, const struct verify_subject *subject,
                       const struct verify_result *result)
{
    const size_t count = (size_t)subject->kernel->operand_count + subject->kernel->draw_count;
    mpfr_init2(w->exact, BITS);
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
    mpfr_clear(w->exact);
}

/* What saturates is right where the exact value is beyond the type's ends. */
static bool is_saturated(enum element_type type, double computed, double exact)
{
    const double least = element_least(type), most = element_most(type);
    return (computed == least && exact <= least) || (computed == most && exact >= most) ||
           (computed == 0 && isnan(exact));
}

/* In ulps of the type at the exact value: what is not finite has an error of infinity, or none. */
static double error_in_ulps(struct whole *w, enum element_type type, double computed, double exact)
{
    const struct float_format *f = &element_types[type].format;
    if (element_is_integer(type) && is_saturated(type, computed, exact)) return 0;
    if (isnan(computed) || isnan(exact)) return isnan(computed) && isnan(exact) ? 0 : INFINITY;
    if ((isinf(computed) || fabs(computed) == float_limit(f)) && fabs(exact) >= float_limit(f))
        return signbit(computed) == signbit(exact) ? 0 : INFINITY;
    if (isinf(computed) || isinf(exact)) return INFINITY;
    if (reference_precise(w->truth, w->inputs, BITS - 4, w->exact) != REFERENCE_DECIDED) return 0;
    const long exponent = mpfr_zero_p(w->exact) ? f->min_exponent : mpfr_get_exp(w->exact) - 1;
    mpfr_sub_d(w->exact, w->exact, computed, MPFR_RNDN);
    mpfr_mul_2si(w->exact, w->exact, -float_spacing_exponent(f, exponent), MPFR_RNDN);
    return fabs(mpfr_get_d(w->exact, MPFR_RNDN));
}

static double largest(struct whole *w, const struct lane_kernel *kernel, uint32_t operand, uint64_t seed,
                      size_t count)
{
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const enum element_type type = kernel->operands[k].type;
        /* Inputs are read again below: the results have arrays of their own. */
        w->rows[k] = (struct kernel_row){w->elements + (size_t)k * BITS_BLOCK * sizeof(double), 1};
        for (size_t n = 0; n < count; n++)
            element_set(w->rows[k].data, type, n,
                        type == ELEMENT_U64 ? seed + k
                                            : element_types[type].near(samples_normal(k, seed, n)));
    }
    bits_draw_rows(
        kernel, w->rows,
        (float *)(void *)(w->elements + (size_t)kernel->operand_count * BITS_BLOCK * sizeof(double)), count);
    interp_run_row(w->interpreter, w->rows, count);
    double most = 0;
    for (size_t n = 0; n < count; n++) {
        for (uint32_t k = 0; k < kernel->operand_count + kernel->draw_count; k++) {
            const enum element_type type = kernel->operands[k].type;
            if (!kernel->operands[k].is_result && type != ELEMENT_U64)
                w->inputs[k] = element_types[type].value(element_get(w->rows[k].data, type, n));
        }
        double exact;
        if (reference_value(w->truth, w->inputs, &exact, NULL) != REFERENCE_DECIDED) continue;
        const enum element_type type = kernel->operands[operand].type;
        const double computed = element_types[type].value(element_get(w->rows[operand].data, type, n));
        const double ulps = error_in_ulps(w, type, computed, exact);
        if (ulps > most) most = ulps;
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
