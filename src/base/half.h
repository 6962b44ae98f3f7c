/* The 16-bit floats, by integer arithmetic: the same on every processor, subnormals and NaN included. */
#ifndef ACTGEN_HALF_H
#define ACTGEN_HALF_H

#include "float_bits.h"

/* Exact. */
static inline float f32_of_bf16(uint16_t bits) { return f32_of_bits((uint32_t)bits << 16); }

/* The nearest, ties to even; a NaN stays one, quiet. */
static inline uint16_t bf16_of_f32(float x)
{
    const uint32_t bits = bits_of_f32(x);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The nearest, ties away from 0. */
static inline uint16_t bf16_of_f32_away(float x)
{
    const uint32_t bits = bits_of_f32(x);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x8000) >> 16);
}

/* Exact: a subnormal is its significand times 2^-24. Without branches, here and below, for loops over many. */
static inline float f32_of_f16(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
                   fraction = bits & 0x3ff;
    const uint32_t subnormal = bits_of_f32((float)(int32_t)fraction * 0x1p-24f);
    const uint32_t normal = (exponent + 112) << 23 | fraction << 13, special = 0x7f800000 | fraction << 13;
    const uint32_t number = exponent ? normal : subnormal;
    return f32_of_bits(sign | (exponent == 31 ? special : number));
}

/* The nearest, ties to even; from 65520 on infinity; a NaN stays one, quiet. */
static inline uint16_t f16_of_f32(float x)
{
    const uint32_t bits = bits_of_f32(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    const uint32_t subnormal =
        bits_of_f32(f32_of_bits(size) + 0.5f) - bits_of_f32(0.5f); /* rounds at 2^-24 */
    const uint32_t normal = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
    const uint32_t nan = 0x7e00 | (size >> 13 & 0x3ff);
    const uint32_t finite = size < 0x38800000 ? subnormal : normal;
    const uint32_t number = size >= 0x477ff000 ? 0x7c00 : finite;
    return (uint16_t)(sign | (size > 0x7f800000 ? nan : number));
}

/* The nearest, ties to even, by one rounding: to f32 with the last bit set where bits were lost, which rounds to fewer bits
 * as the number itself does. */
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
