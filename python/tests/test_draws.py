"""Tests random numbers. The draw of an element depends only on its place, for any strides, threads and interpreter."""

import numpy as np
import pytest

import actgen

SPEC = """
kernel dropout(x: f32, seed: u64[], offset: u64[]) -> (y: f32) {
    y = if uniform(seed, offset) < 0.75 then 2*x else 0
}
"""


@pytest.fixture(scope="module")
def dropout() -> actgen.Kernel:
    return actgen.compile(spec=SPEC)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a[:, :, 3:20],
        lambda a: a[:, 1:3],
        lambda a: a[::2, ::3],
        lambda a: a[0],
        lambda a: a[0, 0],
        lambda a: a.transpose(1, 0, 2),
        lambda a: a[::-1],
    ],
    ids=lambda view: None,
)
def test_any_strides(dropout, values, view):
    x = view(values)
    plain = dropout(np.array(x, order="C").reshape(1, -1), 7, 1 << 34).reshape(x.shape)
    result = dropout(x, 7, 1 << 34)
    assert np.array_equal(result, plain)
    assert 0 < np.count_nonzero(result) < result.size
    assert np.array_equal(result, dropout(x, np.uint64(7), np.array(1 << 34, np.uint64)))
    assert np.array_equal(result, dropout(x, np.int64(7), np.int64(1 << 34)))


def test_threads_draw_the_same(dropout):
    x = np.ones((257, 1031), np.float32)
    assert np.array_equal(dropout(x, 1, 2, threads=3), dropout(x, 1, 2))
    long = np.ones(1 << 19, np.float32)
    assert np.array_equal(dropout(long, 1, 2, threads=2), dropout(long, 1, 2))
    assert not np.array_equal(dropout(long, 1, 2), dropout(long, 2, 2))
    assert np.array_equal(dropout(long, 1, 7)[:-5], dropout(long, 1, 2)[5:])


def test_the_gradient_draws_again(dropout, values):
    y = dropout(values, 3, 0)
    d = dropout.gradient()(values, 3, 0, np.ones_like(values))
    assert np.array_equal(d, np.where(y != 0, np.float32(2), np.float32(0)))


@pytest.mark.parametrize("seed", [-1, 1 << 64, 0.5])
def test_what_is_no_seed(dropout, values, seed):
    with pytest.raises(ValueError, match="no seed or offset, which are integers from 0"):
        dropout(values, seed, 0)
    with pytest.raises(TypeError, match="operand `seed` is uint64, and the array is float32"):
        dropout(values, np.float32(1) * np.ones(1, np.float32), 0)


@pytest.mark.parametrize("kind, wrong", [("i8", -129), ("i8", 128), ("u8", -1), ("u8", 256), ("u8", 1 << 64)])
def test_whole_numbers_that_do_not_fit(values, kind, wrong):
    """NumPy before 2.0 would wrap them."""
    k = actgen.compile(spec=f"kernel k(x: f32, z: {kind}[]) -> (y: f32) {{ y = x*z }}")
    with pytest.raises(ValueError, match=f"{wrong} is no u?int8, which has the numbers from"):
        k(values, wrong)
    limits = np.iinfo({"i8": np.int8, "u8": np.uint8}[kind])
    assert np.array_equal(k(values, limits.min), values * np.float32(limits.min))
    assert np.array_equal(k(values, limits.max), values * np.float32(limits.max))
