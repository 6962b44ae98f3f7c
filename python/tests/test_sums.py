"""Tests sums over rows and columns, as results and in formulas: shapes, values, and equal bits for any number of threads."""

import numpy as np
import pytest

import actgen

SUMS = "kernel s(x: f32) -> (t: f32[rows], c: f32[cols], a: f32[]) { t = sum(x); c = mean(x); a = amax(abs(x)) }"
SOFTMAX = "kernel softmax(x: f32) -> (y: f32) { t = exp(x - amax(x)); y = t/sum(t) }"
QUANTISED = (
    "kernel quantised(x: f32) -> (q: i8, s: f32[rows]) { s = f32(clamp(amax(abs(x))/127, 2^-139, 2^122)); q = x/s }"
)
SLOPES = "kernel p(x: f32, slope: f32[cols]) -> (y: f32) { y = if x > 0 then x else slope*x }\nkernel q = gradient p"

GATED = """
kernel gated(x: f32, a: f32[rows]) -> (g: f32[rows], y: f32) { g = silu(a); y = x*g }
kernel alone(a: f32[rows]) -> (g: f32[rows]) { g = silu(a) }
"""


@pytest.fixture(scope="module")
def sums():
    return actgen.compile(spec=SUMS)


@pytest.mark.parametrize("lead", [(1,), (255,), (256,), (3, 100), (700,)])
def test_values(sums, lead):
    x = np.random.default_rng(1).normal(size=(*lead, 129)).astype(np.float32)
    rows, cols, largest = sums(x)
    assert rows.shape == (*lead, 1) and cols.shape == (129,) and largest.shape == ()
    np.testing.assert_allclose(rows, x.astype(np.float64).sum(axis=-1, keepdims=True), rtol=0, atol=1e-4)
    np.testing.assert_allclose(cols, x.reshape(-1, 129).astype(np.float64).mean(axis=0), rtol=0, atol=1e-6)
    assert largest == np.abs(x).max()


def test_bits_are_those_of_the_interpreter_and_of_any_threads(sums):
    x = np.random.default_rng(2).normal(size=(1500, 77)).astype(np.float32)
    expected = sums.interpret(x)
    for threads in (1, 2, 3):
        for result, other in zip(sums(x, threads=threads), expected, strict=True):
            np.testing.assert_array_equal(result, other)


def test_sums_of_nothing(sums):
    rows, cols, _ = sums(np.zeros((3, 0), np.float32))
    assert cols.shape == (0,)
    np.testing.assert_array_equal(rows, np.zeros((3, 1), np.float32))


@pytest.mark.parametrize("shape", [(700, 33), (3, 5, 1), (4, 0), (0, 7)])
def test_values_of_rows(shape):
    """A result of shape [rows] needs no sum."""
    kernel = actgen.compile(spec=GATED, kernel="gated")
    x = np.random.default_rng(5).normal(size=shape).astype(np.float32)
    a = np.linspace(-9, 9, int(np.prod(shape[:-1])), dtype=np.float32).reshape(shape[:-1])
    g, y = kernel(x, a, threads=3)
    assert g.shape == (*shape[:-1], 1)
    np.testing.assert_allclose(g[..., 0], a / (1 + np.exp(-a.astype(np.float64))), rtol=1e-6)
    np.testing.assert_allclose(y, x * g, rtol=1e-6)
    for result, other in zip((g, y), kernel.interpret(x, a), strict=True):
        np.testing.assert_array_equal(result, other)
    if shape[-1] == 1:
        alone = actgen.compile(spec=GATED, kernel="alone")
        np.testing.assert_array_equal(alone(a.ravel()), g.reshape(-1, 1))


def test_strided_rows_and_out(sums):
    x = np.random.default_rng(3).normal(size=(300, 64)).astype(np.float32)
    out = (np.empty(300, np.float32), np.empty(40, np.float32), np.empty((), np.float32))
    for result, other in zip(sums(x[:, :40], out=out), sums(x[:, :40].copy()), strict=True):
        np.testing.assert_array_equal(np.ravel(result), np.ravel(other))


def test_uneven_rows_are_refused(sums):
    with pytest.raises(ValueError, match="contiguous"):
        sums(np.zeros((4, 5, 6), np.float32)[:, ::2])


def test_gradient_of_slopes():
    kernel = actgen.compile(spec=SLOPES, kernel="q")
    generator = np.random.default_rng(4)
    x, dy = generator.normal(size=(2, 600, 33)).astype(np.float32)
    slope = generator.normal(size=33).astype(np.float32)
    given = {"x": x, "slope": slope, "d_y": dy}
    dx, d_slope = kernel(**{g.name: given[g.name] for g in kernel.input_groups})
    np.testing.assert_allclose(d_slope, (np.minimum(x, 0) * dy).sum(axis=0, dtype=np.float64), rtol=0, atol=1e-4)
    np.testing.assert_array_equal(dx, np.where(x > 0, dy, slope * dy))


def rows_of(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).normal(0, 3, shape).astype(np.float32)


@pytest.fixture(scope="module")
def softmax():
    return actgen.compile(spec=SOFTMAX)


@pytest.mark.parametrize("shape", [(1,), (129,), (1, 129), (300, 64), (3, 5, 40), (4, 0), (0, 4)])
def test_softmax(softmax, shape):
    """Dense rows are not joined into one row."""
    x = rows_of(*shape)
    y = softmax(x)
    assert y.shape == x.shape and y.dtype == np.float32
    if x.size:
        t = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True))
        np.testing.assert_allclose(y, t / t.sum(axis=-1, keepdims=True), rtol=1e-5)


def test_softmax_of_any_rows(softmax):
    x = rows_of(6, 8, 33)
    expected = softmax(x)
    np.testing.assert_array_equal(
        softmax(x[:, ::2]), expected[:, ::2]
    )  # outer axes that are no rows at equal distances
    np.testing.assert_array_equal(softmax(x[::-1]), expected[::-1])
    in_place = x.copy()
    assert softmax(in_place, out=in_place) is in_place
    np.testing.assert_array_equal(in_place, expected)


def test_softmax_has_equal_bits_by_the_interpreter_and_by_any_threads(softmax):
    x = rows_of(1500, 77)
    expected = softmax.interpret(x)
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(softmax(x, threads=threads), expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_quantisation_with_a_scale_a_row(threads):
    x = rows_of(2, 600, 80)
    q, s = actgen.compile(spec=QUANTISED)(x, threads=threads)
    assert q.dtype == np.int8 and q.shape == x.shape and s.shape == (2, 600, 1)
    np.testing.assert_allclose(s, np.abs(x).max(axis=-1, keepdims=True) / 127, rtol=2.0**-22)
    np.testing.assert_array_equal(q, np.rint(x / s))


def test_gradient_of_softmax(softmax):
    x, dy = rows_of(2, 300, 40)
    p = softmax(x).astype(np.float64)
    expected = p * (dy - (dy * p).sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(softmax.gradient()(x, dy), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_built_ins_of_whole_rows(dtype):
    pytest.importorskip("ml_dtypes")
    kernel = actgen.compile("softmax", dtype=dtype)
    x = rows_of(5, 7, 40).astype(np.float32 if dtype == "float32" else "bfloat16")
    t = np.exp(x.astype(np.float64) - x.astype(np.float64).max(axis=-1, keepdims=True))
    expected = t / t.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(kernel(x).astype(np.float64), expected, rtol=2.0**-21 if dtype == "float32" else 2.0**-8)


def test_what_sums_in_formulas_cannot_do(softmax):
    with pytest.raises(actgen.NotYetError, match=r":1:73: error: `c` is known only after all rows"):
        actgen.compile(spec="kernel centred(x: f32) -> (y: f32, c: f32[cols]) { c = mean(x); y = x - c }")
    with pytest.raises(ValueError, match="contiguous"):
        softmax(rows_of(4, 8)[:, ::2])


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_operators(softmax, library):
    numbers = pytest.importorskip({"torch": "torch", "jax": "jax.numpy"}[library])
    module = pytest.importorskip(f"actgen.{library}")
    as_operator = getattr(module, f"as_{library}")
    x = rows_of(3, 5, 40)
    given = numbers.asarray(x)
    np.testing.assert_array_equal(np.asarray(as_operator(softmax)(given)), softmax(x))
    kernel = actgen.compile(spec=QUANTISED)
    for result, expected in zip(as_operator(kernel)(given), kernel(x), strict=True):
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_operators_of_pytorch_know_their_shapes(softmax):
    torch, module = pytest.importorskip("torch"), pytest.importorskip("actgen.torch")
    x = torch.from_numpy(rows_of(6, 5, 40))
    for kernel in (softmax, actgen.compile(spec=QUANTISED)):
        operator = module.as_torch(kernel)
        for given in (x, x.transpose(0, 1), x.transpose(1, 2)):
            torch.library.opcheck(operator.overload, (given,), test_utils=("test_schema", "test_faketensor"))
