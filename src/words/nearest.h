/* Finds the name that a misspelt one may have been, for "did you mean". */
#ifndef ACTGEN_NEAREST_H
#define ACTGEN_NEAREST_H

#include <stddef.h>

/* Returns the nearest of `count` names, or NULL if none is near. */
const char *nearest_name(const char *name, const char *const *names, size_t count);

#endif
