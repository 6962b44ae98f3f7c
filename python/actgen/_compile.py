"""Makes kernels from text: names of built-ins, formulas, specs, files."""

import numbers
import os
import threading
from typing import Any, NamedTuple

from . import _threads
from ._approximate import chosen_form
from ._entry import entry
from ._kernel import Kernel
from ._library import NULL, check, check_texts, ffi, lib, sized, text, type_name
from ._progress import watched
from .errors import ArgumentError


class Builtin(NamedTuple):
    """A built-in activation or gate. `alias_of` is the name that an alias stands for, and "" for others."""

    name: str
    alias_of: str
    family: str
    form: str
    summary: str
    definition: str


# The values of `tier` of `compile`.
_TIERS = {"best": lib.ACTGEN_TIER_BEST, "quick": lib.ACTGEN_TIER_QUICK, "interpreter": lib.ACTGEN_TIER_INTERPRETER}

_engine: Any = None
_engine_lock = threading.Lock()


def engine() -> Any:
    """Returns the engine of the process, which owns the JIT. The first call makes it."""
    global _engine
    with _engine_lock:
        if _engine is None:
            out, error = ffi.new("actgen_engine **"), ffi.new("actgen_error *")
            check(lib.actgen_engine_create(out, error), error)
            _engine = ffi.gc(out[0], lib.actgen_engine_free)
    return _engine


def cache_directory() -> str | None:
    """Returns the directory that keeps plans and code for later processes, or None. $ACTGEN_CACHE_DIR names it."""
    return text(lib.actgen_engine_cache(engine(), NULL)) or None


def builtins() -> list[Builtin]:
    """Lists the built-in activations and gates, with their definitions in the language."""
    found: list[Builtin] = []

    @ffi.callback("int(void *, const actgen_builtin *)")
    def visit(_payload: Any, b: Any) -> int:
        found.append(Builtin(*(text(getattr(b, field)) for field in Builtin._fields)))
        return 0

    error = ffi.new("actgen_error *")
    check(lib.actgen_builtins(visit, NULL, error), error)
    return found


def _check_limits(**given: Any) -> None:
    """Raises TypeError for limits that are no numbers, and ValueError for negative ones."""
    for key, value in given.items():
        if value is not None and not isinstance(value, numbers.Real):
            raise TypeError(f"{key} is a number, or None for no limit, and not {value!r}")
        if value is not None and value < 0:
            raise ValueError(f"{key} is {value!r}; it is at least 0, or None for no limit")


def _parse(name: str | None, formula: str | None, spec: str | None, file: str | None, dtype: Any) -> Any:
    """Makes a spec from a built-in's name, a formula, or a text. Exactly one of them is given."""
    if sum(given is not None for given in (name, formula, spec)) != 1:
        raise TypeError("give one of: a built-in's name, formula=..., spec=...")
    if name is not None and not name.replace("-", "_").isidentifier():
        raise ArgumentError(
            "invalid argument",
            f"{name!r} is no name of a built-in; a formula is given by formula=..., a text in the language by spec=..., "
            "and actgen.load(...) reads a file",
        )
    out, error = ffi.new("actgen_spec **"), ffi.new("actgen_error *")
    if spec is not None:
        if dtype is not None:
            raise TypeError("dtype is for built-ins and formulas: a spec's text says the types of its operands")
        data = spec.encode()
        label = ffi.new("char[]", (file or "<spec>").encode())
        check(lib.actgen_spec_parse(out, label, data, len(data), error), error, spec, file or "<spec>")
    else:
        source = name if name is not None else formula
        assert source is not None
        make = lib.actgen_spec_builtin_typed if name is not None else lib.actgen_spec_expression_typed
        typed = NULL if dtype is None else ffi.new("char[]", type_name(dtype).encode())
        status = make(out, ffi.new("char[]", source.encode()), typed, error)
        check(status, error, source, "<built-in>" if name is not None else "<formula>")
    return ffi.gc(out[0], lib.actgen_spec_free)


@entry
def compile(
    name: str | None = None,
    *,
    formula: str | None = None,
    spec: str | None = None,
    kernel: str | None = None,
    dtype: Any = None,
    accuracy: str | None = None,
    approximate: bool | str | None = None,
    isa: str | None = None,
    tune: str | None = None,
    profile: str | None = None,
    interpret: bool = False,
    tier: str = "best",
    plan_limit: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    streaming: bool | None = None,
    prove: bool = False,
    threads: int | None = None,
    progress: Any = False,
    file: str | None = None,
) -> Kernel:
    """Compiles an activation: a built-in by `name`, a `formula` of x, or a kernel of the text `spec`.

    Args:
        name: a built-in of `actgen.list()`, such as "gelu" or "swiglu".
        formula: such as "x*sigmoid(1.7*x)", or "mine = x*tanh(x)", which also names the kernel.
        spec: a text in the language.
        kernel: the name of a kernel of `spec`, if the text has several.
        dtype: the type of a built-in's or a formula's operands: "float32" (the default), "float64", "float16", "bfloat16",
            "float8_e4m3fn", "float8_e5m2", "int8", "uint8", or a type object of NumPy, ml_dtypes, JAX or PyTorch.
        accuracy: such as "3 ulp", "abs 2^-22", "3 ulp flush", "1 ulp on [-4, 4]". None: the text's clause, or the default.
        approximate: for "gelu" and "geglu": "tanh" or True for the tanh form, as in PyTorch, Keras and JAX. None, "none" or
            False: the exact form. (jax.nn.gelu has True where it is not given.)
        isa: an instruction set of `actgen.isas()`. None: the best of this machine.
        tune: the core whose costs choose among plans, or "host".
        profile: "portable" gives the same bits on all machines with fma, "portable-nofma" on all machines. It excludes `tune`.
        interpret: True makes no machine code, like the tier "interpreter".
        tier: "best", "quick" or "interpreter". "quick" makes machine code in a fraction of the time. This code has the same
            bits and is slower.
        plan_limit: the units of work after which a search takes the best plan so far. The plan then says so. None: the search
            ends by itself.
        time_limit: the seconds that compiling may take by the clock, for texts of strangers. None: no limit.
        memory_limit: the bytes that formulas, plans and programs may take, for texts of strangers. None: 1 GiB.
        streaming: True uses streaming stores always, False never. None: for large arrays where they are faster.
        prove: True compiles only a kernel whose bound was shown on every input. The certificate then says so. Each function of
            one float32 is tried on all 2^32 inputs, in up to a minute. Each function of one float64 is analysed.
        threads: the threads that search plans, with the same result for any number. None: all processors.
        progress: True for a bar while plans are searched, or a function of the share done (-1: unknown) and the current work.
        file: the name of the text `spec` in messages.

    Raises:
        SpecError: the text or the accuracy is wrong. The exception points at the place.
        AccuracyError: no plan keeps the bound, or with `prove` the bound cannot be shown.
        ArgumentError: there is no such built-in or kernel.
        TargetError: there is no such instruction set or core.
        LimitError: compiling takes more than `time_limit` or `memory_limit`.
        NotYetError: a part of the language that this version lacks.
    """
    if tier not in _TIERS:
        raise ValueError(f"tier is {' or '.join(map(repr, _TIERS))}, not {tier!r}")
    texts = {"isa": isa, "accuracy": accuracy, "tune": tune, "profile": profile}
    check_texts(name=name, formula=formula, spec=spec, kernel=kernel, **texts)
    name = chosen_form(name, approximate)
    _check_limits(plan_limit=plan_limit, time_limit=time_limit, memory_limit=memory_limit)
    parsed = _parse(name, formula, spec, file, dtype)
    owned = {key: ffi.new("char[]", value.encode()) for key, value in texts.items() if value is not None}
    options = sized("actgen_options")
    for key, value in owned.items():
        setattr(options, key, value)
    options.interpret = interpret
    options.tier = _TIERS[tier]
    options.plan_limit = plan_limit or 0
    options.time_limit = time_limit or 0
    options.memory_limit = memory_limit or 0
    options.prove = prove
    options.streaming = 0 if streaming is None else 1 if streaming else -1
    out, error = ffi.new("actgen_kernel **"), ffi.new("actgen_error *")
    which = NULL if kernel is None else ffi.new("char[]", kernel.encode())
    with watched(progress, f"plan {name or kernel or ''}".strip(), "int(void *, double, const char *)") as watch:
        options.progress = watch.callback
        options.parallel = parallel = _threads.parallel_function(_threads.count_of(threads), watch.stop)
        status = lib.actgen_compile(out, engine(), parsed, which, options, error)
        del parallel  # it had to live until here
    # If there is a bound, an error that compiling finds points into the text of the bound.
    check(status, error, accuracy or spec or formula, "<accuracy>" if accuracy else file)
    handle = ffi.gc(out[0], lib.actgen_kernel_free)
    kept = {"interpret": interpret, "tier": tier, "plan_limit": plan_limit, "streaming": streaming, "prove": prove}
    return Kernel(handle, (compile, {**texts, **kept}))


@entry
def load(path: str | os.PathLike[str], kernel: str | None = None, **options: Any) -> Kernel:
    """Compiles a kernel of a file. `kernel` names it if the file has several. The options are those of `compile`.

    Raises OSError if the file cannot be read, and the exceptions of `compile`.
    """
    with open(path, encoding="utf-8") as file:
        return compile(spec=file.read(), kernel=kernel, file=os.fspath(path), **options)


def isas() -> list[str]:
    """Lists the instruction sets that kernels can be compiled for: the best first, and at the end those that extend another.

    `actgen.runs_here(isa)` tells which of them run here.
    """
    names, i = [], 0
    while name := text(lib.actgen_isa_name(i)):
        names.append(name)
        i += 1
    return names


@entry
def runs_here(isa: str) -> bool:
    """Returns True if this processor and system can run code of this instruction set. Raises TypeError for no text."""
    if not isinstance(isa, str):
        raise TypeError(f"isa is a text, such as {isas()[0]!r}, and not {isa!r}")
    return bool(lib.actgen_isa_runs_here(isa.encode()))
