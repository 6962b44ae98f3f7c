/* Interpreter against the reference of several inputs. */
#include "whole.h"

#include "bits.h"
#include "interp.h"
#include "judge.h"

#include <math.h>
#include <stdlib.h>

struct whole {
    interp *interpreter;
    reference *truth;
    float *lanes; /* an array an operand */
    void **operands;
    double *inputs;
};

static bool whole_init(struct whole *w, const struct verify_subject *subject,
                       const struct verify_result *result)
{
    const size_t count = subject->kernel->operand_count;
    w->interpreter = interp_create(subject->kernel->program);
    w->truth = reference_create(result->written, result->simplified, (unsigned)count);
    w->lanes = malloc((count + 1) * BITS_BLOCK * sizeof *w->lanes);
    w->operands = malloc((count + 1) * sizeof *w->operands);
    w->inputs = malloc((count + 1) * sizeof *w->inputs);
    return w->interpreter && w->truth && w->lanes && w->operands && w->inputs;
}

static void whole_clear(struct whole *w)
{
    interp_free(w->interpreter);
    reference_free(w->truth);
    free(w->lanes);
    free(w->operands);
    free(w->inputs);
}

static double largest(struct whole *w, const struct lane_kernel *kernel, uint32_t operand, uint64_t seed,
                      size_t count)
{
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        w->operands[k] = w->lanes + (size_t)k * BITS_BLOCK;
        for (size_t n = 0; n < count; n++) ((float *)w->operands[k])[n] = bits_normal(seed, k, n);
        w->inputs[k] = 0;
    }
    /* Inputs are read again below: the results have arrays of their own. */
    interp_run(w->interpreter, w->operands, count);
    double most = 0;
    for (size_t n = 0; n < count; n++) {
        for (uint32_t k = 0; k < kernel->operand_count; k++)
            if (!kernel->operands[k].is_result) w->inputs[k] = (double)((float *)w->operands[k])[n];
        double exact;
        if (reference_value(w->truth, w->inputs, &exact, NULL) != REFERENCE_DECIDED) continue;
        const double ulps = judge_ulps((double)((float *)w->operands[operand])[n], exact);
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
