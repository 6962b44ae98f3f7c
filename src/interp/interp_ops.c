/* The exact meaning of each lane operation, as a loop over a block of lanes that the compiler turns into
 * vector code.
 *
 * This file is compiled twice with equal bits: plain, and for AVX2 and FMA through interp_ops_fma.c. The
 * plain instruction set lacks vector instructions for some operations. These are written as exact arithmetic
 * with magic numbers instead of calls. */
#include "interp_ops.h"
#include "half.h"

#include <math.h>
#include <string.h>

#ifndef INTERP_TABLE
#define INTERP_TABLE interp_ops_plain
#endif

/* 1.5 * 2^23 and 1.5 * 2^52. Adding one of them rounds a small number to an integer (ties to even), which the
 * low bits hold. */
#define MAGIC_F32      0x1.8p23f
#define MAGIC_F64      0x1.8p52
#define MAGIC_BITS_F32 UINT32_C(0x4b400000)
#define MAGIC_BITS_F64 UINT64_C(0x4338000000000000)

/* Loops over lanes. `out` is never an operand, and n is a multiple of INTERP_ROUND, so no checks and no
 * remainder loop are needed. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif
#define LANES(n) INDEPENDENT for (size_t k = 0; k < ((n) & ~(size_t)(INTERP_ROUND - 1)); k++)

#define UNARY(function, from, to, expression)                                                                \
    static void function(const struct interp_step *s, size_t n)                                              \
    {                                                                                                        \
        const from *restrict a = s->a;                                                                       \
        to *restrict out = s->out;                                                                           \
        LANES(n)                                                                                             \
        {                                                                                                    \
            const from x = a[k];                                                                             \
            out[k] = expression;                                                                             \
        }                                                                                                    \
    }

#define BINARY(function, from, to, expression)                                                               \
    static void function(const struct interp_step *s, size_t n)                                              \
    {                                                                                                        \
        const from *restrict a = s->a, *restrict b = s->b;                                                   \
        to *restrict out = s->out;                                                                           \
        LANES(n)                                                                                             \
        {                                                                                                    \
            const from x = a[k], y = b[k];                                                                   \
            out[k] = expression;                                                                             \
        }                                                                                                    \
    }

#define TERNARY(function, first, type, expression)                                                           \
    static void function(const struct interp_step *s, size_t n)                                              \
    {                                                                                                        \
        const first *restrict a = s->a;                                                                      \
        const type *restrict b = s->b, *restrict c = s->c;                                                   \
        type *restrict out = s->out;                                                                         \
        LANES(n)                                                                                             \
        {                                                                                                    \
            const first x = a[k];                                                                            \
            const type y = b[k], z = c[k];                                                                   \
            out[k] = expression;                                                                             \
        }                                                                                                    \
    }

/* Shifts by a constant, which is the same in all lanes. */
#define SHIFT(function, type, expression)                                                                    \
    static void function(const struct interp_step *s, size_t n)                                              \
    {                                                                                                        \
        const type *restrict a = s->a;                                                                       \
        const unsigned amount = n ? (unsigned)*(const type *)s->b & (8 * sizeof(type) - 1) : 0;              \
        type *restrict out = s->out;                                                                         \
        LANES(n)                                                                                             \
        {                                                                                                    \
            const type x = a[k];                                                                             \
            out[k] = expression;                                                                             \
        }                                                                                                    \
    }

#define BOTH_FLOATS(shape, name, expression)                                                                 \
    shape(name##_f32, float, float, expression) shape(name##_f64, double, double, expression)
#define BOTH_INTEGERS(shape, name, expression)                                                               \
    shape(name##_i32, uint32_t, uint32_t, expression) shape(name##_i64, uint64_t, uint64_t, expression)

/* Operations of f16 are computed in wider lanes and rounded to f16. The second rounding does no harm. For
 * sums, products, quotients and roots of 11-bit numbers, 24 bits are enough (Figueroa, 1995). A product of 22
 * bits plus a number of 11 bits differs from its f64 only far from any tie of f16. */
#define F16(x)                          f32_of_f16(x)
#define HALVES(shape, name, expression) shape(name##_f16, uint16_t, uint16_t, expression)
HALVES(BINARY, add, f16_of_f32(F16(x) + F16(y)))
HALVES(BINARY, sub, f16_of_f32(F16(x) - F16(y)))
HALVES(BINARY, mul, f16_of_f32(F16(x) * F16(y)))
HALVES(BINARY, div, f16_of_f32(F16(x) / F16(y)))
HALVES(TERNARY, fma, f16_of_f64((double)F16(x) * (double)F16(y) + (double)F16(z)))
HALVES(UNARY, sqrt, f16_of_f32(sqrtf(F16(x))))
HALVES(UNARY, neg, (uint16_t)(x ^ 0x8000))
HALVES(UNARY, abs, (uint16_t)(x & 0x7fff))
HALVES(BINARY, min, F16(x) < F16(y) ? x : y)
HALVES(BINARY, max, F16(x) > F16(y) ? x : y)
BINARY(eq_f16, uint16_t, int32_t, -(int32_t)(F16(x) == F16(y)))
BINARY(lt_f16, uint16_t, int32_t, -(int32_t)(F16(x) < F16(y)))
BINARY(le_f16, uint16_t, int32_t, -(int32_t)(F16(x) <= F16(y)))
#define WORDS(shape, name, expression) shape(name##_i16, uint16_t, uint16_t, (uint16_t)(expression))
WORDS(BINARY, iadd, x + y)
WORDS(BINARY, isub, x - y)
WORDS(BINARY, imul, (uint32_t)x *y)
WORDS(BINARY, and, x &y)
WORDS(BINARY, or, x | y)
WORDS(BINARY, xor, x ^ y)
WORDS(UNARY, not, ~x)
BINARY(imin_i16, int16_t, int16_t, x < y ? x : y)
BINARY(ilt_i16, int16_t, int32_t, -(int32_t)(x < y))
SHIFT(shl_i16, uint16_t, (uint16_t)(x << amount))
SHIFT(shr_i16, uint16_t, (uint16_t)(x >> amount))
SHIFT(sar_i16, uint16_t, (uint16_t)(((x ^ 0x8000) >> amount) - (0x8000 >> amount)))
TERNARY(select_1, int32_t, uint8_t, (uint8_t)((y & (uint8_t)x) | (z & (uint8_t)~x)))
TERNARY(select_2, int32_t, uint16_t, (uint16_t)((y & (uint16_t)x) | (z & (uint16_t)~x)))

BOTH_FLOATS(BINARY, add, x + y)
BOTH_FLOATS(BINARY, sub, x - y)
BOTH_FLOATS(BINARY, mul, x *y)
BOTH_FLOATS(BINARY, div, x / y)
BOTH_FLOATS(BINARY, min, x < y ? x : y)
BOTH_FLOATS(BINARY, max, x > y ? x : y)
BOTH_FLOATS(UNARY, neg, -x)
UNARY(abs_f32, float, float, fabsf(x))
UNARY(abs_f64, double, double, fabs(x))
UNARY(sqrt_f32, float, float, sqrtf(x))
UNARY(sqrt_f64, double, double, sqrt(x))
TERNARY(fma_f32, float, float, fmaf(x, y, z))
TERNARY(fma_f64, double, double, fma(x, y, z))

BINARY(eq_f32, float, int32_t, -(int32_t)(x == y))
BINARY(eq_f64, double, int32_t, -(int32_t)(x == y))
BINARY(lt_f32, float, int32_t, -(int32_t)(x < y))
BINARY(lt_f64, double, int32_t, -(int32_t)(x < y))
BINARY(le_f32, float, int32_t, -(int32_t)(x <= y))
BINARY(le_f64, double, int32_t, -(int32_t)(x <= y))
BINARY(ilt_i32, int32_t, int32_t, -(int32_t)(x < y))
BINARY(ilt_i64, int64_t, int32_t, -(int32_t)(x < y))
BINARY(mand_truth, int32_t, int32_t, x &y)
BINARY(mor_truth, int32_t, int32_t, x | y)
UNARY(mnot_truth, int32_t, int32_t, ~x)
TERNARY(select_4, int32_t, uint32_t, (y & (uint32_t)x) | (z & ~(uint32_t)x))
TERNARY(select_8, int32_t, uint64_t, (y & (uint64_t)(int64_t)x) | (z & ~(uint64_t)(int64_t)x))

BOTH_INTEGERS(BINARY, iadd, x + y)
BOTH_INTEGERS(BINARY, isub, x - y)
BOTH_INTEGERS(BINARY, imul, x *y)
BOTH_INTEGERS(BINARY, and, x &y)
BOTH_INTEGERS(BINARY, or, x | y)
BOTH_INTEGERS(BINARY, xor, x ^ y)
BOTH_INTEGERS(UNARY, not, ~x)
BINARY(imulhi_i32, uint32_t, uint32_t, (uint32_t)((uint64_t)x *y >> 32))
BINARY(imin_i32, int32_t, int32_t, x < y ? x : y)
BINARY(imin_i64, int64_t, int64_t, x < y ? x : y)
SHIFT(shl_i32, uint32_t, x << amount)
SHIFT(shl_i64, uint64_t, x << amount)
SHIFT(shr_i32, uint32_t, x >> amount)
SHIFT(shr_i64, uint64_t, x >> amount)
/* Arithmetic shifts, made from logical shifts. The number plus half the range is not negative, so it is
 * shifted logically, and the shifted half is subtracted. */
#define SIGN_32 UINT32_C(0x80000000)
#define SIGN_64 UINT64_C(0x8000000000000000)
SHIFT(sar_i32, uint32_t, ((x ^ SIGN_32) >> amount) - (SIGN_32 >> amount))
SHIFT(sar_i64, uint64_t, ((x ^ SIGN_64) >> amount) - (SIGN_64 >> amount))

UNARY(widen_f32, float, double, (double)x)
UNARY(narrow_f64, double, float, (float)x)
UNARY(to_f16_f32, float, float, f32_of_f16(f16_of_f32(x)))
UNARY(to_bf16_f32, float, float, f32_of_bf16(bf16_of_f32(x)))
UNARY(to_bf16_away_f32, float, float, f32_of_bf16(bf16_of_f32_away(x)))
UNARY(to_e4m3_f32, float, float, f32_of_e4m3(e4m3_of_f32(x)))
UNARY(to_e5m2_f32, float, float, f32_of_e5m2(e5m2_of_f32(x)))
UNARY(to_i8_f32, float, float, f32_of_i8(i8_of_f32(x)))
UNARY(to_u8_f32, float, float, f32_of_u8(u8_of_f32(x)))
UNARY(iwiden_i32, int32_t, int64_t, (int64_t)x)
UNARY(inarrow_i64, uint64_t, uint32_t, (uint32_t)x)

#ifdef INTERP_ROUNDS
static inline float round_even_f32(float x) { return rintf(x); }
static inline double round_even_f64(double x) { return rint(x); }
#else
/* Rounds to an integer, ties to even. Numbers from 2^23 (2^52) on are integers already, and NaN stays. The
 * sign of x is restored for results that are zero. */
static inline float round_even_f32(float x)
{
    const uint32_t sign = bits_of_f32(x) & SIGN_32;
    const float magnitude = fabsf(x), rounded = (magnitude + 0x1p23f) - 0x1p23f;
    return magnitude < 0x1p23f ? f32_of_bits(bits_of_f32(rounded) | sign) : x;
}

static inline double round_even_f64(double x)
{
    const uint64_t sign = bits_of_f64(x) & SIGN_64;
    const double magnitude = fabs(x), rounded = (magnitude + 0x1p52) - 0x1p52;
    return magnitude < 0x1p52 ? f64_of_bits(bits_of_f64(rounded) | sign) : x;
}
#endif
UNARY(round_f32, float, float, round_even_f32(x))
UNARY(round_f64, double, double, round_even_f64(x))

/* Multiplies by 2^(n >> 1) and 2^(n - (n >> 1)), both normal: see lane.h. With twice the exponent's bias, n
 * is positive. The shift may then be logical, and its halves are biased. */
static inline float scale_f32(float x, float n)
{
    const uint32_t biased = bits_of_f32(n + MAGIC_F32) - MAGIC_BITS_F32 + 2 * 127;
    const uint32_t half = biased >> 1, rest = biased - half;
    return x * f32_of_bits(half << 23) * f32_of_bits(rest << 23);
}

static inline double scale_f64(double x, double n)
{
    const uint64_t biased = bits_of_f64(n + MAGIC_F64) - MAGIC_BITS_F64 + 2 * 1023;
    const uint64_t half = biased >> 1, rest = biased - half;
    return x * f64_of_bits(half << 52) * f64_of_bits(rest << 52);
}
BINARY(scale2_f32, float, float, scale_f32(x, y))
BINARY(scale2_f64, double, double, scale_f64(x, y))
BINARY(scale2_floor_f32, float, float, scale_f32(x, floorf(y)))
BINARY(scale2_floor_f64, double, double, scale_f64(x, floor(y)))

/* The bits of |x|. A subnormal's are those of |x| 2^24, which has an exponent of its own. */
enum { RAISED_BY = 24 };
static inline uint32_t raised_bits(float x)
{
    const float magnitude = fabsf(x);
    return bits_of_f32(magnitude < 0x1p-126f ? magnitude * 0x1p24f : magnitude);
}

static inline float exponent_of_f32(float x)
{
    const float magnitude = fabsf(x);
    const int32_t e = (int32_t)(raised_bits(x) >> 23) - (magnitude < 0x1p-126f ? 127 + RAISED_BY : 127);
    const float finite = magnitude > 0 ? (float)e : -(float)INFINITY;
    return magnitude < (float)INFINITY ? finite : magnitude;
}

static inline float significand_of_f32(float x)
{
    const uint32_t fraction = raised_bits(x) & 0x7fffff, sign = bits_of_f32(x) & SIGN_32;
    const float m = f32_of_bits(fraction | 0x3f800000 | sign);
    return x >= 0 ? m : (float)NAN;
}
UNARY(exponent_f32, float, float, exponent_of_f32(x))
UNARY(significand_f32, float, float, significand_of_f32(x))

/* Rounds to an i32. Out of range it gives what x86's conversions give. No program's result may depend on
 * that. */
static inline int32_t nearest_i32(float x)
{
    return x >= -0x1p31f && x < 0x1p31f ? (int32_t)round_even_f32(x) : INT32_MIN;
}
UNARY(f2i_f32, float, int32_t, nearest_i32(x))

/* Rounds to an i64 in vectors. Below 2^51 the low bits of x + 1.5 * 2^52 are the integer. x86 has no such
 * conversion before AVX-512. */
static void f2i_f64(const struct interp_step *s, size_t n)
{
    const double *restrict a = s->a;
    uint64_t *restrict out = s->out;
    int64_t large = 0;
    LANES(n)
    {
        large |= fabs(a[k]) <= 0x1p51 ? 0 : 1;
        out[k] = bits_of_f64(a[k] + MAGIC_F64) - MAGIC_BITS_F64;
    }
    if (!large) return;
    LANES(n)
    {
        const double x = a[k];
        out[k] = (uint64_t)(x >= -0x1p63 && x < 0x1p63 ? (int64_t)round_even_f64(x) : INT64_MIN);
    }
}

UNARY(i2f_i32, int32_t, float, (float)x)
/* Converts from i64 by halves, 2^84 + (high + 2^31) * 2^32 and 2^52 + low. The subtraction is exact, and the
 * addition rounds once. */
static inline double f64_of_i64(uint64_t x)
{
    const double low = f64_of_bits((x & UINT64_C(0xffffffff)) | UINT64_C(0x4330000000000000));
    const double high = f64_of_bits((x >> 32 ^ UINT64_C(0x80000000)) | UINT64_C(0x4530000000000000));
    return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
}
UNARY(i2f_i64, uint64_t, double, f64_of_i64(x))

#define LOOKUP(function, type)                                                                               \
    static void function(const struct interp_step *s, size_t n)                                              \
    {                                                                                                        \
        const type *restrict table = s->table;                                                               \
        type *restrict out = s->out;                                                                         \
        if (s->index_bytes == 8) {                                                                           \
            const uint64_t *restrict a = s->a;                                                               \
            LANES(n) out[k] = table[a[k] & s->table_mask];                                                   \
        } else if (s->index_bytes == 4) {                                                                    \
            const uint32_t *restrict a = s->a;                                                               \
            LANES(n) out[k] = table[a[k] & s->table_mask];                                                   \
        } else if (s->index_bytes == 1) {                                                                    \
            const uint8_t *restrict a = s->a;                                                                \
            LANES(n) out[k] = table[a[k] & s->table_mask];                                                   \
        } else {                                                                                             \
            const uint16_t *restrict a = s->a;                                                               \
            LANES(n) out[k] = table[a[k] & s->table_mask];                                                   \
        }                                                                                                    \
    }
LOOKUP(lookup_1, uint8_t)
LOOKUP(lookup_2, uint16_t)
LOOKUP(lookup_4, uint32_t)
LOOKUP(lookup_8, uint64_t)

#define FLOATS(op, name)   [op] = {[LANE_F32] = name##_f32, [LANE_F64] = name##_f64}
#define INTEGERS(op, name) [op] = {[LANE_I32] = name##_i32, [LANE_I64] = name##_i64, [LANE_I16] = name##_i16}
#define BY_WIDTH(op, name)                                                                                   \
    [op] = {[LANE_F32] = name##_4, [LANE_F64] = name##_8, [LANE_I32] = name##_4, [LANE_I64] = name##_8,      \
            [LANE_F16] = name##_2, [LANE_I16] = name##_2, [LANE_I8] = name##_1}
#define ALL_FLOATS(op, name)                                                                                 \
    [op] = {[LANE_F32] = name##_f32, [LANE_F64] = name##_f64, [LANE_F16] = name##_f16}

/* LOAD, CONST, STORE and BITCAST are missing, because interp.c handles them with blocks. */
const interp_op_table INTERP_TABLE = {
    ALL_FLOATS(LANE_ADD, add),
    ALL_FLOATS(LANE_SUB, sub),
    ALL_FLOATS(LANE_MUL, mul),
    ALL_FLOATS(LANE_DIV, div),
    ALL_FLOATS(LANE_FMA, fma),
    ALL_FLOATS(LANE_NEG, neg),
    ALL_FLOATS(LANE_ABS, abs),
    ALL_FLOATS(LANE_MIN, min),
    ALL_FLOATS(LANE_MAX, max),
    ALL_FLOATS(LANE_SQRT, sqrt),
    FLOATS(LANE_ROUND, round),
    FLOATS(LANE_SCALE2, scale2),
    FLOATS(LANE_SCALE2_FLOOR, scale2_floor),
    [LANE_EXPONENT] = {[LANE_F32] = exponent_f32},
    [LANE_SIGNIFICAND] = {[LANE_F32] = significand_f32},
    ALL_FLOATS(LANE_EQ, eq),
    ALL_FLOATS(LANE_LT, lt),
    ALL_FLOATS(LANE_LE, le),
    INTEGERS(LANE_ILT, ilt),
    [LANE_MAND] = {[LANE_TRUTH] = mand_truth},
    [LANE_MOR] = {[LANE_TRUTH] = mor_truth},
    [LANE_MNOT] = {[LANE_TRUTH] = mnot_truth},
    BY_WIDTH(LANE_SELECT, select),
    BY_WIDTH(LANE_RARELY, select),
    INTEGERS(LANE_IADD, iadd),
    INTEGERS(LANE_ISUB, isub),
    INTEGERS(LANE_IMUL, imul),
    [LANE_IMULHI] = {[LANE_I32] = imulhi_i32},
    INTEGERS(LANE_IMIN, imin),
    INTEGERS(LANE_AND, and),
    INTEGERS(LANE_OR, or),
    INTEGERS(LANE_XOR, xor),
    INTEGERS(LANE_NOT, not ),
    INTEGERS(LANE_SHL, shl),
    INTEGERS(LANE_SHR, shr),
    INTEGERS(LANE_SAR, sar),
    [LANE_F2I] = {[LANE_F32] = f2i_f32, [LANE_F64] = f2i_f64},
    [LANE_I2F] = {[LANE_I32] = i2f_i32, [LANE_I64] = i2f_i64},
    [LANE_WIDEN] = {[LANE_F32] = widen_f32},
    [LANE_NARROW] = {[LANE_F64] = narrow_f64},
    [LANE_TO_F16] = {[LANE_F32] = to_f16_f32},
    [LANE_TO_BF16] = {[LANE_F32] = to_bf16_f32},
    [LANE_TO_BF16_AWAY] = {[LANE_F32] = to_bf16_away_f32},
    [LANE_TO_E4M3] = {[LANE_F32] = to_e4m3_f32},
    [LANE_TO_E5M2] = {[LANE_F32] = to_e5m2_f32},
    [LANE_TO_I8] = {[LANE_F32] = to_i8_f32},
    [LANE_TO_U8] = {[LANE_F32] = to_u8_f32},
    [LANE_IWIDEN] = {[LANE_I32] = iwiden_i32},
    [LANE_INARROW] = {[LANE_I64] = inarrow_i64},
    BY_WIDTH(LANE_LOOKUP, lookup),
};
