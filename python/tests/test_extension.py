"""Tests which calls the extension handles, which calls it leaves to Python, and its threads."""

import subprocess
import sys

import numpy as np
import pytest

import actgen
from actgen import _call, _extension
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
    "softmax": "kernel k(x: f32) -> (y: f32) { t = exp(x - amax(x)); y = t/sum(t) }",
    "norm": "kernel k(x: f32, w: f32[cols], eps: f32[]) -> (y: f32) { y = w*x/sqrt(mean(x^2) + eps) }",
    "sums": "kernel k(x: f32) -> (t: f32[rows], c: f32[cols], a: f32[]) { t = sum(x); c = mean(x); a = amax(abs(x)) }",
    "quantised": "kernel k(x: f32) -> (q: i8, s: f32[rows]) { s = f32(amax(abs(x))/127); q = x/s }",
}
OTHERS = {
    "cols": [X[0]],
    "rows": [X[:, 0].copy()],
    "one": [X[0, :1]],
    "two results": [X[::-1].copy()],
    "norm": [X[0], np.ones(1, np.float32)],
}


def made(name):
    return actgen.compile(spec=SPECS[name])


def quick(kernel, *arrays, out=None, threads=1):
    return native_call(kernel._handle, kernel.groups).quick(arrays, out, threads)


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def equal(a, b):
    return all(np.array_equal(p, q) for p, q in zip(as_tuple(a), as_tuple(b), strict=True))


def test_named_and_strided_operands_are_taken(monkeypatch):
    gelu, swiglu = actgen.compile("gelu"), actgen.compile("swiglu")
    wanted = swiglu(X, X + 1), gelu(X.T.copy()), gelu(X[:, ::2].copy())
    monkeypatch.setattr(_call, "call", None)  # the way of all other calls
    found = swiglu(up=X + 1, gate=X), gelu(X.T), gelu(X[:, ::2])
    assert equal(found, wanted)


def test_free_threaded_python_does_without(monkeypatch):
    monkeypatch.setattr(_extension.sysconfig, "get_config_var", lambda name: int(name == "Py_GIL_DISABLED"))
    assert _extension._load() is None


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
    out = tuple(torch.empty_like(f) for f in as_tuple(found))
    assert equal(quick(kernel, *(torch.from_numpy(a) for a in arrays), out=out), wanted) and equal(out, wanted)


VIEWS = {
    "transposed": lambda a: a.transpose(2, 0, 1),
    "two apart": lambda a: a[..., ::2],
    "backwards": lambda a: a[::-1, :, ::-3],
    "short rows": lambda a: a[:, 1:, 3:9],
    "long rows": lambda a: a[:, 1:, 3:-9],
    "one column": lambda a: a[:, :, :1],
    "broadcast": lambda a: np.broadcast_to(a[:1, :, :1], a.shape),
}


def placed(array):
    """Returns the offset of each element from the first, which is the layout of a dense array."""
    return [stride for size, stride in zip(array.shape, array.strides, strict=True) if size > 1]


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float8_e5m2"])
@pytest.mark.parametrize("view", VIEWS)
def test_any_strides_are_taken(view, dtype):
    """Flat kernels copy elements in blocks, and these arrays have several blocks."""
    kind = np.dtype(dtype) if hasattr(np, dtype) else getattr(pytest.importorskip("ml_dtypes"), dtype)
    a, b = RNG.normal(size=(2, 9, 41, 83)).astype(kind)
    gelu, gate = actgen.compile("gelu", dtype=dtype), actgen.compile("swiglu", dtype=dtype)
    x, plain = VIEWS[view](a), np.ascontiguousarray(VIEWS[view](b))
    wanted = gelu.interpret(np.ascontiguousarray(x))
    bits = f"u{x.itemsize}"
    for threads in (1, 3):
        found = quick(gelu, x, threads=threads)
        assert np.array_equal(found.view(bits), wanted.view(bits)) and placed(found) == placed(np.empty_like(x))
    out = np.empty(wanted.shape[::-1], kind).T
    assert quick(gelu, x, out=out) is out and np.array_equal(out.view(bits), wanted.view(bits))
    both = gate.interpret(np.ascontiguousarray(x), plain)
    for arrays in ((x, plain), (x, np.asfortranarray(plain))):
        assert np.array_equal(quick(gate, *arrays).view(bits), both.view(bits))
    if x.flags.writeable:
        assert quick(gelu, x, out=x) is x and np.array_equal(x.view(bits), wanted.view(bits))


@pytest.mark.parametrize("name", ["packed", "cols", "softmax", "norm", "sums", "quantised"])
def test_rows_apart_are_taken(name):
    kernel, others = made(name), [a[:30] if a.shape == (40,) else a for a in OTHERS.get(name, [])]
    rows = RNG.normal(size=(3, 2, 40)).astype(np.float32)[..., 7:37]
    assert equal(quick(kernel, rows, *others), kernel.interpret(rows.copy(), *others))
    out = np.zeros((3, 2, 50), np.float32)
    if name != "packed" and len(kernel.result_groups) == 1:
        quick(kernel, rows, *others, out=out[..., 5:35])
        assert equal(out[..., 5:35], kernel.interpret(rows.copy(), *others))
        assert not out[..., :5].any() and not out[..., 35:].any()


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", ["softmax", "sums", "quantised"])
def test_threads_share_blocks_of_rows(name, threads):
    kernel, x = made(name), RNG.normal(size=(1500, 77)).astype(np.float32)
    assert equal(quick(kernel, x, threads=threads), kernel.interpret(x))


def test_numbers_are_taken():
    """Numbers for operands of one value are converted as by NumPy."""
    kernel = made("norm")
    for number in (1e-6, 0.1, 2, True, np.float64(0.1), np.float32(0.1), np.int64(3), float("inf")):
        wanted = kernel.interpret(X, X[0], np.asarray(number, np.float32))
        assert equal(quick(kernel, X, X[0], number), wanted)
    first = actgen.compile(spec="kernel k(g: f64[], x: f64) -> (y: f64) { y = g*x }")
    assert equal(quick(first, 0.1, X.astype(float)), 0.1 * X.astype(float))
    with pytest.warns(RuntimeWarning, match="overflow"):
        quick(kernel, X, X[0], 1e300)
    seeded = actgen.compile(spec="kernel k(x: f32, s: u64[], o: u64[]) -> (y: f32) { y = x*uniform(s, o) }")
    assert equal(quick(seeded, X, (1 << 64) - 1, 7), seeded.interpret(X, (1 << 64) - 1, 7))
    for wrong in (1 << 64, -1, 0.5, np.int64(-1), "1", None, [1]):
        assert quick(seeded, X, wrong, 0) is None
    for wrong in ("1", None, [1.0], 1j):
        assert quick(kernel, X, X[0], wrong) is None


def test_overlaps_are_left():
    """Python refuses overlaps, or finds that the arrays do not overlap."""
    kernel, gate = made("gelu"), actgen.compile("swiglu")
    memory = RNG.normal(size=(8, 200)).astype(np.float32)
    before = memory.copy()
    apart = np.lib.stride_tricks.as_strided
    for x, out in (
        (memory[:, 0:100:2], memory[:, 2:102:2]),
        (memory[:, 100:0:-2], memory[:, 0:100:2]),
        (memory[:, :100:2], memory[:, :50]),
        (memory[:8, :8].T, memory[:8, :8]),
    ):
        assert quick(kernel, x, out=out) is None and np.array_equal(memory, before)
    x, others = memory[:, ::2], np.zeros(200, np.float32)
    assert quick(gate, x, memory[:, 1::2], out=x) is None
    for strides in ((0, 4), (4, 4), (4, 0), (8, 4)):  # of results whose elements overlap each other
        assert quick(kernel, x, out=apart(others, (8, 100), strides)) is None and not others.any()
    unaligned = np.frombuffer(bytearray(4 * 100 + 1), np.uint8)[1:].view(np.float32)[::2]
    assert quick(kernel, unaligned) is None


def test_what_is_not_usual_is_left():
    kernel, read_only = made("gelu"), np.empty_like(X)
    read_only.flags.writeable = False
    for arrays in (
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
        read_only[:, ::-1],
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
    for name, wrong in (
        ("cols", X[0, 1:]),
        ("cols", X[:1]),
        ("cols", np.repeat(X[0], 2)[::2]),
        ("rows", X[0]),
        ("one", X[0, :2]),
        ("two results", X[1:]),
    ):
        assert quick(made(name), X, wrong) is None
    assert quick(made("packed"), X[:, 1:].copy()) is None
    for name in ("packed", "softmax", "sums"):
        for rows in (X[:, ::2], X[:, ::-1], X[::-1], X.T, np.broadcast_to(X[0], X.shape), X[:0], X[:, :0]):
            assert quick(made(name), rows) is None


def test_tensors_that_are_not_usual_are_left():
    torch = pytest.importorskip("torch")
    kernel, t = made("gelu"), torch.from_numpy(X)
    for tensor in (
        t.double(),
        t.clone().requires_grad_(),
        t.to("meta"),
        torch.nn.Parameter(t),
        torch.ones(1, dtype=torch.complex64).conj().imag,
        torch.ones(4, 5, dtype=torch.complex64).conj().imag,
        t.to_sparse(),
        t[0, 0],
    ):
        assert quick(kernel, tensor) is None
    unaligned = torch.frombuffer(bytearray(41), dtype=torch.float32, offset=1, count=10)
    for tensor in (unaligned, unaligned[::2]):
        assert quick(kernel, tensor) is None
        with pytest.raises(ValueError, match="not aligned"):
            kernel(tensor)
    assert quick(kernel, t, out=torch.empty(6, 41)) is None
    assert quick(kernel, t, out=torch.empty(6, 40, requires_grad=True)) is None
    for transform in (torch.func.vmap, torch.func.grad):
        seen = []
        transform(lambda v, seen=seen: (seen.append(quick(kernel, v)), v.sum())[1])(t)
        assert seen == [None]


def test_tensors_of_any_strides_are_taken():
    torch = pytest.importorskip("torch")
    kernel, gate, t = made("gelu"), actgen.compile("swiglu"), torch.from_numpy(RNG.normal(size=(9, 41, 83))).float()
    imaginary = torch.view_as_complex(torch.stack([t, t], -1)).imag
    for view in (
        t.permute(2, 0, 1),
        t.transpose(0, 1),
        t[..., ::2],
        t[:, 1:, 3:9],
        t[:1, :, :1].expand(t.shape),
        imaginary,
    ):
        found, wanted = quick(kernel, view), kernel.interpret(view.contiguous())
        assert torch.equal(found, wanted) and found.stride() == torch.empty_like(view).stride()
        both = quick(gate, view, wanted)
        assert torch.equal(both, gate.interpret(view.contiguous(), wanted))


@pytest.mark.parametrize("kind", ["leaf", "inner", "parameter"])
def test_tensors_that_require_gradients_are_taken_where_none_is_asked_for(kind):
    torch = pytest.importorskip("torch")
    leaf = torch.from_numpy(X).clone().requires_grad_()
    tensor = {"leaf": leaf, "inner": leaf * 2, "parameter": torch.nn.Parameter(torch.from_numpy(X))}[kind]
    kernel = made("gelu")
    assert quick(kernel, tensor) is None
    with torch.no_grad():
        found = quick(kernel, tensor)
        assert torch.equal(found, kernel.interpret(tensor))
        assert quick(kernel, tensor.T).stride() == tensor.T.stride()
    assert type(found) is torch.Tensor and not found.requires_grad


def test_no_reference_is_lost():
    kernel = made("two results")
    call = native_call(kernel._handle, kernel.groups)
    arrays, out = (X, X.copy()), (np.empty_like(X), np.empty_like(X))
    norm, short = made("norm"), np.empty(0, np.float32)
    norm_call, number, strided = native_call(norm._handle, norm.groups), np.float64(0.1), (X[:, ::2], X[:, 1::2])
    watched = (X, X.dtype, X.dtype.type, *arrays, *out, out, call, norm_call, number, short, *strided, None, True)
    before = [sys.getrefcount(o) for o in watched]
    for _ in range(1000):
        norm_call.quick((X, X[0], number), None, 1)
        norm_call.quick((X, short, number), None, 1)
        norm_call.quick((X, X[0], number), short, 1)
        call.quick(strided, None, 1)
        call.quick(arrays, out, 1)
        call.quick((X,), out, 1)
        call.quick(arrays, (X, X, X), 1)
        call.quick(arrays, None, 1)
    after = [sys.getrefcount(o) for o in watched]
    assert all(abs(a - b) < 100 for a, b in zip(after, before, strict=True))  # others hold None, too


def test_calls_that_share_the_threads(at_once):
    kernel = made("gelu")
    arrays = [RNG.normal(size=100_000 + 64 * i).astype(np.float32) for i in range(6)]
    wanted = [kernel(a) for a in arrays]
    assert not at_once(lambda i: all(np.array_equal(kernel(arrays[i], threads=2 + i), wanted[i]) for _ in range(40)), 6)


def test_threads_end_with_the_process():
    """The process ends even while a thread that Python does not wait for is in a call."""
    script = (
        "import actgen, threading, time, numpy as np\nk = actgen.compile('gelu')\nx = np.ones(10**6, np.float32)\n"
        "def work():\n    while True: k(x, out=x, threads=3)\n"
        "threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.3)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=600)
