"""Keeps the memory of long results after these are gone, because fresh pages take as long as the work that fills them.

Kept memory is offered to the system (MADV_FREE), which takes it when memory is short. Until then it has its pages.
"""

import math
import mmap
import numbers
import os
from typing import Any

import numpy as np

from ._entry import entry
from ._library import ffi

LEAST = 4 << 20  # the least bytes of a long result; malloc() keeps the memory of shorter ones
_PAGE = 2 << 20  # the bytes of a large page, which the memory has where the system provides them


def _usual_limit() -> int:
    """Returns the default limit: an eighth of the machine's memory, so that results of hundreds of megabytes are kept."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # the system does not tell
        memory = 0
    return max(256 << 20, memory // 8)


_limit = _usual_limit()  # the most bytes that are kept
_kept: list[mmap.mmap] = []


@entry
def keep_memory(most: int) -> None:
    """Sets how many bytes of former results are kept for new results. 0 keeps none.

    The default is an eighth of the machine's memory, and at least 256 MiB.

    Results of 4 MiB and more lie in such memory. The system may take kept memory at any time. NumPy and PyTorch cannot resize
    such results in place. With 0, later results are ordinary arrays and tensors, which can be resized.

    Raises TypeError for no number, and ValueError for a negative one.
    """
    global _limit
    if not isinstance(most, numbers.Integral):
        raise TypeError(f"the limit is a number of bytes, such as 1 << 30, and not {most!r}")
    if most < 0:
        raise ValueError(f"the limit is {most}; it is at least 0, which keeps none")
    _limit = most
    _drop_beyond(most)


def _drop_beyond(most: int) -> None:
    """Frees the oldest kept memory, until at most `most` bytes are kept."""
    while _kept and sum(map(len, list(_kept))) > most:
        try:
            _kept.pop(0)
        except IndexError:  # another thread was quicker
            return


class _Block:
    """The memory of one result. NumPy's array owns the memory by this object."""

    def __init__(self, mapping: mmap.mmap, size: int) -> None:
        self._mapping = mapping
        address = int(ffi.cast("uintptr_t", ffi.from_buffer(mapping)))
        start = -address % _PAGE
        self.__array_interface__ = {"data": (address + start, False), "shape": (size,), "typestr": "|u1", "version": 3}

    def __del__(self, drop: Any = _drop_beyond) -> None:
        try:
            self._mapping.madvise(mmap.MADV_FREE)
        except (AttributeError, OSError):  # the system has no such advice
            return
        _kept.append(self._mapping)
        drop(_limit)


def _mapping(size: int) -> mmap.mmap:
    """Returns memory of `size` bytes and a page, kept or new."""
    size += _PAGE - size % _PAGE + _PAGE
    # The system may take back the pages at the end that a shorter result does not write.
    for mapping in sorted([kept for kept in list(_kept) if size <= len(kept) <= 2 * size], key=len):
        try:
            _kept.remove(mapping)
            return mapping
        except ValueError:  # another thread was quicker
            pass
    mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        mapping.madvise(mmap.MADV_HUGEPAGE)
    except (AttributeError, OSError):  # small pages work as well
        pass
    return mapping


def empty(shape: tuple[int, ...], dtype: Any) -> Any:
    """Makes an array like numpy.empty, in kept memory if it is long."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < LEAST or not _limit:
        return np.empty(shape, dtype)
    return np.asarray(_Block(_mapping(size), size)).view(dtype).reshape(shape)


def empty_tensor(shape: tuple[int, ...], dtype: Any) -> Any:
    """Makes a tensor like torch.empty on the CPU, in kept memory if it is long."""
    import torch

    if math.prod(shape) * dtype.itemsize < LEAST or not _limit:
        return torch.empty(shape, dtype=dtype, device="cpu")
    return torch.from_numpy(empty(shape, f"int{8 * dtype.itemsize}")).view(dtype)
