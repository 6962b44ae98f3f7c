/* Writes and reads numbers as elements of an array. */
#include "element.h"

#include <actgen.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const struct element_format formats[] = {
    [ACTGEN_F32] = {24, -126, 127}, [ACTGEN_F64] = {53, -1022, 1023}, [ACTGEN_F16] = {11, -14, 15},
    [ACTGEN_BF16] = {8, -126, 127}, [ACTGEN_E4M3] = {4, -6, 8},       [ACTGEN_E5M2] = {3, -14, 15},
    [ACTGEN_I8] = {8, 7, 7},        [ACTGEN_U8] = {8, 7, 7},          [ACTGEN_U1] = {1, 0, 0},
    [ACTGEN_I32] = {32, 31, 31},    [ACTGEN_E8M0] = {1, -127, 127},   [ACTGEN_E2M1] = {2, 0, 2},
    [ACTGEN_I4] = {4, 3, 3}};

struct element_format element_format(int type) { return formats[type]; }

unsigned elements_of_byte(int type)
{
    enum { SOME = 8 };
    const size_t bytes = actgen_array_bytes(type, SOME);
    return bytes < SOME ? (unsigned)(SOME / bytes) : 1;
}

/* Returns the exponent of the distance from y to its neighbours of the type. */
static int spacing_exponent(int type, double y)
{
    const struct element_format f = formats[type];
    int exponent = y == 0 ? f.least : ilogb(y);
    if (exponent < f.least) exponent = f.least;
    if (exponent > f.greatest) exponent = f.greatest;
    return exponent - (f.bits - 1);
}

double element_spacing(int type, double y) { return ldexp(1, spacing_exponent(type, y)); }

static double rounded_to_element(double x, int type)
{
    const int step = spacing_exponent(type, x);
    return ldexp(nearbyint(ldexp(x, -step)), step);
}

/* -- integers, which are 1 apart -- */

static const struct ends {
    double least, most;
} ends[] = {[ACTGEN_I8] = {INT8_MIN, INT8_MAX},
            [ACTGEN_U8] = {0, UINT8_MAX},
            [ACTGEN_I32] = {INT32_MIN, INT32_MAX},
            [ACTGEN_I4] = {-8, 7}};

static bool is_integer(int type)
{
    return type == ACTGEN_I8 || type == ACTGEN_U8 || type == ACTGEN_I32 || type == ACTGEN_I4;
}

static bool put_integer(void *element, int type, double x)
{
    const double nearest = nearbyint(x);
    if (!(nearest >= ends[type].least && nearest <= ends[type].most)) return false; /* Also refuses a NaN. */
    const int32_t whole = (int32_t)nearest;
    const uint8_t byte = (uint8_t)(type == ACTGEN_I4 ? whole & 15 : whole);
    memcpy(element, type == ACTGEN_I32 ? (const void *)&whole : &byte, actgen_type_bytes(type));
    return true;
}

/* -- powers of two, which are stored as their exponents -- */

enum { POWER_BIAS = 127, POWER_NAN = 255 };

/* Writes the largest power of two that is not above x. */
static bool put_power(uint8_t *element, double x)
{
    *element = POWER_NAN;
    if (isnan(x)) return true;
    if (!(x >= 0x1p-127 && x < 0x1p128)) return false;
    *element = (uint8_t)(ilogb(x) + POWER_BIAS);
    return true;
}

static double power_value(uint8_t bits)
{
    return bits == POWER_NAN ? (double)NAN : ldexp(1, bits - POWER_BIAS);
}

/* -- floats of 4, 8 and 16 bits, whose bits without the sign increase with the number -- */

static bool is_narrow(int type) { return actgen_type_bytes(type) < sizeof(float); }

static uint32_t sign_bit(int type)
{
    return UINT32_C(1) << (8 * actgen_type_bytes(type) / elements_of_byte(type) - 1);
}

/* Returns the smallest bits that are no finite number: infinity, the NaN of e4m3, or the sign of e2m1. */
static uint32_t first_special(int type)
{
    const struct element_format f = formats[type];
    return type == ACTGEN_E4M3 ? sign_bit(type) - 1 : (uint32_t)(f.greatest - f.least + 2) << (f.bits - 1);
}

/* Returns the bits of a number that the type has. */
static uint32_t narrow_bits(int type, double x)
{
    const struct element_format f = formats[type];
    const uint32_t sign = signbit(x) ? sign_bit(type) : 0, special = first_special(type);
    if (isnan(x)) return special | UINT32_C(1) << (f.bits - 2);
    if (isinf(x)) return sign | special;
    const int step = spacing_exponent(type, x);
    const uint32_t binades = (uint32_t)(step + f.bits - 1 - f.least);
    return sign | ((uint32_t)ldexp(fabs(x), -step) + (binades << (f.bits - 1)));
}

static double narrow_value(int type, uint32_t bits)
{
    const struct element_format f = formats[type];
    const uint32_t size = bits & (sign_bit(type) - 1), special = first_special(type),
                   leading = UINT32_C(1) << (f.bits - 1), binade = size / leading;
    const uint32_t units = binade ? size % leading + leading : size;
    double y = ldexp(units, f.least - (f.bits - 1) + (binade ? (int)binade - 1 : 0));
    if (size >= special) y = size == special && type != ACTGEN_E4M3 ? (double)INFINITY : (double)NAN;
    return bits & sign_bit(type) ? -y : y;
}

/* Writes a whole number. Returns false if x is none, or beyond the type. */
static bool put_u64(void *element, double x)
{
    if (!(x >= 0 && x < 0x1p64 && floor(x) == x)) return false;
    const uint64_t bits = (uint64_t)x;
    memcpy(element, &bits, sizeof bits);
    return true;
}

bool element_put(void *element, int type, double x)
{
    if (type == ACTGEN_U64) return put_u64(element, x);
    if (is_integer(type)) return put_integer(element, type, x);
    if (type == ACTGEN_E8M0) return put_power(element, x);
    if (type == ACTGEN_U1) *(uint8_t *)element = x == 1;
    if (type == ACTGEN_U1 || (type == ACTGEN_E2M1 && !isfinite(x))) return x == 0 || x == 1;
    const bool saturates = type == ACTGEN_E4M3 && isinf(x);
    const float single = (float)x;
    if (type == ACTGEN_F64) memcpy(element, &x, sizeof x);
    if (type == ACTGEN_F32 && isfinite(x) && isinf(single)) return false;
    if (type == ACTGEN_F32) memcpy(element, &single, sizeof single);
    if (!is_narrow(type)) return true;
    const double y = isfinite(x) ? rounded_to_element(x, type) : x;
    if (saturates || (isfinite(y) && fabs(y) > narrow_value(type, first_special(type) - 1))) return false;
    const uint16_t half = (uint16_t)narrow_bits(type, y);
    const uint8_t byte = (uint8_t)half;
    memcpy(element, actgen_type_bytes(type) == sizeof byte ? (const void *)&byte : &half,
           actgen_type_bytes(type));
    return true;
}

double element_get(const void *element, int type)
{
    double wide;
    float single;
    uint64_t whole;
    int32_t integer;
    uint16_t half;
    uint8_t byte;
    if (type == ACTGEN_I8) return (double)*(const int8_t *)element;
    if (type == ACTGEN_U8 || type == ACTGEN_U1) return (double)*(const uint8_t *)element;
    if (type == ACTGEN_I4) return (double)((*(const uint8_t *)element & 7) - (*(const uint8_t *)element & 8));
    if (type == ACTGEN_E8M0) return power_value(*(const uint8_t *)element);
    if (type == ACTGEN_I32) {
        memcpy(&integer, element, sizeof integer);
        return (double)(float)integer;
    }
    if (type == ACTGEN_U64) {
        memcpy(&whole, element, sizeof whole);
        /* The nearest double of the largest numbers is 2^64, which element_put refuses. */
        return whole > UINT64_MAX - 1024 ? 0x1p64 - 2048 : (double)whole;
    }
    switch (actgen_type_bytes(type)) {
    case sizeof wide: memcpy(&wide, element, sizeof wide); return wide;
    case sizeof single: memcpy(&single, element, sizeof single); return (double)single;
    case sizeof half: memcpy(&half, element, sizeof half); return narrow_value(type, half);
    default: memcpy(&byte, element, sizeof byte); return narrow_value(type, byte);
    }
}

bool element_put_at(void *array, size_t i, int type, double x)
{
    const unsigned together = elements_of_byte(type), width = 8 / together;
    uint8_t *byte = (uint8_t *)array + i / together * actgen_type_bytes(type), own = 0;
    if (together == 1) return element_put(byte, type, x);
    const unsigned first = (unsigned)(i % together) * width, ones = ((1u << width) - 1) << first;
    const bool has = element_put(&own, type, x);
    *byte = (uint8_t)((*byte & ~ones) | (unsigned)own << first);
    return has;
}

double element_get_at(const void *array, size_t i, int type)
{
    const unsigned together = elements_of_byte(type), width = 8 / together;
    const uint8_t *byte = (const uint8_t *)array + i / together * actgen_type_bytes(type);
    if (together == 1) return element_get(byte, type);
    const uint8_t own = (uint8_t)(*byte >> i % together * width & ((1u << width) - 1));
    return element_get(&own, type);
}
