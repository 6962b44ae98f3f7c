"""What a call costs by itself: 16 elements, by NumPy's arrays and, where it is installed, PyTorch's tensors.

    python bench/python/calls.py                        # ACTGEN_EXTENSION=0 shows what cffi alone makes of it

Times are the least of many slices, in microseconds; beside them what the array's own library takes for an addition.
"""

import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

import actgen
from actgen._extension import native

CALLS = ("k(x, out=y)", "k(x)", "add(x, x, out=y)", "add(x, x)")


def microseconds(statement: str, **names: Any) -> float:
    """The least time of a statement."""
    count = 10_000
    return min(timeit.repeat(statement, globals=names, number=count, repeat=25)) / count * 1e6


def show(label: str, kernel: actgen.Kernel, x: Any, y: Any, add: Callable[..., Any]) -> None:
    """One line of the table."""
    times = [microseconds(call, k=kernel, x=x, y=y, add=add) for call in CALLS]
    print(f"{label:24}" + "".join(f"{time:19.2f}" for time in times))


def main() -> None:
    """Prints the table."""
    kernel = actgen.compile("gelu")
    print("the extension is " + ("used" if native else "not there, or not wanted"))
    print(f"{'microseconds':24}" + "".join(f"{call:>19}" for call in CALLS))
    x = np.zeros(16, np.float32)
    show("NumPy, float32", kernel, x, x.copy(), np.add)
    try:
        import ml_dtypes
    except ImportError:
        pass
    else:
        x = x.astype(ml_dtypes.bfloat16)
        show("NumPy, bfloat16", actgen.compile("gelu", dtype="bfloat16"), x, x.copy(), np.add)
    try:
        import torch
    except ImportError:
        return
    tensor = torch.zeros(16)
    show("PyTorch, float32", kernel, tensor, tensor.clone(), torch.add)


if __name__ == "__main__":
    main()
