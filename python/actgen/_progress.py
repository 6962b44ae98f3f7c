"""Reports the progress of long work by a bar of tqdm or a function of the user, and handles interrupts."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ._library import ffi, text


class Watch:
    """The function that the library calls while it works, and the exception that made it stop."""

    def __init__(self, told: Callable[..., object] | None, signature: str) -> None:
        self.raised: BaseException | None = None

        def report(_payload: Any, *state: Any) -> int:
            if self.raised is None and told is not None:
                told(*[text(s) if isinstance(s, ffi.CData) else s for s in state])
            return self.raised is not None

        def failed(_kind: Any, exception: BaseException, _traceback: Any) -> int:
            self.stop(exception)
            return 1

        self.callback = ffi.callback(signature, report, error=1, onerror=failed)

    def stop(self, exception: BaseException) -> None:
        """Ends the work soon, and lets `exception` be raised then."""
        self.raised = self.raised or exception


@contextlib.contextmanager
def watched(progress: bool | Callable[..., object], what: str, signature: str) -> Iterator[Watch]:
    """Yields a Watch, and raises its exception at the end of the block. `progress`: True for a bar, or a function."""
    bar: Any = None
    told: Callable[..., object] | None = progress if callable(progress) else None
    if progress is True:
        with contextlib.suppress(ImportError):
            from tqdm.auto import tqdm

            bar = tqdm(
                total=100, desc=what, unit="%", bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
            )

            def shown(done: float, detail: Any) -> None:
                bar.update(max(done * 100 - bar.n, 0))
                worst = detail if isinstance(detail, str) else f"{detail:.3g} ulp"
                bar.set_postfix_str(worst, refresh=False)

            told = shown

    watch = Watch(told, signature)
    try:
        yield watch
    finally:
        if bar is not None:
            if watch.raised is None:
                bar.update(100 - bar.n)
            bar.close()
        if watch.raised is not None:
            raise watch.raised
