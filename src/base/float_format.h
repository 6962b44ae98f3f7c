/* Binary floating-point formats: their numbers, the distances between these, and rounding to them. */
#ifndef ACTGEN_FLOAT_FORMAT_H
#define ACTGEN_FLOAT_FORMAT_H

#include <stdbool.h>

/* A format whose numbers have `precision` bits with the leading one. The smallest normal number is
 * 2^min_exponent, and there are subnormals. 1.0 has the exponent 0. */
struct float_format {
    int precision, min_exponent, max_exponent;
    double largest;
    /* Numbers that round beyond the largest become infinite. Else they become the largest: the format
     * saturates. */
    bool has_infinity;
};

/* Returns the exponent of the distance between neighbours just above 2^exponent. Subnormals are as far apart
 * as the smallest normal numbers. Numbers beyond the format count as far apart as its largest. */
static inline int float_spacing_exponent(const struct float_format *f, long exponent)
{
    const int nearest = exponent < f->min_exponent   ? f->min_exponent
                        : exponent > f->max_exponent ? f->max_exponent
                                                     : (int)exponent;
    return nearest - (f->precision - 1);
}

/* Returns the number that would follow the largest. It is infinite for f64. For a format without infinity it
 * is the largest itself. In errors, infinity and all numbers beyond the limit count as the limit. */
double float_limit(const struct float_format *f);
/* Returns `y` limited to +-float_limit(). */
double float_cut(const struct float_format *f, double y);
/* Returns the distance of neighbours at |y|. */
double float_spacing(const struct float_format *f, double y);
/* Returns the error of `computed` in units of the spacing at the exact value. `exact` is that value, rounded
 * to double. Not for f64. */
double float_ulps(const struct float_format *f, double computed, double exact);
/* Returns the nearest number of the format, ties to even. For at most 32 bits of precision. */
double float_round(const struct float_format *f, double y);

#endif
