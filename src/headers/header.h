/* The C header of an object: its names and its text. */
#ifndef ACTGEN_HEADER_H
#define ACTGEN_HEADER_H

#include "kernel.h"
#include "source.h"

/* The arguments of an object's functions: rows of memory, also one value of each input, or also vectors. */
enum emission_abi { ABI_ROWS, ABI_SCALAR, ABI_VECTOR };

/* The content of an object and its header. Kernels of one name are for different instruction sets. */
struct emission {
    const actgen_kernel *const *kernels;
    size_t count;
    const char *header_name, *prefix, *format;
    enum backend_dispatch dispatch;
    enum emission_abi abi;
    /* Other programs and libraries can call the functions. */
    bool exported;
    /* The style of C source. NULL: the emission is an object. */
    const struct source_style *style;
    bool compact; /* The code is short. The header does not depend on it. */
};
bool is_first_of_name(const struct emission *e, size_t i);

/* The names of the functions that an object has for a kernel, besides those for each instruction set. */
struct kernel_names {
    /* The function of values: <prefix><kernel>, or actgen_<prefix><kernel> if that name belongs to C. NULL
     * without such functions. */
    const char *values;
    const char *pointers;  /* <prefix><kernel>_rows if there is a function of values, else that name. */
    const char *strides;   /* <prefix><kernel>_strided */
    const char *operands;  /* <prefix><kernel>_kernel */
    const char *in_source; /* <prefix><kernel>, to which C source adds an ending. */
};
struct kernel_names kernel_names(arena *memory, const struct emission *e, const char *kernel);

/* -- header_values.c: functions of values -- */

/* Returns DIAG_INVALID if the kernel can be no such function, and DIAG_TARGET if its instruction set or the
 * format has no vector function ABI. The message says what would work. */
int check_values(const struct emission *e, const actgen_kernel *k, struct diag *error);
/* Lists the functions of values of the kernels of that name, the scalar one first. Returns their number. */
enum { MOST_VALUE_CALLS = 32 };
size_t list_value_calls(arena *memory, struct backend_call out[MOST_VALUE_CALLS], const struct emission *e,
                        const actgen_kernel *k);
/* Prints how compilers vectorise calls of the functions of values: comment and macro. */
void print_value_use(struct text *out, const struct emission *e);
/* Prints the comment and the declaration of a kernel's function of values. */
void print_value_declaration(struct text *out, const struct emission *e, const actgen_kernel *k);
/* Returns true if a function of that name could not be declared after the headers of C, POSIX and Windows, or
 * not be linked with their functions. */
bool is_c_name(const char *name);
extern const char *const c_name_lines[]; /* c_names.txt */

/* Returns DIAG_INVALID if the object or the header would define a name twice, or a name that C has, or if
 * kernels of one name have different operands. */
int check_header_names(arena *memory, const struct emission *e, struct diag *error);

void print_header(struct text *out, const struct emission *e);
/* Prints the lines with which an include guard begins, and one kernel's formula, promises and operands, for
 * all kernels of its name. */
void print_guard(struct text *out, const struct emission *e);
void print_kernel_comment(struct text *out, const struct emission *e, size_t kernel);

/* Prints the function of a header that returns the bytes of a workspace. */
void print_workspace(struct text *out, const char *function, const struct lane_kernel *kernel);

/* -- binding.c: an object's kernels as operators of other libraries -- */

enum binding { BINDING_TORCH, BINDING_ORT };
/* Prints the source that is compiled and linked with the object. Returns DIAG_INVALID if a kernel has
 * operands that the library has not. */
int print_binding(struct text *out, const struct emission *e, enum binding binding, struct diag *error);
extern const char *const binding_opening_lines[], *const binding_torch_lines[], *const binding_ort_lines[];

/* Prints the kernels as C source. Returns DIAG_INVALID or DIAG_TARGET if C source cannot have one of them. */
int print_source_file(struct text *out, const struct emission *e, struct diag *error);
/* Prints the name of the include guard: the prefix, the header's name, and a hash of what it declares. So a
 * program can include headers of one name from several folders. */
void print_guard_name(struct text *out, const struct emission *e);

#endif
