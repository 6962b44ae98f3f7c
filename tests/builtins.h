/* Built-ins in tests that go through all of them. */
#ifndef ACTGEN_TEST_BUILTINS_H
#define ACTGEN_TEST_BUILTINS_H

#include "actgen.h"

#include <stdbool.h>
#include <string.h>

/* It is no other's second name, and takes each element by itself; those of whole rows have test_rows. */
static inline bool is_elementwise(const actgen_builtin *b)
{
    return !b->alias_of && strcmp(b->family, "Rows") != 0;
}

#endif
