/* Conversions of the floats of 4, 8 and 16 bits and of the integers of 4 and 8 bits. They use integer
 * arithmetic, so they give the same bits on every processor, also for subnormals and NaN. */
#ifndef ACTGEN_HALF_H
#define ACTGEN_HALF_H

#include "float_bits.h"
#include "narrow_format.h"

/* Converts exactly. */
static inline float f32_of_bf16(uint16_t bits) { return f32_of_bits((uint32_t)bits << 16); }

/* Rounds to the nearest, ties to even. A NaN becomes a quiet NaN. */
static inline uint16_t bf16_of_f32(float x)
{
    const uint32_t bits = bits_of_f32(x);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Rounds to the nearest, ties away from 0. */
static inline uint16_t bf16_of_f32_away(float x)
{
    const uint32_t bits = bits_of_f32(x);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x8000) >> 16);
}

/* Converts exactly. A subnormal is its size times the smallest subnormal. This function and the next have no
 * branches, for loops over many elements. */
static inline float f32_of_narrow(struct narrow_format f, uint32_t bits)
{
    const uint32_t sign_bit = UINT32_C(1) << (f.bits - 1), size = bits & (sign_bit - 1);
    const uint32_t subnormal = bits_of_f32((float)(int32_t)size * f32_of_bits(narrow_least(f)));
    const uint32_t normal = (size << (23 - f.fraction)) + (f.rebias << 23);
    const uint32_t finite = size >> f.fraction ? normal : subnormal;
    const uint32_t number = size >= f.special ? normal + (f.rebias << 23) : finite;
    return f32_of_bits(number | (bits & sign_bit) << (32 - f.bits));
}

/* Rounds to the nearest, ties to even. Numbers beyond the cap become the cap. A NaN becomes a quiet NaN. */
static inline uint32_t narrow_of_f32(struct narrow_format f, float x)
{
    const unsigned dropped = 23 - f.fraction;
    const uint32_t bits = bits_of_f32(x), own = bits & 0x7fffffff, size = own < f.cap ? own : f.cap;
    const uint32_t rounder = narrow_rounder(f);
    const uint32_t subnormal = bits_of_f32(f32_of_bits(size) + f32_of_bits(rounder)) - rounder;
    const uint32_t half = (UINT32_C(1) << (dropped - 1)) - 1;
    const uint32_t normal = (size - (f.rebias << 23) + half + (size >> dropped & 1)) >> dropped;
    const uint32_t number = size < narrow_least_normal(f) ? subnormal : normal;
    return (bits >> 31) << (f.bits - 1) | (own > 0x7f800000 ? f.nan : number);
}

static inline float f32_of_f16(uint16_t bits) { return f32_of_narrow(narrow_f16, bits); }
static inline uint16_t f16_of_f32(float x) { return (uint16_t)narrow_of_f32(narrow_f16, x); }
static inline float f32_of_e4m3(uint8_t bits) { return f32_of_narrow(narrow_e4m3, bits); }
static inline uint8_t e4m3_of_f32(float x) { return (uint8_t)narrow_of_f32(narrow_e4m3, x); }
static inline float f32_of_e5m2(uint8_t bits) { return f32_of_narrow(narrow_e5m2, bits); }
static inline uint8_t e5m2_of_f32(float x) { return (uint8_t)narrow_of_f32(narrow_e5m2, x); }
/* A NaN of either sign becomes the largest number. */
static inline float f32_of_e2m1(uint8_t bits) { return f32_of_narrow(narrow_e2m1, bits); }
static inline uint8_t e2m1_of_f32(float x)
{
    return x == x ? (uint8_t)narrow_of_f32(narrow_e2m1, x) : (uint8_t)narrow_e2m1.nan;
}

/* Rounds to the nearest integer from `least` to `most`, ties to even. The sum rounds because floats near 2^23
 * are 1 apart. A NaN becomes 0. */
static inline int32_t integer_of_f32(float x, float least, float most)
{
    const float above = x > least ? x : least, within = above < most ? above : most;
    return x == x ? (int32_t)((within + 0x1.8p23f) - 0x1.8p23f) : 0;
}

static inline float f32_of_i8(int8_t bits) { return (float)bits; }
static inline int8_t i8_of_f32(float x) { return (int8_t)integer_of_f32(x, -128, 127); }
/* The bits are the lower half of a byte. */
static inline float f32_of_i4(uint8_t bits) { return (float)((bits & 7) - (bits & 8)); }
static inline uint8_t i4_of_f32(float x) { return (uint8_t)(integer_of_f32(x, -8, 7) & 15); }
static inline float f32_of_u8(uint8_t bits) { return (float)bits; }
static inline uint8_t u8_of_f32(float x) { return (uint8_t)integer_of_f32(x, 0, 255); }

/* The first rounds to nearest, ties to even. No result is an i32: the second finds elements for tests. */
static inline float f32_of_i32(int32_t bits) { return (float)bits; }
static inline int32_t i32_of_f32(float x)
{
    const double least = -0x1p31, most = 0x1p31 - 1, wide = (double)x, above = wide > least ? wide : least,
                 within = above < most ? above : most;
    return x == x ? (int32_t)((within + 0x1.8p52) - 0x1.8p52) : 0;
}

/* e8m0 has the exponents of f32: its bits are the biased exponent, 0 is 2^-127, and 255 is NaN. An infinity
 * becomes NaN, as it has no power of two. */
static inline float f32_of_e8m0(uint8_t bits)
{
    return f32_of_bits(bits == 0 ? 0x00400000 : bits == 255 ? 0x7fc00000 : (uint32_t)bits << 23);
}
static inline uint8_t e8m0_of_f32(float x) { return (uint8_t)(bits_of_f32(x) >> 23); }

/* Rounds to the nearest, ties to even, with one rounding. It first rounds to f32 toward 0, and sets the last
 * bit if bits were lost. Rounding this f32 to fewer bits gives the same result as rounding the number
 * itself. */
static inline uint16_t f16_of_f64(double x)
{
    const float nearest = (float)x;
    const double back = (double)nearest;
    uint32_t bits = bits_of_f32(nearest);
    bits -= (back < 0 ? -back : back) > (x < 0 ? -x : x);
    bits |= back < x || back > x;
    return f16_of_f32(f32_of_bits(bits));
}

#endif
