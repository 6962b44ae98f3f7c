"""The C source that `emit("c")` writes."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import actgen

PORTABLE = actgen.compile("silu", profile="portable-nofma")
MASK = actgen.compile(spec="kernel positive(x: f32) -> (y: u1) { y = step(x) }")
LOOP = '#include "{}"\nvoid loop(size_t n, const float *x, float *y) {{ silu(1, n, x, y); }}\n'


def _compiled(folder, kernel, style):
    """Returns the results of the kernel's C source, as a function of an array, or skips."""
    cc = shutil.which("cc") or pytest.skip("there is no C compiler")
    (folder / "silu.h").write_bytes(kernel.emit("c", style=style))
    (folder / "loop.c").write_text(LOOP.format("silu.h"))
    options = ["-O2", "-march=native"] if style == "intrinsics" else ["-O2"]
    subprocess.run([cc, *options, "-fPIC", "-shared", "loop.c", "-o", "loop.so", "-lm"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "loop.so"))

    def run(x):
        y = np.empty_like(x)
        library.loop(ctypes.c_size_t(x.size), ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data))
        return y

    return run


@pytest.mark.parametrize("style", [None, "scalar", "vector"])
def test_source_has_the_bits_of_the_kernel(style, tmp_path, values):
    assert (_compiled(tmp_path, PORTABLE, style)(values) == PORTABLE(values)).all()


def test_intrinsics_have_the_bits_of_the_kernel(tmp_path, values):
    isa = next((isa for isa in ("avx2", "neon") if actgen.runs_here(isa)), None) or pytest.skip("neither runs here")
    kernel = actgen.compile("silu", isa=isa)
    assert (_compiled(tmp_path, kernel, "intrinsics")(values) == kernel(values)).all()


def test_source_of_other_sets_takes_options():
    source = PORTABLE.remade_for("neon").emit("c", style="intrinsics", prefix="my_").decode()
    assert "float32x4_t my_silu_f32x4(float32x4_t x_v)" in source and "ACTGEN_GENERATED_MY_SILU_H" in source
    assert "__global__ void silu(" in PORTABLE.emit("c", style="cuda").decode()
    assert "ACTGEN_GENERATED_OWN_H" in PORTABLE.emit("c", "own.h").decode()


def test_compact_objects_are_shorter(gelu):
    assert len(gelu.emit(compact=True)) < 0.6 * len(gelu.emit())


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: PORTABLE.emit("c", style="sse"), actgen.ArgumentError, "styles are: scalar, cuda, vector, intrinsics"),
        (lambda: PORTABLE.emit("c", style=1), TypeError, "style is a text"),
        (lambda: PORTABLE.emit("c", style="cuda\0"), ValueError, "style has a NUL character"),
        (lambda: PORTABLE.emit("c", 1), TypeError, "header_name is a text"),
        (lambda: PORTABLE.emit(["c"]), ValueError, "there are 'object', 'header', 'c'"),
        (lambda: PORTABLE.emit(style="scalar"), ValueError, r'write emit\("c", style=\'scalar\'\)'),
        (lambda: PORTABLE.emit("c", abi="vector"), ValueError, "abi is for objects"),
        (lambda: PORTABLE.emit("c", format="elf"), ValueError, "format is for objects"),
        (lambda: PORTABLE.emit("c", visibility="default"), ValueError, "visibility is for objects"),
        (lambda: PORTABLE.emit("c", compact=True), ValueError, "compact is for objects"),
        (
            lambda: PORTABLE.remade_for("wasm").emit("c", style="intrinsics"),
            actgen.TargetError,
            "for wasm; that style is for: .*`scalar` are for every set",
        ),
        (lambda: MASK.emit("c", style="vector"), actgen.TargetError, "results of u1.*`scalar` has them all"),
        (lambda: actgen.compile("softmax").emit("c"), actgen.ArgumentError, "adds up over rows.* object"),
    ],
)
def test_what_has_no_source_is_refused(make, error, said):
    with pytest.raises(error, match=said):
        make()
