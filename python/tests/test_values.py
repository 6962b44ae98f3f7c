"""Functions of one value for other compilers, and the objects that `emit` writes."""

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest

import actgen


def test_address_has_the_bits_of_the_kernel(gelu, values):
    function = gelu.ctypes
    assert ctypes.cast(function, ctypes.c_void_p).value == gelu.address
    wanted = gelu(values)
    assert all(function(x) == y for x, y in zip(values.ravel().tolist(), wanted.ravel().tolist(), strict=True))


def test_ctypes_takes_all_inputs_and_keeps_the_kernel():
    function = actgen.compile(formula="x*sigmoid(1.7*x)", dtype="float64").ctypes  # nothing else holds the kernel
    assert function(0.0) == 0 and 0.84 < function(1.0) < 0.85
    gate = actgen.compile(spec="kernel gate(a: f32, b: f32[]) -> (y: f32) { y = max(a, 0)*b }").ctypes
    assert gate.argtypes == (ctypes.c_float, ctypes.c_float) and gate(3, 0.5) == 1.5


def test_cffi_calls_the_address(gelu):
    cffi = pytest.importorskip("cffi")
    function = cffi.FFI().cast("float (*)(float)", gelu.address)
    assert function(1.0) == float(gelu(np.float32([1]))[0])


def test_numba_calls_the_function():
    numba = pytest.importorskip("numba")
    gelu = actgen.compile("gelu", dtype="float64")
    function = gelu.ctypes

    @numba.njit
    def total(x):
        sum = 0.0
        for value in x:
            sum += function(value) * 2
        return sum

    x = np.linspace(-4, 4, 101)
    assert np.isclose(total(x), 2 * gelu(x).sum(), rtol=1e-12)


def test_scipy_calls_the_function():
    integrate, scipy = pytest.importorskip("scipy.integrate"), pytest.importorskip("scipy")
    function = scipy.LowLevelCallable(actgen.compile("sigmoid", dtype="float64").ctypes)
    value, _ = integrate.quad(function, -3, 3)
    assert abs(value - 3) < 1e-9


def test_cython_calls_the_address(tmp_path, monkeypatch, values, gelu):
    pytest.importorskip("Cython")
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    (tmp_path / "loop.pyx").write_text("""
ctypedef float (*function)(float) nogil

def apply(size_t address, float[::1] x):
    cdef function f = <function>address
    cdef Py_ssize_t i
    with nogil:
        for i in range(x.shape[0]):
            x[i] = f(x[i])
""")
    cythonize = [sys.executable, "-m", "Cython.Build.Cythonize", "-i", "-q", "loop.pyx"]
    subprocess.run(cythonize, cwd=tmp_path, check=True, capture_output=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    import loop

    x, wanted = values.ravel().copy(), gelu(values).ravel()
    loop.apply(gelu.address, x)
    assert (x == wanted).all()


def test_kernels_that_are_no_function_are_refused():
    bias = actgen.compile(spec="kernel bias(x: f32, b: f32[cols]) -> (y: f32) { y = gelu(x + b) }")
    with pytest.raises(actgen.ArgumentError, match="operand 'b' has one value per column"):
        bias.address  # noqa: B018
    with pytest.raises(actgen.ArgumentError, match="neither f32 nor f64"):
        actgen.compile("gelu", dtype="bfloat16").ctypes  # noqa: B018
    with pytest.raises(actgen.ArgumentError, match="cannot be a function of values"):
        bias.emit(abi="vector")


def test_emit_takes_the_options_of_the_program(gelu, tmp_path):
    header = gelu.emit("header", "my.h", prefix="my_", abi="scalar", visibility="default").decode()
    assert "float my_gelu(float x_value);" in header and "my_gelu_rows(" in header
    assert "ACTGEN_GENERATED_MY_MY_H" in header
    assert gelu.emit(format="coff")[:2] in (b"\x64\x86", b"\x64\xaa")  # x86-64, arm64
    with pytest.raises(actgen.TargetError, match="no format `elv`"):
        gelu.emit(format="elv")
    for wrong in ({"what": "assembly"}, {"visibility": "public"}, {"abi": "values"}):
        with pytest.raises(ValueError, match="there are '"):
            gelu.emit(**wrong)
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    (tmp_path / "my.o").write_bytes(gelu.emit(prefix="my_", abi="scalar", visibility="default"))
    subprocess.run(["cc", "-shared", "my.o", "-o", "my.so"], cwd=tmp_path, check=True)
    function = ctypes.CDLL(str(tmp_path / "my.so")).my_gelu
    function.argtypes, function.restype = [ctypes.c_float], ctypes.c_float
    assert function(1.0) == gelu.ctypes(1.0)
