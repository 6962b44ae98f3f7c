"""Lists which kernels compute the same as modules and functions of PyTorch and of libraries around it.

Classes of other libraries stand here by name, so that none of them is imported.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional

What = dict[str, Any]  # the arguments of actgen.torch.activation
Entry = str | What | Callable[[Any], str | What | None] | None
Table = dict[type[nn.Module] | str, Entry]


class Parametrized(NamedTuple):
    """A kernel that takes parameters of a module besides its input.

    `spec` is a text in the language, with T for the element type and EPS for the type's epsilon. `parameters` names the
    module's attributes.
    """

    spec: str
    parameters: tuple[str, ...]


class Left(Exception):
    """The reason why a module is left."""


def _number(value: float) -> str:
    return repr(float(value))


def named(name: str, **parameters: float) -> What:
    """Returns the arguments for a built-in, or for a formula of it with other parameters than the defaults."""
    if not parameters:
        return {"name": name}
    given = ", ".join(f"{key} = {_number(value)}" for key, value in parameters.items())
    return {"formula": f"{name}(x, {given})"}


def _gelu(approximate: str = "none") -> What:
    return named("gelu_tanh" if approximate == "tanh" else "gelu")


def _last_axis(dim: int | None) -> None:
    if dim != -1:
        raise Left(f"dim is {dim}, and kernels have their rows along the last axis: dim=-1")


def _softmax(m: Any) -> What:
    _last_axis(m.dim)
    if m.training:  # forward 0.5 to 1.0 times PyTorch's time, forward and backward 1.3 to 1.9 times
        raise Left("PyTorch's own trains in less time; after model.eval(), replace changes it")
    return named("softmax")


def _log_softmax(m: Any) -> What:
    _last_axis(m.dim)
    return named("log_softmax")


def _prelu(m: Any) -> What:
    if m.weight.numel() != 1:
        raise Left("it has a weight for each channel, and kernels broadcast only along the last axis")
    spec = "kernel prelu_learned(x: T, weight: T[]) -> (y: T) { y = if x > 0 then x else weight*x }"
    return {"parametrized": Parametrized(spec, ("weight",))}


def _one_axis(m: Any) -> None:
    if len(m.normalized_shape) != 1:
        raise Left("it normalizes over several axes, and kernels sum over the last axis")


def _given(m: Any, names: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Returns the parameters that a norm has, and their declarations."""
    given = tuple(name for name in names if getattr(m, name, None) is not None)
    return given, "".join(f", {name}: T[cols]" for name in given)


def _rms_norm(m: Any) -> What:
    _one_axis(m)
    given, operands = _given(m, ("weight",))
    eps = "EPS" if m.eps is None else _number(m.eps)
    formula = f"x*(1/sqrt(f64(mean(x^2)) + {eps})){'*weight' * len(given)}"
    return {"parametrized": Parametrized(f"kernel rms_norm(x: T{operands}) -> (y: T) {{ y = {formula} }}", given)}


def layer_norm(m: Any) -> What:
    """Returns the kernel of a LayerNorm, for tables of `replace`: `{torch.nn.LayerNorm: actgen.torch.layer_norm}`.

    It is not in DEFAULTS, because PyTorch's own takes less time: forward 0.7 to 0.9 times, with backward 0.4 to 0.7 times.
    """
    _one_axis(m)
    given, operands = _given(m, ("weight", "bias"))
    formula = f"d*(1/sqrt(f64(mean(d^2)) + {_number(m.eps)}))"
    formula += "*weight" * ("weight" in given) + " + bias" * ("bias" in given)
    spec = f"kernel layer_norm(x: T{operands}) -> (y: T) {{ d = x - mean(x); y = {formula} }}"
    return {"parametrized": Parametrized(spec, given)}


def _packed_glu(m: Any) -> What:
    _last_axis(m.dim)
    return {"name": "glu", "packed": True, "gate_second": True}


# For each class, what computes the same. A class of another library is "package.Class". None keeps a module.
DEFAULTS: Table = {
    nn.GELU: lambda m: _gelu(m.approximate),
    nn.SiLU: "silu",
    nn.Mish: "mish",
    nn.Softplus: lambda m: named("softplus_threshold", beta=m.beta, threshold=m.threshold),
    nn.ELU: lambda m: named("elu", alpha=m.alpha),
    nn.CELU: lambda m: named("celu", alpha=m.alpha),
    nn.SELU: "selu",
    nn.Sigmoid: "sigmoid",
    nn.LogSigmoid: "logsigmoid",
    nn.Tanh: "tanh",
    nn.Tanhshrink: "tanhshrink",
    nn.Softsign: "softsign",
    nn.Hardswish: "hardswish",
    nn.Hardsigmoid: "hardsigmoid",
    nn.Hardtanh: lambda m: named("hardtanh", low=m.min_val, high=m.max_val),
    nn.ReLU6: "relu6",
    nn.LeakyReLU: lambda m: named("leaky_relu", slope=m.negative_slope),
    nn.Softshrink: lambda m: named("softshrink", **{"lambda": m.lambd}),
    nn.Hardshrink: lambda m: named("hardshrink", **{"lambda": m.lambd}),
    nn.PReLU: _prelu,
    nn.GLU: _packed_glu,
    nn.Softmax: _softmax,
    nn.LogSoftmax: _log_softmax,
    nn.RMSNorm: _rms_norm,
    "transformers.GELUActivation": "gelu",
    "transformers.GELUTanh": "gelu_tanh",
    "transformers.PytorchGELUTanh": "gelu_tanh",
    "transformers.NewGELUActivation": "gelu_tanh",
    "transformers.FastGELUActivation": "gelu_tanh",
    "transformers.AccurateGELUActivation": "gelu_tanh",
    "transformers.QuickGELUActivation": "gelu_sigmoid",
    "transformers.ClippedGELUActivation": lambda m: {"formula": f"clamp(gelu(x), {_number(m.min)}, {_number(m.max)})"},
    "transformers.SiLUActivation": "silu",
    "transformers.MishActivation": "mish",
    "transformers.LaplaceActivation": {"formula": "laplace(x, mu = 0.707107, sigma = 0.282095)"},
    "transformers.ReLUSquaredActivation": "relu2",
    "transformers.SqrtSoftplusActivation": {"formula": "sqrt(softplus(x))"},
    "transformers.BloomGelu": "gelu_tanh",
    "diffusers.FP32SiLU": "silu",
    "timm.Swish": "silu",
    "timm.Mish": "mish",
    "timm.Sigmoid": "sigmoid",
    "timm.Tanh": "tanh",
    "timm.HardSwish": "hardswish",
    "timm.HardSigmoid": "hardsigmoid",
    "timm.HardMish": {"formula": "0.5*x*clamp(x + 2, 0, 2)"},
    "timm.GELU": "gelu",
    "timm.GELUTanh": "gelu_tanh",
    "timm.QuickGELU": "gelu_sigmoid",
    "timm.PReLU": _prelu,
}


def _gpt_oss(m: Any) -> What:
    alpha, limit = _number(m.alpha), _number(m.limit)
    # The gradient passes at the limits, as in torch.clamp.
    limited = f"T(if gate <= {limit} then gate else {limit})"
    scale = f"T(if up >= -{limit} and up <= {limit} then up else clamp(up, -{limit}, {limit}))"
    body = f"g = {limited}; u = {scale}; y = (u + 1)*(g*sigmoid({alpha}*g))"
    return {"parametrized": Parametrized(f"kernel gated([gate, up]: T) -> (y: T) {{ {body} }}", ())}


# Methods of other libraries: the source that is known, and what computes the same.
METHODS: dict[str, tuple[str, Callable[[Any], What]]] = {
    "transformers.GptOssExperts._apply_gate": (
        """
def _apply_gate(self, gate_up: torch.Tensor) -> torch.Tensor:
    gate, up = gate_up[..., ::2], gate_up[..., 1::2]
    gate = gate.clamp(min=None, max=self.limit)
    up = up.clamp(min=-self.limit, max=self.limit)
    glu = gate * torch.sigmoid(gate * self.alpha)
    gated_output = (up + 1) * glu
    return gated_output
""",
        _gpt_oss,
    )
}

# Methods that are activations for the other methods of their class.
ACT_METHODS: dict[str, str] = {"diffusers.GEGLU.gelu": "gelu"}

# Why classes that are seen are not in the table.
REASONS: dict[type[nn.Module], str] = {
    nn.ReLU: "PyTorch's relu is exact, and its backward pass keeps only the result; {torch.nn.ReLU: 'relu'} replaces it",
    nn.LayerNorm: "PyTorch's own takes less time; {torch.nn.LayerNorm: actgen.torch.layer_norm} replaces it",
    nn.Softmin: "it has no kernel",
    nn.RReLU: "it draws random numbers",
    nn.Threshold: "it has no entry; {torch.nn.Threshold: ...} gives one",
    nn.Softmax2d: "it normalizes over the channels, and kernels have their rows along the last axis",
}


# For each function, what computes the same with these parameters. `inplace` only saves memory.
FUNCTIONS: dict[Callable[..., Any], Callable[..., What]] = {
    functional.gelu: _gelu,
    functional.silu: lambda inplace=False: named("silu"),
    functional.mish: lambda inplace=False: named("mish"),
    functional.softplus: lambda beta=1, threshold=20: named("softplus_threshold", beta=beta, threshold=threshold),
    functional.elu: lambda alpha=1.0, inplace=False: named("elu", alpha=alpha),
    functional.celu: lambda alpha=1.0, inplace=False: named("celu", alpha=alpha),
    functional.selu: lambda inplace=False: named("selu"),
    functional.logsigmoid: lambda: named("logsigmoid"),
    functional.tanhshrink: lambda: named("tanhshrink"),
    functional.softsign: lambda: named("softsign"),
    functional.hardswish: lambda inplace=False: named("hardswish"),
    functional.hardsigmoid: lambda inplace=False: named("hardsigmoid"),
    functional.relu6: lambda inplace=False: named("relu6"),
    functional.leaky_relu: lambda negative_slope=0.01, inplace=False: named("leaky_relu", slope=negative_slope),
}


def described(entry: Entry, module: nn.Module) -> What | None:
    """Returns the arguments of `activation` that an entry of a table means for a module. Raises Left."""
    made = entry(module) if callable(entry) else entry
    return {"name": made} if isinstance(made, str) else made


def name_of(kind: type) -> str:
    """Returns the name of a class as tables have it."""
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def what_of(module: nn.Module, table: Table) -> What | None:
    """Returns the arguments of `activation` for a module, or None if the table lacks it, or keeps it.

    A subclass counts as its base class if it has the same `forward`. Raises Left with the reason why a known module is left.
    """
    for kind in type(module).__mro__:
        for key in (kind, name_of(kind)):
            if key not in table:
                continue
            if kind is not type(module) and type(module).forward is not kind.forward:  # type: ignore[attr-defined]
                raise Left(f"it is a {kind.__name__} with a forward of its own")
            return described(table[key], module)
    return None


def is_activation(module: nn.Module) -> bool:
    """Returns True for modules that are activations by their class's place, whether the table has them or not."""
    kind = type(module)
    place = kind.__module__
    is_ours = place == nn.ReLU.__module__ and kind is not nn.MultiheadAttention
    return is_ours or (place.rpartition(".")[2].startswith("activations") and not list(module.children()))


def check_table(table: Table) -> None:
    """Raises TypeError for keys that are no classes of modules and no names of classes."""
    for kind in table:
        is_name = isinstance(kind, str) and kind.count(".") == 1
        if not (is_name or isinstance(kind, type)):
            raise TypeError(f"{kind!r} is no type of modules, such as torch.nn.GELU, and no name such as 'timm.Swish'")


def fits(x: object) -> bool:
    """Returns True if kernels take the argument: a tensor on the CPU of a type that they have."""
    return isinstance(x, torch.Tensor) and x.device.type == "cpu" and x.dtype in FLOATS


def in_place(operator: Callable[..., Any], x: torch.Tensor) -> torch.Tensor:
    """Applies an operator in place, for modules and functions that have `inplace`: other code may look at the tensor later.

    The backward pass needs the old values, of which PyTorch keeps a copy, too.
    """
    is_recorded = torch.is_grad_enabled() and x.requires_grad
    return x.copy_(operator(x.clone() if is_recorded else x))


FLOATS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
