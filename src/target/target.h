/* Instruction sets and profiles as data, and what this processor has. */
#ifndef ACTGEN_TARGET_H
#define ACTGEN_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum target_vendor_lookup { /* how llvm/ does LANE_LOOKUP in one instruction; anything else is loads from memory */
    LOOKUP_MEMORY,
    LOOKUP_AVX2,   /* vpermps: 8 f32 */
    LOOKUP_AVX512, /* vpermps 16, vpermi2ps 32 f32; vpermpd 8, vpermi2pd 16 f64 */
};

struct target_profile { /* api/ turns it into lane/'s struct lane_profile */
    const char *name;
    bool fma;
    unsigned lookup_f32, lookup_f64;
};

/* Reciprocal throughput of one vector operation in cycles, by class, and where the figures come from. */
struct target_costs {
    const char *source;
    float add, mul, div32, div64, sqrt32, sqrt64, logic, shift, minmax, lookup32, lookup64, convert, scale2;
};

struct target_isa {
    const char *name;
    const char *triple, *cpu, *features; /* for LLVM */
    unsigned vector_bytes;
    enum target_vendor_lookup lookup;
    bool scale2;                          /* has vscalef */
    struct target_profile profile;
    struct target_costs costs;
};

size_t target_isa_count(void);
const struct target_isa *target_isa_at(size_t i);
/* `name` may be "host": the best that this processor has. NULL if unknown. */
const struct target_isa *target_isa_find(const char *name);
/* From CPUID and XGETBV: the instructions exist and the system saves their registers. */
bool target_isa_runs_here(const struct target_isa *isa);
size_t target_last_level_cache(void); /* bytes; 0 if unknown */

#endif
