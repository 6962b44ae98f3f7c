"""Calls libactgen-kernels on arrays of NumPy."""

import ctypes
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libactgen-kernels.so.0")
x = np.array([-1, -0.5, 0, 2], np.float32)
y = np.empty_like(x)
library.act_gelu_f32(ctypes.c_size_t(x.size), x.ctypes.data_as(ctypes.c_void_p), y.ctypes.data_as(ctypes.c_void_p))
print(y.round(5))
