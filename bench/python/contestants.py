"""The same functions by each library, as its users write them: y = f(x), with a new array for the result."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

GATES = {"swiglu": "silu", "geglu": "gelu"}
FUNCTIONS = ("gelu", "gelu_tanh", "silu", "mish", "softplus", *GATES)


class Case(NamedTuple):
    """A function or its gradient, in a type."""

    function: str
    is_gradient: bool
    dtype: str

    @property
    def label(self) -> str:
        """For tables."""
        return f"{self.function}{' gradient' if self.is_gradient else ''}, {self.dtype}"

    @property
    def inputs(self) -> int:
        """Arrays that are read."""
        return (2 if self.function in GATES else 1) + self.is_gradient

    @property
    def results(self) -> int:
        """Arrays that are written."""
        return 2 if self.is_gradient and self.function in GATES else 1


Made = tuple[Callable[..., Any], Callable[[np.ndarray], Any]]  # the function, and what makes its arrays of NumPy's


class Missing(Exception):
    """The library has no such function, or not for this type."""


def actgen(accuracy: str | None) -> Callable[[Case, int], Made]:
    """Kernels of actgen on NumPy's arrays, at a bound; None: the default."""

    def make(case: Case, threads: int) -> Made:
        import actgen

        kernel = actgen.compile(case.function, dtype=case.dtype, accuracy=accuracy)
        kernel = kernel.gradient() if case.is_gradient else kernel
        return (kernel if threads == 1 else lambda *a: kernel(*a, threads=threads)), lambda a: a

    return make


def _torch_function(case: Case) -> Callable[..., Any]:
    import torch

    f, aten = torch.nn.functional, torch.ops.aten
    forward = {
        "gelu": f.gelu,
        "gelu_tanh": lambda x: f.gelu(x, approximate="tanh"),
        "silu": f.silu,
        "mish": f.mish,
        "softplus": f.softplus,
        "swiglu": lambda g, u: f.silu(g) * u,
        "geglu": lambda g, u: f.gelu(g) * u,
    }
    backward = {
        "gelu": lambda x, d: aten.gelu_backward(d, x),
        "gelu_tanh": lambda x, d: aten.gelu_backward(d, x, approximate="tanh"),
        "silu": lambda x, d: aten.silu_backward(d, x),
        "mish": lambda x, d: aten.mish_backward(d, x),
        "softplus": lambda x, d: aten.softplus_backward(d, x, 1.0, 20.0),
        "swiglu": lambda g, u, d: (aten.silu_backward(d * u, g), f.silu(g) * d),
        "geglu": lambda g, u, d: (aten.gelu_backward(d * u, g), f.gelu(g) * d),
    }
    return (backward if case.is_gradient else forward)[case.function]


def _to_torch(array: np.ndarray) -> Any:
    import torch

    if array.dtype == np.float32:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)


def pytorch(case: Case, threads: int) -> Made:
    """PyTorch eager; gradients by the operators that autograd calls."""
    import torch

    torch.set_num_threads(threads)
    return torch.no_grad()(_torch_function(case)), _to_torch


def torch_compile(case: Case, threads: int) -> Made:
    """The same under torch.compile, for any size."""
    import torch

    torch.set_num_threads(threads)
    torch._dynamo.reset()
    return torch.no_grad()(torch.compile(_torch_function(case), dynamic=True)), _to_torch


def jax_jit(case: Case, threads: int) -> Made:
    """jax.nn under jax.jit; gradients by jax.vjp. Threads are those that the process may use."""
    import jax
    from jax import nn

    forward = {
        "gelu": lambda x: nn.gelu(x, approximate=False),
        "gelu_tanh": lambda x: nn.gelu(x, approximate=True),
        "silu": nn.silu,
        "mish": nn.mish,
        "softplus": nn.softplus,
        "swiglu": lambda g, u: nn.silu(g) * u,
        "geglu": lambda g, u: nn.gelu(g, approximate=False) * u,
    }[case.function]

    def gradient(*arrays: Any) -> Any:
        d = jax.vjp(forward, *arrays[:-1])[1](arrays[-1])
        return d if len(d) > 1 else d[0]

    function = jax.jit(gradient if case.is_gradient else forward)
    return (lambda *a: jax.block_until_ready(function(*a))), jax.numpy.asarray


def numpy(case: Case, threads: int) -> Made:
    """NumPy's operations, and SciPy's special functions where it has none."""
    if case.dtype != "float32":
        raise Missing
    from scipy import special

    one, half, root = np.float32(1), np.float32(0.5), np.float32(0.7978845608028654)
    a, density = np.float32(0.044715), np.float32(0.3989422804014327)

    def gelu_slope(x: Any) -> Any:
        return special.ndtr(x) + x * (density * np.exp(-half * x * x))

    def gelu_tanh_slope(x: Any) -> Any:
        t = np.tanh(root * (x + a * x * x * x))
        return half * (one + t) + half * x * (one - t * t) * root * (one + 3 * a * x * x)

    def silu_slope(x: Any) -> Any:
        s = special.expit(x)
        return s * (one + x * (one - s))

    def mish_slope(x: Any) -> Any:
        t = np.tanh(np.logaddexp(0, x, dtype=np.float32))
        return t + x * (one - t * t) * special.expit(x)

    values = {
        "gelu": lambda x: x * special.ndtr(x),
        "gelu_tanh": lambda x: half * x * (one + np.tanh(root * (x + a * x * x * x))),
        "silu": lambda x: x * special.expit(x),
        "mish": lambda x: x * np.tanh(np.logaddexp(0, x, dtype=np.float32)),
        "softplus": lambda x: np.logaddexp(0, x, dtype=np.float32),
    }
    slopes = {
        "gelu": gelu_slope,
        "gelu_tanh": gelu_tanh_slope,
        "silu": silu_slope,
        "mish": mish_slope,
        "softplus": special.expit,
    }
    if case.function in GATES:
        value, slope = values[GATES[case.function]], slopes[GATES[case.function]]
        gradient = lambda g, u, d: (d * u * slope(g), d * value(g))  # noqa: E731
        return (gradient if case.is_gradient else lambda g, u: value(g) * u), lambda v: v
    value, slope = values[case.function], slopes[case.function]
    return ((lambda x, d: d * slope(x)) if case.is_gradient else value), lambda v: v


def numexpr(case: Case, threads: int) -> Made:
    """numexpr's expressions; it has no erf."""
    if case.dtype != "float32" or "ge" in case.function and case.function != "gelu_tanh":
        raise Missing
    import numexpr as ne

    ne.set_num_threads(threads)
    u = "(0.7978845608*(x + 0.044715*x*x*x))"
    sigmoid = "(1/(1 + exp(-x)))"
    values = {
        "gelu_tanh": f"0.5*x*(1 + tanh({u}))",
        "silu": f"x*{sigmoid}",
        "mish": "x*tanh(log1p(exp(x)))",
        "softplus": "log1p(exp(x))",
    }
    slopes = {
        "gelu_tanh": f"0.5*(1 + tanh({u})) + 0.5*x*(1 - tanh({u})**2)*0.7978845608*(1 + 0.134145*x*x)",
        "silu": f"{sigmoid}*(1 + x*(1 - {sigmoid}))",
        "mish": f"tanh(log1p(exp(x))) + x*(1 - tanh(log1p(exp(x)))**2)*{sigmoid}",
        "softplus": sigmoid,
    }
    name = GATES.get(case.function, case.function)
    value, slope = values[name], slopes[name]

    def evaluate(text: str, **arrays: Any) -> Any:
        return ne.evaluate(text, local_dict=arrays, casting="unsafe")

    if case.function in GATES:
        if case.is_gradient:
            both = lambda x, up, d: (evaluate(f"d*up*({slope})", x=x, up=up, d=d), evaluate(f"d*({value})", x=x, d=d))  # noqa: E731
            return both, lambda v: v
        return (lambda x, up: evaluate(f"({value})*up", x=x, up=up)), lambda v: v
    if case.is_gradient:
        return (lambda x, d: evaluate(f"d*({slope})", x=x, d=d)), lambda v: v
    return (lambda x: evaluate(value, x=x)), lambda v: v


def onnxruntime(case: Case, threads: int) -> Made:
    """ONNX Runtime on the standard operators; it has no gradients here, and no bfloat16 on the CPU."""
    if case.dtype != "float32" or case.is_gradient:
        raise Missing
    import onnxruntime as ort
    from onnx import TensorProto, helper

    node = helper.make_node
    gelu = [node("Gelu", ["x"], ["a"])]
    silu = [node("Sigmoid", ["x"], ["s"]), node("Mul", ["x", "s"], ["a"])]
    nodes = {
        "gelu": gelu,
        "gelu_tanh": [node("Gelu", ["x"], ["a"], approximate="tanh")],
        "silu": silu,
        "mish": [node("Mish", ["x"], ["a"])],
        "softplus": [node("Softplus", ["x"], ["a"])],
        "swiglu": [*silu, node("Mul", ["a", "u"], ["b"])],
        "geglu": [*gelu, node("Mul", ["a", "u"], ["b"])],
    }[case.function]
    names = ["x", "u"][: case.inputs]
    kind = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in names]
    result = helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, ["n"])
    model = helper.make_model(
        helper.make_graph(nodes, "g", kind, [result]), opset_imports=[helper.make_opsetid("", 20)], ir_version=9
    )
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return (lambda *a: session.run(None, dict(zip(names, a, strict=True)))[0]), lambda v: v


CONTESTANTS: dict[str, Callable[[Case, int], Made]] = {
    "actgen": actgen(None),
    "actgen 2 ulp": actgen("2 ulp"),
    "actgen 1 ulp": actgen("1 ulp"),
    "PyTorch": pytorch,
    "torch.compile": torch_compile,
    "JAX jit": jax_jit,
    "NumPy": numpy,
    "numexpr": numexpr,
    "ONNX Runtime": onnxruntime,
}
