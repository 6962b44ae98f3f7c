"""Loads the extension `_native`, which makes calls faster and has threads of its own. The package also works without it."""

import importlib.machinery
import importlib.util
import os
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import _call
from ._arrays import numpy_dtype
from ._library import CODE_NAMES, ffi, lib, library_path, text

_Run = Callable[..., None]


def _load() -> Any:
    """Loads the module from beside the library. Returns None if it was not built, or with ACTGEN_EXTENSION=0.

    Free-threaded Python has no stable ABI, by which the module was built.
    """
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    path = Path(library_path()).parent / "_native.abi3.so"
    if os.environ.get("ACTGEN_EXTENSION") == "0" or not path.exists():
        return None
    loader = importlib.machinery.ExtensionFileLoader("actgen._native", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("actgen._native", loader))  # type: ignore
    loader.exec_module(module)
    return module


native = _load()


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


# The functions of struct library in native/call.h, in its order.
_functions = tuple(
    _address(ffi.addressof(lib, name))
    for name in (
        "actgen_run",
        "actgen_finish",
        "actgen_run_rows",
        "actgen_operands_at_row",
        "actgen_kernel_workspace",
    )
)


def _numpy_dtype(code: int) -> Any:
    try:
        return numpy_dtype(code)
    except TypeError:  # a type of ml_dtypes, which is missing
        return None


def native_call(handle: Any, groups: Sequence[_call.Group]) -> Any:
    """Returns the extension's calls of a kernel: `quick`, like that of _quick.py, and `run`. None without the extension."""
    if native is None or all(g.is_result for g in groups):
        return None
    described = tuple(
        (_numpy_dtype(g.code), CODE_NAMES[g.code], lib.actgen_type_bytes(g.code), g.parts, g.shape) for g in groups
    )
    addresses = (_address(handle), _address(lib.actgen_kernel_fn(handle)))
    inputs = sum(not g.is_result for g in groups)
    is_code = text(lib.actgen_kernel_backend(handle)) == "machine code"
    kinds = (_call.is_flat(groups), _call.has_sums(groups), is_code)
    return native.Call(handle, addresses, _functions, described, inputs, kinds)


def native_run(call: Any, plain: _Run) -> _Run:
    """Returns `plain`, a function of _call.py, on the extension's threads."""

    def run(handle: Any, addresses: Sequence[int], sizes: Sequence[int], walk: _call.Walk, threads: int) -> None:
        if not call.run(addresses, walk.strides, walk.rows, walk.cols, threads):
            plain(handle, addresses, sizes, walk, threads)  # raises the exception

    return run
