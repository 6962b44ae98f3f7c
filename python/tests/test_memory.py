"""Tests the memory of long results, which is reused when they are gone, and never before."""

import gc
import os
import threading

import numpy as np
import pytest

import actgen
from actgen import _memory

N = _memory.LEAST // 4


@pytest.fixture(autouse=True)
def nothing_kept():
    """Lets each test begin with no kept memory and the usual limit."""
    limit = _memory._limit
    actgen.keep_memory(0)
    actgen.keep_memory(limit)
    yield
    actgen.keep_memory(limit)


@pytest.fixture
def x():
    return np.random.default_rng(2).normal(size=(2, N)).astype(np.float32)


def place(array):
    return array.__array_interface__["data"][0]


def test_long_results_reuse_memory(gelu, x):
    y = gelu(x)
    first, wanted = place(y), y.copy()
    assert y.flags.writeable and y.flags.c_contiguous and y.dtype == np.float32
    del y
    y = gelu(x)
    assert place(y) == first and np.array_equal(y, wanted)
    z = gelu(x)
    assert place(z) != first and np.array_equal(y, wanted) and np.array_equal(z, wanted)


@pytest.mark.parametrize("seen", [lambda y: y[1, -3:], lambda y: memoryview(y.ravel()), lambda y: y.view(np.int32).T])
def test_memory_that_is_seen_is_not_reused(gelu, x, seen):
    y = gelu(x)
    first, view = place(y), seen(y)
    del y
    gc.collect()
    before = np.array(view)
    assert place(gelu(-x)) != first and np.array_equal(np.array(view), before)


def test_short_results_are_numpys(gelu, x):
    assert gelu(x[0, :-1]).flags.owndata and not gelu(x[0]).flags.owndata


def test_so_much_is_kept(gelu, x):
    results = [gelu(x) for _ in range(5)]
    actgen.keep_memory(3 * len(_memory._mapping(x.nbytes)))
    results.clear()
    assert len(_memory._kept) == 3
    actgen.keep_memory(len(_memory._kept[0]))
    assert len(_memory._kept) == 1
    actgen.keep_memory(0)
    y = gelu(x)
    assert not _memory._kept
    del y
    assert not _memory._kept


def test_the_usual_limit_keeps_a_result_of_a_hundred_million():
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 4 << 30:
        pytest.skip("a machine of so little memory keeps 256 MiB")
    assert _memory._limit >= 4 * 10**8


def test_other_lengths_reuse_memory(gelu, x):
    y = gelu(x)
    first = place(y)
    del y
    part = x[:, : N // 2 + 2000].copy()
    shorter = gelu(part)
    assert place(shorter) == first and np.array_equal(shorter, gelu(part))
    del shorter
    much_longer = gelu(np.tile(x, (1, 4)))
    much_shorter = gelu(x[0])
    assert place(much_longer) != first and place(much_shorter) != first


def test_results_can_be_resized_where_nothing_is_kept(gelu, x):
    actgen.keep_memory(0)
    y = gelu(x)
    y.resize((3, N), refcheck=False)
    assert np.array_equal(y[:2], gelu(x)) and not y[2].any()
    torch = pytest.importorskip("torch")
    t = gelu(torch.from_numpy(x))
    t.resize_(3, N)
    t.untyped_storage().resize_(0)


def test_tensors_reuse_memory(x):
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16):
        kernel = actgen.compile("gelu", dtype=dtype)
        t = torch.from_numpy(x).repeat(1, 2).to(dtype)
        y = kernel(t)
        first, wanted = y.data_ptr(), y.clone()
        assert type(y) is torch.Tensor and y.dtype == dtype and y.shape == t.shape
        del y
        y = kernel(t)
        assert y.data_ptr() == first and torch.equal(y, wanted)
        del y


def test_many_threads_of_long_results(gelu, x):
    wanted, wrong = gelu(x), []

    def work():
        for _ in range(30):
            if not np.array_equal(gelu(x), wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
