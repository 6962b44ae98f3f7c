"""Operators of PyTorch under autograd: actgen's and PyTorch's own, on one thread.

    python bench/python/training.py                     # --sizes 1e3,1e4 --functions gelu,swiglu --dtypes float32
    python bench/python/training.py --library ./libtrained.so # operators with a node of C++: examples/trained.act

Each line has microseconds of a forward call without gradients, of one that records the graph, and of one with its backward
pass, and the ratio of the last two. Times are the least of many slices; both libraries take turns. Both are called as
functions: a module costs a microsecond more.

The last line of a type is a torch.autograd.Function that computes nothing: it keeps its input and allocates the results. No
operator that is written in Python can take less.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch

import actgen.torch

SLICE = 0.0005  # seconds of one contestant in a row
F = torch.nn.functional
FUNCTIONS: dict[str, Callable[..., torch.Tensor]] = {
    "gelu": F.gelu,
    "silu": F.silu,
    "mish": F.mish,
    "swiglu": lambda gate, up: F.silu(gate) * up,
    "geglu": lambda gate, up: F.gelu(gate) * up,
}


def race(calls: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """The least time of each call in microseconds."""
    counts, best = {}, dict.fromkeys(calls, float("inf"))
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        counts[name] = max(1, int(SLICE / (time.perf_counter() - start)))
    end, rounds = time.perf_counter() + seconds * len(calls), 0
    while rounds < 3 or time.perf_counter() < end:
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                call()
            best[name] = min(best[name], (time.perf_counter() - start) / counts[name] * 1e6)
        rounds += 1
    return best


def with_backward(function: Callable[..., torch.Tensor], inputs: list[torch.Tensor]) -> Callable[[], None]:
    """A forward and a backward call; gradients are dropped before, as an optimizer drops them."""
    arrived = torch.ones_like(inputs[0])

    def call() -> None:
        for x in inputs:
            x.grad = None
        function(*inputs).backward(arrived)

    return call


class Nothing(torch.autograd.Function):
    """What each operator of Python does besides its work."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Returns memory."""
        ctx.save_for_backward(x)
        return torch.empty_like(x)

    @staticmethod
    def backward(ctx: Any, d: torch.Tensor) -> torch.Tensor:
        """Returns memory."""
        return torch.empty_like(ctx.saved_tensors[0])


def floor(dtype: torch.dtype) -> str:
    """The last line of a type."""
    x = torch.randn(16).to(dtype)
    y = x.clone().requires_grad_()
    calls = {
        "plain": lambda: torch.empty_like(x),
        "forward": lambda: Nothing.apply(y),
        "both": with_backward(Nothing.apply, [y]),
    }
    return f"| nothing, {str(dtype)[6:]}, 16 | {' | | '.join(f'{t:,.1f}' for t in race(calls, 0.2).values())} | | |"


def operator(name: str, dtype: torch.dtype) -> Callable[..., torch.Tensor]:
    """The operator of the library that was loaded, or of Python."""
    found = getattr(torch.ops.trained, name + ("_bf16" if dtype == torch.bfloat16 else ""), None)
    return found or actgen.torch.as_torch(actgen.compile(name, dtype=dtype))


def line(name: str, dtype: torch.dtype, n: int, seconds: float) -> str:
    """One line of the table."""
    mine, theirs = operator(name, dtype), FUNCTIONS[name]
    plain = [torch.randn(n).to(dtype) for _ in range(1 + name.endswith("glu"))]
    inputs = [x.clone().requires_grad_() for x in plain]
    calls: dict[str, Callable[[], object]] = {}
    for who, function in (("actgen", mine), ("torch", theirs)):
        calls[f"{who} plain"] = lambda function=function: function(*plain)
        calls[f"{who} forward"] = lambda function=function: function(*inputs)
        calls[f"{who} both"] = with_backward(function, inputs)
    found = race(calls, seconds)
    cells = [f"{found[f'{who} {what}']:,.1f}" for what in ("plain", "forward", "both") for who in ("actgen", "torch")]
    ratio = found["actgen both"] / found["torch both"]
    return f"| {name}, {str(dtype)[6:]}, {n:,} | {' | '.join(cells)} | {ratio:.2f} |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=lambda t: t.split(","), default=list(FUNCTIONS))
    parser.add_argument("--dtypes", type=lambda t: t.split(","), default=["float32", "bfloat16"])
    parser.add_argument("--sizes", type=lambda t: [int(float(n)) for n in t.split(",")], default="1e3,1e4,1e5,1e6,1e7")
    parser.add_argument("--seconds", type=float, default=0.2, help="for each number of the table")
    parser.add_argument("--library", help="of examples/trained.act, with ACTGEN_TORCH_NAMESPACE=trained")
    options = parser.parse_args()
    if options.library:
        torch.ops.load_library(options.library)
    torch.set_num_threads(1)
    print(f"PyTorch {torch.__version__}, one thread, microseconds\n")
    print("| | forward | torch | recording | torch | with backward | torch | ratio |\n|---|" + "--:|" * 7)
    for dtype in options.dtypes:
        for name in options.functions:
            for n in options.sizes:
                print(line(name, getattr(torch, dtype), n, options.seconds), flush=True)
        print(floor(getattr(torch, dtype)), flush=True)


if __name__ == "__main__":
    main()
