"""bench/python, in a short form: no contestant is lost, and actgen's errors are those it promises. Times decide nothing."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "python" / "side_by_side.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="no checkout around the tests")
def test_side_by_side(tmp_path):
    wanted = ["actgen"] + [
        name
        for name, modules in {
            "NumPy": ["scipy"],
            "numexpr": ["numexpr"],
            "ONNX Runtime": ["onnx", "onnxruntime"],
        }.items()
        if all(importlib.util.find_spec(module) for module in modules)
    ]
    file = tmp_path / "out.json"
    run = [sys.executable, str(SCRIPT)]
    some = ["--functions", "silu,swiglu", "--sizes", "1e3", "--seconds", "0", "--contestants", ",".join(wanted)]
    subprocess.run([*run, "measure", *some, "--json", str(file)], check=True, timeout=600)
    rows = json.loads(file.read_text())
    found = {row["by"] for row in rows}
    assert found == set(wanted)
    mine = [row["max ulp"] for row in rows if row["by"] == "actgen" and row["function"] == "silu"]
    assert len(mine) == 4 and all(0.4 < error <= 3 for error in mine)
    text = subprocess.run(
        [*run, "table", "--sizes", "1e3", str(file)], check=True, capture_output=True, text=True
    ).stdout
    assert "| silu, float32 |" in text and "| swiglu gradient, bfloat16 |" in text
    if importlib.util.find_spec("matplotlib"):
        picture = tmp_path / "out.svg"
        subprocess.run([*run, "picture", str(file), "-o", str(picture)], check=True, timeout=600)
        assert "<svg" in picture.read_text()
