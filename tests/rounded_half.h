/* Rounding to the types of 8 and 16 bits by arithmetic in double, which shares nothing with base/half.h. */
#ifndef ACTGEN_ROUNDED_HALF_H
#define ACTGEN_ROUNDED_HALF_H

#include <math.h>

static inline double nearest_of_type(float value, int precision, int min_exponent, double largest)
{
    int exponent;
    const double x = (double)value;
    if (x == 0 || !isfinite(x)) return x;
    frexp(x, &exponent);
    const int low = exponent - 1 < min_exponent ? min_exponent : exponent - 1;
    const double spacing = ldexp(1, low - precision + 1), rounded = rint(x / spacing) * spacing;
    return fabs(rounded) > largest ? copysign(INFINITY, x) : copysign(rounded, x);
}

/* Clamps a number of a type without infinity. */
static inline double saturated(double rounded, double largest)
{
    return fabs(rounded) > largest ? copysign(largest, rounded) : rounded;
}

/* Rounds to an integer within the limits. NaN and both zeros give 0. */
static inline double integer_within(double value, double least, double most)
{
    const double rounded = isnan(value) ? 0 : rint(value);
    return rounded < least ? least : rounded > most ? most : rounded + 0.0;
}

static inline double away_of_bf16(float value)
{
    int exponent;
    const double x = (double)value;
    if (x == 0 || !isfinite(x)) return x;
    frexp(x, &exponent);
    const double spacing = ldexp(1, (exponent - 1 < -126 ? -126 : exponent - 1) - 7);
    const double rounded = floor(fabs(x) / spacing + 0.5) * spacing;
    return copysign(rounded > 0x1.fep127 ? INFINITY : rounded, x);
}

#endif
