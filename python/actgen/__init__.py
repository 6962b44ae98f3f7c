"""actgen for Python: compiles neural-network activations from a formula to machine code with a guaranteed error.

    import actgen, numpy as np
    gelu = actgen.compile("gelu")
    y = gelu(np.linspace(-3, 3, 7, dtype=np.float32))

`actgen.compile`, `actgen.load` and `@actgen.jit` make kernels. `actgen.torch` and `actgen.jax` turn them into operators.
"""

import builtins as builtins_
import difflib
import importlib
from typing import TYPE_CHECKING, Any

from ._compile import Builtin, builtins, cache_directory, compile, isas, load, runs_here
from ._jit import functions, jit, where
from ._judged import verify
from ._kernel import Kernel
from ._library import lib as _lib
from ._library import text as _text
from ._memory import keep_memory
from ._reports import Certificate, Operand, Report
from .errors import (
    AccuracyError,
    ArgumentError,
    BackendError,
    Error,
    LimitError,
    NotYetError,
    OutOfMemoryError,
    SpecError,
    StoppedError,
    TargetError,
    WriteError,
)

__version__ = "{}.{}.{}".format(*divmod(_lib.actgen_version() // 1000, 1000), _lib.actgen_version() % 1000)
backend_version: str = _text(_lib.actgen_backend_version())
list = builtins

__all__ = [
    "AccuracyError",
    "ArgumentError",
    "BackendError",
    "Builtin",
    "Certificate",
    "Error",
    "Kernel",
    "LimitError",
    "NotYetError",
    "Operand",
    "OutOfMemoryError",
    "Report",
    "SpecError",
    "StoppedError",
    "TargetError",
    "WriteError",
    "backend_version",
    "builtins",
    "cache_directory",
    "compile",
    "functions",
    "isas",
    "jit",
    "keep_memory",
    "list",
    "load",
    "runs_here",
    "verify",
    "where",
]


if TYPE_CHECKING:  # a type checker would take every misspelt name for one of __getattr__
    from ._names import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Imports `actgen.torch` and `actgen.jax` at first use, and finds the functions of the language for @actgen.jit."""
        if name in _MODULES:
            return importlib.import_module(f"{__name__}.{name}")
        if not name.startswith("_") and name in functions():
            return functions()[name]
        near = difflib.get_close_matches(name, __dir__(), 1)
        hint = f"; did you mean {near[0]!r}?" if near and not name.startswith("_") else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


_MODULES = ("jax", "torch")


def __dir__() -> builtins_.list[str]:
    return sorted({*globals(), *_MODULES, *functions()})
