"""Tests the library in one process with others that have an LLVM of their own, in both orders, and after a fork."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

USE = "import actgen, numpy as np; k = actgen.compile('gelu'); assert 0.84 < k(1.0) < 0.85; assert k.backend == 'machine code'\n"
OTHERS = {
    "numba": "import numba\nassert numba.njit(lambda v: v + 1)(1) == 2\n",
    "torch": "import torch\nassert torch.nn.functional.gelu(torch.ones(3)).sum() > 2\n",
    "jax": "import jax\nassert jax.jit(jax.numpy.sin)(0.0) == 0\n",
}


@pytest.mark.parametrize("names", [["numba"], ["torch"], ["jax"], ["numba", "torch", "jax"]], ids="-".join)
@pytest.mark.parametrize("first", ["actgen", "others"])
def test_beside_other_compilers(names, first):
    if any(importlib.util.find_spec(name) is None for name in names):
        pytest.skip(f"not installed: {', '.join(names)}")
    others = "".join(OTHERS[name] for name in names)
    # In each order of loading, both are used again after all are loaded.
    order = USE + others if first == "actgen" else others + USE
    subprocess.run([sys.executable, "-c", order + USE + others], check=True, timeout=600)


@pytest.mark.parametrize("first", ["actgen", "LLVM"])
@pytest.mark.parametrize("mode", ["RTLD_LOCAL", "RTLD_GLOBAL"])
def test_beside_another_libllvm(first, mode):
    found = [path for path in (f"/usr/lib/llvm-{v}/lib/libLLVM.so" for v in (19, 18, 20, 14)) if os.path.exists(path)]
    if not found:
        pytest.skip("no other libLLVM is installed")
    other = f"import ctypes, os\nctypes.CDLL({found[0]!r}, mode=os.{mode}).LLVMContextCreate()\n"
    order = USE + other if first == "actgen" else other + USE
    subprocess.run([sys.executable, "-c", order + USE + "k.gradient()\n"], check=True, timeout=600)


def test_a_forked_child_goes_on(gelu):
    """The child lacks the threads of the parent's pool, and starts its own."""
    script = USE + (
        "import os\nx = np.ones(10**6, np.float32)\ny = k(x, threads=2)\npid = os.fork()\n"
        "ok = np.array_equal(k(x, threads=2), y)\n"
        "if pid == 0: os._exit(0 if ok else 1)\nassert os.waitpid(pid, 0)[1] == 0 and ok\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=600)


def test_kernels_outlive_the_package():
    """At the end Python may close the library before the last kernel is freed, for example if XLA's handlers keep one."""
    script = USE + "from actgen._library import ffi, lib\nkept = k, k.gradient()\nffi.dlclose(lib)\ndel k, kept\n"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=600)


def test_libraries_export_their_functions_alone():
    """The libraries hide their LLVM."""
    from actgen._library import library_path

    folder = Path(library_path()).parent
    debuggers = ("__jit_debug_descriptor", "__jit_debug_register_code")  # gdb's JIT interface wants these names
    for pattern, *prefixes in (
        ("libactgen.so", "actgen_", "ACTGEN_", *debuggers),  # and the name of the version of its symbols
        ("libactgen-llvm.so.0", "backend_module"),
        ("libactgen-numbers.so.0", "numbers_module"),
    ):
        if not (folder / pattern).exists() and "numbers" in pattern:
            continue  # where MPFR and GMP are linked
        try:
            run = subprocess.run(
                ["nm", "-D", "--defined-only", folder / pattern], check=True, capture_output=True, text=True
            )
        except FileNotFoundError:
            pytest.skip("no nm here")
        assert run.stdout and all(line.split()[-1].startswith(tuple(prefixes)) for line in run.stdout.splitlines())
