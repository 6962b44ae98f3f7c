/* erf and its relatives, in the way and with the error bounds of quick_math.h. */
#ifndef ACTGEN_QUICK_ERF_H
#define ACTGEN_QUICK_ERF_H

#include "quick_math.h"

/* Computes exp(x^2) erfc(x) for 0 <= x <= QUICK_LARGEST_ERFC, within 18 u.
 *
 * The polynomial P in t has its largest roundings at t = -1, where P is 4 and its terms have one sign. They
 * are 4.6 u of P by Horner's rule, 0.9 u by t^2 and u by the coefficients. The error of t, 4 u, counts
 * 1.8-fold there (t P'/P), 7.1 u. The inverse adds 2 u, and the product u. Towards t = 1, where the signs
 * alternate, P's roundings grow to 10 u. The error of t counts for less than 2 u there. */
QUICK_INLINE quick_real quick_erfc_scaled(quick_real x)
{
    static const quick_real coefficients[] = {ERFC_COEFFICIENTS};
    const quick_real inverse = 1 / (x + 4);
    return QUICK_POLYNOMIAL(coefficients, (x - 4) * inverse) * inverse;
}

/* Computes exp(sign x^2), within 4 u. The square is split so that its error is not magnified. */
QUICK_INLINE quick_real quick_exp_of_square(quick_real x, quick_real sign)
{
    const quick_real high = quick_leading(x);
    return quick_exp_of_sum(sign * (high * high), sign * ((x - high) * (x + high)));
}

/* Computes erfc for x >= 0, within 23 u: those of the scaled function, of exp and of the product. */
QUICK_INLINE quick_real quick_erfc_right(quick_real x)
{
    const quick_real cut = x < QUICK_LARGEST_ERFC ? x : QUICK_LARGEST_ERFC;
    return quick_erfc_scaled(cut) * quick_exp_of_square(cut, -1);
}

/* Computes erfc. For x < 0 it is 2 - erfc(-x) >= 1. */
QUICK_INLINE quick_real quick_erfc_value(quick_real x)
{
    const quick_real right = quick_erfc_right(fabs(x));
    return (x < 0 ? 2 - right : right) + 0 * x;
}

/* Computes erf within 8 u. Below 1, the square's u counts for 0.5 u. Horner's rule, whose terms fall from
 * 1.13 and 0.38, counts for 3 u. The coefficients count for 2 u and the product for u. Beyond 1, erfc(1) =
 * 0.157 with 22 u is 4.1 u of the value, and the difference adds u. */
QUICK_INLINE quick_real quick_erf_value(quick_real x)
{
    static const quick_real coefficients[] = {ERF_COEFFICIENTS};
    const quick_real small = x * QUICK_POLYNOMIAL(coefficients, x * x);
    const quick_real large = copysign(1 - quick_erfc_right(fabs(x)), x);
    return fabs(x) < 1 ? small : large + 0 * x;
}

/* Computes exp(x^2) erfc(x), within 18 u. Far out it is (1 - t + 3 t^2 - 15 t^3 ...) / (x sqrt(pi)) with
 * t = 1/(2 x^2) < 2^-10.6. The first term left out is below u/8. For x < 0 it is exp(x^2) (1 + erf |x|),
 * where exp has 4 u, erf adds 4 u, and the sum and the product add u each. */
QUICK_INLINE quick_real quick_erfcx_value(quick_real x)
{
    static const quick_real series[] = {-135135, 10395, -945, 105, -15, 3, -1, 1};
    const quick_real size = fabs(x), cut = size < QUICK_LARGEST_ERFC ? size : QUICK_LARGEST_ERFC;
    const quick_real far = QUICK_POLYNOMIAL(series, 1 / (2 * (size * size))) * (1 / QUICK_ROOT_PI) / size;
    const quick_real left = quick_exp_of_square(cut, 1) * (1 + quick_erf_value(cut));
    const quick_real right = size < QUICK_LARGEST_ERFC ? quick_erfc_scaled(cut) : far;
    return x < 0 ? (size < QUICK_LARGEST_ERFC ? left : (quick_real)INFINITY) : right + 0 * x;
}

/* Makes one step of Halley's method towards the y > 0 with erf(y) = x, where `rest` is 1 - x. An error of e y
 * becomes one of less than y^2 e^3. The value of erf counts below 0.8 (y < 0.91), that of erfc beyond. */
QUICK_INLINE quick_real quick_erfinv_step(quick_real y, quick_real x, quick_real rest)
{
    static const quick_real coefficients[] = {ERF_COEFFICIENTS};
    const quick_real below = x - y * QUICK_POLYNOMIAL(coefficients, y * y);
    const quick_real missing = x < (quick_real)0.8 ? below : quick_erfc_right(y) - rest;
    const quick_real u = missing * (QUICK_ROOT_PI / 2) * quick_exp_value(y * y);
    return y + u / (1 - y * u);
}

/* Computes the inverse of erf within 16 u. It starts from y with an error of 2^-8 y, by the series at 0 or by
 * Winitzki's formula, and three steps leave less than u/8. The value of erf, with 8 u, is divided by y
 * erf'(y). This is 0.45 at 0.8, so that 8 u of 0.8 become 14.3 u. The value of erfc, with 23 u, is 0.2 there
 * and counts less. y is rounded once more. NaN from 1 on. */
QUICK_INLINE quick_real quick_erfinv_value(quick_real x)
{
    const quick_real size = fabs(x), rest = 1 - size, z = size * size;
    const quick_real near = size * (0.8862 + z * (0.2320 + z * (0.1276 + z * (0.0866 + z * 0.0875))));
    const quick_real log = quick_log_value(rest * (1 + size)), middle = 4.3307 + 0.5 * log;
    const quick_real start = size < 0.5 ? near : sqrt(sqrt(middle * middle - log * 6.8027) - middle);
    const quick_real next = quick_erfinv_step(quick_erfinv_step(start, size, rest), size, rest);
    return copysign(quick_erfinv_step(next, size, rest), x);
}

#endif
