"""The C library: its declarations, read from its own header, its shared object, and its statuses as exceptions."""

import os
import re
from pathlib import Path
from typing import Any

import cffi

from . import errors

_package = Path(__file__).parent


def _header() -> str:
    """The text of actgen.h and its parts: the installed package carries them; a checkout has them beside `python/`."""
    for folder in (_package / "include", _package.parents[1] / "include"):
        if (folder / "actgen.h").exists():
            parts = [folder / "actgen.h", *sorted(folder.glob("actgen/*.h"))]
            return "".join(path.read_text(encoding="utf-8") for path in parts)
    raise ImportError(f"actgen.h is neither in {_package} nor in a checkout around it: install the package anew")


def declarations(header: str) -> str:
    """What a C compiler would see of `header`, as cffi reads it, which knows no preprocessor."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"^\s*#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
    return text.replace("ACTGEN_API ", "")


def library_path() -> str:
    """$ACTGEN_LIBRARY, for a build that is not installed, else the library that the package carries."""
    path = os.environ.get("ACTGEN_LIBRARY") or str(_package / "libactgen.so")
    if not Path(path).exists():
        raise ImportError(f"{path} does not exist: install the package, or let ACTGEN_LIBRARY name libactgen.so")
    return path


ffi: Any = cffi.FFI()
ffi.cdef(declarations(_header()))
# cffi closes a library when Python forgets it, which at the process's end may be before the last kernel is freed, by the library.
lib: Any = ffi.dlopen(library_path(), os.RTLD_NOW | os.RTLD_NODELETE)

NULL = ffi.NULL


def text(chars: Any) -> str:
    """A C string of the library's; "" for NULL."""
    return ffi.string(chars).decode() if chars else ""


def sized(struct: str) -> Any:
    """A zeroed struct of the library whose first member is its size, as its *_INIT macro makes it."""
    out = ffi.new(struct + " *")
    out.size = ffi.sizeof(struct)
    return out


_exceptions = {
    lib.ACTGEN_ENOMEM: errors.OutOfMemoryError,
    lib.ACTGEN_EINVAL: errors.ArgumentError,
    lib.ACTGEN_ESYNTAX: errors.SpecError,
    lib.ACTGEN_EACCURACY: errors.AccuracyError,
    lib.ACTGEN_ETARGET: errors.TargetError,
    lib.ACTGEN_EBACKEND: errors.BackendError,
    lib.ACTGEN_EWRITE: errors.WriteError,
    lib.ACTGEN_ENOTYET: errors.NotYetError,
    lib.ACTGEN_ESTOPPED: errors.StoppedError,
    lib.ACTGEN_ELIMIT: errors.LimitError,
}


def check(status: int, error: Any, source: str | None = None, file: str | None = None) -> None:
    """Raises the exception of `status`, pointing into `source` where the library names a place."""
    if status:
        place = (error.line, error.column, error.offset, error.length)
        kind = _exceptions.get(status, errors.Error)
        raise kind(text(lib.actgen_status_name(status)), text(error.message), place, source, file)


def written(call: Any) -> bytes:
    """What `call(write, error)` hands to the write function, in one piece."""
    pieces: list[bytes] = []

    @ffi.callback("int(void *, const void *, size_t)")
    def write(_payload: Any, data: Any, size: int) -> int:
        pieces.append(bytes(ffi.buffer(data, size)))
        return 0

    error = ffi.new("actgen_error *")
    check(call(write, error), error)
    return b"".join(pieces)


# Element types: the number in the library, actgen's name, NumPy's, PyTorch's and ml_dtypes' name.
TYPE_NAMES = {
    "f32": "float32",
    "f64": "float64",
    "f16": "float16",
    "bf16": "bfloat16",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    "i8": "int8",
    "u8": "uint8",
}
TYPE_CODES = {short: getattr(lib, f"ACTGEN_{short.upper()}") for short in TYPE_NAMES}
SEED_CODE = lib.ACTGEN_U64  # of seeds and offsets alone
# Masks are arrays of uint8, each with eight elements, as numpy.packbits(bitorder="little") has them.
BIT_CODE = lib.ACTGEN_U1
BYTE_CODE = lib.ACTGEN_U8
CODE_NAMES = {**{TYPE_CODES[short]: name for short, name in TYPE_NAMES.items()}, SEED_CODE: "uint64", BIT_CODE: "bits"}


def type_name(dtype: Any) -> str:
    """actgen's name of a type: `"bf16"` for `"bfloat16"`, `ml_dtypes.bfloat16`, `torch.bfloat16`, `np.dtype(...)`.

    Raises ValueError for types that kernels have not.
    """
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", getattr(dtype, "__name__", str(dtype)))
    name = str(name).rsplit(".", 1)[-1]
    for short, long in TYPE_NAMES.items():
        if name in (short, long):
            return short
    advice = _advice_on_type(name) or f"there are {', '.join(TYPE_NAMES.values())}"
    raise ValueError(f"no kernel has operands of type {dtype!r}: {advice}")


def _advice_on_type(name: str) -> str | None:
    """What the library says to write in place of a type's name, such as "write `f16`" for "half"."""
    error, out = ffi.new("actgen_error *"), ffi.new("actgen_spec **")
    if lib.actgen_spec_builtin_typed(out, b"relu", name.encode(), error) == lib.ACTGEN_OK:
        lib.actgen_spec_free(out[0])
        return None
    advice = text(error.message).partition("; ")[2]
    return advice if "`" in advice else None
