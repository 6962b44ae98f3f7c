/* Blocks, phis and loops of a function under construction. */
#include "build.h"

LLVMBasicBlockRef block(struct build *b, const char *name)
{
    return LLVMAppendBasicBlockInContext(b->context, b->function, name);
}

LLVMBasicBlockRef here(struct build *b) { return LLVMGetInsertBlock(b->ir); }

void go_on_at(struct build *b, LLVMBasicBlockRef at) { LLVMPositionBuilderAtEnd(b->ir, at); }

LLVMValueRef phi_start(struct build *b, LLVMTypeRef type, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMValueRef phi = LLVMBuildPhi(b->ir, type, "");
    LLVMAddIncoming(phi, &value, &from, 1);
    return phi;
}

void phi_add(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMAddIncoming(phi, &value, &from, 1);
}

struct loop begin_loop_at(struct build *b, LLVMValueRef first, LLVMValueRef end, LLVMValueRef step,
                          LLVMValueRef value)
{
    struct loop l = {
        .before = here(b), .body = block(b, ""), .after = block(b, ""), .end = end, .step = step};
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, first, end, ""), l.body, l.after);
    go_on_at(b, l.body);
    l.index = phi_start(b, b->size, first, l.before);
    l.value = value ? phi_start(b, LLVMTypeOf(value), value, l.before) : NULL;
    return l;
}

struct loop begin_loop(struct build *b, LLVMValueRef end, LLVMValueRef step, LLVMValueRef value)
{
    return begin_loop_at(b, size_constant(b, 0), end, step, value);
}

LLVMValueRef end_loop(struct build *b, const struct loop *l, LLVMValueRef before, LLVMValueRef value)
{
    LLVMValueRef next = LLVMBuildAdd(b->ir, l->index, l->step, ""), all = NULL;
    LLVMBasicBlockRef last = here(b);
    phi_add(l->index, next, last);
    if (value) phi_add(l->value, value, last);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, l->end, ""), l->body, l->after);
    go_on_at(b, l->after);
    if (!value) return NULL;
    all = phi_start(b, LLVMTypeOf(value), before, l->before);
    phi_add(all, value, last);
    return all;
}
