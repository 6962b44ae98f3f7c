"""Registers a foreign function of XLA that runs kernels, by its stable C interface (xla/ffi/api/c_api.h)."""

import ctypes
import json
from collections.abc import Sequence
from typing import Any

import jax

from . import _threads
from ._arrays import View, contiguous
from ._compile import compile
from ._kernel import Kernel
from ._library import SEED_CODE, ffi

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
    typedef struct { const char *ptr; size_t len; } XLA_FFI_ByteSpan;
    typedef struct {
        size_t struct_size; XLA_FFI_Extension_Base *extension_start; int64_t size; int *types; XLA_FFI_ByteSpan **names;
        void **attrs;
    } XLA_FFI_Attrs;
    typedef struct {
        size_t struct_size; XLA_FFI_Extension_Base *extension_start; const XLA_FFI_Api *api; void *ctx; int stage;
        XLA_FFI_Buffers args, rets; XLA_FFI_Attrs attrs;
    } XLA_FFI_CallFrame;
    typedef struct { size_t struct_size; XLA_FFI_Api_Version api_version; uint32_t traits; int64_t state_type_id; }
        XLA_FFI_Metadata;
    typedef struct { XLA_FFI_Extension_Base extension_base; XLA_FFI_Metadata *metadata; } XLA_FFI_Metadata_Extension;
""")
_METADATA, _EXECUTE, _INVALID_ARGUMENT, _VERSION = 1, 3, 3, (0, 3)
TARGET = "actgen"
_kernels: dict[bytes, Kernel] = {}  # by the attributes of their calls
_handlers: list[Any] = []  # kept, because XLA may call a handler until the process ends


def _views(buffers: Any, codes: Sequence[int], writable: bool) -> list[View]:
    views = []
    for i, code in enumerate(codes):
        buffer = buffers.buffers[i]
        rank = 0 if code == SEED_CODE else buffer.rank  # a seed is two words
        shape = tuple(buffer.dims[axis] for axis in range(rank))
        views.append(View(int(ffi.cast("uintptr_t", buffer.data)), code, shape, contiguous(shape), None, writable))
    return views


def attribute_of(kernel: Kernel) -> str:
    """Returns the attribute of XLA's calls of a kernel, from which any process can make the kernel."""
    attribute = json.dumps(kernel.recipe, sort_keys=True)
    _kernels[attribute.encode()] = kernel
    return attribute


def _kernel_of(frame: Any) -> Kernel:
    span = ffi.cast("XLA_FFI_ByteSpan *", frame.attrs.attrs[0])  # the one attribute, which _plain of jax.py gives
    attribute = bytes(ffi.buffer(span.ptr, span.len))
    kernel = _kernels.get(attribute)
    if kernel is None:
        kernel = _kernels[attribute] = compile(**json.loads(attribute))
    return kernel


def _handle(frame: Any) -> Any:
    """Runs a kernel on XLA's buffers, in place."""
    extension = frame.extension_start
    if extension and extension.type == _METADATA:
        version = ffi.cast("XLA_FFI_Metadata_Extension *", extension).metadata.api_version
        version.major_version, version.minor_version = _VERSION
        return ffi.NULL
    if frame.stage != _EXECUTE:
        return ffi.NULL
    try:
        kernel = _kernel_of(frame)
        inputs = _views(frame.args, [g.code for g in kernel.input_groups], False)
        results = _views(frame.rets, [g.code for g in kernel.result_groups], True)
        kernel.run_views(inputs + results, _threads.available())
    except Exception as problem:  # an exception cannot pass through XLA, so it becomes an XLA error
        arguments, message = ffi.new("XLA_FFI_Error_Create_Args *"), ffi.new("char[]", str(problem).encode())
        arguments.struct_size, arguments.message = ffi.sizeof("XLA_FFI_Error_Create_Args"), message
        arguments.errc = _INVALID_ARGUMENT
        return frame.api.XLA_FFI_Error_Create(arguments)
    return ffi.NULL


def _register() -> None:
    """Registers the target TARGET of jax.ffi.ffi_call, for all kernels."""
    handler = ffi.callback("void *(XLA_FFI_CallFrame *)", _handle, error=ffi.NULL)
    _handlers.append(handler)
    address = int(ffi.cast("uintptr_t", handler))
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(address)
    jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(function), platform="cpu")


_register()
