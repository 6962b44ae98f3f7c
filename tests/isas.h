/* The instruction sets of this machine's architecture, except those that extend others. */
#ifndef ACTGEN_TEST_ISAS_H
#define ACTGEN_TEST_ISAS_H

#include "actgen.h"

#include <stdbool.h>
#include <string.h>

/* Returns the set of that number, with the best as number 0, or NULL past the end. */
static inline const char *own_isa(size_t number)
{
    const char *here = actgen_isa_architecture("host");
    for (size_t i = 0; actgen_isa_name(i); i++)
        if (!actgen_isa_extends(actgen_isa_name(i)) &&
            !strcmp(actgen_isa_architecture(actgen_isa_name(i)), here) && !number--)
            return actgen_isa_name(i);
    return NULL;
}

/* Returns true in a sanitizer build. A sanitizer sees only C code, and makes it several times slower. */
static inline bool is_sanitized(void)
{
#ifdef ACTGEN_TEST_SANITIZED
    return true;
#else
    return false;
#endif
}

/* Returns true if the set is tried. C code is the same for all sets, so under a sanitizer the first one
 * stands for all. */
static inline bool is_set_tried(size_t number) { return !is_sanitized() || !number; }

/* Returns the set of that number among those that run on this processor, NULL past the end. */
static inline const char *own_isa_here(size_t number)
{
    const char *isa;
    for (size_t i = 0; (isa = own_isa(i)); i++)
        if (actgen_isa_runs_here(isa) && !number--) return isa;
    return NULL;
}

static inline const char *own_isa_to_run(size_t number)
{
    return is_set_tried(number) ? own_isa_here(number) : NULL;
}

/* Returns how many sets share work that need not be done on each of them. The number is at most three, and
 * at most the number of sets that run here. */
static inline size_t sharing_sets(void)
{
    size_t count = 0;
    while (count < 3 && own_isa_here(count)) count++;
    return count;
}

/* Returns true if a row or kernel of a table is tried. Further rows run the same C code, so under a
 * sanitizer one of `of` stands for all. */
static inline bool is_row_tried(size_t number, size_t of) { return !is_sanitized() || number % of == 0; }

/* Returns true if a table's kernel of that number is verified. */
static inline bool is_kernel_verified(size_t number) { return is_row_tried(number, 8); }

#endif
