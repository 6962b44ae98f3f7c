/* The first terms of a formula's series beside a point, exactly.
 *
 * Beside a point, at v = v0 + h or v0 - h for a small h > 0, a formula is a sum of terms factor * h^power and
 * a rest of a known order. Factors are constant formulas, simplified; powers are fractions. So kinks and 0/0
 * at the point have limits from either side. Other inputs are kept as letters: what holds for the factors
 * holds whatever those inputs are. */
#ifndef ACTGEN_SERIES_H
#define ACTGEN_SERIES_H

#include "expr.h"

enum series_side { SERIES_LEFT = -1, SERIES_AT = 0, SERIES_RIGHT = 1 };

enum series_answer {
    SERIES_LIMIT,    /* finite */
    SERIES_NO_VALUE, /* the formula has no real value on that side */
    SERIES_UNKNOWN,  /* no finite limit, or none that is found */
};

struct series_limit {
    enum series_answer answer;
    const expr *value; /* a formula of the other inputs; NULL but for SERIES_LIMIT */
    bool is_tie; /* SERIES_AT: two sides of a comparison, max or min are equal there, or abs or sign has 0 */
};

/* Returns the limit of `e` as `v`, a node of it, comes to `at`, a number or a formula of other inputs, from
 * that side; SERIES_AT: its value there. The value is a node of `dag`, which may be another one than the
 * formula's. *work is what may still be done, in nodes that are visited: what is spent is taken off, and when
 * nothing is left the answer is SERIES_UNKNOWN. */
struct series_limit series_limit(expr_dag *dag, const expr *e, const expr *v, const expr *at,
                                 enum series_side side, uint64_t *work);

/* Returns true if `a` and `b` are equal: their difference simplifies to 0, cancels as a quotient of
 * polynomials in the other inputs, or is a number below 2^-1100. */
bool series_equal(const expr *a, const expr *b, uint64_t *work);

#endif
