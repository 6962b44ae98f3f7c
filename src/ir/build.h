/* A function under construction, and the parts that build it. A "turn" is one iteration of a loop. Only for
 * use inside ir/ and loops/. */
#ifndef ACTGEN_BUILD_H
#define ACTGEN_BUILD_H

#include "backend.h"
#include "compat.h"
#include "low_bits.h"
#include "pipeline.h"
#include "rare.h"

#include <llvm-c/Core.h>

/* A stream: an operand, or the operands of an interleaved group, that lie together in memory and are moved by
 * whole vectors. A "name" is one operand of the kernel. */
struct stream {
    const struct kernel_operand *operand; /* the first of its names */
    uint32_t name;                        /* the number of the first name in the kernel */
    unsigned parts;                       /* names whose elements alternate */
    /* The result, as callers see it, if elements are added to it instead of stored. Otherwise NULL. */
    const struct kernel_operand *sum;
    /* The total of a row that elements are added to as well, or NULL. */
    const struct kernel_total *total;
    bool is_dropped; /* elements are not stored, because only the total needs them */
    /* For an input that an earlier part of the function has made: its value in each vector of a turn, or its
     * only value if it is the same in all columns. NULL: the stream has a place of its own. */
    const LLVMValueRef *given;
};

/* PER_ROW: the same value in all columns. ONCE: the same value in all rows as well. */
enum uniformity { VARIES, PER_ROW, ONCE };

/* A function under construction. Intrinsics of the targets are made by name only. If this LLVM lacks an
 * intrinsic, the build ends with an error that has its name. */
struct build {
    const struct backend_function *what;
    const struct backend_options *options;
    const struct lane_program *program;
    const struct target_isa *isa;
    /* The lanes of every vector value, whatever its type. LLVM splits wide vectors. Scalable vectors have a
     * multiple of this number. */
    unsigned lanes;
    unsigned alignment; /* of all vectors in memory, in bytes; 0: that of their elements */
    /* Columns from one vector of a turn to the next, if other threads have those in between. 0: none has. */
    unsigned apart;

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef ir;
    LLVMValueRef function; /* the function that is being built */
    /* The function has the data of each group of operands as a parameter, and no strides. Otherwise it has
     * the operands in memory. */
    bool direct;
    /* Per name: a value of each lane. Inputs are read from here, and results are left here. NULL: the
     * operands are in memory. */
    LLVMValueRef *in_registers;
    LLVMTypeRef scalar[LANE_TYPE_COUNT], vector[LANE_TYPE_COUNT]; /* i1 for LANE_TRUTH */
    LLVMTypeRef pointer, size;                                    /* size_t */
    bool big_endian;

    struct stream *streams;
    uint32_t stream_count;
    unsigned split;       /* 2: the vectors of a turn alternate between even and odd elements; otherwise 1 */
    bool adds_in_loop;    /* for a kernel with sums: its own loop adds up, and stores no tile */
    bool has_one_loop;    /* partial vectors and whole ones take the same loop */
    bool shares_counters; /* turns of the program's own loop take whole counters of random draws */
    uint8_t *uniform;     /* per instruction: enum uniformity; VARIES for constants */
    /* Per instruction: true for a load that takes one or two operations, and for a comparison of such
     * loads. */
    uint8_t *cheap;
    uint32_t *rare;    /* per instruction: find_rare() */
    uint8_t *low_bits; /* per instruction: what is known of its low bits, enum low_bits */

    struct pipeline pipeline;
    LLVMValueRef *moved; /* per name and per vector in a turn: loaded, or to be stored */
    /* Hold constants and instructions that do not vary: in all lanes, and as scalars. NULL where nobody needs
     * the value in that form. */
    LLVMValueRef *row_values, *row_scalars;
    LLVMValueRef *all_values; /* per vector in a turn, per instruction of the lane program */
    LLVMValueRef *values;     /* the part of all_values for the vector that is being built */
    LLVMValueRef *carried;    /* of earlier turns, in a pipelined loop: carried_value() */
    LLVMValueRef *tables;     /* globals of the tables that are read from memory; NULL until used */
    LLVMValueRef *held;       /* registers that hold tables: held_table() */
    uint16_t *place;          /* per instruction: its number in `placed`, from 1, or 0 if it is not there */
    LLVMValueRef *placed;     /* the constants that are read in memory */
    LLVMTypeRef placed_type;  /* a structure of these constants */
    LLVMValueRef placed_at;   /* its address; NULL without such constants */
    LLVMValueRef *held_constants; /* registers with the first of `placed`, or NULL: hold_constants() */
    LLVMValueRef *seeds, *keys;   /* of the random draws, in the function's first block; held_key() */
    LLVMValueRef scratch;         /* memory that nobody reads, for stores of a turn that has no result yet */
    const char *missing;          /* an intrinsic that this LLVM lacks */
};

/* Returns the value that instruction n had in vector u, `back` turns ago. back >= 1. */
static inline LLVMValueRef *carried_value(const struct build *b, unsigned u, uint32_t n, unsigned back)
{
    return &b->carried[((size_t)u * b->program->count + n) * PIPELINE_MAX_STAGES + back];
}

/* Returns register i of a table that scalable vectors hold. */
enum { TABLE_REGISTERS = 2 };
static inline LLVMValueRef *held_table(const struct build *b, uint32_t number, unsigned i)
{
    return &b->held[(size_t)number * TABLE_REGISTERS + i];
}

/* -- build_streams.c: operands in memory -- */

/* Returns the number of names: the operands, then the inputs that are not in memory. */
static inline uint32_t name_count(const struct lane_kernel *kernel)
{
    return kernel->operand_count + kernel->made_count;
}
static inline bool is_in_memory(const struct stream *s) { return !s->operand->source; }
/* Lists the streams: the random draws first, then places, the results last, and no u64 operands. `out` has
 * room for name_count() streams. Returns how many there are. */
uint32_t find_streams(struct stream *out, const struct lane_kernel *kernel);
enum uniformity uniformity_of(const struct kernel_operand *o);
bool stream_has_stride(const struct stream *s); /* its address differs between rows */
bool is_sum_of_row(const struct stream *s);     /* it has a sum of each row, or one sum of all */
/* Returns true if elements are added to accumulators in registers: build_row_sums.c. */
bool adds_in_row(const struct stream *s);
/* Returns 2 if a split turn needs fewer instructions that cross lanes, otherwise 1. */
unsigned choose_split(const struct build *b);
/* Returns true if columns share elements of a stream. Vectors then begin at multiples of their lanes. */
bool has_blocks(const struct build *b);
unsigned column_bytes(const struct stream *s);      /* bytes that a column takes */
bool loads_cheaply(const struct kernel_operand *o); /* a load takes one or two operations */
/* Loads a field of the group's operand record: 0 is the data, 1 the stride. */
LLVMValueRef operand_field(struct build *b, uint32_t group, unsigned field, LLVMTypeRef type);
/* Returns the address of the stream's first row, or the number of its first place. */
LLVMValueRef first_row(struct build *b, const struct stream *s, LLVMValueRef cols);
LLVMValueRef stream_address(struct build *b, const struct stream *s, LLVMValueRef data, LLVMValueRef column);
/* Returns the address so many elements later. */
LLVMValueRef moved_on(struct build *b, const struct stream *s, LLVMValueRef data, LLVMValueRef elements);
/* The columns to load or store: `vectors` vectors from `column`. The values are in b->moved[] under the
 * stream's names. */
struct columns {
    /* `rest` is NULL, or the number of lanes in the row. Then there is one vector. */
    LLVMValueRef column, rest;
    unsigned vectors, split; /* `vectors` is a multiple of `split` */
    /* NULL, or a truth value. If it is false, stores go to b->scratch. */
    LLVMValueRef has_result;
    /* The vectors are pairs, and the number of the draw at `column` is a multiple of four. */
    bool whole_counters;
};
void load_stream(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at);
void store_stream(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at,
                  bool streaming);
LLVMValueRef load_uniform(struct build *b, const struct stream *s, LLVMValueRef data); /* in all lanes */
/* Alternates the lanes of x and y: x[0], y[0], x[1], y[1] .... out[0] gets the first half, out[1] the
 * second. */
void zip_vectors(struct build *b, LLVMValueRef *out, LLVMValueRef x, LLVMValueRef y);
static inline LLVMValueRef *moved(const struct build *b, uint32_t name, unsigned vector)
{
    return &b->moved[(size_t)name * PIPELINE_MAX_UNROLL + vector];
}

/* -- build_bits.c: operands of bits, in vectors that begin at multiples of their lanes -- */

/* Returns true if there is a stream of bits. */
bool has_bits(const struct build *b);
bool bits_can_split(const struct build *b); /* a split turn can move bits */
/* Load and store the bits of a stream's vectors, as load_stream() and store_stream() do for elements. */
void load_bits(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at);
void store_bits(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at);

/* -- build_nibbles.c: operands of 4 bits, in vectors that begin at multiples of their lanes -- */

/* Returns true if elements of a stream share bytes: bits, or types of 4 bits. */
bool shares_bytes(const struct build *b);
/* Returns the address of the byte that has the element so much later. */
LLVMValueRef byte_address(struct build *b, enum element_type type, LLVMValueRef data, LLVMValueRef elements);
/* Load and store the elements of a stream's vectors. */
void load_nibbles(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at);
void store_nibbles(struct build *b, const struct stream *s, LLVMValueRef data, const struct columns *at);

/* -- build_draws.c: streams that are not in memory: random draws, numbers of rows and columns -- */

/* Returns the number of the stream's first element, an i64. This number takes the place of an address. */
LLVMValueRef first_place(struct build *b, const struct stream *s);
/* Returns the difference of the numbers in two rows. */
LLVMValueRef places_apart(struct build *b, const struct stream *s, LLVMValueRef cols);
/* Returns the number so many elements later. */
LLVMValueRef place_behind(struct build *b, LLVMValueRef number, LLVMValueRef elements);
/* Makes the vectors of a stream, as load_stream() loads elements. */
void place_stream(struct build *b, const struct stream *s, LLVMValueRef first, const struct columns *at);
/* Returns the number of a row, as load_uniform() loads an element. */
LLVMValueRef place_in_all_lanes(struct build *b, LLVMValueRef number);
/* Returns the least number of vectors in a turn whose draws share counters, or 1 if no draws share
 * counters. */
unsigned draw_unroll(const struct build *b);
/* Builds a truth value: true if all draws of a row begin their counters at the same columns. `first` has the
 * draws' first numbers in the row. */
LLVMValueRef draws_begin_alike(struct build *b, LLVMValueRef *first);
/* Returns the number of columns before the first whole counter. */
LLVMValueRef columns_before_counter(struct build *b, LLVMValueRef first);
/* Builds the keys that loops of whole counters need. Called before these loops and after first_draw(). */
void hold_keys(struct build *b);

/* -- build_memory.c: one vector of elements in memory -- */

/* Returns the type of an element in memory. It is an integer for types that lanes hold as f32. */
LLVMTypeRef element_type_in(struct build *b, enum element_type type);
/* Load or store one vector from an address on. On scalable sets, `address` may be a vector with the address
 * of each element. `rest` is the number of elements in a partial vector, 0 or more, or NULL for a full
 * vector. */
LLVMValueRef load_elements(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef rest,
                           unsigned alignment);
/* Loads the elements for which the mask is true, from an address on or from a vector of addresses. */
LLVMValueRef load_masked(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef mask,
                         unsigned alignment);
void store_elements(struct build *b, LLVMValueRef value, LLVMValueRef address, LLVMValueRef rest,
                    unsigned alignment, bool streaming);
/* Returns a mask of `lanes` lanes that is true in the first `rest`, or in all if `rest` is NULL. */
LLVMValueRef partial_mask(struct build *b, LLVMValueRef rest, unsigned lanes);
void prefetch(struct build *b, LLVMValueRef address, bool for_writing);
void store_fence(struct build *b); /* after streaming stores */

/* -- build_ops.c: operations -- */

/* Returns the value of instruction `number`, whose operands are in b->values. */
LLVMValueRef build_op(struct build *b, uint32_t number);

/* -- build_half.c: types of 4, 8 and 16 bits -- */

/* Round f32 lanes to the values of the type, as f32. */
LLVMValueRef round_to_f16(struct build *b, LLVMValueRef x);
LLVMValueRef round_to_e4m3(struct build *b, LLVMValueRef x);
LLVMValueRef round_to_e5m2(struct build *b, LLVMValueRef x);
LLVMValueRef round_to_integer_type(struct build *b, enum element_type type, LLVMValueRef x);
/* Both round value n, whose vector is x, to bf16 in the high half of its bits, ties to even or away from 0.
 * bf16_alone() makes the low half 0. */
LLVMValueRef round_to_bf16(struct build *b, uint32_t n, LLVMValueRef x);
LLVMValueRef round_to_bf16_away(struct build *b, uint32_t n, LLVMValueRef x);
LLVMValueRef bf16_alone(struct build *b, LLVMValueRef x);
/* Convert between vectors of a type's elements in memory (element_type_in()) and of lanes. Elements of 4 bits
 * are integers of 32 bits here. With `kept`, lanes hold the elements as they are. f32 lanes that become bf16
 * are rounded already, and may have any low bits. */
LLVMValueRef lanes_of_elements(struct build *b, enum element_type type, bool kept, LLVMValueRef elements);
LLVMValueRef elements_of_lanes(struct build *b, enum element_type type, LLVMValueRef lanes);
/* Convert between f32 and i32 lanes that hold two bf16, neighbours in memory. */
LLVMValueRef f32_of_pairs(struct build *b, LLVMValueRef pairs, bool second);
LLVMValueRef pairs_of_f32(struct build *b, LLVMValueRef first, LLVMValueRef second);

/* Rounds like round_to_bf16(), if `low` is known of the low bits. In build_half.c. */
LLVMValueRef round_to_bf16_with(struct build *b, enum low_bits low, LLVMValueRef x);

/* -- build_constants.c: whole vectors of constants in memory, which operations read as operands -- */
bool has_constants_to_place(const struct build *b);
/* Places all constants in memory if the loop wants that. Otherwise places the constants that LLVM must not
 * see. */
void place_constants(struct build *b);
void forget_places(struct build *b); /* called before another function is built */
/* Loads placed constants here, as many as pipeline.holds. Operations take them from these registers until
 * release_constants(). */
void hold_constants(struct build *b);
void release_constants(struct build *b);
/* Returns constant n for its user, loaded from memory or held. NULL if the constant is not placed. */
LLVMValueRef placed_constant(struct build *b, uint32_t n, uint32_t user);

/* -- build_lookup.c: tables -- */

/* Loads tables into registers, if the set's vectors are scalable. Called at the beginning of a function. */
void hold_tables(struct build *b);
LLVMValueRef build_lookup(struct build *b, uint32_t table, LLVMValueRef index);
/* Looks up a table of f32, which are given as bits, by the low bits of the index. Returns NULL if the set
 * takes more than two lookups in registers for it. */
LLVMValueRef lookup_f32(struct build *b, const uint64_t *bits, unsigned log2_size, LLVMValueRef index);
/* Returns the type of integers with this many bytes. */
enum lane_type integer_of_bytes(unsigned bytes);

/* -- build_tables.c: tables in memory -- */

/* Returns the content in memory. Functions of an object share it, because many take the same exponentials. */
LLVMValueRef shared_global(struct build *b, LLVMValueRef content);
/* Tells LLVM that no store changes what the load reads. */
void mark_invariant(struct build *b, LLVMValueRef load);
/* Returns the memory of a table. On sets without grids the entries follow each other. */
LLVMValueRef table_global(struct build *b, uint32_t number);
/* Looks up a table in memory, by one scalar load per element. Gathers are no faster, and much slower on some
 * cores. Scalable vectors can only gather. */
LLVMValueRef lookup_in_memory(struct build *b, uint32_t number, LLVMValueRef index);

/* -- build_reductions.c: reductions of scalars or vectors -- */

/* Returns the value that changes no result. */
LLVMValueRef nothing_to_add(enum operand_reduction how, LLVMTypeRef type);
/* Joins two values into one. The larger of two zeros of different signs may be either. */
LLVMValueRef added(struct build *b, enum operand_reduction how, LLVMValueRef all, LLVMValueRef one);
/* Returns the number that the reduction picks, or y if either is a NaN. */
LLVMValueRef picked(struct build *b, enum operand_reduction how, LLVMValueRef x, LLVMValueRef y);
/* Turns -0 into +0 if the reduction picks. */
LLVMValueRef with_one_zero(struct build *b, enum operand_reduction how, LLVMValueRef v);

/* -- build_blocks.c: blocks, phis and loops -- */
LLVMBasicBlockRef block(struct build *b, const char *name);
LLVMBasicBlockRef here(struct build *b);
void go_on_at(struct build *b, LLVMBasicBlockRef at);
LLVMValueRef phi_start(struct build *b, LLVMTypeRef type, LLVMValueRef value, LLVMBasicBlockRef from);
void phi_add(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from);
/* A loop: for (index = first; index < end; index += step). It may have no turn. `value`, if there is one,
 * passes from turn to turn. */
struct loop {
    LLVMBasicBlockRef before, body, after;
    LLVMValueRef index, end, step, value; /* a phi, or NULL */
};
struct loop begin_loop_at(struct build *b, LLVMValueRef first, LLVMValueRef end, LLVMValueRef step,
                          LLVMValueRef value);
struct loop begin_loop(struct build *b, LLVMValueRef end, LLVMValueRef step, LLVMValueRef value); /* from 0 */
/* Returns the value after the loop. */
LLVMValueRef end_loop(struct build *b, const struct loop *l, LLVMValueRef before, LLVMValueRef value);

/* -- build_values.c: types and shorthands -- */

/* Finds the types of b->context and b->module. */
void find_types(struct build *b);
/* Makes all vector types those of `lanes` lanes, or scalar types if it is 0. Values made before keep their
 * length. */
void set_lanes(struct build *b, unsigned lanes);
/* Return constants: `count` given lanes, or the same value in all lanes. With 0 lanes they are scalars. */
LLVMValueRef constant_lanes(struct build *b, enum lane_type type, const uint64_t *bits, unsigned count);
LLVMValueRef constant_splat(struct build *b, enum lane_type type, unsigned count, uint64_t bits);
LLVMValueRef splat_bits(struct build *b, enum lane_type type, uint64_t bits); /* in all b->lanes */
LLVMValueRef splat_float(struct build *b, enum lane_type type, double value);
LLVMValueRef size_constant(struct build *b, uint64_t value);
LLVMValueRef lanes_in(struct build *b, unsigned vectors); /* their number of lanes, a size_t */
/* Returns how many columns vector number `vectors` of a turn is behind the first, times `each`. */
LLVMValueRef columns_before(struct build *b, unsigned vectors, unsigned each);
/* Returns a vector type, which is scalable if the set's vectors are. With 0 lanes it is the scalar type. */
LLVMTypeRef vector_type(const struct build *b, LLVMTypeRef scalar, unsigned lanes);
LLVMValueRef i32_constant(struct build *b, uint32_t value);
LLVMValueRef call_intrinsic(struct build *b, const char *name, LLVMTypeRef *types, size_t type_count,
                            LLVMValueRef *arguments, unsigned argument_count);
/* Applies `function` to each piece of `lanes` lanes of the arguments, and joins the results. NULL arguments
 * stay NULL. */
typedef LLVMValueRef (*piece_function)(struct build *b, const void *context, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef in_pieces(struct build *b, unsigned lanes, piece_function function, const void *context,
                       LLVMValueRef x, LLVMValueRef y);
unsigned lane_count(LLVMValueRef vector);
/* Calls an instruction of the instruction set with x, and with y unless it is NULL. The results have the
 * scalar type `result`. */
LLVMValueRef call_instruction(struct build *b, const struct target_instruction *instruction,
                              LLVMTypeRef result, LLVMValueRef x, LLVMValueRef y);
/* Repeats a call of a masked instruction. Lanes outside of the mask get `instead`, and take no time. */
LLVMValueRef masked_call(struct build *b, LLVMValueRef call, LLVMValueRef mask, LLVMValueRef instead);
/* Return the smaller of two sizes, and the difference x - y, or 0 if y is larger. */
LLVMValueRef smaller_size(struct build *b, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef size_beyond(struct build *b, LLVMValueRef x, LLVMValueRef y);
/* Returns `count` lanes of x followed by y: numbers first, first + step, first + 2 step, .... */
LLVMValueRef shuffle(struct build *b, LLVMValueRef x, LLVMValueRef y, unsigned first, unsigned step,
                     unsigned count);
/* For scalable vectors. with_part() replaces the lanes of `all` from `first` on by `part`. interleave()
 * alternates lanes as zip_vectors() does. deinterleave() returns the even and the odd lanes of x followed by
 * y. */
LLVMValueRef with_part(struct build *b, LLVMValueRef all, LLVMValueRef part, unsigned first);
void interleave(struct build *b, LLVMValueRef *out, LLVMValueRef x, LLVMValueRef y);
void deinterleave(struct build *b, LLVMValueRef *even, LLVMValueRef *odd, LLVMValueRef x, LLVMValueRef y);
/* Return a vector of `count` lanes, or the scalar itself if that is 0, and the first lane of a vector. */
LLVMValueRef splat_value(struct build *b, LLVMValueRef scalar, unsigned count);
LLVMValueRef lane_0(struct build *b, LLVMValueRef vector);

#endif
