/* Finds the libraries that are loaded when they are first needed. */
#ifndef ACTGEN_API_LIBRARY_FIND_H
#define ACTGEN_API_LIBRARY_FIND_H

#include "diag.h"
#include "loadable.h"

/* Loads the library of that file name, from beside this one or where the system looks, and calls the function
 * that it shows. DIAG_NO_MEMORY: a limit of address space leaves no place for the library. DIAG_BACKEND says
 * why there is none of this build, and that nothing can be `without` (compiled, read) without it.
 * Thread-safe. */
int library_find(const struct loadable **out, const char *name, const char *function, const char *build,
                 const char *without, struct diag *error);

#endif
