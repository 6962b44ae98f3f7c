"""Tests operators where machine code does not run: other devices, nested and distributed tensors, exporters, autocast."""

import subprocess
import sys
import textwrap

import pytest

import actgen

torch = pytest.importorskip("torch")
from torch.nn import functional  # noqa: E402

import actgen.torch  # noqa: E402

CASES = {
    "gelu": ({"name": "gelu"}, functional.gelu, 1),
    "swiglu": ({"name": "swiglu"}, lambda a, b: functional.silu(a) * b, 2),
    "softmax": ({"name": "softmax"}, lambda a: functional.softmax(a, -1), 1),
    "packed": ({"name": "swiglu", "packed": True}, lambda a: functional.silu(a.chunk(2, -1)[0]) * a.chunk(2, -1)[1], 1),
    "formula": ({"formula": "x*tanh(exp(x/9))"}, lambda a: a * torch.tanh(torch.exp(a / 9)), 1),
}


class Model(torch.nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.activation = activation

    def forward(self, *x):
        return self.activation(*x)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(1)


@pytest.mark.parametrize("case", CASES)
def test_meta_tensors_have_shapes(case):
    what, plain, count = CASES[case]
    for dtype in (torch.float32, torch.bfloat16):
        x = [torch.empty(3, 8, device="meta", dtype=dtype, requires_grad=True) for _ in range(count)]
        y = actgen.torch.activation(**what)(*x)
        assert y.device.type == "meta" and y.dtype == dtype and y.shape == plain(*x).shape
        y.sum().backward()
        assert x[0].grad.device.type == "meta" and x[0].grad.shape == x[0].shape


@pytest.mark.parametrize("case", CASES)
def test_other_devices_have_a_kernel(case):
    operator = actgen.torch.activation(**CASES[case][0]).operator
    for key in ("CUDA", "XPU", "MPS", "PrivateUse1"):
        assert torch._C._dispatch_has_computed_kernel_for_dispatch_key(f"actgen::{operator.name}", key)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("case", CASES)
def test_cuda(case):
    what, plain, count = CASES[case]
    x = [torch.randn(3, 8, device="cuda", requires_grad=True) for _ in range(count)]
    y = actgen.torch.activation(**what)(*x)
    torch.testing.assert_close(y, plain(*x))
    for a, b in zip(*(torch.autograd.grad(r.sum(), x) for r in (y, plain(*x))), strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.jagged, torch.strided])
@pytest.mark.parametrize("case", CASES)
def test_nested_tensors(case, layout):
    what, plain, count = CASES[case]
    module, rows = actgen.torch.activation(**what), [torch.randn(n, 8) for n in (2, 5, 3)]
    nested = torch.nested.nested_tensor(rows, layout=layout, requires_grad=True)
    y = module(*[nested] * count)
    for found, row in zip(y.unbind(), rows, strict=True):
        torch.testing.assert_close(found, plain(*[row] * count))
    sum(part.sum() for part in y.unbind()).backward()
    whole = torch.cat(rows).requires_grad_()
    plain(*[whole] * count).sum().backward()
    torch.testing.assert_close(torch.cat(nested.grad.unbind()), whole.grad)
    with torch.no_grad():
        assert module(*[nested] * count).is_nested
    if count == 2 and layout == torch.jagged:
        with pytest.raises(ValueError, match="different structures"):
            module(nested, torch.nested.nested_tensor(rows[::-1], layout=layout))


def test_autocast_promotes_operands():
    gate, x = actgen.torch.activation("swiglu"), torch.randn(3, 4)
    with torch.autocast("cpu", torch.bfloat16):
        assert gate(x.bfloat16(), x).dtype == torch.float32
        assert gate(x.bfloat16(), x.half()).dtype == torch.float32
        assert gate(x.bfloat16(), x.bfloat16()).dtype == torch.bfloat16
        leaf = x.clone().requires_grad_()
        y = gate(leaf.bfloat16(), leaf)
        assert torch.equal(y, gate(x.bfloat16().float(), x))
        y.sum().backward()
    assert leaf.grad.dtype == torch.float32 and leaf.grad.abs().min() > 0
    with pytest.raises(TypeError, match="bfloat16"):
        gate(x, x.bfloat16())


ONNX = {
    "gelu": (20, ["Gelu"]),
    "gelu_tanh": (20, ["Gelu"]),
    "mish": (20, ["Mish"]),
    "softmax": (20, ["Softmax"]),
    "silu": (24, ["Swish"]),
    "gelu_sigmoid": (24, ["Swish"]),
    "swiglu": (24, ["Swish", "Mul"]),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("name", ONNX)
def test_onnx_has_its_own_operators(name, tmp_path):
    pytest.importorskip("onnxscript")
    opset, wanted = ONNX[name]
    x = tuple(torch.randn(4, 8) for _ in range(2 if name == "swiglu" else 1))
    module = actgen.torch.activation(name)
    table = actgen.torch.onnx_translations(opset)
    program = torch.onnx.export(
        Model(module).eval(), x, dynamo=True, opset_version=opset, verbose=False, custom_translation_table=table
    )
    assert [node.op_type for node in program.model.graph] == wanted
    onnxruntime = pytest.importorskip("onnxruntime")
    program.save(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    (y,) = session.run(None, {i.name: t.numpy() for i, t in zip(session.get_inputs(), x, strict=True)})
    torch.testing.assert_close(torch.from_numpy(y), module(*x))


def test_decompositions_leave_no_operator_of_actgen():
    model = torch.nn.Sequential(*[actgen.torch.activation(**what) for what, _, count in CASES.values() if count == 1])
    x = torch.randn(3, 8)
    program = torch.export.export(model, (x,))
    table = {**torch.export.default_decompositions(), **actgen.torch.decompositions()}
    program = program.run_decompositions(table)
    targets = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    assert targets and not any("actgen" in target for target in targets)
    torch.testing.assert_close(program.module()(x), model(x))


def test_executorch():
    exir = pytest.importorskip("executorch.exir")
    program = torch.export.export(Model(actgen.torch.activation("swiglu")), (torch.randn(3, 4), torch.randn(3, 4)))
    table = {**torch.export.default_decompositions(), **actgen.torch.decompositions()}
    edge = exir.to_edge(program.run_decompositions(table))
    targets = [node.target.name() for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    assert targets == ["aten::sigmoid", "aten::mul.Tensor", "aten::mul.Tensor"]
    assert edge.to_executorch().buffer[4:6] == b"ET"


DISTRIBUTED = """
    import os, sys, torch, torch.distributed, actgen.torch
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh
    from torch.distributed.tensor.debug import CommDebugMode
    store = torch.distributed.FileStore(sys.argv[1], 2)
    torch.distributed.init_process_group("gloo", store=store, rank=int(sys.argv[2]), world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    torch.manual_seed(1)
    for name, count, split in (("gelu", 1, 1), ("swiglu", 2, 1), ("softmax", 1, 0)):
        x = [torch.randn(4, 6) for _ in range(count)]
        whole = [t.clone().requires_grad_() for t in x]
        sharded = [distribute_tensor(t, mesh, [Shard(split)]).requires_grad_() for t in x]
        module = actgen.torch.activation(name)
        with CommDebugMode() as talk:
            y = module(*sharded)
            y.square().sum().backward()
        assert y.placements == (Shard(split),) and talk.get_total_counts() == 0, (name, y.placements)
        wanted = module(*whole)
        wanted.square().sum().backward()
        torch.testing.assert_close(y.full_tensor(), wanted)
        torch.testing.assert_close(sharded[0].grad.full_tensor(), whole[0].grad)
    assert module(distribute_tensor(x[0], mesh, [Shard(1)])).placements == (Replicate(),)
    torch.distributed.destroy_process_group()
"""


def test_distributed_tensors_stay_sharded(tmp_path):
    if not torch.distributed.is_available():
        pytest.skip("this PyTorch has no torch.distributed")
    script = textwrap.dedent(DISTRIBUTED)
    command = [sys.executable, "-W", "ignore", "-c", script, str(tmp_path / "store")]
    ranks = [subprocess.Popen([*command, str(rank)], stderr=subprocess.PIPE, text=True) for rank in range(2)]
    for said in [rank.communicate(timeout=300)[1] for rank in ranks]:
        assert "Error" not in said, said
    assert [rank.returncode for rank in ranks] == [0, 0]
