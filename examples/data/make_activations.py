#!/usr/bin/env python3
"""Writes activations.npy: 64 x 256 normal numbers with the standard deviation 2, like the projection of a layer.

Needs only Python, and writes the same bytes every time.
"""
import array
import pathlib
import random
import sys

ROWS, COLS = 64, 256

values = array.array("f")
generator = random.Random(20260)
for _ in range(ROWS * COLS):
    values.append(generator.gauss(0.0, 2.0))
if sys.byteorder == "big":
    values.byteswap()

header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (ROWS, COLS)
header = header.ljust(128 - 10 - 1) + "\n"  # the format asks for data at a multiple of 64 bytes
with open(pathlib.Path(__file__).with_name("activations.npy"), "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("ascii"))
    values.tofile(file)
