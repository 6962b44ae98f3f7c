/* Built-ins in tests that go through all of them. */
#ifndef ACTGEN_TEST_BUILTINS_H
#define ACTGEN_TEST_BUILTINS_H

#include "actgen.h"

#include <stdbool.h>
#include <string.h>

/* It is no other's second name, and there is one of such operands: what sums its row in f64 is not made of
 * f64 yet, and says so (test_rows). */
static inline bool is_made_of(const actgen_builtin *b, const char *type)
{
    return !b->alias_of && (strcmp(b->family, "Rows") != 0 || strcmp(type, "f64") != 0);
}

/* It has sums: its operands are given to actgen_run, which makes the workspace, since there is no function of
 * them alone. */
static inline bool has_workspace(const actgen_kernel *kernel)
{
    return actgen_kernel_workspace(kernel, 1, 1) > 0;
}

static inline bool is_machine_code(const actgen_kernel *kernel)
{
    return !strcmp(actgen_kernel_backend(kernel), "machine code");
}

#endif
