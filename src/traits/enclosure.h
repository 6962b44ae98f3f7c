/* Where a formula's values lie over an interval of inputs, in doubles rounded outwards.
 *
 * One evaluation settles whole binades where a function has died out, overflowed or is undefined, so that the
 * reference need not be asked input by input. What it cannot tell it calls unknown. About functions it knows
 * what the quick reference tells of single values (quick_functions.h), with bounds that are proven. */
#ifndef ACTGEN_ENCLOSURE_H
#define ACTGEN_ENCLOSURE_H

#include "expr.h"

#include <stddef.h>

struct enclosed {
    bool defined, undefined;  /* a value everywhere; NaN everywhere; neither: unknown */
    bool low_open, high_open; /* the value is not the end itself: 0 and low_open is positive */
    double low, high;
};

bool enclosed_positive(const struct enclosed *e); /* certainly above zero */
bool enclosed_negative(const struct enclosed *e);

struct enclosure; /* for one thread at a time */
/* Encloses a formula of one variable. NULL without memory. The expression must live as long as it. */
struct enclosure *enclosure_create(const expr *e);
void enclosure_free(struct enclosure *e); /* NULL is fine */

/* Over the interval from the least to the largest of the finite inputs among `x`; unknown if there are none.
 */
struct enclosed enclosure_of(struct enclosure *e, const float *x, size_t count);

#endif
