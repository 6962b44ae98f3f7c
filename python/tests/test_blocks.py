"""Tests scales of blocks and elements of 4 bits, against NumPy. ACTGEN_TEST_ALL=1 takes each bf16 maximum and 10^7 elements."""

import os

import numpy as np
import pytest

import actgen

ml_dtypes = pytest.importorskip("ml_dtypes")
E4M3, BF16 = ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16
NUMBERS = {"encode": np.float32(37.7), "most": np.float32(127)}  # operands of shape []
TAKES_ALL = os.environ.get("ACTGEN_TEST_ALL") == "1"


def _f32(x):
    return np.asarray(x, np.float32)


def _packed(halves):
    """Packs numbers of 4 bits as kernels do: two in each byte, the first in the lower half."""
    halves = np.pad(halves & 15, [(0, 0), (0, halves.shape[1] % 2)])
    return halves[:, ::2] | halves[:, 1::2] << 4


def _unpacked(array, cols):
    return np.stack([array & 15, array >> 4], -1).reshape(len(array), -1)[:, :cols]


def _maxima(v, block):
    """Returns the largest magnitude of each block, of which the last may have fewer columns."""
    padded = np.pad(np.abs(v), [(0, 0), (0, -v.shape[1] % block)])
    return padded.reshape(len(v), -1, block).max(-1)


def _spread(scale, block, cols):
    return np.repeat(scale, block, axis=1)[:, :cols]


def _e4m3(x):
    """Rounds to e4m3, whose largest number is the result of larger ones. Returns its bytes, with one NaN."""
    bits = _f32(np.clip(x, -448, 448)).astype(E4M3).view(np.uint8)
    return np.where(np.isnan(x), 0x7F, bits).astype(np.uint8)


def _e2m1(x):
    bits = _f32(np.clip(x, -6, 6)).astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
    return np.where(np.isnan(x), 7, bits & 15).astype(np.uint8)


def _integers(x, least, most):
    return np.where(np.isnan(x), 0, np.clip(np.rint(x), least, most)).astype(np.int8)


def _over(x, number):
    """Divides by a number as kernels do, by a product with the nearest float32 of its inverse."""
    return x * np.float32(1 / number)


def _mx(v, emax, largest, up):
    """Returns the bytes of OCP's scales and the quotients. `up` takes the next power of two where an element would saturate."""
    m = _maxima(v, 32).astype(np.float64)
    exponent = np.where(m > 0, np.frexp(m)[1] - 1 - emax, -127)
    exponent = np.maximum(exponent, -127)
    if up:
        exponent += m > np.ldexp(float(largest), exponent)
    scale = np.where(np.isfinite(m), exponent + 127, 255).astype(np.uint8)
    powers = np.where(np.isfinite(m), np.ldexp(1.0, exponent), np.nan)
    return scale, v.astype(np.float64) / _spread(powers, 32, v.shape[1])


def mxfp8(v):
    scale, quotients = _mx(v, 8, 448, False)
    return _e4m3(quotients), scale


def mxfp8_up(v):
    scale, quotients = _mx(v, 8, 448, True)
    return _e4m3(quotients), scale


def nvfp4(v):
    encode = NUMBERS["encode"]
    scale = _e4m3(np.maximum(_over(_maxima(v, 16), 6) * encode, np.float32(2**-9)))
    inverse = encode / scale.view(E4M3).astype(np.float32)
    return _packed(_e2m1(v * _spread(inverse, 16, v.shape[1]))), scale


def int8_tokens(v):
    m = _maxima(v, v.shape[1])
    return _integers(v * (np.float32(127) / m), -128, 127), _over(m, 127)


def int8_quotients(v):
    most, m = NUMBERS["most"], _maxima(v, v.shape[1])
    return _integers(v * (most / m), -128, 127), m / most


def int4_groups(v, block):
    m = _maxima(v, block)
    q = _integers(v * _spread(np.float32(7) / m, block, v.shape[1]), -8, 7)
    return _packed(q.view(np.uint8)), _over(m, 7)


# The results of a kernel, its body, and the same in NumPy. The names are also those of the tests.
FORMATS = {
    "mxfp8": ("q: e4m3, scale: e8m0[rows, cols/32]", "s = e8m0(amax(abs(v), 32)/256); scale = s; q = v/s", mxfp8),
    "mxfp8_up": (
        "q: e4m3, scale: e8m0[rows, cols/32]",
        "s = e8m0(e8m0(amax(abs(v), 32)*0x1.249248p-4)/16); scale = s; q = v/s",
        mxfp8_up,
    ),
    "nvfp4": (
        "q: e2m1, scale: e4m3[rows, cols/16]",
        "s = e4m3(max(amax(abs(v), 16)/6*encode, 2^-9)); scale = s; q = v*f32(encode/s)",
        nvfp4,
    ),
    "int8_tokens": ("q: i8, scale: f32[rows]", "m = amax(abs(v)); scale = m/127; q = v*f32(127/m)", int8_tokens),
    "int8_quotients": (
        "q: i8, scale: f32[rows]",
        "m = amax(abs(v)); scale = m/most; q = v*f32(most/m)",
        int8_quotients,
    ),
    **{
        f"int4_{n}": (
            f"q: i4, scale: f32[rows, cols/{n}]",
            f"m = amax(abs(v), {n}); scale = m/7; q = v*f32(7/m)",
            lambda v, n=n: int4_groups(v, n),
        )
        for n in (32, 128)
    },
}
BLOCKS = {
    "mxfp8": 32,
    "mxfp8_up": 32,
    "nvfp4": 16,
    "int8_tokens": 96,
    "int8_quotients": 96,
    "int4_32": 32,
    "int4_128": 128,
}


def _kernel(name, packed_gate):
    """Returns a quantising kernel, whose last result has the numbers that it quantises."""
    results, body, _ = FORMATS[name]
    operands, v = ("[gate | up]: bf16", "silu(gate)*up") if packed_gate else ("x: bf16", "x")
    number = "".join(f", {n}: f32[]" for n in NUMBERS if n in body)
    return actgen.compile(spec=f"kernel k({operands}{number}) -> ({results}, w: f32) {{ v = {v}; w = v; {body} }}")


def _bytes(array):
    """Returns an array as integers, in which all NaNs of e4m3 are one, so that equal bytes are equal numbers."""
    if array.dtype == E4M3:
        return np.where(np.isnan(array.astype(np.float32)), np.uint8(0x7F), array.view(np.uint8))
    return array.view(np.uint8) if array.dtype.itemsize == 1 else array


def _check(name, x, packed_gate, threads=1):
    kernel = _kernel(name, packed_gate)
    numbers = [NUMBERS[g.name] for g in kernel.input_groups[1:]]
    q, scale, v = kernel(x, *numbers, threads=threads)
    with np.errstate(all="ignore"):
        if not packed_gate:
            np.testing.assert_array_equal(v, x.astype(np.float32))
        wanted_q, wanted_scale = FORMATS[name][2](v)
    np.testing.assert_array_equal(_bytes(q), wanted_q.view(np.uint8))
    np.testing.assert_array_equal(_bytes(scale), wanted_scale)


def _with_maxima(block, step):
    """Makes blocks of numbers with each bf16 as their largest magnitude: all, or each `step`-th."""
    random = np.random.default_rng(7)
    most = np.arange(0, 1 << 15, step)[:, None]
    x = np.maximum(most - random.integers(0, 1200, (len(most), block)), 0)
    x[np.arange(len(most)), np.arange(len(most)) % block] = most[:, 0]
    return (x | random.integers(0, 2, x.shape) << 15).astype(np.uint16).view(BF16)


@pytest.mark.parametrize("name", FORMATS)
def test_maxima_of_bf16_give_the_scales_and_bytes_of_numpy(name):
    x = _with_maxima(BLOCKS[name], 1 if TAKES_ALL else 37)
    rows = 1 if name.startswith("int8") else 2
    _check(name, x[: len(x) // rows * rows].reshape(-1, rows * BLOCKS[name]), False)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("cols", [7, 97, 1000, 4096])
def test_a_gate_and_its_format_are_those_of_numpy(name, cols):
    rows = 10**7 // 4096 + 1 if TAKES_ALL and cols == 4096 else 21
    random = np.random.default_rng(cols)
    x = _f32(3 * random.standard_normal((rows, 2 * cols), np.float32)).astype(BF16)
    _check(name, x, True, threads=2)


DECODED = "kernel from(q: {0}, s: f32[rows, cols/32]) -> (y: f32) {{ y = q*s }}"


@pytest.mark.parametrize("cols", [1, 33, 64])
def test_numbers_of_4_bits_are_packed_in_bytes(cols):
    random = np.random.default_rng(cols)
    halves = random.integers(0, 16, (5, cols)).astype(np.uint8)
    scale = _f32(random.integers(1, 1000, (5, -(-cols // 32))))
    for name, dtype in (("e2m1", ml_dtypes.float4_e2m1fn), ("i4", ml_dtypes.int4)):
        numbers = (halves if name == "e2m1" else (halves ^ 8) - 8).view(np.uint8).view(dtype)
        wanted = numbers.astype(np.float32) * _spread(scale, 32, cols)
        kernel = actgen.compile(spec=DECODED.format(name))
        out = np.empty((5, cols), np.float32)
        for array in (_packed(halves), numbers):
            for function in (kernel, kernel.interpret):
                function(array, scale, out=out)
                np.testing.assert_array_equal(out, wanted)
        y = kernel(_packed(halves), scale)  # without `out`, a row has all elements of its bytes
        assert y.shape == (5, cols + cols % 2)
        np.testing.assert_array_equal(y[:, :cols], wanted)
    assert kernel.operands[1].shape == "[rows, cols/32]"


WEIGHTS = "kernel from(q: e4m3, s: f32[rows/128, cols/128]) -> (y: f32) { y = q*s }"


@pytest.mark.parametrize("shape", [(5,), (1, 300), (128, 128), (3, 1, 300), (3, 261, 300), (1030, 129)])
@pytest.mark.parametrize("threads", [1, 3])
def test_blocks_of_rows_and_columns(shape, threads):
    random = np.random.default_rng(1)
    q = random.integers(0, 127, shape).astype(np.uint8).view(E4M3)
    counts = [-(-n // 128) for n in shape[-2:]]
    scale = _f32(random.integers(1, 1000, (*shape[:-2], *counts)))
    wide = scale
    for axis in range(-len(counts), 0):
        wide = np.repeat(wide, 128, axis=axis)
    wide = wide[..., : shape[-1]] if len(shape) == 1 else wide[..., : shape[-2], : shape[-1]]
    kernel = actgen.compile(spec=WEIGHTS)
    np.testing.assert_array_equal(kernel(q, scale, threads=threads), q.astype(np.float32) * wide)
    if len(shape) > 1:  # rows with gaps
        wider = np.zeros((*shape[:-1], shape[-1] + 9), np.uint8).view(E4M3)
        wider[..., 3:-6] = q
        np.testing.assert_array_equal(kernel(wider[..., 3:-6], scale, threads=threads), q.astype(np.float32) * wide)


def test_one_row_of_blocks():
    """The step of a single row does not matter: nobody takes it."""
    q, scale = np.arange(5 * 200, dtype=np.uint8).reshape(5, 200).view(E4M3), _f32([2, 3])
    kernel, wanted = actgen.compile(spec=WEIGHTS), None
    for one_row in (scale.reshape(1, 2).copy(), scale[None]):
        y = kernel(q, one_row)
        wanted = y if wanted is None else wanted
        np.testing.assert_array_equal(y, wanted)
    np.testing.assert_array_equal(kernel(q[:, :100], 2.0), kernel(q[:, :100], _f32([[2]])))


def test_other_scales_of_rows_with_threads_and_sums():
    random = np.random.default_rng(2)
    x, scale = random.standard_normal((1300, 70), np.float32), _f32(random.integers(1, 9, 3))
    product = x * np.repeat(scale, 512)[:1300, None]
    kernel = actgen.compile(
        spec="kernel k(x: f32, s: f32[rows/512]) -> (y: f32, m: f32[cols]) { y = x*s; m = amax(x*s) }"
    )
    y, most = kernel(x, scale, threads=3)
    np.testing.assert_array_equal(y, product)
    np.testing.assert_array_equal(most, product.max(0))


def test_wrong_shapes_and_types_are_refused():
    q, s = np.zeros((5, 20), np.uint8), np.ones((5, 2), np.float32)
    kernel = actgen.compile(spec=DECODED.format("i4"))
    for arrays, kind, message in (
        ((q, s[:, :1]), ValueError, r"`s` has shape \[5, 1\]; here it must be \[5, 2\]"),
        ((q, s[:4]), ValueError, r"`s` has shape \[4, 2\]; here it must be \[5, 2\]"),
        ((q.astype(np.float32), s), TypeError, "`q` is int4, and the array is float32"),
        ((q.view(np.int8), s), TypeError, "`q` is int4, and the array is int8"),
    ):
        with pytest.raises(kind, match=message):
            kernel(*arrays)
    with pytest.raises(ValueError, match=r"`q` has rows of 20 bytes .* it needs 22"):
        kernel(q, s, out=np.zeros((5, 43), np.float32))
    with pytest.raises(ValueError, match="must be contiguous"):
        actgen.compile(spec=WEIGHTS)(np.zeros((128, 256), np.uint8).T.view(E4M3), s[:2, :1])
    overlapping = np.lib.stride_tricks.sliding_window_view(np.zeros(300, np.uint8), 128).view(E4M3)
    with pytest.raises(ValueError, match="make the arrays contiguous"):
        actgen.compile(spec=WEIGHTS)(overlapping, s[:2, :1])
    with pytest.raises(ValueError, match="tells how long the last one is"):
        actgen.compile(spec="kernel k(s: f32[rows, cols/16]) -> (y: f32) { y = 2*s }")(s)
