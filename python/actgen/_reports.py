"""Defines what a kernel says of itself: its operands, its certificate, and the result of a verification."""

import dataclasses
from typing import Any, NamedTuple

from ._library import ffi, text


class Operand(NamedTuple):
    """One name of a kernel: its type, shape and layout, whether it is a result, and the operand of a call that holds it."""

    name: str
    dtype: str
    shape: str
    layout: str
    is_result: bool
    group: int
    parts: int


@dataclasses.dataclass(frozen=True)
class Certificate:
    """The promise of a kernel, and the errors that were measured while it was planned: the worst over its pieces.

    Attributes:
        accuracy: the requested bound, such as "3 ulp".
        plan: the shape and parameters of the plan, in one line.
        profile: the profile of the plan. Kernels of one profile give equal bits.
        max_ulp, max_ulp_at: the largest error, in ulps of the exact value, and the input that has it.
        max_abs, max_abs_at: the largest |error| / max(1, |y|), and the input that has it.
        inputs: the number of inputs that were compared with the reference.
        exhaustive: True if these were all 2^32 inputs of each piece. False if they were a sample.
        is_whole: True if the bound holds for whole results. False if it holds for each function of one value.
        proved_ulp, proved_abs: the proved largest error of functions of one float64 that were compiled with `prove=True`. It is
            in ulps or, if the bound is absolute, in the units of max_abs. 0 means that the error was only measured.
        proved_intervals: the number of intervals that were analysed. Together they have all inputs.
        proved_seen: the largest error that was found where the proved bounds are largest.
    """

    accuracy: str
    plan: str
    profile: str
    max_ulp: float
    max_ulp_at: float
    max_abs: float
    max_abs_at: float
    inputs: int
    exhaustive: bool
    is_whole: bool
    proved_ulp: float
    proved_abs: float
    proved_intervals: int
    proved_seen: float


@dataclasses.dataclass(frozen=True)
class Report:
    """The result of `Kernel.verify`. It is true in a condition if nothing is wrong.

    Attributes:
        ok: True if no input is beyond the bound or undecided, and if no bit differs from the interpreter.
        done: the share of the work that was done.
        inputs: the number of inputs that were compared with the reference.
        max_ulp, max_ulp_at, max_abs, max_abs_at: as in Certificate.
        max_ulp_of: the function of one value that has the error max_ulp. "" where results are functions of one operand.
        whole_max_ulp: the largest error of whole results on values like those of networks, which is not promised. NaN where it
            equals max_ulp.
        undecided: the number of inputs for which the reference could not decide.
        wrong: the number of inputs beyond the bound.
        bits_compared, bits_differ: the comparison of machine code with the interpreter.
    """

    ok: bool
    done: float
    inputs: int
    max_ulp: float
    max_ulp_at: float
    max_abs: float
    max_abs_at: float
    max_ulp_of: str
    whole_max_ulp: float
    undecided: int
    wrong: int
    bits_compared: int
    bits_differ: int

    def __bool__(self) -> bool:
        return self.ok


def taken(kind: type, struct: Any) -> Any:
    """Makes a dataclass from the members of a C struct with the same names."""
    values = {}
    for field in dataclasses.fields(kind):
        value = getattr(struct, field.name)
        if isinstance(value, ffi.CData):
            value = text(value)
        values[field.name] = bool(value) if field.type is bool else value
    return kind(**values)
