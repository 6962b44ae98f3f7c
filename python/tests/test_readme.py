"""Runs the examples of README.md in order, in one namespace, and compares their output with that of the README."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n```\n(.*?)```)?", re.DOTALL)
NEEDS = {"torch": "import torch", "jax": "import jax", "numba": "import numba", "scipy": "from scipy"}


def test_examples(capsys):
    namespace: dict[str, object] = {}
    blocks = BLOCK.findall(README.read_text(encoding="utf-8"))
    assert len(blocks) >= 4
    for code, printed in blocks:
        if any(sign in code and not _has(library) for library, sign in NEEDS.items()):
            continue
        capsys.readouterr()
        exec(compile(code, str(README), "exec"), namespace)
        if printed:
            assert capsys.readouterr().out == printed


def _has(library: str) -> bool:
    try:
        pytest.importorskip(library)
    except pytest.skip.Exception:
        return False
    return True
