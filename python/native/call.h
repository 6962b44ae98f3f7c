/* Calls of a kernel on rows, with sums, and on arrays of any strides. */
#ifndef ACTGEN_PYTHON_CALL_H
#define ACTGEN_PYTHON_CALL_H

#include "arrays.h"

#include <actgen.h>

enum { MOST_OPERANDS = 64 }; /* the most operands of a kernel (docs/language.md, "Limits") */

struct group {
    struct array_type type;
    size_t bytes, parts; /* the bytes of an element; the number of names that share a row */
    int shape;           /* ACTGEN_SHAPE_MATRIX or another of these */
};

typedef int run_fn(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                   size_t count, actgen_error *error);
typedef int run_rows_fn(const actgen_kernel *kernel, size_t first_row, size_t row_count, size_t rows,
                        size_t cols, const actgen_operand *operands, size_t count, actgen_error *error);
typedef void operands_at_row_fn(const actgen_kernel *kernel, size_t row, size_t cols,
                                const actgen_operand *operands, actgen_operand *out);
typedef size_t workspace_fn(const actgen_kernel *kernel, size_t rows, size_t cols);

/* Functions of libactgen. The package passes them to the extension, which does not link the library. */
struct library {
    run_fn *run, *finish;
    run_rows_fn *run_rows;
    operands_at_row_fn *operands_at_row;
    workspace_fn *workspace;
};

/* A kernel's calls. */
struct call {
    PyObject_HEAD PyObject *owner; /* keeps the kernel alive */
    const actgen_kernel *kernel;
    struct library library;
    actgen_fn function; /* NULL if the interpreter runs the kernel, or if it has sums */
    size_t count, inputs;
    bool is_flat;  /* each result element depends only on input elements of its place, so dense rows are one
                      row */
    bool has_sums; /* a call needs a workspace */
    bool is_code;  /* machine code runs the kernel; it cannot fail after its operands are checked */
    struct group groups[MOST_OPERANDS];
};

/* The shape of a call. */
struct sizes {
    Py_ssize_t lead[ARRAY_MOST_AXES]; /* sizes of the axes in front of the columns */
    int axes;                         /* the number of these axes */
    Py_ssize_t rows, cols;
};

/* Runs a call on at least one row and one column. Returns false, with nothing written, if the library refuses
 * the call. */
bool call_run_rows(const struct call *call, size_t rows, size_t cols, const actgen_operand *operands,
                   size_t threads);

/* Runs a call on arrays of the right shapes, with any strides. Returns false, with nothing written, if Python
 * must handle the call. That is so where results overlap, and for strides that only a flat kernel can
 * have. */
bool call_run_arrays(const struct call *call, const struct array *arrays, const struct sizes *sizes,
                     size_t threads);

/* Runs the machine code of a flat kernel on its elements in the order of memory. Returns false as above. */
bool call_run_strided(const struct call *call, const struct array *arrays, const struct sizes *sizes,
                      size_t threads);

/* Return true if a call of so many elements is worth other threads, and if it releases Python's lock while it
 * runs. */
bool call_is_shared(const struct call *call, size_t rows, size_t cols, size_t threads);
bool call_is_long(const struct call *call, size_t rows, size_t cols);

/* Returns how many elements a thread takes in one turn. There are several turns per thread, so a thread that
 * starts late takes fewer. */
size_t call_turn(size_t elements, size_t threads);

#endif
