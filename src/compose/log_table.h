/* Tables by which logarithms of f32 are computed.
 *
 * u = 2^e m, with m in [1, 2). The leading bits j of m's fraction choose a number c near 1/m. With r = m c -
 * 1, log u = e ln 2 - log c + log1p(r), where |r| is small. In the first interval c is 1, and in the last one
 * it is 1/2, so that r is exact around 1. */
#ifndef ACTGEN_LOG_TABLE_H
#define ACTGEN_LOG_TABLE_H

#include "number.h"

enum { LOG_TABLE_LEAST_BITS = 3, LOG_TABLE_MOST_BITS = 5 };

/* A table for factor * log. Each high word is an f32 number, and so is each low word. */
struct log_table {
    double reciprocal[1 << LOG_TABLE_MOST_BITS];    /* c */
    struct word_pair log[1 << LOG_TABLE_MOST_BITS]; /* -factor log c */
    struct word_pair ln2;                           /* factor ln 2 */
    double factor;                                  /* rounded to f32 */
    unsigned bits;
};

/* Makes a table of 2^bits entries. If `factor` is NULL, it counts as 1.
 *
 * With low words, e ln2.high + log.high is exact for all exponents e of f32, and the low words have the rest.
 *
 * Without low words, the reciprocals are chosen so that log.high alone has about 34 bits after the point:
 * next to many an f32 there is one whose logarithm is nearly an f32. In the upper half of [1, 2), the sum
 * -ln2.high + log.high is as accurate, because there the two cancel where e is -1. */
void log_table_make(struct log_table *t, unsigned bits, mpfr_srcptr factor, bool has_low);

#endif
