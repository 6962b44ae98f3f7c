"""Turns kernels into functions of JAX, which are differentiable and work inside jit, grad and vmap.

import actgen.jax
gelu = actgen.jax.as_jax(actgen.compile("gelu"))
jax.jit(jax.grad(lambda x: gelu(x).sum()))(x)
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.export
import jax.numpy as jnp

from . import _call
from ._approximate import chosen_form
from ._arrays import NUMBERS, numpy_dtype, view
from ._compile import compile
from ._entry import entry
from ._jax_layout import batched, partitioned, varying_axes
from ._jax_push import Linear, pushed
from ._jit import Jitted, kernel_of
from ._kernel import Kernel
from ._xla import TARGET, attribute_of

# For jax.export.export(..., disabled_checks=EXPORT_CHECKS). JAX refuses to export calls of foreign functions otherwise.
EXPORT_CHECKS = (jax.export.DisabledSafetyCheck.custom_call(TARGET),)

_functions: dict[str, Callable[..., Any]] = {}
_lock = threading.RLock()


@entry
def as_jax(kernel: Kernel | Jitted[...]) -> Callable[..., Any]:
    """Returns a kernel as a function of JAX arrays on the CPU. It is a foreign function of XLA, and copies no array.

    The function is differentiable, any number of times and in each operand, by the generated gradient (`jax.custom_vjp`,
    reverse mode). The gradient of a broadcast operand is summed over the broadcast axes. Arrays have the kernel's types.
    Numbers become arrays. An operand of type u64 is a whole number, an integer array of shape [], or the two words of
    uint32 that jax.random.key_data returns, of which the first is the low one here.

    Raises ValueError for kernels without an operand of shape [rows, cols].
    """
    own = kernel_of(kernel)
    with _lock:
        if own.identity not in _functions:
            _functions[own.identity] = _differentiable(own)
        return _functions[own.identity]


def activation(
    name: str | None = None,
    *,
    formula: str | None = None,
    accuracy: str | None = None,
    approximate: bool | str | None = None,
) -> Callable[..., Any]:
    """Returns a built-in or a formula as a function of JAX arrays, with a kernel for each dtype of its first array.

    Args:
        name: a built-in. A gate such as "geglu" takes two arrays, gate and up.
        formula: a formula in place of a name, such as "x*sigmoid(1.7*x)".
        accuracy: see `actgen.compile`.
        approximate: True or False, as in jax.nn.gelu, for "gelu" and "geglu". Where it is not given, jax.nn.gelu has True, and
            this function has False.

    Raises the exceptions of `actgen.compile` when a dtype is met first.
    """
    name = chosen_form(name, approximate)
    kernels: dict[Any, Callable[..., Any]] = {}

    @entry
    def call(*arrays: Any) -> Any:
        dtype = jnp.result_type(arrays[0]) if arrays else jnp.float32
        if dtype not in kernels:
            kernels[dtype] = as_jax(compile(name, formula=formula, accuracy=accuracy, dtype=dtype))
        return kernels[dtype](*arrays)

    call.__name__ = name or "formula"
    return call


def _differentiable(kernel: Kernel) -> Callable[..., Any]:
    groups = kernel.input_groups
    forward = _plain(kernel)
    made: dict[str, Callable[..., Any]] = {}

    def gradient(which: str) -> Callable[..., Any]:
        """Returns the function of the gradients, or that of the derivatives of these by the arriving gradients."""
        if which not in made:
            pulling = kernel.widened().gradient(*kernel.derived_names)
            arriving = pulling.derived_names[-len(kernel_results) :]
            made[which] = as_jax(pulling if which == "pull" else pulling.gradient(*arriving))
        return made[which]

    kernel_results = [o for o in kernel.operands if o.is_result]

    def widened(array: Any, group: _call.Group, whole: tuple[int, ...]) -> Any:
        """Returns the array as the kernel of gradients takes it, which has all but a few operands as [rows, cols]."""
        if not kernel.is_widened(group):
            return array
        if group.shape == _call.ROWS and array.ndim < len(whole):
            array = array[..., None]
        return jnp.broadcast_to(array, whole)

    def pull(arrays: Sequence[Any], arrived: Sequence[Any]) -> tuple[Any, ...]:
        """Runs the gradient kernel on wide operands, and sums the gradients of broadcast operands."""
        lead, cols = _lead_and_cols(groups, [jnp.shape(a) for a in arrays])
        whole = [widened(a, g, (*lead, cols)) for a, g in zip(arrays, groups, strict=True)]
        found = _tuple(gradient("pull")(*whole, *arrived))
        return tuple(_summed(d, a, g) for d, (a, g) in zip(found, _of_numbers(groups, arrays), strict=True))

    def push(arrays: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        """Computes the directional derivative J t, which is the gradient of <J^T d, t> by any d."""
        lead, cols = _lead_and_cols(groups, [jnp.shape(a) for a in arrays])
        whole = [widened(a, g, (*lead, cols)) for a, g in zip(arrays, groups, strict=True)]
        numbers = [g for g in groups if not g.is_seed]
        along = [widened(a, g, (*lead, cols)) for a, g in zip(tangents, numbers, strict=True)]
        has_axes = any(jnp.shape(a) for a, _ in _of_numbers(groups, arrays))
        shapes = [_call.result_shape(g, (*lead, cols)) if has_axes else () for g in kernel.result_groups]
        zeros = [jnp.zeros(s, numpy_dtype(g.code)) for s, g in zip(shapes, kernel.result_groups, strict=True)]
        return _tuple(gradient("push")(*whole, *zeros, *along))

    linear = Linear(push, pull)

    @jax.custom_jvp
    def function(*arrays: Any) -> Any:
        return forward(*arrays)

    @function.defjvp
    def _(arrays: Sequence[Any], tangents: Sequence[Any]) -> Any:
        y = function(*arrays)
        along = pushed(linear, arrays, [t for t, _ in _of_numbers(groups, tangents)], _tuple(y))
        return y, along if isinstance(y, tuple) else along[0]

    @entry
    def call(*arrays: Any) -> Any:
        if len(arrays) != len(groups):
            raise TypeError(f"{kernel.name} takes {len(groups)} arrays, not {len(arrays)}")
        return function(*(_array(a, g) for a, g in zip(arrays, groups, strict=True)))

    call.__name__, call.__doc__ = kernel.name, f"{kernel!r} on arrays of JAX."
    return call


def _tuple(made: Any) -> tuple[Any, ...]:
    return made if isinstance(made, tuple) else (made,)


def _array(array: Any, group: _call.Group) -> Any:
    if group.is_seed:
        return _words(array, group)
    dtype = numpy_dtype(group.code)
    if isinstance(array, NUMBERS):
        return jnp.asarray(array, dtype)
    if array.dtype != dtype:
        raise TypeError(
            f"{group} is {dtype}, and the array is {array.dtype}: convert it, or compile the kernel for {array.dtype}"
        )
    return array


def _words(array: Any, group: _call.Group) -> Any:
    """Returns a seed, an offset or a first row as two words of uint32, the low one first. JAX may have no integers of 64 bits."""
    if isinstance(array, NUMBERS):
        array = view(array, group.code).owner.reshape(1).view("uint32")
    array = jnp.asarray(array)
    if array.shape == (2,) and array.dtype == jnp.uint32:
        return array
    if array.shape or array.dtype not in (jnp.int32, jnp.uint32, jnp.int64, jnp.uint64):
        raise TypeError(f"{group} is a whole number, an integer of shape [], or two words of uint32, the low one first")
    if array.dtype.itemsize == 8:
        return jax.lax.bitcast_convert_type(array, jnp.uint32)
    high = array >> 31 if array.dtype == jnp.int32 else jnp.zeros_like(array)
    return jax.lax.bitcast_convert_type(jnp.stack([array, high]), jnp.uint32)


def _lead_and_cols(groups: Sequence[_call.Group], shapes: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], int]:
    """Returns the leading axes and the columns of the first operand of shape [rows, cols]."""
    group, shape = next(pair for pair in zip(groups, shapes, strict=True) if pair[0].shape == _call.MATRIX)
    return shape[:-1], shape[-1] // group.parts if shape else 1


def _plain(kernel: Kernel) -> Callable[..., Any]:
    """Returns the call of a kernel, without derivatives."""
    groups, results = kernel.input_groups, kernel.result_groups
    if all(g.shape != _call.MATRIX for g in groups):
        raise ValueError(f"{kernel.name} has no operand of shape [rows, cols]")
    _call.refuse_shared(kernel.name, kernel.groups, "JAX")
    attribute = attribute_of(kernel)

    def call(*arrays: Any) -> Any:
        lead, cols = _lead_and_cols(groups, [a.shape for a in arrays])
        is_scalar = not any(a.shape for a, g in zip(arrays, groups, strict=True) if not g.is_seed)
        shapes = [() if is_scalar else _call.result_shape(g, (*lead, cols)) for g in results]
        varying = varying_axes(arrays)
        made = [jax.ShapeDtypeStruct(s, numpy_dtype(g.code), **varying) for s, g in zip(shapes, results, strict=True)]
        out = jax.ffi.ffi_call(TARGET, made)(*arrays, kernel=attribute)
        return tuple(out) if len(out) > 1 else out[0]

    return jax.jit(batched(partitioned(call, groups, results), groups, results))


def _of_numbers(groups: Sequence[_call.Group], arrays: Sequence[Any]) -> list[tuple[Any, _call.Group]]:
    """Returns the arrays of operands that are no seeds, and so have gradients, with their operands."""
    return [(a, g) for a, g in zip(arrays, groups, strict=True) if not g.is_seed]


def _summed(d: Any, array: Any, group: _call.Group) -> Any:
    """Computes the gradient of a broadcast operand from that of each element."""
    if group.shape == _call.MATRIX:
        return d
    shape = (*array.shape, 1) if group.shape == _call.ROWS and array.ndim < d.ndim else array.shape
    padded = (1,) * (d.ndim - len(shape)) + shape
    axes = tuple(i for i, size in enumerate(padded) if size == 1 and d.shape[i] != 1)
    return jnp.sum(d, axes, keepdims=True).reshape(array.shape).astype(array.dtype)
