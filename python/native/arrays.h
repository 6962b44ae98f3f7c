/* Arrays of NumPy and PyTorch as a call needs them: contiguous, and nothing looked at twice. */
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
};

/* Memory whose last axis is innermost, without gaps. */
struct array {
    PyObject *object, *dtype; /* borrowed */
    char *data;
    Py_ssize_t shape[ARRAY_MOST_AXES];
    int axes;
    bool is_tensor, is_writable;
};

/* Finds what is asked of NumPy; false with a Python exception. */
bool arrays_begin(void);

/* What `object` is; false, without an exception, unless it is such an array of type `type`. It owns the memory. */
bool array_read(PyObject *object, struct array_type *type, struct array *out);

/* A new array of the library that `like` is of, so many bytes long; NULL, without an exception, where there is none. */
PyObject *array_new(const struct array *like, struct array_type *type, size_t bytes, const Py_ssize_t *shape,
                    int axes);

void array_type_release(struct array_type *type);

#endif
