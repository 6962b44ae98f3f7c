"""Tests activations with parameters that are learned, and gradients in the memory of gate and up."""

import copy
import pickle

import pytest

torch = pytest.importorskip("torch")
import actgen.torch  # noqa: E402
from actgen.torch import activation  # noqa: E402

RATIONAL = "(a0 + a1*x + a2*x^2 + a3*x^3)/(1 + abs(b1*x + b2*x^2))"
ROWS = {
    "swish": ({"name": "swish", "trainable": {"beta": 1.5}}, lambda x, beta: x * torch.sigmoid(beta * x)),
    "prelu": ({"name": "prelu", "trainable": {"weight": 0.25}}, lambda x, weight: torch.where(x > 0, x, weight * x)),
    "a PReLU for each column": (
        {"name": "prelu", "trainable": {"weight": [0.25, 0.5, 0.0, -1.0, 2.0]}},
        lambda x, weight: torch.where(x > 0, x, weight * x),
    ),
    "xielu": (
        {"name": "xielu", "trainable": {"alpha_p": 0.8, "alpha_n": 0.7}},
        lambda x, p, n: torch.where(
            x > 0, p * x * x + 0.5 * x, n * (torch.expm1(torch.clamp(x, max=-1e-6)) - x) + 0.5 * x
        ),
    ),
    "a rational unit": (
        {"formula": RATIONAL, "trainable": {"a0": 0.02, "a1": 0.5, "a2": 1.0, "a3": 0.4, "b1": 0.1, "b2": 0.8}},
        lambda x, a0, a1, a2, a3, b1, b2: (a0 + a1 * x + a2 * x**2 + a3 * x**3) / (1 + torch.abs(b1 * x + b2 * x**2)),
    ),
}


@pytest.mark.parametrize(
    ("row", "dtype"),
    [*[(row, torch.float32) for row in ROWS], ("prelu", torch.float64), ("prelu", torch.bfloat16)],
    ids=str,
)
def test_parameters_are_learned(row, dtype):
    arguments, formula = ROWS[row]
    module = activation(**arguments)
    assert list(module.state_dict()) == list(arguments["trainable"])
    x = torch.randn(6, 5, generator=torch.Generator().manual_seed(1)).to(dtype).requires_grad_()
    weights = torch.linspace(-1, 2, 30).reshape(6, 5).to(dtype)
    (module(x) * weights).sum().backward()
    true_x = x.detach().double().requires_grad_()
    parameters = [p.detach().double().requires_grad_() for p in module.parameters()]
    true = formula(true_x, *parameters)
    (true * weights.double()).sum().backward()
    close = dict(rtol=1e-2, atol=1e-2) if dtype == torch.bfloat16 else dict(rtol=2e-6, atol=2e-6)
    torch.testing.assert_close(module(x).double(), true, **close)
    torch.testing.assert_close(x.grad.double(), true_x.grad, **close)
    for learned, right in zip(module.parameters(), parameters, strict=True):
        assert learned.grad.shape == learned.shape and learned.grad.dtype == torch.float32
        torch.testing.assert_close(learned.grad.double(), right.grad, **close)


def test_a_parameter_follows_its_target():
    module, x = activation("swish", trainable={"beta": 1.0}), torch.linspace(-4, 4, 256).reshape(4, 64)
    target = x * torch.sigmoid(1.7 * x)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.05)
    for _ in range(200):
        optimizer.zero_grad()
        (module(x) - target).square().mean().backward()
        optimizer.step()
    assert abs(module.beta.item() - 1.7) < 1e-3


def test_modules_with_parameters_are_copied_pickled_and_compiled():
    module, x = activation("swish", trainable={"beta": 1.0}), torch.randn(3, 5)
    with torch.no_grad():
        module.beta.fill_(2.5)
    calls = []
    module.register_forward_hook(lambda *_: calls.append(1))
    for again in (copy.deepcopy(module), torch.compile(module, fullgraph=True, backend="aot_eager")):
        assert torch.equal(again(x), module(x)) and again.beta.item() == 2.5
    assert len(calls) >= 3  # hooks stay
    again = pickle.loads(pickle.dumps(activation("swish", trainable={"beta": 2.5})))
    assert torch.equal(again(x), module(x))
    again.load_state_dict({"beta": torch.tensor(-1.0)})
    assert torch.equal(again(x), activation("swish", trainable={"beta": -1.0})(x))
    assert repr(module) == "Activation(name='swish', trainable=['beta'])"


def test_parameters_that_cannot_be():
    for wrong, error in [
        ({"name": "swiglu", "trainable": {"beta": 1.0}}, ValueError),
        ({"name": "swish", "trainable": {"beta": 1.0}, "packed": True}, ValueError),
        ({"name": "swish", "trainable": {"gamma": 1.0}}, actgen.SpecError),
        ({"formula": "forward*x", "trainable": {"forward": 1.0}}, KeyError),
        ({"name": "swish", "trainable": {"beta": [[1.0]]}}, ValueError),
        ({"name": "swish", "trainable": {"be ta": 1.0}}, ValueError),
    ]:
        with pytest.raises(error):
            activation(**wrong)


def _gate_and_up(kind: str):
    """Returns a leaf, and gate and up that an operation made of it."""
    leaf = torch.randn(4, 12, generator=torch.Generator().manual_seed(2)).requires_grad_()
    whole = leaf * 2
    return leaf, whole.chunk(2, -1) if kind == "halves" else (whole,) if kind == "packed" else (whole, leaf * 3)


@pytest.mark.parametrize("kind", ["halves", "packed", "separate"])
def test_gradients_in_the_memory_of_the_operands(kind):
    module = activation("swiglu", packed=kind == "packed", inplace=True)
    leaf, operands = _gate_and_up(kind)
    other, same = _gate_and_up(kind)
    module(*operands).square().sum().backward()
    activation("swiglu", packed=kind == "packed")(*same).square().sum().backward()
    assert torch.equal(leaf.grad, other.grad)
    for t, before in zip(operands, same, strict=True):
        assert not torch.equal(t, before)  # it holds the gradient
    assert repr(module).endswith("inplace=True)")


def test_values_that_somebody_needs_are_never_lost():
    module = activation("swiglu", inplace=True)
    gate, up = torch.randn(4, 6, requires_grad=True), torch.randn(4, 6, requires_grad=True)
    kept = gate.detach().clone()
    module(gate, up).sum().backward()
    assert torch.equal(gate, kept)  # a leaf
    constant = torch.randn(4, 6)
    kept = constant.clone()
    module(gate * 1, constant).sum().backward()
    assert torch.equal(constant, kept)  # nobody asked for its gradient
    shared = gate * 1
    module(shared, shared).sum().backward()  # both gradients have no room in one place
    made = gate.exp()  # whose backward pass needs its result
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        module(made, up * 1).sum().backward()
    y = module(gate * 1, up * 1).sum()
    y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
    wide = (gate * 1)[:, :1].expand(4, 6)
    before = gate.grad.clone()
    module(wide, up * 1).sum().backward()
    assert not torch.equal(before, gate.grad)


def test_gradients_in_place_under_transforms_and_higher_orders():
    module = activation("silu", inplace=True)
    x = torch.randn(7, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda t: module(t * 1), (x,))
    torch.testing.assert_close(
        torch.func.grad(lambda t: module(t * 1).sum())(x),
        torch.func.grad(lambda t: torch.nn.functional.silu(t).sum())(x),
    )


GRADIENTS = {
    "grad": lambda f: torch.func.grad(lambda v: f(v).sum()),
    "grad of grad": lambda f: torch.func.grad(lambda v: torch.func.grad(lambda u: f(u).sum())(v).sum()),
    "vmap of grad": lambda f: torch.func.vmap(torch.func.grad(f)),
    "jacrev": torch.func.jacrev,
    "jvp": lambda f: lambda v: torch.func.jvp(f, (v,), (v,))[1],
    "hessian": lambda f: torch.func.hessian(lambda v: f(v).sum()),
}


@pytest.mark.parametrize("kind", GRADIENTS)
def test_transforms_in_one_compiled_graph(kind):
    x = torch.randn(6, generator=torch.Generator().manual_seed(5))
    compiled = torch.compile(GRADIENTS[kind](activation("gelu")), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), GRADIENTS[kind](torch.nn.functional.gelu)(x))


def test_forward_mode_inside_forward_mode_is_never_zero_in_silence():
    module, x = activation("gelu"), torch.randn(6)

    def second(v):
        return torch.func.jvp(lambda t: torch.func.jvp(module, (t,), (v,))[1], (v,), (v,))[1]

    with pytest.raises(Exception, match="forward mode inside forward mode"):
        torch.compile(second, fullgraph=True, backend="aot_eager")(x)
    with pytest.raises(NotImplementedError, match="jacfwd of jacrev"):
        torch.func.jacfwd(torch.func.jacfwd(module))(x)
    assert second(x).abs().max() > 0


def _swiglu(x):
    gate, up = x.chunk(2, -1)
    return torch.nn.functional.silu(gate) * up


BROADCAST = """kernel b(x: f64, s: f64[cols], h: f64[rows], g: f64[]) -> (y: f64, z: f64[rows]) {
    y = g*silu(x*s + h)
    z = sum(x*x)
}"""


def _broadcast(x, s, h, g):
    return g * torch.nn.functional.silu(x * s + h), (x * x).sum(-1, keepdim=True)


# Operators whose results depend on several elements of an operand, the same by PyTorch, and the shapes of the operands.
ACROSS = {
    "softmax": (lambda: activation("softmax"), lambda x: x.softmax(-1), [(3, 6)]),
    "packed": (lambda: activation("swiglu", packed=True), _swiglu, [(3, 6)]),
    "interleaved": (
        lambda: activation("swiglu", interleaved=True),
        lambda x: _swiglu(torch.cat((x[..., ::2], x[..., 1::2]), -1)),
        [(3, 6)],
    ),
    "broadcast": (
        lambda: actgen.torch.as_torch(actgen.compile(spec=BROADCAST)),
        _broadcast,
        [(3, 6), (6,), (3, 1), ()],
    ),
    "swish": (lambda: activation("swish", trainable={"beta": 1.5}), lambda x: x * torch.sigmoid(1.5 * x), [(3, 6)]),
}


@pytest.mark.parametrize("case", ACROSS)
def test_forward_mode_across_elements(case):
    make, theirs, shapes = ACROSS[case]
    mine, random = make(), torch.Generator().manual_seed(7)
    dtype = torch.float64 if case == "broadcast" else torch.float32
    x, t = (tuple(torch.randn(s, generator=random, dtype=dtype) for s in shapes) for _ in range(2))
    close = {"rtol": 1e-5, "atol": 1e-5}
    torch.testing.assert_close(torch.func.jvp(mine, x, t), torch.func.jvp(theirs, x, t), **close)
    if len(shapes) > 1:
        return
    for of in (
        lambda f: torch.func.jacfwd(f)(x[0][0]),
        lambda f: torch.func.hessian(lambda a: f(a).square().sum())(x[0][0]),
        lambda f: torch.func.jacrev(torch.func.jacfwd(lambda a: f(a).square().sum()))(x[0][0]),
        lambda f: torch.func.jvp(lambda a: torch.func.jvp(f, (a,), t)[1], x, t)[1],
    ):
        torch.testing.assert_close(of(mine), of(theirs), **close)
    with pytest.raises(NotImplementedError, match="jacfwd of jacrev"):
        torch.func.jacfwd(torch.func.jacfwd(lambda a: mine(a).sum()))(x[0][0])


class _Named(torch.Tensor):
    """A subclass of a user."""


@pytest.mark.parametrize("call", [actgen.torch.activation("gelu"), actgen.compile("gelu")], ids=["operator", "kernel"])
def test_tensors_of_a_subclass_give_that_subclass(call):
    x = torch.linspace(-3, 3, 24).reshape(4, 6)
    for given in (x, x.T, x[:, ::2]):
        made = call(given.as_subclass(_Named))
        assert type(made) is _Named and torch.equal(made.as_subclass(torch.Tensor), call(given))
    assert type(call(x)) is torch.Tensor


@pytest.mark.parametrize("what", [{"name": "mish"}, {"formula": "x*sigmoid(1.702*x)"}], ids=["name", "formula"])
def test_activations_made_in_a_compiled_function(what):
    x = torch.linspace(-3, 3, 24)
    compiled = torch.compile(lambda a: actgen.torch.activation(**what)(a), fullgraph=True, backend="eager")
    assert torch.equal(compiled(x), actgen.torch.activation(**what)(x))
