/* The kernel as one thread of a grid runs it. One axis of the grid shares the columns, the other axis the
 * rows. If there is one row only, all threads share its columns. Any grid will do. A thread advances by the
 * number of threads until nothing is left.
 *
 *     1. all rows by whole vectors, with the widest accesses, if the row's operands are aligned to them
 *     2. all rows by single elements: the rest after the vectors, and rows that are not aligned.
 *        Neighbouring threads take neighbouring elements, so that their accesses join.
 *
 * One thread has an element from its loads to its stores, so a result may be in the place of an input. */
#include "build_loops.h"

struct share { /* a thread's share of an axis: where it begins, and how many threads there are */
    LLVMValueRef first, step;
};

LLVMValueRef grid_value(struct build *b, const char *intrinsic)
{
    LLVMValueRef none = size_constant(b, 0);
    return LLVMBuildZExt(b->ir, call_intrinsic(b, intrinsic, NULL, 0, &none, 0), b->size, "");
}

static struct share share_of(struct build *b, const struct target_axis *axis)
{
    LLVMValueRef threads = grid_value(b, axis->threads);
    LLVMValueRef before = LLVMBuildMul(b->ir, grid_value(b, axis->block), threads, "");
    return (struct share){LLVMBuildAdd(b->ir, before, grid_value(b, axis->thread), ""),
                          LLVMBuildMul(b->ir, grid_value(b, axis->blocks), threads, "")};
}

/* Lets all threads share the columns of a single row. */
static void join_axes(struct build *b, LLVMValueRef is_single, struct share *columns, struct share *rows)
{
    LLVMValueRef before = LLVMBuildMul(b->ir, rows->first, columns->step, "");
    LLVMValueRef number = LLVMBuildAdd(b->ir, before, columns->first, ""),
                 count = LLVMBuildMul(b->ir, rows->step, columns->step, "");
    columns->first = LLVMBuildSelect(b->ir, is_single, number, columns->first, "");
    columns->step = LLVMBuildSelect(b->ir, is_single, count, columns->step, "");
    rows->first = LLVMBuildSelect(b->ir, is_single, size_constant(b, 0), rows->first, "");
    rows->step = LLVMBuildSelect(b->ir, is_single, size_constant(b, 1), rows->step, "");
}

/* Returns how many of this row's columns go by vectors. */
static LLVMValueRef columns_in_vectors(struct build *b, const struct loops *l, unsigned lanes)
{
    LLVMValueRef bits = size_constant(b, 0);
    for (uint32_t k = 0; k < b->stream_count; k++) {
        if (uniformity_of(b->streams[k].operand) || !is_in_memory(&b->streams[k])) continue;
        bits = LLVMBuildOr(b->ir, bits, LLVMBuildPtrToInt(b->ir, l->data[k], b->size, ""), "");
    }
    LLVMValueRef odd = LLVMBuildAnd(b->ir, bits, size_constant(b, b->isa->grid.access_bytes - 1), "");
    LLVMValueRef is_aligned = LLVMBuildICmp(b->ir, LLVMIntEQ, odd, size_constant(b, 0), "");
    LLVMValueRef whole = LLVMBuildAnd(b->ir, l->cols, LLVMConstNeg(size_constant(b, lanes)), "");
    return LLVMBuildSelect(b->ir, is_aligned, whole, size_constant(b, 0), "");
}

void find_row(struct build *b, struct loops *l, LLVMValueRef row)
{
    for (uint32_t k = 0; k < b->stream_count; k++) {
        l->data[k] = l->first[k];
        if (b->streams[k].given || !kernel_has_stride(b->streams[k].operand)) continue;
        LLVMValueRef offset = LLVMBuildMul(b->ir, row, l->stride[k], "");
        l->data[k] = moved_on(b, &b->streams[k], l->first[k], offset);
    }
}

/* Builds the loops over all rows, by vectors of b->lanes. `whole` is the number of lanes of full vectors. */
static void build_nest(struct build *b, struct loops *l, struct share columns, struct share rows,
                       unsigned whole)
{
    LLVMValueRef lanes = size_constant(b, b->lanes);
    const bool by_vectors = b->lanes == whole;
    for (uint32_t k = 0; k < b->stream_count; k++) l->data[k] = l->first[k];
    build_uniform(b, l, ONCE);
    const struct loop row = begin_loop_at(b, rows.first, l->rows, rows.step, NULL);
    find_row(b, l, row.index);
    build_uniform(b, l, PER_ROW);
    LLVMValueRef vectors = columns_in_vectors(b, l, whole);
    LLVMValueRef first = LLVMBuildMul(b->ir, columns.first, lanes, ""),
                 step = LLVMBuildMul(b->ir, columns.step, lanes, "");
    if (!by_vectors) first = LLVMBuildAdd(b->ir, first, vectors, "");
    const struct loop column = begin_loop_at(b, first, by_vectors ? vectors : l->cols, step, NULL);
    build_masked(b, l, column.index, NULL);
    end_loop(b, &column, NULL, NULL);
    end_loop(b, &row, NULL, NULL);
}

/* Builds the function. Without rows or columns, nothing may be read. */
void build_grid(struct build *b, struct loops *l)
{
    const unsigned whole = b->lanes;
    LLVMBasicBlockRef entry = block(b, "entry"), some = block(b, "operands"), end = block(b, "end");
    go_on_at(b, entry);
    LLVMValueRef one = size_constant(b, 1);
    LLVMValueRef least = smaller_size(b, LLVMGetParam(b->function, 0), LLVMGetParam(b->function, 1));
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntUGE, least, one, ""), some, end);
    go_on_at(b, some);
    struct share columns = share_of(b, &b->isa->grid.columns), rows = share_of(b, &b->isa->grid.rows);
    build_operands(b, l);
    join_axes(b, LLVMBuildICmp(b->ir, LLVMIntEQ, l->rows, one, ""), &columns, &rows);
    b->alignment = b->isa->grid.access_bytes;
    build_nest(b, l, columns, rows, whole);
    b->alignment = 0;
    set_lanes(b, 1);
    build_nest(b, l, columns, rows, whole);
    LLVMBuildBr(b->ir, end);
    go_on_at(b, end);
    LLVMBuildRetVoid(b->ir);
}
