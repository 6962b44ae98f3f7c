/* Says which names a spec may not define, and why. */
#ifndef ACTGEN_VOCABULARY_H
#define ACTGEN_VOCABULARY_H

#include "expr.h"

/* Functions that formulas call by name, besides the elementary functions of functions.def. */
enum special {
    SPECIAL_NONE,
    SPECIAL_MIN,
    SPECIAL_MAX,
    SPECIAL_CLAMP,
    SPECIAL_DIFF,
    SPECIAL_UNIFORM,
    SPECIAL_BERNOULLI,
    SPECIAL_WHERE,
    SPECIAL_DETACH,
    SPECIAL_ROW
};

enum special special_of(const char *name);
/* Returns true if nothing else may have this name. A file may hide names that were added to the language
 * later: from SPECIAL_WHERE on. */
bool special_is_reserved(enum special special);
/* Returns a formula that calls the function, such as "max(x, 0)", or NULL for SPECIAL_NONE. */
const char *special_use(enum special special);
bool type_of(const char *name, enum element_type *out);
/* Returns what `name` already is, such as "an elementary function", or NULL if a spec may define it. */
const char *reserved_as(const char *name);
/* Returns the value of pi, e or inf, or NULL if `name` is no constant. */
const expr *constant_of(expr_dag *dag, const char *name);
/* The room for the names that every formula knows. Both functions append such names, for "did you mean",
 * and return their number. */
enum { VOCABULARY_MAX = 96 };
size_t vocabulary_functions(const char **names);
size_t vocabulary_constants(const char **names);

#endif
