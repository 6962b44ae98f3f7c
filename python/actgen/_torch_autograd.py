"""Calls of operators under autograd, forward mode and the transforms of torch.func."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._C import (
    _are_functorch_transforms_active,
    _get_tracing_state,
    _is_any_autocast_enabled,
    _len_torch_dispatch_stack,
    _len_torch_function_stack,
)
from torch._C._autograd import _profiler_enabled
from torch._C._functorch import TransformType, _unwrap_for_grad, _wrap_for_grad
from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters
from torch.autograd import forward_ad

if TYPE_CHECKING:
    from .torch import Operator


def is_transformed() -> bool:
    """Returns True if torch.func's transforms or forward-mode derivatives are active."""
    return _are_functorch_transforms_active() or forward_ad._current_level >= 0


def is_unwatched() -> bool:
    """Returns True if no transform, mode, autocast, trace or profiler watches operators."""
    return not (
        _len_torch_dispatch_stack()
        or _len_torch_function_stack()
        or _are_functorch_transforms_active()
        or forward_ad._current_level >= 0
        or _is_any_autocast_enabled()
        or _get_tracing_state()
        or _profiler_enabled()
    )


def at_once(operator: "Operator", pull: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function of tensors that records an operator for autograd only.

    Its class is made for the operator, so a call passes tensors alone, and the graph holds nothing else.

    Args:
        pull: computes gradients from the saved tensors, from the booleans that tell which are needed, and from those that
            arrive. If it writes them into the operands, it must count up their versions, and PyTorch refuses old values.
    """

    class AtOnce(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: torch.Tensor) -> Any:
            ctx.to_save = tensors  # as save_for_backward does
            return operator._run_plain(tensors)

        @staticmethod
        def backward(ctx: Any, *grads: torch.Tensor) -> Any:
            return pull(ctx.saved_tensors, ctx.needs_input_grad, grads)  # under a checkpoint they can be read only once

    # The graph's node calls backward without a look for vjp and boxed gradients, which this class has not.
    AtOnce._backward_cls.apply = AtOnce.backward  # type: ignore[attr-defined]
    apply: Callable[..., Any] = AtOnce.apply
    return apply


class Recorded(torch.autograd.function._SingleLevelFunction):
    """An operator that PyTorch's dispatcher records, also at one level of torch.func's transforms.

    torch.library.register_autograd refuses such levels, which programs of torch.compile have.
    """

    apply: Any  # PyTorch's base class has it, and does not declare it

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
    if any(level.key() == TransformType.Vmap for level in levels):
        raise NotImplementedError(
            "a batch of forward-mode derivatives of forward-mode derivatives, as in jacfwd of jacfwd; take jacfwd of jacrev"
        )
    number = levels[-1].level()
    with levels[-1].lower(), torch.autograd.forward_ad._set_fwd_grad_enabled(True):
        made = push([_unwrap_for_grad(t, number) for t in inputs], [_unwrap_for_grad(t, number) for t in tangents])
    return _wrap_for_grad(made, number)


def _forward_levels() -> int:
    """Returns how many forward modes of torch.func are active, one inside the other."""
    levels = retrieve_all_functorch_interpreters()
    return sum(level.key() == TransformType.Jvp for level in levels)
