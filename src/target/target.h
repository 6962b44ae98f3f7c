/* Instruction sets and profiles as data, and what this processor has. */
#ifndef ACTGEN_TARGET_H
#define ACTGEN_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum target_architecture {
#define ARCHITECTURE(enumerator, ...) enumerator,
#include "architectures.def"
#undef ARCHITECTURE
    ARCHITECTURE_COUNT
};

/* What all sets of an architecture have in common: a row of architectures.def. */
enum { TARGET_MOST_LINKER_SYMBOLS = 2 };
struct target_architecture_row {
    const char *name;  /* as users read it, "x86-64" */
    bool no_unwinding; /* code has no tables for unwinding; debuggers walk by its frame pointers */
    const char
        *of_linker[TARGET_MOST_LINKER_SYMBOLS]; /* symbols that linkers define, which objects may need */
};
extern const struct target_architecture_row target_architectures[ARCHITECTURE_COUNT];

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

extern const struct target_cpuid target_cpuid_rows[];
extern const size_t target_cpuid_row_count;

/* A word of the auxiliary vector that the system gives a process, by its number there (getauxval), and bits
 * of it. */
enum { TARGET_HWCAP = 16, TARGET_HWCAP2 = 26 };
struct target_hwcap {
    unsigned long kind;
    uint64_t bits;
};

extern const struct target_hwcap target_hwcap_rows[];
extern const size_t target_hwcap_row_count;

/* An extension of RISC-V: bits of what riscv_hwprobe answers to a key, and of HWCAP, which older systems have
 * alone. */
struct target_hwprobe {
    int64_t key;
    uint64_t bits, hwcap;
};

extern const struct target_hwprobe target_hwprobe_rows[];
extern const size_t target_hwprobe_row_count;

/* What the processor and the system must have, or the code must not run: the first `count` of
 * target_cpuid_rows (x86-64), of target_hwcap_rows (arm64) or of target_hwprobe_rows (RISC-V), and the bits
 * of XCR0 for registers that the system saves, none of which is asked for without a row. */
struct target_requirement {
    size_t count;
    uint32_t saved;
};

/* What a lane program may use; an instruction set names its profile. Programs of one profile give the same
 * bits on every instruction set that has it. */
struct target_profile {
    const char *name;
    bool fma;
    unsigned lookup_f32; /* entries of the largest cheap table of f32, 0 for none */
    unsigned lookup_f64; /* likewise of f64 */
    unsigned lookup_f16; /* likewise of f16, in which lanes may compute then; 0: they may not */
    /* likewise of bytes, where functions of a byte that are one are tables of 256; 0: they are not */
    unsigned lookup_i8;
    const char *plain; /* the profile of programs that do neither, where that is another; NULL: this one */
};

/* The profile of what neither computes in f16 nor looks bytes up, where sets that do so extend another. */
struct target_profile target_profile_plain(const struct target_profile *p);

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

enum { TARGET_SMALL_TABLE = 8 };

/* Two more bits than one permute reads cost 4 permutes and 3 blends, which still beats a load an element;
 * four more of bytes, of which a vector has four times as many, 16 and 15. */
enum { TARGET_MOST_BLENDED_BITS = 2, TARGET_MOST_BLENDED_BITS_OF_BYTES = 4 };

struct target_uops {
    float count;
    unsigned ports; /* any of these */
};

struct target_family { /* of processors, as they number themselves; number 0: any */
    unsigned number, least_model, most_model;
    unsigned least_other, most_other; /* a second range of models; 0, 0: there is none */
};

/* A core, and what its operations take: see cores.def. For ranking plans only. */
struct target_costs {
    const char *name, *isa; /* the instruction set at whose width the figures are */
    struct target_family family;
    const char *source;
    bool ternary_logic; /* two logic operations in a row are one */
    float per_uop;      /* cycles that a micro-op takes of the front end and of the schedulers' windows */
    struct target_uops op[CLASS_COUNT][2];
    struct target_uops lookup_f16[2]; /* of a vector of f16; of the cores of a set that another one extends */
    /* For sets that look up bytes: what makes an index of lanes one of bytes, once for all tables of f32 that
     * it reads, and a lookup in a table of at most TARGET_SMALL_TABLE f32, where that takes less than a
     * larger one; else neither is there. */
    struct target_uops lookup_index[2], small_lookup[2];
};

enum target_core {
#define CORE(enumerator, ...) CORE_##enumerator,
#include "cores.def"
#undef CORE
    CORE_COUNT
};
extern const struct target_costs target_cores[CORE_COUNT];

/* An instruction of the set's own, by LLVM's name of its intrinsic; without a name there is none. */
struct target_instruction {
    const char *intrinsic;
    unsigned lanes; /* of its vectors */
    bool masked; /* besides its operands it takes a vector for lanes that are off, a mask, and how to round */
    unsigned overloads; /* types in the intrinsic's name: none, the result's, or that and the operand's */
};

enum target_index {                    /* what a permute's index chooses, and its operands */
                    BY_LANE,           /* lanes; the table, the index */
                    BY_TWO_LANE,       /* lanes; a half of the table, the index, the other half */
                    BY_LANE_ELSE_ZERO, /* lanes of a scalable register, behind it 0; the table, the index */
                    BY_LANE_OF_LENGTH, /* likewise; what may be left in results, the table, the index, how
                                          many lanes */
                    BY_LANE_OF_BOTH,   /* lanes of two scalable registers; both, the index */
                    BY_TWO_LANE_OF_WORDS, /* words, likewise BY_TWO_LANE: pairs of the table's bytes */
                    BY_BYTE, /* bytes; the registers of the table, then a byte's number for each byte */
                    BY_BYTE_FROM_END /* bytes, numbered from the table's end, whose registers come last first
                                      */
};

/* An instruction that looks up 2^log2_entries values in registers. */
struct target_permute {
    const char *intrinsic;
    unsigned lanes, bytes, log2_entries; /* of a vector, at least; of an entry; of the table */
    enum target_index index;
    unsigned overloads; /* as of an instruction */
};
enum { TARGET_MOST_PERMUTES = 7 };

/* One axis of a grid of threads: the intrinsics by which one of them asks for its number in its block, how
 * many those are, for its block's number, and how many those are. */
struct target_axis {
    const char *thread, *threads, *block, *blocks;
};

enum {
    TARGET_MOST_OPERANDS = 255
}; /* of a call by a grid: CUDA's launches take 4096 bytes of parameters, 16 an operand */

/* A call is shared by a grid of threads, which the system launches from a text that it assembles itself: a
 * GPU's way. */
struct target_grid {
    unsigned access_bytes; /* of the widest access to memory, which must be aligned; 0: there is no grid */
    unsigned entry_convention; /* LLVM's number of the calling convention of what is launched */
    unsigned operand_space,
        table_space;      /* LLVM's numbers of the address spaces of operands, and of constants */
    unsigned table_bytes; /* the size of all constants */
    struct target_axis columns, rows;
};

/* What is left out, the set has not: llvm/ then takes instructions that all have. */
struct target_isa {
    const char *name;
    /* the set that programs are made for which have none of its own lanes; NULL: it is a set of its own */
    const char *extends;
    enum target_architecture architecture;
    const char *triple, *cpu, *features; /* for LLVM */
    const char *processors;              /* in words, which ones have it */
    struct target_requirement needs;
    unsigned vector_bytes, registers; /* of vectors */
    /* The processor says how long vectors are: a power of two times vector_bytes, LLVM's vscale. Code is the
     * same for all. */
    bool scalable;
    /* Vectors that a loop may have alive at once. A core with a short scheduler waits less with some of them
     * in memory, up to 56 on a Skylake server; its successors do not: on one with AMX 14 functions at 3 ulp
     * take 1.4 % more than the best of six limits with 24, 7.6 % more with 56 (logsigmoid 55 %), and at 2^-22
     * as much with either (actgen bench -n 32768). */
    unsigned most_alive;
    /* Vectors a turn of loops that are not pipelined, whatever is in them; 0: by the program (pipeline.c). On
     * 16 registers four take a twentieth less than two, and than two or three stages: `actgen tune --isa
     * avx2` of eight functions at 2^-16 to 1 ulp on an Emerald Rapids, where the best of all forms is a
     * twenty-fifth below four, and was a tenth below the estimate before. */
    unsigned plain_unroll;
    /* Registers that such a turn's vectors and the constants and tables that they share may take: where they
     * would take more, a turn has one vector; 0: they may take any. `plain_alive_of_one` is what one vector
     * and these may take for that to be so, for of what is beyond it two vectors share the reloads; 0: any. A
     * spill on rvv takes five instructions, most of which compute its address: of gelu two vectors take 28.4
     * instructions an element, one 17.0, of softplus 19.8 and 13.8 (scripts/costs --targets), and a lookup
     * holds two gathers and an index besides: tanh takes 24.0 and 13.0, within 24 registers (--core
     * sifive-p670). On SVE two take 1.19 times the cycles of one for mish, 1.08 for softplus, but 0.91 for
     * gelu at 1 ulp, whose constants have no room beside one vector (llvm-mca, Neoverse V2); on neon 0.83
     * to 1.1, as often less as more (Neoverse N1). */
    unsigned plain_alive, plain_alive_of_one;
    bool mask_registers; /* masks of partial vectors are made from bits, not by comparing */
    bool word_masks;     /* masks have 32 bits a lane: a partial vector of 16-bit elements goes by pairs */
    bool
        sign_bits; /* a cast of truth values to an integer's bits is one instruction: vmovmskps or its like */
    bool memory_operands; /* arithmetic reads a constant in memory at no cost */
    bool streaming;       /* stores that pass the caches are worth a loop of their own */
    /* IEEE 754's minimum and maximum (llvm.minimum), of a NaN a quiet NaN, are one instruction */
    bool maximum;
    const char *round; /* to integers, by the intrinsic that becomes roundps (SSE4.1) or its like */
    bool convert64;    /* i64 to f64: vcvtqq2pd (AVX512DQ) or its like */
    bool convert16;    /* f16 and f32: vcvtph2ps and vcvtps2ph (F16C) or their like */
    struct target_instruction f2i; /* f32 to i32, to nearest even; any value for what is out of range */
    struct target_instruction scale2_f32, scale2_f64; /* the op scale2 */
    const char *ternary_logic;                        /* (x, y, z, table of the result) on vectors of i32 */
    const char *fence;                                /* after streaming stores */
    struct target_permute permutes[TARGET_MOST_PERMUTES]; /* of an entry's size, the smallest first */
    struct target_grid grid;
    struct target_profile profile;
    const struct target_costs *costs; /* of the core that plans are made for */
};

/* A format of objects: a row of formats.def. */
struct target_format {
    const char *name;
    const char *triple; /* for LLVM; NULL: the instruction set's own */
    bool scalable;     /* LLVM writes code of scalable vectors; the others' systems have no such processors */
    bool weak_symbols; /* an object may name a function that need not be there */
    bool indirect_functions; /* chosen by the loader (ifunc) */
    bool is_text;            /* assembly, which whoever loads it assembles */
    const char *own_symbol;  /* that linkers want defined, once a program; NULL: none */
};

size_t target_isa_count(void);
const struct target_isa *target_isa_at(size_t i); /* best first; NULL past the end */
/* `name` may be "host": the best that this processor has, of those that are sets of their own. NULL if
 * unknown, or if nothing runs here. */
const struct target_isa *target_isa_find(const char *name);
/* Profiles by name, as sets have them: the first set that has the profile. All that have it plan for its
 * core, so that a profile is a choice of plans. NULL if unknown. */
const struct target_isa *target_profile_find(const char *name);
/* Whether a call is shared by a grid of threads. */
static inline bool target_has_grid(const struct target_isa *isa) { return isa->grid.access_bytes > 0; }
/* The set that all processors of its architecture have: the last row of them. */
const struct target_isa *target_isa_baseline(const struct target_isa *isa);
/* The set that it extends, or itself. */
const struct target_isa *target_isa_extended(const struct target_isa *isa);
/* The processor has the instructions and the system saves their registers. */
bool target_isa_runs_here(const struct target_isa *isa);
/* The formats that the set's objects can have, its own first; NULL past the end. */
const struct target_format *target_format_at(const struct target_isa *isa, size_t i);
/* `name` may be NULL: its own. NULL if it has none of that name. */
const struct target_format *target_format_find(const struct target_isa *isa, const char *name);
const char *target_triple(const struct target_isa *isa, const struct target_format *format);
/* What this program is compiled for. */
enum target_architecture target_architecture_here(void);
/* The cores that plans can be made for; NULL past the end. */
const struct target_costs *target_core_at(size_t i);
/* `name` may be "host": this processor, if it is known. NULL if unknown, or not one of the instruction set's.
 */
const struct target_costs *target_core_find(const char *name, const struct target_isa *isa);
/* The name of this processor's core, NULL if unknown. */
const char *target_core_here(void);
/* What this processor and its system have, asked once: in a virtual machine each question to the processor
 * takes microseconds. */
struct target_here {
    uint64_t isas;          /* bit i: target_isa_at(i) runs here */
    unsigned family, model; /* of struct target_family; 0 where nobody says */
};
struct target_here target_here(void);
/* What target_isa_runs_here, target_isa_find("host") and target_core_here say. */
bool target_here_runs(const struct target_here *here, const struct target_isa *isa);
const struct target_isa *target_here_isa(const struct target_here *here);
const char *target_here_core(const struct target_here *here);
/* Whether times taken here are the core's: this processor is of its family, or no core's and planned for by
 * the costs of this one, its instruction set's default. A core without a family is any processor. */
bool target_core_is_here(const struct target_costs *core);
/* The maker, family and model of this processor, "GenuineIntel 6 207": what times belong to. */
enum { TARGET_PROCESSOR_SIZE = 40 };
void target_processor_here(char out[TARGET_PROCESSOR_SIZE]);

#endif
