"""Defines Kernel, a compiled activation that is callable on arrays, with all its properties."""

import ctypes
import functools
import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any

from . import _call, _threads
from ._arrays import View
from ._entry import entry, shorter
from ._extension import native_call, native_run
from ._library import CODE_NAMES, NULL, check, check_texts, ffi, lib, sized, text, written
from ._quick import quick_call
from ._reports import Certificate, Operand, Report, taken

STAGES = {
    "spec": lib.ACTGEN_STAGE_SPEC,
    "expr": lib.ACTGEN_STAGE_EXPR,
    "plan": lib.ACTGEN_STAGE_PLAN,
    "lane": lib.ACTGEN_STAGE_LANE,
    "ir": lib.ACTGEN_STAGE_IR,
    "asm": lib.ACTGEN_STAGE_ASM,
    "c": lib.ACTGEN_STAGE_C,
    "libm": lib.ACTGEN_STAGE_LIBM,
}
_SHAPES = {
    lib.ACTGEN_SHAPE_MATRIX: "[rows, cols]",
    lib.ACTGEN_SHAPE_COLS: "[cols]",
    lib.ACTGEN_SHAPE_ROWS: "[rows]",
    lib.ACTGEN_SHAPE_ONE: "[]",
}
_EMISSIONS = {
    "object": lib.ACTGEN_EMIT_OBJECT,
    "header": lib.ACTGEN_EMIT_HEADER,
    "c": lib.ACTGEN_EMIT_C,
    "torch": lib.ACTGEN_EMIT_TORCH,
    "ort": lib.ACTGEN_EMIT_ORT,
}
_VISIBILITIES = {"hidden": lib.ACTGEN_VISIBILITY_HIDDEN, "default": lib.ACTGEN_VISIBILITY_DEFAULT}
_ABIS = {"rows": lib.ACTGEN_ABI_ROWS, "scalar": lib.ACTGEN_ABI_SCALAR, "vector": lib.ACTGEN_ABI_VECTOR}
_C_TYPES = {"float32": ctypes.c_float, "float64": ctypes.c_double}
_LAYOUTS = {
    lib.ACTGEN_LAYOUT_SEPARATE: "separate",
    lib.ACTGEN_LAYOUT_PACKED: "packed",
    lib.ACTGEN_LAYOUT_INTERLEAVED: "interleaved",
}


def _chosen(argument: str, word: str, words: dict[str, int]) -> int:
    if not isinstance(word, str) or word not in words:
        raise ValueError(f"{argument} is {word!r}: there are {', '.join(map(repr, words))}")
    return words[word]


def _check_owner(what: str, style: str | None, **of_objects: Any) -> None:
    """Raises ValueError for a style without C source, and for options of objects with it."""
    if what != "c" and style is not None:
        raise ValueError(f'style is for C source: write emit("c", style={style!r}), or leave style out for {what!r}')
    for key, value in of_objects.items():
        if what == "c" and value not in (None, False, "hidden", "rows"):
            raise ValueError(f'{key} is for objects: leave it out with "c", which writes C source')


def _shape(info: Any) -> str:
    """Returns an operand's shape as specs write it."""
    if info.shape == lib.ACTGEN_SHAPE_ONE and info.layout == lib.ACTGEN_LAYOUT_PACKED:
        return f"[{info.parts}]"
    shape = _SHAPES[info.shape]
    if info.block_rows:
        shape = shape.replace("rows", f"rows/{info.block_rows}")
    return shape.replace("cols", f"cols/{info.block}") if info.block else shape


def _read_operands(handle: Any) -> list[Operand]:
    info = sized("actgen_operand_info")
    operands = []
    for i in range(lib.actgen_kernel_operand_count(handle)):
        lib.actgen_kernel_operand_info(handle, i, info)
        names = (text(info.name), CODE_NAMES[info.type], _shape(info), _LAYOUTS[info.layout])
        operands.append(Operand(*names, bool(info.is_result), info.group, info.parts))
    return operands


@functools.cache
def _elementary_functions() -> frozenset[str]:
    from ._compile import builtins

    return frozenset(b.name for b in builtins() if b.family == "elementary functions")


def _declared_name(o: Operand) -> str:
    """Returns the operand's name or, for a value of a list, the name of the list: `c` for `c[2]`."""
    return o.name.partition("[")[0]


def _divisor(shape: str, axis: str) -> int:
    """Returns 32 for the columns of `[rows, cols/32]`, and 0 for its rows."""
    found = re.search(f"{axis}/([0-9]+)", shape)
    return int(found[1]) if found else 0


def _group(names: Sequence[Operand], sums: bool) -> _call.Group:
    first = names[0]
    code = next(c for c, name in CODE_NAMES.items() if name == first.dtype)
    plain = re.sub("/[0-9]+", "", first.shape)
    shape = next((c for c, name in _SHAPES.items() if name == plain), None)
    if shape is None:  # a list, whose values are `c[0]`, `c[1]`, ...
        return _call.Group(_declared_name(first), code, lib.ACTGEN_SHAPE_ONE, first.parts, first.is_result, sums)
    blocks = (_divisor(first.shape, "cols"), _divisor(first.shape, "rows"))
    return _call.Group("_".join(o.name for o in names), code, shape, first.parts, first.is_result, sums, *blocks)


class Kernel:
    """A compiled activation. It is immutable, and many threads may call it at once.

    `actgen.compile`, `actgen.load` and `actgen.jit` make kernels.

    Attributes:
        name: the kernel's name.
        operands: the names in declared order, inputs first, then results.
        accuracy: the promised bound, such as "3 ulp".
        plan: the method of computation, in one line.
        isa, core: the instruction set, and the processor core that it was planned for.
        backend: "machine code", or the reason why the interpreter runs it.
        certificate: the errors that were measured while it was planned.
        compile_ms: the time that planning and code generation took.
    """

    def __init__(self, handle: Any, remake: tuple[Callable[..., "Kernel"], dict[str, Any]]) -> None:
        self._handle = handle
        self._remake = remake
        self.name: str = text(lib.actgen_kernel_name(handle))
        self.accuracy: str = text(lib.actgen_kernel_accuracy(handle))
        self.plan: str = text(lib.actgen_kernel_plan(handle))
        self.isa: str = text(lib.actgen_kernel_isa(handle))
        self.core: str = text(lib.actgen_kernel_core(handle))
        self.backend: str = text(lib.actgen_kernel_backend(handle))
        self.compile_ms: float = lib.actgen_kernel_compile_ms(handle)
        self.operands: tuple[Operand, ...] = tuple(_read_operands(handle))
        count = lib.actgen_kernel_group_count(handle)
        sums = lib.actgen_kernel_workspace(handle, 1, 1) > 0
        self.groups = tuple(_group([o for o in self.operands if o.group == g], sums) for g in range(count))
        self.input_groups = tuple(g for g in self.groups if not g.is_result)
        self.result_groups = tuple(g for g in self.groups if g.is_result)
        self._input_names = tuple([g.name for g in self.input_groups])
        native = native_call(handle, self.groups)
        usual = not any(g.is_shared for g in self.groups)
        self._quick = native.quick if native and usual else quick_call(handle, self.groups)
        plain = _call.run_sums if sums else _call.run
        threads_of_native = native and not any(g.block_rows for g in self.groups)
        self._run = native_run(native, plain) if threads_of_native else plain

    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = 1, **named: Any) -> Any:
        """Applies the kernel.

        Args:
            arrays: the inputs in declared order, or by name. Inputs that share an array (`[gate | up]`) are one array,
                named `gate_up`. An input of shape [rows, cols] has any number of leading axes, which are the rows. All of
                these inputs have the same axes, with any strides. An input of shape [cols] is [cols]. An input of shape
                [rows] is [..., rows] or [..., rows, 1]. An input of shape [] is one number. Packed and interleaved rows
                have a multiple of cols elements. An input of shape [rows/M, cols/N] has the axes of [rows, cols], the last
                two divided by M and N and rounded up. Inputs of 4-bit types are of uint8, two elements in each byte, the
                first in the lower half. Arrays of ml_dtypes are packed so first.
                Arrays are those of NumPy, PyTorch, or any library with `__dlpack__`, `__array_interface__` or the buffer
                protocol. They are read where they lie. Short rows and elements with gaps are copied in blocks where this
                is faster. Numbers and lists become arrays.
            out: the array for the result, or a tuple of arrays. It may be an input of its type and shape. None: new
                arrays, of the library of the first input.
            threads: the number of threads that share the rows, with the same bits for any number. None: one per processor.

        Returns:
            The result, or a tuple of results. Sums over rows have the shape [cols]. Sums over columns have the shape
            [..., rows, 1]. Sums over both have the shape []. Results of 4-bit types are packed in uint8, as inputs are.

        Raises:
            TypeError: an array has another type than its operand, or is not in the CPU's memory.
            ValueError: shapes do not fit, arrays overlap, or a result cannot be written.
        """
        try:
            if threads != 1:
                threads = _threads.count_of(threads)
            if named:
                arrays = self._bound(arrays, named)
            result = self._quick(arrays, out, threads)
            if result is not None:
                return result
            if not named:
                arrays = self._bound(arrays, named)
            return _call.call(self.name, self._handle, self.groups, arrays, out, threads, self._run)
        except Exception as error:
            raise shorter(error)  # noqa: B904 - as `entry` does, which would take time

    def run_usual(self, arrays: tuple[Any, ...], threads: int) -> Any:
        """Makes a call of the usual kind, and returns its result or a tuple. Does nothing and returns None for any other."""
        return self._quick(arrays, None, threads)

    def run_views(self, views: Sequence[View], threads: int, execute: Callable[..., None] | None = None) -> None:
        """Runs the kernel on memory with known properties: a View for each input, then for each result.

        `execute` runs a walk over memory that is not this processor's, as `_call.run` does for the others.
        """
        _call.run_views(self._handle, self.groups, views, threads, execute or self._run)

    @entry
    def interpret(self, *arrays: Any, out: Any = None, **named: Any) -> Any:
        """Makes the same call by the interpreter, which is slow and gives the bits of machine code."""
        arrays = self._bound(arrays, named)
        return _call.call(self.name, self._handle, self.groups, arrays, out, 1, _call.interpret)

    def _bound(self, arrays: Sequence[Any], named: dict[str, Any]) -> tuple[Any, ...]:
        """Returns the inputs in order. Raises TypeError, as Python does, if some are missing or too many."""
        names = self._input_names
        try:
            if len(arrays) + len(named) == len(names):
                return (*arrays, *[named[name] for name in names[len(arrays) :]])
        except KeyError:  # a name that is not an input, or that has its array already
            pass
        called = f"{self.name}({', '.join(names)})"
        if len(arrays) > len(names):
            raise TypeError(f"{called} takes {len(names)} inputs, not {len(arrays)}")
        rest = names[len(arrays) :]
        wrong = next((name for name in named if name not in rest), None)
        if wrong is not None:
            raise TypeError(f"{called} got an unexpected or repeated input `{wrong}`")
        raise TypeError(f"{called} lacks the input `{next(name for name in rest if name not in named)}`")

    # ---- properties ----

    @property
    def certificate(self) -> Certificate:
        """The promise of the kernel, and the errors that were measured while it was planned."""
        out = sized("actgen_certificate")
        lib.actgen_kernel_certificate(self._handle, out)
        return taken(Certificate, out)

    @property
    def spec(self) -> str:
        """The kernel's text in the language, with calls inlined. `actgen.compile(spec=k.spec)` makes the kernel again.

        The kernel of an elementary function has a `_` after its name there, because the language reserves those names.
        """
        return self.show("spec").replace(f"kernel {self.name}(", f"kernel {self._name_in_spec}(", 1)

    @property
    def _name_in_spec(self) -> str:
        return self.name + "_" * (self.name in _elementary_functions())

    @entry
    def show(self, stage: str) -> str:
        """Returns a stage from text to machine code: "spec", "expr", "plan", "lane", "ir", "asm", or "c" for a plain loop."""
        if stage not in STAGES:
            raise ValueError(f"there is no stage {stage!r}: there are {', '.join(STAGES)}")
        return written(lambda write, error: lib.actgen_show(self._handle, STAGES[stage], write, NULL, error)).decode()

    def asm(self) -> str:
        """Returns the machine code as assembler text."""
        return self.show("asm")

    @entry
    def emit(
        self,
        what: str = "object",
        header_name: str | None = None,
        *,
        prefix: str = "",
        visibility: str = "hidden",
        format: str | None = None,
        abi: str = "rows",
        compact: bool = False,
        style: str | None = None,
    ) -> bytes:
        """Returns the bytes of an object file (`what="object"`), of what belongs to it, or of C source (`what="c"`).

        They need no actgen or LLVM. C source is a header that needs no object. It has the plan and the bits of this kernel.

        Args:
            what: "object", "header", or a source that makes the kernel an operator of PyTorch ("torch") or of ONNX Runtime
                ("ort"). The other arguments must be the same for all of them. Or "c", which stands alone.
            header_name: the file name of the header, for its include guard. None: "kernels.h", and for C source "<name>.h".
            prefix: the beginning of all names.
            visibility: "hidden", or "default" to let other programs and libraries call the functions, as ctypes does.
            format: "elf", "macho" or "coff". None: the format of Linux.
            abi: "rows". "scalar" adds a function of one value. "vector" also adds its forms for vectors.
            compact: True for short code. It takes a third of the bytes, and up to 1.5 of the time.
            style: of C source: "scalar", "vector", "cuda" or "intrinsics". None: "scalar".

        Raises:
            ArgumentError: the kernel cannot be a function of values, or it has no C source in this style. Or there is no such
                style, or the prefix begins no name of C.
            TargetError: the instruction set has no such format, no vector functions, or no intrinsics.
            ValueError: an argument has no such value, or C source has no such option.
        """
        kind = _chosen("what", what, _EMISSIONS)
        if header_name is None:
            header_name = f"{self.name}.h" if what == "c" else "kernels.h"
        texts = {"header_name": header_name, "prefix": prefix, "format": format, "style": style}
        check_texts(**texts)
        owned = {key: ffi.new("char[]", value.encode()) for key, value in texts.items() if value is not None}
        options = sized("actgen_emit_options")
        for key, value in owned.items():
            setattr(options, key, value)
        options.visibility = _chosen("visibility", visibility, _VISIBILITIES)
        options.abi = _chosen("abi", abi, _ABIS)
        options.compact = bool(compact)
        _check_owner(what, style, visibility=visibility, format=format, abi=abi, compact=compact)
        kernels = ffi.new("actgen_kernel *[]", [self._handle])
        return written(lambda write, error: lib.actgen_emit_with(kernels, 1, kind, options, write, NULL, error))

    @property
    @entry
    def address(self) -> int:
        """The address of the machine code as a function of one value of each input, such as `float gelu(float)`.

        It is valid as long as the kernel lives. Its bits are those of the kernel.

        Raises:
            ArgumentError: the kernel has an operand of shape [cols] or [rows], a type that is neither float32 nor float64,
                different types, several results, sums or random numbers.
            TargetError: only the interpreter can run the kernel.
        """
        function, error = ffi.new("actgen_scalar_fn *"), ffi.new("actgen_error *")
        check(lib.actgen_kernel_scalar(function, self._handle, error), error)
        return int(ffi.cast("uintptr_t", function[0]))

    @property
    @entry
    def ctypes(self) -> Any:
        """The function at `address` as a function of ctypes, which keeps the kernel alive.

        Numba and SciPy call the machine code without Python.
        """
        address = self.address
        results_first = sorted(self.operands, key=lambda o: not o.is_result)
        function: Any = ctypes.CFUNCTYPE(*[_C_TYPES[o.dtype] for o in results_first])(address)
        function.kernel = self
        return function

    @entry
    def reference(self, *inputs: float, result: int = 0) -> float:
        """Returns the true value of a result for one number per input, rounded to the nearest float."""
        count = sum(not o.is_result for o in self.operands)
        if len(inputs) != count:
            raise TypeError(f"{self.name} has {count} inputs, not {len(inputs)}")
        value, error = ffi.new("double *"), ffi.new("actgen_error *")
        check(lib.actgen_reference(self._handle, result, ffi.new("double[]", inputs), value, error), error)
        return value[0]

    @entry
    def gradient(self, *of: str) -> "Kernel":
        """Compiles the kernel of the gradients, with the bound and the options of this kernel.

        Its inputs are those of this kernel and `d_y` for each result `y`. Its results are `d_x` for each input `x` of shape
        [rows, cols], or for the inputs that `of` names.

        Raises SpecError if there is no such gradient.
        """
        wanted = of or tuple(o.name for o in self.operands if not o.is_result and o.shape == "[rows, cols]")
        name = f"{self.name}_backward"
        source = f"{self.spec}\nkernel {name} = gradient {self._name_in_spec} of {', '.join(wanted)}\n"
        return self.remade(source, name)

    @entry
    def remade(self, spec: str, kernel: str | None = None) -> "Kernel":
        """Compiles a kernel of another text with the options of this kernel."""
        make, options = self._remake
        return make(**{**options, "spec": spec, "kernel": kernel})

    def remade_for(self, isa: str) -> "Kernel":
        """Compiles this kernel for another instruction set, with the same bound."""
        make, options = self._remake
        return make(**{**options, "spec": self.spec, "kernel": self._name_in_spec, "isa": isa, "tune": None})

    def widened(self) -> "Kernel":
        """Returns this kernel with all inputs that `is_widened` names of shape [rows, cols], compiled with the same options."""
        if not any(self.is_widened(g) for g in self.input_groups):
            return self
        shapes = r"\[cols\]" if _call.has_values_of_rows(self.groups) else r"\[(?:rows|cols)?\]"
        inputs, arrow, rest = self.spec.partition("->")
        return self.remade(re.sub(rf"(: (?!u64)\w+){shapes}", r"\1", inputs) + arrow + rest)

    def is_widened(self, group: _call.Group) -> bool:
        """Returns True if `widened` gives this input the shape [rows, cols]. Seeds and what values of rows are made of stay."""
        stays = group.shape != _call.COLS and _call.has_values_of_rows(self.groups)
        return group.shape != _call.MATRIX and not group.is_seed and not stays

    @property
    def derived_names(self) -> list[str]:
        """The names of the inputs that have gradients, which are all but seeds."""
        return [o.name for o in self.operands if not (o.is_result or self.groups[o.group].is_seed)]

    @property
    def recipe(self) -> dict[str, Any]:
        """The arguments of actgen.compile that make the kernel again, in any process: its text, and what is no default."""
        chosen = {key: value for key, value in self._remake[1].items() if value not in (None, False, "best")}
        return {**chosen, "spec": self.spec, "kernel": self._name_in_spec}

    @property
    def identity(self) -> str:
        """Ten hexadecimal digits. Kernels of one identity have the same text, bound, profile, instruction set and core."""
        told = "\n".join((self.spec, self.accuracy, self.certificate.profile, self.isa, self.core, self.backend))
        return hashlib.sha256(told.encode()).hexdigest()[:10]

    # ---- verification ----

    @entry
    def verify(
        self,
        exhaustive: bool = False,
        progress: bool | Callable[[float, float], object] = False,
        threads: int | None = None,
        of: Callable[[Any], Any] | None = None,
    ) -> Report:
        """Compares the kernel with an arbitrary-precision reference, and its machine code with the interpreter bit for bit.

        Args:
            exhaustive: True for all 2^32 inputs of each function of one f32, which takes some minutes. False for a sample of
                2^22 inputs and more.
            progress: True for a bar (by tqdm, if it is installed), or a function of the share done and the worst error so far.
            threads: the number of threads. None: all processors that this process may use.
            of: a function to judge in place of the kernel, as in `actgen.verify`.

        Raises:
            ArgumentError: the kernel is of f64, and the verification is exhaustive. Or it is no function of one value, and
                `of` is given.
            KeyboardInterrupt: the user interrupted. The work ends soon.
        """
        from ._progress import watched

        options, report = sized("actgen_verify_options"), sized("actgen_report")
        options.exhaustive = exhaustive
        with watched(progress, f"verify {self.name}", "int(void *, double, double)") as watch:
            options.progress = watch.callback
            judged = ffi.NULL
            if of is not None:
                from ._judged import judged_function

                judged = judged_function(self, of, watch)
            options.judged = judged
            options.parallel = parallel = _threads.parallel_function(_threads.count_of(threads), watch.stop)
            error = ffi.new("actgen_error *")
            status = lib.actgen_verify(self._handle, options, report, error)
            del parallel, judged  # they had to live until here
        check(status, error)
        return taken(Report, report)

    @entry
    def plot(self, low: float = -8.0, high: float = 8.0, points: int = 2001) -> Any:
        """Draws curve, derivative, and error in ulps for inputs from `low` to `high`. Returns the figure of matplotlib.

        Raises ImportError without matplotlib, and ValueError for kernels of several operands.
        """
        from ._display import plot

        return plot(self, low, high, points)

    def _repr_html_(self) -> str:
        from ._display import html

        return html(self)

    def __repr__(self) -> str:
        def side(is_result: bool) -> str:
            names = [o for o in self.operands if o.is_result == is_result]
            shown = (f"{_declared_name(o)}: {o.dtype}{'' if o.shape == '[rows, cols]' else o.shape}" for o in names)
            return ", ".join(dict.fromkeys(shown))  # a list stands once for all its values

        return f"<kernel {self.name}({side(False)}) -> ({side(True)}), {self.accuracy}, {self.isa}>"

    def __reduce__(self) -> tuple[Any, ...]:
        make, options = self._remake
        return (_made_again, (make, {**options, "spec": self.spec, "kernel": self._name_in_spec}))

    def __deepcopy__(self, _memo: Any) -> "Kernel":
        return self


def _made_again(make: Callable[..., Kernel], options: dict[str, Any]) -> Kernel:
    return make(**options)
