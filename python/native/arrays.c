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

/* What a type's `__dlpack_c_exchange_api__` points to (dlpack.h from 1.3 on, PyTorch from 2.10 on): functions, so that no capsule is
 * made for each call. */
typedef int describe_tensor_fn(PyObject *object, struct dlpack_tensor *out); /* 0, or an exception is set */
struct dlpack_exchange {
    uint32_t major, minor;
    struct dlpack_exchange *older;
    void *others[3];
    describe_tensor_fn *describe;
};

/* The libraries are imported once a process; PyTorch is asked for when it is there. */
static struct {
    PyObject *array, *empty, *interface, *dtype; /* NumPy's, and names of attributes */
    PyObject *long_empty, *long_tensor;          /* functions of the package: memory of long results */
    PyObject *tensor, *torch, *to_dlpack, *empty_tensor, *empty_like, *requires_grad;
    describe_tensor_fn *describe; /* NULL: PyTorch is older */
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
    return known.long_empty && known.long_tensor && known.array && known.empty && known.interface &&
           known.dtype && known.requires_grad;
}

static describe_tensor_fn *find_describe(PyObject *tensor)
{
    PyObject *capsule = PyObject_GetAttrString(tensor, "__dlpack_c_exchange_api__");
    struct dlpack_exchange *found = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
    while (found && found->major != 1) found = found->older;
    Py_XDECREF(capsule);
    PyErr_Clear();
    return found ? found->describe : NULL;
}

/* Whether PyTorch is there, with all that is needed of it: it is not while it is being imported. */
static bool has_torch(void)
{
    if (known.tensor) return true;
    PyObject *name = PyUnicode_FromString("torch");
    known.torch = name ? PyImport_GetModule(name) : NULL;
    PyObject *utils = known.torch ? PyImport_ImportModule("torch.utils.dlpack") : NULL;
    PyObject *tensor = utils ? PyObject_GetAttrString(known.torch, "Tensor") : NULL;
    if (tensor) {
        known.to_dlpack = PyObject_GetAttrString(utils, "to_dlpack");
        known.empty_tensor = PyObject_GetAttrString(known.torch, "empty");
        known.empty_like = PyObject_GetAttrString(known.torch, "empty_like");
        known.describe = find_describe(tensor);
    }
    if (known.to_dlpack && known.empty_tensor && known.empty_like) known.tensor = tensor;
    Py_XDECREF(name);
    Py_XDECREF(utils);
    PyErr_Clear();
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

static bool describe_tensor(PyObject *object, struct array *out)
{
    struct dlpack_tensor here;
    if (known.describe) return !known.describe(object, &here) && copy_tensor(&here, out);
    PyObject *capsule = PyObject_CallFunctionObjArgs(known.to_dlpack, object, NULL);
    const struct dlpack_tensor *tensor = capsule ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
    bool ok = tensor && copy_tensor(tensor, out);
    Py_XDECREF(capsule);
    return ok;
}

static bool read_torch(PyObject *object, struct array_type *type, struct array *out)
{
    if (!type->torch) type->torch = PyObject_GetAttrString(known.torch, type->name);
    if (!type->torch || !has_dtype(object, type->torch)) return false;
    PyObject *gradient = PyObject_GetAttr(object, known.requires_grad);
    Py_XDECREF(gradient);
    if (gradient != Py_False) return false;
    return describe_tensor(object, out);
}

bool array_read(PyObject *object, struct array_type *type, struct array *out)
{
    PyObject *kind = (PyObject *)Py_TYPE(object);
    bool ok = false;
    if (kind == known.array)
        ok = read_numpy(object, type, out);
    else if (has_torch() && kind == known.tensor)
        ok = read_torch(object, type, out);
    out->object = object;
    out->dtype = kind == known.array ? type->numpy : type->torch;
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

static bool has_shape(const struct array *array, const Py_ssize_t *shape, int axes)
{
    bool same = array->axes == axes;
    for (int i = 0; same && i < axes; i++) same = array->shape[i] == shape[i];
    return same;
}

/* torch.empty(shape, dtype=...) */
static PyObject *new_tensor(PyObject *shape, PyObject *dtype)
{
    PyObject *arguments = PyTuple_Pack(1, shape), *named = PyDict_New(), *out = NULL;
    if (arguments && named && !PyDict_SetItem(named, known.dtype, dtype))
        out = PyObject_Call(known.empty_tensor, arguments, named);
    Py_XDECREF(arguments);
    Py_XDECREF(named);
    return out;
}

PyObject *array_new(const struct array *like, struct array_type *type, size_t bytes, const Py_ssize_t *shape,
                    int axes)
{
    if (like->is_tensor && !type->torch) type->torch = PyObject_GetAttrString(known.torch, type->name);
    PyObject *dtype = like->is_tensor ? type->torch : type->numpy, *out = NULL, *sizes = NULL;
    bool is_long = bytes >= KEPT_LEAST;
    if (like->is_tensor && !is_long && like->dtype == dtype &&
        has_shape(like, shape, axes)) /* takes half the time */
        out = PyObject_CallFunctionObjArgs(known.empty_like, like->object, NULL);
    else if (dtype && (sizes = tuple_of(shape, axes))) {
        if (is_long)
            out = PyObject_CallFunctionObjArgs(like->is_tensor ? known.long_tensor : known.long_empty, sizes,
                                               dtype, NULL);
        else
            out = like->is_tensor ? new_tensor(sizes, dtype)
                                  : PyObject_CallFunctionObjArgs(known.empty, sizes, dtype, NULL);
    }
    Py_XDECREF(sizes);
    if (!out) PyErr_Clear();
    return out;
}

void array_type_release(struct array_type *type)
{
    Py_CLEAR(type->numpy);
    Py_CLEAR(type->torch);
}
