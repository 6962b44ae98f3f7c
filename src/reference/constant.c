/* Values of constant expressions. */
#include "reference.h"

void reference_constant(mpfr_t out, const expr *e, unsigned bits)
{
    double none = 0;
    reference *truth = e->kind == EXPR_INFINITY ? NULL : reference_create(e, e, 0);
    if (!truth || reference_precise(truth, &none, bits, out) != REFERENCE_DECIDED) {
        /* A zero has no correct bits, so reference_precise does not decide it. reference_value does. */
        if (e->kind == EXPR_INFINITY)
            mpfr_set_inf(out, 1);
        else if (!truth || reference_value(truth, &none, &none, NULL) != REFERENCE_DECIDED)
            mpfr_set_nan(out);
        else
            mpfr_set_d(out, none, MPFR_RNDN);
    }
    reference_free(truth);
}
