/* The library that compiles. */
#ifndef ACTGEN_BACKEND_FIND_H
#define ACTGEN_BACKEND_FIND_H

#include "backend.h"

/* Returns the back end, which is loaded if it is not linked in. *out becomes NULL if there is none. Errors:
 * library_find(). Thread-safe. */
int backend_find(const struct backend **out, struct diag *error);

#endif
