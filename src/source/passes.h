/* The passes of a kernel whose formulas have values of blocks of columns. */
#ifndef ACTGEN_SOURCE_PASSES_H
#define ACTGEN_SOURCE_PASSES_H

#include "rows.h"

struct source_passes {
    arena *memory;
    const struct source_style *style;
    const struct lane_kernel *called, *summands; /* As in interp/sum_blocks.h. */
    struct source_names names;
    uint32_t count; /* The number of passes that source_passes_of() has made. */
};

/* Makes the kernel of the next pass, with names of its own. */
struct source_kernel source_pass_of(struct source_passes *p, const struct lane_kernel *kernel);
/* Returns p->count passes. All totals of the kernel are values of blocks. */
const struct source_kernel *source_passes_of(struct source_passes *p);
/* Returns the name of the local array of an internal operand of that group. */
const char *source_array_name(arena *memory, const struct lane_kernel *called, uint32_t group);

#endif
