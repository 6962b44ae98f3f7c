#ifndef ACTGEN_API_LIBRARY_FIND_H
#define ACTGEN_API_LIBRARY_FIND_H

#include "diag.h"

typedef void library_function(void); /* of whatever type */

/* Loads the library of that file name, from beside this one or where the system looks, and finds the function in it. DIAG_BACKEND
 * says why there is none, and that nothing can be `without` (compiled, read) without it. Thread-safe. */
int library_find(library_function **out, const char *name, const char *function, const char *without,
                 struct diag *error);

#endif
