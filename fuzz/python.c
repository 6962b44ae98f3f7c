/* Fuzzes calls of the Python extension, in an interpreter inside this program. Python's own code makes a call
 * of the bytes (python/tests/test_random_calls.py), which libFuzzer changes until the extension and the
 * library take new ways. */
#define PY_SSIZE_T_CLEAN /* sizes of bytes are Py_ssize_t */
#include <Python.h>      /* This must come first. */

#include "fuzz.h"

static PyObject *call;

static PyObject *expect(PyObject *made)
{
    if (!made) PyErr_Print();
    fuzz_expect(made);
    return made;
}

/* Starts Python and compiles the kernels, which is not to count as the time of an input. */
int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    Py_InitializeEx(0);
    PyObject *module = expect(PyImport_ImportModule("test_random_calls"));
    expect(PyObject_CallMethod(module, "compiled", NULL));
    call = expect(PyObject_GetAttrString(module, "call_by_bytes"));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Py_DECREF(expect(PyObject_CallFunction(call, "y#", (const char *)data, (Py_ssize_t)size)));
    return 0;
}
