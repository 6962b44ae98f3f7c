/* Reads arrays. NumPy describes an array by a C struct in a capsule (`__array_struct__`), and PyTorch by
 * another one (DLPack). Both are faster than reading address, shape and strides one by one. */
#include "arrays.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The array interface, version 3: https://numpy.org/doc/stable/reference/arrays.interface.html */
struct numpy_array {
    int two, axes;
    char kind;
    int item_bytes, flags;
    Py_ssize_t *shape, *strides;
    void *data;
    PyObject *description;
};
enum { NUMPY_ALIGNED = 0x100, NUMPY_NATIVE = 0x200, NUMPY_WRITABLE = 0x400 };

/* The begin of the struct that a capsule "dltensor" points to (dlpack.h). */
struct dlpack_tensor {
    void *data;
    int32_t device_type, device_id, axes;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides; /* in elements */
    uint64_t byte_offset;
};
enum { DLPACK_CPU = 1 };

/* DLPack's code and bits of each element type. */
static const struct dlpack_type {
    const char *name;
    uint8_t code, bits;
} dlpack_types[] = {{"float64", 2, 64},        {"float32", 2, 32},       {"float16", 2, 16},
                    {"bfloat16", 4, 16},       {"float8_e4m3fn", 10, 8}, {"float8_e5m2", 12, 8},
                    {"float8_e8m0fnu", 14, 8}, {"int8", 0, 8},           {"uint8", 1, 8},
                    {"uint64", 1, 64}};

/* The functions that a type's `__dlpack_c_exchange_api__` points to (dlpack.h from 1.3 on, PyTorch from 2.10
 * on). They need no capsule for each call. */
typedef int describe_tensor_fn(PyObject *object, struct dlpack_tensor *out); /* 0, or an exception is set */
struct dlpack_exchange {
    uint32_t major, minor;
    struct dlpack_exchange *older;
    void *others[3];
    describe_tensor_fn *describe;
};

/* Objects of the libraries, which are imported once per process. PyTorch is used only after the user has
 * imported it. */
static struct {
    PyObject *array, *empty, *empty_like, *as_array; /* of NumPy */
    PyObject *interface, *dtype;                     /* names of attributes */
    PyObject *numbers;                               /* the types that _arrays.py accepts as one number */
    PyObject *long_empty, *long_tensor;              /* the package's functions for memory of long results */
    PyObject *tensor, *parameter, *torch, *to_dlpack, *empty_tensor, *empty_tensor_like, *is_grad_enabled;
    PyObject *requires_grad, *is_neg; /* names of attributes */
    describe_tensor_fn *describe;     /* NULL if PyTorch is too old */
} known;

bool arrays_begin(void)
{
    PyObject *numpy = PyImport_ImportModule("numpy"), *memory = PyImport_ImportModule("actgen._memory"),
             *arrays = PyImport_ImportModule("actgen._arrays");
    if (!numpy || !memory || !arrays) return false;
    known.numbers = PyObject_GetAttrString(arrays, "NUMBERS");
    known.long_empty = PyObject_GetAttrString(memory, "empty");
    known.long_tensor = PyObject_GetAttrString(memory, "empty_tensor");
    known.array = PyObject_GetAttrString(numpy, "ndarray");
    known.empty = PyObject_GetAttrString(numpy, "empty");
    known.empty_like = PyObject_GetAttrString(numpy, "empty_like");
    known.as_array = PyObject_GetAttrString(numpy, "asarray");
    known.interface = PyUnicode_InternFromString("__array_struct__");
    known.dtype = PyUnicode_InternFromString("dtype");
    known.requires_grad = PyUnicode_InternFromString("requires_grad");
    known.is_neg = PyUnicode_InternFromString("is_neg");
    Py_DECREF(numpy);
    Py_DECREF(memory);
    Py_DECREF(arrays);
    return known.numbers && known.as_array && known.long_empty && known.long_tensor && known.array &&
           known.empty && known.empty_like && known.interface && known.dtype && known.requires_grad &&
           known.is_neg;
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

/* Returns true if PyTorch is imported with everything that is needed. While it is being imported, parts are
 * missing. */
static bool has_torch(void)
{
    if (known.tensor) return true;
    PyObject *name = PyUnicode_FromString("torch");
    known.torch = name ? PyImport_GetModule(name) : NULL;
    PyObject *utils = known.torch ? PyImport_ImportModule("torch.utils.dlpack") : NULL;
    PyObject *nn = utils ? PyImport_ImportModule("torch.nn") : NULL;
    PyObject *tensor = nn ? PyObject_GetAttrString(known.torch, "Tensor") : NULL;
    if (tensor) {
        known.parameter = PyObject_GetAttrString(nn, "Parameter");
        known.to_dlpack = PyObject_GetAttrString(utils, "to_dlpack");
        known.empty_tensor = PyObject_GetAttrString(known.torch, "empty");
        known.empty_tensor_like = PyObject_GetAttrString(known.torch, "empty_like");
        known.is_grad_enabled = PyObject_GetAttrString(known.torch, "is_grad_enabled");
        known.describe = find_describe(tensor);
    }
    if (known.parameter && known.to_dlpack && known.empty_tensor && known.empty_tensor_like &&
        known.is_grad_enabled)
        known.tensor = tensor;
    Py_XDECREF(name);
    Py_XDECREF(utils);
    Py_XDECREF(nn);
    PyErr_Clear();
    return known.tensor;
}

/* Returns true if an array has this dtype. NumPy has one object per type. */
static bool has_dtype(PyObject *object, PyObject *dtype)
{
    PyObject *found = PyObject_GetAttr(object, known.dtype);
    Py_XDECREF(found);
    return found && found == dtype;
}

/* Sets the shape and the strides. `strides` divided by `unit` are in elements. If they are NULL, the array is
 * dense. */
static bool set_shape(struct array *out, int axes, const Py_ssize_t *shape, const Py_ssize_t *strides,
                      Py_ssize_t unit)
{
    Py_ssize_t step = 1;
    if (axes > ARRAY_MOST_AXES) return false;
    out->axes = axes;
    out->is_dense = true;
    for (int i = axes - 1; i >= 0; step *= out->shape[i--]) {
        out->shape[i] = shape[i];
        if (strides && strides[i] % unit) return false;
        out->strides[i] = strides ? strides[i] / unit : step;
        if (shape[i] != 1 && out->strides[i] != step) out->is_dense = false;
    }
    return true;
}

static bool describe_array(PyObject *object, struct array *out)
{
    const int wanted = NUMPY_ALIGNED | NUMPY_NATIVE;
    PyObject *capsule = PyObject_GetAttr(object, known.interface);
    struct numpy_array *found = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    bool ok = found && (found->flags & wanted) == wanted &&
              set_shape(out, found->axes, found->shape, found->strides, found->item_bytes);
    if (ok) {
        out->data = found->data;
        out->is_tensor = false;
        out->is_writable = found->flags & NUMPY_WRITABLE;
    }
    Py_XDECREF(capsule);
    return ok;
}

static bool read_numpy(PyObject *object, const struct array_type *type, struct array *out)
{
    return type->numpy && has_dtype(object, type->numpy) && describe_array(object, out);
}

static bool copy_tensor(const struct dlpack_tensor *tensor, struct array *out)
{
    Py_ssize_t shape[ARRAY_MOST_AXES], strides[ARRAY_MOST_AXES];
    if (tensor->device_type != DLPACK_CPU || tensor->axes > ARRAY_MOST_AXES) return false;
    for (int i = 0; i < tensor->axes; i++) {
        shape[i] = (Py_ssize_t)tensor->shape[i];
        if (tensor->strides) strides[i] = (Py_ssize_t)tensor->strides[i];
    }
    out->data = (char *)tensor->data + tensor->byte_offset;
    out->is_tensor = out->is_writable = true;
    return set_shape(out, tensor->axes, shape, tensor->strides ? strides : NULL, 1);
}

/* Returns true if a tensor has elements of this type. This is faster than reading its dtype. */
static bool has_type(const struct dlpack_tensor *tensor, const struct array_type *type)
{
    const size_t count = sizeof dlpack_types / sizeof *dlpack_types;
    for (size_t i = 0; i < count; i++)
        if (tensor->code == dlpack_types[i].code && tensor->bits == dlpack_types[i].bits)
            return tensor->lanes == 1 && !strcmp(type->name, dlpack_types[i].name);
    return false;
}

static bool describe_tensor(PyObject *object, const struct array_type *type, struct array *out)
{
    struct dlpack_tensor here;
    if (known.describe)
        return !known.describe(object, &here) && has_type(&here, type) && copy_tensor(&here, out);
    PyObject *capsule = PyObject_CallFunctionObjArgs(known.to_dlpack, object, NULL);
    const struct dlpack_tensor *tensor = capsule ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
    bool ok = tensor && has_type(tensor, type) && copy_tensor(tensor, out);
    Py_XDECREF(capsule);
    return ok;
}

static bool is_false(PyObject *answer)
{
    Py_XDECREF(answer);
    return answer == Py_False;
}

/* Returns true if autograd wants no gradient of the tensor. A kernel that is called by itself would lose the
 * gradient. While an operator runs, autograd is off. */
static bool needs_no_gradient(PyObject *object)
{
    return is_false(PyObject_GetAttr(object, known.requires_grad)) ||
           is_false(PyObject_CallFunctionObjArgs(known.is_grad_enabled, NULL));
}

/* Returns true if the tensor may be a view whose signs are negated when PyTorch reads it. Its memory does not
 * show this. Such a view has the imaginary parts of complex numbers, which lie two elements apart. */
static bool may_be_negated(const struct array *array)
{
    Py_ssize_t count = 1;
    for (int i = 0; i < array->axes; i++) count *= array->shape[i];
    return !array->is_dense || count == 1;
}

static bool read_torch(PyObject *object, struct array_type *type, struct array *out)
{
    if (!type->torch) type->torch = PyObject_GetAttrString(known.torch, type->name);
    if (!type->torch || !needs_no_gradient(object) || !describe_tensor(object, type, out)) return false;
    return !may_be_negated(out) || is_false(PyObject_CallMethodObjArgs(object, known.is_neg, NULL));
}

bool array_read(PyObject *object, struct array_type *type, struct array *out)
{
    PyObject *kind = (PyObject *)Py_TYPE(object);
    bool ok = false;
    if (kind == known.array)
        ok = read_numpy(object, type, out);
    else if (has_torch() && (kind == known.tensor || kind == known.parameter))
        ok = read_torch(object, type, out);
    out->object = object;
    out->own = NULL;
    out->is_number = false;
    out->dtype = kind == known.array ? type->numpy : type->torch;
    if (!ok) PyErr_Clear();
    return ok;
}

/* Converts a Python float to f32 or f64, the most usual types, as NumPy would. Returns false where NumPy
 * would warn. */
static bool read_float(PyObject *object, const struct array_type *type, struct array *out)
{
    double value = PyFloat_AsDouble(object);
    bool is_f32 = !strcmp(type->name, "float32");
    if (!is_f32 && strcmp(type->name, "float64")) return false;
    if (is_f32 && isfinite(value) && fabs(value) > FLT_MAX) return false;
    if (is_f32)
        out->number.f32 = (float)value;
    else
        out->number.f64 = value;
    out->data = (char *)&out->number;
    out->is_tensor = out->is_writable = false;
    return set_shape(out, 0, NULL, NULL, 1);
}

/* The values of element types that are whole numbers. NumPy before 2.0 would wrap others. */
static const struct whole_type {
    const char *name;
    int64_t least;
    uint64_t most;
} whole_types[] = {{"int8", INT8_MIN, INT8_MAX}, {"uint8", 0, UINT8_MAX}, {"uint64", 0, UINT64_MAX}};

/* Returns true if `object` is an int of Python from `type->least` to `type->most`. */
static bool fits_whole(PyObject *object, const struct whole_type *type)
{
    if (!PyLong_CheckExact(object)) return false;
    int overflow = 0;
    int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow) return value >= type->least && (value < 0 || (uint64_t)value <= type->most);
    uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
    bool is_read = overflow > 0 && !PyErr_Occurred();
    PyErr_Clear();
    return is_read && large <= type->most;
}

/* Returns true if NumPy converts `object` to `type` without another meaning. _arrays.py judges all others. */
static bool is_number_of(PyObject *object, const struct array_type *type)
{
    for (size_t i = 0; i < sizeof whole_types / sizeof *whole_types; i++)
        if (!strcmp(type->name, whole_types[i].name)) return fits_whole(object, &whole_types[i]);
    return PyObject_IsInstance(object, known.numbers) == 1;
}

bool array_read_number(PyObject *object, struct array_type *type, struct array *out)
{
    out->own = NULL;
    out->object = object;
    out->dtype = type->numpy;
    out->is_number = PyFloat_CheckExact(object) && read_float(object, type, out);
    if (out->is_number) return true;
    out->is_number = type->numpy && is_number_of(object, type);
    if (out->is_number) out->own = PyObject_CallFunctionObjArgs(known.as_array, object, type->numpy, NULL);
    bool ok = out->own && read_numpy(out->own, type, out);
    PyErr_Clear();
    return ok;
}

void array_release(struct array *array) { Py_CLEAR(array->own); }

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

/* Calls function(first, dtype=...). */
static PyObject *call_with_dtype(PyObject *function, PyObject *first, PyObject *dtype)
{
    PyObject *arguments = PyTuple_Pack(1, first), *named = PyDict_New(), *out = NULL;
    if (arguments && named && !PyDict_SetItem(named, known.dtype, dtype))
        out = PyObject_Call(function, arguments, named);
    Py_XDECREF(arguments);
    Py_XDECREF(named);
    return out;
}

/* Makes an array with the shape of `like` and its order of axes. */
static PyObject *new_like(const struct array *like, PyObject *dtype)
{
    if (!like->is_tensor) return PyObject_CallFunctionObjArgs(known.empty_like, like->object, dtype, NULL);
    if (like->dtype != dtype) return call_with_dtype(known.empty_tensor_like, like->object, dtype);
    return PyObject_CallFunctionObjArgs(known.empty_tensor_like, like->object, NULL);
}

static PyObject *new_of_shape(const struct array *like, PyObject *dtype, bool is_long,
                              const Py_ssize_t *shape, int axes)
{
    PyObject *sizes = tuple_of(shape, axes), *out = NULL;
    if (sizes && is_long)
        out = PyObject_CallFunctionObjArgs(like->is_tensor ? known.long_tensor : known.long_empty, sizes,
                                           dtype, NULL);
    else if (sizes)
        out = like->is_tensor ? call_with_dtype(known.empty_tensor, sizes, dtype)
                              : PyObject_CallFunctionObjArgs(known.empty, sizes, dtype, NULL);
    Py_XDECREF(sizes);
    return out;
}

PyObject *array_new(const struct array *like, struct array_type *type, size_t bytes, const Py_ssize_t *shape,
                    int axes, struct array *out)
{
    if (like->is_tensor && !type->torch) type->torch = PyObject_GetAttrString(known.torch, type->name);
    PyObject *dtype = like->is_tensor ? type->torch : type->numpy, *made = NULL;
    bool is_long = bytes >= KEPT_LEAST, is_same = has_shape(like, shape, axes);
    /* torch.empty_like takes half the time of torch.empty. */
    bool is_quick = like->is_tensor && like->dtype == dtype && !is_long;
    if (dtype && is_same && (is_quick || !like->is_dense))
        made = new_like(like, dtype);
    else if (dtype)
        made = new_of_shape(like, dtype, is_long, shape, axes);
    out->object = made;
    out->dtype = dtype;
    out->own = NULL;
    out->is_number = false;
    if (made && !(like->is_tensor ? describe_tensor(made, type, out) : describe_array(made, out)))
        Py_CLEAR(made);
    PyErr_Clear();
    return made;
}

void array_type_release(struct array_type *type)
{
    Py_CLEAR(type->numpy);
    Py_CLEAR(type->torch);
}
