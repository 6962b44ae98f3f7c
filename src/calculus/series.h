/* The first terms of a formula's series next to a point, exactly.
 *
 * Near v0, at v = v0 + h or v = v0 - h for a small h > 0, a formula is a sum of terms factor * h^power and a
 * remainder of known order. Factors are simplified constant formulas, and powers are fractions. So kinks and
 * 0/0 at the point have limits from either side. Other inputs are kept as letters. A statement about the
 * factors holds for all values of those inputs. */
#ifndef ACTGEN_SERIES_H
#define ACTGEN_SERIES_H

#include "expr.h"

enum series_side { SERIES_LEFT = -1, SERIES_AT = 0, SERIES_RIGHT = 1 };

enum series_answer {
    SERIES_LIMIT,    /* finite */
    SERIES_NO_VALUE, /* the formula has no real value on that side */
    SERIES_UNKNOWN,  /* no finite limit, or none that was found */
};

struct series_limit {
    enum series_answer answer;
    const expr *value; /* a formula of the other inputs; NULL except for SERIES_LIMIT */
    /* for SERIES_AT: two sides of a comparison, max or min are equal there, or the argument of abs or sign is
     * 0 */
    bool is_tie;
};

/* Returns the limit of `e` as its node `v` approaches `at` from the given side, or the value there for
 * SERIES_AT. `at` is a number or a formula of other inputs. The limit is a node of `dag`, which may differ
 * from the formula's DAG. *work is the work that is left, in visited nodes. The function subtracts the work
 * that it does, and answers SERIES_UNKNOWN when nothing is left. */
struct series_limit series_limit(expr_dag *dag, const expr *e, const expr *v, const expr *at,
                                 enum series_side side, uint64_t *work);

/* Returns true if `a` and `b` are equal. They are equal if their difference simplifies to 0, cancels as a
 * quotient of polynomials in the other inputs, or is a number below 2^-1100. */
bool series_equal(const expr *a, const expr *b, uint64_t *work);

#endif
