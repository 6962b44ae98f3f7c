/* The instruction sets of this machine's architecture, except those that extend others. */
#ifndef ACTGEN_TEST_ISAS_H
#define ACTGEN_TEST_ISAS_H

#include "actgen.h"
#include "part.h"

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
 * at most the number of sets that run here. It is 1 for whole tables. */
static inline size_t sharing_sets(void)
{
    size_t count = 0;
    if (takes_all()) return 1;
    while (count < 3 && own_isa_here(count)) count++;
    return count;
}

#endif
