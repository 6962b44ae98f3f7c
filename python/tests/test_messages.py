"""Tests the messages for wrong arguments, and what editors and type checkers see."""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import actgen

PACKAGE = pathlib.Path(actgen.__file__).parent


def _library(name):
    pytest.importorskip(name.replace("actgen.", ""))
    return importlib.import_module(name)


WRONG = {
    "threads": (lambda k, x: k(x, threads="2"), TypeError, "threads is a whole number"),
    "plan_limit": (
        lambda k, x: actgen.compile("gelu", plan_limit=-1),
        ValueError,
        "plan_limit is -1; it is at least 0",
    ),
    "time_limit": (lambda k, x: actgen.compile("gelu", time_limit="3"), TypeError, "time_limit is a number"),
    "memory_limit": (lambda k, x: actgen.compile("gelu", memory_limit=-5), ValueError, "memory_limit is -5"),
    "runs_here": (lambda k, x: actgen.runs_here(None), TypeError, "isa is a text, such as"),
    "jit": (lambda k, x: actgen.jit("gelu"), TypeError, "jit is for functions of Python, and not 'gelu'"),
    "NUL": (lambda k, x: actgen.compile(formula="x\0*2"), ValueError, "formula has a NUL character at 1"),
    "keep_memory": (lambda k, x: actgen.keep_memory("1G"), TypeError, "a number of bytes"),
    "keep_memory < 0": (lambda k, x: actgen.keep_memory(-1), ValueError, "at least 0"),
    "mask": (lambda k, x: k(np.ma.masked_array(x, x > 0)), TypeError, "masked array would lose its mask"),
    "one number": (
        lambda k, x: actgen.compile("swiglu")(x, 2.0),
        ValueError,
        r"declared so, as in `up: f32\[\]`",
    ),
    "quick-gelu": (lambda k, x: actgen.compile("quick-gelu"), actgen.ArgumentError, "did you mean `quick_gelu`"),
    "GELU": (lambda k, x: actgen.compile("GELU"), actgen.ArgumentError, "did you mean `gelu`"),
    "3 ulps": (
        lambda k, x: actgen.compile("gelu", accuracy="3 ulps"),
        actgen.SpecError,
        "expected `ulp`, as in `3 ulp`",
    ),
    "float64": (lambda k, x: k(x.astype(float)), TypeError, "convert it, or compile the kernel for float64"),
    "int64": (lambda k, x: k(x.astype(np.int64)), TypeError, "operands of dtype int64, and this one is float32"),
    "tracer": (lambda k, x: _library("jax").jit(k)(x), TypeError, r"as in jax.jit: use actgen.jax.as_jax\(kernel\)"),
    "as_jax": (lambda k, x: _library("actgen.jax").as_jax([k]), TypeError, "is no kernel; actgen.compile"),
    "torch in jit": (
        lambda k, x: actgen.jit(lambda a: _library("torch").exp(a)),
        actgen.SpecError,
        "exp of PyTorch is of tensors; take the function of that name in actgen",
    ),
    "activation": (lambda k, x: _library("actgen.torch").activation(k), TypeError, "name is a text, and not <kernel"),
    "complie": (lambda k, x: actgen.complie, AttributeError, "did you mean 'compile'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_said(gelu, case):
    call, kind, message = WRONG[case]
    with pytest.raises(kind, match=message):
        call(gelu, np.ones(4, np.float32))


def test_dir_lists_what_attributes_there_are():
    assert {"compile", "jax", "torch", "silu", "exp"} <= set(dir(actgen))
    assert all(hasattr(actgen, name) for name in dir(actgen) if name not in ("jax", "torch"))


RIGHT = """
from typing import Any
import numpy as np
import numpy.typing as npt
import actgen

@actgen.jit
def swish(x: npt.NDArray[np.float32], beta: float) -> Any:
    return x * actgen.sigmoid(beta * x)

@actgen.jit(dtype="float64", accuracy="4 ulp")
def gate(a: Any, b: Any) -> Any:
    return actgen.where(a > 0, a * b, 0)

x = np.linspace(-3, 3, 7, dtype=np.float32)
swish(x, 1.7)
swish(x, beta=1.7, out=np.empty_like(x))
swish(x, 1.7, threads=2)
gate(x, x)
largest: float = swish.certificate.max_ulp
backward: actgen.Kernel = swish.gradient()
names: tuple[str, ...] = gate.operands
text: str = gate.spec("f32", "f32")
actgen.compile("gelu")(x)
actgen.sigmoid
"""
WRONG_TYPES = [
    'actgen.complie("gelu")',
    "swish.complie()",
    "swish(x)",
    "swish(x, beto=2.0)",
    'swish("x", 2.0)',
    'actgen.compile("gelu").gradiant()',
]


def _mypy(folder):
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "user.py"]
    path = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    said = subprocess.run(command, cwd=folder, env=path, capture_output=True, text=True).stdout
    return re.findall(r"user.py:(\d+): error:", said)


def _pyright(folder, checked="user.py"):
    settings = {"include": [checked], "typeCheckingMode": "standard", "extraPaths": [str(PACKAGE.parent)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    found = json.loads(said)["generalDiagnostics"]
    return [str(d["range"]["start"]["line"] + 1) for d in found if d["severity"] == "error"]


@pytest.mark.parametrize("module, errors_of", [("mypy", _mypy), ("basedpyright", _pyright)])
def test_types_of_a_program(tmp_path, module, errors_of):
    pytest.importorskip(module)
    (tmp_path / "user.py").write_text(RIGHT + "\n".join(WRONG_TYPES) + "\n")
    first = RIGHT.count("\n") + 1
    assert errors_of(tmp_path) == [str(first + i) for i in range(len(WRONG_TYPES))]


@pytest.mark.parametrize("module", ["mypy", "basedpyright"])
def test_types_of_the_package(tmp_path, module):
    for library in (module, "torch", "jax"):
        pytest.importorskip(library)
    if module == "basedpyright":
        assert _pyright(tmp_path, str(PACKAGE)) == []
        return
    settings = PACKAGE.parent / "pyproject.toml"
    if not settings.exists():
        pytest.skip("an installed package has no settings of mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", settings, "--cache-dir", tmp_path]
    checked = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_declared_names_are_those_of_the_language():
    declared = re.findall(r"^(\w+): Function", (PACKAGE / "_names.py").read_text(), re.M)
    assert declared == sorted(set(actgen.functions()) - set(actgen.__all__))


def test_annotations_of_arrays_leave_types_open():
    program = {}
    exec(RIGHT.partition("actgen.compile(")[0], program)
    assert program["swish"].operands == ("x", "beta")
    x = program["x"].astype(np.float64)
    assert program["swish"](x, 1.7).dtype == np.float64


def test_a_notebook_shows_a_plot_once(gelu):
    plt = pytest.importorskip("matplotlib.pyplot")
    before = plt.get_fignums()
    assert gelu.plot(points=11).axes and plt.get_fignums() == before
