/* Encloses a formula's values over an interval of inputs, in doubles rounded outwards.
 *
 * One evaluation settles whole binades where a function has died out, overflowed or is undefined. The
 * reference then need not be asked input by input. The result is unknown where the enclosure cannot tell.
 * Functions are enclosed by quick values (quick_functions.h), whose bounds are proven. */
#ifndef ACTGEN_ENCLOSURE_H
#define ACTGEN_ENCLOSURE_H

#include "expr.h"

#include <stddef.h>

struct enclosed {
    bool defined, undefined;  /* defined: a value everywhere; undefined: NaN everywhere; neither: unknown */
    bool low_open, high_open; /* the value never equals the end; for example 0 with low_open means positive */
    double low, high;
};

bool enclosed_positive(const struct enclosed *e); /* returns true if the value is certainly above zero */
bool enclosed_negative(const struct enclosed *e);

struct enclosure; /* for one thread at a time */
/* Creates an enclosure for a formula of one variable. Returns NULL if memory runs out. The expression must
 * outlive the result. */
struct enclosure *enclosure_create(const expr *e);
void enclosure_free(struct enclosure *e); /* NULL is fine */

/* Encloses the formula over the interval from the least to the largest finite input among `x`. The result is
 * unknown if there are none. */
struct enclosed enclosure_of(struct enclosure *e, const float *x, size_t count);

#endif
