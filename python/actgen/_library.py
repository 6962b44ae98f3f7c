"""Loads the C library: reads declarations from its header, opens it, and turns its statuses into exceptions."""

import os
import re
from pathlib import Path
from typing import Any

import cffi

from . import __path__ as _folders  # two for an editable installation: the modules, and what was built
from . import errors

_package = Path(__file__).parent


def _header() -> str:
    """Returns the text of actgen.h and its parts. The installed package has them; a checkout has them beside `python/`."""
    for folder in (_package / "include", _package.parents[1] / "include"):
        if (folder / "actgen.h").exists():
            parts = [folder / "actgen.h", *sorted(folder.glob("actgen/*.h"))]
            return "".join(path.read_text(encoding="utf-8") for path in parts)
    raise ImportError(f"actgen.h is neither in {_package} nor in a checkout around it: install the package anew")


def declarations(header: str) -> str:
    """Returns the declarations of a header for cffi, which has no preprocessor."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"^\s*#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
    return text.replace("ACTGEN_API ", "")


def library_path() -> str:
    """Returns $ACTGEN_LIBRARY, for a build that is not installed, or else the library of the package."""
    path = os.environ.get("ACTGEN_LIBRARY")
    paths = [Path(path)] if path else [Path(folder) / "libactgen.so" for folder in _folders]
    found = next((path for path in paths if path.exists()), None)
    if found is None:
        raise ImportError(f"{paths[0]} does not exist: install the package, or let ACTGEN_LIBRARY name libactgen.so")
    return str(found)


ffi: Any = cffi.FFI()
ffi.cdef(declarations(_header()))
# cffi closes a library when Python forgets it. At the end of the process this may be before the library frees the last
# kernel.
lib: Any = ffi.dlopen(library_path(), os.RTLD_NOW | os.RTLD_NODELETE)

NULL = ffi.NULL


def text(chars: Any) -> str:
    """Returns a C string of the library, or "" for NULL."""
    return ffi.string(chars).decode() if chars else ""


def check_texts(**given: Any) -> None:
    """Raises TypeError for arguments that are not strings."""
    for key, value in given.items():
        if value is not None and not isinstance(value, str):
            example = ', such as "3 ulp" or "abs 2^-20"' if key == "accuracy" else ""
            raise TypeError(f"{key} is a text{example}, and not {value!r}")
        if value is not None and "\0" in value:
            raise ValueError(
                f"{key} has a NUL character at {value.index(chr(0))}, where the library would end the text"
            )


def sized(struct: str) -> Any:
    """Makes a zeroed struct of the library. Its first member is its size, as in its *_INIT macro."""
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
    """Raises the exception of `status`. It points into `source` if the library names a place."""
    if status:
        place = (error.line, error.column, error.offset, error.length)
        kind = _exceptions.get(status, errors.Error)
        raise kind(text(lib.actgen_status_name(status)), text(error.message), place, source, file)


def written(call: Any) -> bytes:
    """Returns the bytes that `call(write, error)` passes to the write function, in one piece."""
    pieces: list[bytes] = []

    @ffi.callback("int(void *, const void *, size_t)")
    def write(_payload: Any, data: Any, size: int) -> int:
        pieces.append(bytes(ffi.buffer(data, size)))
        return 0

    error = ffi.new("actgen_error *")
    check(call(write, error), error)
    return b"".join(pieces)


# Element types: actgen's name, and the common name of NumPy, PyTorch and ml_dtypes.
TYPE_NAMES = {
    "f32": "float32",
    "f64": "float64",
    "f16": "float16",
    "bf16": "bfloat16",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    "i8": "int8",
    "u8": "uint8",
    "i32": "int32",
    "e8m0": "float8_e8m0fnu",
}
TYPE_CODES = {short: getattr(lib, f"ACTGEN_{short.upper()}") for short in TYPE_NAMES}
SEED_CODE = lib.ACTGEN_U64  # only of seeds and offsets
# Masks are arrays of uint8 with eight elements in each byte, as in numpy.packbits(bitorder="little").
BIT_CODE = lib.ACTGEN_U1
BYTE_CODE = lib.ACTGEN_U8
# Types of 4 bits, by their names in ml_dtypes. Their arrays are of uint8 with two elements in each byte, the first in
# the lower half.
NIBBLE_NAMES = {lib.ACTGEN_I4: "int4", lib.ACTGEN_E2M1: "float4_e2m1fn"}
CODE_NAMES = {
    **{TYPE_CODES[short]: name for short, name in TYPE_NAMES.items()},
    **NIBBLE_NAMES,
    SEED_CODE: "uint64",
    BIT_CODE: "bits",
}


def type_name(dtype: Any) -> str:
    """Returns actgen's name of a type: "bf16" for "bfloat16", `ml_dtypes.bfloat16`, `torch.bfloat16` or its np.dtype.

    Raises ValueError for types that no kernel has.
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
