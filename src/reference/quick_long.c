/* quick_lanes.c and quick.c compiled for long doubles, of which no processor makes vectors. Where they are no
 * longer than doubles, or not IEEE numbers, all quick values are unknown: the reference is asked, with the
 * same verdict after more time. */
#include "ziv.h" /* knows both */

#include <float.h>

#if LDBL_MANT_DIG == 64 || LDBL_MANT_DIG == 113
#define QUICK_LONG
#define QUICK_TABLE quick_ops_long
#include "quick_lanes.c"

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
