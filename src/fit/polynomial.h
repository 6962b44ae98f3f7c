/* Polynomials, fitted on demand, for the few functions from which every elementary function is composed. */
#ifndef ACTGEN_POLYNOMIAL_H
#define ACTGEN_POLYNOMIAL_H

#include "fit.h"
#include "lane.h"

/* The kernels. Each is smooth on its interval. `x` is the polynomial's variable. */
enum kernel_function {
    KERNEL_EXPM1, /* (expm1(x) - x) / x^2, |x| <= ln(2)/2 */
    /* (2 atanh(sqrt x) / sqrt x - 2) / x, 0 <= x <= (3 - 2 sqrt 2)^2: for log on [sqrt(1/2), sqrt 2] */
    KERNEL_ATANH,
    KERNEL_LOG1P, /* the same function, 0 <= x <= 1/9: for log1p on [0, 1] */
    /* (log1p(x) / x - 1) / x, for log by a table of 8, 16 and 32 reciprocals. By n of them, -1/(2 n) <= x <=
     * 1/n. */
    KERNEL_LOG_BY_8,
    KERNEL_LOG_BY_16,
    KERNEL_LOG_BY_32,
    KERNEL_ERF,    /* erf(sqrt x) / sqrt x, 0 <= x <= 1 */
    KERNEL_ERFCX,  /* exp(a^2) erfc(a) with a = 2 (1 + x) / (1 - x), 0 <= a <= 26.46 */
    KERNEL_ERFINV, /* erfinv(a) / a with a^2 = 1 - exp(-8 (1 + x) / (1 - x)), 0 <= a^2 <= 1 - 2^-52 */
    KERNEL_SIN,    /* (sin(sqrt x) / sqrt x - 1) / x, 0 <= x <= (pi/4)^2 */
    KERNEL_COS,    /* (cos(sqrt x) - 1 + x/2) / x^2, 0 <= x <= (pi/4)^2 */
    KERNEL_ATAN,   /* (atan(sqrt x) / sqrt x - 1) / x, 0 <= x <= tan(pi/8)^2 */
    KERNEL_TAN,    /* (tan(sqrt x) / sqrt x - 1) / x, 0 <= x <= (pi/4)^2 */
    /* binet(w) (w + 1/2), (log w - digamma(w)) (w + 1/2) and trigamma(w) (w + 1/2), where w = (3 + x)/(2 - 2
     * x), 1/2 <= w. binet(w) is log gamma(w) less (w - 1/2)(log w - 1) + (log(2 pi) - 1)/2. */
    KERNEL_LGAMMA,
    KERNEL_DIGAMMA,
    KERNEL_TRIGAMMA,
    KERNEL_HALF_TURN, /* KERNEL_SIN's function, 0 <= x <= (pi/2)^2: for a quarter of a turn to each side */
    KERNEL_COUNT
};

/* Computes the kernel's value to about 120 bits, or its limit at 0. x may lie outside of the interval.
 * `kernel` points to a kernel_function. Always returns true. */
bool polynomial_kernel(void *kernel, mpfr_t y, mpfr_srcptr x);

/* Sets the interval of x on which the kernel is approximated. */
void polynomial_interval(enum kernel_function kernel, double *low, double *high);

/* Returns the largest number of bits to which FIT_MAX_TERMS terms follow the kernel. */
unsigned polynomial_most_bits(enum kernel_function kernel);

struct polynomial {
    unsigned degree;
    double error;                      /* the largest relative error on the interval, for exact sums */
    double coefficient[FIT_MAX_TERMS]; /* coefficients of x^k */
};

/* The polynomials made so far in one compilation. */
struct polynomial_cache {
    arena *memory;
    const struct polynomial *entry[KERNEL_COUNT][2][64]; /* kernel, f32 or f64, bits */
};

/* Returns a polynomial with a relative error of at most 2^-bits before rounding, as far as the type has these
 * bits. */
const struct polynomial *polynomial_find(struct polynomial_cache *cache, enum kernel_function kernel,
                                         enum lane_type type, unsigned bits);

/* Fits such a polynomial. polynomials.def holds the results of this function. The test of that file writes
 * the file. */
const struct polynomial *polynomial_fit(arena *memory, enum kernel_function kernel, enum lane_type type,
                                        unsigned bits);

#endif
