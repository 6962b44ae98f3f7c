"""Tests lists of values that all elements share: shapes, values, gradients, and learning."""

import numpy as np
import pytest

import actgen

PADE = """kernel pade(x: f32, a: f32[4], b: f32[2]) -> (y: f32) {
    y = (a[0] + x*(a[1] + x*(a[2] + x*a[3])))/(1 + abs(x*(b[0] + x*b[1])))
}
"""


@pytest.fixture(scope="module")
def pade():
    return actgen.compile(spec=PADE)


def exact(x, a, b):
    x = x.astype(np.float64)
    return np.polyval(a[::-1].astype(np.float64), x) / (1 + np.abs(x * (b[0] + x * b[1])))


def test_operands(pade):
    assert [o.name for o in pade.operands] == ["x", "a[0]", "a[1]", "a[2]", "a[3]", "b[0]", "b[1]", "y"]
    assert [o.shape for o in pade.operands[:2]] == ["[rows, cols]", "[4]"]
    assert [g.name for g in pade.input_groups] == ["x", "a", "b"]
    assert "(x: float32, a: float32[4], b: float32[2]) -> (y: float32)" in repr(pade)


@pytest.mark.parametrize("shape", [(), (5,), (3, 70), (2, 3, 4)])
def test_values(pade, shape):
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    a, b = np.array([0.1, 1, -0.5, 0.25], np.float32), np.array([0.5, 1], np.float32)
    y = pade(x, a, b)
    assert np.shape(y) == shape
    np.testing.assert_allclose(y, exact(x, a, b), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(pade(x=x, a=a, b=b), y)
    np.testing.assert_array_equal(pade.interpret(x, a, b), y)


@pytest.mark.parametrize("size", [3, 5])
def test_wrong_length_is_refused(pade, size):
    x, b = np.zeros(4, np.float32), np.zeros(2, np.float32)
    with pytest.raises(ValueError, match=r"`a` has shape \[" + str(size) + r"\]; here it must be \[4\]"):
        pade(x, np.zeros(size, np.float32), b)


def test_values_apart_are_refused(pade):
    with pytest.raises(ValueError, match="contiguous"):
        pade(np.zeros(4, np.float32), np.zeros(8, np.float32)[::2], np.zeros(2, np.float32))


def test_gradient_has_the_same_bits_for_any_threads(pade):
    kernel = pade.gradient("x", "a", "b")
    generator = np.random.default_rng(2)
    x, dy = generator.normal(size=(2, 700, 130)).astype(np.float32)
    a, b = generator.normal(size=4).astype(np.float32), np.array([0.5, 1], np.float32)
    one = kernel(x, a, b, dy, threads=1)
    assert [r.shape for r in one] == [x.shape, (4,), (2,)]
    for threads in (2, 3):
        for result, other in zip(kernel(x, a, b, dy, threads=threads), one, strict=True):
            np.testing.assert_array_equal(result, other)
    below = 1 + np.abs(x * (b[0] + x * b[1])).astype(np.float64)
    expected = [(dy * x.astype(np.float64) ** i / below).sum() for i in range(4)]
    np.testing.assert_allclose(one[1], expected, rtol=1e-4, atol=1e-2)


def test_pade_learns_an_activation(pade):
    """Gradient descent brings the unit near GELU."""
    backward = pade.gradient("a", "b")
    x = np.linspace(-3, 3, 4096, dtype=np.float32)
    wanted = actgen.compile("gelu")(x)
    a, b = np.array([0, 1, 0, 0], np.float32), np.array([0.1, 0.1], np.float32)
    losses = []
    for _ in range(300):
        error = pade(x, a, b) - wanted
        losses.append(float(np.mean(error**2)))
        da, db = backward(x, a, b, (2 / x.size * error).astype(np.float32))
        a, b = a - np.float32(0.02) * da, b - np.float32(0.02) * db
    assert losses[-1] < losses[0] / 20


def test_libraries_have_no_lists(pade):
    pytest.importorskip("torch")
    module = pytest.importorskip("actgen.torch")
    with pytest.raises(ValueError, match="has lists"):
        module.as_torch(pade)
