/* Operations as lane programs of simpler operations, for styles that lack an instruction.
 *
 * Elements of 8 and 16 bits are the low bits of an i32 here. base/half.h has the same conversions for the
 * interpreter, with the sources of their methods. */
#include "narrow_format.h"
#include "style.h"
#include "sum_behind.h"

#include <math.h>
#include <string.h>

static lane_value u32(lane_program *p, uint32_t bits) { return lane_const_bits(p, LANE_I32, bits); }

static lane_value u64(lane_program *p, uint64_t bits) { return lane_const_bits(p, LANE_I64, bits); }

static lane_value cast(lane_program *p, lane_value x) { return lane_unary(p, LANE_BITCAST, x); }

static lane_value iadd(lane_program *p, lane_value a, lane_value b)
{
    return lane_binary(p, LANE_IADD, a, b);
}

static lane_value isub(lane_program *p, lane_value a, lane_value b)
{
    return lane_binary(p, LANE_ISUB, a, b);
}

static lane_value band(lane_program *p, lane_value a, lane_value b) { return lane_binary(p, LANE_AND, a, b); }

static lane_value bor(lane_program *p, lane_value a, lane_value b) { return lane_binary(p, LANE_OR, a, b); }

static lane_value shift(lane_program *p, enum lane_op op, lane_value a, unsigned amount)
{
    return lane_binary(p, op, a, lane_const_bits(p, p->code[a].type, amount));
}

/* -- rounding and scaling -- */

/* Rounds by adding 2^23 (2^52), above which floats have no fraction. The sign returns at the end. */
static lane_value round_even(lane_program *p, const lane_value *x)
{
    const enum lane_type type = p->code[*x].type;
    const lane_value big = lane_const(p, type, type == LANE_F32 ? 0x1p23 : 0x1p52);
    const lane_value size = lane_unary(p, LANE_ABS, *x);
    const lane_value whole = lane_sub(p, lane_add(p, size, big), big);
    return lane_select(p, lane_less(p, size, big), lane_times_sign(p, whole, *x), *x);
}

/* Multiplies by two powers of two, whose exponents are the halves of n (lane.h). The sum of n and 1.5 * 2^23
 * holds n in its low bits. With twice the exponent's bias, n is positive, and its halves are biased. */
static lane_value scale_f32(lane_program *p, const lane_value *x)
{
    const lane_value sum = cast(p, lane_add(p, x[1], lane_f32(p, 0x1.8p23)));
    const lane_value n = iadd(p, sum, u32(p, 2 * 127 - 0x4b400000u)), half = shift(p, LANE_SHR, n, 1);
    const lane_value first = cast(p, shift(p, LANE_SHL, half, 23)),
                     second = cast(p, shift(p, LANE_SHL, isub(p, n, half), 23));
    return lane_mul(p, lane_mul(p, x[0], first), second);
}

static lane_value scale_f64(lane_program *p, const lane_value *x)
{
    const lane_value sum = cast(p, lane_add(p, x[1], lane_const(p, LANE_F64, 0x1.8p52)));
    const lane_value n = iadd(p, sum, u64(p, 2 * 1023 - UINT64_C(0x4338000000000000)));
    const lane_value half = shift(p, LANE_SHR, n, 1), first = cast(p, shift(p, LANE_SHL, half, 52)),
                     second = cast(p, shift(p, LANE_SHL, isub(p, n, half), 52));
    return lane_mul(p, lane_mul(p, x[0], first), second);
}

static lane_value scale_floor(lane_program *p, const lane_value *x)
{
    return lane_binary(p, LANE_SCALE2, x[0], lane_floor(p, x[1]));
}

/* Does the same by the bits of the sum that made the exponent (sum_behind.h). */
static lane_value scale_by_sum(lane_program *p, const lane_value *x, unsigned fraction)
{
    const enum lane_type type = p->code[x[1]].type;
    const unsigned significand = type == LANE_F32 ? 23 : 52;
    const uint64_t twice = 2 * (type == LANE_F32 ? 127 : 1023), magic = sum_magic(type, fraction);
    const lane_value sum = cast(p, x[1]);
    const lane_value n = iadd(p, sum, lane_const_bits(p, p->code[sum].type, (twice << fraction) - magic));
    const lane_value half = shift(p, LANE_SHR, n, fraction + 1),
                     whole = fraction ? shift(p, LANE_SHR, n, fraction) : n;
    const lane_value first = cast(p, shift(p, LANE_SHL, half, significand)),
                     second = cast(p, shift(p, LANE_SHL, isub(p, whole, half), significand));
    return lane_mul(p, lane_mul(p, x[0], first), second);
}

#define SCALE_BY_SUM(k)                                                                                      \
    static lane_value scale_by_sum_##k(lane_program *p, const lane_value *x) { return scale_by_sum(p, x, k); }
SCALE_BY_SUM(0)
SCALE_BY_SUM(1)
SCALE_BY_SUM(2)
SCALE_BY_SUM(3)
SCALE_BY_SUM(4)
SCALE_BY_SUM(5)
SCALE_BY_SUM(6)
SCALE_BY_SUM(7)

/* -- exponent and significand -- */

/* Gives |x|, its bits, and whether it is subnormal. The bits of a subnormal are those of |x| 2^24. */
struct raised {
    lane_value size, is_tiny, bits;
};
enum { RAISED_BY = 24 };

static struct raised raise_tiny(lane_program *p, lane_value x)
{
    const lane_value size = lane_unary(p, LANE_ABS, x), is_tiny = lane_less(p, size, lane_f32(p, 0x1p-126));
    const lane_value larger = lane_mul(p, size, lane_f32(p, 1 << RAISED_BY));
    return (struct raised){size, is_tiny, cast(p, lane_select(p, is_tiny, larger, size))};
}

static lane_value make_exponent(lane_program *p, const lane_value *x)
{
    const struct raised r = raise_tiny(p, *x);
    const lane_value bias = lane_select(p, r.is_tiny, u32(p, 127 + RAISED_BY), u32(p, 127));
    const lane_value e = lane_unary(p, LANE_I2F, isub(p, shift(p, LANE_SHR, r.bits, 23), bias));
    const lane_value infinity = lane_f32(p, (double)INFINITY);
    const lane_value is_zero = lane_binary(p, LANE_EQ, r.size, lane_f32(p, 0));
    const lane_value finite = lane_select(p, is_zero, lane_f32(p, -(double)INFINITY), e);
    return lane_select(p, lane_less(p, r.size, infinity), finite, r.size);
}

static lane_value make_significand(lane_program *p, const lane_value *x)
{
    const lane_value fraction = band(p, raise_tiny(p, *x).bits, u32(p, 0x7fffff));
    const lane_value sign = band(p, cast(p, *x), u32(p, 0x80000000));
    const lane_value m = cast(p, bor(p, bor(p, fraction, u32(p, 0x3f800000)), sign));
    const lane_value is_number = lane_binary(p, LANE_LE, lane_f32(p, 0), *x);
    return lane_select(p, is_number, m, lane_const_bits(p, LANE_F32, 0x7fc00000));
}

/* -- integers and floats -- */

static lane_value f2i_f64(lane_program *p, const lane_value *x)
{
    const lane_value sum = cast(p, lane_add(p, *x, lane_const(p, LANE_F64, 0x1.8p52)));
    return isub(p, sum, u64(p, UINT64_C(0x4338000000000000)));
}

/* Converts through f64, which has a rounding for the whole domain. */
static lane_value f2i_f32(lane_program *p, const lane_value *x)
{
    const lane_value wide = lane_unary(p, LANE_WIDEN, *x);
    return lane_unary(p, LANE_INARROW, lane_unary(p, LANE_F2I, wide));
}

/* Converts by halves: 2^84 + (high + 2^31) * 2^32 and 2^52 + low. The subtraction is exact. */
static lane_value i2f_i64(lane_program *p, const lane_value *x)
{
    const lane_value low = bor(p, band(p, *x, u64(p, 0xffffffff)), u64(p, UINT64_C(0x4330000000000000)));
    const lane_value high =
        lane_binary(p, LANE_XOR, shift(p, LANE_SHR, *x, 32), u64(p, UINT64_C(0x4530000080000000)));
    const lane_value excess = lane_const(p, LANE_F64, 0x1p84 + 0x1p63 + 0x1p52);
    return lane_add(p, lane_sub(p, cast(p, high), excess), cast(p, low));
}

static lane_value imin(lane_program *p, const lane_value *x)
{
    return lane_select(p, lane_binary(p, LANE_ILT, x[0], x[1]), x[0], x[1]);
}

/* -- bf16 -- */

static lane_value make_f32_of_bf16(lane_program *p, const lane_value *x)
{
    return cast(p, shift(p, LANE_SHL, *x, 16));
}

static lane_value make_bf16_of_f32(lane_program *p, const lane_value *x)
{
    return shift(p, LANE_SHR, cast(p, *x), 16);
}

static lane_value bf16_alone(lane_program *p, lane_value bits)
{
    return cast(p, band(p, bits, u32(p, 0xffff0000)));
}

static lane_value add_half_an_ulp(lane_program *p, lane_value bits)
{
    const lane_value odd = band(p, shift(p, LANE_SHR, bits, 16), u32(p, 1));
    return iadd(p, iadd(p, bits, u32(p, 0x7fff)), odd);
}

static lane_value make_to_high_half(lane_program *p, const lane_value *x)
{
    const lane_value is_number = lane_binary(p, LANE_EQ, *x, *x);
    const lane_value nan = lane_select(p, is_number, u32(p, 0), u32(p, 0x7fc00000));
    return cast(p, bor(p, add_half_an_ulp(p, cast(p, *x)), nan));
}

static lane_value make_to_high_half_by_sum(lane_program *p, const lane_value *x)
{
    return cast(p, add_half_an_ulp(p, cast(p, *x)));
}

static lane_value make_to_bf16(lane_program *p, const lane_value *x)
{
    return bf16_alone(p, cast(p, make_to_high_half(p, x)));
}

static lane_value make_to_bf16_by_sum(lane_program *p, const lane_value *x)
{
    return bf16_alone(p, cast(p, make_to_high_half_by_sum(p, x)));
}

static lane_value make_to_bf16_away(lane_program *p, const lane_value *x)
{
    return bf16_alone(p, iadd(p, cast(p, *x), u32(p, 0x8000)));
}

static lane_value make_to_bf16_away_if_number(lane_program *p, const lane_value *x)
{
    const lane_value bits = cast(p, *x), sum = iadd(p, bits, u32(p, 0x8000));
    return bf16_alone(p, lane_select(p, lane_binary(p, LANE_EQ, *x, *x), sum, bits));
}

/* -- f16, e4m3, e5m2 -- */

static lane_value f32_of_narrow(lane_program *p, struct narrow_format f, lane_value bits)
{
    const uint32_t sign_bit = UINT32_C(1) << (f.bits - 1);
    const lane_value size = band(p, bits, u32(p, sign_bit - 1));
    const lane_value least = lane_const_bits(p, LANE_F32, narrow_least(f));
    const lane_value subnormal = cast(p, lane_mul(p, lane_unary(p, LANE_I2F, size), least));
    const lane_value rebias = u32(p, f.rebias << 23);
    const lane_value normal = iadd(p, shift(p, LANE_SHL, size, 23 - f.fraction), rebias);
    const lane_value is_tiny = lane_binary(p, LANE_ILT, size, u32(p, UINT32_C(1) << f.fraction)),
                     is_finite = lane_binary(p, LANE_ILT, size, u32(p, f.special));
    const lane_value finite = lane_select(p, is_tiny, subnormal, normal);
    const lane_value number = lane_select(p, is_finite, finite, iadd(p, normal, rebias));
    const lane_value sign = shift(p, LANE_SHL, band(p, bits, u32(p, sign_bit)), 32 - f.bits);
    return cast(p, bor(p, number, sign));
}

static lane_value narrow_of_f32(lane_program *p, struct narrow_format f, lane_value x)
{
    const unsigned dropped = 23 - f.fraction;
    const lane_value bits = cast(p, x), own = band(p, bits, u32(p, 0x7fffffff)), cap = u32(p, f.cap);
    const lane_value size = lane_select(p, lane_binary(p, LANE_ILT, own, cap), own, cap);
    const lane_value rounder = lane_const_bits(p, LANE_F32, narrow_rounder(f));
    const lane_value subnormal =
        isub(p, cast(p, lane_add(p, cast(p, size), rounder)), u32(p, narrow_rounder(f)));
    const uint32_t half = (UINT32_C(1) << (dropped - 1)) - 1;
    const lane_value odd = band(p, shift(p, LANE_SHR, size, dropped), u32(p, 1));
    const lane_value raised = iadd(p, iadd(p, size, u32(p, half - (f.rebias << 23))), odd);
    const lane_value is_tiny = lane_binary(p, LANE_ILT, size, u32(p, narrow_least_normal(f)));
    const lane_value number = lane_select(p, is_tiny, subnormal, shift(p, LANE_SHR, raised, dropped));
    const lane_value any = lane_select(p, lane_binary(p, LANE_EQ, x, x), number, u32(p, f.nan));
    const lane_value sign = shift(p, LANE_SHL, shift(p, LANE_SHR, bits, 31), f.bits - 1);
    return bor(p, any, sign);
}

#define NARROW(name)                                                                                         \
    static lane_value make_f32_of_##name(lane_program *p, const lane_value *x)                               \
    {                                                                                                        \
        return f32_of_narrow(p, narrow_##name, *x);                                                          \
    }                                                                                                        \
    static lane_value make_##name##_of_f32(lane_program *p, const lane_value *x)                             \
    {                                                                                                        \
        return narrow_of_f32(p, narrow_##name, *x);                                                          \
    }                                                                                                        \
    static lane_value make_to_##name(lane_program *p, const lane_value *x)                                   \
    {                                                                                                        \
        return f32_of_narrow(p, narrow_##name, narrow_of_f32(p, narrow_##name, *x));                         \
    }
NARROW(f16)
NARROW(e4m3)
NARROW(e5m2)
#undef NARROW

/* Rounds to f32 toward 0, and sets the last bit if bits were lost. Rounding that to f16 is then rounding the
 * number itself. */
static lane_value make_f16_of_f64(lane_program *p, const lane_value *x)
{
    const lane_value nearest = lane_unary(p, LANE_NARROW, *x), back = lane_unary(p, LANE_WIDEN, nearest);
    const lane_value bits = cast(p, nearest), one = u32(p, 1), zero = u32(p, 0);
    const lane_value is_beyond = lane_less(p, lane_unary(p, LANE_ABS, *x), lane_unary(p, LANE_ABS, back));
    const lane_value toward_0 = isub(p, bits, lane_select(p, is_beyond, one, zero));
    const lane_value differs = lane_binary(p, LANE_MOR, lane_less(p, back, *x), lane_less(p, *x, back));
    const lane_value odd = bor(p, toward_0, lane_select(p, differs, one, zero));
    return narrow_of_f32(p, narrow_f16, cast(p, odd));
}

/* -- i8, u8 -- */

/* Returns the nearest integer of the type as an i32. The sum with 1.5 * 2^23 holds it in its low bits. */
static lane_value integer_of_f32(lane_program *p, enum element_type type, lane_value x)
{
    const lane_value above = lane_max(p, x, lane_f32(p, element_least(type)));
    const lane_value within = lane_min(p, above, lane_f32(p, element_most(type)));
    const lane_value sum = cast(p, lane_add(p, within, lane_f32(p, 0x1.8p23)));
    const lane_value whole = isub(p, sum, u32(p, 0x4b400000));
    return lane_select(p, lane_binary(p, LANE_EQ, x, x), whole, u32(p, 0));
}

static lane_value make_i8_of_f32(lane_program *p, const lane_value *x)
{
    return integer_of_f32(p, ELEMENT_I8, *x);
}

static lane_value make_u8_of_f32(lane_program *p, const lane_value *x)
{
    return integer_of_f32(p, ELEMENT_U8, *x);
}

static lane_value make_to_i8(lane_program *p, const lane_value *x)
{
    return lane_unary(p, LANE_I2F, make_i8_of_f32(p, x));
}

static lane_value make_to_u8(lane_program *p, const lane_value *x)
{
    return lane_unary(p, LANE_I2F, make_u8_of_f32(p, x));
}

static lane_value make_f32_of_i8(lane_program *p, const lane_value *x)
{
    return lane_unary(p, LANE_I2F, shift(p, LANE_SAR, shift(p, LANE_SHL, *x, 24), 24));
}

static lane_value make_f32_of_u8(lane_program *p, const lane_value *x) { return lane_unary(p, LANE_I2F, *x); }

/* -- e2m1, i4 -- */

static lane_value make_f32_of_e2m1(lane_program *p, const lane_value *x)
{
    return f32_of_narrow(p, narrow_e2m1, *x);
}

/* Rounds. A NaN of each sign becomes the largest number. */
static lane_value make_e2m1_of_f32(lane_program *p, const lane_value *x)
{
    const lane_value rounded = narrow_of_f32(p, narrow_e2m1, *x);
    return lane_select(p, lane_binary(p, LANE_EQ, *x, *x), rounded, u32(p, narrow_e2m1.nan));
}

static lane_value make_i4_of_f32(lane_program *p, const lane_value *x)
{
    return band(p, integer_of_f32(p, ELEMENT_I4, *x), u32(p, 15));
}

static lane_value make_f32_of_i4(lane_program *p, const lane_value *x)
{
    return lane_unary(p, LANE_I2F, shift(p, LANE_SAR, shift(p, LANE_SHL, *x, 28), 28));
}

/* -- e8m0 -- */

static lane_value make_f32_of_e8m0(lane_program *p, const lane_value *x)
{
    const lane_value power = shift(p, LANE_SHL, *x, 23);
    const lane_value is_least = lane_binary(p, LANE_ILT, *x, u32(p, 1)),
                     is_number = lane_binary(p, LANE_ILT, *x, u32(p, 255));
    const lane_value number = lane_select(p, is_least, u32(p, 0x00400000), power);
    return cast(p, lane_select(p, is_number, number, u32(p, 0x7fc00000)));
}

static lane_value make_e8m0_of_f32(lane_program *p, const lane_value *x)
{
    return band(p, shift(p, LANE_SHR, cast(p, *x), 23), u32(p, 255));
}

#define STORED(name, what)                                                                                   \
    {"f32_of_" #name, "Converts " what ", given by its bits, exactly.", 1, {LANE_I32}, make_f32_of_##name},  \
    {                                                                                                        \
#name "_of_f32", "Rounds to " what ", and returns its bits.", 1, {LANE_F32 }, make_##name##_of_f32   \
    }
#define CONVERSIONS(name, what)                                                                              \
    STORED(name, what),                                                                                      \
    {                                                                                                        \
        "to_" #name "_f32", "Rounds to the nearest number of " what ".", 1, {LANE_F32}, make_to_##name       \
    }
#define SCALES_BY_SUM(k)                                                                                     \
    {"scale2_by_sum" #k "_f32",                                                                              \
     "Multiplies by 2^floor(n). b is n plus 1.5 * 2^(23 - " #k ").",                                         \
     2,                                                                                                      \
     {LANE_F32, LANE_F32},                                                                                   \
     scale_by_sum_##k},                                                                                      \
    {                                                                                                        \
        "scale2_by_sum" #k "_f64", "Multiplies by 2^floor(n). b is n plus 1.5 * 2^(52 - " #k ").", 2,        \
            {LANE_F64, LANE_F64}, scale_by_sum_##k                                                           \
    }
static const struct source_expansion expansions[] = {
    {"round_f32", "Rounds to an integer, ties to even.", 1, {LANE_F32}, round_even},
    {"round_f64", "Rounds to an integer, ties to even.", 1, {LANE_F64}, round_even},
    {"scale2_f32", "Multiplies by 2^b, with one rounding.", 2, {LANE_F32, LANE_F32}, scale_f32},
    {"scale2_f64", "Multiplies by 2^b, with one rounding.", 2, {LANE_F64, LANE_F64}, scale_f64},
    {"scale2_floor_f32",
     "Multiplies by 2^floor(b), with one rounding.",
     2,
     {LANE_F32, LANE_F32},
     scale_floor},
    {"scale2_floor_f64",
     "Multiplies by 2^floor(b), with one rounding.",
     2,
     {LANE_F64, LANE_F64},
     scale_floor},
    SCALES_BY_SUM(0),
    SCALES_BY_SUM(1),
    SCALES_BY_SUM(2),
    SCALES_BY_SUM(3),
    SCALES_BY_SUM(4),
    SCALES_BY_SUM(5),
    SCALES_BY_SUM(6),
    SCALES_BY_SUM(7),
    {"exponent_f32", "Returns the largest e with 2^e <= |x|.", 1, {LANE_F32}, make_exponent},
    {"significand_f32", "Divides by the power of two of the exponent.", 1, {LANE_F32}, make_significand},
    {"f2i_f32", "Rounds a number below 2^31 to an integer, ties to even.", 1, {LANE_F32}, f2i_f32},
    {"f2i_f64", "Rounds a number below 2^51 to an integer, ties to even.", 1, {LANE_F64}, f2i_f64},
    {"i2f_i64", "Converts an integer, with one rounding.", 1, {LANE_I64}, i2f_i64},
    {"imin_i32", "Returns the lower of two signed integers.", 2, {LANE_I32, LANE_I32}, imin},
    {"imin_i64", "Returns the lower of two signed integers.", 2, {LANE_I64, LANE_I64}, imin},
    {"to_bf16_away_f32", "Rounds to the nearest bf16, ties away from 0.", 1, {LANE_F32}, make_to_bf16_away},
    {"to_bf16_away_if_number_f32",
     "Rounds a number to the nearest bf16, ties away from 0.",
     1,
     {LANE_F32},
     make_to_bf16_away_if_number},
    {"f16_of_f64", "Rounds to f16 once, and returns its bits.", 1, {LANE_F64}, make_f16_of_f64},
    {"f32_of_bf16", "Converts a bf16, given by its bits, exactly.", 1, {LANE_I32}, make_f32_of_bf16},
    {"bf16_of_f32", "Returns the bits of the bf16 in the high half.", 1, {LANE_F32}, make_bf16_of_f32},
    {"to_bf16_f32", "Rounds to the nearest bf16.", 1, {LANE_F32}, make_to_bf16},
    {"to_bf16_by_sum_f32",
     "Rounds to the nearest bf16. The low half of a NaN is 0.",
     1,
     {LANE_F32},
     make_to_bf16_by_sum},
    {"to_high_half_f32", "Rounds to the nearest bf16, in the high half.", 1, {LANE_F32}, make_to_high_half},
    {"to_high_half_by_sum_f32",
     "Rounds to the nearest bf16, in the high half. The low half of a NaN is 0.",
     1,
     {LANE_F32},
     make_to_high_half_by_sum},
    CONVERSIONS(f16, "an f16"),
    CONVERSIONS(e4m3, "an e4m3"),
    CONVERSIONS(e5m2, "an e5m2"),
    CONVERSIONS(i8, "an i8"),
    CONVERSIONS(u8, "a u8"),
    STORED(e2m1, "an e2m1"),
    STORED(i4, "an i4"),
    {"f32_of_e8m0", "Converts a power of two, given by its bits, exactly.", 1, {LANE_I32}, make_f32_of_e8m0},
    {"e8m0_of_f32",
     "Returns the bits of the largest power of two that is not above |x|.",
     1,
     {LANE_F32},
     make_e8m0_of_f32},
};

const struct source_expansion *source_expansion_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++)
        if (strlen(expansions[i].name) == length && !memcmp(expansions[i].name, name, length))
            return &expansions[i];
    return NULL;
}
