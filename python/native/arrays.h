/* Arrays of NumPy and PyTorch as a call needs them. Each property is read once. */
#ifndef ACTGEN_PYTHON_ARRAYS_H
#define ACTGEN_PYTHON_ARRAYS_H

#define Py_LIMITED_API 0x030A0000 /* one build works with all Pythons from 3.10 on */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    ARRAY_MOST_AXES = 8,
    KEPT_LEAST = 4 << 20, /* the least bytes of a long result, as in _memory.py */
};

/* An element type, as an object of each library. NULL where the library has no such type, or is not
 * imported. */
struct array_type {
    PyObject *numpy, *torch;
    const char *name; /* such as "float32" */
};

/* Memory of an array. Strides are in elements. */
struct array {
    PyObject *object, *dtype; /* borrowed */
    bool is_number;
    PyObject *own; /* a reference to the array that a number became; NULL if the number stands in `number` */
    union {
        float f32;
        double f64;
    } number;
    char *data;
    Py_ssize_t shape[ARRAY_MOST_AXES], strides[ARRAY_MOST_AXES];
    int axes;
    bool is_tensor, is_writable;
    bool is_dense; /* the last axis is innermost, and there are no gaps */
};

/* Finds the objects of NumPy. Returns false, with a Python exception, if one is missing. */
bool arrays_begin(void);

/* Describes an array, whose object owns the memory. Returns false, without an exception, if a kernel cannot
 * read its memory as it is: `object` is not an array of type `type`, or autograd wants its gradient. */
bool array_read(PyObject *object, struct array_type *type, struct array *out);

/* Converts one number to an array of type `type`. Returns false if `object` is not a number of this type. */
bool array_read_number(PyObject *object, struct array_type *type, struct array *out);

/* Frees the array that array_read_number() made. */
void array_release(struct array *array);

/* Makes an array of `bytes` bytes with the library of `like`. If the shapes are equal, the array has the
 * order of axes of `like`. Returns a new reference, and the array's description in `out`. Returns NULL,
 * without an exception, if this fails. */
PyObject *array_new(const struct array *like, struct array_type *type, size_t bytes, const Py_ssize_t *shape,
                    int axes, struct array *out);

void array_type_release(struct array_type *type);

#endif
