#!/usr/bin/env python3
"""Writes digits.npy and digits_labels.npy: 1797 pictures of handwritten digits, and the digits that they show.

A picture has 8 x 8 shades from 0 to 16. The pictures are scikit-learn's (`pip install scikit-learn`). digits.txt has their
source.
"""

import pathlib

import numpy
from sklearn.datasets import load_digits

folder = pathlib.Path(__file__).parent
digits = load_digits()
numpy.save(folder / "digits.npy", digits.images.astype(numpy.uint8))
numpy.save(folder / "digits_labels.npy", digits.target.astype(numpy.uint8))
