"""Tests operators on CUDA tensors. They are skipped where there is no GPU."""

import pytest

import actgen

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU", allow_module_level=True)
pytest.importorskip("actgen.torch")

TYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]


def differences(mine, other):
    """Returns how many elements differ. NaNs are equal."""
    mine, other = mine.cpu(), other.cpu()
    return int(((mine != other) & ~(mine.isnan() & other.isnan())).sum())


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", ["gelu", "silu", "mish", "softmax", "log_softmax", "swiglu"])
def test_a_portable_kernel_has_the_bits_of_the_cpu(name, dtype):
    if dtype == torch.float64 and "softmax" in name:
        pytest.skip("softmax has no float64")
    kernel = actgen.compile(name, dtype=dtype, profile="portable")
    operator = actgen.torch.as_torch(kernel)
    for shape in [(3, 259), (7, 64), (1, 1), (0, 5), (2, 3, 4)]:
        inputs = [3 * torch.randn(shape, dtype=dtype) for _ in kernel.input_groups]
        assert differences(operator(*[x.cuda() for x in inputs]), operator(*inputs)) == 0


def test_gradients_are_computed_on_the_gpu():
    gelu = actgen.torch.activation("gelu")
    x = torch.randn(50, 33, dtype=torch.float32)
    there = x.cuda().requires_grad_()
    here = x.clone().requires_grad_()
    gelu(there).sum().backward()
    gelu(here).sum().backward()
    assert there.grad.is_cuda
    assert torch.allclose(there.grad.cpu(), here.grad, rtol=1e-6, atol=1e-6)


def test_strides_streams_and_broadcast_operands():
    operator = actgen.torch.as_torch(
        actgen.compile(spec="kernel k(x: f32, b: f32[cols], s: f32[]) -> (y: f32) { y = silu(s*x + b) }")
    )
    x, b = torch.randn(40, 30).cuda().t(), torch.randn(40).cuda()
    with torch.cuda.stream(torch.cuda.Stream()):
        y = operator(x, b, torch.tensor(0.5))
    torch.cuda.synchronize()
    assert torch.allclose(y, torch.nn.functional.silu(0.5 * x + b), rtol=1e-5, atol=1e-6)


def test_what_gpus_do_not_have_runs_as_operators_of_pytorch():
    total = actgen.torch.as_torch(actgen.compile(spec="kernel t(x: f32) -> (y: f32[cols]) { y = sum(x) }"))
    x = torch.randn(5, 7).cuda()
    assert torch.allclose(total(x), x.sum(0), rtol=1e-5, atol=1e-5)


def test_small_integers_are_rounded():
    operator = actgen.torch.as_torch(
        actgen.compile(spec="kernel k(x: f32, w: f64) -> (u: u8, i: i8) { u = i8(x)*w\n i = x }")
    )
    x = torch.tensor([1e-45, 1.5, -3.0, 200.0, float("nan"), float("inf")])
    w = torch.full((6,), 7e27, dtype=torch.float64)
    for mine, other in zip(operator(x.cuda(), w.cuda()), operator(x, w), strict=True):
        assert differences(mine.float(), other.float()) == 0
