"""Computes kernels by PyTorch's own operators: for devices, compilers and formats that do not run machine code of actgen.

The values are those of the formula, in float32 or float64, and without a bound of the error.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from . import _call
from ._compile import compile
from ._formula import Formulas
from ._kernel import Kernel
from ._library import CODE_NAMES, TYPE_CODES
from ._reports import Operand
from .errors import NotYetError

Function = Callable[..., Any]


def _log1p_of_exp(u: torch.Tensor) -> torch.Tensor:
    return torch.relu(u) + torch.log1p(torch.exp(-torch.abs(u)))


def _exponent(u: torch.Tensor) -> torch.Tensor:
    whole = torch.isfinite(u) & (u != 0)
    return torch.where(
        whole, torch.frexp(torch.where(whole, u, 1))[1] - 1.0, torch.where(u == 0, -torch.inf, torch.abs(u))
    )


# The functions of one value of the language. All others have the same name in PyTorch.
_FUNCTIONS: dict[str, Function] = {
    "normcdf": lambda u: 0.5 * torch.erfc(u * -math.sqrt(0.5)),
    "softplus": _log1p_of_exp,
    "exponent": _exponent,
    "erfcx": torch.special.erfcx,
    "trigamma": functools.partial(torch.polygamma, 1),
    "sech": lambda u: 1 / torch.cosh(u),
    "exp10": lambda u: torch.pow(10.0, u),
    "cbrt": lambda u: torch.sign(u) * torch.abs(u) ** (1 / 3),
}
_DRAWS = ("uniform", "bernoulli")
_OF_ROWS: dict[str, Function] = {"sum": torch.sum, "mean": torch.mean, "amax": torch.amax}
# Formulas of built-ins that PyTorch has as one operator. Exporters have operators for some of these.
_KNOWN: dict[str, Function] = {
    "softmax": functools.partial(torch.softmax, dim=-1),
    "log_softmax": functools.partial(torch.log_softmax, dim=-1),
    "gelu": functional.gelu,
    "gelu_tanh": functools.partial(functional.gelu, approximate="tanh"),
    "silu": functional.silu,
    "mish": functional.mish,
    "elu": functional.elu,
    "selu": functional.selu,
    "hardswish": functional.hardswish,
    "hardsigmoid": functional.hardsigmoid,
    "logsigmoid": functional.logsigmoid,
    "relu6": functional.relu6,
    "relu": torch.relu,
}
_SIGNS: dict[str, Function] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "not": lambda a: ~a,
    "negate": lambda a: -a,
}


class Decomposition:
    """A kernel as a function of tensors, by PyTorch's operators. Its results have the kernel's types and shapes."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._formulas = Formulas(kernel)
        self._known: list[tuple[int, Function]] = []
        for name, function in _KNOWN.items():
            try:
                known = compile(name, dtype=kernel.operands[0].dtype, tier="interpreter")
            except NotYetError:  # softmax has no float64
                continue
            self._known += [(place, function) for place in self._formulas.read(known).values()]
        is_double = any(o.dtype == "float64" for o in kernel.operands)
        self._work = torch.float64 if is_double else torch.float32

    def __call__(self, *tensors: torch.Tensor) -> Any:
        """Computes the results: one, or a tuple."""
        groups = self._kernel.input_groups
        i, matrix = next((i, g) for i, g in enumerate(groups) if g.shape == _call.MATRIX)
        shape = tensors[i].shape
        whole = (*shape[:-1], shape[-1] // matrix.parts) if shape else ()
        run = _Run(self._formulas, self._inputs(tensors, len(whole)), whole, self._full(tensors[i]), self._known)
        made = [self._result(group, run) for group in self._kernel.result_groups]
        return tuple(made) if len(made) > 1 else made[0]

    def _full(self, like: torch.Tensor) -> Function:
        """Returns the function that makes tensors of numbers. They come from a tensor, because DTensor asks where they lie."""
        return functools.partial(like.new_full, (), dtype=self._work)

    def _inputs(self, tensors: Sequence[torch.Tensor], axes: int) -> dict[str, torch.Tensor]:
        """Returns the value of each name, which is broadcast to the columns and to all leading axes."""
        found = {}
        for group, given in zip(self._kernel.input_groups, tensors, strict=True):
            tensor = given.unsqueeze(-1) if group.shape == _call.ROWS and given.dim() < axes else given
            for part, o in enumerate(self._names(group)):
                t = tensor
                if o.layout == "packed":
                    t = tensor.chunk(group.parts, -1)[part]
                elif o.layout == "interleaved":
                    t = tensor[..., part :: group.parts]
                found[o.name] = t if o.dtype == "float64" or group.is_seed else t.to(torch.float32)
        return found

    def _names(self, group: _call.Group) -> list[Operand]:
        place = self._kernel.groups.index(group)
        return [o for o in self._kernel.operands if o.group == place]

    def _result(self, group: _call.Group, run: "_Run") -> torch.Tensor:
        names = self._names(group)
        shape = _call.result_shape(group._replace(parts=1), run.whole)
        values = [_rounded(run.result(self._formulas.results[o.name], group, shape), group.code) for o in names]
        if len(values) == 1:
            return values[0]
        return torch.stack(values, -1).flatten(-2) if names[0].layout == "interleaved" else torch.cat(values, -1)


def _rounded(value: torch.Tensor, code: int) -> torch.Tensor:
    """Rounds a value to a type. Integers and types of 8 bits saturate."""
    dtype: torch.dtype = getattr(torch, CODE_NAMES[code])
    if not dtype.is_floating_point:
        limits = torch.iinfo(dtype)
        return torch.round(value).clamp(limits.min, limits.max).to(dtype)
    if dtype.itemsize == 1:
        value = value.clamp(-torch.finfo(dtype).max, torch.finfo(dtype).max)
    return value.to(dtype)


class _Run:
    """One computation. It computes each part once. Numbers stay numbers of Python as long as they can."""

    def __init__(
        self,
        formulas: Formulas,
        inputs: dict[str, torch.Tensor],
        whole: tuple[int, ...],
        full: Function,
        known: list[tuple[int, Function]],
    ) -> None:
        self.whole = whole
        self._formulas, self._inputs, self._full, self._known = formulas, inputs, full, known
        self._values: dict[int, Any] = {}

    def result(self, place: int, group: _call.Group, shape: tuple[int, ...]) -> torch.Tensor:
        """Computes a result. Where its formula is a sum over the rows, this sum stands alone."""
        node = self._formulas.nodes[place]
        if group.shape not in (_call.MATRIX, _call.ROWS) and node.kind == "call" and node.name in _OF_ROWS:
            value = self._filled(self._value(node.arguments[0]), self.whole)
            of_columns = group.shape == _call.COLS and self.whole
            function = _OF_ROWS[node.name]
            made: torch.Tensor = function(value.reshape(-1, self.whole[-1]), 0) if of_columns else function(value)
            return made
        return self._filled(self._value(place), shape)

    def _filled(self, value: Any, shape: tuple[int, ...]) -> torch.Tensor:
        """Returns a tensor of this shape that shares no memory with an input."""
        made: torch.Tensor = self._tensor(value)
        if tuple(made.shape) != tuple(shape):
            return made.expand(shape).clone()
        return made.clone() if any(made is t for t in self._inputs.values()) else made

    def _tensor(self, value: Any) -> torch.Tensor:
        return value if isinstance(value, torch.Tensor) else self._full(value)

    def _value(self, place: int) -> Any:
        if place not in self._values:
            self._values[place] = self._compute(place)
        return self._values[place]

    def _compute(self, place: int) -> Any:
        node = self._formulas.nodes[place]
        if node.kind == "number":
            return node.value
        if node.kind == "name":
            return self._columns() if node.name == "col" else self._inputs[node.name]
        for pattern, function in self._known:
            bound: dict[str, int] = {}
            if self._formulas.same(pattern, place, bound):
                return function(self._tensor(self._value(bound["x"])))
        values = [self._value(a) for a in node.arguments]
        if node.kind == "if":
            return torch.where(values[0], *[self._tensor(v) for v in values[1:]])
        return self._called(node.name, values) if node.kind == "call" else _SIGNS[node.kind](*values)

    def _columns(self) -> torch.Tensor:
        """Returns the numbers of the columns."""
        return self._counted(self.whole[-1] if self.whole else 1).to(torch.float32)

    def _rows(self, first: torch.Tensor) -> torch.Tensor:
        """Returns the numbers of the rows, which are signed integers of 32 bits, from the first one on."""
        signed = first.view(torch.int64) if first.dtype is torch.uint64 else first
        numbers = self._counted(math.prod(self.whole[:-1])) + signed.reshape(())
        return numbers.to(torch.int32).to(torch.float32).reshape((*self.whole[:-1], 1) if self.whole else ())

    def _counted(self, count: int) -> torch.Tensor:
        return torch.arange(count, device=self._full(0.0).device)

    def _called(self, name: str, values: list[Any]) -> Any:
        value = values[0]
        if name == "row":
            return self._rows(value)
        if name in _DRAWS:
            raise NotImplementedError(
                f"`{name}` draws its numbers in machine code, on CPUs and CUDA: PyTorch's own operators draw others"
            )
        if name in ("min", "max"):
            return functools.reduce(functools.partial(_limited, name), values)
        if name in _OF_ROWS:
            value = self._tensor(value)
            return _OF_ROWS[name](value.expand(self.whole) if self.whole else value, -1, keepdim=True)
        if name in TYPE_CODES:
            value = _rounded(self._tensor(value), TYPE_CODES[name])
            return value if value.dtype in (torch.float32, torch.float64) else value.to(torch.float32)
        if isinstance(value, float) and name == "sqrt":  # as in sqrt(2/pi)
            return math.sqrt(value) if value >= 0 else math.nan
        return _FUNCTIONS.get(name, getattr(torch, name, None))(self._tensor(value))  # type: ignore[misc]


def _limited(name: str, a: Any, b: Any) -> Any:
    """Returns the lesser or the greater of two values. NaN stays NaN."""
    if isinstance(a, float) and isinstance(b, float):
        return min(a, b) if name == "min" else max(a, b)
    if isinstance(a, float):
        a, b = b, a
    if isinstance(b, float):
        return torch.clamp(a, max=b) if name == "min" else torch.clamp(a, min=b)
    return torch.minimum(a, b) if name == "min" else torch.maximum(a, b)
