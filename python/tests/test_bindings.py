"""Tests the operators of PyTorch and ONNX Runtime that `actgen compile --torch` and `--ort` make, in their own processes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import actgen
from actgen._library import library_path

PROGRAM = Path(library_path()).parent / "actgen"
EXAMPLES = Path(__file__).parents[2] / "examples" / "operators.act"
MORE = """
kernel Softmax(x: f32) -> (y: f32) { t = exp(x - amax(x)); y = t/sum(t) }
kernel norms(x: f32) -> (square: f32[rows], size: f32[], total: f32[cols]) {
    square = mean(x^2)
    size = amax(abs(x))
    total = sum(x)
}
kernel gated([gate | up]: f32, scale: f32[]) -> (y: f32) { y = silu(gate)*up*scale }
kernel gated_backward = gradient gated
kernel silu(x: f32) -> (y: f32) { y = silu(x) }
kernel silu_backward = gradient silu
kernel silu_backward_backward = gradient silu_backward
kernel scaled(x: f32, s: f32[rows]) -> (y: f32) { y = gelu(x)*s }
kernel scaled_backward = gradient scaled of x
kernel both(x: f32) -> (y: f32, size: f32[rows]) { y = mish(x); size = sum(x^2) }
kernel both_backward = gradient both
kernel other_backward(x: f32, d_y: f32) -> (z: f32) { z = x + d_y }
kernel other(x: f32) -> (y: f32) { y = sin(x) }
"""
pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="there is no program `actgen` beside the library")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Makes the object of all kernels, and the two sources."""
    folder = tmp_path_factory.mktemp("operators")
    (folder / "more.act").write_text(MORE)
    outputs = ["-o", "k.o", "--torch", "torch.cpp", "--ort", "ort.c"]
    subprocess.run([PROGRAM, "compile", EXAMPLES, "more.act", *outputs], cwd=folder, check=True)
    return folder


def compiler(*names):
    found = next((path for path in map(shutil.which, names) if path), None)
    return found or pytest.skip(f"there is no compiler: {', '.join(names)}")


# The main program of a process without Python. PyTorch's own gelu has an error of some ulp.
MAIN = """
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>
int main(int, char **argv)
{
    if (!dlopen(argv[1], RTLD_NOW)) return puts(dlerror()), 1;
    auto found = c10::Dispatcher::singleton().findSchemaOrThrow("actgen::Gelu", "");
    const at::Tensor x = at::linspace(-4, 4, 1 << 18).reshape({4, -1});
    const at::Tensor y = found.typed<at::Tensor(const at::Tensor &)>().call(x);
    return (y - at::gelu(x)).abs().max().item<double>() >= 4e-6;
}
"""
IN_PYTHON = """
import sys, torch
from torch.nn import functional as f
torch.ops.load_library(sys.argv[1])
o, x, close = torch.ops.actgen, torch.randn(64, 512), lambda a, b: torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)
close(o.Gelu(x), f.gelu(x)), close(o.Mish(x.T), f.mish(x.T)), close(o.BiasGelu(x, x[0]), f.gelu(x + x[0]))
close(o.Softmax(x[:, ::2]), x[:, ::2].softmax(-1))
gate, up = x.chunk(2, -1)
close(o.gated(x, torch.tensor(2.0)), 2*f.silu(gate)*up)
square, size, total = o.norms(x)
close(square, x.square().mean(-1, keepdim=True)), close(size, x.abs().max()), close(total, x.sum(0))
long = torch.randn(3, 300001)
assert torch.equal(o.Gelu(long), torch.stack([o.Gelu(row) for row in long]))
assert o.Gelu(torch.tensor(1.0)).shape == () and o.Gelu(torch.empty(0, 3)).shape == (0, 3)
assert o.Gelu(torch.empty(2, 3, device="meta")).device.type == "meta"
def agree(own, theirs, *shapes):
    a = [torch.randn(s, requires_grad=True) for s in shapes]
    b = [t.detach().clone().requires_grad_() for t in a]
    y, z = own(*a), theirs(*b)
    d = torch.randn_like(y)
    close(y, z), y.backward(d), z.backward(d)
    for s, t in zip(a, b): close(s.grad, t.grad)
def by_halves(x, scale):
    gate, up = x.chunk(2, -1)
    return f.silu(gate)*up*scale
agree(o.silu, f.silu, (5, 64)), agree(o.silu, f.silu, ()), agree(lambda t: o.silu(t.T), lambda t: f.silu(t.T), (5, 64))
agree(o.gated, by_halves, (3, 5, 64), ()), agree(o.gated, by_halves, (5, 64), (1,))
agree(lambda t: o.both(t)[0], f.mish, (5, 64)), agree(lambda t: o.both(t)[1], lambda t: (t*t).sum(-1, keepdim=True), (5, 64))
agree(lambda t: o.scaled(t, torch.ones(5)), f.gelu, (5, 64))
t = torch.randn(4, 8, requires_grad=True)
def second(of):
    first, = torch.autograd.grad(of(t).square().sum(), t, create_graph=True)
    return torch.autograd.grad(first.sum(), t, create_graph=True)[0]
close(second(o.silu), second(f.silu))
close(*[torch.func.grad(lambda t: silu(t).sum())(t) for silu in (o.silu, f.silu)])
compiled = torch.compile(lambda t: o.silu(t)*2, fullgraph=True, backend="aot_eager")
agree(compiled, lambda t: f.silu(t)*2, (5, 64))
agree(lambda t: torch.utils.checkpoint.checkpoint(o.silu, t, use_reentrant=False), f.silu, (5, 64))
with torch.no_grad(): assert not o.silu(t).requires_grad
def twice(): y = o.silu(t).sum(); y.backward(), y.backward()
def written(): v = t*1; y = o.silu(v); v.add_(1); y.sum().backward()
wrong = {"none by s": lambda: o.scaled(t, torch.ones(4, requires_grad=True)),
         "silu_backward_backward is not implemented": lambda: second(o.silu).sum().backward(),
         "other is not implemented": lambda: o.other(t).sum().backward(),
         "no derivative in forward mode": lambda: torch.func.jvp(o.silu, (x,), (x,)),
         "a second time": twice, "modified by an inplace operation": written,
         "the tensor is Double": lambda: o.Gelu(x.double()), "bias has shape [512]": lambda: o.BiasGelu(x, x[:, 0]),
         "2 names share them": lambda: o.gated(x[:, :3], torch.tensor(1.0))}
for message, call in wrong.items():
    try: call()
    except RuntimeError as error: assert message in str(error), error
    else: raise AssertionError(message)
import actgen.torch
close(actgen.torch.activation("gelu")(x), o.Gelu(x))
agree(o.silu, f.silu, (5, 64))
try: actgen.torch.activation("silu")
except RuntimeError as error: assert "a loaded library has an operator actgen::silu" in str(error), error
else: raise AssertionError("silu")
"""


def test_pytorch_loads_the_library_with_and_without_python(sources):
    torch = pytest.importorskip("torch")
    cxx, root = compiler("c++", "g++", "clang++"), Path(torch.__path__[0])
    includes = [f"-I{root / 'include'}", f"-I{root / 'include/torch/csrc/api/include'}"]
    libraries = [f"-L{root / 'lib'}", "-Wl,--no-as-needed", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{root / 'lib'}"]
    (sources / "main.cpp").write_text(MAIN)
    shared = ["-shared", "-fPIC", "torch.cpp", "k.o", "-o", "libtorch_operators.so"]
    makers = [
        subprocess.Popen([cxx, "-std=c++20", "-Wall", *includes, *what, *libraries], cwd=sources)
        for what in (shared, ["main.cpp", "-o", "main"])
    ]
    assert [maker.wait(timeout=600) for maker in makers] == [0, 0]
    library = sources / "libtorch_operators.so"
    subprocess.run([sources / "main", library], check=True, timeout=600)
    subprocess.run([sys.executable, "-W", "ignore", "-c", IN_PYTHON, library], check=True, timeout=600)


@pytest.fixture(scope="module")
def session(sources):
    """Returns a function that makes a session of one node, with the library for a domain of its own or for another one."""
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    include = os.environ.get("ACTGEN_ORT_INCLUDE")
    if not include:
        pytest.skip("ACTGEN_ORT_INCLUDE does not name the folder of onnxruntime_c_api.h")
    command = [compiler("cc", "gcc", "clang"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC"]
    for library, domain in (("libactgen.so", "actgen"), ("libonnx.so", ""), ("libmicrosoft.so", "com.microsoft")):
        define = f'-DACTGEN_ORT_DOMAIN="{domain}"'
        subprocess.run([*command, define, "ort.c", "k.o", "-o", library, f"-I{include}"], cwd=sources, check=True)

    def make(name, inputs="x", results="y", domain="actgen", library="libactgen.so", **attributes):
        values = [
            [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in side.split()]
            for side in (inputs, results)
        ]
        node = onnx.helper.make_node(name, inputs.split(), results.split(), domain=domain, **attributes)
        graph = onnx.helper.make_graph([node], "graph", *values)
        opsets = [onnx.helper.make_opsetid(d, v) for d, v in (("", 20), ("actgen", 1), ("com.microsoft", 1))]
        model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)
        options = runtime.SessionOptions()
        options.log_severity_level = 4  # the errors that are tested
        options.register_custom_ops_library(str(sources / library))
        made = runtime.InferenceSession(model.SerializeToString(), options)
        return lambda *arrays: made.run(None, dict(zip(inputs.split(), arrays, strict=True)))

    return make


OWN = {  # ONNX Runtime's operators for the same
    "Gelu": ("Gelu", "", {}),
    "FastGelu": ("FastGelu", "com.microsoft", {}),
    "QuickGelu": ("QuickGelu", "com.microsoft", {"alpha": 1.702}),
    "Swish": ("QuickGelu", "com.microsoft", {"alpha": 1.0}),
    "Mish": ("Mish", "", {}),
    "BiasGelu": ("BiasGelu", "com.microsoft", {}),
}


@pytest.mark.parametrize("name", OWN)
def test_onnx_runtime_keeps_the_bounds(session, name):
    """The results equal those of the kernel's reference within 3 ulp, and ONNX Runtime's own within its error."""
    own, domain, attributes = OWN[name]
    inputs = "x bias" if name == "BiasGelu" else "x"
    x = np.linspace(-9, 9, 40001, dtype=np.float32)[None]
    arrays = [x, np.zeros(x.size, np.float32)][: len(inputs.split())]
    (y,), (theirs,) = session(name, inputs)(*arrays), session(own, inputs, domain=domain, **attributes)(*arrays)
    assert np.allclose(y, theirs, rtol=1e-5, atol=2e-6)
    kernel = actgen.load(EXAMPLES, name)
    for i in range(0, x.size, 97):
        wanted = kernel.reference(*(float(a.flat[i]) for a in arrays))
        assert abs(float(y.flat[i]) - wanted) <= 3 * np.spacing(np.float32(abs(wanted)))


def test_onnx_runtime_takes_all_shapes(session):
    x = np.random.default_rng(1).normal(0, 2, (64, 2048)).astype(np.float32)
    square, size, total = session("norms", results="square size total")(x)
    assert square.shape == (64, 1) and size.shape == () and np.allclose(total, x.sum(0), atol=1e-3)
    assert np.allclose(square[:, 0], (x**2).mean(1), rtol=1e-5) and size == abs(x).max()
    (y,) = session("gated", "x scale")(x, np.array(2, np.float32))
    assert np.allclose(y, 2 * x[:, 1024:] * x[:, :1024] / (1 + np.exp(-x[:, :1024])), atol=1e-4)
    (y,) = session("Softmax")(x)
    assert np.allclose(y.sum(-1), 1, atol=1e-5)
    gelu = session("Gelu")
    (y,) = gelu(np.tile(x, (8, 1)))  # long enough for the threads of the session
    assert np.array_equal(y[:64], gelu(x)[0]) and np.array_equal(y[-64:], y[:64])
    assert gelu(np.array(1, np.float32))[0].shape == () and gelu(np.zeros((0, 3), np.float32))[0].shape == (0, 3)
    with pytest.raises(Exception, match="shape of the others"):
        session("BiasGelu", "x bias")(x, np.zeros(3, np.float32))


@pytest.mark.parametrize(
    ("name", "library", "attributes", "wrong"),
    [
        ("Gelu", "libonnx.so", {"approximate": "none"}, {"approximate": "tanh"}),
        ("Mish", "libonnx.so", {}, {"alpha": 2.0}),
        ("FastGelu", "libmicrosoft.so", {}, {"approximate": "something longer than the buffer"}),
        ("QuickGelu", "libmicrosoft.so", {"alpha": 1.702}, {"alpha": 1.0}),
    ],
)
def test_the_library_may_replace_operators_of_models(session, name, library, attributes, wrong):
    x = np.linspace(-9, 9, 1001, dtype=np.float32)
    domain = "" if library == "libonnx.so" else "com.microsoft"
    (replaced,) = session(name, domain=domain, library=library, **attributes)(x)
    assert np.array_equal(replaced, session(name)(x)[0])
    assert not np.array_equal(replaced, session(name, domain=domain, **attributes)(x)[0])
    with pytest.raises(Exception, match="is not what the kernel computes"):
        session(name, domain=domain, library=library, **wrong)
