/* What quick_math.h has, of long doubles, by libm: see quick.h. */
#ifndef ACTGEN_QUICK_LONG_MATH_H
#define ACTGEN_QUICK_LONG_MATH_H

#include <float.h>
#include <string.h>
#include <tgmath.h> /* fabs, sqrt, sin, ... are those of the argument's type */

#define QUICK_INLINE static inline

QUICK_INLINE quick_real quick_exp_value(quick_real x) { return exp(x); }
QUICK_INLINE quick_real quick_expm1_value(quick_real x) { return expm1(x); }
QUICK_INLINE quick_real quick_tanh_value(quick_real x) { return tanh(x); }
QUICK_INLINE quick_real quick_erf_value(quick_real x) { return erf(x); }
QUICK_INLINE quick_real quick_erfc_value(quick_real x) { return erfc(x); }
QUICK_INLINE quick_real quick_log1p_of_unit(quick_real x) { return log1p(x); }

/* NaN unless 0 < x < infinity. */
QUICK_INLINE quick_real quick_log_value(quick_real x) { return x > 0 && x < INFINITY ? log(x) : NAN; }

/* NaN unless -1 < x < infinity. */
QUICK_INLINE quick_real quick_log1p_value(quick_real x) { return x > -1 && x < INFINITY ? log1p(x) : NAN; }

#endif
