"""Tests actgen.torch.replace: what is swapped, what stays, and what is said about the rest."""

import copy
import functools
import pickle

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

import actgen.torch  # noqa: E402


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(1)


class GatedMLP(nn.Module):
    """Llama's feed-forward layer."""

    def __init__(self, width=16, hidden=24, scale=1.0):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.down_proj, self.act_fn, self.scale = nn.Linear(hidden, width, bias=False), nn.SiLU(), scale

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x) * self.scale)


class PackedMLP(nn.Module):
    """Phi-3's feed-forward layer."""

    def __init__(self):
        super().__init__()
        self.gate_up_proj, self.down_proj, self.activation_fn = nn.Linear(16, 48), nn.Linear(24, 16), nn.Mish()

    def forward(self, x):
        up_states = self.gate_up_proj(x)
        gate, up_states = up_states.chunk(2, dim=-1)
        up_states = up_states * self.activation_fn(gate)
        return self.down_proj(up_states)


class LateMLP(nn.Module):
    """T5's feed-forward layer, where the activation and the product are apart."""

    def __init__(self):
        super().__init__()
        self.wi_0, self.wi_1, self.wo = nn.Linear(16, 24), nn.Linear(16, 24), nn.Linear(24, 16)
        self.act = nn.GELU(approximate="tanh")

    def forward(self, hidden_states):
        hidden_gelu = self.act(self.wi_0(hidden_states))
        hidden_linear = self.wi_1(hidden_states)
        hidden_states = hidden_gelu * hidden_linear
        return self.wo(hidden_states)


def _doubled(method):
    @functools.wraps(method)
    def wrapper(self, *args):
        return 2 * method(self, *args)

    return wrapper


def helper(x, slope=0.25):
    """Serves Functional, as functions of a model's file do."""
    return functional.leaky_relu(x, negative_slope=slope)


class Functional(nn.Module):
    """Calls functions in place of modules."""

    gelu_kind = "tanh"

    @_doubled
    def forward(self, x, gain=1.5):
        """Has defaults, a closure, a decorator and functions of its file."""
        kind = (lambda: self.gelu_kind)()
        a = functional.gelu(x, approximate=kind) + helper(x) * gain
        b = functional.softplus(x, beta=2) * len(super().extra_repr() + "ab")  # no gate, which shows when it runs
        return a * torch.sigmoid(1.702 * a) + b


SOFTPLUS = "softplus_threshold(x, beta = 2.0, threshold = 20.0)"


def swapped_by(model, x, *arguments):
    """Replaces the activations. Checks results, gradients, the modules themselves, and `undo`."""
    modules, keys, original = list(model.modules()), list(model.state_dict()), copy.deepcopy(model)
    found = actgen.torch.replace(model, *arguments)
    assert all(a is b for a, b in zip(model.modules(), modules, strict=True)) and list(model.state_dict()) == keys
    room = 64 * torch.finfo(x.dtype).eps
    torch.testing.assert_close(model(x), original(x), rtol=room, atol=room)
    weights = torch.randn_like(x)
    for m in (model, original):
        y = m(x)
        (y * weights[..., : y.shape[-1]]).sum().backward()
    for a, b in zip(model.parameters(), original.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=8 * room, atol=float(40 * room * b.grad.abs().max()))
    return found, original


def make_model(scale=1.0):
    parts = [nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 16), nn.GELU(approximate="tanh"), GatedMLP(scale=scale)]
    more = [nn.Softplus(beta=2.0), nn.ELU(alpha=0.5), nn.Mish(), nn.Linear(16, 32), nn.GLU(), nn.ReLU()]
    return nn.Sequential(*parts, nn.Sequential(*more, nn.Dropout(0.1))).eval()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_models_whose_activations_are_replaced(dtype):
    model = make_model().to(dtype)
    found, original = swapped_by(model, torch.randn(40, 16).to(dtype))
    assert [s.path for s in found] == ["1", "3", "4", "4.act_fn", "5.0", "5.1", "5.2", "5.4"]
    assert found[0] == ("1", "GELU", "Activation(name='gelu')") and found[2] == ("4", "GatedMLP.forward", "swiglu")
    assert [(s.path, s.what) for s in found.left] == [("5.5", "ReLU")] and "keeps only the result" in str(found.left[0])
    x = torch.randn(7, 16).to(dtype)
    assert not torch.equal(model(x), original(x)) or dtype == torch.bfloat16
    assert not actgen.torch.replace(model)  # nothing is left to swap
    found.undo()
    assert torch.equal(model(x), original(x)) and not found and str(model) == str(original)


@pytest.mark.parametrize(
    ("model", "path", "said"),
    [
        (lambda: GatedMLP(scale=2.0), "", "swiglu"),
        (lambda: PackedMLP(), "", "(mish)*up"),
        (lambda: LateMLP(), "", "geglu_tanh"),
        (
            lambda: nn.Sequential(nn.Linear(16, 16), Functional()),
            "1",
            f"gelu, leaky_relu, ({SOFTPLUS})*up, x*sigmoid(1.702*x)",
        ),
    ],
    ids=["scaled", "packed", "late", "functions"],
)
def test_methods_are_rewritten(model, path, said):
    model = model()
    found, original = swapped_by(model, torch.randn(5, 7, 16))
    method = next(s for s in found if s.path == path)
    assert method.before.endswith(".forward") and method.after == said and not found.left
    found.undo()
    x = torch.randn(3, 16)
    assert torch.equal(model(x), original(x))


class OwnGELU(nn.GELU):
    """A subclass without a forward of its own."""


class OtherGELU(nn.GELU):
    """A subclass with one."""

    def forward(self, input):
        return super().forward(input) + 1


@pytest.mark.parametrize(
    ("module", "before"),
    [
        (nn.ReLU6(), "ReLU6"),
        (nn.LeakyReLU(0.2), "LeakyReLU"),
        (nn.PReLU(init=0.3), "PReLU"),
        (nn.Hardtanh(-2, 1.5), "Hardtanh"),
        (nn.Softshrink(0.3), "Softshrink"),
        (nn.Hardshrink(0.3), "Hardshrink"),
        (nn.Softmax(-1).eval(), "Softmax"),
        (nn.LogSoftmax(-1), "LogSoftmax"),
        (nn.RMSNorm(16), "RMSNorm"),
        (nn.RMSNorm(16, eps=1e-3, elementwise_affine=False), "RMSNorm"),
        (OwnGELU(), "OwnGELU"),
    ],
    ids=str,
)
def test_modules_that_are_known(module, before):
    model = nn.Sequential(nn.Linear(16, 16), module)
    for p in module.parameters():
        nn.init.normal_(p)
    found, _original = swapped_by(model, 3 * torch.randn(9, 16))
    assert [(s.path, s.before) for s in found] == [("1", before)] and not found.left
    assert torch.equal(module(torch.zeros(0, 16)), torch.zeros(0, 16))


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (nn.Softmax(1), "dim is 1"),
        (nn.GLU(1), "dim is 1"),
        (nn.PReLU(16), "a weight for each channel"),
        (nn.Softmax(-1), "trains in less time"),
        (nn.LayerNorm(16), "actgen.torch.layer_norm"),
        (OtherGELU(), "a forward of its own"),
        (nn.RReLU(), "random numbers"),
        (nn.MultiheadAttention(16, 2), None),
    ],
    ids=lambda v: str(v)[:12],
)
def test_what_is_left_has_a_reason(module, reason):
    found = actgen.torch.replace(nn.Sequential(module))
    assert not found and [reason in s.reason for s in found.left] == ([True] if reason else [])


def test_hooks_and_attributes_stay():
    model, seen = nn.Sequential(GatedMLP(), nn.GELU()), []
    model[1].note = "mine"
    model[1].register_forward_hook(lambda *_: seen.append("gelu"))
    model[0].act_fn.register_forward_hook(lambda *_: seen.append("act"))
    model[0].register_forward_pre_hook(lambda *_: seen.append("layer"))
    found = actgen.torch.replace(model)
    assert not seen  # nothing of the model ran
    model(torch.randn(3, 16))
    assert seen == ["layer", "act", "gelu"] and model[1].note == "mine" and isinstance(model[1], nn.GELU)
    assert [s.path for s in found] == ["0.act_fn", "1"]  # no gate bypasses a hook
    model[1].forward = lambda x: x  # a later change by somebody else
    found.undo()
    assert "forward" in vars(model[1]) and "forward" not in vars(model[0].act_fn)
    assert actgen.torch.replace(model).left[0].reason.startswith("its forward was set")


def test_tables_extend_the_defaults():
    model = make_model()
    found = actgen.torch.replace(model, {nn.ReLU: "relu", nn.Mish: None, nn.ELU: lambda m: {"formula": "x + 0"}})
    assert [s.path for s in found] == ["1", "3", "4", "4.act_fn", "5.0", "5.1", "5.4", "5.5"]
    assert [(s.path, s.reason) for s in found.left] == [("5.2", "the table keeps it")]
    assert actgen.torch.DEFAULTS[nn.SiLU] == "silu" and "transformers.QuickGELUActivation" in actgen.torch.DEFAULTS
    kind = type("Swish", (nn.SiLU,), {"__module__": "mine.layers", "forward": lambda self, x: functional.silu(x)})
    assert len(actgen.torch.replace(nn.Sequential(kind()), {"mine.Swish": "silu"})) == 1
    for key in ("GELU", 3):
        with pytest.raises(TypeError, match="is no type of modules"):
            actgen.torch.replace(model, {key: "gelu"})
    gelu = nn.GELU()
    assert [s.path for s in actgen.torch.replace(gelu)] == [""]


@pytest.mark.parametrize("arguments", [{}, {"eps": 1e-3, "bias": False}, {"elementwise_affine": False}], ids=str)
def test_layer_norm_is_replaced_on_demand(arguments):
    module = nn.LayerNorm(16, **arguments)
    for p in module.parameters():
        nn.init.normal_(p)
    table, x = {nn.LayerNorm: actgen.torch.layer_norm}, 3 * torch.randn(9, 16)
    before = module(x)
    assert [s.before for s in actgen.torch.replace(module, table)] == ["LayerNorm"]
    torch.testing.assert_close(module(x), before, rtol=1e-5, atol=1e-5)
    assert "several axes" in actgen.torch.replace(nn.LayerNorm((4, 16)), table).left[0].reason


def test_other_arguments_are_computed_as_before():
    model = nn.Sequential(GatedMLP(), nn.SiLU(), nn.LayerNorm(16))
    actgen.torch.replace(model, {nn.LayerNorm: actgen.torch.layer_norm})
    on_meta = copy.deepcopy(model).to("meta")
    assert on_meta(torch.empty(3, 16, device="meta")).device.type == "meta"
    assert torch.equal(model[1](input=torch.ones(3)), functional.silu(torch.ones(3)))
    with torch.no_grad():  # a norm whose parameters have another type than its input
        x = torch.randn(3, 16).bfloat16()
        assert torch.equal(model[2](x), functional.layer_norm(x, (16,), model[2].weight, model[2].bias))


class InPlace(nn.Module):
    """Reads a tensor again after activations changed it, as some residual blocks do."""

    def __init__(self):
        super().__init__()
        self.act = nn.SiLU(inplace=True)

    def forward(self, x):
        y = x * 2
        z = self.act(y) * x + y
        functional.leaky_relu(z, 0.3, inplace=True)
        return z


def test_what_happens_in_place_still_does():
    found, original = swapped_by(nn.Sequential(nn.Linear(16, 16), InPlace()), torch.randn(5, 16))
    assert [s.path for s in found] == ["1", "1.act"]


def test_replaced_models_are_copied_pickled_and_compiled():
    model = nn.Sequential(GatedMLP(), LateMLP(), nn.Mish(), nn.PReLU())
    actgen.torch.replace(model)
    x = torch.randn(3, 16)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert torch.equal(again(x), model(x)) and again[0].forward.module is again[0]
        again[0].down_proj.weight.data.zero_()
        assert not again[0](x).any() and model[0](x).any()
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(x), model(x))


def test_sources_that_do_not_tell_are_said():
    namespace = {"nn": nn, "functional": functional, "__name__": "mine"}
    exec("class Hidden(nn.Module):\n    def forward(self, x):\n        return functional.gelu(x)\n", namespace)
    found = actgen.torch.replace(nn.Sequential(namespace["Hidden"]()))
    assert not found and "source" in found.left[0].reason and found.left[0].what == "Hidden.forward"
