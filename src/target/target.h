/* Instruction sets and profiles as data, and the properties of this processor. */
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

/* The common properties of all sets of an architecture: a row of architectures.def. */
enum { TARGET_MOST_LINKER_SYMBOLS = 2 };
struct target_architecture_row {
    const char *name; /* The name for users: "x86-64". */
    /* Code has no tables for unwinding. Debuggers use its frame pointers. */
    bool no_unwinding;
    /* Symbols that linkers define, and that objects may need. */
    const char *of_linker[TARGET_MOST_LINKER_SYMBOLS];
};
extern const struct target_architecture_row target_architectures[ARCHITECTURE_COUNT];

/* The features that instruction sets need of a processor: the rows of features.def. */
enum target_feature {
#define CPUID(name, ...)   FEATURE_##name,
#define HWCAP(name, ...)   FEATURE_##name,
#define HWPROBE(name, ...) FEATURE_##name,
#include "features.def"
#undef CPUID
#undef HWCAP
#undef HWPROBE
    FEATURE_COUNT
};

/* The register with an answer of CPUID. */
enum target_register { REGISTER_A, REGISTER_B, REGISTER_C, REGISTER_D, REGISTERS };

/* The leaf with the numbers of the processor, which every processor has, and its bit in register C that says
 * that XCR0 can be asked. */
enum { CPUID_NUMBERS = 1, CPUID_OSXSAVE = 1 << 27 };

/* The words of the auxiliary vector, which the system gives to a process, by their numbers for getauxval. */
enum { TARGET_HWCAP = 16, TARGET_HWCAP2 = 26 };

struct target_feature_row {
    enum target_architecture architecture;
    struct {
        uint32_t leaf, subleaf;
        enum target_register reg;
        uint32_t bits, saved;
    } cpuid;
    struct {
        unsigned long word;
        uint64_t bits;
    } hwcap;
    struct {
        int64_t key;
        uint64_t bits, hwcap;
    } hwprobe;
};
extern const struct target_feature_row target_features[FEATURE_COUNT];

/* The features that a lane program may use. Each instruction set names its profile. Programs of one profile
 * give the same bits on every instruction set that has it. */
struct target_profile {
    const char *name;
    bool fma;
    /* The entries of the largest cheap table of f32. 0: there is none. */
    unsigned lookup_f32;
    /* The entries of the largest cheap table of f64. 0: there is none. */
    unsigned lookup_f64;
    /* The entries of the largest cheap table of f16. 0: there is none, and lanes cannot compute in f16. */
    unsigned lookup_f16;
    /* The entries of the largest cheap table of bytes. If it is not 0, a function of a byte with a byte
     * result becomes a table of 256. */
    unsigned lookup_i8;
    /* The profile of programs that use neither f16 nor bytes. NULL: this one. */
    const char *plain;
    /* The exponent and the significand of an f32 take one instruction each. */
    bool splits;
};

/* Returns the profile of programs that neither compute in f16 nor look up bytes. It differs from `p` for sets
 * that extend another set by these. */
struct target_profile target_profile_plain(const struct target_profile *p);

/* Classes of operations by their costs. */
enum target_class {
    CLASS_ADD,    /* Also sub. */
    CLASS_MUL,    /* Also fma. */
    CLASS_MINMAX, /* For floats. */
    CLASS_LOGIC,  /* Also abs and neg. */
    CLASS_IADD,
    CLASS_IMIN,
    CLASS_SHIFT,
    CLASS_IMUL,
    CLASS_COMPARE,
    CLASS_SELECT,
    CLASS_ROUND,
    CLASS_CONVERT, /* Between integer and float. */
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
    CLASS_NONE = CLASS_COUNT /* For operations that cost nothing. */
};

/* Ports, and sets of ports. */
enum target_ports {
    PORT_0 = 1,
    PORT_1 = 2,
    PORT_2 = 4,
    PORT_3 = 8,
    DIVIDER = 16,
    ANY_OF_3 = 7,
    ANY_OF_4 = 15,
    PORT_SETS = 32
};

/* The largest numbers of bits by which a table may exceed the table of one permute. For 2 more bits a lookup
 * takes 4 permutes and 3 blends, which is still faster than a load per element. For 4 more bits of bytes it
 * takes 16 and 15, but a vector has four times as many bytes. */
enum { TARGET_MOST_BLENDED_BITS = 2, TARGET_MOST_BLENDED_BITS_OF_BYTES = 4 };

struct target_uops {
    float count;
    unsigned ports; /* Any of these. */
};

/* A family of processors, by their own numbers. Number 0 is any processor. */
struct target_family {
    unsigned number, least_model, most_model;
    unsigned least_other, most_other; /* A second range of models. 0, 0: there is none. */
};

/* The forms of a core's loops over whole vectors of f32 (schedule/pipeline.c). Forms change no bit. Zeros:
 * the forms are those of the instruction set. */
struct target_loops {
    /* The vectors per turn of a loop that is not pipelined, and those of a loop whose longest chain of
     * operations takes less than `short_chain` cycles. */
    unsigned vectors, short_vectors, short_chain;
    /* The registers that a turn may take with its constants in registers. If it would take more, the
     * constants are in memory. */
    unsigned held;
    /* A loop that takes more, and whose chain takes `long_chain` cycles or more, is pipelined. It has at most
     * `most_stages` stages, each of two vectors. If its tables take more than `few_tables` registers, it is
     * pipelined from `table_chain` cycles on, as long as tables and vectors fit `held` registers. */
    unsigned long_chain, most_stages, few_tables, table_chain;
};

/* A core, and the costs of its operations (cores.def). They only serve to rank plans. */
struct target_costs {
    /* The instruction set at whose width the costs are. */
    const char *name, *isa;
    struct target_family family;
    const char *source;
    bool ternary_logic; /* Two consecutive logic operations are one. */
    /* The cycles that each micro-op costs in the front end and in the schedulers' windows. */
    float per_uop;
    struct target_uops op[CLASS_COUNT][2];
    /* For a vector of f16. Cores of a set that another set extends have it. */
    struct target_uops lookup_f16[2];
    /* For sets that look up bytes. `lookup_index` turns an index of lanes into an index of bytes, once for
     * all f32 tables that it reads. */
    struct target_uops lookup_index[2];
    /* A lookup in a table of at most `small_table` f32. It is given if it takes less than a lookup in a
     * larger table. 0: there is none. */
    struct target_uops small_lookup[2];
    unsigned small_table;
    /* A copy of an addend, for sets whose fma always overwrites it. It is needed if the addend is used again,
     * as constants are. */
    struct target_uops addend_copy[2];
    struct target_loops loops;
    /* For cores that gain by streaming stores only if inputs are prefetched: the distance in bytes. 0: the
     * core gains by streaming stores alone, or not at all, which follows from its maker. */
    unsigned stream_ahead;
};

enum target_core {
#define CORE(enumerator, ...) CORE_##enumerator,
#include "cores.def"
#undef CORE
    CORE_COUNT
};
extern const struct target_costs target_cores[CORE_COUNT];

/* An instruction of the set's own, by the name of its LLVM intrinsic. Without a name the set has no such
 * instruction. */
struct target_instruction {
    const char *intrinsic;
    unsigned lanes; /* The lanes of its vectors. */
    /* It takes three more operands: a vector for lanes that are off, a mask, and the rounding. */
    bool masked;
    /* It takes this number after its operands, unless it is 0. */
    unsigned immediate;
    /* The number of types in the intrinsic's name: none, the result's, or the result's and the operand's. */
    unsigned overloads;
};

/* How the index of a permute chooses, and the order of its operands. */
enum target_index {
    BY_LANE,     /* By lanes. Operands: table, index. */
    BY_TWO_LANE, /* By lanes. Operands: a half of the table, index, the other half. */
    /* By lanes of a scalable register, past its end 0. Operands: table, index. */
    BY_LANE_ELSE_ZERO,
    /* By lanes of a scalable register, past its end 0. Operands: a vector for other results,
     * table, index, number of lanes. */
    BY_LANE_OF_LENGTH,
    BY_LANE_OF_BOTH, /* By lanes of two scalable registers. Operands: both registers, index. */
    /* By 16-bit words, which are pairs of the table's bytes. Operands as for BY_TWO_LANE. */
    BY_TWO_LANE_OF_WORDS,
    /* By bytes. Operands: the registers of the table, a number for each byte. */
    BY_BYTE,
    /* By bytes, numbered from the end of the table, whose registers come last first. */
    BY_BYTE_FROM_END
};

/* An instruction that looks up values in registers. The table has 2^log2_entries of them. */
struct target_permute {
    const char *intrinsic;
    /* The least lanes of a vector, the bytes of an entry, and the size of the table. */
    unsigned lanes, bytes, log2_entries;
    enum target_index index;
    unsigned overloads; /* As in struct target_instruction. */
};
enum { TARGET_MOST_PERMUTES = 7 };

/* One axis of a grid of threads, by four intrinsics. They return the number of a thread in its block, the
 * number of threads in a block, the number of the block, and the number of blocks. */
struct target_axis {
    const char *thread, *threads, *block, *blocks;
};
/* The most operands of a call by a grid. CUDA's launches take 4096 bytes of parameters, 16 per operand. */

enum { TARGET_MOST_OPERANDS = 255 };

/* The way of a GPU: a grid of threads shares a call. The system assembles the text of an object itself, and
 * launches the grid from it. */
struct target_grid {
    /* The bytes of the widest access to memory, which must be aligned. 0: there is no grid. */
    unsigned access_bytes;
    /* LLVM's number of the calling convention for entries. */
    unsigned entry_convention;
    /* LLVM's number of the address space of operands and of tables. */
    unsigned operand_space;
    struct target_axis columns, rows;
    /* Threads of a block that run together, 32 or more. */
    unsigned warp_threads;
    /* Intrinsics: (which threads, x, d, c) returns x of the thread whose number in the warp differs in the
     * bits d, and (which threads) waits for these threads. */
    const char *exchange, *meet;
};

/* An instruction set. The set lacks every instruction that is left out. llvm/ then uses instructions that all
 * sets have. */
struct target_isa {
    const char *name;
    /* The set that programs without lanes of this set's own are made for. NULL: it extends no set. */
    const char *extends;
    /* Its vectors take subnormal numbers of f32 for zero. Kernels whose bound has `flush` are compiled for
     * this set where the set that it extends was asked for. */
    bool flushes;
    enum target_architecture architecture;
    const char *triple, *cpu, *features; /* For LLVM. */
    const char *processors;              /* The processors that have the set, in words. */
    /* The features without which the code does not run: bits 1 << FEATURE_... */
    uint64_t needs;
    /* The bytes of a vector, and the number of vector registers. */
    unsigned vector_bytes, registers;
    /* The processor decides the length of vectors. It is vector_bytes times LLVM's vscale, a power of two.
     * The code is the same for all lengths. */
    bool scalable;
    /* The most vectors that a loop may have alive at once.
     *
     * A core with a short scheduler waits less if some vectors are in memory, with up to 56 vectors on a
     * Skylake server. Its successors differ. On a server with AMX, 14 functions at 3 ulp were measured with
     * six limits (actgen bench -n 32768). With 24 vectors they take 1.4 % more than with the best limit, and
     * with 56 they take 7.6 % more (logsigmoid 55 %). At 2^-22 they take the same time with both. */
    unsigned most_alive;
    /* The vectors per turn of loops that are not pipelined. 0: the program decides (pipeline.c).
     *
     * On 16 registers, four vectors take a twentieth less time than two, and less than two or three stages.
     * This was measured by `actgen tune --isa avx2` with eight functions at 2^-16 to 1 ulp on an Emerald
     * Rapids. The best of all forms takes a twenty-fifth less than four vectors. Before this rule it took a
     * tenth less than the estimate. */
    unsigned plain_unroll;
    /* The registers that the vectors of such a turn may take, together with the constants and tables that
     * they share. If a turn would take more, it has one vector instead. 0: no limit.
     *
     * A turn of one vector may still take too many registers. If it would take more than
     * plain_alive_of_one, a turn has plain_unroll vectors, because they share the reloads. 0: no limit.
     *
     * A spill on rvv takes five instructions, most of which compute its address. With two vectors gelu takes
     * 28.4 instructions per element, with one 17.0, and softplus takes 19.8 and 13.8 (scripts/costs
     * --targets). A lookup also holds two gathers and an index. tanh takes 24.0 and 13.0, within 24 registers
     * (--core sifive-p670). On SVE two vectors take 1.19 times the cycles of one for mish and 1.08 times for
     * softplus. They take 0.91 times for gelu at 1 ulp, whose constants do not fit even with one vector
     * (llvm-mca, Neoverse V2). On neon they take 0.83 to 1.1 times, as often less as more (Neoverse N1). */
    unsigned plain_alive, plain_alive_of_one;
    bool mask_registers; /* Masks of partial vectors are made from bits, not by comparing. */
    /* An invalid operation on f32 gives a NaN with ones in all bits of its fraction. On other sets it has
     * only the highest one. */
    bool nan_of_ones;
    /* Masks have 32 bits per lane. A partial vector of 16-bit elements is accessed in pairs. */
    bool word_masks;
    bool masked_moves; /* A masked load or store of lanes with 32 or 64 bits is one instruction. */
    /* A cast of truth values to the bits of an integer is one instruction, such as vmovmskps. */
    bool sign_bits;
    bool memory_operands; /* Arithmetic reads a constant in memory at no cost. */
    bool streaming;       /* Stores that bypass the caches are worth a loop of their own. */
    /* The minimum and maximum of IEEE 754 (llvm.minimum) are one instruction. They return a quiet NaN for a
     * NaN. */
    bool maximum;
    /* The intrinsic for rounding to integers that becomes roundps (SSE4.1) or a similar instruction. */
    const char *round;
    bool convert64; /* Converts i64 to f64 by vcvtqq2pd (AVX512DQ) or a similar instruction. */
    /* Converts between f16 and f32 by vcvtph2ps and vcvtps2ph (F16C) or similar instructions. */
    bool convert16;
    /* Converts f32 to bf16, subnormals included, by one instruction. */
    bool convert_bf16;
    /* Converts f32 to i32, to nearest even. It may return any value for numbers out of range. */
    struct target_instruction f2i;
    struct target_instruction scale2_f32, scale2_f64; /* The op scale2. */
    struct target_instruction exponent, significand;  /* The ops of these names. */
    /* |x| of f32 by an instruction that takes x twice, and no constant as a logic operation does. */
    struct target_instruction absolute;
    /* The operands are x, y, z and a table of results, on vectors of i32. */
    const char *ternary_logic;
    const char *fence; /* For use after streaming stores. */
    /* Permutes for one size of entries are in the order of their tables, the smallest first. */
    struct target_permute permutes[TARGET_MOST_PERMUTES];
    struct target_grid grid;
    struct target_profile profile;
    const struct target_costs *costs; /* The costs of the core that plans are made for. */
};

/* A format of objects: a row of formats.def. */
struct target_format {
    const char *name;
    const char *triple; /* For LLVM. NULL: the instruction set's own triple. */
    /* LLVM writes code with scalable vectors. Systems of the other formats have no such processors. */
    bool scalable;
    bool weak_symbols; /* An object may name a function that need not exist. */
    bool sections;     /* Linkers leave out sections that nobody refers to, so functions have their own. */
    bool indirect_functions; /* The loader chooses functions (ifunc). */
    bool vector_functions;   /* Its compilers follow the vector function ABIs. */
    /* The object is assembly text. The program that loads it assembles it. */
    bool is_text;
    /* A symbol that linkers want defined once per program. NULL: there is none. */
    const char *own_symbol;
};

size_t target_isa_count(void);
/* Returns set i, the best first, or NULL past the end. */
const struct target_isa *target_isa_at(size_t i);
/* Finds a set by name. "host" is the best set that this processor has, without sets that extend another.
 * NULL: the name is unknown, or no set runs here. */
const struct target_isa *target_isa_find(const char *name);
/* Finds the first set that has the profile. All sets with that profile plan for its core, so a profile stands
 * for a choice of plans. NULL: unknown. */
const struct target_isa *target_profile_find(const char *name);
/* Returns true if a grid of threads shares a call. */
static inline bool target_has_grid(const struct target_isa *isa) { return isa->grid.access_bytes > 0; }
/* How a vectorised loop passes masks to a function: as lanes of the values' size that are not 0 where a lane
 * is on, as bits of an integer, or as a register of truth values. */
enum target_mask { MASK_OF_LANES, MASK_OF_BITS, MASK_OF_TRUTH };
/* A vector function ABI: a row of vector_abi.def. */
struct target_vector_abi {
    char letter; /* It stands in the names of functions: _ZGV<letter>N<lanes>v_<function>. */
    enum target_architecture architecture;
    /* For LLVM: what the registers that pass vectors need. `cpu` is NULL if the set's own suffices. */
    const char *cpu, *features;
    unsigned bytes; /* The bytes of a vector. If the ABI is scalable, the bytes at the least length. */
    /* The processor decides the length. Such functions always have a mask. */
    bool scalable;
    enum target_mask mask;
    unsigned convention; /* LLVM's number of the calling convention. 0 is that of C. */
};
/* Returns vector function ABI i, or NULL past the end. */
const struct target_vector_abi *target_vector_abi_at(size_t i);

/* Returns the set that all processors of the architecture have, which is the last row of the architecture. A
 * text for GPUs names one set, so the set itself is returned then. */
const struct target_isa *target_isa_baseline(const struct target_isa *isa);
/* Returns the set that `isa` extends, or `isa` itself. */
const struct target_isa *target_isa_extended(const struct target_isa *isa);
/* Returns the set that flushes and that is `isa` or extends it, or NULL. */
const struct target_isa *target_isa_flushing(const struct target_isa *isa);
/* Returns true if the processor has the instructions and the system saves their registers. */
bool target_isa_runs_here(const struct target_isa *isa);
/* Returns format i of the set's objects, its own first, or NULL past the end. */
const struct target_format *target_format_at(const struct target_isa *isa, size_t i);
/* Finds a format by name. A NULL `name` is the set's own format. NULL: there is no such format. */
const struct target_format *target_format_find(const struct target_isa *isa, const char *name);
const char *target_triple(const struct target_isa *isa, const struct target_format *format);
/* Returns the architecture that this program is compiled for, or ARCHITECTURE_COUNT. */
enum target_architecture target_architecture_here(void);
/* Returns core i that plans can be made for, or NULL past the end. */
const struct target_costs *target_core_at(size_t i);
/* Finds a core of the instruction set by name. "host" is the core of this processor. NULL: unknown, or a core
 * of another set. */
const struct target_costs *target_core_find(const char *name, const struct target_isa *isa);
/* Returns the name of this processor's core. NULL: unknown. */
const char *target_core_here(void);
/* The properties of this processor and its system, asked once. In a virtual machine each question to the
 * processor takes microseconds. */
struct target_here {
    uint64_t isas;          /* Bit i: target_isa_at(i) runs here. */
    unsigned family, model; /* As in struct target_family. 0: unknown. */
};
struct target_here target_here(void);
/* Answer as target_isa_runs_here, target_isa_find("host") and target_core_here do, without asking again. */
bool target_here_runs(const struct target_here *here, const struct target_isa *isa);
const struct target_isa *target_here_isa(const struct target_here *here);
const char *target_here_core(const struct target_here *here);
/* Returns true if times that are taken here belong to the core. The processor is of the core's family, or it
 * is no known core and this core is the default of its instruction set. A core without a family is any
 * processor. */
bool target_core_is_here(const struct target_costs *core);
/* Writes the maker, family and model of this processor, to which times belong: "GenuineIntel 6 207". */
enum { TARGET_PROCESSOR_SIZE = 40 };
void target_processor_here(char out[TARGET_PROCESSOR_SIZE]);

#endif
