"""What the extension takes, what it leaves to Python, and its threads."""

import subprocess
import sys

import numpy as np
import pytest

import actgen
from actgen._extension import native, native_call

if native is None:
    pytest.skip("the extension was not built, or is not wanted", allow_module_level=True)

RNG = np.random.default_rng(5)
X = RNG.normal(0, 2, (6, 40)).astype(np.float32)
SPECS = {
    "gelu": "kernel k(x: f32) -> (y: f32) { y = gelu(x) }",
    "packed": "kernel k([gate | up]: f32) -> (y: f32) { y = gelu(gate) * up }",
    "cols": "kernel k(x: f32, b: f32[cols]) -> (y: f32) { y = gelu(x + b) }",
    "rows": "kernel k(x: f32, b: f32[rows]) -> (y: f32) { y = gelu(x + b) }",
    "one": "kernel k(x: f32, b: f32[]) -> (y: f32) { y = gelu(x + b) }",
    "two results": "kernel k(x: f32, g: f32) -> (y: f32, z: f32) {\n y = gelu(x)\n z = x * g\n}",
}
OTHERS = {"cols": [X[0]], "rows": [X[:, 0].copy()], "one": [X[0, :1]], "two results": [X[::-1].copy()]}


def made(name):
    return actgen.compile(spec=SPECS[name])


def quick(kernel, *arrays, out=None, threads=1):
    return native_call(kernel._handle, kernel.groups).quick(arrays, out, threads)


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def equal(a, b):
    return all(np.array_equal(p, q) for p, q in zip(as_tuple(a), as_tuple(b), strict=True))


@pytest.mark.parametrize("name", SPECS)
def test_usual_calls_are_taken(name):
    kernel, arrays = made(name), [X, *OTHERS.get(name, [])]
    wanted = kernel.interpret(*arrays)
    assert equal(quick(kernel, *arrays), wanted)
    out = tuple(np.empty_like(w) for w in as_tuple(wanted))
    assert equal(quick(kernel, *arrays, out=out), wanted) and equal(out, wanted)


@pytest.mark.parametrize("name", SPECS)
def test_tensors_are_taken(name):
    torch = pytest.importorskip("torch")
    kernel, arrays = made(name), [X, *OTHERS.get(name, [])]
    wanted = kernel.interpret(*arrays)
    found = quick(kernel, *(torch.from_numpy(a) for a in arrays))
    assert all(type(f) is torch.Tensor for f in as_tuple(found)) and equal(found, wanted)
    out = tuple(torch.empty(w.shape) for w in as_tuple(wanted))
    assert equal(quick(kernel, *(torch.from_numpy(a) for a in arrays), out=out), wanted) and equal(out, wanted)


def test_what_is_not_usual_is_left():
    kernel, read_only = made("gelu"), np.empty_like(X)
    read_only.flags.writeable = False
    for arrays in (
        [X[:, ::2]],
        [X.T],
        [X.astype(float)],
        [X.tolist()],
        [1.0],
        [X[0, 0]],
        [X[:0]],
        [X, X],
        [],
        [None],
        [X.view(np.recarray)],
    ):
        assert quick(kernel, *arrays) is None
    for out in (
        read_only,
        X[:, :39],
        X.astype(float),
        (),
        (X, X),
        [X.copy()],
        "y",
        X.copy().T,
        np.empty(240, np.float32),
    ):
        assert quick(kernel, X, out=out) is None
    memory = np.zeros(300, np.float32)
    assert quick(kernel, memory[:240], out=memory[1:241]) is None and not memory.any()
    assert quick(kernel, X, threads=0) is None and quick(kernel, X, threads=None) is None
    for name, wrong in (("cols", X[0, 1:]), ("cols", X[:1]), ("rows", X[0]), ("one", X[0, :2]), ("two results", X[1:])):
        assert quick(made(name), X, wrong) is None
    assert quick(made("packed"), X[:, 1:].copy()) is None


def test_tensors_that_are_not_usual_are_left():
    torch = pytest.importorskip("torch")
    kernel, t = made("gelu"), torch.from_numpy(X)
    negated = torch.ones(1, dtype=torch.complex64).conj().imag
    for tensor in (
        t[:, ::2],
        t.T,
        t.double(),
        t.clone().requires_grad_(),
        t.to("meta"),
        torch.nn.Parameter(t),
        negated,
        t[0, 0],
    ):
        assert quick(kernel, tensor) is None
    assert quick(kernel, t, out=torch.empty(6, 41)) is None


def test_no_reference_is_lost():
    kernel = made("two results")
    call = native_call(kernel._handle, kernel.groups)
    arrays, out = (X, X.copy()), (np.empty_like(X), np.empty_like(X))
    before = [sys.getrefcount(o) for o in (X, X.dtype, *arrays, *out, out, call)]
    for _ in range(1000):
        call.quick(arrays, out, 1)
        call.quick((X,), out, 1)
        call.quick(arrays, (X, X, X), 1)
        call.quick(arrays, None, 1)
    assert [sys.getrefcount(o) for o in (X, X.dtype, *arrays, *out, out, call)] == before


def test_calls_that_share_the_threads(at_once):
    kernel = made("gelu")
    arrays = [RNG.normal(size=100_000 + 64 * i).astype(np.float32) for i in range(6)]
    wanted = [kernel(a) for a in arrays]
    assert not at_once(lambda i: all(np.array_equal(kernel(arrays[i], threads=2 + i), wanted[i]) for _ in range(40)), 6)


def test_threads_end_with_the_process():
    """Even while one that Python does not wait for is in a call."""
    script = (
        "import actgen, threading, time, numpy as np\nk = actgen.compile('gelu')\nx = np.ones(10**6, np.float32)\n"
        "def work():\n    while True: k(x, out=x, threads=3)\n"
        "threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.3)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=600)
