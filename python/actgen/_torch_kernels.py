"""Compiles the kernels of activations, gates and parametrized modules, each for a dtype of PyTorch."""

import re
from typing import Any

import torch

from ._compile import compile
from ._kernel import Kernel
from ._library import type_name
from ._torch_table import What


def kernel_of_what(what: tuple[tuple[str, Any], ...], dtype: torch.dtype) -> Kernel:
    """Compiles what `activation` takes, or what a table of `replace` means, for the dtype of the first tensor."""
    options = {key: value for key, value in what if value is not None}
    if "parametrized" in options:
        spec = options.pop("parametrized").spec.replace("EPS", repr(torch.finfo(dtype).eps))
        return compile(spec=re.sub(r"\bT\b", type_name(dtype), spec), **options)
    if "gate_of" in options:
        act, kind = options.pop("gate_of"), type_name(dtype)
        act = f"{act}(x)" if act.isidentifier() else act
        gated = f"kernel gated(gate: {kind}, up: {kind}) -> (y: {kind}) {{ y = act(gate)*up }}"
        return compile(spec=f"function act(x) = {act}\n{gated}", kernel="gated", **options)
    if "trainable" in options:
        return compile(spec=_trained(dtype, options), accuracy=options.get("accuracy"))
    packed, interleaved, swapped = (options.pop(key, False) for key in ("packed", "interleaved", "gate_second"))
    kernel = compile(dtype=dtype, **options)
    if not packed and not interleaved:
        return kernel
    head, brace, body = kernel.spec.partition("{")
    names = [o.name for o in kernel.operands if not o.is_result]
    if len(names) < 2:
        how = "packed" if packed else "interleaved"
        raise ValueError(f"{how} is for gates of several operands, and {kernel.name} has one")
    declared = re.search(r": (\w+)", head)
    assert declared is not None
    shared = (" | " if packed else ", ").join(reversed(names) if swapped else names)
    return kernel.remade(re.sub(r"\(.*?\)", f"([{shared}]: {declared[1]})", head, count=1) + brace + body)


def _trained(dtype: torch.dtype, options: What) -> str:
    """Returns the text of an activation with operands for its parameters."""
    kind = type_name(dtype)
    of_parameters = "f64" if kind == "f64" else "f32"
    declared = options["trainable"].split(", ")
    formula = options.get("formula")
    if not formula:
        given = [d.partition("[")[0] for d in declared]
        formula = f"{options['name']}(x, {', '.join(f'{name} = {name}' for name in given)})"
    operands = ", ".join(d.replace("[", f": {of_parameters}[") for d in declared)
    return (
        f"kernel {options.get('name') or 'formula'}_trained(x: {kind}, {operands}) -> (y: {kind}) {{ y = {formula} }}"
    )
