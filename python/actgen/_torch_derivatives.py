"""Derivatives of operators: what a backward pass pulls and forward mode pushes, by kernels of gradients."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from . import _call
from ._kernel import Kernel
from ._library import CODE_NAMES
from ._torch_autograd import is_unwatched
from ._torch_shapes import gradient_or_zeros, shape_of, widened

if TYPE_CHECKING:
    from .torch import Operator


class Derivatives:
    """The part of an operator that computes its derivatives."""

    inputs: tuple[_call.Group, ...]
    results: tuple[_call.Group, ...]
    _pattern: Kernel
    _backwards: dict[str, "Operator"]
    _are_matrices: list[bool]
    _are_widened: list[bool]
    _has_own_elements: bool

    def kernel(self, dtype: torch.dtype) -> Kernel:
        """Returns the kernel for a dtype of the first input."""
        raise NotImplementedError

    def _make_backward(self, which: str, dtype: torch.dtype) -> "Operator":
        raise NotImplementedError

    def backward(self, kind: str) -> "Operator":
        """Returns the operator of gradients of a kind."""
        raise NotImplementedError

    def _backward_for(self, kind: str, dtype: torch.dtype) -> "Operator":
        """Returns the operator of gradients of a kind, which is made for a dtype first."""
        return self._backwards.get(kind) or self._make_backward(kind, dtype)

    def _pull(
        self, saved: Sequence[torch.Tensor], needed: Sequence[bool], grads: tuple[torch.Tensor | None, ...]
    ) -> Any:
        """Computes the gradients of the operands, from those that arrive at the results."""
        made = self._pull_plain(saved, grads)
        if made is not None:
            return made
        matrix = self._are_matrices
        wide = any([n and not m for n, m in zip(needed, matrix)])  # noqa: B905 - transforms have one more
        # Sums in the kernel have no gradient. So a pass that is itself recorded widens the operands, and PyTorch sums.
        kind = "" if not wide else "_wide" if torch.is_grad_enabled() else "_sums"
        operator = self._backward_for(kind, saved[0].dtype)
        if any([d is None for d in grads]):
            lead, cols, _ = shape_of(self.inputs, saved)
            grads = tuple(
                [gradient_or_zeros(d, g, lead, cols, saved[0]) for d, g in zip(grads, self.results, strict=True)]
            )
        if kind == "_wide":
            return self._summed(operator, saved, grads)
        made = operator(*saved, *grads)
        if kind == "_sums":
            return self._with_seeds([d.reshape(t.shape) for d, t in zip(_listed(made), self._of_numbers(saved))])  # noqa: B905
        if all(matrix):
            return made
        found = iter(made if isinstance(made, tuple) else (made,))
        return tuple([next(found) if m else None for m in matrix])

    def _pull_plain(self, saved: Sequence[torch.Tensor], grads: tuple[torch.Tensor | None, ...]) -> Any:
        """Runs the gradient kernel on tensors of the usual kind. Returns None for all others, and where passes are recorded."""
        operator = self._backwards.get("")
        if operator is None or not self._has_own_elements or torch.is_grad_enabled() or not is_unwatched():
            return None
        kernel = operator._kernels.get(saved[0].dtype)
        return kernel.run_usual((*saved, *grads), torch.get_num_threads()) if kernel else None

    def _pull_in_place(
        self, saved: tuple[torch.Tensor, ...], needed: Sequence[bool], grads: tuple[torch.Tensor | None, ...]
    ) -> Any:
        """Computes the gradients in the memory of the operands, where nobody else can need their values."""
        own = [is_needed and not t.is_leaf for is_needed, t in zip(needed, saved)]  # noqa: B905 - the operator follows
        if not (all(own) and self._has_own_elements) or torch.is_grad_enabled() or not is_unwatched():
            return self._pull(saved, needed, grads)
        kernel = self.backward("").kernel(saved[0].dtype)
        try:
            made = kernel(*saved, *grads, out=saved[0] if len(saved) == 1 else saved, threads=torch.get_num_threads())
        except ValueError:  # two operands share memory, or the elements of one do
            return self._pull(saved, needed, grads)
        for t in saved:
            torch.autograd.graph.increment_version(t)
        return made

    def _summed(
        self, operator: "Operator", saved: Sequence[torch.Tensor], grads: Sequence[torch.Tensor | None]
    ) -> tuple[torch.Tensor | None, ...]:
        """Computes the gradients of all operands as [rows, cols], and sums those of broadcast operands."""
        lead, cols, _ = shape_of(self.inputs, saved)
        matrix = self._are_matrices
        wide = zip(saved, self.inputs, self._are_widened, strict=True)
        inputs = [widened(t, g, (*lead, cols)) if w else t for t, g, w in wide]
        found = list(self._with_seeds(_listed(operator(*inputs, *grads))))
        for i, t in enumerate(saved):
            if not (matrix[i] or self.inputs[i].is_seed):
                of_rows = self.inputs[i].shape == _call.ROWS and t.dim() == len(lead)
                found[i] = found[i].sum_to_size((*t.shape, 1) if of_rows else t.shape).reshape(t.shape)
        return tuple(found)

    def _of_numbers(self, each: Sequence[Any]) -> list[Any]:
        """Returns what belongs to the operands that are no seeds, and so have gradients."""
        return [one for one, g in zip(each, self.inputs) if not g.is_seed]  # noqa: B905 - transforms have one more

    def _with_seeds(self, found: Sequence[Any]) -> tuple[Any, ...]:
        """Returns gradients with None for each seed."""
        rest = iter(found)
        return tuple([None if g.is_seed else next(rest) for g in self.inputs])

    def _push(self, inputs: Sequence[torch.Tensor], tangents: Sequence[torch.Tensor]) -> torch.Tensor:
        """Computes the directional derivative.

        If a result element depends on the input elements of its place alone, the gradient kernel, with an arriving gradient t,
        gives t times the derivative by each input.
        """
        groups = (*self.inputs, *self.results)
        if len(self.results) > 1 or any(g.parts > 1 or g.shape != _call.MATRIX or g.has_sums for g in groups):
            return self._push_all(inputs, tangents)
        operator = self._backward_for("", inputs[0].dtype)
        pushed = torch.zeros_like(inputs[0])
        for i, t in enumerate(tangents):
            made = operator(*inputs, t)
            pushed = pushed + (made[i] if isinstance(made, tuple) else made)
        return pushed

    def _push_all(self, inputs: Sequence[torch.Tensor], tangents: Sequence[torch.Tensor]) -> Any:
        """Computes the directional derivative J t of any kernel, which is the gradient of <J^T d, t> by any d, here by 0."""
        lead, cols, like = shape_of(self.inputs, inputs)
        whole, along = (
            [
                widened(t, g, (*lead, cols)) if w and t is not None else t
                for t, g, w in zip(given, self.inputs, self._are_widened)  # noqa: B905
            ]
            for given in (inputs, tangents)
        )
        is_scalar = like is not None and not like.dim()
        shapes = [() if is_scalar else _call.result_shape(g, (*lead, cols)) for g in self.results]
        types = [getattr(torch, CODE_NAMES[g.code]) for g in self.kernel(inputs[0].dtype).result_groups]
        zeros = [inputs[0].new_zeros(s, dtype=t) for s, t in zip(shapes, types, strict=True)]
        return self._backward_for("_push", inputs[0].dtype)(*whole, *zeros, *self._of_numbers(along))


def _listed(made: Any) -> Sequence[torch.Tensor]:
    return made if isinstance(made, tuple) else (made,)
