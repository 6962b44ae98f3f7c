/* Inside loops/: kernels with sums. */
#ifndef ACTGEN_BUILD_SUMS_H
#define ACTGEN_BUILD_SUMS_H

#include "build_loops.h"
#include "sums.h"

/* b->function, of a kernel with sums: all blocks of a call into the workspace behind its operands.
 * `functions` are those of its passes; without passes it is one, of all summands. */
void build_sums(struct build *b, const LLVMValueRef *functions);

/* One group of results, or one total. */
struct sum {
    enum operand_reduction reduction;
    enum summand_form form;
    enum operand_shape shape;            /* of the result; of totals SHAPE_ROWS */
    enum lane_type type, sum_type;       /* of the values in memory, of accumulators */
    unsigned lanes;                      /* accumulators */
    bool is_total, is_input;             /* a total; whose values are an input's */
    uint32_t group;                      /* of the result; of a total's values, in the kernel of summands */
    const struct kernel_operand *result; /* NULL: a total */
    LLVMValueRef values, width;          /* where the tile's begin; how many elements its rows are apart */
    LLVMValueRef total, tile;            /* places, bytes from the block's begin */
};

/* build_adding.c: nothing_to_add() in all accumulators; and what all accumulators of a row come to. */
LLVMValueRef sum_first(struct build *b, const struct sum *s);
LLVMValueRef sum_met(struct build *b, enum operand_reduction how, LLVMValueRef all);
/* Memory: element `index` from `base` on; a vector of `lanes` from there, or a scalar of one. */
LLVMValueRef sum_address(struct build *b, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index);
LLVMValueRef sum_load(struct build *b, enum lane_type type, unsigned lanes, LLVMValueRef base,
                      LLVMValueRef index);
void sum_store(struct build *b, enum lane_type type, LLVMValueRef value, LLVMValueRef base,
               LLVMValueRef index);

/* The tile's `count` rows, to the totals of its columns; */
void add_rows(struct build *b, const struct sum *of, LLVMValueRef total, LLVMValueRef count);
/* and over the columns, the rows from number `row` of the block on. */
void add_columns(struct build *b, const struct sum *of, LLVMValueRef cols, LLVMValueRef total,
                 LLVMValueRef row, LLVMValueRef count);

#endif
