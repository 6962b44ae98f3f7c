"""Tests kernels as JAX's functions: values, gradients, jit and vmap."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import actgen

jax = pytest.importorskip("jax")
from jax import numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import actgen.jax  # noqa: E402

RNG = np.random.default_rng(3)


@pytest.fixture(autouse=True, scope="module")
def float64():
    """Enables float64 in JAX only for these tests. Other tests see JAX as its users do."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def normal(*shape):
    return jnp.asarray(RNG.normal(size=shape))


def test_values_and_gradients():
    gelu = actgen.jax.as_jax(actgen.compile("gelu", dtype="f64"))
    x = normal(5, 7)
    assert np.allclose(gelu(x), jax.nn.gelu(x, approximate=False), rtol=1e-12)
    assert np.array_equal(jax.jit(gelu)(x), gelu(x)) and gelu(x[0]).shape == (7,) and gelu(0.5).shape == ()
    check_grads(gelu, (x,), order=2, modes=["rev"])
    mine, theirs = (jax.grad(lambda v, f=f: f(v).sum())(x) for f in (gelu, lambda v: jax.nn.gelu(v, approximate=False)))
    assert np.allclose(mine, theirs, rtol=1e-11)


def test_gates_broadcast_operands_and_several_results():
    packed = actgen.jax.as_jax(actgen.compile(spec="kernel p([g | u]: f64) -> (y: f64) { y = gelu(g)*u }"))
    check_grads(packed, (normal(2, 3, 10),), order=1, modes=["rev"])
    spec = "kernel b(x: f64, s: f64[cols], h: f64[rows], g: f64[]) -> (y: f64) { y = g*silu(x*s + h) }"
    broadcast = actgen.jax.as_jax(actgen.compile(spec=spec))
    check_grads(broadcast, (normal(4, 7), normal(7), normal(4, 1), normal()), order=1, modes=["rev"])
    spec = "kernel t([a | b]: f64, c: f64) -> ([y | z]: f64, w: f64) { y = a*b; z = a + c; w = silu(b)*c }"
    several = actgen.jax.as_jax(actgen.compile(spec=spec))
    check_grads(several, (normal(4, 6), normal(4, 3)), order=1, modes=["rev"])


def test_types_and_vmap():
    half = actgen.compile("silu", dtype=jnp.bfloat16)
    x = normal(3, 4, 5).astype(jnp.bfloat16)
    silu = actgen.jax.as_jax(half)
    assert silu(x).dtype == jnp.bfloat16 and np.array_equal(jax.vmap(jax.vmap(silu))(x), silu(x))
    assert np.array_equal(jax.nn.silu(x.astype(float)).astype(jnp.bfloat16), silu(x))
    with pytest.raises(TypeError, match="convert"):
        silu(x.astype(float))
    scaled = actgen.jax.as_jax(actgen.compile(spec="kernel k(x: f64, s: f64[cols]) -> (y: f64) { y = x*s }"))
    x, s = normal(3, 4), normal(3, 4)
    assert np.array_equal(jax.vmap(scaled)(x, s), x * s)


def test_what_does_not_fit_is_an_error():
    gate = actgen.jax.as_jax(actgen.compile("swiglu", dtype="f64"))
    with pytest.raises(Exception, match="has shape"):
        gate(normal(3, 4), normal(3, 5)).block_until_ready()
    with pytest.raises(TypeError, match="2 arrays"):
        gate(normal(3))


def test_arrays_without_a_function(gelu):
    """Kernels read JAX's arrays in place, by DLPack, and return JAX's arrays."""
    x = jnp.asarray(RNG.normal(size=(4, 5)), jnp.float32)
    y = gelu(x)
    assert isinstance(y, jax.Array) and np.array_equal(y, gelu(np.asarray(x)))
    half = actgen.compile("gelu", dtype="bfloat16")
    assert half(x.astype(jnp.bfloat16)).dtype == jnp.bfloat16
    with pytest.raises(ValueError, match="cannot be written"):
        gelu(np.asarray(x), out=x)


def test_activations_follow_the_dtype():
    gelu, gate = actgen.jax.activation("gelu"), actgen.jax.activation("swiglu", accuracy="abs 2^-20")
    for dtype in (jnp.float32, jnp.bfloat16, jnp.float64):
        x = normal(3, 4).astype(dtype)
        assert gelu(x).dtype == dtype and jax.jit(gelu)(x).dtype == dtype
        assert np.array_equal(gelu(x), actgen.jax.as_jax(actgen.compile("gelu", dtype=dtype))(x))
        assert jax.grad(lambda v: gate(v, v).sum())(x).dtype == dtype
    assert np.allclose(actgen.jax.activation(formula="x*sigmoid(2*x)")(1.5), 1.5 / (1 + np.exp(-3)))


@pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="this JAX has no jax.shard_map")
def test_gradients_inside_shard_map():
    """The default check_vma wants to know over which axes of the mesh results vary."""
    mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("d")
    gate, x, u = actgen.jax.activation("swiglu"), normal(4, 6), normal(4, 6)

    def loss(a, b):
        return jax.lax.psum(gate(a, b).sum(), "d")

    sharded = jax.shard_map(jax.grad(loss, argnums=(0, 1)), mesh=mesh, in_specs=(spec, spec), out_specs=(spec, spec))
    wanted = jax.grad(lambda a, b: gate(a, b).sum(), argnums=(0, 1))(x, u)
    assert all(np.array_equal(a, b) for a, b in zip(sharded(x, u), wanted, strict=True))


EXPORTED = """
    import sys, numpy as np, jax, jax.export, actgen.jax
    program = jax.export.deserialize(open(sys.argv[1] + "/program", "rb").read())
    x, y, d = (np.load(f"{sys.argv[1]}/{name}.npy") for name in "xyd")
    assert np.array_equal(program.call(x), y)
    assert np.array_equal(jax.grad(lambda v: program.call(v).sum())(x), d)
"""


def test_exported_programs_run_in_another_process(tmp_path):
    pytest.importorskip("flatbuffers", reason="jax.export needs it to write programs")
    gelu = actgen.jax.activation("gelu", accuracy="abs 2^-20")
    scaled = actgen.jax.as_jax(actgen.compile(spec="kernel k(x: f32, s: f32[cols]) -> (y: f32) { y = x*tanh(s) }"))

    def f(v):
        return scaled(gelu(v), jnp.arange(6, dtype=jnp.float32))

    x = normal(4, 6).astype(jnp.float32)
    with pytest.raises(ValueError, match="custom_call"):
        jax.export.export(jax.jit(f))(x)
    shape = jax.ShapeDtypeStruct(jax.export.symbolic_shape("n, 6"), jnp.float32)
    exported = jax.export.export(jax.jit(f), disabled_checks=actgen.jax.EXPORT_CHECKS)(shape)
    (tmp_path / "program").write_bytes(exported.serialize(vjp_order=1))
    for name, value in (("x", x), ("y", f(x)), ("d", jax.grad(lambda v: f(v).sum())(x))):
        np.save(tmp_path / f"{name}.npy", value)
    subprocess.run([sys.executable, "-c", textwrap.dedent(EXPORTED), tmp_path], check=True, timeout=600)


def test_forward_mode_in_any_order():
    gelu = actgen.jax.as_jax(actgen.compile("gelu", dtype="f64"))
    x = normal(3, 5)
    check_grads(gelu, (x,), order=2, modes=["fwd", "rev"])

    def theirs(v):
        return jax.nn.gelu(v, approximate=False)

    for of in (
        lambda f: jax.hessian(lambda v: f(v).sum())(x[0]),
        lambda f: jax.jacfwd(jax.jacfwd(f))(x[0]),
        lambda f: jax.jacrev(jax.jacfwd(f))(x[0]),
        lambda f: jax.jit(jax.grad(lambda v: jax.vmap(f)(v).sum()))(x),
        lambda f: jax.vmap(jax.grad(lambda v: f(v).sum()))(x),
        lambda f: jax.jvp(lambda t: jax.jvp(f, (t,), (x,))[1], (x,), (x,))[1],
        lambda f: jax.linearize(f, x)[1](x),
    ):
        assert np.allclose(of(gelu), of(theirs), rtol=1e-9, atol=1e-12)


def test_forward_mode_of_gates_broadcast_operands_and_sums():
    packed = actgen.jax.as_jax(actgen.compile(spec="kernel p([g | u]: f64) -> (y: f64) { y = gelu(g)*u }"))
    check_grads(packed, (normal(2, 3, 10),), order=2, modes=["fwd", "rev"])
    spec = "kernel b(x: f64, s: f64[cols], h: f64[rows], g: f64[]) -> (y: f64) { y = g*silu(x*s + h) }"
    broadcast = actgen.jax.as_jax(actgen.compile(spec=spec))
    check_grads(broadcast, (normal(4, 7), normal(7), normal(4, 1), normal()), order=2, modes=["fwd", "rev"])
    spec = "kernel t([a | b]: f64, c: f64) -> ([y | z]: f64, w: f64) { y = a*b; z = a + c; w = silu(b)*c }"
    several = actgen.jax.as_jax(actgen.compile(spec=spec))
    check_grads(several, (normal(4, 6), normal(4, 3)), order=2, modes=["fwd", "rev"])
    spec = "kernel r(x: f64, s: f64[cols]) -> (y: f64, z: f64[rows]) { y = silu(x*s); z = sum(x*x) }"
    check_grads(actgen.jax.as_jax(actgen.compile(spec=spec)), (normal(4, 6), normal(6)), order=2, modes=["fwd", "rev"])
    x, t = (normal(4, 6).astype(jnp.float32) for _ in range(2))
    mine, theirs = (jax.jvp(f, (x,), (t,))[1] for f in (actgen.jax.activation("softmax"), jax.nn.softmax))
    assert np.allclose(mine, theirs, rtol=1e-5, atol=1e-6)


SHARDED = """
import jax, numpy as np, actgen.jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Auto, AxisType.Auto))
x = jax.numpy.asarray(np.random.default_rng(0).normal(size=(8, 16)).astype(np.float32))
gelu, gate, softmax = map(actgen.jax.activation, ("gelu", "swiglu", "softmax"))
for f, operands, spec in [
    (gelu, 1, P("a", "b")), (gelu, 1, P(("a", "b"))), (gate, 2, P("a", "b")), (softmax, 1, P("a", None)),
    (jax.grad(lambda v: gelu(v).sum()), 1, P("a", "b")), (jax.vmap(gelu), 1, P("a", "b")),
]:
    given = [jax.device_put(x + i, NamedSharding(mesh, spec)) for i in range(operands)]
    text = jax.jit(f).lower(*given).compile().as_text()
    assert "custom-call" in text
    assert not any(sent in text for sent in ("all-gather", "all-reduce", "all-to-all", "collective")), (spec, text)
    for y in (jax.jit(f)(*given), f(*given)):
        assert y.sharding.is_equivalent_to(given[0].sharding, 2), (spec, y.sharding)
        assert np.array_equal(y, f(*[x + i for i in range(operands)]))
given = jax.device_put(x, NamedSharding(mesh, P("a", "b")))  # whose rows lie on two devices
assert np.array_equal(jax.jit(softmax)(given), softmax(x))
spec = "kernel n(x: f32, first: u64[]) -> (y: f32) { y = x + 128*row(first) - col }"
numbers = actgen.jax.as_jax(actgen.compile(spec=spec))  # whose rows and columns are counted in the whole array
assert np.array_equal(jax.jit(numbers)(given, jax.numpy.uint32(3)), numbers(x, 3))
"""


@pytest.mark.skipif(not hasattr(jax.sharding, "AxisType"), reason="this JAX has no types of mesh axes")
def test_devices_send_nothing():
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", SHARDED], check=True, env=environment, timeout=300)
