/* Finds out which of the wider copies this processor runs. */
#include "wider.h"

#include "target.h"

#include <stdatomic.h>

enum widest { NOT_ASKED, PLAIN, AVX2, AVX512 };

static bool is_here(const char *set)
{
    const struct target_isa *isa = target_isa_find(set);
    return isa && target_isa_runs_here(isa);
}

/* Returns the widest copies that run here. The stored value never changes, so threads that ask at the same
 * time store the same value. */
static enum widest widest_here(void)
{
    static atomic_int known = NOT_ASKED;
    int widest = atomic_load_explicit(&known, memory_order_relaxed);
    if (widest == NOT_ASKED) {
        widest = is_here("avx512") ? AVX512 : is_here("avx2") ? AVX2 : PLAIN;
        atomic_store_explicit(&known, widest, memory_order_relaxed);
    }
    return (enum widest)widest;
}

bool runs_avx2(void) { return widest_here() >= AVX2; }
bool runs_avx512(void) { return widest_here() == AVX512; }
