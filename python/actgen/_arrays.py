"""Describes arrays of any library without a copy: their memory, type, shape and strides."""

import ctypes
import sys
from typing import Any, NamedTuple

import numpy as np

from . import _memory
from ._library import CODE_NAMES, SEED_CODE, TYPE_CODES, TYPE_NAMES, ffi

_OWN = ("f32", "f64", "f16", "i8", "u8", "i32")
_codes = {np.dtype(TYPE_NAMES[short]): TYPE_CODES[short] for short in _OWN}
_codes[np.dtype("uint64")] = SEED_CODE
BIT_TYPES: dict[Any, str] = {}  # for types that NumPy itself lacks, integers of the same width
try:
    import ml_dtypes

    for _short, _bits in (("bf16", "uint16"), ("e4m3", "uint8"), ("e5m2", "uint8"), ("e8m0", "uint8")):
        if not hasattr(ml_dtypes, TYPE_NAMES[_short]):
            continue  # versions before 0.5 have no e8m0
        _dtype = np.dtype(getattr(ml_dtypes, TYPE_NAMES[_short]))
        _codes[_dtype] = TYPE_CODES[_short]
        BIT_TYPES[_dtype] = _bits
except ImportError:  # without ml_dtypes NumPy has none of these types; PyTorch's tensors need no NumPy type
    pass
_torch_codes = {f"torch.{name}": TYPE_CODES[short] for short, name in TYPE_NAMES.items()}
_torch_codes["torch.uint64"] = SEED_CODE
NUMBERS = (int, float, np.integer, np.floating)  # types of one number, which is converted to its operand's type


class View(NamedTuple):
    """The memory of an array: address, element type (a code of the library), shape, strides in elements, and owner."""

    address: int
    code: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    owner: Any
    writable: bool


def numpy_dtype(code: int) -> Any:
    """Returns NumPy's dtype for an element type. Raises TypeError for a type that needs ml_dtypes if this is missing."""
    for dtype, known in _codes.items():
        if known == code:
            return dtype
    raise TypeError(f"NumPy has no {CODE_NAMES[code]} of its own: install ml_dtypes, or pass tensors")


def _no_operand(kind: str, wanted: int) -> TypeError:
    """Returns the exception for an array of an unknown element type, where an operand has the type `wanted`."""
    return TypeError(f"no kernel has operands of {kind}, and this one is {CODE_NAMES[wanted]}: convert it")


def _of_numpy(array: Any, wanted: int) -> View:
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("a masked array would lose its mask: pass array.data, or array.filled(value)")
    code = _codes.get(array.dtype)
    if code is None:
        raise _no_operand(f"dtype {array.dtype}", wanted)
    size = array.dtype.itemsize
    strides = tuple(s // size for s in array.strides)
    if any(s % size for s in array.strides):
        raise ValueError("an array whose strides are no multiples of its element cannot be used without a copy")
    interface = array.__array_interface__
    return View(interface["data"][0], code, array.shape, strides, array, array.flags.writeable)


def is_tensor(array: Any) -> bool:
    """Returns True if `array` is a tensor of PyTorch, which need not be installed, or of a subclass."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, getattr(torch, "Tensor", ()))


def _of_torch(tensor: Any, wanted: int) -> View:
    if not _is_strided(tensor):
        raise TypeError(f"the tensor's layout is {tensor.layout}: call tensor.to_dense()")
    if not tensor.is_cpu:
        raise TypeError(f"the tensor is on {tensor.device}; kernels run on the CPU: call tensor.cpu()")
    if tensor.requires_grad:
        import torch

        if torch.is_grad_enabled():
            raise TypeError(
                "a kernel called by itself has no gradient: use actgen.torch.as_torch(k), or tensor.detach()"
            )
    if tensor.is_neg():
        raise TypeError("the tensor is a view whose signs are negated when it is read: call tensor.resolve_neg()")
    code = _torch_codes.get(str(tensor.dtype))
    if code is None:
        raise _no_operand(f"dtype {tensor.dtype}", wanted)
    return View(tensor.data_ptr(), code, tuple(tensor.shape), tensor.stride(), tensor, True)


# DLPack's structures (dlpack.h, versions 0 and 1), without the version field, which only "dltensor_versioned" has.
ffi.cdef("""
    typedef struct { int32_t device_type, device_id; } actgen_dl_device;
    typedef struct { uint8_t code, bits; uint16_t lanes; } actgen_dl_type;
    typedef struct {
        void *data; actgen_dl_device device; int32_t ndim; actgen_dl_type dtype;
        int64_t *shape, *strides; uint64_t byte_offset;
    } actgen_dl_tensor;
""")
_DL_CPU = 1
# kDLInt is 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, kDLFloat8_e4m3fn 10, kDLFloat8_e5m2 12
_dl_codes = {
    (0, 8): "i8",
    (1, 8): "u8",
    (0, 32): "i32",
    (2, 32): "f32",
    (2, 64): "f64",
    (2, 16): "f16",
    (4, 16): "bf16",
    (10, 8): "e4m3",
    (12, 8): "e5m2",
    (14, 8): "e8m0",
}
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _of_dlpack(array: Any, wanted: int) -> View:
    if not hasattr(array, "__dlpack_device__"):
        raise TypeError(f"{type(array).__name__} has no memory yet, as in jax.jit: use actgen.jax.as_jax(kernel) there")
    if array.__dlpack_device__()[0] != _DL_CPU:
        raise TypeError("the array is not in the CPU's memory; copy it there first")
    capsule = array.__dlpack__()
    tensor = ffi.cast("actgen_dl_tensor *", _capsule_pointer(capsule, b"dltensor"))
    kind = (tensor.dtype.code, tensor.dtype.bits)
    if kind not in _dl_codes or tensor.dtype.lanes != 1:
        raise _no_operand(f"DLPack's type code {kind[0]} with {kind[1]} bits", wanted)
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else contiguous(shape)
    address = int(ffi.cast("uintptr_t", tensor.data)) + tensor.byte_offset
    # Version 0 has no flag for arrays that never change, such as JAX's. So these arrays count as read-only.
    return View(address, TYPE_CODES[_dl_codes[kind]], shape, strides, (array, capsule), False)


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the strides, in elements, of a dense array with the last axis innermost."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _of_numbers(numbers: Any, dtype: Any) -> Any:
    """Returns an array of a number or of nested lists. Raises ValueError for whole numbers that `dtype` lacks."""
    found = np.asarray(numbers)
    if dtype.kind in "iu" and found.size:
        limits = np.iinfo(dtype)
        wrong = next((n for n in (found.min(), found.max()) if not limits.min <= n <= limits.max), None)
        if wrong is not None:
            raise ValueError(f"{wrong} is no {dtype}, which has the numbers from {limits.min} to {limits.max}")
    return np.asarray(numbers, dtype=dtype)


def view(array: Any, code: int) -> View:
    """Describes the memory of `array`.

    It may be an array of NumPy or PyTorch, or anything with `__dlpack__`, `__array_interface__` or the buffer protocol. None of
    these is copied. Numbers and nested lists of numbers become an array of element type `code`.

    Raises TypeError for other types of elements and other devices than the CPU.
    """
    if isinstance(array, np.ndarray):
        return _of_numpy(array, code)
    if is_tensor(array):
        return _of_torch(array, code)
    if hasattr(array, "__dlpack__"):
        return _of_dlpack(array, code)
    if code == SEED_CODE and isinstance(array, NUMBERS):
        if not isinstance(array, (int, np.integer)) or not 0 <= array < 1 << 64:
            raise ValueError(f"{array} is no seed or offset, which are integers from 0 to 2^64 - 1")
        return _of_numpy(np.array(array, np.uint64), code)
    if isinstance(array, (*NUMBERS, list, tuple)):
        return _of_numpy(_of_numbers(array, numpy_dtype(code)), code)
    found = np.asarray(array)
    if found.dtype.kind in "OSU":
        raise TypeError(f"{type(array).__name__} is no array of numbers")
    return _of_numpy(found, code)


def packed(array: Any, code: int) -> Any:
    """Returns an array of a 4-bit type of ml_dtypes, which has one element in each byte, with two. Returns others as they are."""
    array = np.asarray(array) if isinstance(array, np.generic) else array
    if not isinstance(array, np.ndarray) or array.dtype.name != CODE_NAMES[code]:
        return array
    halves = array.view(np.uint8) & 15
    if not halves.ndim:
        return halves
    if halves.shape[-1] % 2:
        halves = np.concatenate([halves, np.zeros_like(halves[..., :1])], axis=-1)
    return halves[..., ::2] | halves[..., 1::2] << 4


def _is_strided(tensor: Any) -> bool:
    """Returns True if the tensor lies in memory by strides, and is not sparse."""
    return str(tensor.layout) == "torch.strided"


def dense(array: Any) -> Any:
    """Returns `array`, or a copy if it is broadcast or reversed, because the library's strides only go forwards."""
    if isinstance(array, np.ndarray):
        ahead = all(stride > 0 or size < 2 for size, stride in zip(array.shape, array.strides, strict=True))
        return array if ahead else np.ascontiguousarray(array)
    if is_tensor(array) and _is_strided(array):
        ahead = all(stride > 0 or size < 2 for size, stride in zip(array.shape, array.stride(), strict=True))
        return array if ahead else array.contiguous()
    return array


def empty(shape: tuple[int, ...], code: int, like: Any) -> Any:
    """Makes an array of the library of `like`, with its order of axes if the shapes are equal.

    Where this library's arrays cannot be written, makes an array of NumPy.
    """
    same = shape == tuple(getattr(like, "shape", ()))
    if is_tensor(like):
        import torch

        dtype = getattr(torch, CODE_NAMES[code])
        if same and not like.is_contiguous():
            return torch.empty_like(like, dtype=dtype, requires_grad=False)
        return _memory.empty_tensor(shape, dtype)
    if same and isinstance(like, np.ndarray) and not like.flags.c_contiguous:
        return np.empty_like(like, numpy_dtype(code), subok=False)
    return _memory.empty(shape, numpy_dtype(code))


def handed_over(result: Any, like: Any) -> Any:
    """Returns a result of `empty` as an array of the library of `like`, without a copy. JAX's arrays are made of NumPy's.

    A subclass of NumPy's arrays or of PyTorch's tensors gives that subclass.
    """
    if isinstance(like, NUMBERS):
        return result[()]
    if isinstance(like, np.ndarray):
        return result if type(like) is np.ndarray else like.__array_wrap__(result)
    if is_tensor(result):
        is_own = type(like).__module__.partition(".")[0] == "torch"
        return result if is_own or not is_tensor(like) else result.as_subclass(type(like))
    if type(like).__module__.partition(".")[0] not in ("jaxlib", "jax"):
        return result
    import jax

    if result.dtype not in BIT_TYPES:
        return jax.dlpack.from_dlpack(result)
    words = jax.dlpack.from_dlpack(result.view(BIT_TYPES[result.dtype]))
    return jax.lax.bitcast_convert_type(words, result.dtype)
