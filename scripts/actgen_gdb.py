"""Prints expressions and lane programs as text in gdb.

    (gdb) source scripts/actgen_gdb.py
    (gdb) print e               # const expr *: (expr *) 0x...: x * normcdf(x)
    (gdb) print *program        # lane_program: the text of `actgen show --stage lane`

The printers read memory and call nothing, so they work on core files, too. gdb needs the types, so build with debug
information: `cmake --preset dev`.
"""

import struct
from fractions import Fraction

import gdb
import gdb.printing

MOST_WORDS = 4096  # A DAG is a tree when it is printed, and may have no end in sight.

# How tightly each kind binds, as in src/expr/printer.h, and its sign.
IF, OR, AND, NOT, COMPARE, SUM, PRODUCT, NEGATE, POWER, PRIMARY = range(10)
INFIX = {
    "OR": (" or ", OR),
    "AND": (" and ", AND),
    "LT": (" < ", COMPARE),
    "LE": (" <= ", COMPARE),
    "EQ": (" == ", COMPARE),
    "ADD": (" + ", SUM),
    "SUB": (" - ", SUM),
    "MUL": (" * ", PRODUCT),
    "DIV": (" / ", PRODUCT),
}
OTHER = {"IF": IF, "NOT": NOT, "NEG": NEGATE, "POWER": POWER}


def name_of(value, beginning):
    """Returns the name of an enumerator without its beginning."""
    return str(value)[len(beginning) :]


def integer(z):
    """Returns the value of an mpz_t."""
    size = int(z["_mp_size"])
    limbs = (int(z["_mp_d"][i]) << (64 * i) for i in range(abs(size)))
    return sum(limbs) * (-1 if size < 0 else 1)


def rational(q):
    return Fraction(integer(q["_mp_num"]), integer(q["_mp_den"]))


def decimal(q):
    """Returns a number q >= 0 as the language writes it, or None if that is a fraction."""
    places, ten = 0, 1
    while q.denominator > 1 and ten % q.denominator:
        places, ten = places + 1, ten * 10
        if places > 400:
            return None
    digits = str(q.numerator * ten // q.denominator)
    while digits.endswith("0") and digits != "0":
        digits, places = digits[:-1], places - 1
    if digits == "0":
        return "0"
    power_of_two = q.denominator > 1 and q.denominator & (q.denominator - 1) == 0
    if len(digits) > 60 and power_of_two:
        return "0x%xp-%d" % (q.numerator, q.denominator.bit_length() - 1)
    whole = len(digits) - places
    if whole > 25 or whole < -5:
        return "%s%s%se%d" % (digits[0], "." if len(digits) > 1 else "", digits[1:], whole - 1)
    if places <= 0:
        return digits + "0" * -places
    return "0." + "0" * -whole + digits if whole <= 0 else digits[:whole] + "." + digits[whole:]


def number(q):
    """Returns the text of a number, and how tightly it binds."""
    word = decimal(abs(q))
    if word is None:
        return "%d/%d" % (q.numerator, q.denominator), PRODUCT
    return ("-" + word, NEGATE) if q < 0 else (word, PRIMARY)


class Formula:
    def __init__(self, root):
        self.words, self.only_x = 0, not int(root["inputs"]) & ~1
        try:
            self.text = self.of(root, IF)
        except RecursionError:
            self.text = "... (a formula that is too deep)"

    def of(self, e, level):
        self.words += 1
        if self.words > MOST_WORDS:
            return "..."
        kind = name_of(e["kind"], "EXPR_")
        operands = [e["operand"][i].dereference() for i in range(3) if int(e["operand"][i])]
        own = INFIX[kind][1] if kind in INFIX else OTHER.get(kind, PRIMARY)
        if kind in INFIX:
            left = own if own != COMPARE else own + 1  # Comparisons do not chain.
            text = self.of(operands[0], left) + INFIX[kind][0] + self.of(operands[1], own + 1)
        elif kind == "NUMBER":
            text, own = number(rational(e["number"].dereference()))
        elif kind == "INPUT":
            text = "x" if self.only_x else "x%d" % int(e["input"])
        elif kind == "PI" or kind == "INFINITY":
            text = kind.lower()[:3]  # pi, inf
        elif kind == "NEG" or kind == "NOT":
            text = ("-" if kind == "NEG" else "not ") + self.of(operands[0], own)
        elif kind == "POWER":
            exponent = rational(e["number"].dereference())
            shown = "(%d/%d)" % (exponent.numerator, exponent.denominator)
            text = self.of(operands[0], PRIMARY) + "^" + (shown if exponent.denominator > 1 else number(exponent)[0])
        elif kind == "IF":
            parts = (IF + 1 if i < 2 else IF for i in range(3))
            text = "if %s then %s else %s" % tuple(self.of(o, p) for o, p in zip(operands, parts))
        else:
            name = name_of(e["type"], "ELEMENT_") if kind == "CAST" else kind
            text = name.lower() + "(" + ", ".join(self.of(o, IF) for o in operands) + ")"
        return "(" + text + ")" if own < level else text


class ExprPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        if self.value.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
            return Formula(self.value).text
        address = int(self.value)
        return "(expr *) 0x%x%s" % (address, ": " + Formula(self.value.dereference()).text if address else "")


CONSTANTS = {
    "f32": (8, "<I", "<f", "%.9g"),
    "f64": (16, "<Q", "<d", "%.17g"),
    "f16": (4, "<H", "<e", "%.5g"),
    "i16": (4, "<H", "<h", "%d"),
    "i32": (8, "<I", "<i", "%d"),
}


def constant(kind, bits):
    digits, whole, read, shown = CONSTANTS.get(kind, (16, "<Q", "<q", "%d"))
    raw = struct.pack(whole, bits & (1 << 4 * digits) - 1)
    return "0x%0*x (%s)" % (digits, bits, shown % struct.unpack(read, raw))


class ProgramPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        ops = gdb.parse_and_eval("lane_ops")
        lines = ["profile " + self.value["profile"]["name"].string()]
        for n in range(int(self.value["count"])):
            lines.append(self.instruction(n, self.value["code"][n], ops))
        for n in range(int(self.value["table_count"])):
            lines += self.table(n, self.value["tables"][n])
        return "\n".join(lines)

    def instruction(self, n, i, ops):
        op, kind = ops[int(i["op"])], name_of(i["type"], "LANE_").lower()
        name = op["name"].string()
        if name == "store":
            return "store %d, %%%d" % (int(i["index"]), int(i["operand"][0]))
        words = {"load": " %d" % int(i["index"]), "lookup": " table %d," % int(i["index"])}.get(name, "")
        if name == "const":
            words = " " + constant(kind, int(i["bits"]))
        operands = ", ".join("%%%d" % int(i["operand"][k]) for k in range(int(op["arity"])))
        return "%%%d: %s = %s%s%s" % (n, kind, name, words, " " + operands if operands else "")

    def table(self, number, t):
        kind, count = name_of(t["type"], "LANE_").lower(), 1 << int(t["log2_size"])
        digits = 16 if kind[1:] == "64" else 2 * int(kind[1:]) // 8
        entries = ["%0*x" % (digits, int(t["bits"][i])) for i in range(count)]
        rows = [entries[i : i + 8] for i in range(0, count, 8)]
        return ["table %d: %d %s" % (number, count, kind)] + ["    " + " ".join(row) for row in rows]


def look_up(value):
    """Returns the printer of a value, or None."""
    plain = value.type.strip_typedefs()
    if plain.code == gdb.TYPE_CODE_PTR:
        plain = plain.target().strip_typedefs()
        return ExprPrinter(value) if plain.unqualified().tag == "expr" else None
    return {"expr": ExprPrinter, "lane_program": ProgramPrinter}.get(plain.unqualified().tag, lambda value: None)(value)


look_up.name, look_up.enabled = "actgen", True
gdb.printing.register_pretty_printer(None, look_up, replace=True)
