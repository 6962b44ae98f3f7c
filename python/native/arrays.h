/* Arrays of NumPy and PyTorch as a call needs them: nothing is looked at twice. */
#ifndef ACTGEN_PYTHON_ARRAYS_H
#define ACTGEN_PYTHON_ARRAYS_H

#define Py_LIMITED_API 0x030A0000 /* one build for all Pythons from 3.10 on */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    ARRAY_MOST_AXES = 8,
    KEPT_LEAST = 4 << 20, /* bytes of a long result, as _memory.py has it */
};

/* An element type by the names of each library; NULL where the library has none, or is not there yet. */
struct array_type {
    PyObject *numpy, *torch;
    const char *name; /* "float32" */
    bool is_seed;     /* that of seeds, which only integers are */
};

/* Memory of an array. Strides are in elements. */
struct array {
    PyObject *object, *dtype; /* borrowed */
    bool is_number;
    PyObject *own; /* the array that a number became, a reference; or NULL: it stands in `number` */
    union {
        float f32;
        double f64;
    } number;
    char *data;
    Py_ssize_t shape[ARRAY_MOST_AXES], strides[ARRAY_MOST_AXES];
    int axes;
    bool is_tensor, is_writable;
    bool is_dense; /* its last axis is innermost, and there are no gaps */
};

/* Finds what is asked of NumPy; false with a Python exception. */
bool arrays_begin(void);

/* Finds what `object` is, which owns the memory. Returns false, without an exception, unless it is an array
 * of type `type` whose elements can be read from its memory as they are, by a kernel that has no gradient of
 * its own. */
bool array_read(PyObject *object, struct array_type *type, struct array *out);

/* Takes one number, which becomes an array of type `type`. */
bool array_read_number(PyObject *object, struct array_type *type, struct array *out);

/* Gives back what array_read_number() made. */
void array_release(struct array *array);

/* Makes an array of the library that `like` is of, so many bytes long, with its order of axes where it has
 * its shape. Returns a new reference, and what it is in `out`; NULL, without an exception, where there is
 * none. */
PyObject *array_new(const struct array *like, struct array_type *type, size_t bytes, const Py_ssize_t *shape,
                    int axes, struct array *out);

void array_type_release(struct array_type *type);

#endif
