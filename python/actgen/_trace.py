"""Traces a Python function: records the expressions that it makes, each with its place in Python."""

import linecache
import math
import numbers
import operator
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from . import errors
from ._approximate import approximated

_package = str(Path(__file__).parent)


class Place(NamedTuple):
    """A range of columns (from 0, in bytes) in a line of a Python file. Columns of -1 are unknown."""

    file: str
    line: int
    begin: int
    end: int


def here() -> Place:
    """Returns the place in the caller's Python, outside this package, that is being executed."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_package):
        frame = frame.f_back
    line, begin, end = frame.f_lineno, -1, -1
    if hasattr(frame.f_code, "co_positions"):  # from Python 3.11 on
        first, last, left, right = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        if first is not None and left is not None and right is not None:
            line, begin, end = first, left, right if first == last else -1
    return Place(frame.f_code.co_filename, line, begin, end)


def error_at(
    place: Place, message: str, kind: type[errors.Error] = errors.SpecError, status: str = "syntax error"
) -> errors.Error:
    """Returns an exception that points at a place in Python."""
    lines = [line.rstrip("\n") for line in linecache.getlines(place.file)]
    if not 0 < place.line <= len(lines):  # such as code from a prompt that keeps no history
        return kind(status, f"{place.file}:{place.line}: {message}")
    text = lines[place.line - 1].encode()
    begin = place.begin if place.begin >= 0 else len(text) - len(text.lstrip())
    end = place.end if place.end > begin else len(text.rstrip())
    offset = sum(len(line.encode()) + 1 for line in lines[: place.line - 1]) + begin
    return kind(status, message, (place.line, begin + 1, offset, end - begin), "\n".join(lines), place.file)


def _refuse(message: str) -> NoReturn:
    raise error_at(here(), message)


# NumPy's functions that are operators here, and those that have other names in the language.
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,
    "float_power": operator.pow,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "negative": operator.neg,
    "logical_and": operator.and_,
    "bitwise_and": operator.and_,
    "logical_or": operator.or_,
    "bitwise_or": operator.or_,
    "logical_not": operator.invert,
    "invert": operator.invert,
}
_OTHER_NAMES = {
    "absolute": "abs",
    "fabs": "abs",
    "maximum": "max",
    "minimum": "min",
    "rint": "round",
    "arctan": "atan",
    "arcsinh": "asinh",
}


class _OfNumpy:
    """Translates NumPy's functions: `numpy.exp(x)` is the language's `exp(x)`, and `numpy.float32(2) * x` is a product."""

    def __array_ufunc__(self, ufunc: Any, method: str, *arguments: Any, **options: Any) -> Any:
        name = str(ufunc.__name__)
        if method != "__call__" or options:
            _refuse(f"numpy.{name} is understood with arguments alone")
        if name in _OPERATORS:
            first = arguments[0] if isinstance(arguments[0], Condition) else lifted(arguments[0])
            return _OPERATORS[name](first, *arguments[1:])
        return Function(_OTHER_NAMES.get(name, name), "")(*arguments)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function is np.where and len(arguments) == 3:
            return where(*arguments)
        if function is np.clip and len(arguments) == 3:
            return Function("clamp", "")(*arguments)
        _refuse(
            f"numpy.{function.__name__} is no function of the language, whose functions are those of actgen.functions()"
        )

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        name = getattr(function, "__name__", str(function))
        _refuse(f"{name} of PyTorch is of tensors; take the function of that name in actgen, as in actgen.exp(x)")


class Value(_OfNumpy):
    """A number that depends on operands. Arithmetic and functions of `actgen` make it from arguments of a traced function.

    `form` is its text with {} for each argument.
    """

    __hash__ = object.__hash__

    def __init__(self, form: str, *arguments: "Value") -> None:
        self.form, self.arguments, self.place = form, arguments, here()

    def __repr__(self) -> str:
        return "<a value in a formula, for functions with @actgen.jit>"

    def __add__(self, other: Any) -> "Value":
        return Value("({} + {})", self, lifted(other))

    def __radd__(self, other: Any) -> "Value":
        return Value("({} + {})", lifted(other), self)

    def __sub__(self, other: Any) -> "Value":
        return Value("({} - {})", self, lifted(other))

    def __rsub__(self, other: Any) -> "Value":
        return Value("({} - {})", lifted(other), self)

    def __mul__(self, other: Any) -> "Value":
        return Value("({} * {})", self, lifted(other))

    def __rmul__(self, other: Any) -> "Value":
        return Value("({} * {})", lifted(other), self)

    def __truediv__(self, other: Any) -> "Value":
        return Value("({} / {})", self, lifted(other))

    def __rtruediv__(self, other: Any) -> "Value":
        return Value("({} / {})", lifted(other), self)

    def __pow__(self, other: Any) -> "Value":
        return Value("({} ^ {})", self, lifted(other))

    def __rpow__(self, other: Any) -> "Value":
        return Value("({} ^ {})", lifted(other), self)

    def __neg__(self) -> "Value":
        return Value("(-{})", self)

    def __pos__(self) -> "Value":
        return self

    def __abs__(self) -> "Value":
        return Value("abs({})", self)

    def __floor__(self) -> "Value":
        return Value("floor({})", self)

    def __round__(self, digits: int | None = None) -> "Value":
        if digits:
            _refuse("only round(x), to the nearest integer, is a function of the language")
        return Value("round({})", self)

    def __lt__(self, other: Any) -> "Condition":
        return Condition("{} < {}", self, lifted(other))

    def __le__(self, other: Any) -> "Condition":
        return Condition("{} <= {}", self, lifted(other))

    def __gt__(self, other: Any) -> "Condition":
        return Condition("{} > {}", self, lifted(other))

    def __ge__(self, other: Any) -> "Condition":
        return Condition("{} >= {}", self, lifted(other))

    def __eq__(self, other: Any) -> "Condition":  # type: ignore[override]
        return Condition("{} == {}", self, lifted(other))

    def __ne__(self, other: Any) -> "Condition":  # type: ignore[override]
        return Condition("{} != {}", self, lifted(other))

    def __bool__(self) -> bool:
        _refuse("a value of operands is no condition")

    def __float__(self) -> float:
        _refuse("this function of another library wants a number; take the function of that name in actgen")

    __int__ = __index__ = __float__  # type: ignore[assignment]


class Condition(_OfNumpy):
    """A comparison of values, for `actgen.where`. `&`, `|` and `~` combine conditions."""

    __hash__ = object.__hash__

    def __init__(self, form: str, *arguments: "Value | Condition") -> None:
        self.form, self.arguments, self.place = form, arguments, here()

    def __and__(self, other: "Condition") -> "Condition":
        return Condition("({} and {})", self, other)

    def __or__(self, other: "Condition") -> "Condition":
        return Condition("({} or {})", self, other)

    def __invert__(self) -> "Condition":
        return Condition("(not {})", self)

    def __bool__(self) -> bool:
        _refuse(
            "a condition on operands is not known while the function is traced: write actgen.where(condition, a, b), "
            "and actgen.max and actgen.min for those of Python"
        )


def lifted(value: Any) -> Value:
    """Returns a number as a constant, and a Value as it is. Raises SpecError, at the place in Python, for anything else."""
    if isinstance(value, Value):
        return value
    if isinstance(value, numbers.Rational):
        text = str(value) if value.denominator == 1 else f"({value})"
        return Value(f"({text})" if value < 0 else text)
    if isinstance(value, numbers.Real) and not math.isnan(value):
        return Value(f"({float(value)!r})" if value < 0 else f"{float(value)!r}")
    item = getattr(value, "item", None)
    if item is not None and not getattr(value, "shape", ()):  # a number of another library
        return lifted(item())
    _refuse(f"{type(value).__name__} is no scalar that a formula can hold")


class Function:
    """A function of the language for traced functions: `actgen.sigmoid(x)`, `actgen.leaky_relu(x, slope=0.2)`."""

    def __init__(self, name: str, definition: str) -> None:
        self.__name__, self.__doc__ = name, definition

    def __call__(self, *arguments: Any, approximate: bool | str | None = None, **parameters: Any) -> Value:
        """Returns the function's value. Keyword arguments are its parameters. gelu has `approximate`, as in PyTorch and JAX."""
        function = approximated(self.__name__, approximate)
        for argument in (*arguments, *parameters.values()):
            if getattr(argument, "shape", ()) or isinstance(argument, (list, tuple)):
                name = self.__name__
                raise TypeError(
                    f"actgen.{name} makes formulas in functions for @actgen.jit; of arrays, actgen.compile({name!r})"
                )
        holes = ", ".join(["{}"] * len(arguments) + [f"{name} = {{}}" for name in parameters])
        return Value(f"{function}({holes})", *map(lifted, (*arguments, *parameters.values())))

    def __repr__(self) -> str:
        return f"<function {self.__name__} of the language>"


def where(condition: Condition, yes: Any, no: Any) -> Value:
    """Returns `yes` where `condition` holds, else `no`, in traced functions."""
    if not isinstance(condition, Condition):
        _refuse("the first argument of actgen.where is a comparison of values")
    value = Value("(if {} then {} else {})")
    value.arguments = (condition, lifted(yes), lifted(no))  # type: ignore[assignment]
    return value


class Statements:
    """Values as statements of the language, one per line, with the place in Python that each line comes from."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.lines: list[str] = []
        self.places: list[Place] = []
        self._names: dict[int, str] = {}
        self._kept: list[Value] = []  # keeps objects alive, so that no id() is used twice
        self._taken = set(taken)

    def name_of(self, value: "Value | Condition") -> str:
        """Adds the statements of a value, and returns its name or number. Returns the text of a condition."""
        if id(value) in self._names:
            return self._names[id(value)]
        text = value.form.format(*(self.name_of(a) for a in value.arguments))
        if isinstance(value, Condition) or not value.arguments:
            return text
        name = f"v{len(self.lines)}"
        while name in self._taken:
            name += "_"
        self._names[id(value)] = name
        self._kept.append(value)
        self.add(name, text, value.place)
        return name

    def add(self, name: str, text: str, place: Place) -> None:
        """Adds the statement `name = text`."""
        self.lines.append(f"    {name} = {text}")
        self.places.append(place)
