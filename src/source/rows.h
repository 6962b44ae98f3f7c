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
    /* The passes of a kernel with values of blocks, each as a kernel of its own. Their loops run over the
     * columns, or the blocks of `block` columns, from `begin` to `end`. */
    const struct source_kernel *passes;
    uint32_t pass_count, level, block;
    bool is_pass;
};

/* Returns true if all columns of a row have the same element. */
static inline bool source_is_same_in_row(const struct kernel_operand *o)
{
    return o->shape == SHAPE_ROWS || o->shape == SHAPE_ONE;
}
/* Returns the distance of a row's elements. */
static inline unsigned source_distance_of(const struct kernel_operand *o)
{
    return o->layout == LAYOUT_INTERLEAVED ? o->parts : 1;
}
/* Prints the pointer to the first element of each operand in row i. */
void source_pointers_print(struct text *out, const struct source_kernel *k);
/* Returns the element of operand n of that column, and its address, where elements follow each other. Bits of
 * the byte may stand above a single bit. */
const char *source_element_at(struct source_writer *w, const struct source_kernel *k, uint32_t n,
                              const char *column);
const char *source_address_at(struct source_writer *w, const struct source_kernel *k, uint32_t n,
                              const char *column);

/* The most vectors at once, and the end of the name of vector v, of two in a pair or of more. */
enum { SOURCE_AT_ONCE = 4 };
const char *source_vector_ending(unsigned v, bool is_pair);

/* Returns true if all operands with an element for each column can be even and odd elements. */
bool source_has_pairs(const struct source_kernel *k);
/* Returns true if all operands with an element for each column are vectors in memory. */
bool source_has_vectors(const struct source_kernel *k);
/* Prints the two functions over rows. */
void source_rows_print(struct text *out, struct source_writer *w, const struct source_kernel *k);
/* Prints the work on a row whose pointers are there. */
void source_row_print(struct text *out, struct source_writer *w, const struct source_kernel *k);

/* Prints the work on a row of a kernel with passes. */
void source_passes_print(struct text *out, struct source_writer *w, const struct source_kernel *k);

#endif
