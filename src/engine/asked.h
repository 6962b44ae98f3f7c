/* The request of a compilation, and the comparison of requests. */
#ifndef ACTGEN_ASKED_H
#define ACTGEN_ASKED_H

#include "actgen.h"
#include "hash.h"
#include "target.h"

/* The request of a compilation. Compilations with equal requests share a kernel. */
struct asked {
    /* The hash of the spec, a name in the spec, and the bound. A NULL `accuracy` is the bound in the spec. */
    const char *spec, *kernel, *accuracy;
    /* The spec has no other kernel. Then `kernel` may be NULL, as long as the text was not parsed. */
    bool is_only;
    const struct target_isa *isa;
    const struct target_profile *profile;
    const struct target_costs *core;
    int32_t tier; /* ACTGEN_TIER_* */
    int32_t streaming, prove;
    int32_t plan;      /* ACTGEN_PLAN_* */
    const char *plans; /* The text of a plan file, or NULL. */
    uint64_t plan_limit;
};

/* Computes the hash of a request. The only kernel of a spec is found with its name and without it. */
uint64_t asked_hash(const struct asked *asked);
bool asked_equal(const struct asked *a, const struct asked *b);

/* Returns true if the request is for new times. Nobody shares such a kernel. */
static inline bool asked_anew(const struct asked *a) { return a->plan == ACTGEN_PLAN_MEASURE_ANEW; }

#endif
