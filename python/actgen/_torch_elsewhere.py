"""Registers operators where machine code of actgen does not run: other devices, nested tensors, exporters, autocast."""

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch._decomp import decomposition_table
from torch.nested._internal.nested_tensor import NestedTensor

from . import _call

if TYPE_CHECKING:
    from .torch import Operator


def register_elsewhere(operator: "Operator", library: torch.library.Library) -> None:
    """Registers an operator for devices without kernels, and for all that looks for its decomposition."""
    full = f"actgen::{operator.name}"
    implement: Callable[..., Any] = library.impl
    function = functools.partial(decomposed, operator)
    implement(operator.name, function, "CompositeExplicitAutograd")
    decomposition_table[operator.overload] = function  # of exporters and DTensor
    of_rows = functools.partial(nested, operator)
    for key in ("NestedTensorCPU", "NestedTensorCUDA"):
        implement(operator.name, of_rows, key)
    torch.library.register_torch_dispatch(
        full, NestedTensor, lambda _class, _op, _types, args=(), _named=None: of_rows(*args), lib=library
    )
    if len({g.code for g in operator.inputs if not g.is_seed}) == 1:
        for device in ("cpu", "cuda"):
            if operator.dtype is not None:
                torch.library.register_autocast(full, device, operator.dtype, lib=library)
            elif len(operator.inputs) > 1 and all(g.shape == _call.MATRIX for g in operator.inputs):
                key = f"Autocast{device.upper()}"
                implement(operator.name, functools.partial(_promoted, operator, key), key)


def decomposed(operator: "Operator", *tensors: torch.Tensor) -> Any:
    """Computes an operator by PyTorch's own operators."""
    return operator.decomposition(tensors[0].dtype)(*tensors)


def all_operators(operators: dict[str, "Operator"]) -> Iterator["Operator"]:
    """Yields operators and those of their gradients."""
    waiting: list[Operator] = list(operators.values())
    while waiting:
        operator = waiting.pop()
        yield operator
        waiting += operator.gradients()


def onnx_translations(opset: int) -> dict[Callable[..., Any], Callable[..., Any]]:
    """Returns what `torch.onnx.export` takes as `custom_translation_table`, for operators of ONNX that PyTorch does not use.

    These are Swish of opset 24. Gelu of opset 20, Mish of opset 18 and Softmax need no table. Needs onnxscript.

    Args:
        opset: the `opset_version` of the export.
    """
    if opset < 24:
        return {}
    from onnxscript.values import Opset

    operators = Opset("", opset)
    swish = operators.Swish
    names = ("gelu_sigmoid", "quick_gelu")
    table: dict[Callable[..., Any], Callable[..., Any]] = {torch.ops.aten.silu.default: lambda x: swish(x, alpha=1.0)}
    return {**table, **{getattr(torch.ops.actgen, n).default: lambda x: swish(x, alpha=1.702) for n in names}}


def _promoted(operator: "Operator", key: str, *tensors: torch.Tensor) -> Any:
    """Runs an operator of one type under autocast: on the widest type of its tensors, as autocast does for additions."""
    widest = functools.reduce(torch.promote_types, [t.dtype for t in tensors])
    with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))):
        return operator.overload(*[t.to(widest) for t in tensors])


def nested(operator: "Operator", *tensors: torch.Tensor) -> Any:
    """Runs an operator on nested tensors of one structure: the rows of all of them are rows of one call.

    Raises ValueError for nested tensors of different structures, or with rows of different lengths.
    """
    first = next(t for t in tensors if t.is_nested)
    if first.layout == torch.jagged:
        return _jagged(operator, first, tensors)
    parts = [t.unbind() if t.is_nested else [t] * first.size(0) for t in tensors]
    made = [operator(*rows) for rows in zip(*parts, strict=True)]
    if not isinstance(made[0], tuple):
        return torch.nested.as_nested_tensor(made)
    return tuple(torch.nested.as_nested_tensor(list(rows)) for rows in zip(*made, strict=True))


def _jagged(operator: "Operator", first: Any, tensors: Iterable[Any]) -> Any:
    rebuild: Callable[[torch.Tensor], Any] = functools.partial(
        NestedTensor,
        offsets=first.offsets(),
        lengths=first.lengths(),
        _ragged_idx=first._ragged_idx,
        _metadata_cache=first._metadata_cache,
    )
    if first._ragged_idx == first.dim() - 1 and not operator.is_pointwise:
        raise ValueError(f"{operator.name} has rows along the last axis, and the nested tensor has no such rows")
    for t in tensors:
        if t.is_nested and t._size[:-1] != first._size[:-1]:
            raise ValueError(f"{operator.name}: nested tensors of different structures: {t._size} and {first._size}")
    made = operator.overload(*[t._values if t.is_nested else t for t in tensors])
    return tuple(map(rebuild, made)) if isinstance(made, tuple) else rebuild(made)
