/* The 16-bit floats in vectors, with the bits of base/half.h on every instruction set (NaNs as NaNs). bf16 by integer
 * arithmetic, since the processor's conversion flushes subnormals; f16 by the processor's (F16C), which does not, where it
 * has one. */
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

/* bits + 0x7fff, or + 0x8000 where the last bit that stays is set: by a mask register if there are any, which takes one
 * operation less. */
static LLVMValueRef add_half_an_ulp(struct build *b, LLVMValueRef bits)
{
    LLVMValueRef below = LLVMBuildAdd(b->ir, bits, i32(b, 0x7fff), "");
    if (!b->isa->mask_registers) {
        LLVMValueRef odd = LLVMBuildAnd(b->ir, LLVMBuildLShr(b->ir, bits, i32(b, 16), ""), i32(b, 1), "");
        return LLVMBuildAdd(b->ir, below, odd, "");
    }
    LLVMValueRef last = LLVMBuildAnd(b->ir, bits, i32(b, 0x10000), "");
    LLVMValueRef is_odd = LLVMBuildICmp(b->ir, LLVMIntNE, last, i32(b, 0), "");
    return LLVMBuildSelect(b->ir, is_odd, LLVMBuildAdd(b->ir, bits, i32(b, 0x8000), ""), below, "");
}

LLVMValueRef round_to_bf16(struct build *b, uint32_t n, LLVMValueRef x)
{
    LLVMValueRef bits = bits_of(b, x);
    if (b->low_bits[n] == LOW_ZERO) return x;
    LLVMValueRef sum = add_half_an_ulp(b, bits);
    if (b->low_bits[n] == LOW_ANY) {
        LLVMValueRef quiet = LLVMBuildOr(b->ir, bits, i32(b, 0x400000), "");
        sum = LLVMBuildSelect(b->ir, is_nan(b, x), quiet, sum, "");
    }
    return float_of(b, sum);
}

LLVMValueRef round_to_bf16_away(struct build *b, LLVMValueRef x)
{
    return float_of(b, LLVMBuildAdd(b->ir, bits_of(b, x), i32(b, 0x8000), ""));
}

LLVMValueRef bf16_alone(struct build *b, LLVMValueRef x)
{
    return float_of(b, LLVMBuildAnd(b->ir, bits_of(b, x), i32(b, 0xffff0000), ""));
}

/* -- f16 -- */

static LLVMTypeRef halves(struct build *b)
{
    return vector_type(b, LLVMHalfTypeInContext(b->context), b->lanes);
}

/* Exact: a subnormal is its significand times 2^-24. */
static LLVMValueRef f32_of_f16_low(struct build *b, LLVMValueRef bits)
{
    LLVMValueRef size = LLVMBuildAnd(b->ir, bits, i32(b, 0x7fff), "");
    LLVMValueRef sign = LLVMBuildShl(b->ir, LLVMBuildAnd(b->ir, bits, i32(b, 0x8000), ""), i32(b, 16), "");
    LLVMValueRef shifted = LLVMBuildShl(b->ir, size, i32(b, 13), "");
    LLVMValueRef normal = LLVMBuildAdd(b->ir, shifted, i32(b, 0x38000000), "");
    LLVMValueRef special = LLVMBuildAdd(b->ir, shifted, i32(b, 0x70000000), "");
    LLVMValueRef units = LLVMBuildSIToFP(b->ir, size, b->vector[LANE_F32], "");
    LLVMValueRef tiny = bits_of(b, LLVMBuildFMul(b->ir, units, splat_float(b, LANE_F32, 0x1p-24), ""));
    LLVMValueRef is_tiny = LLVMBuildICmp(b->ir, LLVMIntSLT, size, i32(b, 0x400), "");
    LLVMValueRef is_finite = LLVMBuildICmp(b->ir, LLVMIntSLT, size, i32(b, 0x7c00), "");
    LLVMValueRef finite = LLVMBuildSelect(b->ir, is_tiny, tiny, normal, "");
    LLVMValueRef any = LLVMBuildSelect(b->ir, is_finite, finite, special, "");
    return float_of(b, LLVMBuildOr(b->ir, any, sign, ""));
}

/* Normal results keep 10 fraction bits of the f32's 23; below 2^-14 an addition of 0.5 rounds at 2^-24; from 65520 on
 * it is infinity. */
static LLVMValueRef f16_low_of_f32(struct build *b, LLVMValueRef x)
{
    LLVMValueRef bits = bits_of(b, x), size = LLVMBuildAnd(b->ir, bits, i32(b, 0x7fffffff), "");
    LLVMValueRef sign = LLVMBuildAnd(b->ir, LLVMBuildLShr(b->ir, bits, i32(b, 16), ""), i32(b, 0x8000), "");
    LLVMValueRef odd = LLVMBuildAnd(b->ir, LLVMBuildLShr(b->ir, size, i32(b, 13), ""), i32(b, 1), "");
    LLVMValueRef sum =
        LLVMBuildAdd(b->ir, LLVMBuildAdd(b->ir, size, odd, ""), i32(b, 0xfffu - 0x38000000u), "");
    LLVMValueRef normal = LLVMBuildLShr(b->ir, sum, i32(b, 13), "");
    LLVMValueRef half = splat_float(b, LANE_F32, 0.5);
    LLVMValueRef raised = bits_of(b, LLVMBuildFAdd(b->ir, float_of(b, size), half, ""));
    LLVMValueRef tiny = LLVMBuildSub(b->ir, raised, bits_of(b, half), "");
    LLVMValueRef is_tiny = LLVMBuildICmp(b->ir, LLVMIntSLT, size, i32(b, 0x38800000), "");
    LLVMValueRef is_large = LLVMBuildICmp(b->ir, LLVMIntSGE, size, i32(b, 0x477ff000), "");
    LLVMValueRef finite = LLVMBuildSelect(b->ir, is_tiny, tiny, normal, "");
    LLVMValueRef number = LLVMBuildSelect(b->ir, is_large, i32(b, 0x7c00), finite, "");
    LLVMValueRef any = LLVMBuildSelect(b->ir, is_nan(b, x), i32(b, 0x7e00), number, "");
    return LLVMBuildOr(b->ir, any, sign, "");
}

LLVMValueRef round_to_f16(struct build *b, LLVMValueRef x)
{
    if (!b->isa->convert16) return f32_of_f16_low(b, f16_low_of_f32(b, x));
    LLVMValueRef narrow = LLVMBuildFPTrunc(b->ir, x, halves(b), "");
    return LLVMBuildFPExt(b->ir, narrow, b->vector[LANE_F32], "");
}

/* -- elements in memory, as integers of their size -- */

static LLVMValueRef f32_of_f16(struct build *b, LLVMValueRef elements)
{
    if (!b->isa->convert16) return f32_of_f16_low(b, LLVMBuildZExt(b->ir, elements, b->vector[LANE_I32], ""));
    LLVMValueRef narrow = LLVMBuildBitCast(b->ir, elements, halves(b), "");
    return LLVMBuildFPExt(b->ir, narrow, b->vector[LANE_F32], "");
}

static LLVMValueRef f32_of_bf16(struct build *b, LLVMValueRef elements)
{
    LLVMValueRef bits = LLVMBuildZExt(b->ir, elements, b->vector[LANE_I32], "");
    return float_of(b, LLVMBuildShl(b->ir, bits, i32(b, 16), ""));
}

/* Arithmetic shifts: to narrow signed integers takes one instruction where to narrow unsigned ones takes several. */
static LLVMValueRef f16_of_f32(struct build *b, LLVMValueRef x)
{
    LLVMTypeRef elements = vector_type(b, LLVMIntTypeInContext(b->context, 16), b->lanes);
    if (!b->isa->convert16) {
        LLVMValueRef high = LLVMBuildShl(b->ir, f16_low_of_f32(b, x), i32(b, 16), "");
        return LLVMBuildTrunc(b->ir, LLVMBuildAShr(b->ir, high, i32(b, 16), ""), elements, "");
    }
    LLVMValueRef narrow = LLVMBuildFPTrunc(b->ir, x, halves(b), "");
    return LLVMBuildBitCast(b->ir, narrow, elements, "");
}

static LLVMValueRef bf16_of_f32(struct build *b, LLVMValueRef x)
{
    LLVMTypeRef elements = vector_type(b, LLVMIntTypeInContext(b->context, 16), b->lanes);
    LLVMValueRef high = LLVMBuildAShr(b->ir, bits_of(b, x), i32(b, 16), "");
    return LLVMBuildTrunc(b->ir, high, elements, "");
}

/* A row of element_types that lanes hold as f32 does not compile without its two. */
static const struct conversions {
    LLVMValueRef (*load)(struct build *b, LLVMValueRef elements);
    LLVMValueRef (*store)(struct build *b, LLVMValueRef lanes);
} conversions[ELEMENT_TYPE_COUNT] = {
#define CONVERSIONS_OWN(name)                             NULL, NULL
#define CONVERSIONS_NARROW(name)                          f32_of_##name, name##_of_f32
#define CONVERSIONS_NONE(name)                            NULL, NULL
#define TYPE(enumerator, name, c_type, bytes, lanes, ...) [enumerator] = {CONVERSIONS_##lanes(name)},
    ELEMENT_TYPES(TYPE)
#undef TYPE
};

LLVMValueRef lanes_of_elements(struct build *b, enum element_type type, bool halves, LLVMValueRef elements)
{
    if (halves) return LLVMBuildBitCast(b->ir, elements, b->vector[LANE_F16], "");
    return conversions[type].load ? conversions[type].load(b, elements) : elements;
}

LLVMValueRef elements_of_lanes(struct build *b, enum element_type type, LLVMValueRef lanes)
{
    if (LLVMTypeOf(lanes) == b->vector[LANE_F16])
        return LLVMBuildBitCast(b->ir, lanes, b->vector[LANE_I16], "");
    return conversions[type].store ? conversions[type].store(b, lanes) : lanes;
}

/* -- pairs of bf16, the first in the low half of an i32, or in the high half where the high bytes come first -- */

LLVMValueRef f32_of_pairs(struct build *b, LLVMValueRef pairs, bool second)
{
    const bool high = second != b->big_endian;
    return float_of(b, high ? LLVMBuildAnd(b->ir, pairs, i32(b, 0xffff0000), "")
                            : LLVMBuildShl(b->ir, pairs, i32(b, 16), ""));
}

/* A shift and one operation of three operands: left to itself, LLVM takes a permutation of words for both, which is three
 * operations on Intel's processors. */
LLVMValueRef pairs_of_f32(struct build *b, LLVMValueRef first, LLVMValueRef second)
{
    enum { A_OR_B_AND_C = 0xf8 };
    LLVMValueRef in_low = b->big_endian ? second : first, in_high = b->big_endian ? first : second;
    LLVMValueRef mask = i32(b, 0xffff0000), low = LLVMBuildLShr(b->ir, bits_of(b, in_low), i32(b, 16), "");
    LLVMValueRef all[] = {low, bits_of(b, in_high), mask, i32_constant(b, A_OR_B_AND_C)};
    if (b->isa->ternary_logic) return call_intrinsic(b, b->isa->ternary_logic, NULL, 0, all, 4);
    return LLVMBuildOr(b->ir, low, LLVMBuildAnd(b->ir, all[1], mask, ""), "");
}
