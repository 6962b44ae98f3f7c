"""The module that `actgen.torch.activation` makes, also with parameters of its own and with gradients in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ._compile import builtins
from ._entry import entry
from ._torch_autograd import is_unwatched
from ._torch_table import What

if TYPE_CHECKING:
    from .torch import Operator


class Activation(nn.Module):
    """A built-in, formula or gate as a module, with a kernel for each dtype that it meets. `activation` makes it."""

    __module__ = "actgen.torch"

    def __init__(
        self,
        what: dict[str, Any],
        operator: Operator,
        trainable: Mapping[str, Any] | None = None,
        inplace: bool = False,
    ) -> None:
        super().__init__()
        self.what, self.operator, self.inplace = what, operator, inplace
        self._names = tuple(trainable or ())
        for name, value in (trainable or {}).items():
            self.register_parameter(name, nn.Parameter(torch.as_tensor(value, dtype=torch.float32).clone()))

    def forward(self, x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        """Applies the activation to one tensor, or a gate to two tensors of the same shape."""
        if self._names:
            # A parameter keeps float32 where the tensor has fewer bits, and sums its gradient in float32.
            kind = torch.float64 if x.dtype == torch.float64 else torch.float32
            others = (*others, *[getattr(self, name).to(kind) for name in self._names])
        if self.inplace and not torch.compiler.is_compiling() and torch.is_grad_enabled() and is_unwatched():
            return self._in_place(x, *others)
        return self.operator(x, *others)

    @entry
    def _in_place(self, *tensors: torch.Tensor) -> Any:
        return self.operator.record_in_place(*tensors)

    def extra_repr(self) -> str:
        """Returns the name or formula, the bound, and the names of the parameters."""
        return arguments({**self.what, "trainable": list(self._names), "inplace": self.inplace})

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "operator"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from .torch import operator_of

        super().__setstate__(state)
        self.operator = operator_of(self.what)


def fits_one_operand(name: str) -> bool:
    """Returns True if a built-in is a function of one operand, or if there is no built-in of this name."""
    return not any(b.name == name and b.definition.startswith("kernel") for b in builtins())


def declared(name: str, value: Any) -> str:
    """Returns a trainable parameter as it is declared: `beta[]` or `beta[cols]`."""
    axes = torch.as_tensor(value).dim()
    if axes > 1 or not name.isidentifier():
        raise ValueError(f"trainable: {name!r} must be a name, and its value a number or a list of one for each column")
    return f"{name}[cols]" if axes else f"{name}[]"


def arguments(what: What) -> str:
    """Returns the arguments of `activation` as text."""
    return ", ".join(f"{key}={value!r}" for key, value in what.items() if value not in (None, False, []))
