/* Compares bounds, and writes them as short text, for messages and certificates. */
#include "spec.h"
#include "text.h"

#include <math.h>
#include <stdio.h>

bool spec_bound_equal(const struct spec_bound *a, const struct spec_bound *b)
{
    return a->kind == b->kind && a->value == b->value && a->flush == b->flush &&
           a->has_interval == b->has_interval &&
           (!a->has_interval || (a->low == b->low && a->high == b->high));
}

void spec_bound_text(char out[SPEC_BOUND_TEXT_SIZE], const struct spec_bound *bound)
{
    enum { LEAST_DIGITS = 9 }; /* so that 100000 is not 1e+05 */
    const double value = bound->kind == BOUND_DEFAULT ? (double)SPEC_DEFAULT_ULP : bound->value;
    char digits[DOUBLE_TEXT_SIZE], low[DOUBLE_TEXT_SIZE], high[DOUBLE_TEXT_SIZE];
    int exponent, used;
    double_text(digits, value, LEAST_DIGITS);
    if (bound->kind != BOUND_ABS)
        used = snprintf(out, SPEC_BOUND_TEXT_SIZE, "%s ulp%s", digits, bound->flush ? " flush" : "");
    else if (frexp(value, &exponent) == 0.5)
        used = snprintf(out, SPEC_BOUND_TEXT_SIZE, "abs 2^%d", exponent - 1);
    else
        used = snprintf(out, SPEC_BOUND_TEXT_SIZE, "abs %s", digits);
    if (!bound->has_interval) return;
    double_text(low, bound->low, LEAST_DIGITS);
    double_text(high, bound->high, LEAST_DIGITS);
    snprintf(out + used, SPEC_BOUND_TEXT_SIZE - (size_t)used, " on [%s, %s]", low, high);
}
