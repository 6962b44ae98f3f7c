"""Tests that saved programs run in another process, which only imports actgen.torch."""

import os
import subprocess
import sys

import pytest

import actgen

torch = pytest.importorskip("torch")

import actgen.torch  # noqa: E402
from actgen import _torch_names  # noqa: E402

BROADCAST = "kernel b(x: f32, s: f32[cols], h: f32[rows], g: f32[]) -> (y: f32) { y = g*silu(x*s + h) }"


class Model(torch.nn.Module):
    """A model of a built-in, a formula, a packed gate, a bound, and a kernel of a text."""

    def __init__(self):
        super().__init__()
        activation = actgen.torch.activation
        gate = activation("swiglu", packed=True, accuracy="abs 2^-20")
        self.steps = torch.nn.Sequential(activation("gelu"), activation(formula="x*sigmoid(1.7*x)"), gate)
        self.kernel = actgen.torch.as_torch(actgen.compile(spec=BROADCAST))

    def forward(self, x):
        y = self.steps(x)
        return self.kernel(y, y[0], y[:, :1], y[0, 0])


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    torch.manual_seed(1)
    folder, model, x = tmp_path_factory.mktemp("saved"), Model(), torch.randn(5, 8)
    torch.save((x, model(x)), folder / "values.pt")
    return folder, model, x


def run_elsewhere(folder, statement):
    """Runs a statement that makes `program`, in a process that has made no operator, and compares its results."""
    script = "import sys, torch, actgen.torch\nfolder = sys.argv[1]\nx, y = torch.load(folder + '/values.pt')\n"
    script += statement + "\nassert torch.equal(program(x), y)\n"
    subprocess.run([sys.executable, "-W", "ignore", "-c", script, str(folder)], check=True, timeout=600)


def test_exported_programs(saved):
    folder, model, x = saved
    program = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("n")},))
    torch.export.save(program, folder / "program.pt2")
    run_elsewhere(folder, "program = torch.export.load(folder + '/program.pt2').module()")


def test_symbolic_traces(saved):
    folder, model, _ = saved
    torch.save(torch.fx.symbolic_trace(model), folder / "traced.pt")
    run_elsewhere(folder, "program = torch.load(folder + '/traced.pt', weights_only=False)")


@pytest.mark.filterwarnings("ignore:`torch.jit:FutureWarning", "ignore::DeprecationWarning")
def test_torchscript(saved):
    folder, model, x = saved
    torch.jit.save(torch.jit.trace(model, x), folder / "script.pt")
    run_elsewhere(
        folder,
        "names = actgen.torch.register_saved(folder + '/script.pt')\nassert len(names) == 4 and 'gelu' in names\n"
        "program = torch.jit.load(folder + '/script.pt')",
    )
    gelu = actgen.torch.activation("gelu")
    torch.jit.save(torch.jit.trace(gelu, x), folder / "builtin.pt")
    torch.save((x, gelu(x)), folder / "values_of_gelu.pt")
    script = "x, y = torch.load(folder + '/values_of_gelu.pt')\nprogram = torch.jit.load(folder + '/builtin.pt')"
    run_elsewhere(folder, script)
    with pytest.raises(ValueError, match=r"of b has a name of \d+ letters.* actgen.torch.activation"):
        actgen.torch.saved_spec(folder / "script.pt")
    torch.jit.save(torch.jit.trace(model.steps, x), folder / "steps.pt")
    texts = actgen.torch.saved_spec(folder / "steps.pt")
    for step in model.steps:
        kernel = actgen.compile(spec=texts, kernel=step.operator.name)
        assert torch.equal(kernel(x), step(x)) and kernel.accuracy == step.operator.kernel(x.dtype).accuracy


@pytest.mark.skipif(
    "ACTGEN_TEST_ALL" not in os.environ, reason="AOTInductor compiles C++ for a minute: ACTGEN_TEST_ALL=1"
)
def test_aot_inductor(saved):
    folder, model, x = saved
    torch._inductor.aoti_compile_and_package(torch.export.export(model, (x,)), package_path=str(folder / "aot.pt2"))
    run_elsewhere(
        folder,
        "actgen.torch.register_saved(folder + '/aot.pt2')\n"
        "program = torch._inductor.aoti_load_package(folder + '/aot.pt2')",
    )


def test_gradients_are_found_by_their_names():
    """A joint graph of forward and backward names the operators of gradients."""
    name = actgen.torch.activation(formula="x*tanh(2*x)").operator.name + "_backward_backward"
    script = f"import torch, actgen.torch\nop = torch.ops.actgen.{name}.default\nassert len(op._schema.arguments) == 3"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=600)


def test_names():
    what = {"formula": "x*exp(-x)", "accuracy": "abs 2^-20", "packed": True, "parametrized": ["kernel", ["weight"]]}
    for label, told in (("gelu", {"name": "gelu"}), ("formula", what), ("gelu", {"name": "gelu", "accuracy": "1 ulp"})):
        name = _torch_names.encoded(label, told)
        assert name.isidentifier() and _torch_names.decoded(name) == (told, [])
        assert _torch_names.decoded(name + "_backward_sums_backward") == (told, ["_sums", ""])
    assert _torch_names.encoded("gelu", {"name": "gelu"}) == "gelu"
    assert "__" in _torch_names.encoded("gelu", {"name": "gelu", "accuracy": "1 ulp"})


@pytest.mark.parametrize("name", ["nonsense", "gelu__", "gelu__aaaa", "gelu__zzzzzzzz", "__wrapped__"])
def test_other_names_are_no_operators(name):
    assert not hasattr(torch.ops.actgen, name)
