/* The program that writes libactgen-kernels: its data, and what its files share. */
#ifndef KERNELS_WRITE_H
#define KERNELS_WRITE_H

#include <actgen.h>

#include <stdbool.h>
#include <stdio.h>

/* The beginning of the names of kernels, which only the library's own C files call. */
#define KERNEL_PREFIX "kernel_"

enum { MOST_SETS = 8, MOST_BUILTINS = 256, MOST_FUNCTIONS = 4 * MOST_BUILTINS };

struct type_row {
    const char *name, *c_type;
    const char *fast; /* the bound of its fast functions */
    double epsilon;   /* from 1 to the next number */
};

struct builtin {
    char *name;
    char *alias_of; /* NULL: it is no alias */
    char *family, *summary;
};

/* A public function. */
struct function {
    const struct builtin *builtin;
    bool backward, fast;
    bool rows;                         /* it takes rows and cols, else a number of elements */
    actgen_kernel *kernels[MOST_SETS]; /* one for each set */
    const struct function *same;       /* the function whose code serves it as well; or NULL */
};

struct writer {
    actgen_engine *engine;
    const struct type_row *type;
    const char *folder;
    const char *sets[MOST_SETS]; /* the best first */
    size_t set_count;
    struct builtin builtins[MOST_BUILTINS];
    size_t builtin_count;
    struct function *functions[MOST_FUNCTIONS];
    size_t function_count;
};

struct text {
    char *data; /* from malloc */
    size_t size;
};

/* Prints the error and ends the program. */
_Noreturn void fail(const char *what, const actgen_error *error);

/* Returns a stage of the kernel as text. */
struct text stage_text(const actgen_kernel *kernel, int stage);

/* The files to which each function adds. */
struct outputs {
    FILE *definitions, *declarations, *list, *shapes;
};

/* Writes the definition of function i, its declaration and its lines of the lists. In functions.c. */
void write_function(const struct writer *w, size_t i, const struct outputs *to);

#endif
