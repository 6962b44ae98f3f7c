/* The C header of an object: its names and its text. */
#ifndef ACTGEN_HEADER_H
#define ACTGEN_HEADER_H

#include "kernel.h"

/* The content of an object and its header. Kernels of one name are for different instruction sets. */
struct emission {
    const actgen_kernel *const *kernels;
    size_t count;
    const char *header_name, *prefix, *format;
    enum backend_dispatch dispatch;
    /* Other programs and libraries can call the functions. */
    bool exported;
};
bool is_first_of_name(const struct emission *e, size_t i);

/* The names of the functions that an object has for a kernel, besides those for each instruction set. */
struct kernel_names {
    const char *pointers; /* <prefix><kernel>, or actgen_<prefix><kernel> if that name belongs to C. */
    const char *strides;  /* <prefix><kernel>_strided */
    const char *operands; /* <prefix><kernel>_kernel */
};
struct kernel_names kernel_names(arena *memory, const char *prefix, const char *kernel);
/* Returns true if a function of that name could not be declared after the headers of C, POSIX and Windows, or
 * not be linked with their functions. */
bool is_c_name(const char *name);
extern const char *const c_name_lines[]; /* c_names.txt */

/* A pointer of the typed calls, for one operand of a call. Its name in the header has a suffix of actgen's
 * own. So it is no macro, keyword or type, whatever the operand is called. */
struct parameter {
    /* For readers. The name of [a | b] and [a, b] is a_b. */
    const char *name;
    const char *data;                   /* <name>_data */
    const char *stride;                 /* <name>_stride, or NULL if the operand has no stride. */
    const struct kernel_operand *names; /* The names in the group, in the order of their parts. */
};
/* Returns kernel->group_count parameters. */
struct parameter *header_parameters(arena *memory, const struct lane_kernel *kernel);

/* Returns DIAG_INVALID if the object or the header would define a name twice, or a name that C has, or if
 * kernels of one name have different operands. */
int check_header_names(arena *memory, const struct emission *e, struct diag *error);

void print_header(struct text *out, const struct emission *e);

#endif
