/* Floats and their bit patterns. */
#ifndef ACTGEN_FLOAT_BITS_H
#define ACTGEN_FLOAT_BITS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns x rounded to f32 towards 0. */
static inline float f32_towards_0(double x)
{
    const float y = (float)x;
    const bool is_beyond = x < 0 ? (double)y < x : (double)y > x;
    return is_beyond ? f32_of_bits(bits_of_f32(y) - 1) : y;
}

/* Returns true if |x| is a power of two. A product with such a number loses nothing. */
static inline bool f64_is_power_of_two(double x)
{
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5;
}

/* Returns the larger number, for maxima of errors. If one of them is NaN, returns `b`. */
static inline double larger_of(double a, double b) { return a > b ? a : b; }

#endif
