"""Forward-mode derivatives of JAX functions, as a primitive that JAX can differentiate in both modes and transpose."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

Arrays = Sequence[Any]


class Linear(NamedTuple):
    """A function that is linear in its second list of arrays, and its transpose. Both return tuples."""

    push: Callable[[Arrays, Arrays], tuple[Any, ...]]
    pull: Callable[[Arrays, Arrays], tuple[Any, ...]]


_push = Primitive("actgen_push")
_push.multiple_results = True


def pushed(linear: Linear, primals: Arrays, tangents: Arrays, results: Arrays) -> tuple[Any, ...]:
    """Returns the tangents of `results`. JAX transposes the call by `linear.pull`, which makes reverse mode of it."""
    types = tuple(jax.typeof(r) for r in results)
    return tuple(_push.bind(*primals, *tangents, linear=linear, count=len(primals), types=types))


def _run(*arrays: Any, linear: Linear, count: int, types: Any) -> tuple[Any, ...]:
    return linear.push(list(arrays[:count]), list(arrays[count:]))


def _derived(primals: Arrays, tangents: Arrays, **told: Any) -> Any:
    """Differentiates a directional derivative, by the derivatives of the kernels that compute it."""
    return jax.jvp(lambda *a: _run(*a, **told), tuple(primals), tuple(ad.instantiate_zeros(t) for t in tangents))


def _transposed(arrived: Arrays, *arrays: Any, linear: Linear, count: int, types: Any) -> list[Any]:
    made = linear.pull(list(arrays[:count]), [ad.instantiate_zeros(d) for d in arrived])
    sought = [ad.is_undefined_primal(t) for t in arrays[count:]]
    return [None] * count + [d if s else None for d, s in zip(made, sought, strict=True)]


def _batched(arrays: Arrays, axes: Sequence[int | None], *, linear: Linear, count: int, types: Any) -> Any:
    size = next(a.shape[axis] for a, axis in zip(arrays, axes, strict=True) if axis is not None)
    tangents = [
        jnp.broadcast_to(t, (size, *t.shape)) if axis is None else jnp.moveaxis(t, axis, 0)
        for t, axis in zip(arrays[count:], axes[count:], strict=True)
    ]
    many = Linear(*(jax.vmap(f, in_axes=(list(axes[:count]), 0), axis_size=size) for f in linear))
    wide = tuple(jax.typeof(jnp.zeros((size, *t.shape), t.dtype)) for t in types)
    made = _push.bind(*arrays[:count], *tangents, linear=many, count=count, types=wide)
    return made, [0] * len(made)


_push.def_impl(_run)
_push.def_abstract_eval(lambda *_arrays, types, **_told: types)
mlir.register_lowering(_push, mlir.lower_fun(_run, multiple_results=True))
ad.primitive_jvps[_push] = _derived
ad.primitive_transposes[_push] = _transposed
batching.primitive_batchers[_push] = _batched
