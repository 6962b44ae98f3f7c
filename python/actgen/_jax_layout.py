"""Tells JAX how calls of kernels are batched by vmap, and how devices share them."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec

from . import _call

Groups = Sequence[_call.Group]
Call = Callable[..., Any]


def varying_axes(arrays: Sequence[Any]) -> dict[str, Any]:
    """Returns the mesh axes over which results vary inside jax.shard_map, as arguments of ShapeDtypeStruct: those of any array.

    JAX calls them `manual_axis_type` or, in some versions, `vma`. Older versions do not check them.
    """
    avals = [jax.typeof(a) for a in arrays] if hasattr(jax, "typeof") else []
    typed = [a for a in avals if getattr(getattr(a, "manual_axis_type", None), "varying", None)]
    if typed:
        kind, mesh = type(typed[0].manual_axis_type), typed[0].sharding.mesh
        axes = frozenset().union(*[a.manual_axis_type.varying for a in typed])
        return {"manual_axis_type": kind(varying=axes), "sharding": NamedSharding(mesh, PartitionSpec())}
    axes = frozenset().union(*[getattr(a, "vma", frozenset()) for a in avals])
    return {"vma": axes} if axes else {}


def batched(call: Call, groups: Groups, results: Groups) -> Call:
    """Returns the call with a rule for jax.vmap.

    If each operand has rows of its own, a batch is more rows. An operand [cols] or [] would have another value per batch, so the
    calls run one after the other.
    """
    own_rows = all(g.shape == _call.MATRIX for g in groups) and not _call.sums_over_rows(results)
    function = jax.custom_batching.custom_vmap(call)

    @function.def_vmap
    def _(size: int, has_axis: Sequence[bool], *arrays: Any) -> Any:
        if own_rows and any(a.ndim - h for a, h in zip(arrays, has_axis, strict=True)):
            rows = [a if h else jnp.broadcast_to(a, (size, *a.shape)) for a, h in zip(arrays, has_axis, strict=True)]
            made = function(*rows)
        else:
            made = jax.lax.map(
                lambda i: function(*(a[i] if h else a for a, h in zip(arrays, has_axis, strict=True))), jnp.arange(size)
            )
        return made, jax.tree.map(lambda _: True, made)

    return function


def partitioned(call: Call, groups: Groups, results: Groups) -> Call:
    """Returns the call with a rule for arrays that several devices share: each computes its part, and nothing is sent.

    Rows stay on their devices, except where results sum over them or depend on the numbers of rows, which seeds and first rows
    count from. Columns stay there if each result element depends only on the elements of its place.
    """
    has_numbers = any(g.is_seed for g in groups)
    keeps_rows = not (_call.sums_over_rows(results) or has_numbers)
    keeps_cols = (
        not has_numbers and not _call.has_sums((*groups, *results)) and all(g.parts == 1 for g in (*groups, *results))
    )
    known: dict[tuple[int, ...], Call] = {}

    def shared(*arrays: Any) -> Any:
        if not any(a.shape for a in arrays) or varying_axes(arrays):  # inside shard_map an array is one device's part
            return call(*arrays)
        ranks = tuple(a.ndim for a in arrays)
        if ranks not in known:
            known[ranks] = _partitioned_for(call, groups, results, ranks, keeps_rows, keeps_cols)
        return known[ranks](*arrays)

    return shared


def _partitioned_for(
    call: Call, groups: Groups, results: Groups, ranks: Sequence[int], keeps_rows: bool, keeps_cols: bool
) -> Call:
    """Makes the partitioned call for operands of these ranks."""
    lead = max(rank for rank, g in zip(ranks, groups, strict=True) if g.shape == _call.MATRIX) - 1
    axes = [*(f"r{i}" for i in range(lead)), "c"]
    result_ranks = [lead + 1 if g.shape in (_call.MATRIX, _call.ROWS) else int(g.shape == _call.COLS) for g in results]

    def axes_of(group: _call.Group, rank: int) -> list[str | None]:
        """Returns the name of each axis of an operand, or None for those of one element."""
        if group.shape == _call.MATRIX:
            return list(axes)
        if group.shape == _call.COLS:
            return [*[None] * (rank - 1), "c"]
        if group.shape == _call.ROWS:
            return [*axes[:-1], None][:rank]
        return [None] * rank

    named = [axes_of(g, rank) for g, rank in zip((*groups, *results), (*ranks, *result_ranks), strict=True)]
    fixed = [*([] if keeps_rows else axes[:-1]), *([] if keeps_cols else ["c"])]

    def specs(shardings: Sequence[Any], mesh: Any) -> list[NamedSharding]:
        """Returns the shardings of operands and results that agree with those that operands have."""
        placed: dict[str | None, Any] = {}
        for names, sharding in zip(named, shardings, strict=False):
            spec = getattr(sharding, "spec", ())
            for name, axis in zip(names, (*spec, *[None] * (len(names) - len(spec))), strict=True):
                if axis is not None and name is not None and name not in fixed:
                    placed.setdefault(name, axis)
        return [NamedSharding(mesh, PartitionSpec(*(placed.get(name) for name in names))) for names in named]

    def partition(mesh: Any, operands: Any, made: Any) -> Any:
        found = specs([o.sharding for o in operands], mesh)
        of_results = found[len(groups) :]
        return mesh, call, tuple(of_results) if len(of_results) > 1 else of_results[0], tuple(found[: len(groups)])

    def infer(mesh: Any, operands: Any, made: Any) -> Any:
        return partition(mesh, operands, made)[2]

    function = custom_partitioning(call)
    function.def_partition(
        partition=partition,
        infer_sharding_from_operands=infer,
        sharding_rule=_rule(named, len(groups)),
        need_replication_factors=tuple(fixed),
    )
    return function


def _rule(named: Sequence[Sequence[str | None]], inputs: int) -> str:
    """Returns the axes of operands and results in the notation of Shardy. An axis of one element has a name of its own."""
    numbers = iter(range(1000))
    texts = [" ".join(name or f"one{next(numbers)}" for name in names) for names in named]
    return f"{', '.join(texts[:inputs])} -> {', '.join(texts[inputs:])}"
