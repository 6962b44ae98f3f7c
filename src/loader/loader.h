/* Loads objects into this process, without LLVM.
 *
 * The project's own objects are simple. They consist of functions and constants, need nothing from outside
 * and are never written to. The loader maps an object as writable memory, relocates it, and then makes it
 * executable. No page is ever both writable and executable. The loader refuses everything else by name:
 * symbols of the process, writable data, and relocations that the table of relocate.c does not have.
 * Thread-safe, except for freeing code that is in use. */
#ifndef ACTGEN_LOADER_H
#define ACTGEN_LOADER_H

#include "diag.h"

typedef struct loader_code loader_code; /* An object in memory. */

/* Checks that loader_load would take the object, as far as its bytes tell. Fails with DIAG_BACKEND if the
 * object is damaged, foreign, or of a kind that is refused. */
int loader_check(const void *object, size_t size, struct diag *error);

/* Loads a copy of the object. Fails with DIAG_BACKEND for objects that loader_check refuses, and if the
 * system does not let the process make memory executable. Then *out is NULL. */
int loader_load(loader_code **out, const void *object, size_t size, struct diag *error);

/* Returns the address of a function of the object. It is valid until the code is freed. If there is no such
 * function, returns NULL and sets DIAG_BACKEND. */
void *loader_symbol(const loader_code *code, const char *name, struct diag *error);
/* Calls `visit` for each function of the object, with its beginning and its size. */
void loader_functions(const loader_code *code,
                      void (*visit)(const void *start, size_t bytes, const char *name));

/* Shows the functions to debuggers until the code is freed, with their names and the tables for unwinding.
 * `object` is the object that the code was loaded from. The loader copies it. Later calls for the same code
 * do nothing. If memory runs out, nothing is shown. */
void loader_show(loader_code *code, const void *object, size_t size);

/* Unmaps the code. No thread may be in it. `code` may be NULL. */
void loader_free(loader_code *code);

#endif
