#!/usr/bin/env python3
"""The constants of quick_math.h: Chebyshev interpolation at high precision, as polynomials in the monomial basis. Needs mpmath."""
from mpmath import mp, mpf, cos, erf, erfc, exp, pi, sqrt

mp.prec = 300


def polynomial(f, low, high, degree):
    """The coefficients, from the constant on, of the interpolation of f at the Chebyshev nodes of [low, high]."""
    n = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    table = [f(x) for x in nodes]  # Newton's divided differences, then expanded
    for level in range(1, n):
        for k in range(n - 1, level - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - level])
    coefficients = [mpf(0)] * n
    for k in range(n - 1, -1, -1):
        coefficients = [(coefficients[i - 1] if i else mpf(0)) - nodes[k] * coefficients[i] for i in range(n)]
        coefficients[0] += table[k]
    return coefficients


def show(name, coefficients):
    print(f"#define {name} \\")
    print("    " + ", ".join(float(c).hex() for c in reversed(coefficients)))


K = mpf(4)
LARGEST = mpf(28)


def scaled_erfc(t):
    """(x + K) exp(x^2) erfc(x) at x = K (1 + t) / (1 - t)."""
    x = K * (1 + t) / (1 - t)
    return erfc(x) * exp(x * x) * (x + K)


show("ERFC_COEFFICIENTS", polynomial(scaled_erfc, mpf(-1), (LARGEST - K) / (LARGEST + K), 22))
show("ERF_COEFFICIENTS", polynomial(lambda z: erf(sqrt(z)) / sqrt(z), mpf(0), mpf(1), 11))
