"""Checks the Python package of libactgen-kernels, whose folder is in PYTHONPATH, against NumPy."""

import sys

import actgen_kernels as act
import numpy as np


def near(y, expected, bound):
    """Fails unless |y - expected| <= bound * max(1, |expected|) everywhere."""
    error = np.abs(y.astype(np.float64) - expected) / np.maximum(1, np.abs(expected))
    assert error.max() <= bound, error.max()


def refused(error, words, function, *arrays, **options):
    """Fails unless the call raises the error, with these words."""
    try:
        function(*arrays, **options)
    except error as found:
        assert words in str(found), found
        return
    raise AssertionError(f"{words}: not refused")


x = np.linspace(-6, 6, 3 * 41).reshape(3, 41)
sigmoid = 1 / (1 + np.exp(-x))
for dtype, bound, fast in (np.float32, 5e-7, 2**-10), (np.float64, 1e-15, 2**-20), (np.float16, 1e-3, 3e-3):
    narrow = x.astype(dtype)
    wide = narrow.astype(np.float64)
    sigmoid = 1 / (1 + np.exp(-wide))
    near(act.silu(narrow), wide * sigmoid, bound)
    near(act.silu(narrow, fast=True), wide * sigmoid, fast)
    near(act.swiglu(narrow, narrow), wide * sigmoid * wide, bound)
    near(act.silu_backward(narrow, np.ones_like(narrow)), sigmoid * (1 + wide * (1 - sigmoid)), bound)
    if dtype == np.float64:
        refused(TypeError, "softmax() has no form for float64", act.softmax, narrow)
        continue
    near(act.softmax(narrow), np.exp(wide) / np.exp(wide).sum(axis=1, keepdims=True), bound)
    weight = np.ones(41, dtype)
    near(act.rmsnorm(narrow, weight, 0.0), wide / np.sqrt((wide**2).mean(axis=1, keepdims=True)), 2 * bound)
bits = (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
near(
    (act.relu(bits).astype(np.uint32) << 16).view(np.float32),
    np.maximum(0, (bits.astype(np.uint32) << 16).view(np.float32)),
    0,
)

y = np.empty((3, 41), np.float32)
single = x.astype(np.float32)
assert act.gelu(single, out=y) is y and np.array_equal(y, act.gelu(single))
assert np.array_equal(act.gelu(single[:, ::2]), act.gelu(single)[:, ::2])
assert act.gelu(np.empty((0, 4), np.float32)).shape == (0, 4)
assert len(act.swiglu_backward(single, single, single)) == 2
assert act.functions()["swiglu"] == (("gate", "up"), ("y",)) and "gelu" in dir(act)

refused(TypeError, "takes gate, up, and got 1 arrays", act.swiglu, single)
refused(TypeError, "takes float32", act.gelu, np.arange(3))
refused(TypeError, "up is float64", act.swiglu, single, x)
refused(
    TypeError,
    "weight is float32 of shape (3,), and should be float32 of shape (41,)",
    act.rmsnorm,
    single,
    single[:, 0],
    0,
)
refused(ValueError, "out should be", act.gelu, single, out=np.empty(3, np.float32))
refused(ValueError, "out should be", act.gelu, single, out=y.T)
refused(AttributeError, "no attribute 'no_such'", lambda: act.no_such)
sys.stdout.write(f"{len(act.functions())} functions\n")
