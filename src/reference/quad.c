/* Functions beyond arithmetic that traits and fits need: true values and angles. */
#include "quad.h"

bool quad_of_reference(quad *out, reference *truth, double x, unsigned bits)
{
    mpfr_t value;
    mpfr_init2(value, bits + 6);
    const bool known = reference_precise(truth, &x, bits, value) == REFERENCE_DECIDED && mpfr_number_p(value);
    if (known) *out = quad_of_mpfr(value);
    mpfr_clear(value);
    return known;
}

quad quad_cos_pi_over(unsigned n)
{
    enum { TERMS = 20 };
    const quad pi = (quad)3.141592653589793 + (quad)1.2246467991473532e-16;
    quad square = pi / n * (pi / n), term = 1, cosine = 0;
    for (int k = 0; k < TERMS; k++) {
        cosine += term;
        term *= -square / (quad)((2 * k + 1) * (2 * k + 2));
    }
    return cosine;
}
