/* Instruction sets and profiles as data, and what this processor has. */
#ifndef ACTGEN_TARGET_H
#define ACTGEN_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum target_vendor_lookup { /* how llvm/ does LANE_LOOKUP in one instruction; anything else is loads from
                               memory */
                            LOOKUP_MEMORY,
                            LOOKUP_AVX2,   /* vpermps: 8 f32 */
                            LOOKUP_AVX512, /* vpermps 16, vpermi2ps 32 f32; vpermpd 8, vpermi2pd 16 f64 */
};

enum target_needs { /* what the processor and the system must have, or the code must not run */
                    NEEDS_X86_64,
                    NEEDS_AVX2,   /* x86-64-v3: AVX2, FMA, BMI1, BMI2, LZCNT, MOVBE, F16C; ymm saved by the
                                     system */
                    NEEDS_AVX512, /* x86-64-v4: besides, AVX512 F, DQ, BW, VL, CD; zmm and opmasks saved by
                                     the system */
};

struct target_profile { /* api/ turns it into lane/'s struct lane_profile */
    const char *name;
    bool fma;
    unsigned lookup_f32, lookup_f64;
};

/* Reciprocal throughput in cycles of one operation on a vector of vector_bytes, by class, and where the
 * figures come from. An f64 value takes two such vectors in a program of f32 operands. For ranking plans
 * only. */
struct target_costs {
    const char *source;
    float add, mul, div32, div64, sqrt32, sqrt64, logic, shift, minmax, lookup32, lookup64, convert, scale2;
};

struct target_isa {
    const char *name;
    const char *triple, *cpu, *features; /* for LLVM */
    const char *c_condition;             /* C for gcc and clang: whether the running processor has it */
    enum target_needs needs;
    unsigned vector_bytes;
    enum target_vendor_lookup lookup;
    bool scale2;         /* has vscalef */
    bool round;          /* has roundps (SSE4.1) or its like */
    bool convert64;      /* has vcvtqq2pd (AVX512DQ) */
    bool mask_registers; /* masks of partial vectors are made from bits, not by comparing */
    struct target_profile profile;
    struct target_costs costs;
};

size_t target_isa_count(void);
const struct target_isa *target_isa_at(size_t i); /* best first; NULL past the end */
/* `name` may be "host": the best that this processor has. NULL if unknown, or if nothing runs here. */
const struct target_isa *target_isa_find(const char *name);
/* From CPUID and XGETBV: the instructions exist and the system saves their registers. */
bool target_isa_runs_here(const struct target_isa *isa);
size_t target_last_level_cache(void); /* bytes; 0 if unknown */

#endif
