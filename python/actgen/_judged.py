"""Judges functions of Python by the formula and the bound of a kernel."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ._arrays import numpy_dtype
from ._compile import compile
from ._entry import entry
from ._kernel import Kernel
from ._library import ffi, lib, sized
from ._progress import Watch
from ._reports import Report


def judged_function(kernel: Kernel, of: Callable[[Any], Any], watch: Watch) -> Any:
    """Makes the C function that calls `of` with arrays of the kernel's types. An exception of `of` stops the verification."""
    info = sized("actgen_operand_info")
    dtypes = []
    for i in range(2):
        lib.actgen_kernel_operand_info(kernel._handle, i, info)
        dtypes.append(np.dtype(numpy_dtype(info.type)))

    @ffi.callback("void(void *, size_t, const void *, void *)")
    def judged(_payload: Any, n: int, x: Any, y: Any) -> None:
        try:
            given, wanted = (
                np.frombuffer(ffi.buffer(at, n * t.itemsize), t) for at, t in zip((x, y), dtypes, strict=True)
            )
            result = np.asarray(of(given.copy()))
            if result.shape != given.shape:
                raise ValueError(f"the function returned the shape {result.shape} for an array of {given.shape}")
            if result.dtype != wanted.dtype:
                raise TypeError(
                    f"the function returned {result.dtype}, and the kernel has {wanted.dtype}: say dtype=..."
                )
            wanted[:] = result
        except BaseException as exception:
            watch.stop(exception)

    return judged


@entry
def verify(
    function: Callable[[Any], Any],
    what: str | Kernel,
    *,
    dtype: Any = None,
    accuracy: str | None = None,
    exhaustive: bool = False,
    progress: bool | Callable[[float, float], object] = False,
    threads: int | None = None,
) -> Report:
    """Judges a function of NumPy arrays by the formula and the bound of an activation.

        actgen.verify(lambda x: torch.nn.functional.gelu(torch.from_numpy(x)).numpy(), "gelu")

    Args:
        function: takes an array of one dimension, and returns one of the same length and of the kernel's dtype.
        what: the name of a built-in, a formula of x, or a kernel that is a function of one value.
        dtype, accuracy: as in `actgen.compile`. The bound says what `wrong` counts.
        exhaustive, progress, threads: as in `Kernel.verify`.

    Raises:
        ArgumentError: the kernel is no function of one value.
    """
    if isinstance(what, Kernel):
        kernel = what
    else:
        name, formula = (what, None) if what.isidentifier() else (None, what)
        kernel = compile(name, formula=formula, dtype=dtype, accuracy=accuracy)
    return kernel.verify(exhaustive=exhaustive, progress=progress, threads=threads, of=function)
