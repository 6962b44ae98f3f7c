/* A kernel's calls, and how they run: rows, sums, and arrays of any strides. */
#ifndef ACTGEN_PYTHON_CALL_H
#define ACTGEN_PYTHON_CALL_H

#include "arrays.h"

#include <actgen.h>

enum { MOST_OPERANDS = 32 };

struct group {
    struct array_type type;
    size_t bytes, parts; /* of an element; names that share a row */
    int shape;           /* ACTGEN_SHAPE_MATRIX ... */
};

typedef int run_fn(const actgen_kernel *kernel, size_t rows, size_t cols, const actgen_operand *operands,
                   size_t count, actgen_error *error);
typedef int run_rows_fn(const actgen_kernel *kernel, size_t first_row, size_t row_count, size_t rows,
                        size_t cols, const actgen_operand *operands, size_t count, actgen_error *error);
typedef void operands_at_row_fn(const actgen_kernel *kernel, size_t row, size_t cols,
                                const actgen_operand *operands, actgen_operand *out);
typedef size_t workspace_fn(const actgen_kernel *kernel, size_t rows, size_t cols);

/* Functions of libactgen, which the extension is handed and does not link. */
struct library {
    run_fn *run, *finish;
    run_rows_fn *run_rows;
    operands_at_row_fn *operands_at_row;
    workspace_fn *workspace;
};

/* A kernel's calls. */
struct call {
    PyObject_HEAD PyObject *owner; /* keeps the kernel */
    const actgen_kernel *kernel;
    struct library library;
    actgen_fn function; /* NULL: the interpreter runs it, or it has sums */
    size_t count, inputs;
    bool is_flat;  /* elements depend on nothing but each other: rows that follow without a gap are one */
    bool has_sums; /* a call needs a workspace */
    bool is_code;  /* machine code runs it, which cannot fail after its operands are checked */
    struct group groups[MOST_OPERANDS];
};

struct sizes {
    Py_ssize_t lead[ARRAY_MOST_AXES]; /* axes in front of the columns */
    int axes;                         /* so many */
    Py_ssize_t rows, cols;
};

/* Runs a call on rows and columns, both of which there are. Returns false, with nothing written, where the
 * library refuses it. */
bool call_run_rows(const struct call *call, size_t rows, size_t cols, const actgen_operand *operands,
                   size_t threads);

/* Runs a call on arrays of the right shapes, with any strides. Returns false, with nothing written, for what
 * Python must look at: results that overlap, and strides that only a flat kernel can have. */
bool call_run_arrays(const struct call *call, const struct array *arrays, const struct sizes *sizes,
                     size_t threads);

/* Runs a flat kernel, by machine code, element by element in the order of memory. Returns false as above. */
bool call_run_strided(const struct call *call, const struct array *arrays, const struct sizes *sizes,
                      size_t threads);

/* Returns whether a call of so many elements is worth other threads, and whether Python's lock is given back
 * while it runs. */
bool call_is_shared(const struct call *call, size_t rows, size_t cols, size_t threads);
bool call_is_long(const struct call *call, size_t rows, size_t cols);

/* Returns how many elements a thread takes in one turn, so that a thread that starts late takes fewer turns.
 */
size_t call_turn(size_t elements, size_t threads);

#endif
