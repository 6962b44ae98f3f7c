/* Compares bounds, and writes them as short text, for messages and certificates. */
#include "spec.h"

#include <math.h>
#include <stdio.h>

bool spec_bound_equal(const struct spec_bound *a, const struct spec_bound *b)
{
    return a->kind == b->kind && a->value == b->value && a->has_interval == b->has_interval &&
           (!a->has_interval || (a->low == b->low && a->high == b->high));
}

void spec_bound_text(char out[SPEC_BOUND_TEXT_SIZE], const struct spec_bound *bound)
{
    double value = bound->kind == BOUND_DEFAULT ? (double)SPEC_DEFAULT_ULP : bound->value;
    int exponent, used;
    if (bound->kind != BOUND_ABS)
        used = snprintf(out, SPEC_BOUND_TEXT_SIZE, "%.9g ulp", value);
    else if (frexp(value, &exponent) == 0.5)
        used = snprintf(out, SPEC_BOUND_TEXT_SIZE, "abs 2^%d", exponent - 1);
    else
        used = snprintf(out, SPEC_BOUND_TEXT_SIZE, "abs %.9g", value);
    if (bound->has_interval)
        snprintf(out + used, SPEC_BOUND_TEXT_SIZE - (size_t)used, " on [%.9g, %.9g]", bound->low,
                 bound->high);
}
