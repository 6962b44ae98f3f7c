"""Tests that exceptions of public functions show few frames of the package, whatever the wrong input is."""

import inspect
import pathlib
import traceback

import numpy as np
import pytest

import actgen

FOLDER = str(pathlib.Path(actgen.__file__).parent)
MOST = 3  # the most frames of the package in what Python prints
X = np.ones((2, 4), np.float32)
GELU, SWIGLU = actgen.compile("gelu"), actgen.compile("swiglu")
SCALED = actgen.compile(spec="kernel k(x: f32, s: f32[rows, cols/32]) -> (y: f32) { y = x*s }")  # no operator


@actgen.jit
def swish(x, beta):
    return x * actgen.sigmoid(beta * x)


def _raise(*_given):
    raise ZeroDivisionError


# For each public function of the package, wrong calls of it.
WRONG = {
    "compile": [
        lambda: actgen.compile("gleu"),
        lambda: actgen.compile("quick-gelu"),
        lambda: actgen.compile(formula="x +"),
        lambda: actgen.compile(spec="kernel k(x: f32) -> (y: f32) { y = z }"),
        lambda: actgen.compile("gelu", accuracy="3 ulps"),
        lambda: actgen.compile("gelu", isa="z80"),
        lambda: actgen.compile("gelu", dtype="float31"),
        lambda: actgen.compile("gelu", time_limit="3"),
        lambda: actgen.compile("gelu", threads=0),
        lambda: actgen.compile(formula="x*sigmoid(1.7234*x)", progress=_raise),
    ],
    "jit": [
        lambda: actgen.jit("gelu"),
        lambda: actgen.jit(lambda x: x if x > 0 else 0),
        lambda: actgen.jit(lambda x: x + "1"),
        lambda: actgen.jit(lambda x: np.sort(x)),
        lambda: actgen.jit(dtype="float32")(lambda x: None),
        lambda: actgen.jit(lambda x: actgen.where(True, x, 0)),
    ],
    "keep_memory": [lambda: actgen.keep_memory("1G")],
    "load": [lambda: actgen.load("/no/such.act")],
    "runs_here": [lambda: actgen.runs_here(None)],
    "verify": [lambda: actgen.verify(np.tanh, "tahn"), lambda: actgen.verify(_raise, "tanh")],
    "where": [lambda: actgen.where(True, 1, 2)],
    "Kernel.__call__": [
        lambda: GELU(X.astype(np.int64)),
        lambda: GELU(X.astype(float)),
        lambda: GELU("x"),
        lambda: GELU(X, X),
        lambda: GELU(y=X),
        lambda: GELU(X, threads="2"),
        lambda: GELU(X, out=np.empty((3, 4), np.float32)),
        lambda: GELU(X, out=np.empty((2, 4))),
        lambda: GELU(np.broadcast_to(X, (3, 2, 4)), out=np.broadcast_to(X, (3, 2, 4))),
        lambda: SWIGLU(X, X[:1]),
        lambda: actgen.compile("softmax")(X[:, ::2], out=X[:, 1::2]),
    ],
    "Kernel.interpret": [lambda: GELU.interpret(X.astype(int))],
    "Kernel.gradient": [lambda: GELU.gradient("z"), lambda: actgen.compile("softmax").gradient("z").gradient("q")],
    "Kernel.emit": [
        lambda: GELU.emit("wasm"),
        lambda: GELU.emit(prefix="1"),
        lambda: GELU.emit(format="pe"),
        lambda: GELU.emit("c", style="C"),
    ],
    "Kernel.show": [lambda: GELU.show("llvm")],
    "Kernel.reference": [lambda: GELU.reference(1.0, 2.0), lambda: GELU.reference(1.0, result=4)],
    "Kernel.remade": [lambda: GELU.remade("kernel"), lambda: GELU.remade(GELU.spec, "other")],
    "Kernel.remade_for": [lambda: GELU.remade_for("foo")],
    "Kernel.verify": [
        lambda: actgen.compile("gelu", dtype="float64").verify(exhaustive=True),
        lambda: GELU.verify(of=1),
    ],
    "Kernel.plot": [lambda: SWIGLU.plot()],
    "Kernel.address": [lambda: actgen.compile("gelu", dtype="bfloat16").address],
    "Kernel.ctypes": [lambda: actgen.compile("gelu", dtype="bfloat16").ctypes],
    "Jitted.__call__": [
        lambda: swish(X),
        lambda: swish(X, np.ones(3, np.float32)),
        lambda: swish(X, X.astype(np.int64)),
        lambda: swish(X, X[:, :3]),
        lambda: actgen.jit(lambda x: actgen.exp(x) - 1 / 0.3**x, accuracy="0.01 ulp")(X),
    ],
    "Jitted.compile": [lambda: swish.compile("f31", "f32"), lambda: swish.compile("f32")],
    "Jitted.spec": [lambda: swish.spec("f32[")],
    "Jitted.kernel": [lambda: actgen.jit(lambda x: x, accuracy="3 ulps").kernel],
}
# What cannot be called wrongly, and what no user makes.
SAFE = {
    "Builtin",
    "Certificate",
    "Kernel",
    "Operand",
    "Report",
    "builtins",
    "cache_directory",
    "functions",
    "isas",
    "list",
}
SAFE_METHODS = {"asm", "certificate", "groups", "identity", "recipe", "run_usual", "run_views", "spec"}
SAFE_METHODS |= {"widened", "is_widened", "derived_names"}  # for operators


def own_frames(error):
    """Returns the frames of the package in what Python prints, of causes as well."""
    lines = traceback.format_exception(error)
    return [line.split("\n")[0].strip() for line in lines if line.strip().startswith(f'File "{FOLDER}')]


def raised_by(call):
    with pytest.raises(Exception) as caught:  # noqa: B017 - each call has its own
        call()
    return caught.value


def _is_error(found):
    return isinstance(found, type) and issubclass(found, Exception)


def test_every_public_function_has_wrong_calls():
    public = {
        name for name in actgen.__all__ if callable(getattr(actgen, name)) and not _is_error(getattr(actgen, name))
    }
    assert public - SAFE == {name for name in WRONG if "." not in name}
    methods = {name for name, _ in inspect.getmembers(actgen.Kernel) if not name.startswith("_")}
    assert methods - SAFE_METHODS == {name[7:] for name in WRONG if name.startswith("Kernel.") and "__" not in name}


@pytest.mark.parametrize("name", WRONG)
def test_tracebacks_are_short(name):
    for call in WRONG[name]:
        error = raised_by(call)
        found = own_frames(error)
        assert 0 < len(found) <= MOST, "\n".join(traceback.format_exception(error))


def test_frames_of_users_stay():
    def slope(x):
        return x if x > 0 else 0

    error = raised_by(lambda: actgen.jit(slope))
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert "slope" in names and names.count("public") == 1


def test_causes_stay():
    def broken(x):
        try:
            raise KeyError("inner")
        except KeyError as inner:
            raise ValueError("outer") from inner

    error = raised_by(lambda: actgen.jit(broken))
    assert isinstance(error, ValueError) and isinstance(error.__cause__, KeyError)
    assert "broken" in [frame.name for frame in traceback.extract_tb(error.__cause__.__traceback__)]


def test_tracebacks_of_pytorch_are_short():
    torch = pytest.importorskip("torch")
    import actgen.torch as at

    x = torch.ones(2, 4)
    wrong = x.to(torch.int32)
    gelu, packed = at.activation("gelu"), at.activation("swiglu", packed=True)
    model = torch.nn.Sequential(torch.nn.GELU())
    at.replace(model)
    own = at.as_torch(GELU)
    calls = {
        "Operator": [
            lambda: own(wrong),
            lambda: own(X),
            lambda: own(x, x),
            lambda: own(wrong.double().requires_grad_()),
            lambda: at.as_torch(actgen.compile("rmsnorm"))(x, torch.ones(3), 1e-5),
            lambda: own.kernel(torch.float64),
        ],
        "Activation": [
            lambda: gelu(wrong),
            lambda: gelu(X),
            lambda: gelu(x, x),
            lambda: packed(torch.ones(2, 3)),
            lambda: at.activation("swiglu")(x, torch.ones(2, 3, requires_grad=True)),
            lambda: at.activation("gelu", inplace=True)(wrong),
            lambda: at.activation("swiglu", inplace=True)(x.clone().requires_grad_(), x[:1]),
            lambda: gelu(wrong.to_sparse()),
        ],
        "activation": [
            lambda: at.activation("gleu"),
            lambda: at.activation(torch.nn.GELU()),
            lambda: at.activation("gelu", packed=True),
            lambda: at.activation("swiglu", packed=True, interleaved=True),
            lambda: at.activation("swish", trainable={"beto": 1.0}),
            lambda: at.activation(formula="x +"),
        ],
        "as_torch": [lambda: at.as_torch("gelu"), lambda: at.as_torch(SCALED)],
        "decompositions": [],
        "layer_norm": [lambda: at.layer_norm(torch.nn.LayerNorm((2, 3)))],
        "onnx_translations": [],
        "register_saved": [lambda: at.register_saved("/no/such.pt2")],
        "replace": [
            lambda: at.replace(model, {3: "gelu"}),
            lambda: at.replace(torch.nn.GELU(), {torch.nn.GELU: "gleu"}),
        ],
        "replaced": [lambda: model(wrong), lambda: model(X)],
        "saved_spec": [lambda: at.saved_spec("/no/such.pt2")],
    }
    kept = {"DEFAULTS", "Kept", "Replacement", "Replacements"}
    assert set(at.__all__) - kept == set(calls) - {"replaced"}
    for name, wrong_calls in calls.items():
        for call in wrong_calls:
            error = raised_by(call)
            assert len(own_frames(error)) <= MOST, name + "\n" + "".join(traceback.format_exception(error))


def test_tracebacks_of_jax_are_short():
    jax = pytest.importorskip("jax")
    import actgen.jax as aj

    x = jax.numpy.ones((2, 4))
    gelu, own = aj.activation("gelu"), aj.as_jax(GELU)
    for call in (
        lambda: aj.as_jax([GELU]),
        lambda: aj.as_jax(SCALED),
        lambda: aj.activation("gleu")(x),
        lambda: gelu(x.astype("int32")),
        lambda: own(x, x),
        lambda: own(x.astype("int32")),
        lambda: jax.jit(own)(x.astype("float16")),
        lambda: jax.grad(own)(x),
        lambda: aj.as_jax(SWIGLU)(x, x[:, :3]),
    ):
        error = raised_by(call)
        assert len(own_frames(error)) <= MOST, "".join(traceback.format_exception(error))
