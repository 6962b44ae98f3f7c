/* Inside loops/ and llvm/: functions of kernels, their loops over full vectors, and what these share with the
 * function around them. */
#ifndef ACTGEN_BUILD_LOOPS_H
#define ACTGEN_BUILD_LOOPS_H

#include "build.h"

/* build_kernel.c: adds the function to the module. Does not verify it. */
int build_function(LLVMContextRef context, LLVMModuleRef module, const struct backend_function *what,
                   const struct backend_options *options, struct diag *error);

struct loops {                /* values and blocks that the parts of a function share */
    LLVMValueRef *data;       /* of each stream, in this row */
    LLVMValueRef *first;      /* of each stream, in the first row */
    LLVMValueRef *stride;     /* of each stream, in elements; where it has other data in each row */
    LLVMValueRef rows, cols;  /* after rows without gaps have become one */
    LLVMValueRef large;       /* truth value: results go past the caches; NULL if never */
    LLVMValueRef ahead;       /* bytes from a vector to what is prefetched with it; NULL: nothing is */
    LLVMValueRef *data_ahead; /* of each stream, `ahead` bytes on */
    LLVMValueRef *sum, *sum_in_loop,
        *partial_sum; /* accumulators of streams that are sums of rows; and phis: build_row_sums.c */
    LLVMBasicBlockRef partial, row_end;
    LLVMBasicBlockRef single;  /* full vectors one by one; NULL unless more than one way leads there */
    LLVMValueRef single_index; /* phi */
    LLVMValueRef partial_index, partial_end; /* phis */
};

struct loop_form {
    unsigned stages;     /* 1, or b->pipeline's */
    unsigned unroll;     /* vectors a turn, a power of two */
    unsigned split;      /* 1, or b->split */
    bool large;          /* writes past the caches */
    bool whole_counters; /* begins where counters of what is drawn do: struct columns */
};

/* Makes the loop over full vectors, from `start` while a turn's elements are left before cols, where these
 * are as many turns as there are stages. Continues behind the loop, and returns the index there. */
LLVMValueRef build_vectors(struct build *b, const struct loops *l, LLVMValueRef start, struct loop_form form);

/* build_open.c: all that is known before the first instruction is made. False without memory; close it in
 * both cases. */
bool open_build(struct build *b, struct loops *l, const struct backend_function *what,
                const struct backend_options *options);
void close_build(struct build *b);

/* index + step, for the next turn of a loop. */
LLVMValueRef advance(struct build *b, LLVMValueRef index, LLVMValueRef step);

/* One vector at `index`, of which the first `rest` lanes are in the row; all where `rest` is NULL. */
void build_masked(struct build *b, const struct loops *l, LLVMValueRef index, LLVMValueRef rest);

/* On to partial vectors, from `index` to `end`, and to what comes behind them. */
void go_to_partial(struct build *b, struct loops *l, LLVMValueRef index, LLVMValueRef end);

/* build_large.c: sets l->large and l->ahead; then, of a row that is written past the caches, the columns
 * before the results' first whole vectors, as partial ones, and all behind them. */
void build_streaming_decision(struct build *b, struct loops *l);
void build_large_head(struct build *b, struct loops *l);
void build_large(struct build *b, struct loops *l, LLVMValueRef index);

/* build_operands.c: reads the operands into l->first, l->stride, l->rows and l->cols. */
void build_operands(struct build *b, struct loops *l);
/* Returns how many elements the operand's rows are apart, by its stride as a call has it: 0 where they follow
 * each other without gaps. *width becomes what a row has. */
LLVMValueRef rows_apart(struct build *b, const struct kernel_operand *o, LLVMValueRef stride,
                        LLVMValueRef cols, LLVMValueRef *width);

/* build_grid.c: b->function, for one thread of a grid. */
void build_grid(struct build *b, struct loops *l);

/* Loads what does not vary, and computes what depends on nothing else; first ONCE, then PER_ROW from l->data.
 */
void build_uniform(struct build *b, const struct loops *l, enum uniformity which);

/* build_row_sums.c: makes streams that are sums add up where they would store, and returns true, if they can;
 * and makes them store. */
bool add_in_loop(struct build *b);
void store_summands(struct build *b);
bool adds_up(const struct build *b); /* a stream does */
/* The least vectors of a turn that have all accumulators; 1 if there are none. */
unsigned row_sum_unroll(const struct build *b);
/* Accumulators of a row, l->sum: nothing is added up yet; go on to partial vectors, as go_to_partial(); and
 * are what comes from there. */
void begin_row_sums(struct build *b, const struct loops *l);
void partial_row_sums(struct build *b, const struct loops *l);
void go_on_with_row_sums(struct build *b, const struct loops *l);
void take_row_sums(struct build *b, const struct loops *l);
/* Around a loop: from order of columns to that of turns or back; in its first block, at its end, and behind
 * it. */
void split_row_sums(struct build *b, const struct loops *l, unsigned split, bool apart);
void enter_row_sums(struct build *b, const struct loops *l, LLVMBasicBlockRef before);
void repeat_row_sums(struct build *b, const struct loops *l);
void leave_row_sums(struct build *b, const struct loops *l, LLVMBasicBlockRef before, LLVMBasicBlockRef loop);
/* What a turn has made of stream k; and what a row comes to, behind its partial vectors. */
void add_to_row_sum(struct build *b, const struct loops *l, uint32_t k, const struct columns *at);
void end_row_sums(struct build *b, const struct loops *l);

/* build_few.c: b->function, for a single row of few columns; it calls `otherwise` for all else. */
void build_few(struct build *b, struct loops *l, LLVMValueRef otherwise);

#endif
