/* MPFR and GMP. Where cmake/imports.cmake applies, libactgen does not link them. They are then in
 * libactgen-numbers, which libactgen loads before it reads the first formula. */
#ifndef ACTGEN_NUMBERS_H
#define ACTGEN_NUMBERS_H

#include "loadable.h"

#include <stddef.h>

struct diag;

typedef void numbers_function(void); /* A function of any type. */

/* The content of libactgen-numbers: the functions that libactgen calls, in the order of the list whose hash
 * is its build. */
struct numbers {
    struct loadable self;
    numbers_function *const *functions;
};
/* Returns the first member of a struct numbers. */
const struct loadable *numbers_module(void);

/* Data that cmake/imports.cmake generates for libactgen. They are missing if libactgen links MPFR and GMP. */
extern const char numbers_list[];
extern const size_t numbers_count;
extern numbers_function *numbers_imported[];

/* Loads the library that computes with exact numbers, unless it is loaded. Calls that read formulas need it
 * first. All other exact computations follow such a call. Thread-safe. DIAG_BACKEND: there is no such
 * library. */
int need_numbers(struct diag *error);

#endif
