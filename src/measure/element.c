/* Numbers as elements of an array. */
#include "element.h"

#include <actgen.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const struct element_format formats[] = {[ACTGEN_F32] = {24, -126, 127},
                                                [ACTGEN_F64] = {53, -1022, 1023},
                                                [ACTGEN_F16] = {11, -14, 15},
                                                [ACTGEN_BF16] = {8, -126, 127}};

struct element_format element_format(int type) { return formats[type]; }

/* The exponent of the distance from y to its neighbours of the type. */
static int spacing_exponent(int type, double y)
{
    const struct element_format f = formats[type];
    int exponent = y == 0 ? f.least : ilogb(y);
    if (exponent < f.least) exponent = f.least;
    if (exponent > f.greatest) exponent = f.greatest;
    return exponent - (f.bits - 1);
}

double element_spacing(int type, double y) { return ldexp(1, spacing_exponent(type, y)); }

static double rounded(double x, int type)
{
    const int step = spacing_exponent(type, x);
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
    const struct element_format f = formats[type];
    const double largest = (2 - ldexp(1, 1 - f.bits)) * ldexp(1, f.greatest);
    const bool is_half = (type == ACTGEN_F16 || type == ACTGEN_BF16) && isfinite(x);
    const double y = is_half ? rounded(x, type) : x;
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

static double of_f16(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double y = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                    : ldexp(fraction, -24);
    return bits >> 15 ? -y : y;
}

double element_get(const void *element, int type)
{
    double wide;
    float single;
    uint16_t half;
    switch (type) {
    case ACTGEN_F64: memcpy(&wide, element, sizeof wide); return wide;
    case ACTGEN_F32: memcpy(&single, element, sizeof single); return (double)single;
    default: memcpy(&half, element, sizeof half);
    }
    if (type == ACTGEN_F16) return of_f16(half);
    const uint32_t bits = (uint32_t)half << 16;
    memcpy(&single, &bits, sizeof single);
    return (double)single;
}
