/* The C header of an object: its names, and its text. */
#ifndef ACTGEN_API_HEADER_H
#define ACTGEN_API_HEADER_H

#include "api.h"

/* An object and its header. Kernels of one name are for several instruction sets. */
struct emission {
    const actgen_kernel *const *kernels;
    size_t count;
    const char *header_name, *prefix, *format;
    enum backend_dispatch dispatch;
    /* the functions are visible outside the program or library that the object is linked into */
    bool exported;
};
bool is_first_of_name(const struct emission *e, size_t i);

/* The functions that an object has for a kernel, besides those for each instruction set. */
struct kernel_names {
    const char *pointers; /* <prefix><kernel>, or actgen_<kernel> where that name belongs to C */
    const char *strides;  /* <prefix><kernel>_strided */
    const char *operands; /* <prefix><kernel>_kernel */
};
struct kernel_names kernel_names(arena *memory, const char *prefix, const char *kernel);
/* Returns true if a function of the name could not be declared after C's, POSIX's and Windows' headers, or
 * not be linked beside their functions. */
bool is_c_name(const char *name);
extern const char *const c_name_lines[]; /* c_names.txt */

/* A pointer of the typed calls: one operand of a call. What the header calls it has an end of ours, so that
 * it is no macro, keyword or type, whatever the operand is called. */
struct parameter {
    const char *name;                   /* for readers; of [a | b] and [a, b]: a_b */
    const char *data;                   /* <name>_data */
    const char *stride;                 /* <name>_stride; NULL: it has none */
    const struct kernel_operand *names; /* of the group, in order of part */
};
/* kernel->group_count of them. */
struct parameter *header_parameters(arena *memory, const struct lane_kernel *kernel);

/* DIAG_INVALID if the object or the header would define a name twice, or one that C has, or if kernels of one
 * name have different operands. */
int check_header_names(arena *memory, const struct emission *e, struct diag *error);

void print_header(struct text *out, const struct emission *e);

#endif
