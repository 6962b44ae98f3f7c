/* An element in memory: its bits, its value, and a test for NaN. */
#ifndef ACTGEN_ELEMENT_H
#define ACTGEN_ELEMENT_H

#include "float_bits.h"
#include "types.h"

#include <math.h>
#include <string.h>

/* Returns an element's bits. It avoids the type's functions, for loops over many elements. It handles sizes
 * of 1 and 4 bits, and of 1, 2, 4 and 8 bytes. */
static inline uint64_t element_get(const void *data, enum element_type type, size_t i)
{
    const char *at = (const char *)data + i * element_types[type].bytes;
    uint8_t byte;
    uint16_t narrow;
    uint32_t single;
    uint64_t wide;
    const unsigned together = elements_of_byte(type), width = 8 / together;
    if (together > 1) {
        const unsigned all = ((const uint8_t *)data)[i / together];
        return all >> i % together * width & ((1u << width) - 1);
    }
    switch (element_types[type].bytes) {
    case sizeof byte: memcpy(&byte, at, sizeof byte); return byte;
    case sizeof narrow: memcpy(&narrow, at, sizeof narrow); return narrow;
    case sizeof single: memcpy(&single, at, sizeof single); return single;
    default: memcpy(&wide, at, sizeof wide); return wide;
    }
}

static inline void element_set(void *data, enum element_type type, size_t i, uint64_t bits)
{
    char *at = (char *)data + i * element_types[type].bytes;
    const uint8_t byte = (uint8_t)bits;
    const uint16_t narrow = (uint16_t)bits;
    const uint32_t single = (uint32_t)bits;
    const unsigned together = elements_of_byte(type), width = 8 / together;
    if (together > 1) {
        uint8_t *all = (uint8_t *)data + i / together;
        const unsigned ones = (1u << width) - 1, first = (unsigned)(i % together) * width;
        *all = (uint8_t)((*all & ~(ones << first)) | (byte & ones) << first);
        return;
    }
    switch (element_types[type].bytes) {
    case sizeof byte: memcpy(at, &byte, sizeof byte); break;
    case sizeof narrow: memcpy(at, &narrow, sizeof narrow); break;
    case sizeof single: memcpy(at, &single, sizeof single); break;
    default: memcpy(at, &bits, sizeof bits); break;
    }
}

/* Returns true for equal bits, or if both are NaN. */
static inline bool element_same(enum element_type type, uint64_t a, uint64_t b)
{
    return a == b || (isnan(element_types[type].value(a)) && isnan(element_types[type].value(b)));
}

#endif
