"""Calls of operators under autograd, forward mode and the transforms of torch.func."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters


def is_transformed() -> bool:
    """Returns True if torch.func's transforms or forward-mode derivatives are active."""
    return torch._C._are_functorch_transforms_active() or torch.autograd.forward_ad._current_level >= 0


def is_unwatched() -> bool:
    """Returns True if no transform, mode, autocast, trace or profiler watches operators."""
    return not (
        torch._C._len_torch_dispatch_stack()
        or torch._C._len_torch_function_stack()
        or is_transformed()
        or torch._C._is_any_autocast_enabled()
        or torch._C._get_tracing_state()
        or torch._C._autograd._profiler_enabled()
    )


class AtOnce(torch.autograd.Function):
    """An operator for autograd only."""

    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> Any:
        *tensors, ctx.operator = arguments
        ctx.save_for_backward(*tensors)
        return ctx.operator._run_plain(tuple(tensors))

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        found = ctx.operator._backward(ctx, *grads)
        return (*(found if isinstance(found, tuple) else (found,)), None)


class InPlace(AtOnce):
    """An operator for autograd only, whose backward pass writes the gradients into the operands.

    PyTorch sees from their versions that they have changed, and refuses to use their old values.
    """

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        saved = ctx.saved_tensors
        found = ctx.operator._pull_in_place(saved, ctx.needs_input_grad, grads)
        return (*(found if isinstance(found, tuple) else (found,)), None)


class Recorded(torch.autograd.function._SingleLevelFunction):
    """An operator that PyTorch's dispatcher records, also at one level of torch.func's transforms.

    torch.library.register_autograd refuses such levels, which programs of torch.compile have.
    """

    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> Any:
        *tensors, ctx.operator, keys = arguments
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        below = torch._C._AutoDispatchBelowAutograd()
        if not is_transformed():
            with below:
                return ctx.operator.overload.redispatch(keys & torch._C._after_autograd_keyset, *tensors)
        # An outer level records as well. PyTorch has switched that off for this function.
        with below, torch.enable_grad(), torch.autograd.forward_ad._set_fwd_grad_enabled(True):
            return ctx.operator.overload.redispatch(keys & torch._C._after_autograd_keyset, *tensors)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        found = ctx.operator._backward(ctx, *grads)
        return (*(found if isinstance(found, tuple) else (found,)), None, None)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        if _forward_levels() > 1:
            raise NotImplementedError(
                "forward mode inside forward mode, in a compiled program; take jacfwd of jacrev, or leave out torch.compile"
            )
        return ctx.operator._push(ctx.saved_tensors, tangents[:-2])


class Transformed(torch.autograd.Function):
    """An operator for torch.func's transforms and forward-mode derivatives, which ignore torch.library."""

    generate_vmap_rule = True

    @staticmethod
    def forward(*arguments: Any) -> Any:
        *tensors, operator = arguments
        return operator.overload(*tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        *tensors, ctx.operator = inputs
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        found = ctx.operator._backward(ctx, *grads)
        return (*(found if isinstance(found, tuple) else (found,)), None)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return one_level_below(ctx.operator._push, ctx.saved_tensors, tangents[:-1])


def one_level_below(push: Callable[..., Any], inputs: Sequence[torch.Tensor], tangents: Sequence[torch.Tensor]) -> Any:
    """Computes directional derivatives. Inside another forward mode, its tangents of the result are kept as well.

    PyTorch switches forward mode off here, which would lose them. So they are computed on tensors of the outer level.
    """
    if _forward_levels() < 2:
        return push(inputs, tangents)
    levels = retrieve_all_functorch_interpreters()
    if any(level.key() == torch._C._functorch.TransformType.Vmap for level in levels):
        raise NotImplementedError(
            "a batch of forward-mode derivatives of forward-mode derivatives, as in jacfwd of jacfwd; take jacfwd of jacrev"
        )
    number = levels[-1].level()
    unwrap, wrap = torch._C._functorch._unwrap_for_grad, torch._C._functorch._wrap_for_grad
    with levels[-1].lower(), torch.autograd.forward_ad._set_fwd_grad_enabled(True):
        made = push([unwrap(t, number) for t in inputs], [unwrap(t, number) for t in tangents])
    return wrap(made, number)


def _forward_levels() -> int:
    """Returns how many forward modes of torch.func are active, one inside the other."""
    levels = retrieve_all_functorch_interpreters()
    return sum(level.key() == torch._C._functorch.TransformType.Jvp for level in levels)
