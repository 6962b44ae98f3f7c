/* Spacing, errors and rounding in double, for any format. */
#include "float_format.h"

#include <math.h>

double float_spacing(const struct float_format *f, double y)
{
    int exponent = f->max_exponent + 1;
    if (isfinite(y)) frexp(y, &exponent);
    return ldexp(1, float_spacing_exponent(f, y == 0 ? f->min_exponent : exponent - 1));
}

double float_limit(const struct float_format *f)
{
    return f->has_infinity ? f->largest + float_spacing(f, f->largest) : f->largest;
}

double float_cut(const struct float_format *f, double y)
{
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
