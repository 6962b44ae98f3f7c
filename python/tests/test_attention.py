"""Softmax as attention needs it (examples/attention.act), compared with NumPy in double precision."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import actgen

SPEC = (Path(__file__).parents[2] / "examples" / "attention.act").read_text()
QUERIES, KEYS = 37, 83


def kernel(name: str) -> actgen.Kernel:
    return actgen.compile(spec=SPEC, kernel=name)


def scores(seed: int, keys: int = KEYS) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 4, (QUERIES, keys)).astype(np.float32)


def softmax(x: np.ndarray, sink: np.ndarray | None = None) -> np.ndarray:
    """Returns the softmax of each row, 0 in a row of -inf, with a further score per row."""
    x = x.astype(np.float64)
    top = x.max(-1, keepdims=True)
    powers = np.exp(x - np.where(np.isfinite(top), top, 0))
    total = powers.sum(-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink.astype(np.float64)[:, None] - np.where(np.isfinite(top), top, 0))
    return np.divide(powers, total, out=np.zeros_like(powers), where=np.isfinite(top))


@pytest.mark.parametrize("first", [0, 20, KEYS, 2**64 - 3])
def test_causal(first):
    x = scores(1)
    places = first - 2**64 if first >= 2**63 else first
    hidden = np.arange(KEYS)[None, :] > np.arange(QUERIES)[:, None] + places
    wanted = softmax(np.where(hidden, -np.inf, x))
    y = kernel("causal_softmax")(x, np.uint64(first))
    np.testing.assert_allclose(y, wanted, rtol=2e-6)
    assert not y[hidden].any()
    assert (y[0] == 0).all() == (places < 0)  # a query that sees no key


def test_threads_have_the_same_rows():
    x = np.random.default_rng(2).normal(0, 4, (1100, 130)).astype(np.float32)
    causal = kernel("causal_softmax")
    one, several = causal(x, np.uint64(3), threads=1), causal(x, np.uint64(3), threads=3)
    assert np.array_equal(one, several)


@pytest.mark.parametrize(
    "view",
    [lambda a: a, lambda a: a[:, :, 3:70], lambda a: a[::2, ::3], lambda a: a.transpose(1, 0, 2), lambda a: a[::-1]],
    ids=lambda view: None,
)
@pytest.mark.parametrize("name", ["numbers", "causal_softmax"])
def test_any_strides(name, view):
    """All leading axes are rows, whatever their strides."""
    text = SPEC + "kernel numbers(x: f32, first: u64[]) -> (y: f32) { y = x + 128*row(first) - col }"
    numbers = actgen.compile(spec=text, kernel=name)
    x = view(np.random.default_rng(9).normal(size=(6, 20, 130)).astype(np.float32))
    plain = numbers(np.array(x, order="C").reshape(-1, x.shape[-1]), 7).reshape(x.shape)
    assert np.array_equal(numbers(x, 7), plain)
    assert np.array_equal(numbers(x, 7, threads=2), plain)


def test_gradient():
    x, d_y = scores(3), scores(4)
    y = softmax(np.where(np.arange(KEYS)[None, :] > np.arange(QUERIES)[:, None] + 5, -np.inf, x))
    wanted = y * (d_y - (d_y * y).sum(-1, keepdims=True))
    d_x = kernel("causal_softmax_backward")(x, np.uint64(5), d_y)
    np.testing.assert_allclose(d_x, wanted, rtol=1e-4, atol=2e-6)
    assert not d_x[y == 0].any()


def test_sinks():
    x = scores(5)
    x[3] = -np.inf
    sink = np.linspace(-30, 60, QUERIES, dtype=np.float32)
    y = kernel("softmax_sink")(x, sink)
    np.testing.assert_allclose(y, softmax(x, sink), rtol=4e-6, atol=2e-35)
    d_y = scores(6)
    d_x, d_sink = kernel("softmax_sink_backward")(x, sink, d_y)
    exact = softmax(x, sink)
    mean = (d_y * exact).sum(-1, keepdims=True)
    np.testing.assert_allclose(d_x, exact * (d_y - mean), rtol=1e-4, atol=2e-6)
    left = 1 - exact.sum(-1)  # the share of the sink
    left[3] = 0
    np.testing.assert_allclose(d_sink[:, 0], -left * mean[:, 0], rtol=1e-4, atol=4e-6)


def test_parts_join():
    """The keys go in four parts, one of which is hidden, and one query sees no key at all."""
    x = scores(7, 130)
    x[:, 40:71] = -np.inf
    x[5] = -np.inf
    cuts = list(itertools.pairwise([0, 40, 71, 72, 130]))
    parts = [kernel("softmax_part")(x[:, a:b].copy()) for a, b in cuts]
    join, share = kernel("softmax_join"), kernel("softmax_share")
    _, top, total = parts[-1]
    for _, own_top, own_total in parts[:-1]:
        top, total = join(own_top, own_total, top, total)
    y = np.concatenate([share(p, own_top, top, total) for p, own_top, _ in parts], axis=1)
    np.testing.assert_allclose(y, softmax(x), rtol=4e-6)
    values = np.random.default_rng(8).normal(size=(130, 16)).astype(np.float32)
    shares = [share(p @ values[a:b], own, top, total) for (p, own, _), (a, b) in zip(parts, cuts, strict=True)]
    np.testing.assert_allclose(sum(shares), softmax(x) @ values, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("keys", [0, 1, 17])
def test_rows_of_any_values(kind, keys):
    """A hidden infinity does not matter. A NaN makes its row NaN, also if it is hidden."""
    causal = actgen.compile(spec=re.sub(r"\bf32\b", kind, SPEC), kernel="causal_softmax")
    own = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
    dtype = own[kind] if kind in own else pytest.importorskip("ml_dtypes").bfloat16
    x = np.zeros((5, keys))
    x[1], x[2, 1:], x[3, 1:], x[4, :1] = -np.inf, np.inf, np.nan, np.inf
    x = x.astype(dtype)
    for first, seen in ((0, [min(i + 1, keys) for i in range(5)]), (2**64 - 9, [0] * 5)):
        y = causal(x, first).astype(float)
        np.testing.assert_array_equal(y, causal.interpret(x, first).astype(float))
        for row, n in enumerate(seen):
            wanted = np.where(np.arange(keys) < n, 1 / max(n, 1), 0)
            if np.isnan(x[row]).any() or np.isposinf(x[row, :n]).any():
                wanted = np.full(keys, np.nan)
            elif row == 1:
                wanted = np.zeros(keys)
            np.testing.assert_allclose(y[row], wanted, rtol=4e-3)
    assert causal(x[:0], 0).shape == (0, keys)
