"""What all tests share."""

import numpy as np
import pytest

import actgen


@pytest.fixture(scope="session")
def gelu() -> actgen.Kernel:
    return actgen.compile("gelu")


@pytest.fixture(scope="session")
def geglu_packed() -> actgen.Kernel:
    return actgen.compile(spec="kernel geglu([gate | up]: f32) -> (y: f32) { y = gelu(gate) * up }")


@pytest.fixture
def values() -> np.ndarray:
    """An array whose elements differ, of several rows and an odd number of columns."""
    return np.random.default_rng(1).normal(0, 2, (6, 5, 37)).astype(np.float32)
