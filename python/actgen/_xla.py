"""Registers kernels as XLA's foreign functions, by its stable C interface (xla/ffi/api/c_api.h)."""

import ctypes
from collections.abc import Sequence
from typing import Any

import jax

from . import _threads
from ._arrays import View, contiguous
from ._kernel import Kernel
from ._library import ffi

# The parts of c_api.h (version 0.3 of the interface) that a handler on the CPU reads. The names are XLA's.
ffi.cdef("""
    typedef struct { size_t struct_size; int type; void *next; } XLA_FFI_Extension_Base;
    typedef struct { size_t struct_size; XLA_FFI_Extension_Base *extension_start; int major_version, minor_version; }
        XLA_FFI_Api_Version;
    typedef struct { size_t struct_size; XLA_FFI_Extension_Base *extension_start; const char *message; int errc; }
        XLA_FFI_Error_Create_Args;
    typedef struct {
        size_t struct_size; XLA_FFI_Extension_Base *extension_start; XLA_FFI_Api_Version api_version; void *internal_api;
        void *(*XLA_FFI_Error_Create)(XLA_FFI_Error_Create_Args *args);
    } XLA_FFI_Api;
    typedef struct {
        size_t struct_size; XLA_FFI_Extension_Base *extension_start; int dtype; void *data; int64_t rank; int64_t *dims;
    } XLA_FFI_Buffer;
    typedef struct {
        size_t struct_size; XLA_FFI_Extension_Base *extension_start; int64_t size; int *types; XLA_FFI_Buffer **buffers;
    } XLA_FFI_Buffers;
    typedef struct {
        size_t struct_size; XLA_FFI_Extension_Base *extension_start; const XLA_FFI_Api *api; void *ctx; int stage;
        XLA_FFI_Buffers args, rets;
    } XLA_FFI_CallFrame;
    typedef struct { size_t struct_size; XLA_FFI_Api_Version api_version; uint32_t traits; int64_t state_type_id; }
        XLA_FFI_Metadata;
    typedef struct { XLA_FFI_Extension_Base extension_base; XLA_FFI_Metadata *metadata; } XLA_FFI_Metadata_Extension;
""")
_METADATA, _EXECUTE, _INVALID_ARGUMENT, _VERSION = 1, 3, 3, (0, 3)
_handlers: list[Any] = []  # kept, because XLA may call a handler until the process ends


def _views(buffers: Any, codes: Sequence[int], writable: bool) -> list[View]:
    views = []
    for i, code in enumerate(codes):
        buffer = buffers.buffers[i]
        shape = tuple(buffer.dims[axis] for axis in range(buffer.rank))
        views.append(View(int(ffi.cast("uintptr_t", buffer.data)), code, shape, contiguous(shape), None, writable))
    return views


def register(name: str, kernel: Kernel) -> None:
    """Registers a kernel as the target `name` of jax.ffi.ffi_call. It reads and writes XLA's buffers in place."""
    inputs = [g.code for g in kernel.input_groups]
    results = [g.code for g in kernel.result_groups]

    def handle(frame: Any) -> Any:
        extension = frame.extension_start
        if extension and extension.type == _METADATA:
            version = ffi.cast("XLA_FFI_Metadata_Extension *", extension).metadata.api_version
            version.major_version, version.minor_version = _VERSION
            return ffi.NULL
        if frame.stage != _EXECUTE:
            return ffi.NULL
        try:
            kernel.run_views(
                _views(frame.args, inputs, False) + _views(frame.rets, results, True), _threads.available()
            )
        except Exception as problem:  # an exception cannot pass through XLA, so it becomes an XLA error
            arguments, message = ffi.new("XLA_FFI_Error_Create_Args *"), ffi.new("char[]", str(problem).encode())
            arguments.struct_size, arguments.message = ffi.sizeof("XLA_FFI_Error_Create_Args"), message
            arguments.errc = _INVALID_ARGUMENT
            return frame.api.XLA_FFI_Error_Create(arguments)
        return ffi.NULL

    handler = ffi.callback("void *(XLA_FFI_CallFrame *)", handle, error=ffi.NULL)
    _handlers.append(handler)
    address = int(ffi.cast("uintptr_t", handler))
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(address)
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(function), platform="cpu")
