/* Finds the libraries that are loaded when they are first needed. */
#ifndef ACTGEN_LIBRARY_FIND_H
#define ACTGEN_LIBRARY_FIND_H

#include "diag.h"
#include "loadable.h"

/* Loads the library of that file name from the folder of this library, or from where the system looks. Then
 * it calls the library's function `function` for its description.
 *
 * DIAG_NO_MEMORY: a limit of address space leaves no room for the library. DIAG_BACKEND: there is no library
 * of this build. The message says that nothing can be `without` (compiled, read) without it. Thread-safe. */
int library_find(const struct loadable **out, const char *name, const char *function, const char *build,
                 const char *without, struct diag *error);

#endif
