/* NumPy says what an array is by a C struct in a capsule (`__array_struct__`), PyTorch by another (DLPack): both take less time
 * than asking for address, shape and strides one by one. */
#include "arrays.h"

/* The array interface, version 3: https://numpy.org/doc/stable/reference/arrays.interface.html */
struct numpy_array {
    int two, axes;
    char kind;
    int item_bytes, flags;
    Py_ssize_t *shape, *strides;
    void *data;
    PyObject *description;
};
enum { NUMPY_CONTIGUOUS = 0x1, NUMPY_ALIGNED = 0x100, NUMPY_NATIVE = 0x200, NUMPY_WRITABLE = 0x400 };

/* dlpack.h, the struct that a capsule "dltensor" points to begins with. */
struct dlpack_tensor {
    void *data;
    int32_t device_type, device_id, axes;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides; /* in elements */
    uint64_t byte_offset;
};
enum { DLPACK_CPU = 1 };

/* The libraries are imported once a process; PyTorch is asked for when it is there. */
static struct {
    PyObject *array, *empty, *interface, *dtype; /* NumPy's, and names of attributes */
    PyObject *long_empty, *long_tensor;          /* functions of the package: memory of long results */
    PyObject *tensor, *to_dlpack, *torch, *empty_tensor, *requires_grad;
} known;

bool arrays_begin(void)
{
    PyObject *numpy = PyImport_ImportModule("numpy"), *memory = PyImport_ImportModule("actgen._memory");
    if (!numpy || !memory) return false;
    known.long_empty = PyObject_GetAttrString(memory, "empty");
    known.long_tensor = PyObject_GetAttrString(memory, "empty_tensor");
    known.array = PyObject_GetAttrString(numpy, "ndarray");
    known.empty = PyObject_GetAttrString(numpy, "empty");
    known.interface = PyUnicode_InternFromString("__array_struct__");
    known.dtype = PyUnicode_InternFromString("dtype");
    known.requires_grad = PyUnicode_InternFromString("requires_grad");
    Py_DECREF(numpy);
    Py_DECREF(memory);
    return known.long_empty && known.long_tensor && known.array && known.empty && known.interface && known.dtype && known.requires_grad;
}

/* Whether PyTorch is there, with all that is needed of it. */
static bool has_torch(void)
{
    if (known.tensor) return true;
    PyObject *name = PyUnicode_FromString("torch"), *torch = name ? PyImport_GetModule(name) : NULL;
    Py_XDECREF(name);
    if (torch && !known.empty_tensor) known.empty_tensor = PyObject_GetAttrString(torch, "empty");
    PyObject *utils = torch && !known.to_dlpack ? PyImport_ImportModule("torch.utils.dlpack") : NULL;
    if (utils) known.to_dlpack = PyObject_GetAttrString(utils, "to_dlpack");
    Py_XDECREF(utils);
    if (torch && known.empty_tensor && known.to_dlpack)
        known.tensor = PyObject_GetAttrString(torch, "Tensor");
    known.torch = torch;
    PyErr_Clear(); /* such as while it is being imported */
    return known.tensor;
}

/* Whether an object's dtype is this one: each library has one object a type. */
static bool has_dtype(PyObject *object, PyObject *dtype)
{
    PyObject *found = PyObject_GetAttr(object, known.dtype);
    Py_XDECREF(found);
    return found && found == dtype;
}

static bool copy_shape(struct array *out, int axes, const Py_ssize_t *shape)
{
    if (axes > ARRAY_MOST_AXES) return false;
    for (int i = 0; i < axes; i++) out->shape[i] = shape[i];
    out->axes = axes;
    return true;
}

static bool read_numpy(PyObject *object, const struct array_type *type, struct array *out)
{
    const int wanted = NUMPY_CONTIGUOUS | NUMPY_ALIGNED | NUMPY_NATIVE;
    if (!type->numpy || !has_dtype(object, type->numpy)) return false;
    PyObject *capsule = PyObject_GetAttr(object, known.interface);
    struct numpy_array *found = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    bool ok = found && (found->flags & wanted) == wanted && copy_shape(out, found->axes, found->shape);
    if (ok) {
        out->data = found->data;
        out->is_tensor = false;
        out->is_writable = found->flags & NUMPY_WRITABLE;
    }
    Py_XDECREF(capsule);
    return ok;
}

static bool is_contiguous(const struct dlpack_tensor *tensor)
{
    int64_t step = 1;
    for (int i = tensor->axes - 1; i >= 0 && tensor->strides; i--) {
        if (tensor->shape[i] != 1 && tensor->strides[i] != step) return false;
        step *= tensor->shape[i];
    }
    return true;
}

static bool copy_tensor(const struct dlpack_tensor *tensor, struct array *out)
{
    Py_ssize_t shape[ARRAY_MOST_AXES];
    if (tensor->device_type != DLPACK_CPU || tensor->axes > ARRAY_MOST_AXES || !is_contiguous(tensor))
        return false;
    for (int i = 0; i < tensor->axes; i++) shape[i] = (Py_ssize_t)tensor->shape[i];
    out->data = (char *)tensor->data + tensor->byte_offset;
    out->is_tensor = out->is_writable = true;
    return copy_shape(out, tensor->axes, shape);
}

static bool read_torch(PyObject *object, struct array_type *type, struct array *out)
{
    if (!type->torch) type->torch = PyObject_GetAttrString(known.torch, type->name);
    if (!type->torch || !has_dtype(object, type->torch)) return false;
    PyObject *gradient = PyObject_GetAttr(object, known.requires_grad);
    Py_XDECREF(gradient);
    if (gradient != Py_False) return false;
    PyObject *capsule = PyObject_CallFunctionObjArgs(known.to_dlpack, object, NULL);
    const struct dlpack_tensor *tensor = capsule ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
    bool ok = tensor && copy_tensor(tensor, out);
    Py_XDECREF(capsule);
    return ok;
}

bool array_read(PyObject *object, struct array_type *type, struct array *out)
{
    PyObject *kind = (PyObject *)Py_TYPE(object);
    bool ok = false;
    if (kind == known.array)
        ok = read_numpy(object, type, out);
    else if (has_torch() && kind == known.tensor)
        ok = read_torch(object, type, out);
    if (!ok) PyErr_Clear();
    return ok;
}

static PyObject *tuple_of(const Py_ssize_t *shape, int axes)
{
    PyObject *out = PyTuple_New(axes);
    for (int i = 0; out && i < axes; i++) {
        PyObject *size = PyLong_FromSsize_t(shape[i]);
        if (!size || PyTuple_SetItem(out, i, size)) Py_CLEAR(out);
    }
    return out;
}

/* empty(shape, dtype=...), a function of PyTorch's */
static PyObject *new_tensor(PyObject *shape, PyObject *dtype)
{
    PyObject *arguments = PyTuple_Pack(1, shape), *named = PyDict_New(), *out = NULL;
    if (arguments && named && !PyDict_SetItem(named, known.dtype, dtype))
        out = PyObject_Call(known.empty_tensor, arguments, named);
    Py_XDECREF(arguments);
    Py_XDECREF(named);
    return out;
}

PyObject *array_new(const struct array *like, struct array_type *type, size_t bytes, const Py_ssize_t *shape, int axes)
{
    PyObject *sizes = tuple_of(shape, axes), *out = NULL;
    if (like->is_tensor && !type->torch) type->torch = PyObject_GetAttrString(known.torch, type->name);
    PyObject *dtype = like->is_tensor ? type->torch : type->numpy;
    if (!sizes || !dtype)
        ;
    else if (bytes >= KEPT_LEAST)
        out = PyObject_CallFunctionObjArgs(like->is_tensor ? known.long_tensor : known.long_empty, sizes, dtype, NULL);
    else
        out = like->is_tensor ? new_tensor(sizes, dtype) : PyObject_CallFunctionObjArgs(known.empty, sizes, dtype, NULL);
    Py_XDECREF(sizes);
    if (!out) PyErr_Clear();
    return out;
}

void array_type_release(struct array_type *type)
{
    Py_CLEAR(type->numpy);
    Py_CLEAR(type->torch);
}
