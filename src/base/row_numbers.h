/* The numbers of rows and columns in formulas. They are signed 32-bit integers, which overflow as such do:
 * first numbers of -1 and of 2^64 - 1 are equal. As f32 they are exact from -2^24 to 2^24, and beyond it they
 * are rounded to nearest, ties to even. */
#ifndef ACTGEN_ROW_NUMBERS_H
#define ACTGEN_ROW_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

static inline float place_number(uint64_t number)
{
    const int64_t low = (int64_t)(number & UINT32_MAX);
    return (float)(low > INT32_MAX ? low - ((int64_t)1 << 32) : low);
}

/* Computes the numbers of `count` elements: first, first + step, .... */
static inline void place_numbers(float *out, uint64_t first, uint64_t step, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = place_number(first + i * step);
}

#endif
