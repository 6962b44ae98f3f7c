/* The kernel's function, and its direct function, which has the operands' data as parameters. They compute
 * calls of a single row of few columns, and pass all others on to another function (build_kernel.c).
 *
 *                 sets without mask registers              other sets
 *     one:        a full vector or a partial vector        a partial vector
 *     several:    full vectors, one per turn, and the      partial vectors, one per turn
 *                 rest as a partial vector
 *
 * Most of the time of a call of few columns goes into the code around the loops. This is saved registers,
 * strides, tests for large operands, and the first turns of a pipeline, which store nothing. None of this is
 * here. They are separate functions because LLVM sets up a frame before the first loop that uses addresses
 * from memory. It takes them for addresses of the stack.
 *
 * The first vector has code of its own, in no loop. There LLVM loads no constants before the vector, and
 * operations read them from memory. A call of one vector then takes 0.9 of the time (GELU, AVX-512). A direct
 * function, which finds the data in registers, takes 0.8 of that. */
#include "build_loops.h"
#include "function.h"

/* Returns the number of vectors up to which the kernel's own loop saves less than it takes to start. */
static unsigned few_vectors(const struct build *b)
{
    const unsigned lead = (b->pipeline.stages - 1) * b->pipeline.unroll;
    return lead ? 4 * lead : 2;
}

/* Branches to `few` if there is one row of few columns. Zero columns are not few, because nothing may be read
 * for them. There are two branches, because LLVM would compute their `and`, which costs as much as a short
 * call can save. */
static void branch_on_few(struct build *b, LLVMValueRef rows, LLVMValueRef cols, LLVMBasicBlockRef few,
                          LLVMBasicBlockRef many)
{
    LLVMBasicBlockRef single = block(b, "single_row");
    LLVMValueRef one = size_constant(b, 1), most = lanes_in(b, few_vectors(b));
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, rows, one, ""), single, many);
    go_on_at(b, single);
    LLVMValueRef before = LLVMBuildSub(b->ir, cols, one, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, before, most, ""), few, many);
}

/* Builds a partial vector for a row of one vector, and in `several` partial vectors, one per turn. */
static void build_by_masks(struct build *b, struct loops *l, LLVMBasicBlockRef several, LLVMBasicBlockRef end)
{
    LLVMValueRef zero = size_constant(b, 0);
    build_masked(b, l, zero, l->cols);
    LLVMBuildBr(b->ir, end);

    LLVMBasicBlockRef partial = block(b, "partial");
    go_on_at(b, several);
    LLVMBuildBr(b->ir, partial);
    go_on_at(b, partial);
    LLVMValueRef index = phi_start(b, b->size, zero, several);
    build_masked(b, l, index, LLVMBuildSub(b->ir, l->cols, index, ""));
    LLVMValueRef next = advance(b, index, lanes_in(b, 1));
    phi_add(index, next, here(b));
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, l->cols, ""), partial, end);
}

/* Builds a partial or a full vector for a row of one vector. Builds full vectors in `several`, one per turn,
 * and the rest as a partial vector. */
static void build_whole(struct build *b, struct loops *l, LLVMBasicBlockRef several, LLVMBasicBlockRef end)
{
    const struct loop_form single = {1, 1, 1, false, false};
    LLVMBasicBlockRef less = block(b, "less"), full = block(b, "full"), rest = block(b, "rest");
    LLVMValueRef zero = size_constant(b, 0);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntNE, l->cols, lanes_in(b, 1), ""), less, full);
    go_on_at(b, less);
    build_masked(b, l, zero, l->cols);
    LLVMBuildBr(b->ir, end);
    go_on_at(b, full);
    build_masked(b, l, zero, NULL);
    LLVMBuildBr(b->ir, end);

    go_on_at(b, several);
    LLVMValueRef index = build_vectors(b, l, zero, single);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, index, l->cols, ""), rest, end);
    go_on_at(b, rest);
    build_masked(b, l, index, LLVMBuildSub(b->ir, l->cols, index, ""));
    LLVMBuildBr(b->ir, end);
}

static void build_columns(struct build *b, struct loops *l)
{
    LLVMBasicBlockRef one = block(b, "one"), several = block(b, "several"), end = block(b, "end");
    LLVMValueRef is_one = LLVMBuildICmp(b->ir, LLVMIntULE, l->cols, lanes_in(b, 1), "");
    LLVMBuildCondBr(b->ir, is_one, one, several);
    go_on_at(b, one);
    if (b->isa->mask_registers)
        build_by_masks(b, l, several, end);
    else
        build_whole(b, l, several, end);
    go_on_at(b, end);
    LLVMBuildRetVoid(b->ir);
}

/* Makes room for all operands. This is in the entry block, where it is part of the stack frame. */
static LLVMValueRef make_array(struct build *b)
{
    LLVMTypeRef record = operand_record(b->context, b->pointer, b->size);
    return LLVMBuildAlloca(b->ir, LLVMArrayType2(record, b->what->kernel->group_count), "");
}

/* Puts the operands that the function has as parameters into the array. */
static void gather_operands(struct build *b, LLVMValueRef array)
{
    LLVMTypeRef record = operand_record(b->context, b->pointer, b->size);
    for (uint32_t group = 0; group < b->what->kernel->group_count; group++) {
        LLVMValueRef number = size_constant(b, group);
        LLVMValueRef at = LLVMBuildGEP2(b->ir, record, array, &number, 1, "");
        LLVMBuildStore(b->ir, operand_field(b, group, 0, b->pointer), at);
        LLVMBuildStore(b->ir, operand_field(b, group, 1, b->size),
                       LLVMBuildStructGEP2(b->ir, record, at, 1, ""));
    }
}

/* Calls the other function. A direct function passes the operands in the array. */
static void go_to(struct build *b, LLVMValueRef other, LLVMValueRef array)
{
    LLVMValueRef arguments[] = {LLVMGetParam(b->function, 0), LLVMGetParam(b->function, 1),
                                array ? array : LLVMGetParam(b->function, 2)};
    if (array) gather_operands(b, array);
    LLVMValueRef call = LLVMBuildCall2(b->ir, LLVMGlobalGetValueType(other), other, arguments, 3, "");
    LLVMSetTailCall(call, !array); /* the array is in this function's frame */
    LLVMBuildRetVoid(b->ir);
}

void build_few(struct build *b, struct loops *l, LLVMValueRef otherwise)
{
    LLVMBasicBlockRef entry = block(b, "entry"), many = block(b, "many"), few = block(b, "few");
    l->cols = LLVMGetParam(b->function, 1);
    go_on_at(b, entry);
    LLVMValueRef array = b->direct ? make_array(b) : NULL;
    branch_on_few(b, LLVMGetParam(b->function, 0), l->cols, few, many);
    go_on_at(b, many);
    go_to(b, otherwise, array);
    go_on_at(b, few);
    for (uint32_t k = 0; k < b->stream_count; k++) l->data[k] = first_row(b, &b->streams[k], l->cols);
    build_uniform(b, l, ONCE);
    build_uniform(b, l, PER_ROW);
    build_columns(b, l);
}
