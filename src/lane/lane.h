/* The lane program, which is compiled. It is straight-line SSA over one lane, in which each op has one exact
 * meaning.
 *
 * It has three readers that agree in every bit (NaNs compare as NaNs): interp/, ir/ and source/. Values
 * are numbered in order, and an operand has a smaller number than its user. Building merges only equal
 * instructions (value numbering), so the program is what its author wrote.
 *
 * For scale2(x, n), n must be integral with |n| <= 250 (f32) or 2000 (f64), and x * 2^(n/2) must be a normal
 * number or zero. Two multiplications are then exact except for the last rounding.
 *
 * NaN bits differ between machines. f2i, and any integer op that reads a float's bits, must therefore get no
 * NaN unless the result does not depend on it. */
#ifndef ACTGEN_LANE_H
#define ACTGEN_LANE_H

#include "arena.h"
#include "bytes.h"
#include "diag.h"
#include "target.h"
#include "text.h"
#include "types.h"

#include <stdbool.h>
#include <stdint.h>

/* The lane types: TYPE(enumerator, code, name, bytes of one lane, kind, other side). The other side is the
 * type of the same width on the other side of float and integer. The code stands for the type in packed
 * programs. As with ops, no code is ever changed or used again. */
#define LANE_TYPES(TYPE)                                                                                     \
    TYPE(LANE_F32, 0, "f32", 4, FLOAT, LANE_I32)                                                             \
    TYPE(LANE_F64, 1, "f64", 8, FLOAT, LANE_I64)                                                             \
    TYPE(LANE_I32, 2, "i32", 4, INTEGER, LANE_F32)                                                           \
    TYPE(LANE_I64, 3, "i64", 8, INTEGER, LANE_F64)                                                           \
    TYPE(LANE_F16, 6, "f16", 2, FLOAT, LANE_I16)                                                             \
    TYPE(LANE_I16, 7, "i16", 2, INTEGER, LANE_F16)                                                           \
    TYPE(LANE_I8, 8, "i8", 1, BYTE, LANE_I8)                                                                 \
    TYPE(LANE_TRUTH, 4, "truth", 1, NO_NUMBER, LANE_NOTHING)                                                 \
    TYPE(LANE_NOTHING, 5, "nothing", 0, NO_NUMBER, LANE_NOTHING)

enum lane_type {
#define TYPE(enumerator, code, name, bytes, kind, other_side) enumerator,
    LANE_TYPES(TYPE)
#undef TYPE
        LANE_TYPE_COUNT
};

/* The kind of a type. The bits of a byte can only be looked up, chosen and moved. */
enum lane_kind { LANE_IS_FLOAT, LANE_IS_INTEGER, LANE_IS_BYTE, LANE_IS_NO_NUMBER };

struct lane_type_info {
    const char *name;
    unsigned code, bytes;
    enum lane_kind kind;
    enum lane_type other_side;
};
extern const struct lane_type_info lane_types[LANE_TYPE_COUNT];
static inline unsigned lane_type_bytes(enum lane_type type) { return lane_types[type].bytes; }
static inline bool lane_is_wide(enum lane_type type) { return lane_types[type].bytes == 8; }
static inline bool lane_is_float(enum lane_type type) { return lane_types[type].kind == LANE_IS_FLOAT; }
static inline bool lane_is_number(enum lane_type type) { return lane_types[type].kind != LANE_IS_NO_NUMBER; }

enum lane_op {
#define OP(enumerator, ...) enumerator,
#include "ops.def"
#undef OP
    LANE_OP_COUNT
};

/* The value of an op whose operands are NaN, as far as it is known. */
enum lane_nan {
    LANE_NAN_UNKNOWN, /* nothing */
    LANE_NAN_LOADED,  /* it is the NaN in question */
    LANE_NAN_ANY,     /* it is NaN if any operand is */
    LANE_NAN_FIRST,   /* it is NaN if the first operand is */
    LANE_NAN_SECOND,  /* it is NaN if the second operand is */
    LANE_NAN_FALSE,   /* it is false if any operand is NaN */
    LANE_NAN_MEANING  /* logic and choices: the caller must look at the op */
};

/* The exactness of an op's value, derived from that of its operands. */
enum lane_exactness {
    /* an operand or a monotone function: exact if its operands are, rounded once if they are */
    LANE_EXACT_KEEPS,
    LANE_EXACT_CHOOSES, /* the second or third operand, if the first is exact */
    LANE_EXACT_ROUNDS,  /* the exact result rounded to nearest, ties to even */
    LANE_EXACT_HALVES,  /* the exact result rounded further, to a 16-bit type */
    LANE_EXACT_STEPS,   /* exact if its operands are; otherwise it may jump */
    LANE_EXACT_BITS     /* unknown: integers, and values made of bits */
};

/* A row of ops.def, which explains its columns. */
struct lane_op_info {
    const char *name;
    unsigned code, arity;
    const char *signature;
    enum target_class class[2]; /* for lanes of 4 bytes, and of 8 */
    unsigned operations, latency[2];
    enum lane_nan nan;
    enum lane_exactness exactness;
};
extern const struct lane_op_info lane_ops[LANE_OP_COUNT];

typedef uint32_t lane_value;

struct lane_instruction {
    enum lane_op op;
    enum lane_type type; /* type of the value; LANE_NOTHING for a store */
    lane_value operand[3];
    uint32_t index; /* LOAD, STORE: operand of the kernel; LOOKUP: table */
    uint64_t bits;  /* CONST; f32 and i32 are in the low half */
};

enum { LANE_LARGEST_LOG2_TABLE = 12 };

struct lane_table { /* 2^log2_size entries */
    enum lane_type type;
    unsigned log2_size;
    const uint64_t *bits;
};

typedef struct lane_program lane_program;
struct lane_program {
    arena *memory;
    struct target_profile profile;
    struct lane_instruction *code;
    uint32_t count, capacity;
    struct lane_table *tables;
    uint32_t table_count;
    uint32_t *buckets, bucket_count; /* value numbering */
    uint32_t *chain;
};

lane_program *lane_create(arena *memory, const struct target_profile *profile);

lane_value lane_load(lane_program *p, enum lane_type type, uint32_t kernel_operand);
void lane_store(lane_program *p, lane_value value, uint32_t kernel_operand);
lane_value lane_const_bits(lane_program *p, enum lane_type type, uint64_t bits);
lane_value lane_const(lane_program *p, enum lane_type type, double value); /* f32, f64 (rounded), i32, i64 */
lane_value lane_unary(lane_program *p, enum lane_op op, lane_value a);
lane_value lane_binary(lane_program *p, enum lane_op op, lane_value a, lane_value b);
#define BINARY(name, op)                                                                                     \
    static inline lane_value name(lane_program *p, lane_value a, lane_value b)                               \
    {                                                                                                        \
        return lane_binary(p, op, a, b);                                                                     \
    }
BINARY(lane_add, LANE_ADD)
BINARY(lane_sub, LANE_SUB)
BINARY(lane_mul, LANE_MUL)
BINARY(lane_min, LANE_MIN)
BINARY(lane_max, LANE_MAX)
BINARY(lane_less, LANE_LT)
#undef BINARY
static inline lane_value lane_f32(lane_program *p, double value) { return lane_const(p, LANE_F32, value); }
/* Emits mul and add if the profile has no fma. */
lane_value lane_fma(lane_program *p, lane_value a, lane_value b, lane_value c);
lane_value lane_select(lane_program *p, lane_value condition, lane_value a, lane_value b);
/* As lane_select(), where the condition is rarely true. */
lane_value lane_rarely(lane_program *p, lane_value condition, lane_value a, lane_value b);
static inline bool lane_is_choice(enum lane_op op) { return op == LANE_SELECT || op == LANE_RARELY; }
lane_value lane_floor(lane_program *p, lane_value a); /* the largest integer that is at most a */
/* lane_sign_of returns the sign bit of a float as an integer. lane_times_sign returns y, or -y if x has the
 * sign bit. */
lane_value lane_sign_of(lane_program *p, lane_value x);
lane_value lane_times_sign(lane_program *p, lane_value y, lane_value x);
/* Returns the first 12 bits of an f32, or the first 26 of an f64, which leave 12 or 27. Products of such
 * halves are exact, except the lowest one. Unlike Veltkamp's splitting, this one does not overflow. */
lane_value lane_leading_half(lane_program *p, lane_value a);
/* Returns c + a b, where a b is close to -c: the sum has no rounding error that counts. */
lane_value lane_plus_product(lane_program *p, lane_value c, lane_value a, lane_value b);
/* Adds a table, and returns its number. Equal tables are shared. */
uint32_t lane_table_add(lane_program *p, enum lane_type type, unsigned log2_size, const uint64_t *bits);
lane_value lane_lookup(lane_program *p, uint32_t table, lane_value index);

/* Appends an instruction of `from` and its table. Its operands are values of `p` already. */
lane_value lane_append(lane_program *p, const lane_program *from, struct lane_instruction i);

/* Appends `piece`, a program of one store, to `p`. Its load of operand k becomes inputs[k]. Returns the
 * stored value. */
lane_value lane_inline(lane_program *p, const lane_program *piece, const lane_value *inputs);

/* Returns true if both have the same instructions in the same order, and the same tables. */
bool lane_programs_are_equal(const lane_program *a, const lane_program *b);
/* Returns the scaled value between which and a constant n chooses, or 0 if n is no such choice. A masked
 * instruction can do both: see factored/ended.h. */
lane_value lane_masked_scale(const lane_program *p, lane_value n);

/* Returns the program with its instructions in an order that depends only on what it computes, not on how it
 * was built. Instructions whose values are not used are dropped. */
lane_program *lane_canonical(const lane_program *p);

/* Returns a program in `memory` that gives what `p` gives on a processor that takes subnormal numbers, as
 * operands and as results, for zero with their sign. */
lane_program *lane_flushed(arena *memory, const lane_program *p);

/* Returns the op that rounds f32 to the type, to nearest, ties to even. Returns LANE_OP_COUNT if there is
 * none. */
enum lane_op lane_rounding_to(enum element_type type);
/* Returns true if the op rounds f32 to a narrower type, ties to even or not, and sets `type` to it. */
bool lane_op_rounds_to(enum element_type *type, enum lane_op op);
/* Rounds an f32 to a narrower type, by its op or, without one, by arithmetic. Arithmetic takes a dozen
 * operations, and the type's exponents must be a part of f32's. */
lane_value lane_rounded_to(lane_program *p, lane_value v, enum element_type type);
lane_value lane_rounded_by_arithmetic(lane_program *p, lane_value v, enum element_type type);

/* Returns true if the value certainly is a number of the 16-bit type, or NaN. Rounding it then changes
 * nothing. */
bool lane_is_rounded(const lane_program *p, lane_value v, enum element_type type);

/* Checks types, operand order, table sizes, shift amounts and the profile. A program that passes can be run
 * and compiled. */
int lane_verify(const lane_program *p, struct diag *error);
/* Writes stable text, one line per instruction. Equal programs have equal text. */
void lane_print(struct text *out, const lane_program *p);

/* Returns the type of the op's value, from the types of its operands and its table. Returns LANE_NOTHING also
 * if the op takes no such type. Not for load and const. */
enum lane_type lane_type_of(const lane_program *p, const struct lane_instruction *i);
/* Returns the type that chooses among an op's functions. It is the type that f, i, v or t stands for,
 * otherwise the first operand's. Not for load and const. */
enum lane_type lane_type_that_chooses(const lane_program *p, const struct lane_instruction *i);
/* Returns true if lane_type_that_chooses may return `type` for the op. */
bool lane_op_has_type(enum lane_op op, enum lane_type type);
/* Returns true if `type` suits a letter of a signature. */
bool lane_type_suits(enum lane_type type, char letter);

/* Packs a program into bytes for caches. The same program gives the same bytes. */
void lane_pack(struct text *out, const lane_program *p);
/* Unpacks a program, which then passes lane_verify. Returns NULL if the bytes are not those of a program. It
 * accepts any bytes. */
lane_program *lane_unpack(arena *memory, const struct target_profile *profile, struct bytes *b);

/* Kernels: operands, and the program whose loads and stores name them. */

/* One name of a kernel. The names of one group are one operand in memory, and one actgen_operand of a
 * call. */
struct kernel_operand {
    const char *name;
    enum element_type type;
    enum operand_shape shape;
    enum operand_layout layout;
    /* reduction of a result of the called kernel, whose program stores the summands (sums.h) */
    enum operand_reduction reduction;
    bool is_result;
    uint32_t group; /* group number in declared order, inputs first: lane_kernel_make */
    /* number of the part in the group, and the group's parts; 0 of 1 for a single name */
    uint32_t part, parts;
    /* columns, and rows, that share an element, for [rows/128, cols/32]; 0: each has its own */
    uint32_t block, block_rows;
    bool is_internal;  /* lies in a workspace, and never shares memory with another operand */
    uint64_t nan_from; /* inputs whose NaN makes a choice that depends on this input NaN */
    enum operand_source source;
    /* for an input that is not in memory: the operands that it is made of; equal for the number of the row */
    uint32_t seed, offset;
    bool counts_rows; /* for u64: the number of the first row, and no seed or offset of elements */
};

/* A sum, mean or largest element of a row in formulas (sums.h). Group numbers are those of the kernel that
 * makes the summands. Its inputs are the called kernel's inputs and then the totals. Its results are the
 * called kernel's results and then the summands. */
struct kernel_total {
    enum operand_reduction reduction; /* REDUCE_NONE: a pass of blocks stores the value itself */
    enum summand_form form;
    uint32_t block;      /* columns of a block, each of which has a total; 0: the row has one */
    enum lane_type type; /* type of the summands: f32 or f64 */
    /* level of the pass after which the total is computed, from 0; also 0 for an input that is reduced
     * unchanged */
    uint32_t level;
    uint32_t group, values;    /* group of the total, and of its summands */
    bool is_input;             /* the summands are an input of the call, unchanged */
    enum element_type element; /* type of the summands in memory: that of the input, or of the tile */
};

/* A part of a program that runs before the later parts, which may load what it stores. */
struct kernel_pass {
    /* kernel of the pass's own operands, which keep their group numbers of the whole kernel */
    struct lane_kernel *kernel;
    uint32_t level;
    bool is_of_rows; /* its results have one value per row, so it runs as for one column */
    /* Columns of a block if its results have one value per block. It then runs as for cols/block columns, and
     * its own operands are matrices of the blocks' values. Otherwise 0. */
    uint32_t block;
};
/* Returns the number of columns for which a pass runs. */
size_t kernel_pass_columns(const struct kernel_pass *pass, size_t cols);

struct lane_kernel {
    const char *name;
    struct kernel_operand *operands; /* inputs, then results; then the inputs that are not in memory */
    uint32_t operand_count, group_count;
    const lane_program *program;
    uint32_t made_count,
        draw_count; /* inputs that are not in memory, and how many of them, the first, are random */
    /* a result is a reduction or has one value per row, or a formula contains a reduction; a call then has a
     * workspace (sums.h) */
    bool has_sums;
    /* a result is a value per row and no reduction, or a formula contains a reduction */
    bool has_passes;
    const struct kernel_total *totals; /* totals of the called kernel, by level */
    uint32_t total_count;
    /* passes of a kernel that makes summands, if there are totals; by level, with those of blocks and of rows
     * last */
    const struct kernel_pass *passes;
    uint32_t pass_count;
};

/* Makes a kernel, and numbers the groups of its `count` operands in memory. A part 0 begins a group. */
struct lane_kernel lane_kernel_make(const char *name, struct kernel_operand *operands, uint32_t count,
                                    const lane_program *program);

/* Returns the number of blocks in a row, of which the last may have fewer columns. */
size_t kernel_row_blocks(uint32_t block, size_t cols);
/* Returns how many rows of the operand's group are in memory, for a call of `rows` rows. */
size_t kernel_rows_in_memory(const struct kernel_operand *o, size_t rows);
/* Returns the elements of one row of the operand's group in memory, unless a stride says otherwise. Bits fill
 * whole bytes. */
size_t kernel_row_width(const struct kernel_operand *o, size_t cols);

/* Returns true if the operand is a result with one value per row and no reduction. */
static inline bool kernel_is_value_of_row(const struct kernel_operand *o)
{
    return o->is_result && o->shape == SHAPE_ROWS && !o->reduction;
}

/* Returns true if columns or rows of a block share an element of the operand. */
static inline bool kernel_has_blocks(const struct kernel_operand *o) { return o->block || o->block_rows; }

/* Returns true if a call's stride of the operand's group is used, because each row has a value of its own. */
bool kernel_has_stride(const struct kernel_operand *o);

/* A pointer of the typed calls, for one operand of a call. Its name in the header has a suffix of actgen's
 * own. So it is no macro, keyword or type, whatever the operand is called. */
struct kernel_parameter {
    /* For readers. The name of [a | b] and [a, b] is a_b. */
    const char *name;
    const char *data;                   /* <name>_data */
    const char *stride;                 /* <name>_stride, or NULL if the operand has no stride. */
    const struct kernel_operand *names; /* The names in the group, in the order of their parts. */
};
/* Returns kernel->group_count parameters. */
struct kernel_parameter *kernel_parameters(arena *memory, const struct lane_kernel *kernel);

/* Returns the operand's group in the kernel that makes the summands. */
static inline uint32_t kernel_group_of_summands(const struct lane_kernel *called,
                                                const struct kernel_operand *o)
{
    return o->group + (o->is_result ? called->total_count : 0);
}

/* The place of one row of a name's elements. The element of column j is at data + element_bytes(type,
 * kernel_row_index(row, j)). If elements are bits, it is bit j mod 8 there. */
struct kernel_row {
    void *data;
    /* distance of elements; 0 if all columns share one; for u64, what the row, or its first element, adds to
     * the value */
    size_t step;
    size_t block; /* columns that share an element, or 0 */
};
static inline size_t kernel_row_index(struct kernel_row row, size_t column)
{
    return row.block ? column / row.block : column * row.step;
}
/* Returns the place of a row. `data` and `stride` are the group's, as a call gives them (actgen.h). */
struct kernel_row kernel_row(const struct kernel_operand *o, const void *data, size_t stride, size_t row,
                             size_t cols);

/* Returns the type that a load of the operand gives and a store to it takes. It is f64 for f64, truth values
 * for bits, and otherwise f32. A store to f16 or bf16 rounds to nearest even. */
enum lane_type kernel_lane_type(const struct kernel_operand *o);
/* Returns true if lanes of the type may hold the operand's elements. f16 elements may also be lanes of
 * f16. */
bool kernel_suits_lanes(const struct kernel_operand *o, enum lane_type type);

#endif
