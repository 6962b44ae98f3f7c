"""Tests `approximate`, which chooses the form of GELU as in PyTorch, Keras and JAX."""

import numpy as np
import pytest

import actgen

X = np.linspace(-9, 5, 1001, dtype=np.float32)


@pytest.mark.parametrize("approximate", [None, "none", False, "tanh", True])
def test_forms_of_gelu_and_geglu(approximate):
    form = "_tanh" if approximate in ("tanh", True) else ""
    assert np.array_equal(actgen.compile("gelu", approximate=approximate)(X), actgen.compile("gelu" + form)(X))
    gates = [
        actgen.compile(name, approximate=a)(X, X[::-1]) for name, a in (("geglu", approximate), ("geglu" + form, None))
    ]
    assert np.array_equal(*gates)

    @actgen.jit
    def doubled(x):
        return 2 * actgen.gelu(x, approximate=approximate)

    assert np.array_equal(doubled(X), 2 * actgen.compile("gelu" + form)(X))


def test_other_values_and_functions_are_refused():
    for value in ("erf", 1, 0.5, ["tanh"]):
        with pytest.raises(ValueError, match='approximate is "none", "tanh", False or True, and not'):
            actgen.compile("gelu", approximate=value)
    with pytest.raises(TypeError, match="a parameter of gelu and geglu, and not of 'silu'"):
        actgen.compile("silu", approximate="tanh")
    with pytest.raises(TypeError, match="a formula or a text names gelu_tanh"):
        actgen.compile(formula="gelu(x)", approximate="tanh")


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_modules_of_pytorch(approximate):
    torch = pytest.importorskip("torch")
    from actgen.torch import activation

    x = torch.linspace(-9, 5, 1001, dtype=torch.float64, requires_grad=True)
    mine, theirs = activation("gelu", approximate=approximate), torch.nn.GELU(approximate=approximate)
    assert torch.allclose(mine(x), theirs(x), rtol=1e-9, atol=1e-15)
    slopes = [torch.autograd.grad(f(x).sum(), x)[0] for f in (mine, theirs)]
    assert torch.allclose(*slopes, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("approximate", [False, True])
def test_functions_of_jax(approximate):
    jax = pytest.importorskip("jax")
    import actgen.jax

    mine = actgen.jax.activation("gelu", approximate=approximate)(jax.numpy.asarray(X))
    assert np.allclose(mine, jax.nn.gelu(X, approximate=approximate), rtol=1e-4, atol=1e-6)
