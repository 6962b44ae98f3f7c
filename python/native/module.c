/* Implements the module actgen._native. It calls kernels without Python between the arguments and the machine
 * code, and has threads that share calls.
 *
 * The package passes the addresses of libactgen's functions, so the module links nothing. It leaves every
 * call that it does not handle to the package's Python code, which can do all of the same. */
#include "call.h"
#include "pool.h"

#include <string.h>

/* ---- the frequent calls ---- */

/* Finds the sizes of a call from its first operand of shape [rows, cols]. Returns false if there are no
 * elements, or if the shape does not fit. */
static bool sizes_of(const struct array *array, const struct group *group, struct sizes *out)
{
    if (!array->axes || array->shape[array->axes - 1] % (Py_ssize_t)group->parts) return false;
    *out = (struct sizes){.axes = array->axes - 1, .rows = 1};
    out->cols = array->shape[array->axes - 1] / (Py_ssize_t)group->parts;
    for (int i = 0; i < out->axes; i++) out->rows *= out->lead[i] = array->shape[i];
    return out->rows && out->cols;
}

static bool has_lead(const struct array *array, const struct sizes *sizes, int axes, Py_ssize_t last)
{
    if (array->axes != axes) return false;
    for (int i = 0; i < sizes->axes; i++)
        if (array->shape[i] != sizes->lead[i]) return false;
    return axes == sizes->axes || array->shape[axes - 1] == last;
}

/* Returns true if an operand of a call has the most usual shape for it. */
static bool fits(const struct array *array, const struct group *group, const struct sizes *sizes)
{
    switch (group->shape) {
    case ACTGEN_SHAPE_MATRIX:
        return has_lead(array, sizes, sizes->axes + 1, sizes->cols * (Py_ssize_t)group->parts);
    case ACTGEN_SHAPE_COLS: return array->axes == 1 && array->shape[0] == sizes->cols;
    case ACTGEN_SHAPE_ROWS:
        return has_lead(array, sizes, sizes->axes, 0) || has_lead(array, sizes, sizes->axes + 1, 1);
    default:
        return (array->axes == 0 && group->parts == 1) ||
               (array->axes == 1 && array->shape[0] == (Py_ssize_t)group->parts);
    }
}

/* Reads an input. An operand of one value may be a number. */
static bool read_input(PyObject *object, struct group *group, struct array *out)
{
    bool is_one = group->shape == ACTGEN_SHAPE_ONE && group->parts == 1;
    return array_read(object, &group->type, out) || (is_one && array_read_number(object, &group->type, out));
}

/* Reads the inputs' memory and the sizes of the call. Returns false if an input is not usual. The caller
 * releases the arrays that numbers became. */
static bool read_inputs(struct call *call, PyObject *arrays, struct array *out, struct sizes *sizes)
{
    bool has_sizes = false;
    for (size_t i = 0; i < call->inputs; i++) out[i].own = NULL;
    if (!PyTuple_Check(arrays) || PyTuple_Size(arrays) != (Py_ssize_t)call->inputs) return false;
    for (size_t i = 0; i < call->inputs; i++)
        if (!read_input(PyTuple_GetItem(arrays, (Py_ssize_t)i), &call->groups[i], &out[i])) return false;
    for (size_t i = 0; i < call->inputs && !has_sizes; i++)
        if (call->groups[i].shape == ACTGEN_SHAPE_MATRIX) {
            if (!sizes_of(&out[i], &call->groups[i], sizes)) return false;
            has_sizes = true;
        }
    for (size_t i = 0; i < call->inputs && has_sizes; i++)
        if (!fits(&out[i], &call->groups[i], sizes)) return false;
    return has_sizes;
}

/* Makes an array for a result. Sums over columns have the shape [..., rows, 1]. */
static PyObject *new_result(struct group *group, const struct array *like, const struct sizes *sizes,
                            struct array *out)
{
    Py_ssize_t shape[ARRAY_MOST_AXES];
    int axes = 0;
    size_t bytes = group->bytes;
    if (group->shape == ACTGEN_SHAPE_MATRIX || group->shape == ACTGEN_SHAPE_ROWS)
        for (int i = 0; i < sizes->axes; i++) shape[axes++] = sizes->lead[i];
    if (group->shape == ACTGEN_SHAPE_MATRIX || group->shape == ACTGEN_SHAPE_COLS)
        shape[axes++] = sizes->cols * (Py_ssize_t)group->parts;
    else if (group->shape == ACTGEN_SHAPE_ROWS || group->parts > 1)
        shape[axes++] = (Py_ssize_t)group->parts;
    for (int i = 0; i < axes; i++) bytes *= (size_t)shape[i];
    return array_new(like, &group->type, bytes, shape, axes, out);
}

/* Reads result `i` of `out`, which is one array or a tuple of arrays. Returns a new reference, or NULL if the
 * result is not usual. */
static PyObject *given_result(struct call *call, PyObject *out, size_t i, const struct sizes *sizes,
                              struct array *array)
{
    size_t count = call->count - call->inputs;
    struct group *group = &call->groups[call->inputs + i];
    if (PyTuple_Check(out) && PyTuple_Size(out) != (Py_ssize_t)count) return NULL;
    PyObject *result = PyTuple_Check(out) ? PyTuple_GetItem(out, (Py_ssize_t)i) : count == 1 ? out : NULL;
    if (!result || !array_read(result, &group->type, array) || !array->is_writable ||
        !fits(array, group, sizes))
        return NULL;
    Py_INCREF(result);
    return result;
}

/* Returns the first input that is not a number. New results are of its library. */
static const struct array *first_array(const struct array *inputs)
{
    while (inputs->is_number) inputs++;
    return inputs;
}

/* Returns a tuple of the results, and their memory in `arrays`. Returns NULL if one of them is not usual. */
static PyObject *read_results(struct call *call, PyObject *out, const struct sizes *sizes,
                              struct array *arrays)
{
    size_t count = call->count - call->inputs;
    PyObject *results = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; results && i < count; i++) {
        struct array *array = &arrays[call->inputs + i];
        PyObject *result =
            out == Py_None ? new_result(&call->groups[call->inputs + i], first_array(arrays), sizes, array)
                           : given_result(call, out, i, sizes, array);
        if (!result || PyTuple_SetItem(results, (Py_ssize_t)i, result)) Py_CLEAR(results);
    }
    return results;
}

/* Runs a call. Returns the result, or a tuple of results. Returns NULL, without an exception, if Python must
 * handle the call. */
static PyObject *run_call(struct call *call, PyObject *inputs, PyObject *out, size_t threads,
                          struct array *arrays)
{
    struct sizes sizes;
    if (!read_inputs(call, inputs, arrays, &sizes)) return NULL;
    PyObject *results = read_results(call, out, &sizes, arrays), *found = NULL;
    if (results && call_run_arrays(call, arrays, &sizes, threads))
        found = call->count - call->inputs > 1 ? results : PyTuple_GetItem(results, 0);
    Py_XINCREF(found);
    Py_XDECREF(results);
    return found;
}

/* Implements quick(arrays, out, threads). Returns the result, or a tuple of results, or None if Python must
 * handle the call. */
static PyObject *call_quick(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    struct call *call = (struct call *)self;
    struct array arrays[MOST_OPERANDS];
    long threads = count == 3 ? PyLong_AsLong(arguments[2]) : -1;
    PyErr_Clear();
    if (threads < 1) Py_RETURN_NONE;
    PyObject *found = run_call(call, arguments[0], arguments[1], (size_t)threads, arrays);
    for (size_t i = 0; i < call->inputs; i++) array_release(&arrays[i]);
    PyErr_Clear();
    if (!found) Py_RETURN_NONE;
    return found;
}

/* ---- any memory ---- */

/* Implements run(addresses, strides, rows, cols, threads). Returns True if the library accepted and ran the
 * call. */
static PyObject *call_run(PyObject *self, PyObject *arguments)
{
    struct call *call = (struct call *)self;
    PyObject *addresses, *strides;
    Py_ssize_t rows, cols, threads;
    actgen_operand operands[MOST_OPERANDS];
    if (!PyArg_ParseTuple(arguments, "OOnnn", &addresses, &strides, &rows, &cols, &threads)) return NULL;
    if (PySequence_Size(addresses) != (Py_ssize_t)call->count ||
        PySequence_Size(strides) != (Py_ssize_t)call->count || rows < 1 || cols < 1 || threads < 1)
        Py_RETURN_FALSE;
    for (size_t i = 0; i < call->count; i++) {
        PyObject *address = PySequence_GetItem(addresses, (Py_ssize_t)i),
                 *stride = PySequence_GetItem(strides, (Py_ssize_t)i);
        operands[i] = (actgen_operand){address ? PyLong_AsVoidPtr(address) : NULL,
                                       stride ? PyLong_AsSize_t(stride) : 0};
        Py_XDECREF(address);
        Py_XDECREF(stride);
        if (PyErr_Occurred()) return NULL;
    }
    return PyBool_FromLong(call_run_rows(call, (size_t)rows, (size_t)cols, operands, (size_t)threads));
}

/* ---- the type ---- */

/* Reads a tuple (NumPy's dtype or None, name, bytes, parts, shape). */
static bool read_group(PyObject *tuple, struct group *out)
{
    PyObject *numpy;
    Py_ssize_t bytes, parts;
    if (!PyArg_ParseTuple(tuple, "Osnni", &numpy, &out->type.name, &bytes, &parts, &out->shape)) return false;
    out->bytes = (size_t)bytes;
    out->parts = (size_t)parts;
    if (numpy == Py_None) return true;
    Py_INCREF(numpy);
    out->type.numpy = numpy;
    return true;
}

/* Reads the addresses of the functions of struct library, in its order. */
static bool read_library(PyObject *tuple, struct library *out)
{
    unsigned long long run, finish, run_rows, operands_at_row, workspace;
    if (!PyArg_ParseTuple(tuple, "KKKKK", &run, &finish, &run_rows, &operands_at_row, &workspace))
        return false;
    *out = (struct library){
        (run_fn *)(uintptr_t)run, (run_fn *)(uintptr_t)finish, (run_rows_fn *)(uintptr_t)run_rows,
        (operands_at_row_fn *)(uintptr_t)operands_at_row, (workspace_fn *)(uintptr_t)workspace};
    return true;
}

/* Implements Call(owner, (kernel, function), library, groups, inputs, (is_flat, has_sums, is_code)).
 * Addresses are numbers. The object keeps `groups`, which has the names of types, and `owner`, which has the
 * kernel. */
static PyObject *call_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    PyObject *owner, *library, *groups;
    unsigned long long kernel, function;
    Py_ssize_t inputs;
    int is_flat, has_sums, is_code;
    if (named && PyDict_Size(named)) return PyErr_Format(PyExc_TypeError, "Call takes no named arguments");
    if (!PyArg_ParseTuple(arguments, "O(KK)O!O!n(ppp)", &owner, &kernel, &function, &PyTuple_Type, &library,
                          &PyTuple_Type, &groups, &inputs, &is_flat, &has_sums, &is_code))
        return NULL;
    Py_ssize_t count = PyTuple_Size(groups);
    if (count > MOST_OPERANDS || inputs < 0 || inputs >= count)
        return PyErr_Format(PyExc_ValueError, "Call takes up to %d operands, not %zd", MOST_OPERANDS, count);
    struct call *call = (struct call *)PyType_GenericAlloc(type, 0);
    if (!call) return NULL;
    call->owner = PyTuple_Pack(2, owner, groups);
    call->kernel = (const actgen_kernel *)(uintptr_t)kernel;
    call->function = (actgen_fn)(uintptr_t)function;
    call->count = (size_t)count;
    call->inputs = (size_t)inputs;
    call->is_flat = is_flat;
    call->has_sums = has_sums;
    call->is_code = is_code;
    bool ok = call->owner && read_library(library, &call->library);
    for (Py_ssize_t i = 0; ok && i < count; i++)
        ok = read_group(PyTuple_GetItem(groups, i), &call->groups[i]);
    if (ok) return (PyObject *)call;
    Py_DECREF(call);
    return NULL;
}

static void call_free(PyObject *self)
{
    struct call *call = (struct call *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (size_t i = 0; i < call->count; i++) array_type_release(&call->groups[i].type);
    Py_XDECREF(call->owner);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMethodDef call_methods[] = {
    {"quick", (PyCFunction)(void (*)(void))call_quick, METH_FASTCALL,
     "quick(arrays, out, threads): the result, or a tuple of results, or None if Python must handle the "
     "call."},
    {"run", call_run, METH_VARARGS,
     "run(addresses, strides, rows, cols, threads): True if the library accepted and ran the call."},
    {0},
};
static PyType_Slot call_slots[] = {
    {Py_tp_new, call_new},
    {Py_tp_dealloc, call_free},
    {Py_tp_methods, call_methods},
    {Py_tp_doc, "Call(owner, (kernel, function), library, groups, inputs, (is_flat, has_sums, is_code))"},
    {0},
};
static PyType_Spec call_spec = {"actgen._native.Call", sizeof(struct call), 0, Py_TPFLAGS_DEFAULT,
                                call_slots};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "actgen._native",
                                        .m_doc = "Calls of kernels, and threads that share them.",
                                        .m_size = -1};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void)
{
    if (!arrays_begin() || Py_AtExit(pool_end)) return NULL;
    PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&call_spec);
    if (module && type && !PyModule_AddObject(module, "Call", type)) return module;
    Py_XDECREF(type);
    Py_XDECREF(module);
    return NULL;
}
