/* actgen._native: calls of kernels without Python between the arguments and the machine code, and threads that share them.
 *
 * It is handed the addresses of libactgen's functions, and so links nothing; whatever it does not know it leaves to the
 * package's Python, which does all of the same. */
#include "arrays.h"
#include "pool.h"

#include <actgen.h>

enum {
    MOST_OPERANDS = 32,
    KEEPS_LOCK =
        4096, /* elements that take less time than another thread of Python may take to give the lock back */
    SHARED =
        1
        << 15, /* elements that are worth another thread: its wake-up takes some microseconds, at times tens */
    PIECE = 1 << 13, /* elements that are worth a turn */
};

struct group {
    struct array_type type;
    size_t bytes, parts; /* of an element; names that share a row */
    int shape;           /* ACTGEN_SHAPE_MATRIX ... */
};

typedef int run_rows_fn(const actgen_kernel *kernel, size_t first_row, size_t row_count, size_t rows,
                        size_t cols, const actgen_operand *operands, size_t count, actgen_error *error);
typedef void operands_at_row_fn(const actgen_kernel *kernel, size_t row, size_t cols,
                                const actgen_operand *operands, actgen_operand *out);

/* A kernel's calls. */
struct call {
    PyObject_HEAD PyObject *owner; /* keeps the kernel */
    const actgen_kernel *kernel;
    actgen_fn function; /* NULL: the interpreter runs it */
    run_rows_fn *run_rows;
    operands_at_row_fn *operands_at_row;
    size_t count, inputs;
    bool is_flat; /* elements depend on nothing but each other: rows that follow without a gap are one */
    struct group groups[MOST_OPERANDS];
};

/* ---- running ---- */

/* A call as pieces of its rows, or, of one row of a flat kernel, of its columns. */
struct pieces {
    const struct call *call;
    const actgen_operand *operands;
    size_t rows, cols, piece;
};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void run_piece(void *context, size_t i)
{
    const struct pieces *p = context;
    actgen_operand here[MOST_OPERANDS];
    size_t first = i * p->piece, all = p->rows > 1 ? p->rows : p->cols, size = least(p->piece, all - first);
    if (p->rows > 1) {
        p->call->operands_at_row(p->call->kernel, first, p->cols, p->operands, here);
        p->call->function(size, p->cols, here);
        return;
    }
    for (size_t k = 0; k < p->call->count; k++) {
        const struct group *g = &p->call->groups[k];
        size_t offset = g->shape == ACTGEN_SHAPE_MATRIX ? first * g->bytes : 0;
        here[k] = (actgen_operand){(const char *)p->operands[k].data + offset, 0};
    }
    p->call->function(1, size, here);
}

/* How many pieces a call is worth, and how long each is: some a thread, so that one that starts late does less. */
static size_t cut(struct pieces *p, size_t threads)
{
    size_t least_piece = p->rows > 1 ? (PIECE + p->cols - 1) / p->cols : PIECE;
    size_t all = p->rows > 1 ? p->rows : p->call->is_flat ? p->cols : 1;
    p->piece = all / (4 * threads);
    if (p->rows == 1) p->piece = p->piece / 64 * 64; /* whole lines of the cache */
    if (p->piece < least_piece) p->piece = least_piece;
    return all / p->piece + (all % p->piece > 0);
}

/* Runs a call that has rows and columns; false, and nothing is written, where the library refuses it. */
static bool execute(const struct call *call, size_t rows, size_t cols, const actgen_operand *operands,
                    size_t threads)
{
    actgen_error error;
    struct pieces p = {call, operands, rows, cols, 0};
    bool is_long = cols > KEEPS_LOCK / rows || !call->function;
    bool is_shared = threads > 1 && call->function && cols >= SHARED / rows;
    size_t count = is_shared ? cut(&p, least(threads, POOL_MOST_THREADS)) : 1;
    PyThreadState *state = is_long ? PyEval_SaveThread() : NULL;
    /* One call is checked, and not each piece of it: pieces do not see what overlaps another one. */
    bool ok =
        !call->run_rows(call->kernel, 0, count > 1 ? 0 : rows, rows, cols, operands, call->count, &error);
    if (ok && count > 1) pool_share(count, run_piece, &p, threads);
    if (state) PyEval_RestoreThread(state);
    return ok;
}

/* ---- the frequent calls ---- */

struct sizes {
    Py_ssize_t lead[ARRAY_MOST_AXES]; /* axes in front of the columns */
    int axes;                         /* so many */
    Py_ssize_t rows, cols;
};

/* Sizes of a call whose first operand of shape [rows, cols] is `array`; false where there is nothing to do. */
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

/* Whether an operand of a call has the shape that is most usual for it. */
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

/* The inputs' memory and the sizes of the call; false for whatever is not usual. */
static bool read_inputs(struct call *call, PyObject *arrays, struct array *out, struct sizes *sizes)
{
    bool has_sizes = false;
    if (!PyTuple_Check(arrays) || PyTuple_Size(arrays) != (Py_ssize_t)call->inputs) return false;
    for (size_t i = 0; i < call->inputs; i++)
        if (!array_read(PyTuple_GetItem(arrays, (Py_ssize_t)i), &call->groups[i].type, &out[i])) return false;
    for (size_t i = 0; i < call->inputs && !has_sizes; i++)
        if (call->groups[i].shape == ACTGEN_SHAPE_MATRIX) {
            if (!sizes_of(&out[i], &call->groups[i], sizes)) return false;
            has_sizes = true;
        }
    for (size_t i = 0; i < call->inputs && has_sizes; i++)
        if (!fits(&out[i], &call->groups[i], sizes)) return false;
    return has_sizes;
}

static PyObject *new_result(struct group *group, const struct array *like, const struct sizes *sizes)
{
    Py_ssize_t shape[ARRAY_MOST_AXES];
    for (int i = 0; i < sizes->axes; i++) shape[i] = sizes->lead[i];
    shape[sizes->axes] = sizes->cols * (Py_ssize_t)group->parts;
    size_t bytes = (size_t)sizes->rows * (size_t)shape[sizes->axes] * group->bytes;
    return array_new(like, &group->type, bytes, shape, sizes->axes + 1);
}

/* Result `i` of what `out` is, which is none, one array, or a tuple of them: a new reference, or NULL. */
static PyObject *given_result(const struct call *call, PyObject *out, size_t i)
{
    size_t count = call->count - call->inputs;
    if (PyTuple_Check(out) && PyTuple_Size(out) != (Py_ssize_t)count) return NULL;
    PyObject *result = PyTuple_Check(out) ? PyTuple_GetItem(out, (Py_ssize_t)i) : count == 1 ? out : NULL;
    Py_XINCREF(result);
    return result;
}

/* A tuple of the results, and their memory; NULL for whatever is not usual. */
static PyObject *read_results(struct call *call, PyObject *out, const struct sizes *sizes,
                              struct array *arrays)
{
    size_t count = call->count - call->inputs;
    PyObject *results = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; results && i < count; i++) {
        struct group *group = &call->groups[call->inputs + i];
        struct array *array = &arrays[call->inputs + i];
        PyObject *result = out == Py_None ? new_result(group, arrays, sizes) : given_result(call, out, i);
        bool ok = result && array_read(result, &group->type, array) && array->is_writable &&
                  fits(array, group, sizes);
        if (!ok) Py_XDECREF(result);
        if (!ok || PyTuple_SetItem(results, (Py_ssize_t)i, result)) Py_CLEAR(results);
    }
    return results;
}

/* A tensor of one element may be a view whose sign is negated when it is read, which its memory does not show. */
static bool is_plain(const struct call *call, const struct array *arrays, const struct sizes *sizes)
{
    if (sizes->rows * sizes->cols > 1) return true;
    for (size_t i = 0; i < call->count; i++)
        if (arrays[i].is_tensor) return false;
    return true;
}

/* call(arrays, out, threads): the result, or a tuple of them; None where Python must look at it. */
static PyObject *call_quick(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    struct call *call = (struct call *)self;
    struct array arrays[MOST_OPERANDS];
    actgen_operand operands[MOST_OPERANDS];
    struct sizes sizes;
    long threads = count == 3 ? PyLong_AsLong(arguments[2]) : -1;
    if (PyErr_Occurred()) PyErr_Clear();
    if (threads < 1 || !read_inputs(call, arguments[0], arrays, &sizes)) Py_RETURN_NONE;
    PyObject *results = read_results(call, arguments[1], &sizes, arrays);
    if (!results) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    for (size_t i = 0; i < call->count; i++) operands[i] = (actgen_operand){arrays[i].data, 0};
    size_t rows = (size_t)sizes.rows, cols = (size_t)sizes.cols;
    bool ok = is_plain(call, arrays, &sizes) &&
              execute(call, call->is_flat ? 1 : rows, call->is_flat ? rows * cols : cols, operands,
                      (size_t)threads);
    PyObject *out = !ok ? Py_None : call->count - call->inputs > 1 ? results : PyTuple_GetItem(results, 0);
    Py_INCREF(out);
    Py_DECREF(results);
    return out;
}

/* ---- any memory ---- */

/* run(addresses, strides, rows, cols, threads): whether the library took the call; it has run then. */
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
    return PyBool_FromLong(execute(call, (size_t)rows, (size_t)cols, operands, (size_t)threads));
}

/* ---- the type ---- */

/* (numpy's dtype or None, name, bytes, parts, shape) */
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

/* Call(owner, kernel, (function, run_rows, operands_at_row), groups, inputs, is_flat): addresses are numbers. `groups` and
 * `owner` live as long as the result: names of types are in the first, the kernel in the other. */
static PyObject *call_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    PyObject *owner, *groups, *out;
    unsigned long long kernel, function, run_rows, operands_at_row;
    Py_ssize_t inputs;
    int is_flat;
    if (named && PyDict_Size(named)) return PyErr_Format(PyExc_TypeError, "Call takes no named arguments");
    if (!PyArg_ParseTuple(arguments, "OK(KKK)O!np", &owner, &kernel, &function, &run_rows, &operands_at_row,
                          &PyTuple_Type, &groups, &inputs, &is_flat))
        return NULL;
    Py_ssize_t count = PyTuple_Size(groups);
    if (count > MOST_OPERANDS || inputs < 0 || inputs >= count)
        return PyErr_Format(PyExc_ValueError, "Call takes up to %d operands, not %zd", MOST_OPERANDS, count);
    out = PyType_GenericAlloc(type, 0);
    if (!out) return NULL;
    struct call *call = (struct call *)out;
    call->owner = PyTuple_Pack(2, owner, groups);
    call->kernel = (const actgen_kernel *)(uintptr_t)kernel;
    call->function = (actgen_fn)(uintptr_t)function;
    call->run_rows = (run_rows_fn *)(uintptr_t)run_rows;
    call->operands_at_row = (operands_at_row_fn *)(uintptr_t)operands_at_row;
    call->count = (size_t)count;
    call->inputs = (size_t)inputs;
    call->is_flat = is_flat;
    bool ok = call->owner;
    for (Py_ssize_t i = 0; ok && i < count; i++)
        ok = read_group(PyTuple_GetItem(groups, i), &call->groups[i]);
    if (!ok) Py_CLEAR(out);
    return out;
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
     "quick(arrays, out, threads): the result, a tuple of them, or None where Python must look at the call."},
    {"run", call_run, METH_VARARGS,
     "run(addresses, strides, rows, cols, threads): whether the library took the call."},
    {0},
};
static PyType_Slot call_slots[] = {
    {Py_tp_new, call_new},
    {Py_tp_dealloc, call_free},
    {Py_tp_methods, call_methods},
    {Py_tp_doc, "Call(owner, kernel, (function, run_rows, operands_at_row), groups, inputs, is_flat)"},
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
