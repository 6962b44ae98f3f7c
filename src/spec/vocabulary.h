/* Which names a spec may not define, and why. */
#ifndef ACTGEN_VOCABULARY_H
#define ACTGEN_VOCABULARY_H

#include "expr.h"

/* Called by name, besides the elementary functions of functions.def. */
enum special {
    SPECIAL_NONE,
    SPECIAL_MIN,
    SPECIAL_MAX,
    SPECIAL_CLAMP,
    SPECIAL_DIFF,
    SPECIAL_UNIFORM,
    SPECIAL_BERNOULLI,
    SPECIAL_WHERE
};

enum special special_of(const char *name);
/* Whether nothing else may have its name: what came later is hidden by what a file calls so. */
bool special_is_reserved(enum special special);
/* An example of a formula that calls the function, such as "max(x, 0)"; NULL of SPECIAL_NONE. */
const char *special_use(enum special special);
bool type_of(const char *name, enum element_type *out);
/* What `name` already is ("an elementary function"), or NULL if a spec may define it. */
const char *reserved_as(const char *name);
/* pi, e, inf. NULL if `name` is no constant. */
const expr *constant_of(expr_dag *dag, const char *name);
/* Appends the names that every formula knows to `names` (room for VOCABULARY_MAX), for "did you mean". */
enum { VOCABULARY_MAX = 64 };
size_t vocabulary_functions(const char **names);
size_t vocabulary_constants(const char **names);

#endif
