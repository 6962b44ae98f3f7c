/* Reductions of vectors, lane by lane, or of scalars. */
#include "build.h"

LLVMValueRef nothing_to_add(enum operand_reduction how, LLVMTypeRef type)
{
    return LLVMConstReal(type, reductions[how].start); /* in all lanes */
}

LLVMValueRef picked(struct build *b, enum operand_reduction how, LLVMValueRef x, LLVMValueRef y)
{
    const LLVMRealPredicate is_first = reductions[how].join == JOIN_LARGER ? LLVMRealOGT : LLVMRealOLT;
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, is_first, x, y, ""), x, y, "");
}

/* Joins `one` to `all`. A NaN in `all` stays, because no comparison with it is true. */
LLVMValueRef added(struct build *b, enum operand_reduction how, LLVMValueRef all, LLVMValueRef one)
{
    if (!reduction_picks(how)) return LLVMBuildFAdd(b->ir, all, one, "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b->ir, LLVMRealUNO, one, one, "");
    return LLVMBuildSelect(b->ir, is_nan, one, picked(b, how, one, all), "");
}

LLVMValueRef with_one_zero(struct build *b, enum operand_reduction how, LLVMValueRef v)
{
    return reduction_picks(how) ? LLVMBuildFAdd(b->ir, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
}
