/* One element of an operand: its bits, its value, whether it is a NaN. */
#ifndef ACTGEN_ELEMENT_H
#define ACTGEN_ELEMENT_H

#include "half.h"
#include "types.h"

#include <math.h>
#include <stddef.h>

static inline uint64_t element_get(const void *data, enum element_type type, size_t i)
{
    uint16_t narrow;
    uint32_t single;
    uint64_t wide;
    switch (element_types[type].bytes) {
    case 2: memcpy(&narrow, (const char *)data + i * sizeof narrow, sizeof narrow); return narrow;
    case 4: memcpy(&single, (const char *)data + i * sizeof single, sizeof single); return single;
    default: memcpy(&wide, (const char *)data + i * sizeof wide, sizeof wide); return wide;
    }
}

static inline void element_set(void *data, enum element_type type, size_t i, uint64_t bits)
{
    const uint16_t narrow = (uint16_t)bits;
    const uint32_t single = (uint32_t)bits;
    switch (element_types[type].bytes) {
    case 2: memcpy((char *)data + i * sizeof narrow, &narrow, sizeof narrow); break;
    case 4: memcpy((char *)data + i * sizeof single, &single, sizeof single); break;
    default: memcpy((char *)data + i * sizeof bits, &bits, sizeof bits); break;
    }
}

static inline double element_value(enum element_type type, uint64_t bits)
{
    switch (type) {
    case ELEMENT_F64: return f64_of_bits(bits);
    case ELEMENT_F16: return (double)f32_of_f16((uint16_t)bits);
    case ELEMENT_BF16: return (double)f32_of_bf16((uint16_t)bits);
    default: return (double)f32_of_bits((uint32_t)bits);
    }
}

/* Near it; of a value that the type has, its bits. */
static inline uint64_t element_near(enum element_type type, double value)
{
    switch (type) {
    case ELEMENT_F64: return bits_of_f64(value);
    case ELEMENT_F16: return f16_of_f32((float)value);
    case ELEMENT_BF16: return bf16_of_f32((float)value);
    default: return bits_of_f32((float)value);
    }
}

/* Equal bits, or both NaN. */
static inline bool element_same(enum element_type type, uint64_t a, uint64_t b)
{
    return a == b || (isnan(element_value(type, a)) && isnan(element_value(type, b)));
}

#endif
