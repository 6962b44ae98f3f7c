"""Calls kernels with random arguments: shapes, strides, types, memory for results, and what is no array at all. ACTGEN_SEED
chooses them, and ACTGEN_CALLS their number; each day has another seed. A call gives what the interpreter gives for plain
copies, and writes nothing outside its results, or it raises an error that says what is wrong."""

import functools
import os
import random
import time

import numpy as np
import pytest

import actgen
from actgen._extension import native

if native is None:
    pytest.skip("the extension was not built, or is not wanted", allow_module_level=True)

SPECS = [
    "kernel k(x: f32) -> (y: f32) { y = gelu(x) }",
    "kernel k(x: f64) -> (y: f64) { y = abs(x) + 1 }",
    "kernel k(x: f16) -> (y: f16) { y = max(x, 0) }",
    "kernel k(x: f32, g: f32) -> (y: f32) { y = silu(x)*g }",
    "kernel k([gate | up]: f32) -> (y: f32) { y = sigmoid(gate)*up }",
    "kernel k(x: f32, b: f32[cols], c: f32[rows], d: f32[]) -> (y: f32) { y = (x + b)*c + d }",
    "kernel k(x: f32) -> (y: f32) { t = exp(x - amax(x)); y = t/sum(t) }",
    "kernel k(x: f32) -> (t: f32[rows], c: f32[cols], a: f32[]) { t = sum(x); c = mean(x); a = amax(abs(x)) }",
    "kernel k(x: f32, m: u8) -> (y: f32, z: i8) {\n y = if m > 3 then x else 0\n z = x\n}",
]
GUARD, ROOM = 0xA5, 60000
STRANGE = [
    None,
    "text",
    3,
    2.5,
    float("nan"),
    [],
    [1.0, 2.0],
    {},
    object(),
    b"bytes",
    np.float32(1),
    np.str_("x"),
    10**400,
    True,
]


class Memory:
    """Bytes with guards around an array of any strides."""

    def __init__(self, chance, shape, kind):
        kind = np.dtype(kind)
        self.bytes = np.full(ROOM * kind.itemsize, GUARD, np.uint8)
        at, strides, extent = chance.choice([0, kind.itemsize, 64, chance.randrange(64)]), [], kind.itemsize
        for size in reversed(shape):
            step = extent + kind.itemsize * chance.choice([0, 0, 0, 1, 5])
            strides.insert(0, step)
            extent = step * max(size, 1)
        assert at + extent < self.bytes.size
        self.array = np.ndarray(shape, kind, self.bytes.data, at, strides)
        for axis, size in enumerate(shape):
            if size > 1 and chance.random() < 0.15:
                self.array = np.flip(self.array, axis)

    def is_whole(self):
        """Returns whether the bytes outside the array are untouched."""
        kept = self.array.copy()
        self.array.view(f"u{self.array.itemsize}")[...] = int.from_bytes([GUARD] * self.array.itemsize, "little")
        whole = bool((self.bytes == GUARD).all())
        self.array[...] = kept
        return whole


def argument(chance, operand, shape):
    """Returns an argument that may serve, or one that does not."""
    if chance.random() < 0.06:
        return chance.choice(STRANGE)
    kind = operand if chance.random() < 0.93 else chance.choice(["f4", "f8", "i4", ">f4", "u1", "c8", "O"])
    if chance.random() < 0.06:
        shape = [*shape, 2] if chance.random() < 0.5 else shape[1:]
    if np.dtype(kind).kind in "cO" or np.dtype(kind).byteorder == ">":
        return np.zeros(shape, kind)
    memory = Memory(chance, shape, kind)
    memory.array[...] = np.random.default_rng(chance.randrange(1 << 30)).integers(0, 9, shape) - (
        3 if np.dtype(kind).kind != "u" else 0
    )
    axis = chance.randrange(len(shape) * 8) if shape else 0
    if axis < len(shape) and shape[axis]:
        return np.broadcast_to(np.take(memory.array, [0], axis), shape)
    return memory.array


def shapes_of(spec, rows, cols):
    inputs = spec[spec.index("(") + 1 : spec.index(")")].split(", ")
    lead = list(rows)
    for text in inputs:
        kind = {"f32": "f4", "f64": "f8", "f16": "f2", "u8": "u1"}[text.split(": ")[1].split("[")[0]]
        shape = [cols] if "[cols]" in text else lead if "[rows]" in text else [1] if "[]" in text else [*lead, cols]
        yield kind, [*lead, 2 * cols] if "|" in text else shape


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def try_call(chance, spec, kernel):
    rows, cols = (
        [chance.choice([0, 1, 2, 3, 5]) for _ in range(chance.randrange(3))],
        chance.choice([0, 1, 3, 8, 17, 33, 130]),
    )
    arguments = [argument(chance, *row) for row in shapes_of(spec, rows, cols)]
    plain = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    try:
        wanted = as_tuple(kernel.interpret(*plain))
    except Exception:
        wanted = None
    results = None
    if wanted is not None and chance.random() < 0.5:
        results = [Memory(chance, w.shape, w.dtype) for w in wanted]
    try:
        given = {"out": tuple(r.array for r in results) if len(results) > 1 else results[0].array} if results else {}
        found = as_tuple(kernel(*arguments, threads=chance.choice([1, 1, 2]), **given))
    except (TypeError, ValueError, OverflowError, actgen.Error) as error:
        assert str(error), "an error without a message"
        assert results is None or all(r.is_whole() for r in results)
        return 0
    if wanted is None:
        return 0  # the interpreter takes fewer kinds of arguments
    for f, w in zip(found, wanted, strict=True):
        bits = f"u{w.dtype.itemsize}"
        f, w = np.ascontiguousarray(f), np.ascontiguousarray(w)
        assert f.shape == w.shape and f.dtype == w.dtype
        assert ((f.view(bits) == w.view(bits)) | ((f != f) & (w != w))).all()
    assert results is None or all(r.is_whole() for r in results)
    return 1


class FromBytes(random.Random):
    """Takes its numbers from bytes, and zeros after them."""

    def __init__(self, data):
        super().__init__(0)
        self.rest = iter(data)

    def getrandbits(self, count):
        taken = bytes(next(self.rest, 0) for _ in range(-(-count // 8)))
        return int.from_bytes(taken, "little") % (1 << count)

    def random(self):
        return self.getrandbits(16) / 65536


@functools.cache
def compiled():
    return [(spec, actgen.compile(spec=spec)) for spec in SPECS]


def call_by_bytes(data):
    """Makes the call that the bytes choose, for fuzz/python.c."""
    chance = FromBytes(data)
    try_call(chance, *chance.choice(compiled()))


def test_bytes_choose_a_call():
    for number in range(200):
        call_by_bytes(random.Random(number).randbytes(number))


def test_random_calls():
    seed, count = int(os.environ.get("ACTGEN_SEED", time.time() // 86400)), int(os.environ.get("ACTGEN_CALLS", 2000))
    computed = 0
    for number in range(count):
        chance = random.Random(seed * 1000003 + number)
        spec, kernel = chance.choice(compiled())
        try:
            computed += try_call(chance, spec, kernel)
        except BaseException:
            print(f"ACTGEN_SEED={seed}, call {number} of {spec}")
            raise
    assert computed > count // 2
