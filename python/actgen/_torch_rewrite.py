"""Rewrites methods of modules so that they call kernels, by their source.

In a method such as Llama's `self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))`, the product of an activation and
another tensor becomes one call of a gate, and functions such as `torch.nn.functional.gelu` become calls of kernels. Everything
else stays, and no method runs while it is rewritten.
"""

import ast
import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from ._torch_table import FUNCTIONS, What, fits, in_place

_Within = tuple[types.FunctionType, ...]
Make = Callable[[What], Any]  # makes an operator from the arguments of `activation`

# Built-in gates, by the activation of the gate.
_GATES = {"silu": "swiglu", "gelu": "geglu", "gelu_tanh": "geglu_tanh", "relu": "reglu", "sigmoid": "glu"}
_OWN = "_actgen_"  # begins the names that rewritten methods get


class Unreadable(Exception):
    """The reason why a method cannot be rewritten."""


def gate_of(what: What) -> What | None:
    """Returns the arguments of `activation` for the gate of an activation."""
    if set(what) == {"name"} and what["name"] in _GATES:
        return {"name": _GATES[what["name"]]}
    if set(what) == {"name"} or set(what) == {"formula"}:
        return {"gate_of": what.get("name", what.get("formula"))}
    return None


class Gate:
    """The product of an activation and another tensor. Where the tensors do not fit each other, it takes two steps."""

    def __init__(self, what: What, operator: Any) -> None:
        self.what, self.operator = what, operator

    def __call__(self, *, gate: Any, up: Any, act: Callable[..., Any]) -> Any:
        if fits(gate) and fits(up) and gate.dtype == up.dtype and gate.shape == up.shape:
            return self.operator(gate, up)
        return act(gate) * up


class Twin:
    """A function of torch.nn.functional by kernels, one for each set of parameters."""

    def __init__(self, function: Callable[..., Any], make: Make) -> None:
        self.function, self._make, self._operators = function, make, dict[Any, Any]()

    def __call__(self, *given: Any, **named: Any) -> Any:
        if not given or not fits(given[0]):
            return self.function(*given, **named)
        key = (given[1:], tuple(named.items()))
        operator = self._operators.get(key)
        if operator is None:
            operator = self._operators[key] = self._make(FUNCTIONS[self.function](*given[1:], **named))
        return in_place(operator, given[0]) if named.get("inplace") else operator(given[0])


class SelfGated:
    """The product x*sigmoid(beta*x). A tensor that does not fit is computed as it was."""

    def __init__(self, beta: float, operator: Any) -> None:
        self.beta, self.operator = beta, operator

    def __call__(self, x: Any) -> Any:
        return self.operator(x) if fits(x) else x * torch.sigmoid(self.beta * x)


@functools.cache
def _parsed(code: types.CodeType) -> tuple[str, int]:
    """Returns the source of a function and the number of its first line. Raises Unreadable."""
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError) as problem:
        raise Unreadable(f"its source cannot be read ({problem})") from None
    # A method's lines stay indented, because they may have strings of several lines.
    return ("if True:\n" if lines[0][:1].isspace() else "") + "".join(lines), first


def _tree(function: types.FunctionType) -> ast.FunctionDef:
    source, first = _parsed(function.__code__)
    try:
        tree = ast.parse(source).body[0]
    except SyntaxError:
        raise Unreadable("its source is not that of one function") from None
    if isinstance(tree, ast.If):
        first, tree = first - 1, tree.body[0]
    if not isinstance(tree, ast.FunctionDef) or tree.name != function.__code__.co_name:
        raise Unreadable("its source is not that of one function")
    tree.decorator_list = []  # they were applied to the function, which is what is rewritten
    ast.increment_lineno(tree, first - 1)
    return tree


def has_source(function: types.FunctionType, source: str) -> bool:
    """Returns True if a function has this source, apart from comments and its documentation."""
    try:
        mine = _tree(function)
    except Unreadable:
        return False
    if ast.get_docstring(mine) is not None:
        del mine.body[0]
    return ast.dump(mine) == ast.dump(ast.parse(source).body[0])


def _code_of(tree: ast.FunctionDef, free: Sequence[str], filename: str) -> types.CodeType:
    """Compiles a function whose free variables are `free`."""
    tree.args.defaults = [ast.copy_location(ast.Constant(None), d) for d in tree.args.defaults]
    tree.args.kw_defaults = [d and ast.copy_location(ast.Constant(None), d) for d in tree.args.kw_defaults]
    for argument in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs, tree.args.vararg, tree.args.kwarg):
        if argument is not None:
            argument.annotation = None
    tree.returns = None
    arguments = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
    outer = ast.FunctionDef("outer", arguments, [tree], [], None)
    if "type_params" in ast.FunctionDef._fields:
        outer.type_params = []  # type: ignore[attr-defined]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    made = next(c for c in compile(module, filename, "exec").co_consts if isinstance(c, types.CodeType))
    return next(c for c in made.co_consts if isinstance(c, types.CodeType) and c.co_name == tree.name)


def _cells(function: types.FunctionType) -> dict[str, Any]:
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _said_by(code: types.CodeType) -> tuple[Any, ...]:
    """Returns the names and constants of a function. Its instructions also depend on the imports of its file."""
    constants = [c for c in code.co_consts if not isinstance(c, types.CodeType)]
    return code.co_names, code.co_varnames, code.co_freevars, constants


def _check_source(function: types.FunctionType) -> None:
    """Raises Unreadable if the source compiles to other code than the function has, as after an edit of the file."""
    code = function.__code__
    if _said_by(_code_of(_tree(function), code.co_freevars, code.co_filename)) != _said_by(code):
        raise Unreadable("its source is not that of its code")


def _resolved(node: ast.expr, function: types.FunctionType, local: set[str]) -> Any:
    """Returns the object that `nn.functional.gelu` or `F.gelu` names in the function, or None."""
    if isinstance(node, ast.Name):
        return None if node.id in local else function.__globals__.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _resolved(node.value, function, local)
        return getattr(owner, node.attr, None) if isinstance(owner, types.ModuleType) else None
    return None


class _Rewriting(ast.NodeTransformer):
    """Replaces products and functions in the tree of a method. `acts` has the activations among a module's attributes."""

    def __init__(self, function: types.FunctionType, acts: dict[str, What], make: Make, within: _Within) -> None:
        self.function, self.acts, self.make, self.within = function, acts, make, within
        code = function.__code__
        self.local = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        self.itself = code.co_varnames[0] if code.co_argcount else None
        self.constants: dict[str, Any] = {}
        self.said: list[str] = []
        self.deferred: dict[str, tuple[What, ast.expr]] = {}

    def _constant(self, value: Any) -> ast.expr:
        name = f"{_OWN}{len(self.constants)}"
        self.constants[name] = value
        return ast.Name(name, ast.Load())

    def _function(self, node: ast.expr) -> Any:
        found = _resolved(node, self.function, self.local)
        try:
            return found if found in FUNCTIONS else None
        except TypeError:  # it has no hash
            return None

    def _activation(self, node: ast.expr) -> tuple[What, ast.expr, ast.expr] | None:
        """Returns what a call of an activation computes, its function, and its argument."""
        if isinstance(node, ast.Name) and node.id in self.deferred:
            return (*self.deferred[node.id], node)
        if not isinstance(node, ast.Call) or len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
            return None
        called, argument = node.func, node.args[0]
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == self.itself:
            what = self.acts.get(called.attr)
            return (what, called, argument) if what and not node.keywords else None
        function = self._function(called)
        if function is None or not all(k.arg and isinstance(k.value, ast.Constant) for k in node.keywords):
            return None
        named = {str(k.arg): k.value.value for k in node.keywords if isinstance(k.value, ast.Constant)}
        if named.get("inplace"):
            return None
        act = self._constant(functools.partial(Twin(function, self.make), **named))
        return FUNCTIONS[function](**named), act, argument

    def _self_gated(self, node: ast.BinOp) -> ast.expr | None:
        """Returns the call for `x * torch.sigmoid(1.702 * x)`, where x is a local variable."""
        call, x = node.right, node.left
        if not (isinstance(x, ast.Name) and isinstance(call, ast.Call) and len(call.args) == 1) or call.keywords:
            return None
        if _resolved(call.func, self.function, self.local) not in (torch.sigmoid, functional.sigmoid):
            return None
        argument = call.args[0]
        inner, beta = argument, 1.0
        if isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Mult):
            if isinstance(argument.left, ast.Constant) and isinstance(argument.left.value, (int, float)):
                inner, beta = argument.right, argument.left.value
        if not isinstance(inner, ast.Name) or inner.id != x.id:
            return None
        what = {"formula": f"x*sigmoid({float(beta)!r}*x)"}
        self.said.append(what["formula"])
        return ast.copy_location(ast.Call(self._constant(SelfGated(beta, self.make(what))), [x], []), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        made = self._self_gated(node) if isinstance(node.op, ast.Mult) else None
        if made:
            return made
        for side, other in ((node.left, node.right), (node.right, node.left)):
            found = self._activation(side) if isinstance(node.op, ast.Mult) else None
            gate = gate_of(found[0]) if found else None
            if not found or not gate or isinstance(other, (ast.Constant, ast.UnaryOp)):
                continue
            _, act, argument = found
            self.said.append(gate.get("name") or f"({gate['gate_of']})*up")
            parts = [ast.keyword("gate", self.visit(argument)), ast.keyword("up", self.visit(other))]
            if side is node.right:  # the order of evaluation stays
                parts.reverse()
            operator = self._constant(Gate(gate, self.make(gate)))
            return ast.copy_location(ast.Call(operator, [], [*parts, ast.keyword("act", act)]), node)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = self._function(node.func)
        if function is not None and node.args:
            self.said.append(function.__name__)
            node.func = ast.copy_location(self._constant(Twin(function, self.make)), node.func)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replaces another function of the same file by a rewritten one."""
        called = _neighbours(self.function).get(node.id) if node.id not in self.local else None
        made = called and rewritten(called, {}, self.make, self.within)
        if not made:
            return node
        self.said += made[1]
        return ast.copy_location(self._constant(made[0]), node)

    def defer(self, tree: ast.FunctionDef) -> None:
        """Moves an activation from its assignment into the product, as in T5, where this is the variable's only use."""
        names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
        for block in (b for n in ast.walk(tree) if isinstance(b := getattr(n, "body", None), list)):
            for i, statement in enumerate(block):
                if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                    continue
                target = statement.targets[0]
                if not isinstance(target, ast.Name) or sum(n.id == target.id for n in names) != 2:
                    continue
                found = self._activation(statement.value)
                if found and gate_of(found[0]) and any(_multiplies(s, target.id) for s in block[i + 1 :]):
                    statement.value = found[2]
                    self.deferred[target.id] = found[:2]


def _multiplies(statement: ast.stmt, name: str) -> bool:
    """Returns True if a simple statement has a product with the variable."""
    if not isinstance(statement, (ast.Assign, ast.Return, ast.Expr)):
        return False
    return any(
        isinstance(n, ast.BinOp)
        and isinstance(n.op, ast.Mult)
        and any(isinstance(s, ast.Name) and s.id == name for s in (n.left, n.right))
        for n in ast.walk(statement)
    )


def _neighbours(function: types.FunctionType) -> dict[str, types.FunctionType]:
    """Returns the functions of the same file that a function names."""
    named = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    return {
        name: found
        for name, found in named.items()
        if isinstance(found, types.FunctionType) and found.__module__ == function.__module__ and found is not function
    }


_NAMES = frozenset(f.__name__ for f in FUNCTIONS) | {"sigmoid"}


def may_call(function: types.FunctionType, names: Sequence[str] = (), within: _Within = ()) -> bool:
    """Returns True if the function, or one that it wraps or names, names an activation or one of these attributes."""
    if function in within:
        return False
    if not _NAMES.union(names).isdisjoint(function.__code__.co_names):
        return True
    inner = getattr(function, "__wrapped__", None)
    if isinstance(inner, types.FunctionType) and may_call(inner, names, (*within, function)):
        return True
    return any(may_call(called, (), (*within, function)) for called in _neighbours(function).values())


def _rewrapped(function: types.FunctionType, inner: types.FunctionType, made: Any) -> Any:
    """Returns a decorator's function around another one. It is found among the variables of the decorator."""
    cells = _cells(function)
    if not any(cell.cell_contents is inner for cell in cells.values()):
        raise Unreadable("it is decorated")
    closure = tuple(types.CellType(made) if cell.cell_contents is inner else cell for cell in cells.values())
    return _like(function, function.__code__, closure)


def _like(function: types.FunctionType, code: types.CodeType, closure: tuple[Any, ...]) -> Any:
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__, made.__doc__ = function.__kwdefaults__, function.__doc__
    made.__qualname__, made.__annotations__ = function.__qualname__, function.__annotations__
    made.__dict__.update({key: value for key, value in function.__dict__.items() if key != "__wrapped__"})
    return made


def rewritten(
    function: types.FunctionType, acts: dict[str, What], make: Make, within: _Within = ()
) -> tuple[Any, list[str]] | None:
    """Returns a function that calls kernels in place of activations, and the kernels' names. Returns None if there are none.

    Args:
        function: a method, or a function of its file.
        acts: the activations among the module's attributes.
        make: makes the operators.
        within: the functions whose rewriting needs this one.

    Raises Unreadable if there may be some, but the function's source cannot tell.
    """
    if function in within or not may_call(function, tuple(acts)):
        return None
    inner = getattr(function, "__wrapped__", None)
    if isinstance(inner, types.FunctionType):
        found = rewritten(inner, acts, make, (*within, function))
        return found and (_rewrapped(function, inner, found[0]), found[1])
    tree, work = _tree(function), _Rewriting(function, acts, make, (*within, function))
    work.defer(tree)
    work.generic_visit(tree)
    if not work.said:
        return None
    _check_source(function)
    cells = {**_cells(function), **{name: types.CellType(value) for name, value in work.constants.items()}}
    code = _code_of(tree, tuple(cells), function.__code__.co_filename)
    return _like(function, code, tuple(cells[name] for name in code.co_freevars)), work.said
