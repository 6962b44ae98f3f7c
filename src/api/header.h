/* The C header of an object: its names, and its text. */
#ifndef ACTGEN_API_HEADER_H
#define ACTGEN_API_HEADER_H

#include "api.h"

/* A pointer of the typed calls: one operand of a call. */
struct parameter {
    const char *name;                   /* of [a | b] and [a, b]: a_b */
    const char *stride;                 /* NULL: it has none */
    const struct kernel_operand *names; /* of the group, in order of part */
};
/* kernel->group_count of them. */
struct parameter *header_parameters(arena *memory, const struct lane_kernel *kernel);

/* The typed call of a kernel: its name, but of a built-in that the C library has, too: actgen_tanh. */
const char *header_function(arena *memory, const char *kernel);

/* DIAG_INVALID if the header of these kernels would define a name twice, or one that C has. */
int check_header_names(arena *memory, const actgen_kernel *const *kernels, size_t count, struct diag *error);

/* The header for an object of these kernels. */
void print_header(struct text *out, const actgen_kernel *const *kernels, size_t count, const char *file_name);

#endif
