/* MPFR and GMP, which libactgen does not link where cmake/imports.cmake applies: they are in libactgen-numbers, which is loaded before
 * the first formula is read. */
#ifndef ACTGEN_API_NUMBERS_H
#define ACTGEN_API_NUMBERS_H

#include <stddef.h>

typedef void numbers_function(void); /* of whatever type */

/* What libactgen-numbers has: the functions that libactgen calls, in the order of that list, which its hash stands for. */
struct numbers {
    const char *list;
    numbers_function *const *functions;
};
const struct numbers *numbers_module(void);

/* What is written for libactgen, and is missing where MPFR and GMP are linked. */
extern const char numbers_list[];
extern const size_t numbers_count;
extern numbers_function *numbers_imported[];

#endif
