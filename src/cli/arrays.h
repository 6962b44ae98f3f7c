/* Reads .npy files and numbers as the operands of a call, and writes the results. */
#ifndef ACTGEN_CLI_ARRAYS_H
#define ACTGEN_CLI_ARRAYS_H

#include "npy.h"

struct array { /* one operand of a call: a name, or all names of [a | b] or [a, b] */
    char *name;
    int type, shape;          /* ACTGEN_F32 ..., ACTGEN_SHAPE_MATRIX ... */
    size_t parts;             /* the number of names */
    size_t block, block_rows; /* columns and rows that share an element; 0: each has its own */
    bool is_result;
    const struct array_file *file; /* NULL for a result that is printed */
    bool is_number;                /* the text is one number: every value is `element` */
    double element;                /* the number as an element of the type, which is no larger */
    size_t sharing; /* the numbers of a text for a type whose elements share bytes; 0 for a file */
    struct npy npy;
    size_t from, width; /* the chosen columns */
};

struct arrays {
    const actgen_kernel *kernel;
    bool takes_type;    /* --type can change the operands' type */
    struct array *list; /* inputs, then results */
    size_t count;
    const struct array *model; /* the input that sets rows and columns; NULL if none is [rows, cols] */
    size_t rows, cols;
};

/* Reads the inputs and allocates the results. Without any --out the results are to be printed. `takes_type`
 * is true for a built-in or a formula. Returns an exit code; a failure is printed. Close in both cases. */
int arrays_open(struct arrays *arrays, const actgen_kernel *kernel, bool takes_type,
                const struct options *options);
/* Runs the kernel on them. Returns an exit code; a failure is printed. */
int arrays_run(const struct arrays *arrays);
/* Writes the results to their files, all or none. Returns an exit code. */
int arrays_write(struct arrays *arrays);
/* Prints the results, one row per line. If there are several, each line begins with the result's name. */
void arrays_print(const struct arrays *arrays);
/* Writes each result as a JSON member such as "result_y", with all values in order. */
struct json;
void arrays_json(struct json *j, const struct arrays *arrays);
void arrays_close(struct arrays *arrays);

/* Counts the places between commas, and those of them that are empty. Returns false if there is anything
 * other than numbers. */
bool count_numbers(const char *text, size_t *count, size_t *empty);
/* Returns element `i` of a row of the array. */
double array_value(const struct array *array, size_t row, size_t i);
/* Writes element `i` of a row as text, a u64 with all its digits. */
struct cell;
const char *array_text(struct cell *out, const struct array *array, size_t row, size_t i);
/* Writes the shortest decimal that is read as this element of the type (ACTGEN_F32 ...). */
const char *element_text(struct cell *out, int type, double value);

#endif
