"""Shares work among a pool of Python threads, because the library itself starts none."""

import itertools
import numbers
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from ._library import ffi

_MOST = 256
_pool: ThreadPoolExecutor | None = None


def available() -> int:
    """Returns the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


def count_of(threads: int | None) -> int:
    """Returns how many threads a caller means. None means all processors. Raises ValueError for less than one, and TypeError."""
    if threads is None:
        return available()
    if not isinstance(threads, numbers.Integral):
        raise TypeError(f"threads is a whole number, or None for all processors, and not {threads!r}")
    if threads < 1:
        raise ValueError(f"threads is {threads}; it is at least 1, or None for all processors")
    return int(threads)


def _forget_pool() -> None:
    """Forgets the parent's pool, whose threads do not exist in a child of fork."""
    global _pool
    _pool = None


os.register_at_fork(after_in_child=_forget_pool)


def _start(work: Callable[[], None], threads: int) -> list[Future[None]]:
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(max_workers=_MOST, thread_name_prefix="actgen")
    return [_pool.submit(work) for _ in range(min(threads, _MOST))]


def _turns(count: int, task: Callable[[int], None]) -> Callable[[], None]:
    """Returns the work of each thread: it takes the next index until there is none. So a late thread delays nothing."""
    counter = itertools.count()

    def work() -> None:
        while (i := next(counter)) < count:
            task(i)

    return work


def share(count: int, task: Callable[[int], None], threads: int) -> None:
    """Calls task(i) for all i < count on at most `threads` threads, this one included. Raises the exception of a task."""
    work = _turns(count, task)
    helpers = _start(work, min(threads, count) - 1)
    try:
        work()
    finally:
        for helper in helpers:
            if not helper.cancel():
                helper.result()


def parallel_function(threads: int, stop: Callable[[BaseException], None]) -> Any:
    """Makes an actgen_parallel_fn on `threads` threads of the pool.

    The calling thread only waits. It passes an interrupt to `stop`, and then waits for the tasks, which end soon.
    """

    @ffi.callback("void(void *, size_t, void (*)(void *, size_t), void *)")
    def parallel(_payload: Any, count: int, task: Any, context: Any) -> None:
        helpers = _start(_turns(count, lambda i: task(context, i)), min(threads, count))
        while True:
            try:
                wait(helpers)
                return
            except BaseException as interruption:
                stop(interruption)

    return parallel
