#include "arrays.h"

void array_read(void *block, enum element_type type, struct kernel_row row, size_t first, size_t n)
{
    const struct element_type_info *t = &element_types[type];
    t->read(block, (const char *)row.data + first * row.step * t->bytes, row.step, n);
}

void array_write(const void *block, enum element_type type, struct kernel_row row, size_t first, size_t n)
{
    const struct element_type_info *t = &element_types[type];
    t->write((char *)row.data + first * row.step * t->bytes, row.step, block, n);
}
