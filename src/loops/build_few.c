/* The kernel's function. It computes calls of a single row of few columns, and passes all others on to
 * another function (build_kernel.c).
 *
 *     few:        on sets without mask registers: full vectors, one per turn, then the rest as a partial
 * vector on other sets: partial vectors, one per turn
 *
 * Most of the time of a call of few columns goes into the code around the loops. This is saved registers,
 * strides, tests for large operands, and the first turns of a pipeline, which store nothing. None of this is
 * here. The two are separate functions because LLVM sets up a frame before the first loop that uses addresses
 * from memory. It takes them for addresses of the stack. */
#include "build_loops.h"

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

static void build_columns(struct build *b, struct loops *l)
{
    const struct loop_form single = {1, 1, 1, false, false};
    LLVMBasicBlockRef partial = block(b, "partial"), end = block(b, "end");
    LLVMValueRef start = size_constant(b, 0);
    if (b->isa->mask_registers) {
        LLVMBuildBr(b->ir, partial);
    } else {
        start = build_vectors(b, l, start, single);
        LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, start, l->cols, ""), partial, end);
    }
    LLVMBasicBlockRef before = here(b);
    go_on_at(b, partial);
    LLVMValueRef index = phi_start(b, b->size, start, before);
    build_masked(b, l, index, LLVMBuildSub(b->ir, l->cols, index, ""));
    if (b->isa->mask_registers) {
        LLVMValueRef next = advance(b, index, lanes_in(b, 1));
        phi_add(index, next, here(b));
        LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, l->cols, ""), partial, end);
    } else {
        LLVMBuildBr(b->ir, end);
    }
    go_on_at(b, end);
    LLVMBuildRetVoid(b->ir);
}

static void go_to(struct build *b, LLVMValueRef other)
{
    LLVMValueRef arguments[] = {LLVMGetParam(b->function, 0), LLVMGetParam(b->function, 1),
                                LLVMGetParam(b->function, 2)};
    LLVMValueRef call = LLVMBuildCall2(b->ir, LLVMGlobalGetValueType(other), other, arguments, 3, "");
    LLVMSetTailCall(call, true);
    LLVMBuildRetVoid(b->ir);
}

void build_few(struct build *b, struct loops *l, LLVMValueRef otherwise)
{
    LLVMBasicBlockRef entry = block(b, "entry"), many = block(b, "many"), few = block(b, "few");
    l->cols = LLVMGetParam(b->function, 1);
    go_on_at(b, entry);
    branch_on_few(b, LLVMGetParam(b->function, 0), l->cols, few, many);
    go_on_at(b, many);
    go_to(b, otherwise);
    go_on_at(b, few);
    for (uint32_t k = 0; k < b->stream_count; k++) l->data[k] = first_row(b, &b->streams[k], l->cols);
    build_uniform(b, l, ONCE);
    build_uniform(b, l, PER_ROW);
    build_columns(b, l);
}
