/* The instruction sets of this machine's architecture, but those that extend others. */
#ifndef ACTGEN_TEST_ISAS_H
#define ACTGEN_TEST_ISAS_H

#include "actgen.h"

#include <stdbool.h>
#include <string.h>

/* The best is number 0; NULL past the end. */
static inline const char *own_isa(size_t number)
{
    const char *here = actgen_isa_architecture("host");
    for (size_t i = 0; actgen_isa_name(i); i++)
        if (!actgen_isa_extends(actgen_isa_name(i)) &&
            !strcmp(actgen_isa_architecture(actgen_isa_name(i)), here) && !number--)
            return actgen_isa_name(i);
    return NULL;
}

/* Whether a sanitizer watches. It sees C code, and takes several times as long. */
static inline bool is_sanitized(void)
{
#ifdef ACTGEN_TEST_SANITIZED
    return true;
#else
    return false;
#endif
}

/* C code is the same for all sets: where a sanitizer watches, the first that is tried stands for them. */
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

/* How many sets have between them what need not be tried on each: at most three, and no more than run here.
 */
static inline size_t sharing_sets(void)
{
    size_t count = 0;
    while (count < 3 && own_isa_here(count)) count++;
    return count;
}

/* To C code the next row of a table, the next kernel, is the same once more: where a sanitizer watches, one
 * of `of` stands for them. */
static inline bool is_row_tried(size_t number, size_t of) { return !is_sanitized() || number % of == 0; }

/* Whether a table's kernel of that number is verified. */
static inline bool is_kernel_verified(size_t number) { return is_row_tried(number, 8); }

#endif
