"""Tests calls. For any kind of array, the results have the bits of a call with the same numbers in a plain array."""

import array
import threading

import numpy as np
import pytest

import actgen

RNG = np.random.default_rng(2)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a[:, :, 3:20],
        lambda a: a[:, 1:3],
        lambda a: a[::2, ::3, ::5],
        lambda a: a[0],
        lambda a: a[0, 0],
        lambda a: a[0, 0, 0],
        lambda a: a[..., 0],
        lambda a: a[:0],
        lambda a: a.T,
        lambda a: a.transpose(1, 2, 0),
        lambda a: a[::-1, :, ::-1],
        lambda a: np.broadcast_to(a[:1], (4, 5, 37)),
    ],
    ids=lambda view: None,
)
def test_any_strides(gelu, values, view):
    x = view(values)
    plain = gelu(np.array(x, order="C", ndmin=1)).reshape(np.shape(x))
    before = values.copy()
    result = gelu(x)
    assert result.shape == np.shape(x) and result.dtype == np.float32
    assert np.array_equal(result, plain) and np.array_equal(values, before)


def test_results_go_where_they_are_wanted(gelu, values):
    room = np.full((6, 5, 80), 7, np.float32)
    out = room[:, :, 10:47]
    assert gelu(values, out=out) is out
    assert np.array_equal(out, gelu(values)) and (room[:, :, :10] == 7).all() and (room[:, :, 47:] == 7).all()
    transposed = np.empty((37, 5, 6), np.float32).T
    assert np.array_equal(gelu(values, out=transposed), out)
    own = values.copy()
    assert gelu(own, out=own) is own and np.array_equal(own, out)
    part = values.copy()
    gelu(part[:, 1:4, 5:9], out=part[:, 1:4, 5:9])
    assert np.array_equal(part[:, 1:4, 5:9], out[:, 1:4, 5:9]) and np.array_equal(part[:, 0], values[:, 0])


def test_overlaps_are_refused(gelu):
    x = RNG.normal(size=(4, 6, 8)).astype(np.float32)
    before, row = x.copy(), x[0].reshape(-1)
    for source, target in (
        (x[0, 0, :-1], x[0, 0, 1:]),
        (x[:-1, :, :4], x[1:, :, :4]),
        (x[:-1, ::2], x[1:, ::2]),
        (row[0:20:2], row[2:22:2]),
        (x[:, :, 0:6:2], x[:, :, 2:8:2]),
        (x[0, :6, :6], x[0, :6, :6].T),
    ):
        with pytest.raises(ValueError, match="overlap"):
            gelu(source, out=target)
        assert np.array_equal(x, before)
    wanted = gelu(before[0, :, ::2])
    assert np.array_equal(gelu(row[::2], out=row[1::2]).reshape(6, 4), wanted)  # beside each other
    assert np.array_equal(x[0, :, ::2], before[0, :, ::2])


def test_broadcast_operands(values):
    kernel = actgen.compile(
        spec="kernel k(x: f32, scale: f32[cols], shift: f32[rows], gain: f32[]) -> (y: f32) { y = gain*(x*scale + shift) }"
    )
    scale, shift = RNG.normal(size=37).astype(np.float32), RNG.normal(size=(6, 5, 1)).astype(np.float32)
    wanted = np.float32(0.5) * (values * scale + shift)
    for x, s, h, gain in (
        (values, scale, shift, 0.5),
        (values, scale[None], shift[..., 0], np.array([0.5], np.float32)),
        (values.transpose(1, 0, 2).copy().transpose(1, 0, 2), scale, shift, 0.5),
        (values, scale, np.repeat(shift, 3, -1)[..., 1], np.float32(0.5)),
    ):
        assert np.array_equal(kernel(x, s, h, gain), wanted)
    assert np.array_equal(kernel(values[:, ::2], scale, shift[:, ::2], 0.5), wanted[:, ::2])
    assert np.array_equal(kernel(values[0, 0], scale, shift[0, 0], gain=0.5), wanted[0, 0])
    for bad in ((values, scale[:5], shift, 1.0), (values, scale, shift[:2], 1.0), (values, scale, shift, scale)):
        with pytest.raises(ValueError, match="has shape"):
            kernel(*bad)
    with pytest.raises(ValueError, match="contiguous"):
        kernel(values[..., ::2], scale[:19].copy(), shift, 1.0)


def test_only_broadcast_operands():
    outer = actgen.compile(spec="kernel outer(a: f32[rows], b: f32[cols]) -> (y: f32) { y = a*b }")
    a, b = np.arange(3, dtype=np.float32), np.arange(4, dtype=np.float32)
    assert np.array_equal(outer(a[:, None], b), a[:, None] * b)


@pytest.mark.parametrize(("layout", "split"), [("gate | up", (0, 1)), ("gate, up", (1, 0))])
def test_rows_that_several_names_share(layout, split):
    both = RNG.normal(size=(7, 3, 26)).astype(np.float32)
    kernel = actgen.compile(
        spec=f"kernel k([{layout}]: f32) -> ([a | b]: f32, c: f32) {{ a = gate; b = up; c = gate*up }}"
    )
    parts = (both[..., :13], both[..., 13:]) if split == (0, 1) else (both[..., ::2], both[..., 1::2])
    for rows in (both, np.pad(both, ((0, 0), (0, 0), (2, 3)))[..., 2:-3]):
        ab, c = kernel(rows)
        assert np.array_equal(ab, np.concatenate(parts, -1)) and np.array_equal(c, parts[0] * parts[1])
    out = np.empty((7, 3, 26), np.float32), np.empty((7, 3, 13), np.float32)
    assert kernel(gate_up=both, out=out)[0] is out[0]
    with pytest.raises(ValueError, match="2 names"):
        kernel(both[..., :25])
    with pytest.raises(TypeError, match="2 results"):
        kernel(both, out=out[0])


def test_several_results(values):
    gradient = actgen.compile("swiglu").gradient()
    wanted = gradient(values[..., ::2], values[..., 1::2][..., [*range(18), 0]], values[..., :19])
    plain = [
        np.ascontiguousarray(a) for a in (values[..., ::2], values[..., 1::2][..., [*range(18), 0]], values[..., :19])
    ]
    out = tuple(np.empty_like(plain[0]) for _ in range(2))
    for found in (
        gradient(*plain),
        gradient(*plain, threads=2),
        gradient(*plain, out=out),
        gradient(*plain, out=list(out)),
    ):
        assert type(found) is tuple and all(np.array_equal(f, w) for f, w in zip(found, wanted, strict=True))
    assert gradient(*plain, out=out)[0] is out[0]


def test_as_many_operands_as_the_language_has(values):
    """The language allows 63 inputs and a result."""
    names = [f"x{i}" for i in range(63)]
    inputs = ", ".join(f"{name}: f32" for name in names)
    many = actgen.compile(spec=f"kernel many({inputs}) -> (y: f32) {{ y = {' + '.join(names)} }}")
    x = values.round()  # so that sums are exact
    assert np.array_equal(many(*[x] * 63), 63 * x)
    assert np.array_equal(many(*[x.T] * 63), 63 * x.T)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_types_of_ml_dtypes(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = getattr(ml_dtypes, name)
    kernel = actgen.compile("silu", dtype=dtype)
    x = RNG.normal(size=(5, 7)).astype(dtype)
    wanted = np.array([kernel.reference(float(v)) for v in x.ravel()]).astype(dtype).reshape(5, 7)
    result = kernel(x)
    assert result.dtype == dtype and np.array_equal(result, wanted)
    assert np.array_equal(kernel(x.T, out=np.empty((7, 5), dtype)), wanted.T)


def test_accumulators_become_the_nearest_f32():
    k = actgen.compile(spec="kernel k(acc: i32, scale: f32[cols]) -> (y: f32) { y = acc*scale }")
    acc = np.array([[1, -7, 2**24 + 1], [2**31 - 1, -(2**31), 0]], np.int32)
    scale = np.array([0.5, 2, 1], np.float32)
    assert np.array_equal(k(acc, scale), acc.astype(np.float32) * scale)
    assert np.array_equal(k([[3, 4, 5]], scale), [[1.5, 8, 5]])
    with pytest.raises(TypeError, match="`acc` is int32, and the array is float32"):
        k(scale, scale)
    with pytest.raises(ValueError, match="is no int32"):
        k([2**31], np.ones(1, np.float32))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_integers(dtype):
    limits = np.iinfo(dtype)
    q = np.arange(limits.min, limits.max + 1, dtype=dtype).reshape(16, 16)
    kernel = actgen.compile("relu", dtype=dtype)
    assert kernel(q).dtype == dtype and np.array_equal(kernel(q), np.maximum(q, 0))
    name = np.dtype(dtype).name.replace("int", "i").replace("ui", "u")
    quantise = actgen.compile(
        spec=f"kernel k(x: f32, s: f32[cols], z: {name}[]) -> (q: {name}) {{ q = round(x/s) + z }}"
    )
    x = RNG.normal(size=(5, 7)).astype(np.float32) * 100
    x[0, :3] = np.nan, np.inf, -np.inf
    s = np.full(7, 0.5, np.float32)
    wanted = np.clip(np.nan_to_num(np.rint(x / s) + 3), limits.min, limits.max)
    wanted[0, 0] = 0  # NaN becomes 0, whatever the zero point is
    assert np.array_equal(quantise(x, s, dtype(3)), wanted.astype(dtype))
    s[4] = 0  # 0/0 is 0, too, and what is divided by 0 saturates
    assert set(quantise(x, s, dtype(3))[:, 4]) <= {limits.min, limits.max}
    assert not quantise(np.zeros_like(x), s, dtype(3))[:, 4].any()


def test_other_sources_of_memory(gelu):
    numbers = [-1.0, 0.25, 3.0]
    wanted = gelu(np.array(numbers, np.float32))
    buffer = array.array("f", numbers)

    class Interface:
        __array_interface__ = np.array(numbers, np.float32).__array_interface__
        owner = np.array(numbers, np.float32)
        __array_interface__ = owner.__array_interface__

    class Capsule:
        def __init__(self, owner):
            self.owner = owner

        def __dlpack__(self, **options):
            return self.owner.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.owner.__dlpack_device__()

    strided = Capsule(np.repeat(np.array(numbers, np.float32), 2)[::2])
    for source in (numbers, tuple(numbers), buffer, memoryview(buffer), Interface(), strided):
        assert np.array_equal(gelu(source), wanted)
    out = array.array("f", [0, 0, 0])
    gelu(buffer, out=out)
    assert np.array_equal(out, wanted)
    for number in (0.25, np.float32(0.25), np.float64(0.25)):
        assert gelu(number) == wanted[1] and isinstance(gelu(number), np.float32)
    assert gelu(np.int64(1)) == gelu(1) == gelu(1.0)
    assert np.array_equal(gelu(np.array(numbers, np.float32), threads=None), wanted)


class Named(np.ndarray):
    """An array with a name, which results get from their first operand."""

    name = ""

    def __array_finalize__(self, other):
        self.name = getattr(other, "name", "")


def test_arrays_of_a_subclass_give_that_subclass(gelu, values, tmp_path):
    mine = values.view(Named)
    mine.name = "mine"
    for given in (mine, mine[:, ::2], np.tile(mine, (1000, 1, 1)).view(Named)):
        given.name = "mine"
        made = gelu(given)
        assert type(made) is Named and made.name == "mine" and np.array_equal(made, gelu(np.array(given)))
    given = np.memmap(tmp_path / "x", np.float32, "w+", shape=(3, 4))
    given[:] = 2
    assert type(gelu(given)) is type(np.exp(given))  # the result lies in no file
    out = np.empty_like(values)
    assert gelu(mine, out=out) is out


def test_what_does_not_fit_is_refused(gelu, values):
    read_only = np.zeros((6, 5, 37), np.float32)
    read_only.flags.writeable = False
    for problem, match, call in (
        (TypeError, "is float32, and the array is float64", lambda: gelu(values.astype(float))),
        (TypeError, "is float32, and the array is int32: convert it$", lambda: gelu(values.astype(np.int32))),
        (TypeError, "dtype >f4", lambda: gelu(values.astype(">f4"))),
        (TypeError, "NoneType is no array of numbers", lambda: gelu(None)),
        (TypeError, "str is no array of numbers", lambda: gelu("1")),
        (ValueError, "threads is 0; it is at least 1", lambda: gelu(values, threads=0)),
        (ValueError, "threads is -1", lambda: gelu(1.0, threads=-1)),
        (
            ValueError,
            r"`y` has shape \[37\], and operand `x` \[6, 5, 37\]$",
            lambda: gelu(values, out=values[0, 0].copy()),
        ),
        (TypeError, "takes 1 inputs", lambda: gelu(values, values)),
        (TypeError, "lacks the input `x`", lambda: gelu()),
        (TypeError, "`z`", lambda: gelu(z=values)),
        (ValueError, "cannot be written", lambda: gelu(values, out=read_only)),
        (ValueError, "shape", lambda: gelu(values, out=np.empty((6, 5, 36), np.float32))),
        (
            ValueError,
            "`up` has shape .*, and operand `gate` .*declared so",
            lambda: actgen.compile("swiglu")(values, values[..., 1:]),
        ),
    ):
        with pytest.raises(problem, match=match):
            call()


@pytest.mark.parametrize("shape", [(300_001,), (1000, 333), (3, 100_000), (70, 50, 100)])
@pytest.mark.parametrize("threads", [2, 5])
def test_threads_give_equal_bits(gelu, shape, threads):
    x = RNG.normal(0, 3, shape).astype(np.float32)
    wanted = gelu(x)
    assert np.array_equal(gelu(x, threads=threads), wanted)
    wide = np.concatenate([x, x], -1)[..., : shape[-1]]
    assert np.array_equal(gelu(wide, threads=threads), wanted)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(
    "spec",
    [
        "kernel k([gate | up]: f32) -> (y: f32) { y = gelu(gate) * up }",
        "kernel k(x: f32, b: f32[cols]) -> (y: f32) { y = gelu(x + b) }",
        "kernel k(x: f32, b: f32[rows]) -> (y: f32) { y = gelu(x + b) }",
        "kernel k(x: f32, b: f32[]) -> (y: f32) { y = gelu(x + b) }",
    ],
    ids=["packed", "cols", "rows", "one"],
)
def test_threads_share_what_is_broadcast_or_packed(spec, rows):
    kernel = actgen.compile(spec=spec)
    x = RNG.normal(0, 3, (rows, 300_002)).astype(np.float32)
    others = {"[cols]": x[0], "[rows]": x[:, 0], "[]": x[0, :1]}
    arrays = [x, *(others[o.shape] for o in kernel.operands[1:] if o.shape in others)]
    assert np.array_equal(kernel(*arrays, threads=2), kernel(*arrays))
    views = [np.repeat(x, 2, 0)[::2], *arrays[1:]]
    assert np.array_equal(kernel(*views, threads=2), kernel(*arrays))


def test_threads_of_the_caller(gelu, at_once):
    """Quick calls of one kernel may overlap, because each has operands of its own."""
    arrays = [np.full(20_000, i, np.float32) for i in range(8)]
    assert not at_once(lambda i: all((gelu(arrays[i]) == gelu(float(i))).all() for _ in range(50)), 8)


def test_the_lock_of_python_is_released(gelu):
    """While machine code runs, another thread of Python goes on counting."""
    x = np.zeros(50_000_000, np.float32)
    counted, inside = [0], threading.Event()
    during = []

    def count():
        inside.wait()
        while counted[0] >= 0:
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    inside.set()
    for _ in range(20):
        before = counted[0]
        gelu(x, out=x)
        during.append(counted[0] - before)
    counted[0] = -(10**9)
    thread.join()
    assert max(during) > 100


def test_the_interpreter_gives_the_same_bits(gelu, values):
    assert np.array_equal(gelu.interpret(values), gelu(values))
    assert np.array_equal(gelu.interpret(values[:, ::2, ::3]), gelu(values[:, ::2, ::3]))
    kernel = actgen.compile("gelu", interpret=True)
    assert kernel.backend.startswith("interpreter") and np.array_equal(kernel(values), gelu(values))


def test_every_tier_gives_the_same_bits(gelu, values):
    for tier, backend in (
        ("best", "machine code"),
        ("quick", "machine code"),
        ("interpreter", "interpreter: as asked"),
    ):
        kernel = actgen.compile("gelu", tier=tier)
        assert kernel.backend == backend and np.array_equal(kernel(values), gelu(values))
    with pytest.raises(ValueError, match="tier is 'best' or 'quick' or 'interpreter', not 'slow'"):
        actgen.compile("gelu", tier="slow")
