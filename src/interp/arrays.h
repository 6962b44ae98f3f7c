/* Moves elements between operands in memory and blocks of lanes. */
#ifndef ACTGEN_ARRAYS_H
#define ACTGEN_ARRAYS_H

#include "interp_ops.h"

/* Reads elements `first` to first + n - 1 of the row. The block holds f64 for ELEMENT_F64, truth values for
 * ELEMENT_U1, f16 if lanes do, and otherwise f32. Blocks begin at multiples of 8 elements. Data may have any
 * alignment. */
void array_read(void *block, struct interp_elements elements, struct kernel_row row, size_t first, size_t n);
/* Writes elements, rounded to nearest even. */
void array_write(const void *block, struct interp_elements elements, struct kernel_row row, size_t first,
                 size_t n);

#endif
