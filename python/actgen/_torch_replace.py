"""Implements actgen.torch.replace: gives the modules of a model a forward by kernels, and takes it back."""

import copy
import functools
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch import nn

from ._entry import entry
from ._torch_rewrite import Make, Unreadable, has_source, may_call, rewritten
from ._torch_table import (
    ACT_METHODS,
    DEFAULTS,
    METHODS,
    REASONS,
    Left,
    Table,
    What,
    check_table,
    fits,
    in_place,
    is_activation,
    name_of,
    what_of,
)


class Replacement(NamedTuple):
    """A module or a method that runs kernels now: its path in the model, what it was, and what it is."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before} -> {self.after}"


class Kept(NamedTuple):
    """An activation that was seen and left: its path in the model, what it is, and the reason."""

    path: str
    what: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what} is left: {self.reason}"


class Replacements(list[Replacement]):
    """The replacements of a model, in its order. `left` has the activations that were seen and left."""

    def __init__(self) -> None:
        super().__init__()
        self.left: list[Kept] = []
        self._undo: list[tuple[nn.Module, str, Any]] = []

    def undo(self) -> None:
        """Gives the modules back what they did before. Later changes of the same methods by others stay."""
        for module, name, ours in self._undo:
            if vars(module).get(name) is ours:
                delattr(module, name)
        self._undo.clear()
        self.clear()

    def put(self, module: nn.Module, name: str, ours: Any) -> None:
        """Sets a method of one module."""
        setattr(module, name, ours)
        self._undo.append((module, name, ours))


class _Method:
    """A method of one module, which is made when it is called first. It is copied and pickled with its module."""

    def __init__(self, module: nn.Module, name: str, recipe: dict[str, Any]) -> None:
        self.module, self.name, self.recipe = module, name, recipe
        self.function: Callable[..., Any] | None = None

    def __call__(self, *given: Any, **named: Any) -> Any:
        function = self.function
        if function is None:
            function = self.function = _function_of(self)
        if torch.compiler.is_compiling():
            return function(self.module, *given, **named)
        return _called(function, self.module, *given, **named)

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Method":
        return _Method(copy.deepcopy(self.module, memo), self.name, self.recipe)

    def __reduce__(self) -> tuple[Any, ...]:
        return _empty_method, (self.name, self.recipe), {"module": self.module}


@entry
def _called(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    return function(*given, **named)


def _empty_method(name: str, recipe: dict[str, Any]) -> _Method:
    method = _Method.__new__(_Method)
    method.name, method.recipe, method.function = name, recipe, None
    return method


def _function_of(method: _Method) -> Callable[..., Any]:
    from .torch import operator_of

    make = functools.partial(operator_of, accuracy=method.recipe["accuracy"])
    kind = type(method.module)
    if "what" in method.recipe:
        return _applied(getattr(kind, method.name), method.recipe["what"], make)
    found = rewritten(getattr(kind, method.name), method.recipe["acts"], make)
    assert found is not None
    return found[0]  # type: ignore[no-any-return]


def _applied(original: Callable[..., Any], what: What, make: Make) -> Callable[..., Any]:
    """Returns the forward of an activation. Other arguments than one tensor on the CPU go to the original."""
    operator = make(what)
    names = what["parametrized"].parameters if "parametrized" in what else ()

    def forward(module: nn.Module, *given: Any, **named: Any) -> Any:
        if len(given) == 1 and not named and fits(given[0]):
            if not names:
                return in_place(operator, given[0]) if getattr(module, "inplace", False) else operator(given[0])
            parameters = [getattr(module, name) for name in names]
            if all([p.dtype == given[0].dtype for p in parameters]):
                return operator(given[0], *parameters)
        return original(module, *given, **named)

    return forward


def _methods(kind: type) -> Iterable[tuple[str, types.FunctionType]]:
    """Lists the methods of a class that are not PyTorch's own."""
    seen = set()
    for base in kind.__mro__:
        if base.__module__.partition(".")[0] in ("torch", "builtins"):
            continue
        for name, found in vars(base).items():
            if name in seen or name.startswith("__"):
                continue
            seen.add(name)
            if isinstance(found, types.FunctionType):
                yield name, found


def _has_hooks(module: nn.Module) -> bool:
    hooks = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return any(getattr(module, name, None) for name in hooks)


class _Walk:
    """A walk over the modules of a model."""

    def __init__(self, table: Table, accuracy: str | None, make: Make, describe: Callable[[What], str]) -> None:
        self.table, self.accuracy, self.make, self.describe = table, accuracy, make, describe
        self.found = Replacements()

    def _leave(self, path: str, what: str, reason: str) -> None:
        self.found.left.append(Kept(path, what, reason))

    def _what(self, module: nn.Module) -> What | None:
        try:
            return what_of(module, self.table)
        except Left:
            return None

    def visit(self, path: str, module: nn.Module) -> None:
        if isinstance(vars(module).get("forward"), _Method):
            return  # it was replaced before
        try:
            what = what_of(module, self.table)
        except Left as left:
            self._leave(path, type(module).__name__, str(left))
            return
        if what is not None:
            self._replace_whole(path, module, what)
        elif is_activation(module) or type(module) in REASONS:
            known = any(kind in self.table for kind in type(module).__mro__)
            reason = REASONS.get(type(module), f"it has no entry; a table {{{type(module).__name__}: ...}} gives one")
            self._leave(path, type(module).__name__, "the table keeps it" if known else reason)
        else:
            self._rewrite_methods(path, module)

    def _replace_whole(self, path: str, module: nn.Module, what: What) -> None:
        name = type(module).__name__
        if "forward" in vars(module):
            self._leave(path, name, "its forward was set on the module itself before")
            return
        self._put_whole(path, module, name, "forward", what)

    def _put_whole(self, path: str, module: nn.Module, label: str, name: str, what: What) -> None:
        self.make(what)  # raises the exceptions of compile
        self.found.put(module, name, _Method(module, name, {"what": what, "accuracy": self.accuracy}))
        self.found.append(Replacement(path, label, self.describe(what)))

    def _acts(self, module: nn.Module) -> dict[str, What]:
        """Returns the activations among the submodules that a gate may take over: those without hooks, and not in place."""
        children = {
            name: child
            for name, child in module.named_children()
            if not (_has_hooks(child) or "forward" in vars(child) or getattr(child, "inplace", False))
        }
        found = {name: self._what(child) for name, child in children.items()}
        for kind in type(module).__mro__:
            own = {name: ACT_METHODS.get(f"{name_of(kind)}.{name}") for name in vars(kind)}
            found.update({name: {"name": act} for name, act in own.items() if act})
        return {name: what for name, what in found.items() if what is not None}

    def _known(self, module: nn.Module, name: str, function: types.FunctionType) -> What | None:
        """Returns what a method computes that is known by its name and source."""
        for kind in type(module).__mro__:
            source, make = METHODS.get(f"{name_of(kind)}.{name}", (None, None))
            if source is not None and make is not None and has_source(function, source):
                return make(module)
        return None

    def _rewrite_methods(self, path: str, module: nn.Module) -> None:
        acts: dict[str, What] | None = None
        attributes = tuple(name for name, _ in module.named_children())
        for name, function in _methods(type(module)):
            if not may_call(function, attributes):
                continue
            acts = self._acts(module) if acts is None else acts
            label = f"{type(module).__name__}.{name}"
            known = self._known(module, name, function) if name not in vars(module) else None
            if known:
                self._put_whole(path, module, label, name, known)
                continue
            try:
                made = rewritten(function, acts, self.make) if name not in vars(module) else None
            except Unreadable as reason:
                if may_call(function, tuple(acts)):
                    self._leave(path, label, str(reason))
                continue
            if made:
                method = _Method(module, name, {"acts": acts, "accuracy": self.accuracy})
                method.function = made[0]
                self.found.put(module, name, method)
                self.found.append(Replacement(path, label, ", ".join(made[1])))


def replace_activations(
    model: nn.Module,
    table: Table | None,
    accuracy: str | None,
    make: Make,
    describe: Callable[[What], str],
) -> Replacements:
    """Replaces activations for actgen.torch.replace. `make` makes operators, and `describe` texts, of what computes the same."""
    walk = _Walk({**DEFAULTS, **(table or {})}, accuracy, make, describe)
    check_table(walk.table)
    for path, module in list(model.named_modules()):
        walk.visit(path, module)
    return walk.found
