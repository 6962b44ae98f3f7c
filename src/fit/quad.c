/* What fits need besides arithmetic: true values, angles, linear equations. */
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

bool quad_solve(quad *rows, unsigned stride, unsigned n, quad least)
{
    for (unsigned column = 0; column < n; column++) {
        quad *own = rows + column * stride, *pivot = own;
        for (quad *row = own; row < rows + n * stride; row += stride)
            if (quad_abs(row[column]) > quad_abs(pivot[column])) pivot = row;
        if (!(quad_abs(pivot[column]) > least)) return false;
        for (unsigned j = 0; j <= n; j++) {
            const quad swap = pivot[j];
            pivot[j] = own[j];
            own[j] = swap;
        }
        for (quad *row = rows; row < rows + n * stride; row += stride) {
            if (row == own) continue;
            const quad factor = row[column] / own[column];
            for (unsigned j = column; j <= n; j++) row[j] -= factor * own[j];
        }
    }
    for (unsigned i = 0; i < n; i++) rows[i * stride + n] /= rows[i * stride + i];
    return true;
}
