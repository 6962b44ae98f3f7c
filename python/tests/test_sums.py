"""Sums over rows and columns: shapes, values, and equal bits for any number of threads."""

import numpy as np
import pytest

import actgen

SUMS = "kernel s(x: f32) -> (t: f32[rows], c: f32[cols], a: f32[]) { t = sum(x); c = mean(x); a = amax(abs(x)) }"
SLOPES = "kernel p(x: f32, slope: f32[cols]) -> (y: f32) { y = if x > 0 then x else slope*x }\nkernel q = gradient p"


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
