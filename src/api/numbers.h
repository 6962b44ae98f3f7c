/* MPFR and GMP, which libactgen does not link where cmake/imports.cmake applies: they are in
 * libactgen-numbers, which is loaded before the first formula is read. */
#ifndef ACTGEN_API_NUMBERS_H
#define ACTGEN_API_NUMBERS_H

#include "loadable.h"

#include <stddef.h>

typedef void numbers_function(void); /* of whatever type */

/* What libactgen-numbers has: the functions that libactgen calls, in the order of the list whose hash is its
 * build. */
struct numbers {
    struct loadable self;
    numbers_function *const *functions;
};
const struct loadable *numbers_module(void); /* the first member of a struct numbers */

/* What is written for libactgen, and is missing where MPFR and GMP are linked. */
extern const char numbers_list[];
extern const size_t numbers_count;
extern numbers_function *numbers_imported[];

#endif
