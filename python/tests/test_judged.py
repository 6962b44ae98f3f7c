"""Functions of Python are judged by a kernel's formula and bound."""

import numpy as np
import pytest

import actgen


def test_a_good_function_keeps_its_bound():
    report = actgen.verify(
        lambda x: np.maximum(x, np.float32(0)) * np.float32(0.5), "max(x, 0)*0.5", accuracy="0.5 ulp"
    )
    assert report and report.wrong == 0 and report.bits_compared == 0
    assert report.inputs > 4_000_000


def test_a_wrong_function_is_found_with_its_place():
    def wrong(x):
        y = np.tanh(x)
        y[np.abs(x) > 4] *= np.float32(1.001)
        return y

    report = actgen.verify(wrong, "tanh", accuracy="8 ulp")
    assert not report and report.wrong > 0
    assert abs(report.max_ulp_at) > 4 and report.max_ulp > 1000


def test_types_and_shapes_are_checked():
    with pytest.raises(TypeError, match="float64, and the kernel has float32: say dtype"):
        actgen.verify(lambda x: x.astype(np.float64), "relu")
    with pytest.raises(ValueError, match=r"returned the shape \(1,\)"):
        actgen.verify(lambda x: x[:1], "relu")
    with pytest.raises(ZeroDivisionError):
        actgen.verify(lambda x: 1 // 0, "relu")
    with pytest.raises(actgen.ArgumentError, match="no function of one value"):
        actgen.verify(lambda x: x, "swiglu")


def test_f64_and_kernels():
    kernel = actgen.compile("sqrt", dtype="float64", accuracy="0.5 ulp")
    with np.errstate(invalid="ignore"):
        assert actgen.verify(np.sqrt, kernel)
