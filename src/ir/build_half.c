/* Numbers of 4, 8 and 16 bits in vectors. All instruction sets give the bits of base/half.h (NaNs as NaNs).
 * bf16 uses integer arithmetic, because the conversion of x86 processors flushes subnormals. GPUs convert by
 * an instruction. f16 uses the processor's conversion (F16C), which keeps subnormals, where there is one.
 * e4m3 and e5m2 are widened by way of f16. They are narrowed by integer arithmetic, which rounds once. */
#include "build.h"

#include "element.h"
#include "float_bits.h"
#include "narrow_format.h"

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

/* Returns bits + 0x7fff, or bits + 0x8000 if the last bit that stays is set. A mask register, where there is
 * one, saves an operation. */
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

static LLVMTypeRef integers(struct build *b, unsigned bits)
{
    return vector_type(b, LLVMIntTypeInContext(b->context, bits), b->lanes);
}

/* Rounds by the processor's conversion. LLVM sees that the high half of the result is what it converted. */
static LLVMValueRef convert_to_bf16(struct build *b, LLVMValueRef x)
{
    LLVMTypeRef narrow = vector_type(b, LLVMBFloatTypeInContext(b->context), b->lanes);
    LLVMValueRef half = LLVMBuildBitCast(b->ir, LLVMBuildFPTrunc(b->ir, x, narrow, ""), integers(b, 16), "");
    LLVMValueRef wide = LLVMBuildZExt(b->ir, half, b->vector[LANE_I32], "");
    return float_of(b, LLVMBuildShl(b->ir, wide, i32(b, 16), ""));
}

LLVMValueRef round_to_bf16_with(struct build *b, enum low_bits low, LLVMValueRef x)
{
    LLVMValueRef bits = bits_of(b, x);
    if (low == LOW_ZERO) return x;
    if (b->isa->convert_bf16) return convert_to_bf16(b, x);
    LLVMValueRef sum = add_half_an_ulp(b, bits);
    if (low == LOW_ANY) { /* Logic takes the place of a blend, which is up to three micro-ops. */
        LLVMValueRef nan = LLVMBuildSelect(b->ir, is_nan(b, x), i32(b, 0x7fc00000), i32(b, 0), "");
        sum = LLVMBuildOr(b->ir, sum, nan, "");
    }
    return float_of(b, sum);
}

LLVMValueRef round_to_bf16(struct build *b, uint32_t n, LLVMValueRef x)
{
    return round_to_bf16_with(b, (enum low_bits)b->low_bits[n], x);
}

LLVMValueRef round_to_bf16_away(struct build *b, uint32_t n, LLVMValueRef x)
{
    LLVMValueRef bits = bits_of(b, x), sum = LLVMBuildAdd(b->ir, bits, i32(b, 0x8000), "");
    if (b->low_bits[n] == LOW_ZERO) return x;
    if (b->isa->nan_of_ones) sum = LLVMBuildSelect(b->ir, is_nan(b, x), bits, sum, "");
    return float_of(b, sum);
}

LLVMValueRef bf16_alone(struct build *b, LLVMValueRef x)
{
    return float_of(b, LLVMBuildAnd(b->ir, bits_of(b, x), i32(b, 0xffff0000), ""));
}

/* -- f16, e4m3, e5m2: base/half.h in lanes -- */

static LLVMTypeRef half_vector_type(struct build *b)
{
    return vector_type(b, LLVMHalfTypeInContext(b->context), b->lanes);
}

/* Returns true if the format has infinities or NaN. In others, NaN becomes the cap by itself. */
static bool has_special(struct narrow_format f) { return f.special >> (f.bits - 1) == 0; }

static LLVMValueRef f32_of_narrow_low(struct build *b, struct narrow_format f, LLVMValueRef bits)
{
    const uint32_t sign_bit = UINT32_C(1) << (f.bits - 1);
    LLVMValueRef size = LLVMBuildAnd(b->ir, bits, i32(b, sign_bit - 1), "");
    LLVMValueRef sign = LLVMBuildAnd(b->ir, bits, i32(b, sign_bit), "");
    LLVMValueRef shifted = LLVMBuildShl(b->ir, size, i32(b, 23 - f.fraction), "");
    LLVMValueRef normal = LLVMBuildAdd(b->ir, shifted, i32(b, f.rebias << 23), "");
    LLVMValueRef special = LLVMBuildAdd(b->ir, shifted, i32(b, 2 * f.rebias << 23), "");
    LLVMValueRef units = LLVMBuildSIToFP(b->ir, size, b->vector[LANE_F32], "");
    LLVMValueRef tiny = bits_of(b, LLVMBuildFMul(b->ir, units, float_of(b, i32(b, narrow_least(f))), ""));
    LLVMValueRef is_tiny = LLVMBuildICmp(b->ir, LLVMIntSLT, size, i32(b, UINT32_C(1) << f.fraction), "");
    LLVMValueRef is_finite = LLVMBuildICmp(b->ir, LLVMIntSLT, size, i32(b, f.special), "");
    LLVMValueRef finite = LLVMBuildSelect(b->ir, is_tiny, tiny, normal, "");
    LLVMValueRef any = has_special(f) ? LLVMBuildSelect(b->ir, is_finite, finite, special, "") : finite;
    LLVMValueRef high = LLVMBuildShl(b->ir, sign, i32(b, 32 - f.bits), "");
    return float_of(b, LLVMBuildOr(b->ir, any, high, ""));
}

/* Returns the bits of a narrow float, below bits without meaning. A sum rounds: the unit of its last place is
 * that of the narrow float, because its other term is a power of two, made of the exponent of x or, for
 * subnormals, of the least one. This term also has in its last bits what moves the exponent's bias. */
static LLVMValueRef narrow_low_of_f32(struct build *b, struct narrow_format f, LLVMValueRef x)
{
    const uint32_t dropped = 23 - f.fraction, least = narrow_least_normal(f), end = UINT32_C(1) << f.bits;
    LLVMValueRef bits = bits_of(b, x), own = LLVMBuildAnd(b->ir, bits, i32(b, 0x7fffffff), "");
    LLVMValueRef within = LLVMBuildICmp(b->ir, LLVMIntSLT, own, i32(b, f.cap), "");
    LLVMValueRef size = LLVMBuildSelect(b->ir, within, own, i32(b, f.cap), "");
    LLVMValueRef high = LLVMBuildLShr(b->ir, bits, i32(b, 32 - f.bits), "");
    LLVMValueRef sign = LLVMBuildAnd(b->ir, high, i32(b, end / 2), "");
    LLVMValueRef power = LLVMBuildAnd(b->ir, size, i32(b, 0x7f800000), "");
    LLVMValueRef is_tiny = LLVMBuildICmp(b->ir, LLVMIntSLT, power, i32(b, least), "");
    LLVMValueRef unit = LLVMBuildSelect(b->ir, is_tiny, i32(b, least), power, "");
    const uint32_t bias = -(least >> dropped) & (end - 1);
    LLVMValueRef rounder = LLVMBuildAdd(b->ir, unit, i32(b, (dropped << 23) + bias), "");
    LLVMValueRef sum = bits_of(b, LLVMBuildFAdd(b->ir, float_of(b, size), float_of(b, rounder), ""));
    LLVMValueRef number = LLVMBuildAdd(b->ir, sum, LLVMBuildLShr(b->ir, unit, i32(b, dropped), ""), "");
    if (has_special(f)) number = LLVMBuildSelect(b->ir, is_nan(b, x), i32(b, f.nan), number, "");
    return LLVMBuildOr(b->ir, number, sign, "");
}

static LLVMValueRef round_to_narrow(struct build *b, struct narrow_format f, LLVMValueRef x)
{
    return f32_of_narrow_low(b, f, narrow_low_of_f32(b, f, x));
}

LLVMValueRef round_to_f16(struct build *b, LLVMValueRef x)
{
    if (!b->isa->convert16) return round_to_narrow(b, narrow_f16, x);
    LLVMValueRef narrow = LLVMBuildFPTrunc(b->ir, x, half_vector_type(b), "");
    return LLVMBuildFPExt(b->ir, narrow, b->vector[LANE_F32], "");
}

LLVMValueRef round_to_e4m3(struct build *b, LLVMValueRef x) { return round_to_narrow(b, narrow_e4m3, x); }

LLVMValueRef round_to_e5m2(struct build *b, LLVMValueRef x) { return round_to_narrow(b, narrow_e5m2, x); }

/* -- i8, u8 -- */

/* A float whose neighbours are 1 apart. The low byte of its bits is 0. */
static const double INTEGER_ROUNDER = 0x1.8p23;

/* Returns the rounder plus the nearest integer within the limits. The low byte of its bits is this integer. A
 * NaN becomes the least value of the type. */
static LLVMValueRef raised_integer(struct build *b, enum element_type type, LLVMValueRef x)
{
    LLVMValueRef least = splat_float(b, LANE_F32, element_least(type)),
                 most = splat_float(b, LANE_F32, element_most(type));
    LLVMValueRef is_above = LLVMBuildFCmp(b->ir, LLVMRealOGT, x, least, "");
    LLVMValueRef above = LLVMBuildSelect(b->ir, is_above, x, least, ""); /* the least for NaN */
    LLVMValueRef is_below = LLVMBuildFCmp(b->ir, LLVMRealOLT, above, most, "");
    LLVMValueRef within = LLVMBuildSelect(b->ir, is_below, above, most, "");
    return LLVMBuildFAdd(b->ir, within, splat_float(b, LANE_F32, INTEGER_ROUNDER), "");
}

static LLVMValueRef zero_for_nan(struct build *b, enum element_type type, LLVMValueRef x, LLVMValueRef y)
{
    if (element_least(type) == 0) return y;
    LLVMValueRef is_number = LLVMBuildFCmp(b->ir, LLVMRealORD, x, x, "");
    return LLVMBuildSelect(b->ir, is_number, y, LLVMConstNull(LLVMTypeOf(y)), "");
}

LLVMValueRef round_to_integer_type(struct build *b, enum element_type type, LLVMValueRef x)
{
    LLVMValueRef rounder = splat_float(b, LANE_F32, INTEGER_ROUNDER);
    return zero_for_nan(b, type, x, LLVMBuildFSub(b->ir, raised_integer(b, type, x), rounder, ""));
}

/* -- elements in memory, as integers of their size -- */

static LLVMValueRef f32_of_narrow_elements(struct build *b, struct narrow_format f, LLVMValueRef elements)
{
    return f32_of_narrow_low(b, f, LLVMBuildZExt(b->ir, elements, b->vector[LANE_I32], ""));
}

/* Returns the value in all lanes of a vector of 16-bit integers. */
static LLVMValueRef splat_word(struct build *b, unsigned value)
{
    return splat_value(b, LLVMConstInt(LLVMIntTypeInContext(b->context, 16), value, false), b->lanes);
}

static LLVMValueRef f32_of_f16(struct build *b, LLVMValueRef elements)
{
    if (!b->isa->convert16) return f32_of_narrow_elements(b, narrow_f16, elements);
    LLVMValueRef narrow = LLVMBuildBitCast(b->ir, elements, half_vector_type(b), "");
    return LLVMBuildFPExt(b->ir, narrow, b->vector[LANE_F32], "");
}

/* Widens e5m2, which is the upper half of an f16. */
static LLVMValueRef f32_of_e5m2(struct build *b, LLVMValueRef elements)
{
    if (!b->isa->convert16) return f32_of_narrow_elements(b, narrow_e5m2, elements);
    LLVMTypeRef words = integers(b, 16);
    LLVMValueRef high = LLVMBuildShl(b->ir, LLVMBuildZExt(b->ir, elements, words, ""), splat_word(b, 8), "");
    return f32_of_f16(b, high);
}

/* Widens e4m3. Its bits, moved so that the exponent follows the sign of an f16, are 2^-8 of its value, also
 * for subnormals. The result that would be 480 is NaN. */
static LLVMValueRef f32_of_e4m3(struct build *b, LLVMValueRef elements)
{
    if (!b->isa->convert16) return f32_of_narrow_elements(b, narrow_e4m3, elements);
    LLVMValueRef wide = LLVMBuildSExt(b->ir, elements, integers(b, 16), "");
    LLVMValueRef shifted = LLVMBuildShl(b->ir, wide, splat_word(b, 7), "");
    LLVMValueRef half = LLVMBuildAnd(b->ir, shifted, splat_word(b, 0xbfff), "");
    LLVMValueRef x = LLVMBuildFMul(b->ir, f32_of_f16(b, half), splat_float(b, LANE_F32, 0x1p8), "");
    LLVMValueRef size = LLVMBuildAnd(b->ir, bits_of(b, x), i32(b, 0x7fffffff), "");
    LLVMValueRef is_nan = LLVMBuildICmp(b->ir, LLVMIntSGT, size, i32(b, narrow_e4m3.cap), "");
    LLVMValueRef nan = LLVMBuildOr(b->ir, bits_of(b, x), i32(b, 0x7fc00000), ""); /* keeps the sign */
    return float_of(b, LLVMBuildSelect(b->ir, is_nan, nan, bits_of(b, x), ""));
}

static LLVMValueRef f32_of_bf16(struct build *b, LLVMValueRef elements)
{
    LLVMValueRef bits = LLVMBuildZExt(b->ir, elements, b->vector[LANE_I32], "");
    return float_of(b, LLVMBuildShl(b->ir, bits, i32(b, 16), ""));
}

/* Narrows by arithmetic shifts: narrowing signed integers takes one instruction, unsigned ones take
 * several. */
static LLVMValueRef elements_of_f32(struct build *b, struct narrow_format f, LLVMValueRef x)
{
    LLVMValueRef unused = i32(b, 32 - f.bits);
    LLVMValueRef high = LLVMBuildShl(b->ir, narrow_low_of_f32(b, f, x), unused, "");
    return LLVMBuildTrunc(b->ir, LLVMBuildAShr(b->ir, high, unused, ""), integers(b, f.bits), "");
}

static LLVMValueRef f16_of_f32(struct build *b, LLVMValueRef x)
{
    if (!b->isa->convert16) return elements_of_f32(b, narrow_f16, x);
    LLVMValueRef narrow = LLVMBuildFPTrunc(b->ir, x, half_vector_type(b), "");
    return LLVMBuildBitCast(b->ir, narrow, integers(b, 16), "");
}

static LLVMValueRef e4m3_of_f32(struct build *b, LLVMValueRef x)
{
    return elements_of_f32(b, narrow_e4m3, x);
}

static LLVMValueRef e5m2_of_f32(struct build *b, LLVMValueRef x)
{
    return elements_of_f32(b, narrow_e5m2, x);
}

static LLVMValueRef bf16_of_f32(struct build *b, LLVMValueRef x)
{
    LLVMValueRef high = LLVMBuildAShr(b->ir, bits_of(b, x), i32(b, 16), "");
    return LLVMBuildTrunc(b->ir, high, integers(b, 16), "");
}

static LLVMValueRef f32_of_i8(struct build *b, LLVMValueRef elements)
{
    LLVMValueRef wide = LLVMBuildSExt(b->ir, elements, b->vector[LANE_I32], "");
    return LLVMBuildSIToFP(b->ir, wide, b->vector[LANE_F32], "");
}

static LLVMValueRef f32_of_u8(struct build *b, LLVMValueRef elements)
{
    LLVMValueRef wide = LLVMBuildZExt(b->ir, elements, b->vector[LANE_I32], "");
    return LLVMBuildSIToFP(b->ir, wide, b->vector[LANE_F32], "");
}

/* Returns the bytes of integers by a conversion, for GPUs. ptxas of CUDA 13.0 takes the low byte of
 * raised_integer() for a saturating conversion of its value: u8(1e-45) became 255 on an H200. */
static LLVMValueRef bytes_of_integers(struct build *b, enum element_type type, LLVMValueRef x)
{
    LLVMValueRef wide = LLVMBuildFPToSI(b->ir, round_to_integer_type(b, type, x), b->vector[LANE_I32], "");
    return LLVMBuildTrunc(b->ir, wide, integers(b, 8), "");
}

/* Takes the low byte, with the sign or zeros of the type above it. Narrowing then saturates nothing and takes
 * one instruction. */
static LLVMValueRef i8_of_f32(struct build *b, LLVMValueRef x)
{
    if (target_has_grid(b->isa)) return bytes_of_integers(b, ELEMENT_I8, x);
    LLVMValueRef bits = zero_for_nan(b, ELEMENT_I8, x, bits_of(b, raised_integer(b, ELEMENT_I8, x)));
    LLVMValueRef unused = i32(b, 24), high = LLVMBuildShl(b->ir, bits, unused, "");
    return LLVMBuildTrunc(b->ir, LLVMBuildAShr(b->ir, high, unused, ""), integers(b, 8), "");
}

static LLVMValueRef u8_of_f32(struct build *b, LLVMValueRef x)
{
    if (target_has_grid(b->isa)) return bytes_of_integers(b, ELEMENT_U8, x);
    LLVMValueRef bits = bits_of(b, raised_integer(b, ELEMENT_U8, x));
    return LLVMBuildTrunc(b->ir, LLVMBuildAnd(b->ir, bits, i32(b, 0xff), ""), integers(b, 8), "");
}

static LLVMValueRef f32_of_i32(struct build *b, LLVMValueRef elements)
{
    return LLVMBuildSIToFP(b->ir, elements, b->vector[LANE_F32], "");
}

/* Moves the exponent to its place. 2^-127 is subnormal, and 255 stands for NaN. With the first bit of the
 * fraction, 0 and 255 become both. A maximum sets it for 0. A mask register, where there is one, sets it for
 * 255. */
static LLVMValueRef f32_of_e8m0(struct build *b, LLVMValueRef elements)
{
    LLVMValueRef bits = LLVMBuildZExt(b->ir, elements, b->vector[LANE_I32], ""), least = i32(b, 0x00400000);
    LLVMValueRef power = LLVMBuildShl(b->ir, bits, i32(b, 23), ""), nan = i32(b, 0x7fc00000);
    LLVMValueRef is_least = b->isa->mask_registers ? LLVMBuildICmp(b->ir, LLVMIntSLT, power, least, "")
                                                   : LLVMBuildICmp(b->ir, LLVMIntEQ, bits, i32(b, 0), "");
    LLVMValueRef number = LLVMBuildSelect(b->ir, is_least, least, power, "");
    LLVMValueRef is_nan = LLVMBuildICmp(b->ir, LLVMIntEQ, bits, i32(b, 255), "");
    if (b->isa->mask_registers) nan = LLVMBuildOr(b->ir, number, least, "");
    return float_of(b, LLVMBuildSelect(b->ir, is_nan, nan, number, ""));
}

static LLVMValueRef e8m0_of_f32(struct build *b, LLVMValueRef x)
{
    LLVMValueRef exponent = LLVMBuildLShr(b->ir, bits_of(b, x), i32(b, 23), "");
    return LLVMBuildTrunc(b->ir, LLVMBuildAnd(b->ir, exponent, i32(b, 0xff), ""), integers(b, 8), "");
}

/* -- types of 4 bits, as integers of 32 bits: build_nibbles.c -- */

/* Looks up the 16 numbers, which takes fewer operations than arithmetic, where registers hold the table. */
static LLVMValueRef f32_of_e2m1(struct build *b, LLVMValueRef elements)
{
    enum { LOG2_COUNT = 4 };
    uint64_t all[1 << LOG2_COUNT];
    for (unsigned i = 0; i < 1 << LOG2_COUNT; i++)
        all[i] = bits_of_f32((float)element_types[ELEMENT_E2M1].value(i));
    LLVMValueRef found = lookup_f32(b, all, LOG2_COUNT, elements);
    return found ? found : f32_of_narrow_low(b, narrow_e2m1, elements);
}

static LLVMValueRef e2m1_of_f32(struct build *b, LLVMValueRef x)
{
    LLVMValueRef bits = LLVMBuildAnd(b->ir, narrow_low_of_f32(b, narrow_e2m1, x), i32(b, 15), "");
    return LLVMBuildSelect(b->ir, is_nan(b, x), i32(b, narrow_e2m1.nan), bits, "");
}

static LLVMValueRef f32_of_i4(struct build *b, LLVMValueRef elements)
{
    LLVMValueRef unused = i32(b, 28), high = LLVMBuildShl(b->ir, elements, unused, "");
    return LLVMBuildSIToFP(b->ir, LLVMBuildAShr(b->ir, high, unused, ""), b->vector[LANE_F32], "");
}

static LLVMValueRef i4_of_f32(struct build *b, LLVMValueRef x)
{
    LLVMValueRef bits = zero_for_nan(b, ELEMENT_I4, x, bits_of(b, raised_integer(b, ELEMENT_I4, x)));
    return LLVMBuildAnd(b->ir, bits, i32(b, 15), "");
}

/* A row of element_types that lanes hold as f32 does not compile without its two. */
static const struct conversions {
    LLVMValueRef (*load)(struct build *b, LLVMValueRef elements);
    LLVMValueRef (*store)(struct build *b, LLVMValueRef lanes);
} conversions[ELEMENT_TYPE_COUNT] = {
#define CONVERSIONS_OWN(name)                             NULL, NULL
#define CONVERSIONS_NARROW(name)                          f32_of_##name, name##_of_f32
#define CONVERSIONS_INTEGER(name)                         CONVERSIONS_NARROW(name)
#define CONVERSIONS_NEAREST(name)                         f32_of_##name, NULL
#define CONVERSIONS_POWER(name)                           CONVERSIONS_NARROW(name)
#define CONVERSIONS_NONE(name)                            NULL, NULL
#define CONVERSIONS_BIT(name)                             NULL, NULL
#define TYPE(enumerator, name, c_type, bytes, lanes, ...) [enumerator] = {CONVERSIONS_##lanes(name)},
    ELEMENT_TYPES(TYPE)
#undef TYPE
};

LLVMValueRef lanes_of_elements(struct build *b, enum element_type type, bool kept, LLVMValueRef elements)
{
    const enum lane_type own = element_types[type].bytes == 1 ? LANE_I8 : LANE_F16;
    if (kept) return LLVMBuildBitCast(b->ir, elements, b->vector[own], "");
    return conversions[type].load ? conversions[type].load(b, elements) : elements;
}

LLVMValueRef elements_of_lanes(struct build *b, enum element_type type, LLVMValueRef lanes)
{
    if (LLVMTypeOf(lanes) == b->vector[LANE_F16])
        return LLVMBuildBitCast(b->ir, lanes, b->vector[LANE_I16], "");
    if (LLVMTypeOf(lanes) == b->vector[LANE_I8]) return lanes;
    return conversions[type].store ? conversions[type].store(b, lanes) : lanes;
}

/* -- pairs of bf16: the first is in the low half of an i32, or in the high half on big-endian machines -- */

LLVMValueRef f32_of_pairs(struct build *b, LLVMValueRef pairs, bool second)
{
    const bool high = second != b->big_endian;
    return float_of(b, high ? LLVMBuildAnd(b->ir, pairs, i32(b, 0xffff0000), "")
                            : LLVMBuildShl(b->ir, pairs, i32(b, 16), ""));
}

/* Packs pairs with a shift and one operation of three operands. LLVM by itself makes a permutation of words
 * of both, which is three operations on Intel's processors. */
LLVMValueRef pairs_of_f32(struct build *b, LLVMValueRef first, LLVMValueRef second)
{
    enum { A_OR_B_AND_C = 0xf8 };
    LLVMValueRef in_low = b->big_endian ? second : first, in_high = b->big_endian ? first : second;
    LLVMValueRef mask = i32(b, 0xffff0000), low = LLVMBuildLShr(b->ir, bits_of(b, in_low), i32(b, 16), "");
    LLVMValueRef all[] = {low, bits_of(b, in_high), mask, i32_constant(b, A_OR_B_AND_C)};
    if (b->isa->ternary_logic) return call_intrinsic(b, b->isa->ternary_logic, NULL, 0, all, 4);
    return LLVMBuildOr(b->ir, low, LLVMBuildAnd(b->ir, all[1], mask, ""), "");
}
