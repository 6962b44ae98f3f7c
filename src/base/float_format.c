/* Spacing, errors and rounding in double, for any format. */
#include "float_format.h"

#include "float_bits.h"

#include <math.h>

enum { FRACTION = 52, BIAS = 1023, EXPONENT_MASK = 0x7ff };

/* Returns 2^exponent. It works on bits, because millions of errors are measured, and ldexp would take most of
 * that time. */
static double power_of_two(int exponent)
{
    const int below_normal = 1 - BIAS - exponent;
    return f64_of_bits(below_normal > 0 ? UINT64_C(1) << FRACTION >> below_normal
                                        : (uint64_t)(exponent + BIAS) << FRACTION);
}

/* Returns the exponent of y. For subnormal numbers it is the exponent below the normal ones. */
static int f64_exponent(double y) { return (int)(bits_of_f64(y) >> FRACTION & EXPONENT_MASK) - BIAS; }

double float_spacing(const struct float_format *f, double y)
{
    return power_of_two(float_spacing_exponent(f, isfinite(y) ? f64_exponent(y) : f->max_exponent));
}

double float_limit(const struct float_format *f)
{
    return f->has_infinity ? f->largest + float_spacing(f, f->largest) : f->largest;
}

double float_cut(const struct float_format *f, double y)
{
    if (fabs(y) <= f->largest) return y;
    const double limit = float_limit(f);
    return y > limit ? limit : y < -limit ? -limit : y;
}

double float_ulps(const struct float_format *f, double computed, double exact)
{
    if (isnan(exact) || isnan(computed)) return isnan(exact) && isnan(computed) ? 0 : (double)INFINITY;
    return fabs(float_cut(f, computed) - float_cut(f, exact)) / float_spacing(f, exact);
}

double float_round(const struct float_format *f, double y)
{
    const double beyond = f->has_infinity ? (double)INFINITY : f->largest;
    if (isinf(y)) return copysign(beyond, y);
    if (y == 0 || isnan(y)) return y;
    const double spacing = float_spacing(f, y), units = fabs(y) / spacing;
    const double rounded = units < 0x1p51 ? ((units + 0x1p52) - 0x1p52) * spacing : (double)INFINITY;
    return copysign(rounded <= f->largest ? rounded : beyond, y);
}
