"""Compares the operators of examples/operators.act with ONNX Runtime's own: errors and times of a million inputs.

    actgen compile examples/operators.act -o operators.o --ort operators.c
    cc -O2 -shared -fPIC operators.c operators.o -o liboperators.so -I$ACTGEN_ORT_INCLUDE
    python bench/python/onnx_runtime.py liboperators.so

Needs onnx, onnxruntime and SciPy.
"""

import sys
import time

import numpy as np
import onnx
import onnxruntime
from scipy import special

x = np.linspace(-12, 12, 1 << 20).astype(np.float32)
wide = x.astype(np.longdouble)
tanh_form = np.sqrt(np.longdouble(2) / np.pi) * (wide + np.longdouble(0.044715) * wide**3)
e = np.exp(wide)
gelu = wide * special.erfc(-x.astype(np.float64) / np.sqrt(2)) / 2
OPERATORS = {  # the operator of ONNX Runtime for the same, its domain and attributes, and the true values
    "Gelu": ("Gelu", "", {}, gelu),
    "FastGelu": ("FastGelu", "com.microsoft", {}, wide / (1 + np.exp(-2 * tanh_form))),
    "QuickGelu": ("QuickGelu", "com.microsoft", {"alpha": 1.702}, wide / (1 + np.exp(-np.longdouble(1.702) * wide))),
    "Swish": ("QuickGelu", "com.microsoft", {"alpha": 1.0}, wide / (1 + np.exp(-wide))),
    "Mish": ("Mish", "", {}, wide * (e * e + 2 * e) / (e * e + 2 * e + 2)),
    "BiasGelu": ("BiasGelu", "com.microsoft", {}, gelu),
}


def session(library, name, domain, inputs, **attributes):
    """Makes a session of one node, with one thread."""
    made = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in (*inputs, "y")]
    node = onnx.helper.make_node(name, list(inputs), ["y"], domain=domain, **attributes)
    opsets = [onnx.helper.make_opsetid(d, v) for d, v in (("", 20), ("actgen", 1), ("com.microsoft", 1))]
    graph = onnx.helper.make_graph([node], "graph", made[:-1], made[-1:])
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.register_custom_ops_library(library)
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def main(library):
    """Prints a row for each operator. Times are the least of 40, taken in turns."""
    print("operator     actgen: ulp        us    ONNX Runtime: ulp        us")
    for name, (own, domain, attributes, true) in OPERATORS.items():
        feed = {"x": x[None], **({"bias": np.zeros(x.size, np.float32)} if name == "BiasGelu" else {})}
        pair = session(library, name, "actgen", feed), session(library, own, domain, feed, **attributes)
        ulp = np.spacing(np.maximum(abs(true).astype(np.float32), np.float32(2.0**-126)))
        errors = [float((abs(run.run(None, feed)[0][0] - true) / ulp).max()) for run in pair]
        times = [[], []]
        for _ in range(40):
            for taken, run in zip(times, pair, strict=True):
                start = time.perf_counter()
                run.run(None, feed)
                taken.append(time.perf_counter() - start)
        mine, theirs = (min(taken) * 1e6 for taken in times)
        print(f"{name:10} {errors[0]:13.2f} {mine:9.0f} {errors[1]:20.3g} {theirs:9.0f}")


main(sys.argv[1] if "/" in sys.argv[1] else "./" + sys.argv[1])
