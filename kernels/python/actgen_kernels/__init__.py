"""Activations, gates and gradients of libactgen-kernels on NumPy arrays, by ctypes.

Each built-in is a function of this module: `gelu(x, out=None, fast=False)`. functions() lists them. The comments of
`actgen/kernels.h`, in the folder `include`, state the bound of each.
"""

import ctypes
import functools
import os

import numpy as np

_folder = os.path.dirname(os.path.abspath(__file__))
include = os.path.join(_folder, "include")
library = os.path.join(_folder, "libactgen-kernels.so")
_code = ctypes.CDLL(library)
_TYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "uint16": "bf16"}


class _Function:
    """A function of the library: its operands with their shapes, and if it takes rows and a workspace."""

    def __init__(self, line):
        symbol, kind, *operands = line.split()
        self.symbol = symbol
        self.has_rows = kind == "rows"
        self.has_workspace = operands[-1] == "workspace"
        parts = [o.split(":") for o in operands if o != "workspace"]
        self.inputs = {name: shape for name, shape, role in parts if role == "input"}
        self.results = [name for name, _, role in parts if role == "result"]


@functools.cache
def _all():
    found = {}
    for name in sorted(set(_TYPES.values())):
        with open(os.path.join(_folder, f"{name}.shapes"), encoding="ascii") as lines:
            found.update((f.symbol, f) for f in map(_Function, lines))
    return found


def functions():
    """Returns the names of the functions, with the names of their inputs and results."""
    return {s[4:-4]: (tuple(f.inputs), tuple(f.results)) for s, f in _all().items() if s.endswith("_f32")}


def _find(name, array, fast):
    if array.dtype.name not in _TYPES:
        raise TypeError(f"{name}() takes float32, float64, float16 or bfloat16, and got {array.dtype.name}")
    symbol = f"act_{name}_{_TYPES[array.dtype.name]}"
    if symbol not in _all():
        raise TypeError(f"{name}() has no form for {array.dtype.name}")
    return _all().get(symbol + "_fast" if fast else symbol, _all()[symbol])


def _inputs(name, function, arrays, first):
    """Returns the inputs without gaps, after a check of their types and shapes."""
    if len(arrays) != len(function.inputs):
        raise TypeError(f"{name}() takes {', '.join(function.inputs)}, and got {len(arrays)} arrays")
    shapes = {"matrix": first.shape, "cols": first.shape[-1:], "rows": first.shape[:-1], "one": (), "u64": ()}
    data = []
    for (operand, kind), array in zip(function.inputs.items(), arrays, strict=True):
        dtype = np.dtype(np.uint64) if kind == "u64" else first.dtype
        array = np.asarray(array, dtype if shapes[kind] == () else None, order="C")
        if array.dtype != dtype or array.shape != shapes[kind]:
            raise TypeError(
                f"{name}(): {operand} is {array.dtype.name} of shape {array.shape}, "
                f"and should be {dtype.name} of shape {shapes[kind]}"
            )
        data.append(array)
    return data


def _results(name, function, out, first):
    """Returns the arrays of the results: those of `out`, or new ones."""
    if out is None:
        return [np.empty_like(first, order="C") for _ in function.results]
    made = out if isinstance(out, tuple) else (out,)
    if len(made) != len(function.results):
        raise TypeError(f"{name}() has the results {', '.join(function.results)}: out is a tuple of as many arrays")
    for array in made:
        flags = array.flags
        if array.shape != first.shape or array.dtype != first.dtype or not (flags.c_contiguous and flags.writeable):
            raise ValueError(f"{name}(): out should be writable, without gaps, {first.dtype.name} of {first.shape}")
    return list(made)


def _call(name, *arrays, out=None, fast=False):
    if not arrays:
        raise TypeError(f"{name}() takes {', '.join(functions()[name][0])}")
    first = np.asarray(arrays[0])
    function = _find(name, first, fast)
    data = _inputs(name, function, arrays, first)
    made = _results(name, function, out, first)
    if first.size:
        cols = first.shape[-1] if first.ndim else 1
        sizes = [ctypes.c_size_t(n) for n in ((first.size // cols, cols) if function.has_rows else (first.size,))]
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in data + made]
        if function.has_workspace:
            size_of = getattr(_code, function.symbol + "_workspace")
            size_of.restype = ctypes.c_size_t
            workspace = np.empty(size_of(*sizes) // 16 + 1, np.complex128)  # aligned to 16 bytes
            pointers.append(ctypes.c_void_p(workspace.ctypes.data))
        code = getattr(_code, function.symbol)
        code.restype = None
        code(*sizes, *pointers)
    return made[0] if len(made) == 1 else tuple(made)


def __getattr__(name):
    if name.startswith("_") or name not in functions():
        raise AttributeError(f"module 'actgen_kernels' has no attribute '{name}'")
    function = functools.partial(_call, name)
    functools.update_wrapper(function, _call)
    function.__name__ = name
    inputs, results = functions()[name]
    function.__doc__ = f"Computes {', '.join(results)} from {', '.join(inputs)}."
    globals()[name] = function
    return function


def __dir__():
    return sorted([*functions(), "functions", "include", "library"])
