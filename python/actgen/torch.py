"""Turns kernels into operators of PyTorch, with autograd, fake tensors and autocast, also inside torch.compile.

import actgen.torch
gelu = actgen.torch.activation("gelu")          # a module; compiled for each dtype that it meets
op = actgen.torch.as_torch(actgen.compile(...)) # a function of tensors
actgen.torch.replace(model, {torch.nn.GELU: "gelu"})
"""

import functools
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch._functorch.autograd_function import enable_single_level_autograd_function  # type: ignore[attr-defined]

from . import _call, _torch_names
from ._approximate import chosen_form
from ._compile import builtins, compile
from ._entry import entry, shorter
from ._jit import Jitted, kernel_of
from ._kernel import Kernel
from ._library import CODE_NAMES, check_texts
from ._torch_activation import Activation, arguments, declared, fits_one_operand
from ._torch_autograd import Recorded, Transformed, at_once, is_transformed, is_unwatched
from ._torch_cuda import register_cuda
from ._torch_derivatives import Derivatives
from ._torch_elsewhere import all_operators, decomposed, nested, onnx_translations, register_elsewhere
from ._torch_formula import Decomposition
from ._torch_kernels import kernel_of_what
from ._torch_replace import Kept, Replacement, Replacements, replace_activations
from ._torch_shapes import first_matrix, shape_of, signed_tensor, unsigned
from ._torch_table import DEFAULTS, Parametrized, Table, What, layer_norm

__all__ = [
    "DEFAULTS",
    "Activation",
    "Kept",
    "Operator",
    "Replacement",
    "Replacements",
    "activation",
    "as_torch",
    "decompositions",
    "layer_norm",
    "onnx_translations",
    "register_saved",
    "replace",
    "saved_spec",
]

_library = torch.library.Library("actgen", "DEF")
_operators: dict[str, "Operator"] = {}
_defined: set[str] = set()
_LONGEST_NAME = 64  # letters that a name of the language may have
_lock = threading.RLock()
_PLAIN = (torch.Tensor, nn.Parameter)  # the types of PyTorch itself, and no subclass


class Operator(Derivatives):
    """A family of kernels, one per dtype of the first input, as an operator `torch.ops.actgen.<name>`.

    Its arguments are tensors on the CPU or on a GPU, or numbers for operands of shape []. Operands of type u64 are whole
    numbers, or tensors of int64 or uint64. It is differentiable, any number of times, in each other operand. The gradient
    of a broadcast operand is summed over the broadcast axes.
    """

    def __init__(
        self, name: str, make: Callable[[torch.dtype], Kernel], pattern: Kernel, dtype: torch.dtype | None
    ) -> None:
        self.name, self._make, self._pattern, self.dtype = name, make, pattern, dtype
        self._kernels: dict[torch.dtype, Kernel] = {}
        self._decompositions: dict[torch.dtype, Decomposition] = {}
        self.inputs, self.results = pattern.input_groups, pattern.result_groups
        self._backwards: dict[str, Operator] = {}
        self._are_matrices = [g.shape == _call.MATRIX for g in self.inputs]
        self._are_widened = [pattern.is_widened(g) for g in self.inputs]
        self._has_own_elements = all(self._are_matrices)
        self._takes_any_strides = _call.is_flat((*self.inputs, *self.results))
        self._sums_over_rows = _call.sums_over_rows(self.results)
        many = len(self.results) > 1
        arguments = ", ".join(f"Tensor {g.name}" for g in self.inputs)
        schema = f"{name}({arguments}) -> " + (f"({', '.join(['Tensor'] * len(self.results))})" if many else "Tensor")
        self.is_pointwise = not many and self._takes_any_strides and self._has_own_elements
        if _is_of_a_library(name):
            raise RuntimeError(
                f"a loaded library has an operator actgen::{name}: import actgen.torch before it is loaded, or compile "
                "the library with -D ACTGEN_TORCH_NAMESPACE=NAME"
            )
        _defined.add(name)
        _library.define(schema, tags=(torch.Tag.pointwise,) if self.is_pointwise else ())
        full = f"actgen::{name}"
        _library.impl(name, self._run, "CPU")
        torch.library.register_fake(full, self._fake, lib=_library)
        _library.impl(name, self._record, "Autograd", with_keyset=True)
        if all(self._are_matrices) and not _call.has_sums(self.inputs):
            torch.library.register_vmap(full, self._batched, lib=_library)
        self.overload = getattr(torch.ops.actgen, name).default
        register_elsewhere(self, _library)
        register_cuda(self, _library)

    def __call__(self, *tensors: Any) -> Any:
        """Applies the operator. Returns a tensor, or a tuple of tensors."""
        if torch.compiler.is_compiling():
            return self._dispatched(tensors)
        try:
            for t in tensors:
                if type(t) not in _PLAIN:
                    break
            else:
                if is_unwatched():
                    return self._run_at_once(tensors)
            return self._dispatched(tensors)
        except Exception as error:
            raise shorter(error)  # noqa: B904 - as `entry` does, which would take time

    def _dispatched(self, tensors: tuple[Any, ...]) -> Any:
        """Runs the operator by PyTorch's dispatcher."""
        if any(isinstance(t, torch.fx.Proxy) for t in tensors):  # torch.fx.symbolic_trace
            return self.overload(*tensors)
        if not all(isinstance(t, torch.Tensor) for t in tensors):
            tensors = self._as_tensors(tensors)
        if is_transformed() and not torch.compiler.is_compiling():
            return Transformed.apply(*tensors, self)
        return self.overload(*tensors)

    def _run_at_once(self, tensors: tuple[torch.Tensor, ...]) -> Any:
        """Runs the operator without PyTorch's dispatcher, which takes some microseconds and would have nothing to do."""
        if torch.is_grad_enabled():
            for t in tensors:
                if t.requires_grad:
                    if t.is_nested:  # of the strided layout, which autograd.Function does not take
                        return nested(self, *tensors)
                    return self._record_at_once(*tensors)
        return self._run_plain(tensors)

    _record_at_once = functools.cached_property(lambda self: at_once(self, self._pull))
    record_in_place = functools.cached_property(lambda self: at_once(self, self._pull_in_place))

    def _run_plain(self, tensors: tuple[torch.Tensor, ...]) -> Any:
        """Runs the kernel on tensors of the usual kind. The dispatcher handles all others, and refuses wrong ones."""
        kernel = self._kernels.get(tensors[0].dtype)
        made = kernel.run_usual(tensors, torch.get_num_threads()) if kernel else None
        return self.overload(*tensors) if made is None else made

    def _as_tensors(self, operands: Sequence[Any]) -> tuple[torch.Tensor, ...]:
        """Converts numbers to tensors of the first tensor's dtype. Raises TypeError if there is no tensor."""
        first = next((t for t in operands if isinstance(t, torch.Tensor)), None)
        if first is None:
            raise TypeError(
                f"{self._pattern.name} wants tensors here; a kernel takes other arrays: actgen.compile(...)"
            )
        return tuple(
            t if isinstance(t, torch.Tensor) else signed_tensor(t) if g.is_seed else torch.tensor(t, dtype=first.dtype)
            for t, g in zip(operands, self.inputs, strict=True)
        )

    def __repr__(self) -> str:
        return f"<operator actgen::{self.name} of {self._pattern!r}>"

    @entry
    def kernel(self, dtype: torch.dtype) -> Kernel:
        """Returns the kernel for a dtype of the first input. Raises TypeError if the operator has only another dtype."""
        kernel = self._kernels.get(dtype)
        if kernel is None:
            if self.dtype not in (None, dtype):
                raise TypeError(
                    f"{self._pattern.name} is a kernel of {self.dtype}, and the tensor is {dtype}: convert it"
                )
            kernel = self._kernels[dtype] = self._make(dtype)
        return kernel

    def decomposition(self, dtype: torch.dtype) -> Decomposition:
        """Returns the operator as a function by PyTorch's own operators, for a dtype of the first input."""
        if dtype not in self._decompositions:
            self._decompositions[dtype] = Decomposition(self.kernel(dtype))
        return self._decompositions[dtype]

    def _batched(self, info: Any, axes: tuple[int | None, ...], *tensors: torch.Tensor) -> Any:
        """Runs the operator under torch.vmap. A batch is more rows."""
        rows = [
            t.expand(info.batch_size, *t.shape) if axis is None else t.movedim(axis, 0)
            for t, axis in zip(tensors, axes, strict=True)
        ]
        made = self.overload(*rows)
        return made, (0,) * len(made) if isinstance(made, tuple) else 0

    @torch.no_grad()  # PyTorch has recorded the call, and may record at an outer level of torch.func
    def _run(self, *tensors: torch.Tensor) -> Any:
        laid_out = self._laid_out(tensors)
        if not self._has_own_elements:
            laid_out = [unsigned(t) if g.is_seed else t for t, g in zip(laid_out, self.inputs, strict=True)]
        return self.kernel(tensors[0].dtype)(*laid_out, threads=torch.get_num_threads())

    def _laid_out(self, tensors: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        """Returns the tensors, with copies in place of those without contiguous rows if the kernel needs such rows.

        Sums over rows need one distance between all rows.
        """
        if self._takes_any_strides:
            return tensors
        if self._sums_over_rows:
            return [t.contiguous() for t in tensors]
        return [
            t.contiguous() if m and t.dim() and t.stride(-1) != 1 else t
            for t, m in zip(tensors, self._are_matrices, strict=True)
        ]

    def _fake(self, *tensors: torch.Tensor) -> Any:
        kernel = self.kernel(tensors[0].dtype)
        lead, cols, like = shape_of(self.inputs, tensors)
        laid_out = self._laid_out(tensors)
        found = []
        for group in kernel.result_groups:
            dtype = getattr(torch, CODE_NAMES[group.code])
            if group.shape == _call.MATRIX and like is not None and group.parts == first_matrix(self.inputs)[1].parts:
                found.append(torch.empty_like(laid_out[first_matrix(self.inputs)[0]], dtype=dtype))
            else:
                device = tensors[0].device
                found.append(torch.empty(_call.result_shape(group, (*lead, cols)), dtype=dtype, device=device))
        return tuple(found) if len(found) > 1 else found[0]

    def _record(self, keys: Any, *tensors: torch.Tensor) -> Any:
        """Runs the operator below autograd, and records it where a tensor has a gradient or a tangent."""
        with enable_single_level_autograd_function():
            return Recorded.apply(*tensors, self, keys)

    def _backward(self, ctx: Any, *grads: torch.Tensor | None) -> Any:
        return self._pull(ctx.saved_tensors, ctx.needs_input_grad, grads)  # under a checkpoint, read only once

    def gradients(self) -> "list[Operator]":
        """Returns the operators of gradients that were made so far."""
        return list(self._backwards.values())

    def backward(self, kind: str) -> "Operator":
        """Returns the operator of gradients: "" for those of [rows, cols], "_sums" for all, "_wide" for all as [rows, cols].

        "_push" is that of directional derivatives, for zeros and the tangents of all as [rows, cols].
        """
        return self._backwards.get(kind) or self._make_backward(kind, self.dtype or torch.float32)

    def _make_backward(self, which: str, dtype: torch.dtype) -> "Operator":
        """Makes an operator of gradients (see `backward`), and first its kernel for a dtype."""

        def make(kind: torch.dtype) -> Kernel:
            kernel = self.kernel(kind)
            if which == "_sums":
                return kernel.gradient(*kernel.derived_names)
            backward = kernel.widened().gradient(*kernel.derived_names) if which else kernel.gradient()
            if which != "_push":
                return backward
            arriving = backward.derived_names[-sum(o.is_result for o in kernel.operands) :]
            return backward.gradient(*arriving)

        with _lock:
            pattern = make(self.dtype or dtype)
            return self._backwards.setdefault(
                which, Operator(f"{self.name}_backward{which}", make, pattern, self.dtype)
            )


def _is_of_a_library(name: str) -> bool:
    """Returns True if a library that `actgen compile --torch` made has the operator."""
    return name not in _defined and bool(torch._C._jit_get_schemas_for_operator(f"actgen::{name}"))


def _registered(
    name: str, make: Callable[[torch.dtype], Kernel], dtype: torch.dtype | None, pattern: Kernel | None = None
) -> Operator:
    """Returns the operator of this name, which is made once per process."""
    with _lock:
        if name not in _operators:
            _operators[name] = Operator(name, make, pattern or make(dtype or torch.float32), dtype)
        return _operators[name]


@entry
def as_torch(kernel: Kernel | Jitted[...]) -> Operator:
    """Returns a kernel as an operator of PyTorch with the kernel's own types. Autocast converts tensors to them."""
    own = kernel_of(kernel)
    if all(g.shape != _call.MATRIX for g in own.input_groups):
        raise ValueError(f"{own.name} has no operand of shape [rows, cols]")
    _call.refuse_shared(own.name, own.groups, "PyTorch")
    if own.input_groups[0].is_seed:
        raise ValueError(
            f"{own.name} begins with `{own.input_groups[0].name}`, of type u64: declare an array before it"
        )
    dtype = getattr(torch, CODE_NAMES[own.input_groups[0].code])
    return _registered(_torch_names.encoded(own.name, own.recipe), lambda _dtype: own, dtype)


def operator_of(what: What, accuracy: str | None = None) -> Operator:
    """Returns the operator for what `activation` takes, or for what a table of `replace` means."""
    return _operators[_name_of(what, accuracy)]


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator] # Dynamo cannot enter a lock
def _name_of(what: What, accuracy: str | None) -> str:
    """Returns the name of the operator, which it registers first."""
    whole = {**what, "accuracy": what.get("accuracy", accuracy)}
    whole = {key: value for key, value in whole.items() if value}
    label = re.sub(r"\W.*", "", whole.get("name") or "") or "formula"
    make = functools.partial(kernel_of_what, tuple(whole.items()))
    return _registered(_torch_names.encoded(label, whole), make, None).name


def _bring_back(name: str) -> Operator | None:
    """Makes the operator of this name, for programs that another process saved. Returns None for names of no operator."""
    with _lock:  # PyTorch asks for a name also while it defines the name's operator
        found = _torch_names.decoded(name) if name not in _defined else None
    if found is None:
        return None
    what, gradients = found
    if "spec" in what:
        operator = as_torch(compile(**what))
    elif "name" in what and len(what) == 1 and what["name"] not in _builtins():
        return None
    else:
        if "parametrized" in what:
            what["parametrized"] = Parametrized(what["parametrized"][0], tuple(what["parametrized"][1]))
        operator = operator_of(what)
    for kind in gradients:
        operator = operator.backward(kind)
    return operator if operator.name == name else None


@entry
def register_saved(file: str | os.PathLike[str]) -> list[str]:
    """Registers the operators that a saved program names, before a loader that asks no Python: torch.jit.load, AOTInductor.

    `torch.export.load` and unpickling need no such call. Neither do built-ins without options.

    Returns their names. Raises OSError if the file cannot be read.
    """
    names = dict.fromkeys(_torch_names.names_in(file))
    return [name for name in names if name in _defined or _bring_back(name) is not None]


@entry
def saved_spec(file: str | os.PathLike[str], dtype: torch.dtype = torch.float32) -> str:
    """Returns a text in the language of the kernels that a saved program names, under the names of their operators.

    `actgen compile --torch` makes them a library with which a process without Python runs the program.

    Args:
        file: a program of torch.export, TorchScript or AOTInductor.
        dtype: that of the first tensor, for operators that have a kernel for each dtype.

    Raises ValueError for operators with names of more than 64 letters, which texts cannot have. Those of `as_torch` are long.
    """
    register_saved(file)
    known, texts = {operator.name: operator for operator in all_operators(_operators)}, []
    for operator in [known[name] for name in dict.fromkeys(_torch_names.names_in(file)) if name in known]:
        name, told = operator.name, _torch_names.decoded(operator.name)
        if len(name) > _LONGEST_NAME:
            raise ValueError(
                f"the operator of {operator.kernel(operator.dtype or dtype).name} has a name of {len(name)} letters, which "
                f"has all of its text, and a kernel's name has at most {_LONGEST_NAME}: save a model with "
                'actgen.torch.activation("gelu"), or with a short formula=..., in place of as_torch'
            )
        clause = f"\n    accuracy {told[0]['accuracy']}" if told and "accuracy" in told[0] else ""
        text = operator.kernel(operator.dtype or dtype).spec
        texts.append(re.sub(r"kernel \w+(.*?\{)", rf"kernel {name}\1{clause}", text, count=1))
    return "".join(texts)


def decompositions() -> dict[torch._ops.OpOverload, Callable[..., Any]]:
    """Returns the operators that were made so far as functions by PyTorch's own, for `ExportedProgram.run_decompositions`."""
    return {o.overload: functools.partial(decomposed, o) for o in all_operators(_operators)}


@entry
def activation(
    name: str | None = None,
    *,
    formula: str | None = None,
    accuracy: str | None = None,
    approximate: bool | str | None = None,
    packed: bool = False,
    interleaved: bool = False,
    gate_second: bool = False,
    trainable: Mapping[str, Any] | None = None,
    inplace: bool = False,
) -> Activation:
    """Makes a module that applies a built-in or a formula of x in the dtype of its input: float32, float64, bfloat16, float16.

    Args:
        name: a built-in. A gate such as "geglu" takes two tensors, gate and up.
        formula: a formula in place of a name, such as "x*sigmoid(1.7*x)".
        accuracy: see `actgen.compile`.
        approximate: "tanh" or "none", as in torch.nn.GELU, for "gelu" and "geglu".
        packed: True for a gate that takes one tensor of shape [..., 2*cols]. The first half is the gate.
        interleaved: True for a gate that takes such a tensor with gate[0], up[0], gate[1], up[1], ..., as in gpt-oss.
        gate_second: True if the second half, or the second of each two elements, is the gate, as in torch.nn.GLU.
        trainable: parameters of the activation that are learned, with their first values: a number, or a list of one for
            each column. They are parameters of a built-in, as in `activation("swish", trainable={"beta": 1.0})`, or names in a
            formula. The module has them as parameters of the same names.
        inplace: True for a backward pass that writes the gradients into the memory of the inputs, such as gate and up. It
            takes less memory. PyTorch raises RuntimeError where another operation still needs the inputs.

    Raises the exceptions of `actgen.compile`, ValueError if both packed and interleaved are True or a gate has trainable
    parameters, and KeyError for parameters that a module cannot have.
    """
    check_texts(name=name, formula=formula, accuracy=accuracy)
    name = chosen_form(name, approximate)
    if packed and interleaved:
        raise ValueError("packed and interleaved are two ways to hold gate and up in one tensor: it has one of them")
    what = {
        "name": name,
        "formula": formula,
        "accuracy": accuracy,
        "packed": packed,
        "interleaved": interleaved,
        "gate_second": gate_second,
        "trainable": None if not trainable else ", ".join(map(declared, trainable, trainable.values())),
    }
    if trainable and (packed or interleaved or (name and not fits_one_operand(name))):
        raise ValueError("trainable parameters are for activations of one tensor; write the gate as a product with one")
    return Activation(what, operator_of(what), trainable, inplace)


def _described(what: What) -> str:
    """Returns what computes the same, as Activation prints it."""
    if "parametrized" in what:
        return str(what["parametrized"].spec)
    return f"Activation({arguments(what)})"


@entry
def replace(model: nn.Module, table: Table | None = None, accuracy: str | None = None) -> Replacements:
    """Replaces activations of a model by kernels, in place, and returns the replacements.

    The modules stay, with their hooks, attributes, parameters and keys of the state dict. They get another `forward`. No
    `forward` of the model runs meanwhile. Arguments that a kernel cannot take, such as tensors of another device, are computed
    as before.

    Args:
        model: any module. Its submodules are searched at any depth.
        table: extends `DEFAULTS`. The keys are types of modules, or names such as "timm.Swish". The values are built-ins, or
            functions of the module that return one, or the arguments of `activation` in a dict, or None to keep the module.
        accuracy: see `actgen.compile`.

    Returns:
        A list of the replacements, in the model's order. Its `left` has the activations that were seen and left, with the
        reasons, and its `undo()` gives the model back what it was.

        Besides modules, methods are replaced. A product of an activation and a tensor, as in the feed-forward layers of Llama,
        Phi-3, T5 and in experts, becomes one gate. Calls of functions such as `torch.nn.functional.gelu` become calls of
        kernels. The methods are rewritten by their source, and everything else in them stays.

    Raises TypeError for keys that are no types of modules and no names.
    """
    return replace_activations(model, table, accuracy, functools.partial(operator_of, accuracy=accuracy), _described)


@functools.cache
def _builtins() -> frozenset[str]:
    return frozenset(b.name for b in builtins())


def _register_builtins() -> None:
    """Registers the built-ins without options, so that saved programs have them. Kernels are planned when they are used."""
    for name in sorted(_builtins()):
        pattern = compile(name, tier="interpreter")
        if not _is_of_a_library(name):
            _registered(name, functools.partial(kernel_of_what, (("name", name),)), None, pattern)


_torch_names.install(_bring_back)
_register_builtins()
