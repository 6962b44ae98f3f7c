/* Moves elements between arrays and blocks of lanes. */
#include "arrays.h"
#include "half.h"

#include <string.h>

/* Returns true if lanes hold the elements unchanged. */
static bool are_kept(struct interp_elements elements)
{
    return elements.byte || (elements.half && elements.type == ELEMENT_F16);
}

static void move(void *to, size_t to_step, const void *from, size_t from_step, size_t bytes, size_t n)
{
    for (size_t k = 0; k < n; k++)
        memcpy((char *)to + k * to_step * bytes, (const char *)from + k * from_step * bytes, bytes);
}

/* Reads elements that blocks of columns share. */
static void read_shared(void *block, struct interp_elements elements, struct kernel_row row, size_t first,
                        size_t n)
{
    const size_t lane = elements.type == ELEMENT_F64 ? sizeof(double) : sizeof(float);
    for (size_t k = 0, count; k < n; k += count) {
        const size_t own = row.block - (first + k) % row.block;
        const char *from =
            (const char *)row.data + element_bytes(elements.type, kernel_row_index(row, first + k));
        count = own < n - k ? own : n - k;
        element_types[elements.type].read((char *)block + k * lane, from, 0, count);
    }
}

/* Reads elements into a block. Programs that run on f32 arrays may have lanes of f16, which are converted. */
void array_read(void *block, struct interp_elements elements, struct kernel_row row, size_t first, size_t n)
{
    const struct element_type_info *t = &element_types[elements.type];
    const char *from = (const char *)row.data + element_bytes(elements.type, first * row.step);
    float wide[INTERP_BLOCK];
    if (row.block) {
        read_shared(block, elements, row, first, n);
        return;
    }
    if (are_kept(elements)) {
        move(block, 1, from, row.step, t->bytes, n);
        return;
    }
    t->read(elements.half ? wide : block, from, row.step, n);
    for (size_t k = 0; elements.half && k < n; k++) ((uint16_t *)block)[k] = f16_of_f32(wide[k]);
}

/* Writes the elements that blocks of columns share: the lane of each block's first column. */
static void write_shared(const void *block, struct interp_elements elements, struct kernel_row row,
                         size_t first, size_t n)
{
    const size_t lane = elements.type == ELEMENT_F64 ? sizeof(double) : sizeof(float);
    for (size_t k = (row.block - first % row.block) % row.block; k < n; k += row.block) {
        char *to = (char *)row.data + element_bytes(elements.type, kernel_row_index(row, first + k));
        element_types[elements.type].write(to, 1, (const char *)block + k * lane, 1);
    }
}

void array_write(const void *block, struct interp_elements elements, struct kernel_row row, size_t first,
                 size_t n)
{
    const struct element_type_info *t = &element_types[elements.type];
    char *to = (char *)row.data + element_bytes(elements.type, first * row.step);
    float wide[INTERP_BLOCK];
    if (row.block) {
        write_shared(block, elements, row, first, n);
        return;
    }
    if (are_kept(elements)) {
        move(to, row.step, block, 1, t->bytes, n);
        return;
    }
    for (size_t k = 0; elements.half && k < n; k++) wide[k] = f32_of_f16(((const uint16_t *)block)[k]);
    t->write(to, row.step, elements.half ? wide : block, n);
}
