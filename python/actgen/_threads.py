"""Threads: work shared among a pool of Python's, since the library itself starts none."""

import itertools
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from ._library import ffi

_MOST = 256
_pool: ThreadPoolExecutor | None = None


def available() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def count_of(threads: int | None) -> int:
    """How many threads a caller means: None are all processors. ValueError for less than one."""
    if threads is None:
        return available()
    if threads < 1:
        raise ValueError(f"threads is {threads}; it is at least 1, or None for all processors")
    return threads


def _forget_pool() -> None:
    """Forgets threads that a child of fork does not have, whatever the parent's pool believes."""
    global _pool
    _pool = None


os.register_at_fork(after_in_child=_forget_pool)


def _start(work: Callable[[], None], threads: int) -> list[Future[None]]:
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(max_workers=_MOST, thread_name_prefix="actgen")
    return [_pool.submit(work) for _ in range(min(threads, _MOST))]


def _turns(count: int, task: Callable[[int], None]) -> Callable[[], None]:
    """What each thread does: it takes the next index until there is none, so that one that starts late delays nothing."""
    counter = itertools.count()

    def work() -> None:
        while (i := next(counter)) < count:
            task(i)

    return work


def share(count: int, task: Callable[[int], None], threads: int) -> None:
    """Calls task(i) for all i < count on at most `threads` threads, this one among them, and raises what a task raised."""
    work = _turns(count, task)
    helpers = _start(work, min(threads, count) - 1)
    try:
        work()
    finally:
        for helper in helpers:
            if not helper.cancel():
                helper.result()


def parallel_function(threads: int, stop: Callable[[BaseException], None]) -> Any:
    """An actgen_parallel_fn on `threads` threads of the pool. The calling thread only waits: an interrupt goes to `stop`, and
    the tasks, which then end soon, are still waited for."""

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
