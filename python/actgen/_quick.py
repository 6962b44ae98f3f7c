"""Makes the most frequent calls, with contiguous arrays of one shape, in one or two microseconds.

Each property of an array is read once.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _call, _memory
from ._arrays import BIT_TYPES, numpy_dtype
from ._library import CODE_NAMES, check, ffi, lib
from .errors import Error

_Quick = Callable[[Sequence[Any], Any, int], Any]


def _no_call(_arrays: Sequence[Any], _out: Any, _threads: int) -> Any:
    return None


def quick_call(handle: Any, groups: Sequence[_call.Group]) -> _Quick:
    """Returns a function (arrays, out, threads) that runs a kernel, or returns None for calls that it does not handle."""
    if any(g.shape != _call.MATRIX for g in groups) or not _call.is_flat(groups) or all(g.is_result for g in groups):
        return _no_call
    runs = _Runs(handle, groups)
    tensors: list[_Quick] = []  # filled when PyTorch is imported

    def other(arrays: Sequence[Any], out: Any, threads: int) -> Any:
        torch = sys.modules.get("torch")
        if torch is None or type(arrays[0]) not in (torch.Tensor, torch.nn.Parameter):
            return None
        if not tensors:
            tensors.append(_torch_call(runs, groups))
        return tensors[0](arrays, out, threads)

    return _numpy_call(runs, groups, other)


class _Runs:
    """Calls of one kernel on contiguous operands.

    Each call takes operands and an error record from the spare ones, and puts them back. So calls of other threads may overlap.
    """

    def __init__(self, handle: Any, groups: Sequence[_call.Group]) -> None:
        self.handle, self.count = handle, len(groups)
        self.steps = _call.row_steps(groups)
        self.sizes = [lib.actgen_type_bytes(g.code) for g in groups]
        self.spare: list[Any] = []

    def make(self) -> tuple[Any, Any, list[Any]]:
        """Makes the operands of a call, an error record, and a list of the operands."""
        operands = ffi.new("actgen_operand[]", self.count)
        return operands, ffi.new("actgen_error *"), [operands[i] for i in range(self.count)]

    def shared(self, each: Sequence[Any], elements: int, threads: int) -> None:
        """Makes a long call on several threads."""
        addresses = [int(ffi.cast("uintptr_t", operand.data)) for operand in each]
        _call.run(
            self.handle, addresses, self.sizes, _call.Walk((), 1, elements, (0,) * self.count, self.steps), threads
        )


def _numpy_call(runs: _Runs, groups: Sequence[_call.Group], other: _Quick) -> _Quick:
    try:
        dtypes = [numpy_dtype(g.code) for g in groups]
    except TypeError:  # a type of ml_dtypes, which is missing
        return other
    ndarray, empty, from_buffer = np.ndarray, _memory.empty, ffi.from_buffer
    # The buffer protocol lacks the types of ml_dtypes. Their arrays are passed as integers.
    integers = [BIT_TYPES.get(dtype) for dtype in dtypes]
    inputs = sum(not g.is_result for g in groups)
    last, several = dtypes[-1], dtypes[inputs:] if len(groups) > inputs + 1 else None
    handle, count, spare, make, run, long = (
        runs.handle,
        runs.count,
        runs.spare,
        runs.make,
        lib.actgen_run,
        2 * _call.BLOCK,
    )

    def call(arrays: Sequence[Any], out: Any, threads: int) -> Any:
        if len(arrays) != inputs:
            return None
        first = arrays[0]
        if type(first) is not ndarray:
            return other(arrays, out, threads)
        shape, elements = first.shape, first.size
        if several:
            results = out if out is not None else tuple([empty(shape, d) for d in several])
            if type(results) is not tuple or len(results) != len(several):
                return None
            result = results[-1]
        else:
            result = empty(shape, last) if out is None else out
            results = (result,)
        try:
            own = spare.pop()
        except IndexError:  # other threads have all of them
            own = make()
        operands, error, each = own
        try:
            for array, dtype, bits, operand in zip((*arrays, *results), dtypes, integers, each):  # noqa: B905 - strict costs time
                if array.dtype is not dtype or array.shape != shape or type(array) is not ndarray:
                    return None
                operand.data = from_buffer(array.view(bits) if bits else array)
            if not (shape and elements and all([r.flags.writeable for r in results])):
                return None
            if threads > 1 and elements >= long:
                runs.shared(each, elements, threads)
            else:
                status = run(handle, 1, elements, operands, count, error)
                if status:
                    check(status, error)
        except (AttributeError, BufferError, ValueError) as problem:  # not an array, or not contiguous
            if isinstance(problem, Error):
                raise
            return None
        finally:
            spare.append(own)
        return results if several else result

    return call


def _torch_call(runs: _Runs, groups: Sequence[_call.Group]) -> _Quick:
    import torch

    dtypes = [getattr(torch, CODE_NAMES[g.code]) for g in groups]
    plain, empty, cast, pointer = (
        (torch.Tensor, torch.nn.Parameter),
        _memory.empty_tensor,
        ffi.cast,
        ffi.typeof("void *"),
    )
    is_grad_enabled = torch.is_grad_enabled
    made = dtypes[sum(not g.is_result for g in groups) :]
    handle, count, spare, make, run, long = (
        runs.handle,
        runs.count,
        runs.spare,
        runs.make,
        lib.actgen_run,
        2 * _call.BLOCK,
    )

    def call(arrays: Sequence[Any], out: Any, threads: int) -> Any:
        shape = arrays[0].shape
        if out is None:
            results = tuple([empty(shape, d) for d in made])
        else:
            results = out if type(out) is tuple else (out,)
            if len(results) != len(made):
                return None
        try:
            own = spare.pop()
        except IndexError:  # other threads have all of them
            own = make()
        operands, error, each = own
        try:
            for array, dtype, operand in zip((*arrays, *results), dtypes, each):  # noqa: B905
                if type(array) not in plain or array.dtype is not dtype or array.shape != shape:
                    return None
                if not array.is_contiguous() or not array.is_cpu or (array.requires_grad and is_grad_enabled()):
                    return None
                try:
                    operand.data = cast(pointer, array.data_ptr())
                except RuntimeError:  # a wrapper of torch.func or of batched gradients has no memory
                    return None
            elements = results[0].numel()
            if not (shape and elements):
                return None
            if threads > 1 and elements >= long:
                runs.shared(each, elements, threads)
            else:
                status = run(handle, 1, elements, operands, count, error)
                if status:
                    check(status, error)
        finally:
            spare.append(own)
        return results[0] if len(results) == 1 else results

    return call
