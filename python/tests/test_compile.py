"""Tests how text becomes kernels, the properties of kernels, and refusals."""

import copy
import pickle

import numpy as np
import pytest

import actgen
from actgen import _compile


def test_ways_to_make_a_kernel(tmp_path):
    file = tmp_path / "gate.act"
    file.write_text("kernel a(x: f32) -> (y: f32) { y = silu(x) }\nkernel b(x: f64) -> (y: f64) { y = tanh(x) }\n")
    assert actgen.compile("gelu", dtype="bfloat16").operands[0].dtype == "bfloat16"
    assert actgen.compile(formula="x*sigmoid(1.7*x)").name == "expression"
    assert actgen.compile(formula="mine = x*tanh(x)", dtype=np.float64).operands[1] == (
        "y", "float64", "[rows, cols]", "separate", True, 1, 1)  # fmt: skip
    assert actgen.compile(spec=file.read_text(), kernel="b").name == "b"
    assert actgen.load(file, "a").name == "a"
    assert "silu" in {b.name for b in actgen.list()}
    assert actgen.runs_here("x86-64") and "avx2" in actgen.isas()


@pytest.mark.parametrize("kind", ["f32", "float32", np.float32, np.dtype("float32")])
def test_names_of_types(kind):
    assert actgen.compile("relu", dtype=kind).operands[0].dtype == "float32"


def test_a_profile_has_the_same_bits_everywhere(values):
    kernels = [
        actgen.compile("gelu", profile="portable-nofma", isa=isa) for isa in actgen.isas() if actgen.runs_here(isa)
    ]
    assert {k.certificate.profile for k in kernels} == {"portable-nofma"}
    assert len({k(values).tobytes() for k in kernels}) == 1
    assert kernels[0].gradient().certificate.profile == "portable-nofma"
    assert kernels[0].identity != actgen.compile("gelu", isa=kernels[0].isa).identity
    with pytest.raises(actgen.Error, match="profile"):
        actgen.compile("gelu", profile="mine")


def test_a_kernel_tells_what_it_is(gelu):
    certificate = gelu.certificate
    assert gelu.accuracy == certificate.accuracy == "3 ulp" and gelu.plan == certificate.plan
    assert 1 < certificate.max_ulp <= 3 and certificate.is_whole and certificate.inputs > 1000
    assert "normcdf" in gelu.spec and ".text" in gelu.asm() and "define" in gelu.show("ir")
    assert "gelu" in gelu.emit("header").decode() and gelu.emit()[1:4] == b"ELF"
    html = gelu._repr_html_()
    assert "3 ulp" in html and "normcdf" in html and html.startswith("<table>")
    assert repr(gelu).startswith("<kernel gelu(x: float32) -> (y: float32), 3 ulp, ")
    assert gelu.reference(1.0) == pytest.approx(0.841344746068543, rel=1e-15)


def test_what_is_proved_is_in_the_certificate():
    bound = 2.0**-40
    told = actgen.compile("tanh", dtype="float64", accuracy="abs 2^-40", prove=True).certificate
    assert told.proved_intervals > 100 and 0 < told.proved_seen <= told.proved_abs <= bound and told.proved_ulp == 0
    measured = actgen.compile("tanh", dtype="float64", accuracy="abs 2^-40").certificate
    assert measured.proved_intervals == measured.proved_abs == measured.proved_ulp == measured.proved_seen == 0
    assert actgen.compile("relu", prove=True).certificate.exhaustive


def test_errors_point_at_the_place():
    with pytest.raises(actgen.SpecError) as raised:
        actgen.compile(formula="x*sigmod(x)")
    assert str(raised.value).splitlines()[1:] == ["    1 | x*sigmod(x)", "      |   ^~~~~~"]
    assert (raised.value.line, raised.value.column) == (1, 3) and "sigmoid" in raised.value.message
    with pytest.raises(actgen.SpecError, match=r"<accuracy>:1:3: error") as raised:
        actgen.compile("gelu", accuracy="3 ulps")
    assert raised.value.source == "3 ulps"
    with pytest.raises(actgen.SpecError, match=r"^gate\.act:2:9: error") as raised:
        actgen.compile(spec="kernel k(x: f32) -> (y: f32) {\n    y = gleu(x)\n}\n", file="gate.act")


def test_what_is_refused_has_its_class():
    for problem, call in {
        actgen.ArgumentError: lambda: actgen.compile("geluu"),
        actgen.TargetError: lambda: actgen.compile("gelu", isa="avx1024"),
        actgen.AccuracyError: lambda: actgen.compile("gelu", dtype="f64", accuracy="0.5 ulp"),
        actgen.NotYetError: lambda: actgen.compile(spec="kernel k(x: f32) -> (y: f32) { y = x * cols }"),
    }.items():
        with pytest.raises(problem):
            call()
    for arguments in ({}, {"name": "gelu", "formula": "x"}, {"spec": "", "dtype": "f32"}):
        with pytest.raises(TypeError):
            actgen.compile(**arguments)
    for options, message in (
        ({"name": "gelu", "accuracy": 3}, 'accuracy is a text, such as "3 ulp"'),
        ({"formula": abs}, "formula is a text"),
        ({"name": 7}, "name is a text, and not 7"),
    ):
        with pytest.raises(TypeError, match=message):
            actgen.compile(**options)
    for name in ("x*sigmoid(x)", "gate.act"):
        with pytest.raises(
            actgen.ArgumentError, match=r"is no name of a built-in; a formula is given by formula=.*load"
        ):
            actgen.compile(name)
    with pytest.raises(actgen.TargetError, match="`avx-512` .did you mean `avx512`.*; those are: avx512, avx2, x86-64"):
        actgen.compile("gelu", isa="avx-512")
    with pytest.raises(actgen.TargetError, match="unknown profile `portible` .did you mean `portable`"):
        actgen.compile("gelu", profile="portible")
    with pytest.raises(ValueError, match="float32, float64, float16, bfloat16"):
        actgen.compile("gelu", dtype="string")
    for dtype, advice in (
        ("half", "write `f16`"),
        (int, "write `i32`, which only inputs have, or `f64`"),
        ("fp8", "write `e4m3`"),
    ):
        with pytest.raises(ValueError, match=advice):
            actgen.compile("gelu", dtype=dtype)
    with pytest.raises(NotImplementedError, match="not all operands can be i32 yet; there are f64, f32"):
        actgen.compile("gelu", dtype="int32")
    for name, advice in ("quick-gelu", "did you mean `quick_gelu`"), ("fast_gelu", r"write `gelu_tanh\(x\)`"):
        with pytest.raises(actgen.ArgumentError, match=advice):
            actgen.compile(name)


def test_gradient(gelu, geglu_packed):
    x = np.linspace(-3, 3, 101)
    slope = actgen.compile("gelu", dtype="f64").gradient()
    step = 1e-6
    f = actgen.compile("gelu", dtype="f64")
    assert np.allclose(slope(x, np.ones_like(x)), (f(x + step) - f(x - step)) / (2 * step), atol=1e-8)
    assert [g.name for g in geglu_packed.gradient().groups] == ["gate_up", "d_y", "d_gate_d_up"]
    assert [g.name for g in geglu_packed.gradient("up").groups] == ["gate_up", "d_y", "d_up"]
    with pytest.raises(actgen.Error, match="nothing"):
        geglu_packed.gradient("nothing")


@pytest.mark.parametrize("order", [2, 3])
def test_gradients_of_all_built_ins_have_names_to_any_order(order):
    """A gradient is an input of the next one. Two operands had one name."""
    for builtin in actgen.builtins():
        kernel = actgen.compile(builtin.name, tier="interpreter")
        text, name = kernel.spec, kernel.recipe["kernel"]
        if any(o.dtype in ("uint64", "bits") for o in kernel.operands) or "sum(" in text or "amax(" in text:
            continue  # a third derivative has more sums than a kernel may have
        if builtin.name in ("digamma", "trigamma") or (order > 2 and builtin.name in ("lgamma", "gammaln")):
            continue  # trigamma, the second derivative of lgamma, has no gradient
        for _ in range(order):
            text += f"\nkernel {name}_backward = gradient {name}"
            name += "_backward"
        _compile._parse(None, None, text, None, None)


@pytest.mark.parametrize("name", ["softplus", "tanh", "exp"])
def test_kernels_of_elementary_functions_are_made_again(name, values):
    """The language reserves the names of elementary functions."""
    kernel = actgen.compile(name)
    assert np.array_equal(pickle.loads(pickle.dumps(kernel))(values), kernel(values))
    gradient, x = kernel.gradient(), np.float32(0.25)
    slope = {"softplus": 1 / (1 + np.exp(-x)), "tanh": 1 - np.tanh(x) ** 2, "exp": np.exp(x)}[name]
    assert gradient.name == f"{name}_backward" and abs(gradient(x, np.float32(2)) - 2 * slope) < 1e-6


def test_a_kernel_is_pickled_as_its_text(geglu_packed, values):
    again = pickle.loads(pickle.dumps(geglu_packed))
    assert again.spec == geglu_packed.spec and copy.deepcopy(geglu_packed) is geglu_packed
    packed = values[..., :36].copy()
    assert np.array_equal(again(packed), geglu_packed(packed))


def test_verify(gelu):
    told = []
    report = gelu.verify(progress=lambda done, worst: told.append((done, worst)))
    assert report and report.ok and report.done == 1 and report.wrong == report.undecided == report.bits_differ == 0
    assert 1 < report.max_ulp <= 3 and report.inputs > 2**22 and told and 0 <= told[0][0] <= 1


@pytest.mark.parametrize("name, options", [("gelu", {}), ("silu", {}), ("swiglu", {}), ("tanh", {"dtype": "float64"})])
def test_a_sample_has_the_worst_input_of_planning(name, options):
    kernel = actgen.compile(name, **options)
    planned, found = kernel.certificate, kernel.verify()
    assert found.max_ulp >= planned.max_ulp and found.max_abs >= planned.max_abs


def test_progress_is_told_in_values_of_python():
    told = []
    actgen.compile(formula="x*sigmoid(1.8125*x)", progress=lambda *state: told.append(state))
    assert told and all(type(done) is float and type(what) is str for done, what in told)


def test_what_progress_raises_stops_the_work(gelu):
    def interrupt(done, worst):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gelu.verify(progress=interrupt)


def test_bars(gelu, capsys):
    pytest.importorskip("tqdm")
    assert gelu.verify(progress=True)
    assert "verify gelu" in capsys.readouterr().err


def test_plot(gelu):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    figure = gelu.plot(points=201)
    above, below = figure.axes
    assert {line.get_label() for line in above.lines} >= {"gelu", "derivative"}
    errors = below.lines[0].get_ydata()
    assert 0 < errors.max() <= 3
    with pytest.raises(ValueError, match="one operand"):
        actgen.compile("swiglu").plot()


def test_limits_end_a_compilation():
    formula = "sin(3*x + 1)*exp(x/7) + tanh(x)"
    with pytest.raises(actgen.LimitError, match=r"within 0\.05 s"):
        actgen.compile(formula=formula, accuracy="0.5 ulp", time_limit=0.05)
    with pytest.raises(actgen.LimitError, match="100000 bytes"):
        actgen.compile(formula="tanh(1.03125*x)", memory_limit=100_000)
