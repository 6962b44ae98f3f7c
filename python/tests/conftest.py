"""Fixtures that all tests share."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import actgen


@pytest.fixture(scope="session")
def gelu() -> actgen.Kernel:
    return actgen.compile("gelu")


@pytest.fixture(scope="session")
def geglu_packed() -> actgen.Kernel:
    return actgen.compile(spec="kernel geglu([gate | up]: f32) -> (y: f32) { y = gelu(gate) * up }")


@pytest.fixture(scope="session")
def at_once():
    """Calls work(0), work(1), ... on threads of their own. Returns which of them returned False, and raises their exceptions."""

    def run(work, count: int) -> list[int]:
        with ThreadPoolExecutor(count) as threads:
            return [i for i, is_right in enumerate(threads.map(work, range(count))) if not is_right]

    return run


@pytest.fixture
def values() -> np.ndarray:
    """Returns an array of different elements, with several rows and an odd number of columns."""
    return np.random.default_rng(1).normal(0, 2, (6, 5, 37)).astype(np.float32)
