/* Functions of kernels, their loops over full vectors, and the values that their parts share. Only for use
 * inside loops/ and llvm/. */
#ifndef ACTGEN_BUILD_LOOPS_H
#define ACTGEN_BUILD_LOOPS_H

#include "build.h"

/* Adds the function to the module, but does not verify it. In build_kernel.c. */
int build_function(LLVMContextRef context, LLVMModuleRef module, const struct backend_function *what,
                   const struct backend_options *options, struct diag *error);

struct loops {               /* the values and blocks that the parts of a function share */
    LLVMValueRef *data;      /* per stream: its address in this row */
    LLVMValueRef *first;     /* per stream: its address in the first row */
    LLVMValueRef *stride;    /* per stream whose address differs between rows: the stride in elements */
    LLVMValueRef rows, cols; /* after rows without gaps have become one */
    LLVMValueRef large;      /* truth value: results are written past the caches; NULL: never */
    LLVMValueRef ahead;    /* bytes from a vector to the data that is prefetched with it; NULL: no prefetch */
    bool large_prefetches; /* the loop that writes past the caches prefetches, too, on some cores */
    LLVMValueRef *data_ahead; /* per stream: its address, `ahead` bytes later */
    /* Accumulators of the streams that are sums of rows, and their phis: build_row_sums.c. */
    LLVMValueRef *sum, *sum_in_loop, *partial_sum;
    LLVMBasicBlockRef partial, row_end;
    LLVMValueRef
        row_function;         /* the direct function, which computes a row; NULL: the row is built in place */
    LLVMBasicBlockRef single; /* full vectors one by one; NULL unless several ways lead there */
    LLVMValueRef single_index;               /* phi */
    LLVMValueRef partial_index, partial_end; /* phis */
};

struct loop_form {
    unsigned stages;     /* 1, or that of b->pipeline */
    unsigned unroll;     /* vectors per turn, a power of two */
    unsigned split;      /* 1, or b->split */
    bool large;          /* writes past the caches */
    bool whole_counters; /* begins where the counters of draws begin: struct columns */
};

/* Builds the loop over full vectors, from `start` while cols leaves the elements of a turn. The loop runs
 * only if at least as many turns are left as there are stages. Continues after the loop, and returns the
 * index there. */
LLVMValueRef build_vectors(struct build *b, const struct loops *l, LLVMValueRef start, struct loop_form form);

/* Finds everything that is known before the first instruction. Returns false without memory. The caller must
 * call close_build() in both cases. In build_open.c. */
bool open_build(struct build *b, struct loops *l, const struct backend_function *what,
                const struct backend_options *options);
void close_build(struct build *b);

/* Returns index + step, for the next turn of a loop. */
LLVMValueRef advance(struct build *b, LLVMValueRef index, LLVMValueRef step);

/* Builds one vector at `index`. `rest` is the number of its lanes in the row, or NULL for all. */
void build_masked(struct build *b, const struct loops *l, LLVMValueRef index, LLVMValueRef rest);
/* Builds `count` whole vectors from `index` on. It loads all of them before it stores any. */
void build_together(struct build *b, const struct loops *l, LLVMValueRef index, unsigned count);

/* Continues with partial vectors, from `index` to `end`, and with the code after them. */
void go_to_partial(struct build *b, struct loops *l, LLVMValueRef index, LLVMValueRef end);

/* -- build_large.c: results that are written past the caches -- */

/* Sets l->large and l->ahead. */
void build_streaming_decision(struct build *b, struct loops *l);
/* Builds the columns before the first whole vector of the results, as partial vectors. */
void build_large_head(struct build *b, struct loops *l);
/* Builds all columns from `index` on. */
void build_large(struct build *b, struct loops *l, LLVMValueRef index);

/* Reads the operands into l->first, l->stride, l->rows and l->cols. In build_operands.c. */
void build_operands(struct build *b, struct loops *l);
/* Returns the number of blocks in a row of `cols` columns, or `cols` if `block` is 0. */
LLVMValueRef blocks_in_row(struct build *b, uint32_t block, LLVMValueRef cols);
/* Returns true if all rows can become one row. The kernel may then have only matrices that are not packed,
 * single values and lists, and no sums per row. */
bool rows_can_be_one(const struct build *b);
/* Returns how many elements the operand's rows are apart. `stride` is the caller's: 0 if rows follow each
 * other without gaps. *width becomes the number of elements in a row. */
LLVMValueRef rows_apart(struct build *b, const struct kernel_operand *o, LLVMValueRef stride,
                        LLVMValueRef cols, LLVMValueRef *width);

/* -- build_grid.c: threads of a grid, which share elements -- */

/* Builds b->function for one thread. */
void build_grid(struct build *b, struct loops *l);
/* Finds the addresses of a row in all streams. */
void find_row(struct build *b, struct loops *l, LLVMValueRef row);
/* Returns one of the numbers of struct target_axis, as a size_t. */
LLVMValueRef grid_value(struct build *b, const char *intrinsic);

/* Builds b->function for one thread of a warp, which shares the columns of a row. The kernel has sums over
 * columns. In build_warps.c. */
int build_warps(struct build *b, struct loops *l, struct diag *error);

/* Loads the operands that do not vary, and computes the instructions that depend on nothing else. Called
 * first for ONCE, then for PER_ROW, with l->data. In build_uniform.c. */
void build_uniform(struct build *b, const struct loops *l, enum uniformity which);

/* -- build_row_sums.c: sums over a row, in registers -- */

/* Makes the streams of sums add up where they would store. Returns false if they cannot, and then they
 * store. */
bool add_in_loop(struct build *b);
/* Makes the streams of sums store. */
void store_summands(struct build *b);
bool adds_up(const struct build *b); /* true if a stream adds up */
/* Returns the first total of the values that operand `o` of a pass stores, if it is a sum. Otherwise returns
 * NULL. */
const struct kernel_total *total_of_values(const struct lane_kernel *called, const struct kernel_operand *o);
/* Makes the streams of a pass add up their totals, if b->what->caller is set and its loop can. */
void add_totals(struct build *b);
bool stores_totals(const struct build *b); /* true if a stream adds up a total */
/* Returns the least number of vectors in a turn that have all accumulators, or 1 without accumulators. */
unsigned row_sum_unroll(const struct build *b);
/* Move the accumulators of a row, l->sum. begin_row_sums(): nothing is added up yet. partial_row_sums(): adds
 * the phis of partial vectors. go_on_with_row_sums(): passes the accumulators on to partial vectors, as in
 * go_to_partial(). take_row_sums(): takes them over there. */
void begin_row_sums(struct build *b, const struct loops *l);
void partial_row_sums(struct build *b, const struct loops *l);
void go_on_with_row_sums(struct build *b, const struct loops *l);
void take_row_sums(struct build *b, const struct loops *l);
/* Move the accumulators around a loop. split_row_sums(): from the order of columns to that of turns, or back.
 * enter_row_sums(): in the first block of the loop. repeat_row_sums(): at the loop's end. leave_row_sums():
 * after the loop. */
void split_row_sums(struct build *b, const struct loops *l, unsigned split, bool apart);
void enter_row_sums(struct build *b, const struct loops *l, LLVMBasicBlockRef before);
void repeat_row_sums(struct build *b, const struct loops *l);
void leave_row_sums(struct build *b, const struct loops *l, LLVMBasicBlockRef before, LLVMBasicBlockRef loop);
/* Adds the values that a turn has for stream k. */
void add_to_row_sum(struct build *b, const struct loops *l, uint32_t k, const struct columns *at);
/* Stores the sums of row number `row`, after its partial vectors. */
void end_row_sums(struct build *b, const struct loops *l, LLVMValueRef row);

/* -- build_rare.c: choices that are rarely made -- */

/* Return a truth value: true if any lane of the `count` vectors is true, or is below the limit (is_below) or
 * above it (otherwise). */
LLVMValueRef any_true(struct build *b, LLVMValueRef *truth, unsigned count);
LLVMValueRef any_beyond(struct build *b, LLVMValueRef *v, unsigned count, LLVMValueRef limit, bool is_below);
/* Branches if the truth value is true, and continues in that branch. */
struct rare_branch {
    LLVMBasicBlockRef before, after;
};
void begin_rare(struct build *b, struct rare_branch *r, LLVMValueRef any);
/* Ends the branch. chosen[u], which the branch has made, becomes the value after it: usual[u] if the branch
 * is not taken. */
void end_rare(struct build *b, const struct rare_branch *r, LLVMValueRef *chosen, LLVMValueRef *usual,
              unsigned count);

/* -- build_value_function.c: kernels whose operands are arguments -- */

/* Returns the type of the function. */
LLVMTypeRef value_function_type(LLVMContextRef context, const struct lane_kernel *kernel,
                                const struct backend_values *how);
/* Declares a function of that type with the calling convention of its ABI. */
LLVMValueRef add_value_function(LLVMModuleRef module, const char *symbol, LLVMTypeRef type,
                                const struct target_isa *isa, const struct backend_values *how);
/* Adds the function for the instruction set of `what`. All operands of its kernel are f32, or all are f64.
 * The last one is the only result. */
int build_value_function(LLVMValueRef *out, LLVMModuleRef module, const char *symbol,
                         const struct backend_function *what, const struct backend_options *options,
                         const struct backend_values *how, struct diag *error);

/* Builds b->function for a single row of few columns. It calls `otherwise` for all other calls. In
 * build_few.c. */
void build_few(struct build *b, struct loops *l, LLVMValueRef otherwise);

#endif
