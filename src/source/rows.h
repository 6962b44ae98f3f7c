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
    const char *many;  /* The function of several vectors at once. */
    unsigned at_once;  /* Their number. 1: there is no such function. */
    const struct kernel_parameter *groups;
    /* By operand: its name as a C name, the type of its lanes, and the name of its lanes. */
    const char **own, **vectors;
    enum lane_type *lanes;
    /* The operands that `value` takes: inputs, then numbers of rows and columns, then results. */
    const uint32_t *used;
    uint32_t used_count;
    const uint8_t *low_bits; /* By value of the program (low_bits.h). */
};

/* The most vectors at once, and the end of the name of vector v, of two in a pair or of more. */
enum { SOURCE_AT_ONCE = 4 };
const char *source_vector_ending(unsigned v, bool is_pair);

/* Returns true if all operands with an element for each column can be even and odd elements. */
bool source_has_pairs(const struct source_kernel *k);
/* Returns true if all operands with an element for each column are vectors in memory. */
bool source_has_vectors(const struct source_kernel *k);
/* Prints the two functions over rows. */
void source_rows_print(struct text *out, struct source_writer *w, const struct source_kernel *k);

#endif
