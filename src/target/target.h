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

enum target_register { /* in which CPUID answers */
                       REGISTER_A,
                       REGISTER_B,
                       REGISTER_C,
                       REGISTER_D,
                       REGISTERS
};

struct target_cpuid { /* an answer of CPUID that has these bits */
    uint32_t leaf, subleaf;
    enum target_register reg;
    uint32_t bits;
};

/* What the processor and the system have if an instruction set can be used: the first `count` of target_cpuid_rows, and the
 * bits of XCR0 for registers that the system saves, none of which is asked for without a row. */
struct target_requirement {
    size_t count;
    uint32_t saved;
};
extern const struct target_cpuid target_cpuid_rows[];
struct target_requirement target_requirement(enum target_needs needs);

struct target_profile { /* api/ turns it into lane/'s struct target_profile */
    const char *name;
    bool fma;
    unsigned lookup_f32, lookup_f64;
};

enum target_class {               /* of operations, by what they cost */
                    CLASS_ADD,    /* and sub */
                    CLASS_MUL,    /* and fma */
                    CLASS_MINMAX, /* of floats */
                    CLASS_LOGIC,  /* abs and neg, too */
                    CLASS_IADD,
                    CLASS_IMIN,
                    CLASS_SHIFT,
                    CLASS_IMUL,
                    CLASS_COMPARE,
                    CLASS_SELECT,
                    CLASS_ROUND,
                    CLASS_CONVERT, /* between integer and float */
                    CLASS_WIDEN,
                    CLASS_NARROW,
                    CLASS_SCALE,
                    CLASS_LOOKUP32,
                    CLASS_LOOKUP64,
                    CLASS_DIV32,
                    CLASS_DIV64,
                    CLASS_SQRT32,
                    CLASS_SQRT64,
                    CLASS_COUNT,
                    CLASS_NONE = CLASS_COUNT /* of what costs nothing */
};

enum target_ports { /* sets of them */
                    PORT_0 = 1,
                    PORT_1 = 2,
                    PORT_2 = 4,
                    PORT_3 = 8,
                    DIVIDER = 16,
                    ANY_OF_3 = 7,
                    ANY_OF_4 = 15,
                    PORT_SETS = 32
};

struct target_uops {
    float count;
    unsigned ports; /* any of these */
};

/* A core, and what its operations take: see cores.h. For ranking plans only. */
struct target_costs {
    const char *name, *isa; /* the instruction set at whose width the figures are */
    const char *source;
    bool ternary_logic; /* two logic operations in a row are one */
    float per_uop;      /* cycles that a micro-op takes of the front end and of the schedulers' windows */
    struct target_uops op[CLASS_COUNT][2];
};

struct target_isa {
    const char *name;
    const char *triple, *cpu, *features; /* for LLVM */
    const char *processors;              /* in words, which ones have it */
    enum target_needs needs;
    unsigned vector_bytes;
    enum target_vendor_lookup lookup;
    bool scale2;         /* has vscalef */
    bool round;          /* has roundps (SSE4.1) or its like */
    bool convert64;      /* has vcvtqq2pd (AVX512DQ) */
    bool convert16;      /* has vcvtph2ps and vcvtps2ph (F16C) */
    bool mask_registers; /* masks of partial vectors are made from bits, not by comparing */
    struct target_profile profile;
    struct target_costs costs; /* of the core that plans are made for */
};

size_t target_isa_count(void);
const struct target_isa *target_isa_at(size_t i); /* best first; NULL past the end */
/* `name` may be "host": the best that this processor has. NULL if unknown, or if nothing runs here. */
const struct target_isa *target_isa_find(const char *name);
/* From CPUID and XGETBV: the instructions exist and the system saves their registers. */
bool target_isa_runs_here(const struct target_isa *isa);
/* The cores that plans can be made for; NULL past the end. */
const struct target_costs *target_core_at(size_t i);
/* `name` may be "host": this processor, if it is known. NULL if unknown, or not one of the instruction set's. */
const struct target_costs *target_core_find(const char *name, const struct target_isa *isa);
/* The name of this processor's core, NULL if unknown. */
const char *target_core_here(void);
size_t target_last_level_cache(void); /* bytes; 0 if unknown */

#endif
