/* The few functions that every elementary function is composed of, as polynomials fitted on demand. */
#ifndef ACTGEN_POLYNOMIAL_H
#define ACTGEN_POLYNOMIAL_H

#include "fit.h"
#include "lane.h"

/* Each is smooth on its interval; `x` is the polynomial's variable. */
enum kernel_function {
    KERNEL_EXPM1, /* (expm1(x) - x) / x^2, |x| <= ln(2)/2 */
    KERNEL_ATANH, /* (2 atanh(sqrt x) / sqrt x - 2) / x, 0 <= x <= (3 - 2 sqrt 2)^2: log of [sqrt(1/2), sqrt
                     2] */
    KERNEL_LOG1P, /* the same, 0 <= x <= 1/9: log1p of [0, 1] */
    KERNEL_ERF,   /* erf(sqrt x) / sqrt x, 0 <= x <= 1 */
    KERNEL_ERFCX, /* exp(a^2) erfc(a) with a = 2 (1 + x) / (1 - x), 0 <= a <= 26.46 */
    KERNEL_SIN,   /* (sin(sqrt x) / sqrt x - 1) / x, 0 <= x <= (pi/4)^2 */
    KERNEL_COS,   /* (cos(sqrt x) - 1 + x/2) / x^2, 0 <= x <= (pi/4)^2 */
    KERNEL_ATAN,  /* (atan(sqrt x) / sqrt x - 1) / x, 0 <= x <= tan(pi/8)^2 */
    KERNEL_COUNT
};

/* Writes the function's value to some 120 bits, or its limit at 0; also beyond the interval. `kernel` points
 * to the enum. Always true. */
bool polynomial_kernel(void *kernel, mpfr_t y, mpfr_srcptr x);

/* Where the function is approximated: x from `*low` to `*high`. */
void polynomial_interval(enum kernel_function kernel, double *low, double *high);

struct polynomial {
    unsigned degree;
    double error;                      /* the largest relative one on the interval, of exact sums */
    double coefficient[FIT_MAX_TERMS]; /* of x^k */
};

/* Polynomials made so far in one compilation. */
struct polynomial_cache {
    arena *memory;
    const struct polynomial *entry[KERNEL_COUNT][2][64]; /* kernel, f32 or f64, bits */
};

/* With a relative error of at most 2^-bits before rounding, as far as the type has them. */
const struct polynomial *polynomial_find(struct polynomial_cache *cache, enum kernel_function kernel,
                                         enum lane_type type, unsigned bits);

/* Returns it by a fit, whose results polynomials.def holds: the test of that file writes it. */
const struct polynomial *polynomial_fit(arena *memory, enum kernel_function kernel, enum lane_type type,
                                        unsigned bits);

#endif
