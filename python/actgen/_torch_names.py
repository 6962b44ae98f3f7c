"""Names operators so that another process can make them again: a name has all that its operator is made from.

`actgen::gelu` is a built-in alone. Other names end in `__` and a code. Operators of gradients add `_backward` to a name.
"""

import base64
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

# Frequent texts, by which codes become shorter. A change here changes the names.
_WORDS = (
    b'"interleaved": true"gate_second": true"packed": true"parametrized": ["gate_of": "abs 2^-3 ulp"isa": "'
    b'"accuracy": "{"name": "{"formula": "x*sigmoid(tanh(exp(erf(softplus(1/sqrt(2*pi)*(1 + log(min(max(x, -'
    b'[cols], [rows], if x > 0 then x else {"kernel": "", "spec": "kernel (gate: f32, up: bf16)'
    b"(x: f64) -> (y: f32) {\\n    t1 = \\n    y = "
)
_NAME = re.compile(r"(?P<label>\w*?)(?:__(?P<code>[a-z2-7]{4,}))?(?P<backward>(?:_backward(?:_sums|_wide|_push)?)*)")
_STEP = re.compile(r"_backward(_sums|_wide|_push)?")


def encoded(label: str, what: dict[str, Any]) -> str:
    """Returns the name of the operator that is made from `what`, which JSON can hold. `label` is for readers."""
    if what == {"name": label}:
        return label
    shrink = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=_WORDS)
    packed = shrink.compress(json.dumps(what, sort_keys=True).encode()) + shrink.flush()
    return f"{label}__{base64.b32encode(packed).decode().rstrip('=').lower()}"


def decoded(name: str) -> tuple[dict[str, Any], list[str]] | None:
    """Returns what an operator is made from, and the kinds of gradients that follow. Returns None for other names."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    steps = [kind or "" for kind in _STEP.findall(found["backward"])]
    if found["code"] is None:
        return {"name": found["label"]}, steps
    try:
        code = found["code"].upper()
        packed = base64.b32decode(code + "=" * (-len(code) % 8))
        told = json.loads(zlib.decompressobj(-15, zdict=_WORDS).decompress(packed))
    except (ValueError, zlib.error):
        return None
    return (told, steps) if isinstance(told, dict) else None


class Namespace(type(torch.ops.actgen)):  # type: ignore[misc] # its class has no public name
    """`torch.ops.actgen`, which makes an operator when it is asked for its name."""

    __module__ = type(torch.ops.actgen).__module__  # PyTorch writes it into saved programs
    bring_back: Callable[[str], object]

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("__") or not type(self).bring_back(name):
                raise
        return super().__getattr__(name)


def install(bring_back: Callable[[str], object]) -> None:
    """Lets `torch.ops.actgen.NAME` call `bring_back(NAME)` for names that are not registered yet."""
    Namespace.bring_back = staticmethod(bring_back)
    torch.ops.actgen.__class__ = Namespace


def names_in(file: Any) -> Iterator[str]:
    """Finds the names of operators in a file: a zip archive, as those of PyTorch are, or any other."""
    pattern = re.compile(rb"\bactgen(?:\.|::)(\w+)")
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            texts = [archive.read(entry) for entry in archive.namelist()]
    else:
        with open(file, "rb") as plain:
            texts = [plain.read()]
    for text in texts:
        yield from (found.decode() for found in dict.fromkeys(pattern.findall(text)))
