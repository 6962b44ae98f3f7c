/* Inside llvm/ir/ and loops/: a function under construction. */
#ifndef ACTGEN_BUILD_H
#define ACTGEN_BUILD_H

#include "backend.h"
#include "compat.h"
#include "low_bits.h"
#include "pipeline.h"

#include <llvm-c/Core.h>

/* What lies together in memory and is moved by whole vectors: a name, or the names of an interleaved group.
 */
struct stream {
    const struct kernel_operand *operand; /* the first of its names */
    uint32_t name;                        /* its number in the kernel */
    unsigned parts;                       /* names whose elements alternate */
    const struct kernel_operand
        *sum; /* the result, as a call has it, to which elements are added instead of stored; else NULL */
};

enum uniformity { VARIES, PER_ROW, ONCE }; /* where the columns, or also the rows, have the same value */

/* Intrinsics of the targets are only made by name; one that this LLVM lacks ends the build with its name. */
struct build {
    const struct backend_function *what;
    const struct backend_options *options;
    const struct lane_program *program;
    const struct target_isa *isa;
    /* of every vector value, whatever its type; LLVM splits wide ones. Scalable ones have a multiple of it */
    unsigned lanes;
    unsigned alignment; /* of all vectors in memory, in bytes; 0: no more than of their elements */

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef ir;
    LLVMValueRef function;                                        /* that is being built */
    LLVMTypeRef scalar[LANE_TYPE_COUNT], vector[LANE_TYPE_COUNT]; /* i1 for LANE_TRUTH */
    LLVMTypeRef pointer, size;                                    /* size_t */
    bool big_endian;

    struct stream *streams;
    uint32_t stream_count;
    unsigned split;       /* 2: the vectors of a turn hold the even and the odd elements in turn; else 1 */
    bool adds_in_loop;    /* of a kernel with sums: its own loop adds up, and no tile is stored */
    bool shares_counters; /* the program's own loop has turns of whole counters of what is drawn */
    uint8_t *uniform;     /* of each instruction: enum uniformity; of constants, VARIES */
    uint8_t *cheap; /* of each instruction: a load that takes one operation or two, or a comparison of such */
    uint8_t *low_bits; /* of each instruction: what is known of them, enum low_bits */

    struct pipeline pipeline;
    LLVMValueRef *moved;      /* of each name, of each vector in a turn: loaded, or to be stored */
    LLVMValueRef *row_values; /* of constants and of instructions that do not vary */
    LLVMValueRef *all_values; /* of the lane program's instructions, of each vector in a turn */
    LLVMValueRef *values;     /* of those, the vector's that is being built */
    LLVMValueRef *carried;    /* of earlier turns, while a pipelined loop is built: carried_value() */
    LLVMValueRef *tables;     /* globals of tables that are read from memory; NULL until used */
    LLVMValueRef *held;       /* registers of tables: held_table() */
    uint16_t *place; /* of each constant that is read in memory: its number among those, from 1; else 0 */
    LLVMValueRef *placed;       /* those constants */
    LLVMTypeRef placed_type;    /* a structure of them */
    LLVMValueRef placed_at;     /* its address; NULL: there are none */
    LLVMValueRef *seeds, *keys; /* of the inputs that are drawn, in a function's first block; held_key() */
    LLVMValueRef scratch;       /* memory that no one reads, for what a turn stores to a stream */
    const char *missing;        /* an intrinsic that this LLVM has not */
};

/* The value of instruction n that vector u of `back` turns before has; back >= 1. */
static inline LLVMValueRef *carried_value(const struct build *b, unsigned u, uint32_t n, unsigned back)
{
    return &b->carried[((size_t)u * b->program->count + n) * PIPELINE_MAX_STAGES + back];
}

/* Register i of a table that scalable vectors hold. */
enum { TABLE_REGISTERS = 2 };
static inline LLVMValueRef *held_table(const struct build *b, uint32_t number, unsigned i)
{
    return &b->held[(size_t)number * TABLE_REGISTERS + i];
}

/* build_streams.c: the streams, those that are drawn first, and the results last; u64 operands are none. Room
 * for all. */
static inline uint32_t name_count(const struct lane_kernel *kernel)
{
    return kernel->operand_count + kernel->draw_count;
}
static inline bool is_in_memory(const struct stream *s) { return !s->operand->is_drawn; }
uint32_t find_streams(struct stream *out, const struct lane_kernel *kernel);
enum uniformity uniformity_of(const struct kernel_operand *o);
bool stream_has_stride(const struct stream *s); /* it is elsewhere in each row */
bool is_sum_of_row(const struct stream *s);     /* of elements that accumulators add up: build_row_sums.c */
unsigned choose_split(const struct build *b);
unsigned column_bytes(const struct stream *s); /* that a column takes */
bool loads_cheaply(const struct kernel_operand *o);
/* A field of a group's operand: 0 its data, 1 its stride. */
LLVMValueRef operand_field(struct build *b, uint32_t group, unsigned field, LLVMTypeRef type);
LLVMValueRef first_row(struct build *b, const struct stream *s, LLVMValueRef cols); /* where it begins */
LLVMValueRef stream_address(struct build *b, const struct stream *s, LLVMValueRef data, LLVMValueRef column);
/* Where it begins so many elements later. */
LLVMValueRef moved_on(struct build *b, const struct stream *s, LLVMValueRef data, LLVMValueRef elements);
/* `vectors` (a multiple of `split`) from `column`; b->moved[] of the stream's names. Where `rest` is not
 * NULL: one vector, of which the first `rest` lanes are in the row. Where `has_result` is not NULL and false,
 * b->scratch is written instead. With `whole_counters` the vectors are pairs, and the number of what is drawn
 * for `column` is a multiple of four. */
struct columns {
    LLVMValueRef column, rest;
    unsigned vectors, split;
    LLVMValueRef has_result;
    bool whole_counters;
};
void load_stream(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at);
void store_stream(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at,
                  bool streaming);
LLVMValueRef load_uniform(struct build *b, const struct stream *s, LLVMValueRef data); /* in all lanes */
/* x[0], y[0], x[1], y[1] ...: the first half of them, then the second. */
void zip_vectors(struct build *b, LLVMValueRef *out, LLVMValueRef x, LLVMValueRef y);
static inline LLVMValueRef *moved(const struct build *b, uint32_t name, unsigned vector)
{
    return &b->moved[(size_t)name * PIPELINE_MAX_UNROLL + vector];
}

/* build_bits.c: whether there is a stream of bits; where it begins so many elements later, a multiple of 8 or
 * within the byte; its vectors, as load_stream() and store_stream(). Vectors begin at columns that are
 * multiples of their lanes. */
bool has_bits(const struct build *b);
bool bits_can_split(const struct build *b); /* a split turn's vectors may have bits */
LLVMValueRef bits_address(struct build *b, LLVMValueRef data, LLVMValueRef elements);
void load_bits(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at);
void store_bits(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at);

/* build_draws.c: of a stream that is drawn, the number of the first element, which stands for an address and
 * is an i64; the number so many elements later; its vectors, as load_stream(). */
LLVMValueRef first_draw(struct build *b, const struct stream *s);
LLVMValueRef draw_behind(struct build *b, LLVMValueRef number, LLVMValueRef elements);
void draw_stream(struct build *b, const struct stream *s, LLVMValueRef first, const struct columns *at);
/* The least vectors of a turn whose draws share counters; 1 if none do. Whether all draws of a row, whose
 * first numbers are `first`, have their counters' first words at the same columns; and the columns before the
 * first of those. */
unsigned draw_unroll(const struct build *b);
LLVMValueRef draws_begin_alike(struct build *b, LLVMValueRef *first);
LLVMValueRef columns_before_counter(struct build *b, LLVMValueRef first);
/* What loops of whole counters need, before them and behind first_draw(). */
void hold_keys(struct build *b);

/* build_memory.c: one vector of elements in memory, from an address on or, on scalable sets, each at an
 * address of a vector of them; of a partial one the first `rest`, 0 and more. `rest` is NULL for a full
 * vector. */
LLVMTypeRef element_type_in(struct build *b,
                            enum element_type type); /* memory: what lanes hold as f32 is an integer */
LLVMValueRef load_elements(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef rest,
                           unsigned alignment);
/* From an address on, or from a vector of addresses, where the mask is true. */
LLVMValueRef load_masked(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef mask,
                         unsigned alignment);
void store_elements(struct build *b, LLVMValueRef value, LLVMValueRef address, LLVMValueRef rest,
                    unsigned alignment, bool streaming);
/* True in the first `rest` of so many lanes; NULL: in all. */
LLVMValueRef partial_mask(struct build *b, LLVMValueRef rest, unsigned lanes);
void prefetch(struct build *b, LLVMValueRef address, bool for_writing);
void store_fence(struct build *b); /* after streaming stores */

/* build_ops.c: the value of instruction `number`, whose operands are in b->values. */
LLVMValueRef build_op(struct build *b, uint32_t number);

/* build_half.c: f32 lanes rounded to what a type of 8 or 16 bits has, as f32. */
LLVMValueRef round_to_f16(struct build *b, LLVMValueRef x);
LLVMValueRef round_to_e4m3(struct build *b, LLVMValueRef x);
LLVMValueRef round_to_e5m2(struct build *b, LLVMValueRef x);
LLVMValueRef round_to_integer_type(struct build *b, enum element_type type, LLVMValueRef x);
LLVMValueRef round_to_bf16_away(struct build *b, LLVMValueRef x);
/* Value n, whose vector is x, rounded to bf16 in the high half of its bits; the low half is 0 after
 * bf16_alone(). */
LLVMValueRef round_to_bf16(struct build *b, uint32_t n, LLVMValueRef x);
LLVMValueRef bf16_alone(struct build *b, LLVMValueRef x);
/* Vectors of a type's elements in memory (element_type_in()) and of lanes that hold them, as they are if
 * `kept`. f32 lanes are rounded already where they become bf16, whatever their low bits are. */
LLVMValueRef lanes_of_elements(struct build *b, enum element_type type, bool kept, LLVMValueRef elements);
LLVMValueRef elements_of_lanes(struct build *b, enum element_type type, LLVMValueRef lanes);
/* Vectors of i32, each two bf16 that follow each other in memory. */
LLVMValueRef f32_of_pairs(struct build *b, LLVMValueRef pairs, bool second);
LLVMValueRef pairs_of_f32(struct build *b, LLVMValueRef first, LLVMValueRef second);

LLVMValueRef round_to_bf16_with(struct build *b, enum low_bits low,
                                LLVMValueRef x); /* build_half.c; as round_to_bf16() */

/* build_constants.c: whole vectors of constants in memory, which operations read themselves: all of them
 * where the loop wants that, else those that LLVM is not to see. */
bool has_constants_to_place(const struct build *b);
void place_constants(struct build *b);
void forget_places(struct build *b); /* before another function */
/* The constant that instruction `n` is for its user; NULL if it is none of those. */
LLVMValueRef constant_in_memory(struct build *b, uint32_t n, uint32_t user);

/* build_lookup.c: first, at the beginning of a function, tables into registers, where the set's vectors are
 * scalable. */
void hold_tables(struct build *b);
LLVMValueRef build_lookup(struct build *b, uint32_t table, LLVMValueRef index);

/* build_reductions.c: a scalar or vector that changes no sum or largest element; and two values in one. Which
 * of two zeros is the larger is open. */
LLVMValueRef nothing_to_add(enum operand_reduction how, LLVMTypeRef type);
LLVMValueRef added(struct build *b, enum operand_reduction how, LLVMValueRef all, LLVMValueRef one);
/* The larger number; y where one is a NaN. */
LLVMValueRef larger_number(struct build *b, LLVMValueRef x, LLVMValueRef y);
/* +0 of -0 where it is of largest elements. */
LLVMValueRef with_one_zero(struct build *b, enum operand_reduction how, LLVMValueRef v);

/* build_blocks.c: blocks, phis and loops. */
LLVMBasicBlockRef block(struct build *b, const char *name);
LLVMBasicBlockRef here(struct build *b);
void go_on_at(struct build *b, LLVMBasicBlockRef at);
LLVMValueRef phi_start(struct build *b, LLVMTypeRef type, LLVMValueRef value, LLVMBasicBlockRef from);
void phi_add(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from);
/* for (index = first; index < end; index += step), which may have no turn; `value` may go from turn to turn.
 */
struct loop {
    LLVMBasicBlockRef before, body, after;
    LLVMValueRef index, end, step, value; /* a phi, or NULL */
};
struct loop begin_loop_at(struct build *b, LLVMValueRef first, LLVMValueRef end, LLVMValueRef step,
                          LLVMValueRef value);
struct loop begin_loop(struct build *b, LLVMValueRef end, LLVMValueRef step, LLVMValueRef value); /* from 0 */
/* Returns what the value is behind the loop. */
LLVMValueRef end_loop(struct build *b, const struct loop *l, LLVMValueRef before, LLVMValueRef value);

/* build_values.c: the types of b->context and b->module; all vector types become those of `lanes` lanes,
 * values made before are of another length. */
void find_types(struct build *b);
void set_lanes(struct build *b, unsigned lanes);
/* Shorthands. */
LLVMValueRef constant_lanes(struct build *b, enum lane_type type, const uint64_t *bits, unsigned count);
LLVMValueRef constant_splat(struct build *b, enum lane_type type, unsigned count, uint64_t bits);
LLVMValueRef splat_bits(struct build *b, enum lane_type type, uint64_t bits); /* in all b->lanes */
LLVMValueRef splat_float(struct build *b, enum lane_type type, double value);
LLVMValueRef size_constant(struct build *b, uint64_t value);
LLVMValueRef lanes_in(struct build *b, unsigned vectors); /* their number, of the type size */
LLVMTypeRef vector_type(const struct build *b, LLVMTypeRef scalar,
                        unsigned lanes); /* scalable where the set's are */
LLVMValueRef i32_constant(struct build *b, uint32_t value);
LLVMValueRef call_intrinsic(struct build *b, const char *name, LLVMTypeRef *types, size_t type_count,
                            LLVMValueRef *arguments, unsigned argument_count);
/* `function` applied to each piece of `lanes` lanes of the arguments; the results joined. NULL arguments stay
 * NULL. */
typedef LLVMValueRef (*piece_function)(struct build *b, const void *context, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef in_pieces(struct build *b, unsigned lanes, piece_function function, const void *context,
                       LLVMValueRef x, LLVMValueRef y);
unsigned lane_count(LLVMValueRef vector);
/* An instruction of the set's own, whose results are of the scalar type `result`, applied to x, and to y
 * unless that is NULL. */
LLVMValueRef call_instruction(struct build *b, const struct target_instruction *instruction,
                              LLVMTypeRef result, LLVMValueRef x, LLVMValueRef y);
/* The smaller of two sizes; and what a size is more than another, or 0. */
LLVMValueRef smaller_size(struct build *b, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef size_beyond(struct build *b, LLVMValueRef x, LLVMValueRef y);
/* `count` lanes from number `first` on, each `step` after the one before, of x and y one after the other. */
LLVMValueRef shuffle(struct build *b, LLVMValueRef x, LLVMValueRef y, unsigned first, unsigned step,
                     unsigned count);
/* For scalable vectors: `part` in the place of lanes `first` and on of `all`; x[0], y[0], x[1], y[1] ..., in
 * two vectors; and the even and the odd lanes of x and y, one after the other. */
LLVMValueRef with_part(struct build *b, LLVMValueRef all, LLVMValueRef part, unsigned first);
void interleave(struct build *b, LLVMValueRef *out, LLVMValueRef x, LLVMValueRef y);
void deinterleave(struct build *b, LLVMValueRef *even, LLVMValueRef *odd, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef splat_value(struct build *b, LLVMValueRef scalar, unsigned count);

#endif
