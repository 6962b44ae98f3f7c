/* Helpers for tests that go through all built-ins. */
#ifndef ACTGEN_TEST_BUILTINS_H
#define ACTGEN_TEST_BUILTINS_H

#include "actgen.h"

#include <stdbool.h>
#include <string.h>

static inline bool lacks_f64(const char *name)
{
    static const char *const names[] = {"erfcx", "lgamma", "digamma", "trigamma"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

/* Returns true if the built-in is no alias and exists for operands of that type. A built-in that sums its
 * row in f64 does not accept f64 operands yet, and says so (test_rows). Some functions have no plan in f64
 * for the default bound. Operands of i32 are accumulators, and those of e8m0 are scales, which stand beside
 * operands of other types. */
static inline bool is_made_of(const actgen_builtin *b, const char *type)
{
    return !b->alias_of && strcmp(type, "i32") != 0 && strcmp(type, "e8m0") != 0 &&
           strcmp(type, "e2m1") != 0 && strcmp(type, "i4") != 0 &&
           (strcmp(type, "f64") != 0 || (strcmp(b->family, "Rows") != 0 && !lacks_f64(b->name)));
}

/* Returns true if the kernel has sums. No function takes its operands by themselves, so tests pass them to
 * actgen_run, which makes the workspace. */
static inline bool has_workspace(const actgen_kernel *kernel)
{
    return actgen_kernel_workspace(kernel, 1, 1) > 0;
}

static inline bool is_machine_code(const actgen_kernel *kernel)
{
    return !strcmp(actgen_kernel_backend(kernel), "machine code");
}

#endif
