"""Tests masks of bits, which are arrays of bytes as in numpy.packbits(bitorder="little")."""

import numpy as np
import pytest

import actgen

KEPT = "kernel kept(x: f32) -> (y: f32, m: u1) { y = max(x, 0); m = x > 0 }"
BACKWARD = "kernel backward(m: u1, d_y: f32) -> (d_x: f32) { d_x = where(m, d_y, 0) }"


def _x(shape):
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(1,), (3, 8), (5, 43), (2, 3, 17), (300, 513)])
@pytest.mark.parametrize("threads", [1, 3])
def test_masks_are_packed_bits(shape, threads):
    x, d_y = _x(shape), _x(shape)
    y, mask = actgen.compile(spec=KEPT)(x, threads=threads)
    np.testing.assert_array_equal(y, np.maximum(x, 0))
    np.testing.assert_array_equal(mask, np.packbits(x > 0, axis=-1, bitorder="little"))
    d_x = actgen.compile(spec=BACKWARD)(mask, d_y, threads=threads)
    np.testing.assert_array_equal(d_x, np.where(x > 0, d_y, 0))


def test_masks_alone_have_all_bits_of_their_bytes():
    mask = np.array([[1, 2, 3], [250, 5, 6]], np.uint8)
    out = actgen.compile(spec="kernel k(m: u1) -> (n: u1) { n = not m }")(mask)
    np.testing.assert_array_equal(out, ~mask)


def test_rows_may_have_gaps():
    x = _x((6, 43))
    mask = np.zeros((6, 20), np.uint8)[::2, 1:7]
    y = np.zeros((3, 43), np.float32)
    actgen.compile(spec=KEPT)(x[::2], out=(y, mask))
    np.testing.assert_array_equal(mask, np.packbits(x[::2] > 0, axis=-1, bitorder="little"))


@pytest.mark.parametrize("columns", [2, 4])
def test_masks_of_another_width_are_refused(columns):
    with pytest.raises(ValueError, match="operand `m` has rows of . bytes .* 17 columns .* needs 3"):
        actgen.compile(spec=BACKWARD)(np.zeros((5, columns), np.uint8), _x((5, 17)))


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="operand `m` is bits, and the array is float32"):
        actgen.compile(spec=BACKWARD)(np.zeros((5, 3), np.float32), _x((5, 17)))
