"""Tests @actgen.jit: kernels from Python functions, and errors at the line of Python."""

import math

import numpy as np
import pytest

import actgen

X = np.linspace(-4, 4, 60, dtype=np.float32).reshape(5, 12)


def swish(x, beta):
    return x * actgen.sigmoid(beta * x)


def test_a_function_is_a_kernel():
    f = actgen.jit(swish)
    wanted = actgen.compile(spec="kernel swish(x: f32, beta: f32[]) -> (y: f32) { y = x * sigmoid(beta * x) }")
    assert np.array_equal(f(X, 1.7), wanted(X, 1.7)) and np.array_equal(f(X, beta=1.7), wanted(X, 1.7))
    assert f.__name__ == "swish" and f.certificate.accuracy == "3 ulp" and f.kernel.name == "swish"
    assert f(X, X).shape == f(X, X[0]).shape == f(X, X[:, :1]).shape == X.shape
    assert np.array_equal(f(X, X[0]), f(X, np.broadcast_to(X[0], X.shape)))
    assert f(X.astype(np.float64), 1.7).dtype == np.float64 and isinstance(f(0.5, 1.0), np.floating)
    with pytest.raises(TypeError, match="2 operands"):
        f(X)


def test_types_by_annotation():
    @actgen.jit(accuracy="abs 2^-16")
    def biased(x: "bfloat16", bias: "f32[cols]", slope: float = 0.25) -> "float32":  # noqa: F722, F821
        t = x + bias
        return actgen.where((t > 0) | (t != t), t, slope * t)

    assert [(o.name, o.dtype, o.shape) for o in biased.kernel.operands] == [
        ("x", "bfloat16", "[rows, cols]"),
        ("bias", "float32", "[cols]"),
        ("y", "float32", "[rows, cols]"),
    ]


def test_all_that_arithmetic_can_say():
    @actgen.jit(dtype="f64", accuracy="4 ulp")
    def f(x, z):
        a = +(abs(-x) ** 0.5) / 3 + 2**z - 1 / (1 + x**2) - (0.1 - z) + np.float32(0.5) * 1e-7
        b = (
            actgen.where(~(x <= z) & (x >= -1), math.floor(x), round(x))
            + actgen.max(x, z, 0)
            + actgen.leaky_relu(x, slope=0.5)
        )
        return {"a": a, "b": b}

    x, z = X.astype(float), X[::-1].astype(float) / 2
    a, b = f(x, z)
    assert np.allclose(a, np.abs(x) ** 0.5 / 3 + 2**z - 1 / (1 + x**2) - (0.1 - z) + 0.5e-7, rtol=1e-12)
    where = np.where(~(x <= z) & (x >= -1), np.floor(x), np.round(x))
    assert np.allclose(b, where + np.maximum(np.maximum(x, z), 0) + np.where(x > 0, x, 0.5 * x), rtol=1e-12)
    pair = actgen.jit(lambda x: (x + 1, x * 2))
    pair.__name__ = "pair"
    assert [np.array_equal(got, wanted) for got, wanted in zip(pair(X), (X + 1, X * 2), strict=True)] == [True, True]


def test_functions_of_numpy_are_those_of_the_language():
    def both(x):
        s = np.float32(2) * x / (1 + np.exp(-x)) + np.maximum(x, 0.5)
        t = np.where((x > 0) & np.less(x, 2), np.clip(x, -1, 1), np.abs(x) ** np.float64(2))
        return s - t

    wanted = actgen.jit(
        lambda x: (
            2 * x / (1 + actgen.exp(-x))
            + actgen.max(x, 0.5)
            - actgen.where((x > 0) & (x < 2), actgen.clamp(x, -1, 1), actgen.abs(x) ** 2)
        )
    )
    assert np.array_equal(actgen.jit(both)(X), wanted(X))
    for wrong, message in (
        (lambda x: np.arccos(x), "unknown function `arccos`"),
        (lambda x: np.sum(x), "numpy.sum is no function of the language"),
        (lambda x: np.ones(3) * x, "ndarray is no scalar"),
        (lambda x: np.exp(x, out=np.ones(1)), "numpy.exp is understood with arguments alone"),
        (lambda x: max(x, 0), "actgen.max"),
    ):
        with pytest.raises(actgen.SpecError, match=message):
            actgen.jit(wrong).kernel  # noqa: B018


def test_errors_point_at_python():
    def branches(x):
        y = 2 * x
        return y if x > 0 else -y

    def sine(x):
        t = x * x
        return math.sin(t)

    def accurate(x, z):
        t = actgen.exp(x + z)
        return t

    def unknown(x: "u64"):  # noqa: F821
        return x

    cases = (
        (lambda: actgen.jit(branches), "actgen.where", "y if x > 0", "^~~~~", branches, 2),
        (lambda: actgen.jit(sine), "actgen", "math.sin(t)", "^~~~~~~~~~~", sine, 2),
        (lambda: actgen.jit(accurate, accuracy="0.5 ulp"), "0.5 ulp", "def accurate", "^~~~", accurate, 0),
        (lambda: actgen.jit(unknown), "u64", "def unknown", "^~~", unknown, 0),
        (lambda: actgen.jit(lambda x: x + "a"), "str is no scalar", 'x + "a"', "^~~~~~~", None, 0),
        (lambda: actgen.jit(lambda x: actgen.gelu(x, 1)), "gelu", "actgen.gelu(x, 1)", "^~~~~~~~~~~~~~~~", None, 0),
    )
    for make, message, source, carets, function, line in cases:
        with pytest.raises(actgen.Error, match=message) as raised:
            make().kernel  # noqa: B018 - which compiles
        text = str(raised.value)
        assert __file__ in text and carets in text and source in text, text
        if function is not None:
            assert raised.value.line == function.__code__.co_firstlineno + line


def test_functions_of_the_language():
    assert actgen.functions()["silu"].__doc__ == "function silu(x) = x * sigmoid(x)"
    with pytest.raises(AttributeError):
        _ = actgen.nothing_of_that_name
    with pytest.raises(TypeError, match="actgen.compile"):
        actgen.gelu(X)
