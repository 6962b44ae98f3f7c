"""Memory of long results, which is kept when they are gone: fresh pages take as long as the work that fills them.

What is kept is offered to the system (MADV_FREE), which takes it when memory is short; until then it has its pages.
"""

import math
import mmap
import os
from typing import Any

import numpy as np

from ._library import ffi

LEAST = 4 << 20  # bytes of a long result: shorter ones malloc() keeps
_PAGE = 2 << 20  # of the large pages that it has where the system gives them


def _usual_limit() -> int:
    """Bytes that are kept unless told: an eighth of the machine's memory, so that results of hundreds of megabytes are, too."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # a system that does not tell
        memory = 0
    return max(256 << 20, memory // 8)


_limit = _usual_limit()  # bytes that are kept
_kept: list[mmap.mmap] = []


def keep_memory(most: int) -> None:
    """Keeps at most so many bytes of results that are gone for results to come; 0: none.

    Unless told, that is an eighth of the machine's memory, and 256 MiB at least.

    Results of 4 MiB and more lie in such memory. The system may take what is kept at any time.
    """
    global _limit
    _limit = most
    _drop_beyond(most)


def _drop_beyond(most: int) -> None:
    """Gives back what was kept first, until no more than so many bytes are kept."""
    while _kept and sum(map(len, list(_kept))) > most:
        try:
            _kept.pop(0)
        except IndexError:  # another thread was quicker
            return


class _Block:
    """Memory of one result, which NumPy's array owns by this object."""

    def __init__(self, mapping: mmap.mmap, size: int) -> None:
        self._mapping = mapping
        address = int(ffi.cast("uintptr_t", ffi.from_buffer(mapping)))
        start = -address % _PAGE
        self.__array_interface__ = {"data": (address + start, False), "shape": (size,), "typestr": "|u1", "version": 3}

    def __del__(self, drop: Any = _drop_beyond) -> None:
        try:
            self._mapping.madvise(mmap.MADV_FREE)
        except (AttributeError, OSError):  # no such advice here
            return
        _kept.append(self._mapping)
        drop(_limit)


def _mapping(size: int) -> mmap.mmap:
    """Memory of so many bytes and a page: some that was kept, or new."""
    size += _PAGE - size % _PAGE + _PAGE
    for mapping in list(_kept):
        if len(mapping) == size:
            try:
                _kept.remove(mapping)
                return mapping
            except ValueError:  # another thread was quicker
                pass
    mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        mapping.madvise(mmap.MADV_HUGEPAGE)
    except (AttributeError, OSError):  # small pages will do
        pass
    return mapping


def empty(shape: tuple[int, ...], dtype: Any) -> Any:
    """numpy.empty."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < LEAST:
        return np.empty(shape, dtype)
    return np.asarray(_Block(_mapping(size), size)).view(dtype).reshape(shape)


def empty_tensor(shape: tuple[int, ...], dtype: Any) -> Any:
    """torch.empty, on the CPU."""
    import torch

    if math.prod(shape) * dtype.itemsize < LEAST:
        return torch.empty(shape, dtype=dtype, device="cpu")
    return torch.from_numpy(empty(shape, f"int{8 * dtype.itemsize}")).view(dtype)
