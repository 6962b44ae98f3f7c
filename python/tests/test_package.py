"""Tests what a source distribution, a wheel and an editable installation are made of."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]
IN_EDITABLE = """
import importlib.util, sys
init, built = sys.argv[1:]
folders = [init.rpartition("/")[0], built]
spec = importlib.util.spec_from_file_location("actgen", init, submodule_search_locations=folders)
actgen = sys.modules["actgen"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(actgen)
from actgen import _library
print(_library.library_path())
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Returns the source distribution as a dict of its files."""
    needed = ("scikit_build_core", "hatch_fancy_pypi_readme")
    if any(importlib.util.find_spec(name) is None for name in needed) or not (FOLDER / "pyproject.toml").exists():
        pytest.skip(f"not installed: {' or '.join(needed)}")
    made = tmp_path_factory.mktemp("sources")
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(made)], check=True, cwd=FOLDER, stdout=subprocess.DEVNULL)
    with tarfile.open(next(made.glob("actgen-*.tar.gz"))) as archive:
        return {m.name.partition("/")[2]: archive.extractfile(m).read() for m in archive if m.isfile()}


def test_source_distribution_has_what_a_build_reads(sources):
    root = FOLDER.parent
    for folder in ("src", "include", "cmake", "templates", "plans", "kernels"):
        files = [path.relative_to(root) for path in (root / folder).rglob("*") if path.is_file()]
        assert len(files) > 1
        assert [str(path) for path in files if f"repository/{path}" not in sources] == []
    assert "repository/CMakeLists.txt" in sources
    assert {"CMakeLists.txt", "native/module.c", "actgen/__init__.py", "include/actgen.h"} <= set(sources)


def test_description_and_licences(sources):
    head, _, description = sources["PKG-INFO"].decode().partition("\n\n")
    assert re.findall(r"\]\((?!https?://)[^)]*\)", description) == []  # links to files that the index lacks
    assert "[" not in head  # no mark of the substitution
    named = re.findall(r"^License-File: (.*)$", head, re.MULTILINE)
    assert set(named) <= set(sources) and {"LICENSE", "LICENSE-EXCEPTION", "LIBRARIES.md"} <= set(named)
    table = sources["LIBRARIES.md"].decode()
    for name in re.findall(r"^\| [^|]*`lib[^|]*\| [^|]*\| ([^|]*?) \|", table, re.MULTILINE):
        licences = re.findall(r"(?:L?GPL-[0-9.]*[0-9]|BSD-[23]-Clause|Apache-2.0 WITH LLVM|Zlib)", name)
        texts = [_TEXTS.get(licence, f"licenses/{licence}.txt") for licence in licences]
        assert texts and set(texts) <= set(named), name


_TEXTS = {
    "BSD-2-Clause": "licenses/xxhash.txt",
    "BSD-3-Clause": "licenses/zstd.txt",
    "Apache-2.0 WITH LLVM": "licenses/LLVM.txt",
    "Zlib": "licenses/zlib.txt",
}


def test_licences_say_what_they_are_named():
    for path in (FOLDER / "licenses").glob("*GPL*.txt"):
        kind, _, version = path.stem.partition("-")
        text = " ".join(path.read_text(encoding="utf-8").split()[:40])
        title = "GNU LESSER GENERAL PUBLIC LICENSE" if kind == "LGPL" else "GNU GENERAL PUBLIC LICENSE"
        assert text.startswith(f"{title} Version {version.removesuffix('.0')}"), path


def test_editable_installation_finds_what_was_built(tmp_path):
    """The modules of an editable installation lie in the source, and what was built in another folder of the package."""
    from actgen import __file__ as init
    from actgen._library import library_path

    built = tmp_path / "actgen"
    built.mkdir()
    (built / "libactgen.so").symlink_to(library_path())
    source = tmp_path / "source"
    shutil.copytree(Path(init).parent, source, ignore=shutil.ignore_patterns("lib*.so*"))
    shutil.copytree(FOLDER.parent / "include", source / "include", dirs_exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if name not in ("ACTGEN_LIBRARY", "PYTHONPATH")}
    made = [sys.executable, "-c", IN_EDITABLE, str(source / "__init__.py"), str(built)]
    found = subprocess.run(made, check=True, cwd=tmp_path, env=environment, capture_output=True, text=True).stdout
    assert found.strip() == str(built / "libactgen.so")
