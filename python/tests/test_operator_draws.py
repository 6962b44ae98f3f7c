"""Operators of PyTorch and JAX with seeds, offsets and first rows: the bits of the plain call, and gradients of the same draw."""

import numpy as np
import pytest

import actgen

SPEC = """
kernel causal(x: f32, first: u64[]) -> (y: f32) {
    t = where(col <= row(first), x, -inf)
    m = detach(amax(t))
    p = exp(t - m)
    y = where(m > -inf, p/sum(p), 0)
}
kernel dropped(x: f32, b: f32[cols], c: f32[rows], seed: u64[], offset: u64[]) -> (y: f32) {
    y = if uniform(seed, offset) < 0.75 then 2*x^2*c + b else 0
}
kernel gated(x: f32, a: f32[rows], b: f32[]) -> (g: f32[rows], y: f32) { g = a^2*b; y = x*g*a }
kernel begins(first: u64[], x: f32) -> (y: f32) { y = x*row(first) }
"""
ROWS, COLS, SEED, OFFSET = 6, 8, 7, 2**40 + 9
X = np.random.default_rng(1).normal(size=(ROWS, COLS)).astype(np.float32)
B, C = np.linspace(-1, 2, COLS, dtype=np.float32), np.linspace(-2, 3, ROWS, dtype=np.float32)


def kernel(name):
    return actgen.compile(spec=SPEC, kernel=name)


KEPT = kernel("dropped")(X, B, C, SEED, OFFSET) != 0


def close(found, wanted):
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-4, atol=1e-4)


def test_torch():
    torch = pytest.importorskip("torch")
    from actgen.torch import as_torch

    causal, x = as_torch(kernel("causal")), torch.tensor(X, requires_grad=True)
    firsts = [
        0,
        3,
        2**64 - 3,
        np.uint64(2**64 - 3),
        torch.tensor(2),
        torch.tensor(-2),
        torch.tensor(2, dtype=torch.uint64),
    ]
    for first in firsts:
        assert np.array_equal(causal(x, first).detach(), kernel("causal")(X, int(first) % 2**64))
    (d_x,) = torch.autograd.grad(causal(x, 1), x, x.detach())
    assert np.array_equal(d_x, kernel("causal").gradient()(X, 1, X))
    assert torch.equal(torch.compile(causal, backend="aot_eager")(x, torch.tensor(3)), causal(x, 3))
    np.testing.assert_allclose(
        causal.decomposition(torch.float32)(x, firsts[5]).detach(), causal(x, firsts[5]).detach()
    )
    for wrong in (-1, 1.5, 2**64):
        with pytest.raises(ValueError, match="no seed or offset"):
            causal(x, wrong)
    with pytest.raises(TypeError, match="uint64"):
        causal(x, torch.tensor(1.0))
    with pytest.raises(ValueError, match="`first`, of type u64: declare an array before it"):
        as_torch(kernel("begins"))
    assert np.array_equal(
        torch.ops.actgen.dropout(x, *map(torch.tensor, (7, 0))).detach(), actgen.compile("dropout")(X, 7, 0)
    )


def test_torch_derivatives():
    torch = pytest.importorskip("torch")
    from actgen.torch import as_torch

    operator, kept = as_torch(kernel("dropped")), torch.tensor(KEPT)
    with pytest.raises(NotImplementedError, match="draws its numbers in machine code"):
        operator.decomposition(torch.float32)(*map(torch.tensor, (X, B, C, SEED, OFFSET)))

    def own(*given):
        return operator(*given, SEED, OFFSET)

    def other(x, b, c):
        return torch.where(kept, 2 * x**2 * c[:, None] + b, 0)

    derived = []
    for function in (own, other):
        given = [torch.tensor(a, requires_grad=True) for a in (X, B, C)]
        first = torch.autograd.grad(function(*given).pow(2).sum(), given, create_graph=True)
        second = torch.autograd.grad(sum(t.sum() for t in first), given)
        single = torch.autograd.grad(function(*given).sum(), given)
        plain = [t.detach() for t in given]
        pushed = torch.func.jvp(function, tuple(plain), tuple(plain))[1]
        many = torch.func.vmap(torch.func.grad(lambda x, f=function, p=plain: f(x, *p[1:]).sum()))(
            torch.stack([plain[0]] * 2)
        )
        derived.append([t.detach() for t in (*first, *second, *single, pushed, many)])
    close(*derived)


def test_torch_values_of_rows():
    """Results of shape [rows] have second derivatives, too."""
    torch = pytest.importorskip("torch")
    from actgen.torch import as_torch

    operator, derived = as_torch(kernel("gated")), []
    for function in (operator, lambda x, a, b: (a[:, None] ** 2 * b, x * a[:, None] ** 3 * b)):
        given = [torch.tensor(a, requires_grad=True) for a in (X, C, B[2])]
        loss = sum(y.pow(2).sum() for y in function(*given))
        first = torch.autograd.grad(loss, given, create_graph=True)
        derived.append([*first, *torch.autograd.grad(sum(t.sum() for t in first), given)])
    close(*[[t.detach() for t in each] for each in derived])


def test_jax():
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    from actgen.jax import as_jax

    causal = as_jax(kernel("causal"))
    words = jnp.array([5, 1], jnp.uint32)
    for first in (0, 3, 2**64 - 3):
        assert np.array_equal(jax.jit(lambda x, f=first: causal(x, f))(X), kernel("causal")(X, first))
    for first, number in ((jnp.int32(-2), 2**64 - 2), (jnp.uint32(2), 2), (words, 2**32 + 5)):
        assert np.array_equal(jax.jit(causal)(X, first), kernel("causal")(X, number))
    for wrong in (-1, 1.5, 2**64):
        with pytest.raises(ValueError, match="no seed or offset"):
            causal(X, wrong)
    for wrong in (jnp.float32(1), jnp.zeros(3, jnp.uint32)):
        with pytest.raises(TypeError, match="two words of uint32"):
            causal(X, wrong)


def test_jax_derivatives():
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    from actgen.jax import as_jax

    operator, places = as_jax(kernel("dropped")), (0, 1, 2)

    def own(*given):
        return operator(*given, SEED, OFFSET)

    def other(x, b, c):
        return jnp.where(KEPT, 2 * x**2 * c[:, None] + b, 0)

    def squares(function):
        return lambda *given: (function(*given) ** 2).sum()

    assert np.array_equal(own(X, B, C), kernel("dropped")(X, B, C, SEED, OFFSET))
    close(*[jax.jacrev(f, places)(X, B, C) for f in (own, other)])
    close(*[jax.jacfwd(f, places)(X, B, C) for f in (own, other)])
    close(*[jax.tree.leaves(jax.hessian(squares(f), places)(X, B, C)) for f in (own, other)])
    seeds = jnp.arange(3, dtype=jnp.uint32)
    many = jax.vmap(jax.grad(lambda x, s: operator(x, B, C, s, OFFSET).sum()), (None, 0))(X, seeds)
    assert np.array_equal(many[2], jax.grad(lambda x: operator(x, B, C, 2, OFFSET).sum())(X))
    gated = as_jax(kernel("gated"))
    close(
        *[
            jax.tree.leaves(jax.hessian(lambda *a, f=f: sum((y**2).sum() for y in f(*a)), (0, 1, 2))(X, C, B[2]))
            for f in (gated, lambda x, a, b: (a[:, None] ** 2 * b, x * a[:, None] ** 3 * b))
        ]
    )
