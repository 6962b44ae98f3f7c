"""Implements actgen.torch.replace by a table of modules and a walk over the model."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn


class Replacement(NamedTuple):
    """A replaced module: its path in the model, the old module, and the new one."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before} -> {self.after}"


def _number(value: float) -> str:
    return repr(float(value))


def _named(name: str, **parameters: float) -> dict[str, str]:
    """Returns the arguments for a built-in, or for a formula of it with other parameters than the defaults."""
    if not parameters:
        return {"name": name}
    given = ", ".join(f"{key} = {_number(value)}" for key, value in parameters.items())
    return {"formula": f"{name}(x, {given})"}


# For each module of PyTorch, the arguments of `activation` that compute the same with the module's parameters.
DEFAULT: dict[type[nn.Module], Any] = {
    nn.GELU: lambda m: _named("gelu_tanh" if m.approximate == "tanh" else "gelu"),
    nn.SiLU: "silu",
    nn.Mish: "mish",
    nn.Softplus: lambda m: _named("softplus_threshold", beta=m.beta, threshold=m.threshold),
    nn.ELU: lambda m: _named("elu", alpha=m.alpha),
    nn.CELU: lambda m: _named("celu", alpha=m.alpha),
    nn.SELU: "selu",
    nn.Sigmoid: "sigmoid",
    nn.LogSigmoid: "logsigmoid",
    nn.Tanh: "tanh",
    nn.Tanhshrink: "tanhshrink",
    nn.Softsign: "softsign",
    nn.Hardswish: "hardswish",
    nn.Hardsigmoid: "hardsigmoid",
    nn.GLU: lambda m: {"name": "glu", "packed": True, "gate_second": True} if m.dim == -1 else None,
}

# Names of the projections gate, up and down of a gated feed-forward layer.
_GATED = (("gate_proj", "up_proj", "down_proj"), ("w1", "w3", "w2"))
_ACTIVATION_NAMES = ("act_fn", "act", "activation", "activation_fn")
_GATES = {
    "silu": "swiglu",
    "swish": "swiglu",
    "gelu": "geglu",
    "gelu_tanh": "geglu_tanh",
    "relu": "reglu",
    "sigmoid": "glu",
}


class GatedLayer(nn.Module):
    """A gated layer, down(activation(gate(x)) * up(x)), with the activation and the product in one pass."""

    def __init__(self, names: tuple[str, str, str], projections: list[nn.Module], gate: nn.Module) -> None:
        super().__init__()
        self._names = names
        for name, projection in zip(names, projections, strict=True):
            self.add_module(name, projection)
        self.gate = gate

    def forward(self, x: Any) -> Any:
        """Applies the layer to a tensor of shape [..., features]."""
        first, second, last = (self.get_submodule(name) for name in self._names)
        return last(self.gate(first(x), second(x)))


def _what(module: nn.Module, table: dict[type[nn.Module], Any]) -> dict[str, Any] | None:
    """Returns the arguments of `activation` for a module, or None."""
    entry = table.get(type(module))
    made = entry(module) if callable(entry) and not isinstance(entry, str) else entry
    return {"name": made} if isinstance(made, str) else made


def _activation_of(module: nn.Module, table: dict[type[nn.Module], Any]) -> dict[str, Any] | None:
    for name in _ACTIVATION_NAMES:
        child = getattr(module, name, None)
        if isinstance(child, nn.Module):
            # Hugging Face has its own classes, such as SiLUActivation, whose names tell the function.
            own = {
                "SiLUActivation": "silu",
                "GELUActivation": "gelu",
                "PytorchGELUTanh": "gelu_tanh",
                "GELUTanh": "gelu_tanh",
            }
            return _what(child, table) or ({"name": own[type(child).__name__]} if type(child).__name__ in own else None)
    return None


def _gated(module: nn.Module, table: dict[type[nn.Module], Any], make: Callable[..., nn.Module]) -> GatedLayer | None:
    """Returns a gated feed-forward layer with a fused gate in place of `module`, or None if it is not such a layer.

    The module must have the three projections, a known activation, and nothing else. It must also compute the same as the new
    layer, which is tried on random numbers.
    """
    children = dict(module.named_children())
    for names in _GATED:
        if not all(name in children for name in names):
            continue
        what = _activation_of(module, table)
        others = set(children) - set(names) - set(_ACTIVATION_NAMES)
        gate = _GATES.get(str(what.get("name"))) if what else None
        if gate and not others and not list(module.parameters(recurse=False)):
            layer = GatedLayer(names, [children[name] for name in names], make(gate))
            return layer if _compute_the_same(module, layer, children[names[0]]) else None
    return None


def _compute_the_same(module: nn.Module, layer: nn.Module, projection: nn.Module) -> bool:
    """Returns True if two modules agree on random rows within rounding. Returns False for modules on other devices."""
    weight = getattr(projection, "weight", None)
    if not isinstance(projection, nn.Linear) or weight is None or not weight.is_cpu:
        return False
    rows = torch.randn(3, projection.in_features, generator=torch.Generator().manual_seed(1)).to(weight.dtype)
    try:
        with torch.no_grad():
            before, after = module(rows), layer(rows)
    except (TypeError, RuntimeError, AttributeError):  # `forward` has other arguments
        return False
    room = 64 * torch.finfo(weight.dtype).eps
    return (
        isinstance(before, torch.Tensor) and before.shape == after.shape and torch.allclose(before, after, room, room)
    )


def replace_activations(
    model: nn.Module, table: dict[type[nn.Module], Any] | None, make: Callable[..., nn.Module]
) -> list[Replacement]:
    """Replaces activations for actgen.torch.replace. `make` makes a module from the arguments of `activation`."""
    table = DEFAULT if table is None else table
    for kind in table:
        if not isinstance(kind, type):
            raise TypeError(f"{kind!r} is no type of modules, such as torch.nn.GELU")
    if _what(model, table):
        raise ValueError(
            f"the model itself is a {type(model).__name__}; take actgen.torch.activation(...) in its place"
        )
    swapped: list[Replacement] = []

    def visit(parent: nn.Module, path: str) -> None:
        for name, child in list(parent.named_children()):
            here = f"{path}.{name}" if path else name
            layer = _gated(child, table, make)
            what = None if layer else _what(child, table)
            new = layer or (make(**what) if what else None)
            if new is None:
                visit(child, here)
                continue
            new.train(child.training)
            setattr(parent, name, new)
            after = new.gate if isinstance(new, GatedLayer) else new
            swapped.append(Replacement(here, type(child).__name__, str(after)))

    visit(model, "")
    return swapped
