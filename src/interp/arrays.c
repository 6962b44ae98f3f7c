#include "arrays.h"

#include "half.h"

#include <string.h>

/* Any 4 or 8 bytes. */
static void copy(void *to, size_t to_step, const void *from, size_t from_step, size_t bytes, size_t n)
{
    if (to_step == 1 && from_step == 1) {
        memcpy(to, from, n * bytes);
        return;
    }
    for (size_t k = 0; k < n; k++)
        memcpy((char *)to + k * to_step * bytes, (const char *)from + k * from_step * bytes, bytes);
}

void array_read(void *block, enum element_type type, struct kernel_row row, size_t first, size_t n)
{
    const size_t bytes = element_types[type].bytes;
    const char *data = (const char *)row.data + first * row.step * bytes;
    if (!element_is_half(type)) {
        copy(block, 1, data, row.step, bytes, n);
        return;
    }
    for (size_t k = 0; k < n; k++) {
        uint16_t bits;
        memcpy(&bits, data + k * row.step * bytes, sizeof bits);
        ((float *)block)[k] = type == ELEMENT_F16 ? f32_of_f16(bits) : f32_of_bf16(bits);
    }
}

void array_write(const void *block, enum element_type type, struct kernel_row row, size_t first, size_t n)
{
    const size_t bytes = element_types[type].bytes;
    char *data = (char *)row.data + first * row.step * bytes;
    if (!element_is_half(type)) {
        copy(data, row.step, block, 1, bytes, n);
        return;
    }
    for (size_t k = 0; k < n; k++) {
        const float x = ((const float *)block)[k];
        const uint16_t bits = type == ELEMENT_F16 ? f16_of_f32(x) : bf16_of_f32(x);
        memcpy(data + k * row.step * bytes, &bits, sizeof bits);
    }
}
