/* Sums and largest elements of vectors, lane by lane, or of scalars. */
#include "build.h"

LLVMValueRef nothing_to_add(enum operand_reduction how, LLVMTypeRef type)
{
    return LLVMConstReal(type, how == REDUCE_AMAX ? -(double)__builtin_inf() : 0); /* in all lanes */
}

LLVMValueRef larger_number(struct build *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, y, ""), x, y, "");
}

/* Joins `one` to `all`. A NaN in `all` stays, because no comparison with it is true. */
LLVMValueRef added(struct build *b, enum operand_reduction how, LLVMValueRef all, LLVMValueRef one)
{
    if (how != REDUCE_AMAX) return LLVMBuildFAdd(b->ir, all, one, "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b->ir, LLVMRealUNO, one, one, "");
    return LLVMBuildSelect(b->ir, is_nan, one, larger_number(b, one, all), "");
}

LLVMValueRef with_one_zero(struct build *b, enum operand_reduction how, LLVMValueRef v)
{
    return how == REDUCE_AMAX ? LLVMBuildFAdd(b->ir, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
}
