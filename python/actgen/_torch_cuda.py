"""Runs operators on CUDA tensors, by the PTX text of their kernels and CUDA's driver."""

import ctypes
import functools
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from . import _call
from ._arrays import View
from ._kernel import Kernel
from ._torch_elsewhere import decomposed
from .errors import Error

if TYPE_CHECKING:
    from .torch import Operator

_THREADS = 256  # of a block
_WARP = 32
_ELEMENTS = 8  # of a thread: two accesses of 16 bytes in float32
_MOST_BLOCKS = 2048
_MOST_ROWS = 65535  # blocks of kernels with sums
_lock = threading.Lock()


def register_cuda(operator: "Operator", library: torch.library.Library) -> None:
    """Registers an operator for CUDA tensors."""
    library.impl(operator.name, functools.partial(run_on_cuda, operator), "CUDA")


@torch.no_grad()  # as on the CPU
def run_on_cuda(operator: "Operator", *tensors: torch.Tensor) -> Any:
    """Runs the operator on the GPU of its tensors. Kernels that GPUs do not have run as PyTorch's own operators."""
    first = next(t for t in tensors if t.is_cuda)
    launcher = _launcher_of(operator, tensors[0].dtype)
    if launcher is None:
        return decomposed(operator, *tensors)
    there = [t.to(first.device) if t.dim() == 0 else t for t in tensors]
    there = [t.contiguous() for t in there]
    made = operator._fake(*there)
    results = list(made) if isinstance(made, tuple) else [made]
    with torch.cuda.device(first.device):
        launcher.run([*there, *results])
    return made


class _Launcher:
    """Launches a kernel's PTX. A module is loaded once for each GPU."""

    def __init__(self, kernel: Kernel) -> None:
        self._text = kernel.emit() + b"\0"
        self._entry = f"{kernel.name}_kernel".encode()
        self._kernel, self._groups = kernel, kernel.groups
        self._functions: dict[int, ctypes.c_void_p] = {}

    def run(self, tensors: Sequence[torch.Tensor]) -> None:
        """Runs the kernel on the current stream of the current GPU."""
        views = [
            View(t.data_ptr(), g.array_code, tuple(t.shape), t.stride(), t, g.is_result)
            for t, g in zip(tensors, self._groups, strict=True)
        ]
        self._kernel.run_views(views, 1, self._launch)

    def _function(self) -> ctypes.c_void_p:
        device = torch.cuda.current_device()
        if device not in self._functions:
            with _lock:
                module, function = ctypes.c_void_p(), ctypes.c_void_p()
                _check("cuModuleLoadData", ctypes.byref(module), self._text)
                _check("cuModuleGetFunction", ctypes.byref(function), module, self._entry)
                self._functions[device] = function
        return self._functions[device]

    def _launch(self, _handle: Any, addresses: Sequence[int], _sizes: Any, walk: _call.Walk, _threads: int) -> None:
        """Launches one call. See `actgen_launch_for()` in the header of a PTX text."""
        operands = (ctypes.c_uint64 * (2 * len(addresses)))()
        for i, (address, stride) in enumerate(zip(addresses, walk.strides, strict=True)):
            operands[2 * i], operands[2 * i + 1] = address, stride
        sizes = ctypes.c_size_t(walk.rows), ctypes.c_size_t(walk.cols)
        parameters = (ctypes.c_void_p * 3)(*[ctypes.addressof(v) for v in (*sizes, operands)])
        blocks, threads = _grid(self._groups, walk.rows, walk.cols)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        _check("cuLaunchKernel", self._function(), *blocks, 1, *threads, 1, 0, stream, parameters, None)


def _grid(groups: Sequence[_call.Group], rows: int, cols: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns the blocks, and the threads of a block, along columns and rows."""
    if _call.has_sums(groups):  # a warp for each row
        warps = 4
        return (min(rows // warps + 1, _MOST_ROWS), 1), (_WARP, warps)
    x = _WARP
    while x < _THREADS and _ELEMENTS * x < cols:
        x *= 2
    y = _THREADS // x
    columns = min(cols // (_ELEMENTS * x) + 1, _MOST_BLOCKS)
    return (columns, min(rows // y + 1, _MOST_BLOCKS // columns + 1)), (x, y)


def _isa() -> str:
    """Returns the best instruction set that all GPUs of this machine have."""
    major = min(torch.cuda.get_device_capability(i)[0] for i in range(torch.cuda.device_count()))
    return "ptx100" if major >= 10 else "ptx80" if major >= 8 else "ptx"


def _launcher_of(operator: "Operator", dtype: torch.dtype) -> _Launcher | None:
    """Returns the launcher for a dtype of the first input, or None if GPUs do not have the kernel."""
    found: dict[torch.dtype, _Launcher | None] = operator.__dict__.setdefault("_launchers", {})
    if dtype not in found:
        try:
            found[dtype] = _Launcher(operator.kernel(dtype).remade_for(_isa()))
        except Error:
            found[dtype] = None
    return found[dtype]


@functools.cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _check(name: str, *arguments: Any) -> None:
    """Calls a function of the driver. Raises RuntimeError if it fails."""
    status = getattr(_driver(), name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        _driver().cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"{name}: {(text.value or b'error').decode()} ({status})")
