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
    /* By operand: its name as a C name, the type of its lanes, and the parameter of `value`. */
    const char **own;
    enum lane_type *lanes;
    const struct source_parameter *parameters;
    const uint8_t *low_bits; /* By value of the program (low_bits.h). */
};

/* Prints the two functions over rows. */
void source_rows_print(struct text *out, struct source_writer *w, const struct source_kernel *k);

#endif
