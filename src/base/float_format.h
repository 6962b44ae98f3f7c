/* Binary floating-point formats: what their numbers are, how far apart they lie, which is the nearest. */
#ifndef ACTGEN_FLOAT_FORMAT_H
#define ACTGEN_FLOAT_FORMAT_H

#include <stdbool.h>

/* Numbers of `precision` bits with the leading one, 2^min_exponent the smallest normal, with subnormals; 1.0
 * has exponent 0. */
struct float_format {
    int precision, min_exponent, max_exponent;
    double largest;
    /* what is rounded beyond the largest becomes infinite, else the largest: it saturates */
    bool has_infinity;
};

/* The exponent of the distance of neighbours from 2^exponent on. Subnormals lie as far apart as the smallest
 * normals, and what is beyond the format as its largest. */
static inline int float_spacing_exponent(const struct float_format *f, long exponent)
{
    const int nearest = exponent < f->min_exponent   ? f->min_exponent
                        : exponent > f->max_exponent ? f->max_exponent
                                                     : (int)exponent;
    return nearest - (f->precision - 1);
}

/* The number that would come after the largest, infinite for f64; without infinity the largest. In errors,
 * infinity and all beyond count as it. */
double float_limit(const struct float_format *f);
/* `y` cut to +-float_limit(). */
double float_cut(const struct float_format *f, double y);
/* The distance of neighbours at |y|. */
double float_spacing(const struct float_format *f, double y);
/* The error of `computed` where the exact value, rounded to double, is `exact`: in units of the spacing
 * there. Not for f64. */
double float_ulps(const struct float_format *f, double computed, double exact);
/* The nearest number of the format, ties to even. For at most 32 bits of precision. */
double float_round(const struct float_format *f, double y);

#endif
