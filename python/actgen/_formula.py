"""Reads the formulas of a kernel's printed text, for those who compute them by other means than machine code.

A printed text has no calls of functions that a spec defines. Its grammar is a part of the language's (docs/language.md).
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from ._kernel import Kernel

_TOKEN = re.compile(
    r"\s*(?:(0x[0-9a-f.]+(?:p[+-]?\d+)?|\d+(?:\.\d*)?(?:e[+-]?\d+)?)|([A-Za-z_]\w*(?:\[\d+\])?)|(<=|>=|==|!=|[-+*/^(),<>]))"
)
_CONSTANTS = {"pi": 3.141592653589793, "inf": float("inf")}
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class Node(NamedTuple):
    """A part of a formula: "number" with its value, "name", an operator, or a function with its arguments.

    The arguments are places in `Formulas.nodes`. Equal parts have one place.
    """

    kind: str
    arguments: tuple[int, ...] = ()
    name: str = ""
    value: float = 0.0


class Formulas:
    """The formulas of a kernel: `results` has the place of each result's formula."""

    def __init__(self, kernel: Kernel) -> None:
        self.nodes: list[Node] = []
        self._places: dict[Node, int] = {}
        self.results = self.read(kernel)

    def read(self, kernel: Kernel) -> dict[str, int]:
        """Reads the formulas of a kernel into the same nodes. Returns the place of each result's formula."""
        known: dict[str, int] = {}
        for line in kernel.spec.partition("{")[2].splitlines():
            name, equals, formula = line.strip().partition(" = ")
            if equals and name != "_":
                known[name] = _Reader(formula, known, self.add).whole()
        return {o.name: known[o.name] for o in kernel.operands if o.is_result}

    def add(self, node: Node) -> int:
        """Returns the place of a part."""
        if node not in self._places:
            self._places[node] = len(self.nodes)
            self.nodes.append(node)
        return self._places[node]

    def same(self, pattern: int, place: int, bound: dict[str, int]) -> bool:
        """Returns True if a part is a pattern with other parts in place of its names, which are added to `bound`."""
        a, b = self.nodes[pattern], self.nodes[place]
        if a.kind == "name":
            return bound.setdefault(a.name, place) == place
        if a.kind != b.kind or (a.name, a.value, len(a.arguments)) != (b.name, b.value, len(b.arguments)):
            return False
        return all(self.same(p, q, bound) for p, q in zip(a.arguments, b.arguments, strict=True))


class _Reader:
    """Reads a formula by recursive descent. Each method reads what binds at least as its name says."""

    def __init__(self, text: str, known: dict[str, int], add: Callable[[Node], int]) -> None:
        self._text, self._known, self._add = text, known, add
        self._tokens: list[tuple[str, str]] = []
        end = 0
        while found := _TOKEN.match(text, end):
            end = found.end()
            kind = ("number", "word", "sign")[found.lastindex - 1] if found.lastindex else "sign"
            self._tokens.append((kind, found.group(found.lastindex or 0)))
        if text[end:].strip():
            raise ValueError(f"cannot read {text[end:].strip()!r} of the formula {text!r}")
        self._tokens.append(("end", ""))
        self._next = 0

    def whole(self) -> int:
        """Reads the formula to its end."""
        place = self._choice()
        if self._tokens[self._next][0] != "end":
            raise ValueError(f"cannot read {self._tokens[self._next][1]!r} in the formula {self._text!r}")
        return place

    def _take(self, *texts: str) -> str:
        """Takes the next token if it is one of the texts. Returns it, or ""."""
        kind, text = self._tokens[self._next]
        if kind == "number" or text not in texts:
            return ""
        self._next += 1
        return text

    def _need(self, text: str) -> None:
        if not self._take(text):
            raise ValueError(f"there is no {text!r} before {self._tokens[self._next][1]!r} in {self._text!r}")

    def _choice(self) -> int:
        if not self._take("if"):
            return self._chain(("or",), self._conjunction)
        condition = self._choice()
        self._need("then")
        yes = self._choice()
        self._need("else")
        return self._add(Node("if", (condition, yes, self._choice())))

    def _chain(self, signs: tuple[str, ...], operand: Callable[[], int]) -> int:
        place = operand()
        while sign := self._take(*signs):
            place = self._add(Node(sign, (place, operand())))
        return place

    def _conjunction(self) -> int:
        return self._chain(("and",), self._negation)

    def _negation(self) -> int:
        if self._take("not"):
            return self._add(Node("not", (self._negation(),)))
        return self._chain(_COMPARISONS, self._sum)

    def _sum(self) -> int:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> int:
        return self._chain(("*", "/"), self._signed)

    def _signed(self) -> int:
        if self._take("-"):
            return self._add(Node("negate", (self._signed(),)))
        base = self._primary()
        return self._add(Node("^", (base, self._signed()))) if self._take("^") else base

    def _primary(self) -> int:
        kind, text = self._tokens[self._next]
        self._next += 1
        if kind == "number":
            value = float.fromhex(text) if text.startswith("0x") else float(text)
            return self._add(Node("number", value=value))
        if text == "(":
            place = self._choice()
            self._need(")")
            return place
        if kind != "word":
            raise ValueError(f"cannot read {text!r} in the formula {self._text!r}")
        if not self._take("("):
            if text in _CONSTANTS:
                return self._add(Node("number", value=_CONSTANTS[text]))
            return self._known[text] if text in self._known else self._add(Node("name", name=text))
        arguments = [self._choice()]
        while self._take(","):
            arguments.append(self._choice())
        self._need(")")
        return self._add(Node("call", tuple(arguments), text))
