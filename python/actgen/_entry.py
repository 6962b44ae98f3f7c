"""Shortens the tracebacks of public functions, whose inner frames tell a user nothing."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_FOLDER = str(Path(__file__).parent) + os.sep


def _is_own(traceback: TracebackType) -> bool:
    return traceback.tb_frame.f_code.co_filename.startswith(_FOLDER)


def shorter(error: Exception) -> Exception:
    """Returns the exception, for the public function that caught it and raises it anew.

    Of this package's inner frames only the last stays, where the exception was raised first. Frames of other code, such as a
    user's function, all stay.
    """
    inner: list[TracebackType] = []
    here = error.__traceback__
    while here is not None and (here := here.tb_next) is not None:  # the first frame is the caller's of this function
        inner.append(here)
    last = next((frame for frame in reversed(inner) if _is_own(frame)), None)
    kept: TracebackType | None = None
    for frame in reversed(inner):
        if frame is last or not _is_own(frame):
            kept = TracebackType(kept, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return error.with_traceback(kept)


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Makes a public function whose exceptions have short tracebacks."""

    @functools.wraps(function)
    def public(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except Exception as error:
            raise shorter(error)  # noqa: B904 - it is the same exception

    return public
