/* Inside llvm/: a function under construction. */
#ifndef ACTGEN_BUILD_H
#define ACTGEN_BUILD_H

#include "backend.h"
#include "compat.h"
#include "pipeline.h"

#include <llvm-c/Core.h>

/* Intrinsics of the targets are only made by name; one that this LLVM lacks ends the build with its name. */
struct build {
    const struct backend_function *what;
    const struct backend_options *options;
    const struct lane_program *program;
    const struct target_isa *isa;
    unsigned lanes; /* of every vector value, whatever its type; LLVM splits wide ones */

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef ir;
    LLVMValueRef function;
    LLVMTypeRef scalar[LANE_TYPE_COUNT], vector[LANE_TYPE_COUNT]; /* i1 for LANE_TRUTH */
    LLVMTypeRef pointer, size;                                    /* size is i64 */

    struct pipeline pipeline;
    LLVMValueRef *all_values; /* of the lane program's instructions, of each vector in a turn */
    LLVMValueRef *values;     /* of those, the vector's that is being built */
    LLVMValueRef *carried;    /* of earlier turns, while a pipelined loop is built: carried_value() */
    LLVMValueRef *tables;     /* globals of tables that are read from memory; NULL until used */
    const char *missing;      /* an intrinsic that this LLVM has not */
};

/* The value of instruction n that vector u of `back` turns before has; back >= 1. */
static inline LLVMValueRef *carried_value(const struct build *b, unsigned u, uint32_t n, unsigned back)
{
    return &b->carried[((size_t)u * b->program->count + n) * PIPELINE_MAX_STAGES + back];
}

/* build.c: adds the function to the module. Does not verify it. */
int build_function(LLVMContextRef context, LLVMModuleRef module, const struct backend_function *what,
                   const struct backend_options *options, struct diag *error);

/* build_memory.c: one vector of an operand, at `index` elements from `data`. `mask` is NULL for a full
 * vector. */
LLVMValueRef load_operand(struct build *b, const struct kernel_operand *operand, LLVMValueRef data,
                          LLVMValueRef index, LLVMValueRef mask);
void store_operand(struct build *b, const struct kernel_operand *operand, LLVMValueRef data,
                   LLVMValueRef index, LLVMValueRef mask, bool streaming, LLVMValueRef value);
LLVMValueRef partial_mask(struct build *b, LLVMValueRef count); /* true in the first `count` lanes */
LLVMValueRef address_of(struct build *b, const struct kernel_operand *operand, LLVMValueRef data,
                        LLVMValueRef index);
void prefetch(struct build *b, LLVMValueRef address, bool for_writing);
LLVMValueRef made_by_intel(struct build *b); /* the processor that runs it: truth value; x86 */
void store_fence(struct build *b);           /* after streaming stores */

/* build_ops.c: the value of instruction `number`, whose operands are in b->values. */
LLVMValueRef build_op(struct build *b, uint32_t number);

/* build_half.c: f32 lanes rounded to what a 16-bit type has, as f32. */
LLVMValueRef round_to_f16(struct build *b, LLVMValueRef x);
LLVMValueRef round_to_bf16(struct build *b, LLVMValueRef x);
LLVMValueRef round_to_bf16_away(struct build *b, LLVMValueRef x);

/* build_lookup.c */
LLVMValueRef build_lookup(struct build *b, uint32_t table, LLVMValueRef index);

/* build_values.c: shorthands. */
LLVMValueRef constant_lanes(struct build *b, enum lane_type type, const uint64_t *bits, unsigned count);
LLVMValueRef constant_splat(struct build *b, enum lane_type type, unsigned count, uint64_t bits);
LLVMValueRef splat_bits(struct build *b, enum lane_type type, uint64_t bits); /* in all b->lanes */
LLVMValueRef splat_float(struct build *b, enum lane_type type, double value);
LLVMValueRef size_constant(struct build *b, uint64_t value);
LLVMValueRef i32_constant(struct build *b, uint32_t value);
LLVMValueRef call_intrinsic(struct build *b, const char *name, LLVMTypeRef *types, size_t type_count,
                            LLVMValueRef *arguments, unsigned argument_count);
/* `function` applied to each piece of `lanes` lanes of the arguments; the results joined. NULL arguments stay
 * NULL. */
typedef LLVMValueRef (*piece_function)(struct build *b, const void *context, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef in_pieces(struct build *b, unsigned lanes, piece_function function, const void *context,
                       LLVMValueRef x, LLVMValueRef y);
unsigned lane_count(LLVMValueRef vector);

#endif
