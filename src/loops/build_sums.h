/* Kernels with sums. Only for use inside loops/. */
#ifndef ACTGEN_BUILD_SUMS_H
#define ACTGEN_BUILD_SUMS_H

#include "build_loops.h"
#include "sums.h"

/* The function of a pass, or of all summands. */
struct pass_function {
    LLVMValueRef function;
    bool adds_up; /* it stores the totals of the values that it makes */
};
/* Builds b->function for a kernel with sums. It computes all blocks of a call into the workspace after the
 * operands. `functions` has the functions of the kernel's passes, or one function of all summands if there
 * are no passes. */
void build_sums(struct build *b, const struct pass_function *functions);

/* One group of results, or one total. */
struct sum {
    enum operand_reduction reduction;
    enum summand_form form;
    enum operand_shape shape;      /* of the result; SHAPE_ROWS for totals */
    uint32_t block;                /* of a total: columns of a block, or 0 */
    enum lane_type type, sum_type; /* of the values; of the accumulators */
    enum element_type element;     /* of the values in memory */
    unsigned lanes;                /* number of accumulators */
    bool is_total, is_input;       /* is a total; is a total of an input's values */
    uint32_t group;                /* of the result, or of the total's values in the kernel of summands */
    const struct kernel_operand *result; /* NULL for a total */
    LLVMValueRef values, width; /* start of the values in the tile; elements between the tile's rows */
    LLVMValueRef total, tile;   /* places in bytes from the start of the block */
};

/* Return the types and form of a total, or of a result that is a sum, without places. */
struct sum sum_of_total(const struct kernel_total *t);
struct sum sum_of_result(const struct kernel_operand *o);
/* Stores a sum, or the mean of its summands, as element `index` of the result whose elements begin at
 * `data`. `rows` and `cols` are those of the call. */
void store_sum(struct build *b, const struct sum *of, LLVMValueRef value, LLVMValueRef rows,
               LLVMValueRef cols, LLVMValueRef data, LLVMValueRef index);

/* -- build_adding.c: adds up tiles -- */

/* Returns nothing_to_add() in all accumulators. */
LLVMValueRef sum_first(struct build *b, const struct sum *s);
/* Joins the accumulators of a row into one value. */
LLVMValueRef sum_met(struct build *b, enum operand_reduction how, LLVMValueRef all);
/* Find, load and store element `index` from `base` on: a vector of `lanes` elements, or a scalar for one
 * lane. */
LLVMValueRef sum_address(struct build *b, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index);
LLVMValueRef sum_load(struct build *b, enum lane_type type, unsigned lanes, LLVMValueRef base,
                      LLVMValueRef index);
void sum_store(struct build *b, enum lane_type type, LLVMValueRef value, LLVMValueRef base,
               LLVMValueRef index);

/* Adds the values' summands to the accumulators. */
LLVMValueRef sum_with_values(struct build *b, const struct sum *of, LLVMValueRef all, LLVMValueRef values);
/* Returns a row's sum of `cols` summands, or their mean if the total is a mean. */
LLVMValueRef mean_of_total(struct build *b, const struct sum *of, LLVMValueRef sum, LLVMValueRef cols);
/* Stores a row's sum of `cols` summands, or their mean, as number `row` of the totals. */
void store_total(struct build *b, const struct sum *of, LLVMValueRef sum, LLVMValueRef cols,
                 LLVMValueRef total, LLVMValueRef row);
/* Adds the tile's `count` rows to the totals of its columns. */
void add_rows(struct build *b, const struct sum *of, LLVMValueRef total, LLVMValueRef count);
/* Adds up the blocks of columns in each of `count` rows. */
void add_blocks(struct build *b, const struct sum *of, LLVMValueRef cols, LLVMValueRef total,
                LLVMValueRef count);
/* Adds up each of `count` rows over its columns. The first has number `row` in the block. */
void add_columns(struct build *b, const struct sum *of, LLVMValueRef cols, LLVMValueRef total,
                 LLVMValueRef row, LLVMValueRef count);

#endif
