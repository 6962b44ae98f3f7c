"""Reads `approximate`, by which PyTorch, Keras, JAX and ONNX choose the form of GELU."""

from typing import Any

# The built-in of the tanh form, for each built-in of the exact form.
_TANH = {"gelu": "gelu_tanh", "geglu": "geglu_tanh"}
# PyTorch and ONNX have the names, Keras and JAX the truth values. None is no choice.
_IS_TANH = {None: False, "none": False, False: False, "tanh": True, True: True}


def approximated(name: str, approximate: Any) -> str:
    """Returns the built-in of the form that `approximate` chooses for gelu or geglu.

    Raises ValueError for another value, and TypeError for a function without such forms.
    """
    if approximate is None:
        return name
    if not isinstance(approximate, (str, bool)) or approximate not in _IS_TANH:
        raise ValueError(f'approximate is "none", "tanh", False or True, and not {approximate!r}')
    if name not in _TANH:
        raise TypeError(f"approximate is a parameter of {' and '.join(_TANH)}, and not of {name!r}")
    return _TANH[name] if _IS_TANH[approximate] else name


def chosen_form(name: str | None, approximate: Any) -> str | None:
    """Returns `approximated` of a built-in, or None where there is a formula or a text in place of its name."""
    if name is None and approximate is not None:
        raise TypeError("approximate is for built-ins; a formula or a text names gelu_tanh or gelu")
    return None if name is None else approximated(name, approximate)
