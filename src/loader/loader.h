/* Objects into this process, without LLVM.
 *
 * The project's own objects are simple: functions and constants that need nothing from outside and are never
 * written. Such an object is mapped writable, relocated, and then made executable; no page is ever both.
 * Whatever else an object holds (symbols of the process, writable data, relocations that the table of
 * relocate.c has not) is refused by name. Thread-safe, but for freeing code that is in use. */
#ifndef ACTGEN_LOADER_H
#define ACTGEN_LOADER_H

#include "diag.h"

typedef struct loader_code loader_code; /* one object in memory */

/* Whether loader_load would take the object, as far as its bytes tell. DIAG_BACKEND: damaged, foreign, or of
 * a kind that is refused. */
int loader_check(const void *object, size_t size, struct diag *error);

/* `object` is copied. DIAG_BACKEND as above, and where the system lets no process make memory executable;
 * then *out is NULL. */
int loader_load(loader_code **out, const void *object, size_t size, struct diag *error);

/* The address of a function of the object, valid until the code is freed. NULL with DIAG_BACKEND: it has none
 * of that name. */
void *loader_symbol(const loader_code *code, const char *name, struct diag *error);
/* Calls `visit` for each function of the object, with where it begins and its size. */
void loader_functions(const loader_code *code,
                      void (*visit)(const void *start, size_t bytes, const char *name));

/* Shows the functions to debuggers, with their names and the tables for unwinding, until the code is freed.
 * `object` is what the code was loaded from, and is copied; each code is shown once. Where memory is short
 * nothing is shown. */
void loader_show(loader_code *code, const void *object, size_t size);

void loader_free(loader_code *code); /* unmaps it; no thread may be in it; NULL is fine */

#endif
