"""Measures the cost of a call, compared with a similar call of the array's own library.

    python bench/python/calls.py                        # with ACTGEN_EXTENSION=0: through cffi
    python bench/python/calls.py --seconds 0.01         # quicker, and less sure

Times are in microseconds, each the least of many slices. The statements of a table take turns, so the state of the machine
affects all of them alike.
"""

import argparse
import time
import timeit
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import actgen
from actgen._extension import native

SLICE = 0.002  # seconds of one statement in a row
CALLS = ("k(x, out=y)", "k(x)", "add(x, x, out=y)", "add(x, x)")
FORMS = ("k(x)", "k(x.T)", "k(x[:, ::2])", "g(x, y)", "g(gate=x, up=y)", "g(x, y.T)")


class Row(NamedTuple):
    """A line of a table: statements, one a column, with the names that they use."""

    label: str
    statements: Sequence[str]
    names: dict[str, Any]


def table(title: str, columns: Sequence[str], rows: Sequence[Row], seconds: float) -> None:
    """Prints the least time of each statement in microseconds."""
    print(f"\n{title:26}" + "".join(f"{column:>18}" for column in columns))
    for label, statements, names in rows:
        timers = [timeit.Timer(statement, globals=names) for statement in statements]
        counts = [max(1, int(SLICE / max(timer.timeit(3) / 3, 1e-7))) for timer in timers]
        best = [float("inf")] * len(timers)
        end = time.perf_counter() + seconds * len(timers)
        while best[0] == float("inf") or time.perf_counter() < end:
            for i, (timer, count) in enumerate(zip(timers, counts, strict=True)):
                best[i] = min(best[i], timer.timeit(count) / count)
        print(f"{label:26}" + "".join(f"{1e6 * t:18.2f}" for t in best), flush=True)


def of_numpy() -> tuple[list[Row], list[Row], list[Row]]:
    """Rows on NumPy's arrays: of 16 elements, of one row of 16 by kernels of rows, and of other forms of calls."""
    gelu, swiglu = actgen.compile("gelu"), actgen.compile("swiglu")
    x, w = np.ones((1, 16), np.float32), np.ones(16, np.float32)
    short = [Row("NumPy, float32", CALLS, {"k": gelu, "x": x[0], "y": x[0].copy(), "add": np.add})]
    try:
        import ml_dtypes
    except ImportError:
        pass
    else:
        b = x[0].astype(ml_dtypes.bfloat16)
        kernel = actgen.compile("gelu", dtype="bfloat16")
        short.append(Row("NumPy, bfloat16", CALLS, {"k": kernel, "x": b, "y": b.copy(), "add": np.add}))
    rows = [
        Row("softmax, NumPy", ["k(x)"], {"k": actgen.compile("softmax"), "x": x}),
        Row("rmsnorm, NumPy", ["k(x, w, 1e-6)"], {"k": actgen.compile("rmsnorm"), "x": x, "w": w}),
    ]
    square = np.ones((64, 64), np.float32)
    forms = [Row("NumPy, 64 x 64", FORMS, {"k": gelu, "g": swiglu, "x": square, "y": square.copy()})]
    return short, rows, forms


def of_torch() -> tuple[list[Row], list[Row], list[Row]]:
    """The same rows on PyTorch's tensors; none without PyTorch."""
    try:
        import torch
    except ImportError:
        return [], [], []
    torch.set_num_threads(1)
    f = torch.nn.functional
    x, w = torch.ones(1, 16), torch.ones(16)
    gelu, swiglu = actgen.compile("gelu"), actgen.compile("swiglu")
    short = [Row("PyTorch, float32", CALLS, {"k": gelu, "x": x[0], "y": x[0].clone(), "add": torch.add})]
    rows = [
        Row("softmax, PyTorch", ["k(x)", "f(x, -1)"], {"k": actgen.compile("softmax"), "f": torch.softmax, "x": x}),
        Row(
            "rmsnorm, PyTorch",
            ["k(x, w, 1e-6)", "f(x, (16,), w, 1e-6)"],
            {"k": actgen.compile("rmsnorm"), "f": f.rms_norm, "x": x, "w": w},
        ),
    ]
    square = torch.ones(64, 64)
    forms = [Row("PyTorch, 64 x 64", FORMS, {"k": gelu, "g": swiglu, "x": square, "y": square.clone()})]
    return short, rows, forms


def elements_apart() -> list[Row]:
    """10^6 elements two apart, and what a copy and the kernel take."""
    x = np.ones(2_000_000, np.float32)[::2]
    statements = ["k(x)", "k(copy(x))", "k(y)"]
    names = {"k": actgen.compile("gelu"), "x": x, "y": x.copy(), "copy": np.ascontiguousarray}
    rows = np.ones((100, 2 * 2880), np.float32)
    gate = actgen.compile(spec="kernel gate([g, u]: f32) -> (y: f32) { y = silu(g)*u }")
    views = {"k": actgen.compile("swiglu"), "g": gate, "x": rows, "copy": np.ascontiguousarray}
    apart = ["k(x[:, ::2], x[:, 1::2])", "k(copy(x[:, ::2]), copy(x[:, 1::2]))", "g(x)"]
    return [Row("gelu, 10^6", statements, names), Row("[g, u], 100 x 2880", apart, views)]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each statement")
    seconds = parser.parse_args().seconds
    print("the extension is " + ("used" if native else "not there, or not wanted"))
    numpy, torch = of_numpy(), of_torch()
    table("16 elements", CALLS, numpy[0] + torch[0], seconds)
    table("one row of 16", ("actgen", "the library's own"), numpy[1] + torch[1], seconds)
    table("other forms", FORMS, numpy[2] + torch[2], seconds)
    table("elements two apart", ("as they are", "copied first", "without gaps"), elements_apart(), seconds)


if __name__ == "__main__":
    main()
