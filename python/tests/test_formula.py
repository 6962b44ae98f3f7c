"""Tests kernels by PyTorch's own operators, which other devices and exporters take, against machine code."""

import pytest

import actgen

torch = pytest.importorskip("torch")

from actgen._formula import Formulas  # noqa: E402
from actgen._torch_formula import Decomposition  # noqa: E402

ERRORS = {"f32": 1e-5, "f64": 1e-13, "bf16": 8e-3, "e4m3": 0.13, "e5m2": 0.26}
SHAPES = {"[rows, cols]": (4, 9), "[cols]": (9,), "[rows]": (4, 1), "[]": ()}
SPECS = {
    "broadcast": "kernel b(x: f64, s: f64[cols], h: f64[rows], g: f64[]) -> (y: f64) { y = g*silu(x*s + h) }",
    "several": "kernel t([a | b]: f64, c: f64) -> ([y | z]: f64, w: f64) { y = a*b; z = a + c; w = silu(b)*c }",
    "interleaved": "kernel i([a, b]: f32) -> ([y, z]: f32) { y = tanh(a)*b; z = b }",
    "sums": "kernel s(x: f32) -> (c: f32[cols], m: f32[rows], t: f32[]) { c = sum(x^2); m = mean(x); t = amax(abs(x)) }",
    "scale": "kernel q(x: f32) -> (q: i8, s: f32[rows]) { s = f32(clamp(amax(abs(x))/127, 2^-139, 2^122)); q = x/s }",
    "conditions": "kernel c(x: f32) -> (y: f32) { y = if not (x > 1 or x < -3) and x != 2 then -x^2*1e-3 else 2^x + 0x1.8p-3 }",
    "constant": "kernel k(x: f32) -> (y: f32) { y = if x > 0 then 1 else sqrt(2/pi) }",
    "narrow": "kernel n(x: bf16, u: f32) -> (y: f32) { y = bf16(x*u) + min(x, u, 3) }",
}


def operands(kernel):
    """Makes operands between -8 and 8, which have no overflow. An epsilon is small."""
    made = []
    for group in kernel.input_groups:
        first = next(o for o in kernel.operands if o.group == kernel.groups.index(group))
        shape = SHAPES[first.shape]
        shape = (*shape[:-1], shape[-1] * group.parts) if first.shape == "[rows, cols]" else shape
        values = 3 * torch.randn(shape, dtype=torch.float64)
        made.append((values if first.name != "epsilon" else torch.tensor(1e-5)).to(getattr(torch, first.dtype)))
    return made


def largest_error(kernel):
    """Compares machine code with PyTorch's operators. Shapes and types must be equal."""
    inputs, worst = operands(kernel), 0.0
    found, wanted = Decomposition(kernel)(*inputs), kernel(*inputs)
    for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (found, wanted)], strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        if not a.is_floating_point():
            assert (a.int() - b.int()).abs().max() <= 1
            continue
        a, b = a.double(), b.double()
        assert torch.equal(a.isnan(), b.isnan())
        worst = max(worst, float(((a - b).abs() / (1 + b.abs())).nan_to_num(0).max()))
    return worst


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(1)


@pytest.mark.parametrize("dtype", ERRORS)
def test_builtins_and_their_gradients(dtype):
    count = 0
    for builtin in actgen.list():
        try:
            kernel = actgen.compile(builtin.name, dtype=dtype, tier="interpreter")
        except actgen.NotYetError:
            continue
        except actgen.AccuracyError:  # as docs/language.md says
            assert builtin.name in ("erfcx", "lgamma", "digamma", "trigamma") and dtype == "f64"
            continue
        if any(o.dtype == "uint64" for o in kernel.operands):
            continue
        assert largest_error(kernel) < ERRORS[dtype], builtin.name
        count += 1
        if dtype in ("f32", "f64") and builtin.name != "trigamma":  # which has no gradient
            assert largest_error(kernel.gradient()) < ERRORS[dtype], builtin.name
    assert count > 60


@pytest.mark.parametrize("case", SPECS)
def test_specs(case):
    kernel = actgen.compile(spec=SPECS[case])
    assert largest_error(kernel) < 2e-6
    if case in ("broadcast", "several"):
        assert largest_error(kernel.gradient()) < 1e-13
    if case == "broadcast":
        assert largest_error(kernel.gradient("x", "s", "h", "g")) < 1e-13


def test_results_share_no_memory_with_operands():
    x = torch.randn(4, 6)
    y = Decomposition(actgen.compile(spec="kernel k(x: f32) -> (y: f32) { y = x }"))(x)
    assert torch.equal(x, y) and y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


def test_equal_parts_have_one_place():
    formulas = Formulas(actgen.compile(formula="exp(x + 1)*tanh(1 + 2*x)*exp(x + 1)"))
    assert sum(node.name == "exp" for node in formulas.nodes) == 1
