/* Numbers as elements of an array. */
#include "element.h"

#include <actgen.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* x as a multiple of 2^step by which the type's numbers around it lie apart, of `bits` significant ones and exponents from
 * `least`. */
static double rounded(double x, int bits, int least)
{
    int exponent = 0;
    frexp(x, &exponent);
    const int step = (exponent - 1 < least ? least : exponent - 1) - (bits - 1);
    return ldexp(nearbyint(ldexp(x, -step)), step);
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Takes a number that is one of the type's. */
static uint16_t f16_bits(double x)
{
    const uint32_t sign = signbit(x) ? 0x8000 : 0, bits = bits_of((float)fabs(x));
    if (isnan(x)) return 0x7e00;
    if (isinf(x)) return (uint16_t)(sign | 0x7c00);
    if (fabs(x) < 0x1p-14) return (uint16_t)(sign | (uint32_t)(fabs(x) * 0x1p24));
    return (uint16_t)(sign | ((bits >> 13) - (112 << 10)));
}

bool element_put(void *element, int type, double x)
{
    const double largest = type == ACTGEN_F16 ? 65504 : type == ACTGEN_BF16 ? 0x1.fep127 : 0x1.fffffep127;
    const bool is_half = (type == ACTGEN_F16 || type == ACTGEN_BF16) && isfinite(x);
    const double y = !is_half ? x : type == ACTGEN_F16 ? rounded(x, 11, -14) : rounded(x, 8, -126);
    if (type == ACTGEN_F64) {
        memcpy(element, &x, sizeof x);
        return true;
    }
    if (isfinite(y) && fabs(y) > largest && (is_half || isinf((float)y))) return false;
    const float narrow = (float)y;
    const uint16_t half = type == ACTGEN_F16 ? f16_bits(y) : (uint16_t)(bits_of(narrow) >> 16);
    memcpy(element, type == ACTGEN_F32 ? (const void *)&narrow : &half, actgen_type_bytes(type));
    return true;
}
