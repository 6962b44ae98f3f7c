/* "Did you mean": the name that a misspelt one may have been. */
#ifndef ACTGEN_NEAREST_H
#define ACTGEN_NEAREST_H

#include <stddef.h>

/* The name in `names` (count of them) that is nearest to `name`, or NULL if none is near. */
const char *nearest_name(const char *name, const char *const *names, size_t count);

#endif
