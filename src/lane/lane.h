/* The lane program: what is compiled. Straight-line SSA over one lane, each op with one exact meaning.
 *
 * It has two readers that agree in every bit (NaNs compare as NaNs): interp/ and llvm/ir/. Values are
 * numbered in order; an operand's number is smaller than its user's. Building folds nothing but equal
 * instructions (value numbering), so the program is what its author wrote. scale2(x, n): n integral, |n| <=
 * 250 (f32) or 2000 (f64), and x * 2^(n/2) must be a normal number or zero, which makes two multiplications
 * exact but for the last rounding. f2i, and any integer op that reads a float's bits, must be given no NaN
 * unless the result does not depend on it: NaN bits differ between machines. */
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

/* TYPE(enumerator, code, name, bytes of one lane, kind, the type of the same width on the other side of float
 * and integer). As an op's, the code stands for the type in packed programs, and is never changed or used
 * again. */
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

/* A byte's bits are looked up, chosen and moved, and no more. */
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

enum lane_nan {                   /* what is known of an op's value where operands are NaN */
                LANE_NAN_UNKNOWN, /* nothing */
                LANE_NAN_LOADED,  /* it is the NaN that is asked about */
                LANE_NAN_ANY,     /* it is NaN if any operand is */
                LANE_NAN_FIRST,   /* it is NaN if the first operand is */
                LANE_NAN_SECOND,  /* it is NaN if the second operand is */
                LANE_NAN_FALSE,   /* it is false if any operand is NaN */
                LANE_NAN_MEANING  /* logic and choices: who asks looks at what the op does */
};

enum lane_exactness {                   /* of the value, told from that of the operands */
                      LANE_EXACT_KEEPS, /* exact if they are, and rounded once if they are: it is one of them,
                                           or monotone */
                      LANE_EXACT_CHOOSES, /* one of the second and third, if the first is exact */
                      LANE_EXACT_ROUNDS,  /* the exact result rounded to nearest, ties to even */
                      LANE_EXACT_HALVES,  /* the same rounded further, to what a 16-bit type has */
                      LANE_EXACT_STEPS,   /* exact if they are; else it may jump */
                      LANE_EXACT_BITS     /* not to be told: integers, and what is made of bits */
};

/* A row of ops.def, which says what its columns mean. */
struct lane_op_info {
    const char *name;
    unsigned code, arity;
    const char *signature;
    enum target_class class[2]; /* of lanes of 4 bytes, of 8 */
    unsigned operations, latency[2];
    enum lane_nan nan;
    enum lane_exactness exactness;
};
extern const struct lane_op_info lane_ops[LANE_OP_COUNT];

typedef uint32_t lane_value;

struct lane_instruction {
    enum lane_op op;
    enum lane_type type; /* of the value; LANE_NOTHING for a store */
    lane_value operand[3];
    uint32_t index; /* LOAD, STORE: operand of the kernel; LOOKUP: table */
    uint64_t bits;  /* CONST; f32 and i32 in the low half */
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
lane_value lane_fma(lane_program *p, lane_value a, lane_value b,
                    lane_value c); /* mul and add where the profile has no fma */
lane_value lane_select(lane_program *p, lane_value condition, lane_value a, lane_value b);
lane_value lane_floor(lane_program *p, lane_value a); /* the largest integer that is at most a */
/* The sign of a float alone, as an integer; and y, or -y where x has a sign. */
lane_value lane_sign_of(lane_program *p, lane_value x);
lane_value lane_times_sign(lane_program *p, lane_value y, lane_value x);
uint32_t lane_table_add(lane_program *p, enum lane_type type, unsigned log2_size,
                        const uint64_t *bits); /* equal tables are shared */
lane_value lane_lookup(lane_program *p, uint32_t table, lane_value index);

/* Appends an instruction of `from`, whose operands are already `p`'s; its table comes along. */
lane_value lane_append(lane_program *p, const lane_program *from, struct lane_instruction i);

/* Append `piece`, a program of one store, to `p`, its load of operand k being inputs[k]; returns the stored
 * value. */
lane_value lane_inline(lane_program *p, const lane_program *piece, const lane_value *inputs);

/* Whether both have the same instructions in the same order, and the same tables. */
bool lane_programs_are_equal(const lane_program *a, const lane_program *b);

/* Returns the program with its instructions in an order that depends on what it computes only, not on how it
 * was built, and without those whose values are not used. */
lane_program *lane_canonical(const lane_program *p);

/* The op that rounds f32 to what the type has, to nearest, ties to even; LANE_OP_COUNT if there is none. */
enum lane_op lane_rounding_to(enum element_type type);
/* Whether the op is one that rounds f32 to a narrower type, ties to even or not; then `type` is that. */
bool lane_op_rounds_to(enum element_type *type, enum lane_op op);
/* Rounds an f32 to what a type narrower than f32 has: by its op, or, without one, by arithmetic, which takes
 * a dozen operations and exponents that are a part of an f32's. */
lane_value lane_rounded_to(lane_program *p, lane_value v, enum element_type type);
lane_value lane_rounded_by_arithmetic(lane_program *p, lane_value v, enum element_type type);

/* Whether the value surely is one that the 16-bit type has, or NaN: rounding it changes nothing. */
bool lane_is_rounded(const lane_program *p, lane_value v, enum element_type type);

/* Types, operand order, table sizes, shift amounts, profile. A program that passes can be run and compiled.
 */
int lane_verify(const lane_program *p, struct diag *error);
/* Stable text, one line an instruction; equal programs have equal text. */
void lane_print(struct text *out, const lane_program *p);

/* The type that the op gives its value, from its operands' types (and its table's); LANE_NOTHING also where
 * it takes none of that type. Not for load and const. */
enum lane_type lane_type_of(const lane_program *p, const struct lane_instruction *i);
/* The type that chooses among an op's functions: what f, i, v or t stands for, else the first operand's. Not
 * for load and const. */
enum lane_type lane_type_that_chooses(const lane_program *p, const struct lane_instruction *i);
/* Whether that can be `type`. */
bool lane_op_has_type(enum lane_op op, enum lane_type type);
/* Whether `type` suits a letter of a signature. */
bool lane_type_suits(enum lane_type type, char letter);

/* As packed bytes, for caches; the same program gives the same bytes. */
void lane_pack(struct text *out, const lane_program *p);
/* Back again: the program, which passes lane_verify, or NULL if the bytes are not those of one. May be given
 * anything. */
lane_program *lane_unpack(arena *memory, const struct target_profile *profile, struct bytes *b);

/* Kernel: operands, and the program whose loads and stores name them. */

/* One name of a kernel. The names of one group are one operand in memory, and one actgen_operand of a call.
 */
struct kernel_operand {
    const char *name;
    enum element_type type;
    enum operand_shape shape;
    enum operand_layout layout;
    /* of a result of a kernel as it is called; its program stores what is reduced (sums.h) */
    enum operand_reduction reduction;
    bool is_result;
    uint32_t group;       /* in declared order, inputs first: lane_kernel_make */
    uint32_t part, parts; /* of the group; 0 of 1 where it stands alone */
    bool is_internal;     /* in a workspace: never in the place of another operand */
    uint64_t nan_from; /* of a kernel's inputs: those whose NaN makes a choice NaN that depends on this one */
    bool is_drawn;     /* an input that is not in memory: its elements are random numbers (philox.h), */
    uint32_t seed, offset; /* whose seed, and what is added to their numbers, these operands hold */
};

/* A sum, a mean or a largest element of a row in formulas (sums.h). Groups are those of the kernel that makes
 * the summands, whose inputs are the called kernel's and then the totals, and whose results are the called
 * kernel's and then what is reduced. */
struct kernel_total {
    enum operand_reduction reduction;
    enum summand_form form;
    enum lane_type type; /* of what is reduced: f32 or f64 */
    /* of the pass behind which it is made, from 0; of an input that is reduced as it stands, 0 */
    uint32_t level;
    uint32_t group, values; /* its own; and that of what is reduced, */
    bool is_input;          /* which is an input as the call has it */
};

/* A part of a program that is run before the parts behind it: what it stores may be what they load. */
struct kernel_pass {
    /* of the operands that it has, under the numbers of groups that they have in the whole */
    struct lane_kernel *kernel;
    uint32_t level;
    bool is_of_rows; /* its results have one value a row: it is run as for one column */
};

struct lane_kernel {
    const char *name;
    struct kernel_operand *operands; /* inputs, then results; then, not counted, those that are drawn */
    uint32_t operand_count, group_count;
    const lane_program *program;
    uint32_t draw_count;
    bool has_sums; /* a result is a reduction, or a formula has one: a call has a workspace (sums.h) */
    const struct kernel_total *totals; /* of a kernel as it is called, by level */
    uint32_t total_count;
    /* of one that makes summands, if there are totals; by level, and that of rows last */
    const struct kernel_pass *passes;
    uint32_t pass_count;
};

/* Numbers the groups of the `count` operands in memory: a part 0 begins one. */
struct lane_kernel lane_kernel_make(const char *name, struct kernel_operand *operands, uint32_t count,
                                    const lane_program *program);

/* Elements of one row of the operand's group in memory, where no stride says otherwise: of bits those of
 * whole bytes. */
size_t kernel_row_width(const struct kernel_operand *o, size_t cols);

/* Whether a call's stride of the operand's group means anything: it has a value of its own in each row. */
bool kernel_has_stride(const struct kernel_operand *o);

/* The operand's group in the kernel that makes its summands. */
static inline uint32_t kernel_group_of_summands(const struct lane_kernel *called,
                                                const struct kernel_operand *o)
{
    return o->group + (o->is_result ? called->total_count : 0);
}

/* Where a name's elements of one row are: element j at data + element_bytes(type, j * step), of bits bit j
 * mod 8 there. */
struct kernel_row {
    void *data;
    /* elements; 0: the same for all columns; of u64, what the row's first element adds to the value */
    size_t step;
};
/* `data` and `stride` are the group's, as a call gives them (actgen.h). */
struct kernel_row kernel_row(const struct kernel_operand *o, const void *data, size_t stride, size_t row,
                             size_t cols);

/* The type that a load of the operand gives, and a store to it takes: f64 of f64, truth values of bits, else
 * f32. A store to f16 or bf16 rounds to nearest even. */
enum lane_type kernel_lane_type(const struct kernel_operand *o);
/* Whether lanes of the type may hold its elements: f16 also by themselves. */
bool kernel_suits_lanes(const struct kernel_operand *o, enum lane_type type);

#endif
