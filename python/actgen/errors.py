"""Defines an exception for each kind of failure of the library, with the place in the source and a caret under it."""


class Error(Exception):
    """A failure of actgen. If there is a place, the text shows it with the source line and a caret.

    Attributes:
        status: the library's words for the kind of failure, such as "syntax error".
        message: the fault and its remedy, without the place.
        file: the name of the source, or None.
        line, column: the place in the source, counted from 1. 0 if there is none.
        source: the text of the source, or None.
    """

    def __init__(
        self,
        status: str,
        message: str,
        place: tuple[int, int, int, int] = (0, 0, 0, 0),
        source: str | None = None,
        file: str | None = None,
    ) -> None:
        self.status, self.message, self.source, self.file = status, message, source, file
        self.line, self.column, self.offset, self.length = place
        super().__init__(self.diagnostic())

    def diagnostic(self) -> str:
        """Returns `file:line:column: error: message`, the line, and a caret under the place."""
        if not self.line or self.source is None:
            return self.message
        head = f"{self.file or '<text>'}:{self.line}:{self.column}: error: {self.message}"
        return head + "\n" + excerpt(self.source, self.offset, self.length, self.line)


def excerpt(source: str, offset: int, length: int, number: int) -> str:
    """Returns the line of `source` that has byte `offset`, with a caret range of `length` bytes under it."""
    data = source.encode()
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    end = len(data) if end < 0 else end
    before = data[start:offset].decode(errors="replace").replace("\t", " ")
    line = data[start:end].decode(errors="replace").replace("\t", " ")
    width = len(data[offset : min(offset + length, end)].decode(errors="replace"))
    return f"{number:5d} | {line}\n      | {' ' * len(before)}^{'~' * (width - 1)}"


class SpecError(Error, ValueError):
    """The text of a spec or formula is wrong."""


class AccuracyError(Error, ValueError):
    """No plan keeps the bound. The message has the best plan that was found and the smallest bound that works."""


class ArgumentError(Error, ValueError):
    """An argument is wrong."""


class TargetError(Error, ValueError):
    """The instruction set or core is unknown, or this machine lacks it."""


class NotYetError(Error, NotImplementedError):
    """This version lacks a part of the language."""


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out."""


class BackendError(Error, RuntimeError):
    """LLVM refused."""


class WriteError(Error, OSError):
    """Output could not be written."""


class StoppedError(Error, RuntimeError):
    """The progress function asked to stop."""


class LimitError(Error, RuntimeError):
    """Compiling takes more time or memory than `time_limit` or `memory_limit` allow."""
