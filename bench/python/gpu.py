"""Times operators on a GPU: by actgen, by PyTorch, by torch.compile and by Triton, beside a copy of the same bytes.

python bench/python/gpu.py [ELEMENTS]    # 10^8 by default; needs PyTorch with CUDA; Triton is used if it is installed
"""

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

import actgen.torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

TRIALS = 30
COLS = 4096


def microseconds(run: Callable[[], Any]) -> float:
    """Returns the least time of some trials on the GPU."""
    for _ in range(3):
        run()
    least = float("inf")
    for _ in range(TRIALS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        end.synchronize()
        least = min(least, 1000 * start.elapsed_time(end))
    return least


if triton:

    @triton.jit
    def gelu_by_triton(x_at, y_at, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
        """Stores gelu(x) of a block of elements."""
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_at + at, mask=at < n).to(tl.float32)
        tl.store(y_at + at, 0.5 * x * (1 + tl.erf(x * 0.7071067811865476)), mask=at < n)

    @triton.jit
    def softmax_by_triton(x_at, y_at, cols, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
        """Stores the softmax of a row."""
        at = tl.program_id(0).to(tl.int64) * cols + tl.arange(0, BLOCK)
        inside = tl.arange(0, BLOCK) < cols
        x = tl.load(x_at + at, mask=inside, other=-float("inf")).to(tl.float32)
        t = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_at + at, t / tl.sum(t, axis=0), mask=inside)


def by_triton(name: str, x: torch.Tensor) -> Callable[[], Any] | None:
    """Returns a call of a Triton kernel, or None if there is none."""
    if not triton or name not in ("gelu", "softmax"):
        return None

    def run() -> torch.Tensor:
        y = torch.empty_like(x)
        if name == "gelu":
            gelu_by_triton[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        else:
            softmax_by_triton[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return y

    return run


def print_row(name: str, usual: Callable[..., torch.Tensor], x: torch.Tensor) -> None:
    """Prints the times of one operator as ratios to a copy of its input."""
    ours = actgen.torch.activation(name)
    compiled = torch.compile(usual)
    copy = microseconds(x.clone)
    shown = []
    for run in (lambda: ours(x), lambda: usual(x), lambda: compiled(x), by_triton(name, x)):
        shown.append(f"{microseconds(run) / copy:10.2f}" if run else "         -")
    true = usual(x[:1000].double())
    error = (ours(x[:1000]).double() - true).abs().max().item()
    theirs = (usual(x[:1000]).double() - true).abs().max().item()
    print(f"{name:10} {str(x.dtype)[6:]:9} {copy:9.0f} us{''.join(shown)}   {error:.1e} {theirs:.1e}")


def main() -> None:
    """Prints the table."""
    rows = int(float(sys.argv[1]) if len(sys.argv) > 1 else 1e8) // COLS
    print(torch.cuda.get_device_name())
    print("operator   type       copy        actgen   PyTorch   compile    Triton   largest error: actgen, PyTorch")
    for dtype in (torch.float32, torch.bfloat16):
        x = 3 * torch.randn(rows, COLS, device="cuda", dtype=dtype)
        print_row("gelu", functional.gelu, x)
        print_row("silu", functional.silu, x)
        print_row("mish", functional.mish, x)
        print_row("softmax", lambda x: torch.softmax(x, -1), x)


if __name__ == "__main__":
    main()
