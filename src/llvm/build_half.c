/* Rounding to the 16-bit floats by integer arithmetic, as base/half.h has it: the same bits on every instruction set. */
#include "build.h"

static LLVMValueRef bits_of(struct build *b, LLVMValueRef x)
{
    return LLVMBuildBitCast(b->ir, x, b->vector[LANE_I32], "");
}

static LLVMValueRef float_of(struct build *b, LLVMValueRef bits)
{
    return LLVMBuildBitCast(b->ir, bits, b->vector[LANE_F32], "");
}

static LLVMValueRef i32(struct build *b, uint32_t value) { return splat_bits(b, LANE_I32, value); }

static LLVMValueRef is_nan(struct build *b, LLVMValueRef x)
{
    return LLVMBuildFCmp(b->ir, LLVMRealUNO, x, x, "");
}

LLVMValueRef round_to_bf16(struct build *b, LLVMValueRef x)
{
    LLVMValueRef bits = bits_of(b, x);
    LLVMValueRef odd = LLVMBuildAnd(b->ir, LLVMBuildLShr(b->ir, bits, i32(b, 16), ""), i32(b, 1), "");
    LLVMValueRef sum = LLVMBuildAdd(b->ir, LLVMBuildAdd(b->ir, bits, odd, ""), i32(b, 0x7fff), "");
    LLVMValueRef rounded = LLVMBuildAnd(b->ir, sum, i32(b, 0xffff0000), "");
    LLVMValueRef quiet = LLVMBuildOr(b->ir, bits, i32(b, 0x400000), "");
    return float_of(b, LLVMBuildSelect(b->ir, is_nan(b, x), quiet, rounded, ""));
}

LLVMValueRef round_to_bf16_away(struct build *b, LLVMValueRef x)
{
    LLVMValueRef sum = LLVMBuildAdd(b->ir, bits_of(b, x), i32(b, 0x8000), "");
    return float_of(b, LLVMBuildAnd(b->ir, sum, i32(b, 0xffff0000), ""));
}

/* Normal results keep 10 fraction bits of the f32's 23; below 2^-14 an addition of 0.5 rounds at 2^-24; from 65520 on
 * it is infinity. */
LLVMValueRef round_to_f16(struct build *b, LLVMValueRef x)
{
    LLVMValueRef bits = bits_of(b, x), sign = LLVMBuildAnd(b->ir, bits, i32(b, 0x80000000), "");
    LLVMValueRef size = LLVMBuildAnd(b->ir, bits, i32(b, 0x7fffffff), ""), magnitude = float_of(b, size);
    LLVMValueRef odd = LLVMBuildAnd(b->ir, LLVMBuildLShr(b->ir, size, i32(b, 13), ""), i32(b, 1), "");
    LLVMValueRef sum = LLVMBuildAdd(b->ir, LLVMBuildAdd(b->ir, size, odd, ""), i32(b, 0xfff), "");
    LLVMValueRef normal = LLVMBuildAnd(b->ir, sum, i32(b, 0xffffe000), "");
    LLVMValueRef half = splat_float(b, LANE_F32, 0.5);
    LLVMValueRef tiny = bits_of(b, LLVMBuildFSub(b->ir, LLVMBuildFAdd(b->ir, magnitude, half, ""), half, ""));
    LLVMValueRef is_tiny = LLVMBuildICmp(b->ir, LLVMIntULT, size, i32(b, 0x38800000), "");
    LLVMValueRef is_large = LLVMBuildICmp(b->ir, LLVMIntUGE, size, i32(b, 0x477ff000), "");
    LLVMValueRef finite = LLVMBuildSelect(b->ir, is_tiny, tiny, normal, "");
    LLVMValueRef number = LLVMBuildSelect(b->ir, is_large, i32(b, 0x7f800000), finite, "");
    LLVMValueRef quiet = LLVMBuildOr(b->ir, size, i32(b, 0x400000), "");
    LLVMValueRef any = LLVMBuildSelect(b->ir, is_nan(b, x), quiet, number, "");
    return float_of(b, LLVMBuildOr(b->ir, any, sign, ""));
}
