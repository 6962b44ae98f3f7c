/* The operands and totals of a kernel as bytes, for records of ready kernels and for the keys of objects. */
#ifndef ACTGEN_KERNEL_RECORD_H
#define ACTGEN_KERNEL_RECORD_H

#include "bytes.h"
#include "lane.h"

/* Appends the operands and totals of a kernel as bytes, without names. */
void kernel_record_add(struct text *out, const struct lane_kernel *kernel);
/* Reads them into a kernel without names and program. Returns false for bytes that kernel_record_add has not
 * written. The bytes may be anything. */
bool kernel_record_read(struct lane_kernel *out, struct bytes *b, arena *memory);

#endif
