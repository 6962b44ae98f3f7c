/* Compiles quick.c for long doubles, for which no processor has vectors. On some machines
 * long doubles are no longer than doubles, or are not IEEE numbers. All quick values are unknown there, so
 * the reference is asked. The verdict is then the same, but takes more time. */
#include "ziv.h" /* knows both */

#include <float.h>

#if LDBL_MANT_DIG == 64 || LDBL_MANT_DIG == 113
#define QUICK_LONG
#include "quick.c"
#else
#include "reference.h"

#include <math.h>

void quick_long_clear(struct quick_long *q) { (void)q; }

void reference_quick_long(reference *r, const double *const *inputs, size_t count, long double *value,
                          long double *error)
{
    (void)r, (void)inputs;
    for (size_t i = 0; i < count; i++) value[i] = (long double)NAN, error[i] = (long double)INFINITY;
}
#endif
