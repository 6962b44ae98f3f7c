"""Shows kernels as pictures and as HTML."""

import html as _html
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import numpy_dtype

if TYPE_CHECKING:
    from ._kernel import Kernel


def _ulp(values: Any, dtype: Any) -> Any:
    """Returns the distance of neighbouring numbers of `dtype` at each of `values` (float64)."""
    if dtype.kind in "iu":
        return 1.0
    limits = np.finfo(dtype) if dtype.kind == "f" else __import__("ml_dtypes").finfo(dtype)
    smallest = math.frexp(float(limits.smallest_normal))[1] - 1
    exponent = np.maximum(np.frexp(np.abs(values))[1] - 1, smallest)
    return np.ldexp(1.0, exponent - int(limits.nmant))


def errors_in_ulps(kernel: "Kernel", x: Any) -> Any:
    """Returns the error of a kernel of one operand at each element of `x`, in ulps of the true value."""
    true = np.array([kernel.reference(float(value)) for value in x])
    got = np.asarray(kernel(x), dtype=np.float64)
    dtype = numpy_dtype(kernel.result_groups[0].code)
    if dtype.kind in "iu":  # integers saturate
        true = np.clip(true, np.iinfo(dtype).min, np.iinfo(dtype).max)
    with np.errstate(invalid="ignore"):
        return np.abs(got - true) / _ulp(true, dtype)


def plot(kernel: "Kernel", low: float, high: float, points: int) -> Any:
    """Draws the figure of Kernel.plot."""
    import matplotlib.pyplot as plt

    if len(kernel.operands) != 2:
        raise ValueError(f"a plot is of a function of one operand, and {kernel.name} has {len(kernel.input_groups)}")
    x = np.linspace(low, high, points).astype(numpy_dtype(kernel.input_groups[0].code))
    slope = kernel.gradient()
    one = np.ones(points, dtype=numpy_dtype(slope.input_groups[1].code))
    wide = x.astype(np.float64)
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 6), height_ratios=[2, 1], layout="constrained")
    above.plot(wide, np.asarray(kernel(x), np.float64), label=kernel.name)
    above.plot(wide, np.asarray(slope(x, one), np.float64), label="derivative", linestyle="--")
    above.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    above.legend()
    above.set_title(f"{kernel.name}, {kernel.operands[0].dtype}, {kernel.accuracy}")
    below.plot(wide, errors_in_ulps(kernel, x), ".", markersize=2)
    below.set_ylabel("error, ulp")
    below.set_ylim(bottom=0)
    below.set_xlabel(kernel.operands[0].name)
    plt.close(figure)  # a notebook shows the returned figure, and would show an open one again
    return figure


def html(kernel: "Kernel") -> str:
    """Returns a table with the properties and promises of a kernel, for notebooks."""
    c = kernel.certificate
    tried = "all 2^32 inputs" if c.exhaustive else f"{c.inputs:,} inputs"
    rows = {
        "promises": kernel.accuracy + ("" if c.is_whole else " for each function of one value"),
        "measured": f"{c.max_ulp:.3g} ulp at {c.max_ulp_at:.6g} ({tried})",
        "plan": kernel.plan,
        "runs as": f"{kernel.backend}, {kernel.isa}, planned for {kernel.core}",
        "spec": f"<pre>{_html.escape(kernel.spec)}</pre>",
    }
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>"
        f"{value if name == 'spec' else _html.escape(value)}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table><caption>kernel <b>{_html.escape(kernel.name)}</b></caption>{cells}</table>"
