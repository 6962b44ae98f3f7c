"""Tests kernels as PyTorch's operators: values, gradients, tracing, autocast, whole models."""

import copy
import functools
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import actgen

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.utils import checkpoint as checkpoints  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import actgen.torch  # noqa: E402


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(1)


def operand(*shape, dtype=torch.float64):
    return torch.randn(shape, dtype=dtype, requires_grad=True)


BROADCAST = "kernel b(x: f64, s: f64[cols], h: f64[rows], g: f64[]) -> (y: f64) { y = g*silu(x*s + h) }"
SEVERAL = "kernel t([a | b]: f64, c: f64) -> ([y | z]: f64, w: f64) { y = a*b; z = a + c; w = silu(b)*c }"
OPERATORS = {
    "gelu": ({"name": "gelu", "dtype": "f64"}, [(4, 7)]),
    "formula": ({"formula": "x*sigmoid(1.7*x)", "dtype": "f64"}, [(3, 2, 5)]),
    "gate": ({"name": "swiglu", "dtype": "f64"}, [(4, 7), (4, 7)]),
    "packed": ({"spec": "kernel p([g | u]: f64) -> (y: f64) { y = gelu(g)*u }"}, [(2, 3, 10)]),
    "broadcast": ({"spec": BROADCAST}, [(4, 7), (7,), (4, 1), ()]),
    "several": ({"spec": SEVERAL}, [(4, 6), (4, 3)]),
}


@pytest.mark.parametrize("case", OPERATORS)
def test_operators(case):
    options, shapes = OPERATORS[case]
    op = actgen.torch.as_torch(actgen.compile(**options))
    inputs = tuple(operand(*shape) for shape in shapes)
    assert torch.autograd.gradcheck(op, inputs)
    results = torch.library.opcheck(op.overload, inputs)
    assert set(results.values()) == {"SUCCESS"}
    if case in ("gelu", "gate"):
        assert torch.autograd.gradgradcheck(op, inputs)


def test_results_are_pytorchs_within_the_bound():
    x = operand(50, 20)
    for name, function in (("gelu", functional.gelu), ("silu", functional.silu), ("mish", functional.mish)):
        mine, theirs = actgen.torch.activation(name)(x), function(x)
        assert torch.allclose(mine, theirs, rtol=1e-12, atol=1e-15)
        (a,) = torch.autograd.grad(mine.sum(), x)
        (b,) = torch.autograd.grad(theirs.sum(), x)
        assert torch.allclose(a, b, rtol=1e-11, atol=1e-14)


def test_a_jitted_function_is_an_operator_too():
    @actgen.jit(dtype="f64")
    def scaled(x, beta: "f64[]"):  # noqa: F722
        return x * actgen.sigmoid(beta * x)

    x, beta = operand(3, 4), operand()
    assert torch.autograd.gradcheck(actgen.torch.as_torch(scaled), (x, beta))
    assert actgen.torch.as_torch(scaled) is actgen.torch.as_torch(scaled)
    assert torch.equal(
        actgen.torch.as_torch(scaled)(x, 1.5), actgen.torch.as_torch(scaled)(x, torch.tensor(1.5).double())
    )


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.T,
        lambda t: t[:, ::2],
        lambda t: t[1:, 3:9],
        lambda t: t[0],
        lambda t: t[0].expand(5, 12),
        lambda t: t[:0],
    ],
)
def test_tensors_that_are_not_contiguous(view):
    gelu = actgen.torch.activation("gelu")
    x = view(torch.randn(8, 12)).detach().requires_grad_()
    y = gelu(x)
    assert torch.equal(y, gelu(x.contiguous())) and y.stride() == torch.empty_like(x).stride()
    y.sum().backward()
    assert torch.equal(x.grad, torch.autograd.grad(gelu(c := x.detach().clone().requires_grad_()).sum(), c)[0])


@pytest.mark.parametrize("case", ["gelu", "gate", "packed", "broadcast"])
@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.mT.contiguous().mT,
        lambda t: torch.repeat_interleave(t, 2, -1)[..., ::2],
        lambda t: t[:1].expand(t.shape),
    ],
    ids=["transposed", "two apart", "expanded"],
)
def test_shapes_and_strides_are_known_before(view, case):
    options, shapes = OPERATORS[case]
    op = actgen.torch.as_torch(actgen.compile(**options))
    plain = [torch.randn(shape, dtype=torch.float64) for shape in shapes]
    for many in (1, len(plain)):
        inputs = tuple(view(t) if i < many and t.dim() > 1 else t for i, t in enumerate(plain))
        assert torch.equal(op(*inputs), op(*(t.contiguous() for t in inputs)))
        torch.library.opcheck(op.overload, inputs, test_utils=("test_schema", "test_faketensor"))


def test_each_dtype_has_its_kernel():
    gelu = actgen.torch.activation("gelu")
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        x = torch.randn(1000).to(dtype)
        wanted = functional.gelu(x.double()).to(dtype)
        atol = 1e-15 if dtype == torch.float64 else 0  # PyTorch's own is 1 + erf, whose tail cancels
        assert gelu(x).dtype == dtype and torch.allclose(gelu(x), wanted, rtol=4 * torch.finfo(dtype).eps, atol=atol)
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        x = torch.randn(1000).to(dtype)
        assert torch.equal(gelu(x).double(), functional.gelu(x.double()).to(dtype).double())
    for dtype in (torch.int8, torch.uint8):
        x = torch.arange(256).to(dtype)
        assert torch.equal(gelu(x), functional.gelu(x.double()).round().to(dtype))
    x = torch.randn(1000).bfloat16()
    assert torch.equal(gelu(x), functional.gelu(x.double()).bfloat16())  # correctly rounded
    with pytest.raises(TypeError, match="convert"):
        actgen.torch.as_torch(actgen.compile("gelu"))(x)
    with pytest.raises(ValueError, match="int64"):
        gelu(torch.arange(3))


def test_tensors_without_an_operator(gelu):
    x = torch.randn(9, 4)
    assert torch.equal(gelu(x), actgen.torch.activation("gelu")(x)) and torch.equal(gelu(x.T), gelu(x).T)
    out = torch.empty(9, 4)
    assert gelu(x, out=out) is out and gelu(x[:, 1:3]).shape == (9, 2)
    half = actgen.compile("gelu", dtype=torch.bfloat16)
    assert half(x.bfloat16()).dtype == torch.bfloat16 and half(x.bfloat16()[:, 1:]).shape == (9, 3)
    with pytest.raises(TypeError, match="as_torch"):
        gelu(operand(3, dtype=torch.float32))
    with pytest.raises(TypeError, match="meta"):
        gelu(torch.empty(3, device="meta"))
    with pytest.raises(TypeError, match="to_dense"):
        gelu(x.to_sparse())


def _saved_by(op):
    """Returns the contexts of a selective checkpoint that saves the results of `op` and computes all others again."""
    policies = checkpoints.CheckpointPolicy
    return checkpoints.create_selective_checkpoint_contexts(
        lambda _ctx, called, *_args, **_named: (
            policies.MUST_SAVE if op is not None and called is op.overload else policies.PREFER_RECOMPUTE
        )
    )


@pytest.mark.parametrize("saves", ["all again", "selective", "selective, saved"])
@pytest.mark.parametrize("case", OPERATORS)
def test_checkpoints(case, saves):
    """Saved tensors of a checkpoint can be read only once."""
    options, shapes = OPERATORS[case]
    op = actgen.torch.as_torch(actgen.compile(**options))
    inputs = tuple(operand(*shape) for shape in shapes)

    def block(*tensors):
        made = op(*(t * 2 for t in tensors))
        return sum((m * m).sum() for m in (made if isinstance(made, tuple) else (made,)))

    named = {}
    if saves != "all again":
        named["context_fn"] = functools.partial(_saved_by, op if saves == "selective, saved" else None)
    wanted = torch.autograd.grad(block(*inputs), inputs)
    found = torch.autograd.grad(checkpoints.checkpoint(block, *inputs, use_reentrant=False, **named), inputs)
    for a, b in zip(found, wanted, strict=True):
        assert torch.equal(a, b)


def test_a_module_is_checkpointed_by_itself():
    gelu, x = actgen.torch.activation("gelu"), operand(4, 7, dtype=torch.float32)
    (wanted,) = torch.autograd.grad(gelu(x).sum(), x)
    for reentrant in (False, True):
        leaf = x.detach().requires_grad_()
        checkpoints.checkpoint(gelu, leaf, use_reentrant=reentrant).sum().backward()
        assert torch.equal(leaf.grad, wanted)


@pytest.mark.filterwarnings("error:There is a performance drop")  # where there is no rule for batches
def test_transforms_of_functions():
    """torch.func ignores what torch.library registers. Without a rule of its own, an operator would silently lose a tangent."""
    gelu, gate = actgen.torch.activation("gelu"), actgen.torch.activation("swiglu")
    x, u, t = (torch.randn(5, 6, dtype=torch.float64) for _ in range(3))
    for transform in (
        lambda f, g: torch.func.grad(lambda a: f(a).sum())(x),
        lambda f, g: torch.func.grad(lambda a, b: g(a, b).sum(), argnums=(0, 1))(x, u),
        lambda f, g: torch.func.jvp(f, (x,), (t,)),
        lambda f, g: torch.func.jvp(g, (x, u), (t, x)),
        lambda f, g: torch.func.jvp(lambda a: g(a, u), (x,), (t,)),
        lambda f, g: torch.vmap(torch.func.grad(f))(x[0]),
        lambda f, g: torch.vmap(g, in_dims=(0, None))(x, u[0]),
        lambda f, g: torch.vmap(g, in_dims=(1, 0), out_dims=1)(x, u.T.contiguous()),
        lambda f, g: torch.func.hessian(lambda a: f(a).sum())(x[0]),
    ):
        mine = transform(gelu, gate)
        torch.testing.assert_close(mine, transform(functional.gelu, lambda a, b: functional.silu(a) * b))
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        tangent = forward.unpack_dual(gelu(forward.make_dual(x, t))).tangent
    assert torch.equal(tangent, torch.func.jvp(gelu, (x,), (t,))[1]) and tangent.abs().min() > 0


class Watch(TorchDispatchMode):
    """Records the names of operators that are called."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, _types, args=(), named=None):
        self.names.append(function.name())
        return function(*args, **(named or {}))


@pytest.mark.filterwarnings("ignore:`torch.jit.trace:FutureWarning", "ignore::DeprecationWarning")
def test_who_looks_at_operators_sees_them():
    """Unwatched calls bypass the dispatcher. These calls must not."""
    gelu, x = actgen.torch.activation("gelu"), operand(4, 5, dtype=torch.float32)
    name = f"actgen::{gelu.operator.name}"
    for given in (x, x.detach()):
        wanted = gelu(given)
        with Watch() as watch:
            y = gelu(given)
            if y.requires_grad:
                y.sum().backward()
        assert torch.equal(y, wanted) and name in watch.names
        assert f"{name}_backward" in watch.names or not y.requires_grad
        with torch.profiler.profile() as profile:
            gelu(given)
        assert any(event.key == name for event in profile.key_averages())
        with torch.device("meta"):  # a mode of torch functions, which sees what is made
            assert gelu(given).device == given.device
        assert name in str(torch.jit.trace(gelu, given.detach()).graph)


def test_gradients_of_several_directions_at_once():
    gelu, x = actgen.torch.activation("gelu"), operand(5)
    (found,) = torch.autograd.grad(gelu(x), x, torch.eye(5, dtype=torch.float64), is_grads_batched=True)
    (wanted,) = torch.autograd.grad(gelu(x).sum(), x)
    assert torch.equal(found, wanted.diag())


def test_parameters_and_inference():
    gelu, x = actgen.torch.activation("gelu"), torch.randn(4, 5)
    parameter = nn.Parameter(x)
    y = gelu(parameter)
    assert type(y) is torch.Tensor and torch.equal(y, gelu(x))
    y.sum().backward()
    assert parameter.grad is not None
    with torch.inference_mode():
        assert torch.equal(gelu(x), y) and torch.equal(gelu(parameter), y)


def test_what_is_no_tensor_kernel_or_module_is_refused():
    for wrong in (1.0, np.ones(3, np.float32)):
        with pytest.raises(TypeError, match="gelu wants tensors"):
            actgen.torch.activation("gelu")(wrong)
    with pytest.raises(TypeError, match=r"'gelu' is no kernel; actgen.compile"):
        actgen.torch.as_torch("gelu")
    for how in ("packed", "interleaved"):
        with pytest.raises(ValueError, match=f"{how} is for gates"):
            actgen.torch.activation("gelu", **{how: True})
    with pytest.raises(ValueError, match="it has one of them"):
        actgen.torch.activation("swiglu", packed=True, interleaved=True)


def test_autocast():
    layer, x = nn.Linear(8, 8), torch.randn(5, 8)
    by_type, module = actgen.torch.as_torch(actgen.compile("gelu")), actgen.torch.activation("gelu")
    with torch.autocast("cpu", torch.bfloat16):
        hidden = layer(x)
        assert hidden.dtype == torch.bfloat16
        assert by_type(hidden).dtype == torch.float32 and module(hidden).dtype == torch.bfloat16
        loss = by_type(hidden).sum() + module(hidden).sum()
    loss.backward()
    assert layer.weight.grad.dtype == torch.float32 and layer.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_models_have_no_graph_break(backend):
    geglu, gelu = actgen.torch.activation("geglu"), actgen.torch.activation("gelu")

    def f(x, z):
        return gelu(geglu(x * 2, z) + 1).sum(-1)

    x, z = operand(6, 8, dtype=torch.float32), operand(6, 8, dtype=torch.float32)
    wanted = torch.autograd.grad(f(x, z).sum(), (x, z))
    try:
        compiled = torch.compile(f, backend=backend, fullgraph=True)
        made = compiled(x, z)
    except Exception as problem:
        if backend == "inductor" and "compiler" in str(problem).lower():
            pytest.skip("Inductor has no C++ compiler here")
        raise
    assert torch.allclose(made, f(x, z), rtol=1e-6)
    for a, b in zip(torch.autograd.grad(made.sum(), (x, z)), wanted, strict=True):
        assert torch.allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("gate_second", [False, True])
@pytest.mark.parametrize("how", ["packed", "interleaved"])
def test_gates_of_one_tensor(how, gate_second, dtype):
    """Elements and gradients equal those of the gate of two tensors."""
    module, plain = (
        actgen.torch.activation("swiglu", gate_second=gate_second, **{how: True}),
        actgen.torch.activation("swiglu"),
    )
    x = torch.randn(3, 4, 26).to(dtype).requires_grad_()
    parts = (x[..., :13], x[..., 13:]) if how == "packed" else (x[..., ::2], x[..., 1::2])
    wanted = plain(*(reversed(parts) if gate_second else parts))
    assert torch.equal(module(x), wanted)
    weights = torch.randn(3, 4, 13).to(dtype)
    (found,), (d,) = (torch.autograd.grad((y * weights).sum(), x) for y in (module(x), wanted))
    assert torch.equal(found, d)
    again = pickle.loads(pickle.dumps(module))
    assert torch.equal(again(x), wanted) and str(again) == str(module) and how in str(module)


def test_modules_are_copied_and_pickled():
    module = actgen.torch.activation("swiglu", packed=True, accuracy="abs 2^-20").eval()
    x = torch.randn(3, 8)
    for again in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(again(x), module(x)) and not again.training and str(again) == str(module)
    assert torch.allclose(module(x), functional.silu(x[:, :4]) * x[:, 4:], atol=1e-5)
    glu = actgen.torch.activation("glu", packed=True, gate_second=True)
    assert torch.allclose(glu(x), functional.glu(x), rtol=1e-6)


def test_the_example_learns_digits():
    program = pathlib.Path(__file__).parents[2] / "examples" / "train" / "digits.py"
    said = subprocess.run([sys.executable, program, "--epochs", "5"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"(\d+\.\d+) % of 359 unseen", said)
    assert found is not None and float(found[1]) > 90, said


def _along(function, tangent):
    return lambda a: torch.func.jvp(function, (a,), (tangent,))[1]


def test_forward_mode_inside_forward_mode():
    """PyTorch switches forward mode off within a rule of forward mode. Outer tangents were zeros in silence."""
    gelu, x, t, u = actgen.torch.activation("gelu"), *(torch.randn(5, dtype=torch.float64) for _ in range(3))
    for function in (lambda f: f, lambda f: lambda a: f(f(a))):
        mine, theirs = (_along(_along(function(f), t), u)(x) for f in (gelu, functional.gelu))
        torch.testing.assert_close(mine, theirs)
    with pytest.raises(NotImplementedError, match="take jacfwd of jacrev"):
        torch.func.jacfwd(torch.func.jacfwd(lambda a: gelu(a).sum()))(x)


@pytest.mark.parametrize("name", ["gelu", "silu", "softsign", "floor"])
def test_derivatives_of_third_order(name):
    """The gradients of gradients have names of their own, and zeros where a derivative is zero."""
    f = {"gelu": functional.gelu, "silu": functional.silu, "softsign": functional.softsign, "floor": torch.floor}[name]
    op = actgen.torch.as_torch(actgen.compile(name, dtype="f64", accuracy="abs 2^-40"))
    x = 3 * torch.randn(9, dtype=torch.float64)
    g = [torch.func.grad(lambda a, h=h: h(a).sum()) for h in (op, f)]
    g = [torch.func.grad(lambda a, h=h: torch.func.grad(lambda b: h(b).sum())(a).sum()) for h in g]
    torch.testing.assert_close(g[0](x), g[1](x), rtol=1e-9, atol=1e-9)


def test_symbolic_traces_have_the_operator():
    model = nn.Sequential(nn.Linear(4, 4), actgen.torch.activation("gelu"))
    traced, x = torch.fx.symbolic_trace(model), torch.randn(3, 4)
    assert torch.equal(traced(x), model(x)) and "torch.ops.actgen.gelu" in traced.code
