"""Tests the messages for wrong arguments, and what editors and type checkers see."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import actgen

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


def test_a_misspelt_name_is_an_error_of_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "wrong.py").write_text(
        'import actgen\nactgen.complie("gelu")\nactgen.compile("gelu")\nactgen.sigmoid\n'
    )
    path = {**os.environ, "MYPYPATH": str(pathlib.Path(actgen.__file__).parents[1])}
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "wrong.py"]
    said = subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True).stdout
    assert 'wrong.py:2: error: Module has no attribute "complie"' in said and said.count("error:") == 1, said
    declared = re.findall(r"^(\w+): Function", (pathlib.Path(actgen.__file__).parent / "_names.py").read_text(), re.M)
    assert declared == sorted(set(actgen.functions()) - set(actgen.__all__))


def test_a_notebook_shows_a_plot_once(gelu):
    plt = pytest.importorskip("matplotlib.pyplot")
    before = plt.get_fignums()
    assert gelu.plot(points=11).axes and plt.get_fignums() == before
