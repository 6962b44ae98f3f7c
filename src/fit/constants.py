#!/usr/bin/env python3
"""Prints the constants of log.c, erf.c and sine.c, computed with 60 digits."""
from decimal import Decimal, getcontext
from fractions import Fraction
import math
import struct

getcontext().prec = 60
LN2 = Fraction(Decimal(2).ln())
PI = Fraction(Decimal("3.14159265358979323846264338327950288419716939937510582097494"))


def f32(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def split(value, bits):
    """Returns the first `bits` significant bits of a number in [1/2, 1), and the rest."""
    high = Fraction(math.floor(value * 2**bits), 2**bits)
    return float(high), value - high


# n * high must be exact: for |n| < 2^8 within 24 bits, for |n| < 2^11 within 53 bits.
for name, bits, rounded in (("f32", 15, f32), ("f64", 42, float)):
    high, low = split(LN2, bits)
    print(f"ln 2 {name}: high {high.hex()}, low {rounded(low).hex()}")
print("1 / ln 2:", float(1 / LN2).hex())
print("-1 / sqrt 2:", float(-1 / Decimal(2).sqrt()).hex())
print("2 / pi:", float(2 / PI).hex(), " pi / 2:", float(PI / 2).hex())
root = Decimal("0.5").sqrt()
print("bits of sqrt(1/2):", hex(struct.unpack("I", struct.pack("f", float(root)))[0]),
      hex(struct.unpack("Q", struct.pack("d", float(root)))[0]))
