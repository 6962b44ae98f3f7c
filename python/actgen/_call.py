"""Runs kernels on arrays of any strides, as the rows and columns that machine code walks over."""

import itertools
import math
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._arrays import NUMBERS, View, dense, empty, handed_over, packed, view
from ._library import BIT_CODE, BYTE_CODE, CODE_NAMES, NIBBLE_NAMES, SEED_CODE, check, ffi, lib
from ._threads import share

MATRIX, COLS, ROWS = lib.ACTGEN_SHAPE_MATRIX, lib.ACTGEN_SHAPE_COLS, lib.ACTGEN_SHAPE_ROWS
WORKSPACE_ALIGNMENT = 16  # bytes (include/actgen/sums.h)
BLOCK = 1 << 15  # the least elements that are worth another thread: some microseconds of work
LEAST_ROW = 64  # the least elements of a row that are worth a call of machine code without a copy


class Group(NamedTuple):
    """An operand of a call: one name, or several names that share the rows of an array."""

    name: str
    code: int
    shape: int
    parts: int
    is_result: bool
    has_sums: bool  # True if its kernel has sums
    block: int = 0  # the columns that share an element; 0: each has its own
    block_rows: int = 0  # the rows that do

    def __str__(self) -> str:
        return f"operand `{self.name}`"

    @property
    def per_byte(self) -> int:
        """The number of elements that share a byte."""
        return 8 if self.code == BIT_CODE else 2 if self.code in NIBBLE_NAMES else 1

    @property
    def has_blocks(self) -> bool:
        return self.block > 0 or self.block_rows > 0

    @property
    def is_shared(self) -> bool:
        """True if elements of the operand share a byte, or if elements of the call share one of the operand's."""
        return self.per_byte > 1 or self.has_blocks

    @property
    def is_seed(self) -> bool:
        """True if the operand is a seed, an offset or the number of the first row. It has no gradient."""
        return self.code == SEED_CODE

    @property
    def is_list(self) -> bool:
        """True if the operand has several values that all elements share."""
        return self.parts > 1 and self.shape not in (MATRIX, COLS, ROWS)

    @property
    def array_code(self) -> int:
        """The element type of its arrays. Elements of part of a byte lie in arrays of bytes."""
        return BYTE_CODE if self.per_byte > 1 else self.code


class _Axis(NamedTuple):
    """An axis of a call, with the step of each operand along it, in elements."""

    size: int
    steps: tuple[int, ...]


class Walk(NamedTuple):
    """The way of a call through memory.

    This module walks over the outer axes, and machine code over rows and columns. `strides` are those of each operand's rows.
    If a row may be cut anywhere, `steps` has the step of each operand along it, and is empty otherwise. A thread takes a
    multiple of `unit` rows.
    """

    outer: Sequence[_Axis]
    rows: int
    cols: int
    strides: tuple[int, ...]
    steps: tuple[int, ...]
    unit: int = 1


def is_flat(groups: Sequence[Group]) -> bool:
    """Returns True if a result element depends only on input elements of its place, so that any order and any rows will do."""
    own = all(
        (g.parts == 1 or g.is_list) and g.shape not in (COLS, ROWS) and not (g.is_seed or g.is_shared) for g in groups
    )
    return own and not has_sums(groups)


def has_sums(groups: Sequence[Group]) -> bool:
    """Returns True if the kernel sums over rows or columns, so that its bits depend on the places of elements."""
    return any(g.has_sums for g in groups)


def sums_over_rows(groups: Sequence[Group]) -> bool:
    """Returns True if some result is made of all rows, so that one call must have all of them."""
    return any(g.is_result and g.shape not in (MATRIX, ROWS) for g in groups)


def has_values_of_rows(groups: Sequence[Group]) -> bool:
    """Returns True if a result has one value per row. Operands of shape [rows] then must stay so."""
    return any(g.is_result and g.shape == ROWS for g in groups)


def refuse_shared(name: str, groups: Sequence[Group], library: str) -> None:
    """Raises ValueError for operands that operators of other libraries lack: masks, lists, blocks, types of 4 bits."""
    if any(g.code == BIT_CODE for g in groups):
        raise ValueError(f"{name} has masks of bits, and operators of {library} have none yet: call the kernel")
    if any(g.is_shared for g in groups):
        raise ValueError(
            f"{name} has values of blocks or elements of 4 bits, and operators of {library} have none yet: call the kernel"
        )
    if any(g.is_list for g in groups):
        raise ValueError(
            f"{name} has lists, and operators of {library} have none yet: call the kernel, and its gradient"
        )


def row_steps(groups: Sequence[Group]) -> tuple[int, ...]:
    """Returns the `steps` of a walk over contiguous rows."""
    return tuple(int(g.shape == MATRIX) for g in groups) if is_flat(groups) else ()


def _rows_and_cols(group: Group, v: View) -> tuple[tuple[int, ...], int]:
    """Returns the leading axes and the columns of an operand of shape [rows, cols]."""
    last = v.shape[-1] if v.shape else group.parts
    if group.per_byte > 1:  # these are the most columns that the bytes can have
        return v.shape[:-1], group.per_byte * last
    if last % group.parts:
        raise ValueError(f"{group}: {group.parts} names share each row, and the array's rows have {last} elements")
    return v.shape[:-1], last // group.parts


def _common_shape(groups: Sequence[Group], views: Sequence[View]) -> tuple[tuple[int, ...], int]:
    """Returns the leading axes and the columns of a call. Raises ValueError if the operands' shapes do not fit."""
    pairs = list(zip(groups, views, strict=False))
    shapes = [(g, _rows_and_cols(g, v)) for g, v in pairs if g.shape == MATRIX and not g.has_blocks]
    if not shapes:  # all inputs are broadcast: those of shape [rows] and [cols] tell the sizes
        if (blocks := next((g for g, _v in pairs if g.has_blocks), None)) and not blocks.is_result:
            raise ValueError(f"{blocks} has blocks, and no input of shape [rows, cols] tells how long the last one is")
        sizes = {g.shape: math.prod(v.shape) for g, v in pairs}
        return (sizes.get(ROWS, 1),), sizes.get(COLS, 1)
    first, common = next((s for s in shapes if s[0].per_byte == 1), shapes[0])
    for group, shape in shapes:
        wanted = _whole_bytes(group, common[1])
        if group.per_byte > 1 and (shape[0] != common[0] or shape[1] != wanted):
            raise ValueError(
                f"{group} has rows of {shape[1] // group.per_byte} bytes and leading axes {shape[0]}, and for {first}, of "
                f"{common[1]} columns and leading axes {common[0]}, it needs {wanted // group.per_byte}"
            )
        if group.per_byte == 1 and shape != common:
            raise ValueError(_other_shape(group, _whole_shape(group, shape), first, _whole_shape(first, common)))
    return common


def _whole_shape(group: Group, shape: tuple[tuple[int, ...], int]) -> list[int]:
    """Returns the shape of an array with these leading axes and columns."""
    return [*shape[0], shape[1] * group.parts]


def _other_shape(group: Group, shape: list[int], first: Group, wanted: list[int]) -> str:
    """Returns the message for two operands of shape [rows, cols] that differ."""
    parts = f" for its {first.parts} parts" if first.parts > 1 else ""
    kind = "f32[]" if math.prod(shape) == 1 else "f32[cols]"
    hint = "" if group.is_result else f"; an operand that is broadcast is declared so, as in `{group.name}: {kind}`"
    return f"{group} has shape {shape}, and {first} {wanted}{parts}{hint}"


def _whole_bytes(group: Group, cols: int) -> int:
    """Returns the elements of the bytes that a row of `cols` columns fills."""
    return -(-cols // group.per_byte) * group.per_byte


def _shape_of_blocks(group: Group, lead: tuple[int, ...], cols: int) -> tuple[int, ...]:
    """Returns the shape of an operand whose elements blocks share, for a call of these leading axes and columns."""
    rows = (*lead[:-1], -(-lead[-1] // group.block_rows)) if group.block_rows and lead else lead
    return rows if group.shape == ROWS else (*rows, -(-cols // (group.block or 1)))


def _steps_of_blocks(group: Group, v: View, lead: tuple[int, ...], cols: int) -> tuple[int, ...]:
    wanted, shape = _shape_of_blocks(group, lead, cols), v.shape
    if group.shape == ROWS and len(shape) == len(lead) + 1 and shape[-1] == 1:
        shape = shape[:-1]
    if shape != wanted and not (not shape and math.prod(wanted) == 1):
        raise ValueError(f"{group} has shape {list(v.shape)}; here it must be {list(wanted)}")
    steps = list(v.strides[: len(lead)]) if shape else [0] * len(lead)
    if lead and wanted[len(lead) - 1] == 1:  # one row of blocks, whose step nobody takes
        steps[-1] = _width(group, cols)
    return tuple(steps)


def _steps(group: Group, v: View, lead: tuple[int, ...], cols: int) -> tuple[int, ...]:
    """Returns an operand's steps along the leading axes. Raises ValueError where NumPy would not broadcast it either."""
    shape, strides = v.shape, v.strides
    if group.has_blocks:
        return _steps_of_blocks(group, v, lead, cols)
    if group.shape == MATRIX:
        return tuple(group.per_byte * s for s in strides[: len(lead)])
    if group.shape == ROWS:
        if len(shape) == len(lead) + 1 and shape[-1] == 1:
            shape, strides = shape[:-1], strides[:-1]
        if shape == lead:
            return strides
        wanted = f"[{', '.join(map(str, lead))}, 1]"
        fits = all(size == 1 for size in (*shape, *lead))
    else:
        size = cols if group.shape == COLS else group.parts
        wanted = f"[{size}]" if group.shape == COLS or group.is_list else "[]"
        fits = math.prod(shape) == size and (size <= 1 or (shape[-1] == size and strides[-1] == 1))
    if not fits:
        raise ValueError(f"{group} has shape {list(v.shape)}; here it must be {wanted}, contiguous")
    return (0,) * len(lead)


def _merged(axes: Sequence[_Axis]) -> list[_Axis]:
    """Joins axes that follow each other without a gap in every operand."""
    out: list[_Axis] = []
    for axis in axes:
        if out and out[-1].steps == tuple(step * axis.size for step in axis.steps):
            axis = _Axis(out.pop().size * axis.size, axis.steps)
        if axis.size != 1:
            out.append(axis)
    return out


def _width(group: Group, cols: int) -> int:
    """Returns the number of elements of a row."""
    if group.shape != MATRIX:
        return 1
    return -(-cols // group.block) if group.block else _whole_bytes(group, group.parts * cols)


def _walk(groups: Sequence[Group], views: Sequence[View], lead: tuple[int, ...], cols: int) -> Walk:
    steps = [_steps(g, v, lead, cols) for g, v in zip(groups, views, strict=True)]
    axes = [_Axis(size, tuple(s[i] for s in steps)) for i, size in enumerate(lead)]
    matrices = [i for i, g in enumerate(groups) if g.shape == MATRIX]
    unit = max(1, *(g.block_rows for g in groups))
    last = _Axis(cols, tuple(v.strides[-1] if g.shape == MATRIX and v.shape else 0 for g, v in zip(groups, views)))  # noqa: B905
    if is_flat(groups):  # a permuted dense array becomes one row
        free = [axis for axis in [*axes, last] if axis.size != 1]
        axes = _merged(sorted(free, key=lambda axis: [-abs(step) for step in axis.steps]))
        is_row = bool(axes) and all(axes[-1].steps[i] == 1 for i in matrices)
        cols = axes.pop().size if is_row else 1
    else:
        for i in matrices:
            if last.steps[i] != 1 and _width(groups[i], cols) > groups[i].per_byte and 0 not in lead:
                raise ValueError(f"{groups[i]}: the elements of a row must be contiguous")
        # Blocks of rows begin anew with each index of the axes in front of the rows.
        kept = axes[-1:] if unit > 1 else []
        axes = [*_merged(axes[: len(axes) - len(kept)]), *kept]
    width = [_width(g, cols) for g in groups]
    if axes and all(axes[-1].steps[i] >= width[i] for i, g in enumerate(groups) if g.shape in (MATRIX, ROWS)):
        rows = axes.pop()
        return Walk(axes, rows.size, cols, rows.steps, row_steps(groups), unit)
    if unit > 1 and lead and lead[-1] > 1:
        raise ValueError("blocks of rows need rows that follow each other in memory: make the arrays contiguous")
    return Walk(axes, 1, cols, (0,) * len(groups), row_steps(groups))


def _refuse_overlap(groups: Sequence[Group], views: Sequence[View]) -> None:
    """Raises ValueError for overlaps between outer axes. The library sees only those within rows and columns."""
    spans = []
    for v in views:
        reach = [(n - 1) * s * lib.actgen_type_bytes(v.code) for n, s in zip(v.shape, v.strides, strict=True)]
        low = v.address + sum(min(r, 0) for r in reach)
        spans.append((low, low + sum(map(abs, reach)) + lib.actgen_type_bytes(v.code)))
    for i, result in enumerate(groups):
        for k, other in enumerate(groups):
            overlaps = spans[i][0] < spans[k][1] and spans[k][0] < spans[i][1]
            in_place = (views[i].address, views[i].strides) == (views[k].address, views[k].strides)
            if result.is_result and i != k and overlaps and not (in_place and not other.is_result):
                raise ValueError(f"result `{result.name}` overlaps `{other.name}`")


def operands_at(addresses: Sequence[int], strides: Sequence[int]) -> Any:
    """Makes an array of actgen_operand."""
    out = ffi.new("actgen_operand[]", len(addresses))
    for operand, address, stride in zip(out, addresses, strides, strict=True):
        operand.data, operand.stride = ffi.cast("void *", address), stride
    return out


def run(handle: Any, addresses: Sequence[int], sizes: Sequence[int], walk: Walk, threads: int) -> None:
    """Makes one call of machine code without outer axes, shared by threads. `sizes` are the bytes of elements."""
    rows, cols, strides = walk.rows, walk.cols, walk.strides
    if walk.steps and rows == 1 and cols >= 2 * BLOCK and threads > 1:  # a long row is cut into many and a rest
        block = max(BLOCK, cols // (4 * threads) // 64 * 64)
        rest = cols - cols % block
        if rest < cols:
            ends = [a + rest * step * size for a, step, size in zip(addresses, walk.steps, sizes, strict=True)]
            run(handle, ends, sizes, Walk((), 1, cols - rest, strides, walk.steps), 1)
        rows, cols = rest // block, block
    operands = operands_at(addresses, strides)
    count = len(addresses)
    block = rows if threads == 1 or rows * cols < 2 * BLOCK else max(1, BLOCK // cols, rows // (4 * threads))
    if block < rows:
        block = -(-block // walk.unit) * walk.unit

    def part(i: int) -> None:
        error = ffi.new("actgen_error *")
        here = min(block, rows - i * block)
        check(lib.actgen_run_rows(handle, i * block, here, rows, cols, operands, count, error), error)

    share(-(-rows // block), part, threads)


def run_sums(handle: Any, addresses: Sequence[int], sizes: Sequence[int], walk: Walk, threads: int) -> None:
    """Makes one call of a kernel with sums. Threads share its blocks of rows, and the library joins the sums in order."""
    rows, cols, count = walk.rows, walk.cols, len(addresses) + 1
    workspace = lib.actgen_kernel_workspace(handle, rows, cols)
    memory = ffi.new("char[]", workspace + WORKSPACE_ALIGNMENT)
    place = -(-int(ffi.cast("uintptr_t", memory)) // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT
    operands = operands_at([*addresses, place], [*walk.strides, workspace])
    block = rows
    if threads > 1 and rows * cols >= 2 * BLOCK:
        unit = max(walk.unit, lib.ACTGEN_BLOCK_ROWS)
        block = -(-rows // (threads * unit)) * unit

    def part(i: int) -> None:
        error = ffi.new("actgen_error *")
        here = min(block, rows - i * block)
        check(lib.actgen_run_rows(handle, i * block, here, rows, cols, operands, count, error), error)

    share(-(-rows // block) if rows else 0, part, threads)
    error = ffi.new("actgen_error *")
    check(lib.actgen_finish(handle, rows, cols, operands, count, error), error)


def interpret(handle: Any, addresses: Sequence[int], sizes: Sequence[int], walk: Walk, threads: int) -> None:
    """Makes the same call by the interpreter, on one thread."""
    error = ffi.new("actgen_error *")
    operands = operands_at(addresses, walk.strides)
    check(lib.actgen_interpret(handle, walk.rows, walk.cols, operands, len(addresses), error), error)


def _execute(
    handle: Any, walk: Walk, groups: Sequence[Group], views: Sequence[View], threads: int, execute: Any
) -> None:
    sizes = [lib.actgen_type_bytes(v.code) for v in views]
    seeds = [k for k, v in enumerate(views) if v.code == SEED_CODE]
    for number, index in enumerate(itertools.product(*(range(axis.size) for axis in walk.outer))):
        offsets = [sum(i * axis.steps[k] for i, axis in zip(index, walk.outer, strict=True)) for k in range(len(views))]
        sized = zip(views, offsets, sizes, groups, strict=True)
        addresses = [v.address + o * size // g.per_byte for v, o, size, g in sized]
        strides = list(walk.strides)
        if seeds and number:  # the stride of an offset is the number of elements, or of rows, before these
            here = operands_at([*addresses, 0], [*(0 if k in seeds else s for k, s in enumerate(strides)), 0])
            lib.actgen_operands_at_row(handle, number * walk.rows, walk.cols, here, here)
            for k in seeds:
                strides[k] = here[k].stride
        execute(handle, addresses, sizes, walk._replace(strides=tuple(strides)), threads)


def _memory(v: View) -> np.ndarray:
    """Returns the memory of a view as an array of integers."""
    size = lib.actgen_type_bytes(v.code)
    interface = {
        "data": (v.address, False),
        "shape": v.shape,
        "strides": tuple(size * s for s in v.strides),
        "typestr": f"<u{size}",
        "version": 3,
    }
    return np.asarray(types.SimpleNamespace(__array_interface__=interface))


def _run_copies(handle: Any, groups: Sequence[Group], views: Sequence[View], threads: int, execute: Any) -> None:
    """Runs a flat kernel on copies without gaps.

    This takes less time than a call of machine code for each of many short rows. The caller has refused overlaps.
    """
    matrices = [g.shape == MATRIX for g in groups]
    copies = [np.ascontiguousarray(_memory(v)) if m else None for v, m in zip(views, matrices, strict=True)]
    addresses = [
        v.address if c is None else c.__array_interface__["data"][0] for v, c in zip(views, copies, strict=True)
    ]
    sizes = [lib.actgen_type_bytes(v.code) for v in views]
    elements = next(c.size for c in copies if c is not None)
    execute(handle, addresses, sizes, Walk((), 1, elements, (0,) * len(groups), row_steps(groups)), threads)
    for group, v, made in zip(groups, views, copies, strict=True):
        if group.is_result:
            _memory(v)[...] = made


def _refuse_what_rows_refuse(handle: Any, views: Sequence[View], walk: Walk) -> None:
    """Raises the exceptions of a call on these rows, without a run."""
    error, operands = ffi.new("actgen_error *"), operands_at([v.address for v in views], walk.strides)
    check(lib.actgen_run_rows(handle, 0, 0, walk.rows, walk.cols, operands, len(views), error), error)


def run_views(handle: Any, groups: Sequence[Group], views: Sequence[View], threads: int, execute: Any) -> None:
    """Runs a kernel on memory by `execute`, which is `run` or `interpret`. Raises ValueError if shapes do not fit."""
    lead, cols = _common_shape(groups, views)
    if math.prod(lead) * cols or has_sums(groups):
        walk = _walk(groups, views, lead, cols)
        if walk.outer:
            if sums_over_rows(groups):
                raise ValueError("sums over rows need rows at equal distances: make the arrays contiguous")
            _refuse_overlap(groups, views)
        if is_flat(groups) and walk.cols < LEAST_ROW and math.prod(lead) * cols > walk.cols:
            _refuse_what_rows_refuse(handle, views, walk)
            _run_copies(handle, groups, views, threads, execute)
        else:
            _execute(handle, walk, groups, views, threads, execute)


def result_shape(group: Group, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the shape of a new result. Sums over columns are [..., rows, 1], like an operand of shape [rows]."""
    if group.is_list:
        return (group.parts,)
    if not shape or group.shape not in (MATRIX, COLS, ROWS):
        return ()
    lead = {MATRIX: shape[:-1], COLS: (), ROWS: shape[:-1]}[group.shape]
    if group.has_blocks:
        return _shape_of_blocks(group, lead, shape[-1])
    if group.per_byte > 1:
        return (*lead, _whole_bytes(group, shape[-1]) // group.per_byte)
    return (*lead, 1 if group.shape == ROWS else shape[-1] * group.parts)


def _results(name: str, groups: Sequence[Group], out: Any, shape: tuple[int, ...], like: Any) -> list[Any]:
    """Returns the arrays of `out`, or new ones for a call of `shape`."""
    if out is None:
        return [empty(result_shape(g, shape), g.array_code, like) for g in groups]
    given = list(out) if isinstance(out, (tuple, list)) else [out]
    if len(given) != len(groups):
        raise TypeError(f"{name} has {len(groups)} results, and out has {len(given)} arrays")
    return given


def _check_types(groups: Sequence[Group], views: Sequence[View]) -> None:
    for group, v in zip(groups, views, strict=True):
        if v.code != group.array_code:
            advice = "" if v.code == lib.ACTGEN_I32 else f", or compile the kernel for {CODE_NAMES[v.code]}"
            raise TypeError(
                f"{group} is {CODE_NAMES[group.code]}, and the array is {CODE_NAMES[v.code]}: convert it{advice}"
            )
        if group.is_result and not v.writable:
            raise ValueError(f"{group} is a result, and the array cannot be written")


def call(
    name: str, handle: Any, groups: Sequence[Group], arrays: Sequence[Any], out: Any, threads: int, execute: Any
) -> Any:
    """Runs a kernel on arrays of any strides by `execute`, which is `run` or `interpret`. Returns a result or a tuple."""
    inputs = [g for g in groups if not g.is_result]
    outputs = [g for g in groups if g.is_result]
    arrays = [packed(a, g.code) if g.code in NIBBLE_NAMES else a for a, g in zip(arrays, inputs, strict=True)]
    views = [view(dense(a), g.array_code) for a, g in zip(arrays, inputs, strict=True)]
    lead, cols = _common_shape(inputs, views)
    is_scalar = all(not v.shape for v, g in zip(views, inputs, strict=True) if not g.is_list)
    like = next((a for a in arrays if not isinstance(a, NUMBERS)), 0.0)
    results = _results(name, outputs, out, () if is_scalar else (*lead, cols), like)
    views += [view(r, g.array_code) for r, g in zip(results, outputs, strict=True)]
    _check_types(groups, views)
    run_views(handle, groups, views, threads, execute)
    if out is None:
        results = [handed_over(r, like) for r in results]
    return results[0] if len(results) == 1 else tuple(results)
