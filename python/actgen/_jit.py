"""Implements @actgen.jit, which turns a Python function of scalars into a kernel on arrays."""

import functools
import inspect
import linecache
import reprlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, get_origin, overload

import numpy as np

from . import errors
from ._arrays import NUMBERS, view
from ._compile import builtins, compile
from ._entry import entry
from ._kernel import Kernel
from ._library import CODE_NAMES, TYPE_CODES, TYPE_NAMES, type_name
from ._trace import Function, Place, Statements, Value, error_at, lifted, where

_defaults = {
    "min": "the smallest of its arguments",
    "max": "the largest of its arguments",
    "clamp": "clamp(x, low, high)",
}


@functools.cache
def functions() -> dict[str, Function]:
    """Returns the functions of the language by name: the elementary functions and the built-in activations."""
    found = {b.name: b.definition for b in builtins()}
    return {name: Function(name, text) for name, text in {**found, **_defaults}.items()}


P = ParamSpec("P")

if TYPE_CHECKING:  # a type checker finds the attributes, and would take every misspelt name for one of __getattr__

    class _OfKernel(Kernel):
        pass
else:

    class _OfKernel:
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return getattr(self.kernel, name)


class Jitted(_OfKernel, Generic[P]):
    """A traced function with the parameters P.

    A call on arrays compiles a kernel for their types and shapes, once per combination. Every other attribute (`certificate`,
    `verify`, `gradient`, ...) is that of `kernel`.
    """

    __name__: str
    operands: tuple[str, ...]  # type: ignore[assignment]

    def __init__(self, function: Callable[P, Any], dtype: Any, options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function: Callable[..., Any] = function
        self._options, self._kernels = options, dict[tuple[str, ...], Kernel]()
        self._dtype = TYPE_NAMES[type_name(dtype)]
        self._name = self.__name__ if self.__name__.isidentifier() else "traced"
        self._place = _definition(function)
        parameters = inspect.signature(function).parameters.values()
        names = [p.name for p in parameters if p.default is p.empty]
        self.operands = tuple(names)  # pyright: ignore[reportIncompatibleVariableOverride]
        self._results, self._statements = self._trace()
        self._declared = {p.name: self._annotation(p.annotation) for p in parameters if p.name in self.operands}
        self._result_type = self._annotation(inspect.signature(function).return_annotation)

    def _annotation(self, annotation: Any) -> str:
        """Returns the type of an annotation: "bf16[cols]" for "bfloat16[cols]". Returns "" for those that leave it open."""
        if isinstance(annotation, str):
            annotation = self._evaluated(annotation)
        if annotation in (inspect.Parameter.empty, float, Any) or _is_array_type(annotation):
            return ""
        kind, bracket, shape = annotation.partition("[") if isinstance(annotation, str) else (annotation, "", "")
        try:
            return type_name(kind) + bracket + shape
        except ValueError as error:
            raise error_at(self._place, str(error)) from None

    def _evaluated(self, annotation: str) -> Any:
        """Returns what the text of an annotation means in Python, or the text if it is of the language, as "f32[cols]"."""
        try:
            return eval(annotation, self._function.__globals__)
        except (NameError, TypeError, SyntaxError, AttributeError):
            return annotation

    def _trace(self) -> tuple[list[str], Statements]:
        """Returns the names of the results, and the statements that make them."""
        statements = Statements(self.operands)
        made = self._function(*(Value(name) for name in self.operands))
        if isinstance(made, dict):
            named = {str(name): lifted(value) for name, value in made.items()}
        else:
            many = list(made) if isinstance(made, (tuple, list)) else [made]
            names = ["y"] if len(many) == 1 else [f"y{i}" for i in range(len(many))]
            if made is None:
                raise error_at(self._place, f"{self._name} returns nothing")
            named = {
                name if name not in self.operands else name + "_": lifted(v)
                for name, v in zip(names, many, strict=True)
            }
        for value in named.values():
            statements.name_of(value)
        for name, value in named.items():
            statements.add(name, statements.name_of(value), value.place)
        return list(named), statements

    @entry
    def spec(self, *types: str) -> str:  # type: ignore[override]
        """Returns the text of the kernel in the language. `types` are those of its operands, such as "f32[cols]"."""
        types = types or tuple(self._declared[name] or type_name(self._dtype) for name in self.operands)
        result = self._result_type or next((t for t in types if "[" not in t), types[0].partition("[")[0])
        inputs = ", ".join(f"{name}: {kind}" for name, kind in zip(self.operands, types, strict=True))
        results = ", ".join(f"{name}: {result}" for name in self._results)
        body = "\n".join(self._statements.lines)
        return f"kernel {self._name}({inputs}) -> ({results}) {{\n{body}\n}}\n"

    @entry
    def compile(self, *types: str) -> Kernel:
        """Returns the kernel for operands of types such as "f32", "f32[cols]", "f32[]". Errors point at lines of Python."""
        if types not in self._kernels:
            try:
                self._kernels[types] = compile(spec=self.spec(*types), **self._options)
            except errors.Error as error:
                raise self._in_python(error) from None
        return self._kernels[types]

    def _in_python(self, error: errors.Error) -> errors.Error:
        """Returns the exception with the place in Python that its place in the text came from."""
        if error.line and error.file == "<accuracy>":
            return error
        line = error.line - 2  # the index of the statement, which comes after the head
        places = self._statements.places
        place = places[line] if 0 <= line < len(places) else self._place
        return error_at(place, error.message, type(error), error.status)

    @property
    @entry
    def kernel(self) -> Kernel:
        """The kernel for the annotated types. Operands without annotation are [rows, cols] of the decorator's dtype."""
        return self.compile()

    @overload  # type: ignore[override]
    def __call__(self, *arrays: P.args, **named: P.kwargs) -> Any: ...
    @overload
    def __call__(self, *arrays: Any, out: Any, threads: int | None = 1, **named: Any) -> Any: ...
    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload] - without `out`
        self, *arrays: Any, threads: int | None, **named: Any
    ) -> Any: ...
    @entry  # type: ignore[misc]
    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = 1, **named: Any) -> Any:
        """Applies the function to each element.

        Operands are broadcast as by NumPy. If one has the shape [..., rows, cols], the others have this shape, [cols] or
        [..., rows, 1], or are single numbers. Kernel.__call__ has the other arguments.
        """
        given = dict(zip(self.operands, arrays))  # noqa: B905 - there may be fewer
        ordered = [{**named, **given}.get(name) for name in self.operands]
        if any(value is None for value in ordered) or len(arrays) + len(named) != len(ordered):
            raise TypeError(f"{self._name}({', '.join(self.operands)}) takes {len(ordered)} operands, each once")
        return self.compile(*self._types(ordered))(*ordered, out=out, threads=threads)

    def _types(self, arrays: Sequence[Any]) -> tuple[str, ...]:
        """Returns the types and shapes of operands, where annotations leave them open."""
        views = [view(a, TYPE_CODES[type_name(self._dtype)]) for a in arrays]
        whole = np.broadcast_shapes(*(v.shape for v in views))
        first = next((v.code for v, a in zip(views, arrays, strict=True) if not isinstance(a, NUMBERS)), None)
        types = []
        for name, v, array in zip(self.operands, views, arrays, strict=True):
            code = first if first is not None and isinstance(array, NUMBERS) else v.code
            shape = _shape_of(v.shape, whole)
            if shape is None:
                raise ValueError(
                    f"operand `{name}` has shape {list(v.shape)}, which is no row, column or whole of {list(whole)}"
                )
            types.append(self._declared[name] or type_name(CODE_NAMES[code]) + shape)
        return tuple(types)


def kernel_of(what: Kernel | Jitted[...]) -> Kernel:
    """Returns a kernel, or the kernel of a traced function. Raises TypeError for anything else, such as a name."""
    if isinstance(what, Kernel):
        return what
    if not isinstance(what, Jitted):
        raise TypeError(f"{reprlib.repr(what)} is no kernel; actgen.compile(...) makes one")
    return what.kernel


def _is_array_type(annotation: Any) -> bool:
    """Returns True for classes of arrays, such as numpy.ndarray, and False for types of elements."""
    kind = get_origin(annotation) or annotation
    if hasattr(kind, "__value__"):  # an alias by Python's statement `type`, as NumPy's NDArray is from 2.5 on
        kind = get_origin(kind.__value__) or kind.__value__
    return isinstance(kind, type) and hasattr(kind, "__array__") and not issubclass(kind, np.generic)


def _definition(function: Callable[..., Any]) -> Place:
    """Returns the line of `def`, which stands below the decorators, or of the lambda."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    decorators = next((i for i, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    below = decorators if lines and lines[0].lstrip().startswith("@") else 0
    return Place(code.co_filename, code.co_firstlineno + below, -1, -1)


def _shape_of(shape: tuple[int, ...], whole: tuple[int, ...]) -> str | None:
    """Returns the language's name for a shape that is broadcast to `whole`, or None if there is none."""
    if shape == whole:
        return ""
    if all(size == 1 for size in shape):
        return "[]"
    if shape[-1] == whole[-1] and all(size == 1 for size in shape[:-1]):
        return "[cols]"
    return "[rows]" if shape == (*whole[:-1], 1) else None


@overload
def jit(function: Callable[P, Any], *, dtype: Any = ..., **options: Any) -> Jitted[P]: ...
@overload
def jit(function: None = None, *, dtype: Any = ..., **options: Any) -> Callable[[Callable[P, Any]], Jitted[P]]: ...
@entry
def jit(function: Callable[..., Any] | None = None, *, dtype: Any = "float32", **options: Any) -> Any:
    """Makes kernels from a Python function of scalars, which is called once, with symbols:

        @actgen.jit
        def swish(x, beta):
            return x * actgen.sigmoid(beta * x)

        swish(x, 1.7)

    The function may use arithmetic, comparisons with `actgen.where`, and the functions of the language (`actgen.exp`,
    `actgen.gelu`, ...). Parameters with a default are constants. The function returns a value, a tuple, or a dict of named
    results. Types and shapes come from the arrays of a call, or from annotations such as `"bfloat16"`, `"f32[cols]"`. The
    annotations `float`, `Any` and those of arrays leave them open.

    Args:
        function: the decorated function.
        dtype: the type of operands without annotation where there is no array, as in `swish.certificate`.
        options: the options of `actgen.compile`: accuracy, isa, ...

    Raises:
        SpecError: the function does something that a formula cannot express. The message points at the line of Python.
    """
    if function is not None and not inspect.isroutine(function):
        raise TypeError(f"jit is for functions of Python, and not {function!r}; actgen.compile makes kernels from text")
    if function is None:
        return functools.partial(jit, dtype=dtype, **options)
    return Jitted(function, dtype, options)


__all__ = ["Jitted", "functions", "jit", "where"]
