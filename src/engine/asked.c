/* Compares requests. */
#include "asked.h"

#include <string.h>

static uint64_t hash_of_text(const char *text, uint64_t seed)
{
    return text ? hash_bytes(text, strlen(text), seed) : seed;
}

uint64_t asked_hash(const struct asked *a)
{
    const char *kernel = a->is_only ? NULL : a->kernel;
    const int32_t rest[] = {a->tier, a->streaming, a->prove, a->accuracy != NULL, a->plan, a->plans != NULL};
    const uint64_t target[] = {(uintptr_t)a->isa, (uintptr_t)a->profile, (uintptr_t)a->core, a->plan_limit};
    const uint64_t hash = hash_bytes(a->spec, HASH_TEXT_SIZE,
                                     hash_bytes(rest, sizeof rest, hash_bytes(target, sizeof target, 0)));
    return hash_of_text(a->plans, hash_of_text(a->accuracy, hash_of_text(kernel, hash)));
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool same_kernel(const struct asked *a, const struct asked *b)
{
    return a->is_only == b->is_only &&
           ((a->is_only && (!a->kernel || !b->kernel)) || same_text(a->kernel, b->kernel));
}

bool asked_equal(const struct asked *a, const struct asked *b)
{
    return a->isa == b->isa && a->profile == b->profile && a->core == b->core && a->tier == b->tier &&
           a->streaming == b->streaming && a->plan == b->plan && a->prove == b->prove &&
           a->plan_limit == b->plan_limit && same_text(a->spec, b->spec) && same_kernel(a, b) &&
           same_text(a->accuracy, b->accuracy) && same_text(a->plans, b->plans);
}
