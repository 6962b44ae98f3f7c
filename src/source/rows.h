/* The kernel over rows, around a function of one vector. */
#ifndef ACTGEN_SOURCE_ROWS_H
#define ACTGEN_SOURCE_ROWS_H

#include "style.h"

/* A kernel with the names that its text needs. */
struct source_kernel {
    const struct lane_kernel *kernel;
    struct source_names names;
    struct source_form form;
    const char *value; /* The function of one vector. */
    const struct kernel_parameter *groups;
    /* By operand: its name as a C name, the type of its lanes, and the name of its lanes. */
    const char **own, **vectors;
    enum lane_type *lanes;
    /* The operands that `value` takes: inputs, then numbers of rows and columns, then results. */
    const uint32_t *used;
    uint32_t used_count;
    const uint8_t *low_bits; /* By value of the program (low_bits.h). */
};

/* Prints the two functions over rows. */
void source_rows_print(struct text *out, struct source_writer *w, const struct source_kernel *k);

#endif
