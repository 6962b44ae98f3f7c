"""Finds the shapes of an operator's tensors, and widens tensors to them."""

from collections.abc import Sequence

import torch

from . import _call
from ._arrays import view
from ._library import CODE_NAMES, SEED_CODE


def first_matrix(groups: Sequence[_call.Group]) -> tuple[int, _call.Group]:
    """Returns the first operand of shape [rows, cols]. Results have its dtype and order of axes."""
    return next((i, g) for i, g in enumerate(groups) if g.shape == _call.MATRIX)


def shape_of(
    groups: Sequence[_call.Group], tensors: Sequence[torch.Tensor]
) -> tuple[tuple[int, ...], int, torch.Tensor | None]:
    """Returns the leading axes, the columns, and the first tensor of shape [rows, cols]."""
    i, group = first_matrix(groups)
    shape = tuple(tensors[i].shape)
    return shape[:-1], shape[-1] // group.parts if shape else 1, tensors[i]


def signed_tensor(number: int) -> torch.Tensor:
    """Returns a seed, an offset or a first row as int64 of the same bits. PyTorch's compilers know few operators of uint64."""
    view(number, SEED_CODE)  # which raises ValueError for numbers that are none
    number = int(number)  # NumPy's uint64 would overflow
    return torch.tensor(number - (number >> 63 << 64), dtype=torch.int64)


def unsigned(tensor: torch.Tensor) -> torch.Tensor:
    """Returns a tensor of int64 as uint64 of the same bits, and any other as it is."""
    return tensor.view(torch.uint64) if tensor.dtype is torch.int64 else tensor


def gradient_or_zeros(
    d: torch.Tensor | None, group: _call.Group, lead: tuple[int, ...], cols: int, like: torch.Tensor
) -> torch.Tensor:
    """Returns the gradient that arrives at a result, or zeros if none does."""
    if d is not None:
        return d
    return torch.zeros((*lead, cols * group.parts), dtype=getattr(torch, CODE_NAMES[group.code]), device=like.device)


def widened(tensor: torch.Tensor, group: _call.Group, whole: tuple[int, ...]) -> torch.Tensor:
    """Expands a broadcast operand to the shape [rows, cols]."""
    if group.shape == _call.ROWS and tensor.dim() < len(whole):
        tensor = tensor.unsqueeze(-1)
    return tensor.expand(whole).contiguous()
