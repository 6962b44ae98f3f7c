#!/usr/bin/env python3
"""Prints quick_coefficients.h: polynomials and the bits of 2/pi. The polynomials come from Chebyshev interpolation at high
precision, converted to the monomial basis. Needs mpmath."""
from mpmath import atan, cos, digamma, erf, erfc, exp, floor, frexp, ldexp, log, loggamma, mp, mpf, nint, pi, psi, sqrt

mp.prec = 1600
TURN_WORDS = 20


def polynomial(f, low, high, degree):
    """Returns the coefficients, constant first, of the polynomial that interpolates f at the Chebyshev nodes of [low, high]."""
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


def as_double(c):
    return float(c).hex()


def as_long_double(c):
    fraction, exponent = frexp(abs(c))
    return f"{'-' if c < 0 else ''}0x{int(nint(ldexp(fraction, 64))):x}p{exponent - 64:+d}L"


def show(name, numbers):
    lines, line = [f"#define {name}"], "   "
    for number in numbers:
        if len(line) + len(number) > 104:
            lines.append(line)
            line = "   "
        line += " " + number + ","
    lines.append(line[:-1])
    print("".join(f"{text:<109}\\\n" for text in lines[:-1]) + lines[-1])


def show_coefficients(name, write, coefficients):
    show(name, [write(c) for c in reversed(coefficients)])


K = mpf(4)


def scaled_erfc(t):
    """Returns (x + K) exp(x^2) erfc(x) at x = K (1 + t) / (1 - t)."""
    x = K * (1 + t) / (1 - t)
    return erfc(x) * exp(x * x) * (x + K)


def on_right(f):
    """Returns the function (w + 1/2) f(w) of t = (w - 3/2) / (w + 1/2)."""
    return lambda t: f(2 / (1 - t) - mpf(0.5)) * 2 / (1 - t)


def binet(w):
    return loggamma(w) - ((w - mpf(0.5)) * (log(w) - 1) + (log(2 * pi) - 1) / 2)


def show_gamma(write, degree):
    for name, f in ("LGAMMA", binet), ("DIGAMMA", lambda w: log(w) - digamma(w)), ("TRIGAMMA", lambda w: psi(1, w)):
        show_coefficients(f"{name}_COEFFICIENTS", write, polynomial(on_right(f), mpf(-1), mpf(1), degree))


def show_type(write, erf_degree, erfc_degree, largest, atan_degree, gamma_degree):
    show_coefficients("ERFC_COEFFICIENTS", write,
                      polynomial(scaled_erfc, mpf(-1), (largest - K) / (largest + K), erfc_degree))
    show_coefficients("ERF_COEFFICIENTS", write,
                      polynomial(lambda z: erf(sqrt(z)) / sqrt(z), mpf(0), mpf(1), erf_degree))
    show_coefficients("ATAN_COEFFICIENTS", write,
                      polynomial(lambda z: atan(sqrt(z)) / sqrt(z), mpf(0), (sqrt(mpf(2)) - 1)**2, atan_degree))
    show_gamma(write, gamma_degree)


print("""/* Printed by quick_coefficients.py: polynomials for quick_math.h, the highest power first.
 *
 * ERFC: (x + 4) exp(x^2) erfc(x) in (x - 4) / (x + 4), for x from 0 to 28, or 107 for long doubles. ERF:
 * erf(sqrt z) / sqrt z for z up to 1. ATAN: atan(sqrt z) / sqrt z for z up to tan(pi/8)^2. LGAMMA,
 * DIGAMMA, TRIGAMMA: (w + 1/2) times binet(w), log w - digamma(w) and trigamma(w), in (w - 3/2) / (w + 1/2), for
 * w from 1/2 on. Their relative errors are below 2^-56, for long doubles below 2^-68. */
#ifndef ACTGEN_QUICK_COEFFICIENTS_H
#define ACTGEN_QUICK_COEFFICIENTS_H

#ifdef QUICK_LONG""")
show_type(as_long_double, 13, 28, mpf(107), 13, 34)
print("#else")
show_type(as_double, 11, 22, mpf(28), 11, 26)
print("#endif\n\n/* 128 zeros, then the bits of 2/pi after the binary point. */")
bits = int(floor(ldexp(2 / pi, 64 * TURN_WORDS)))
words = [0, 0] + [bits >> 64 * (TURN_WORDS - 1 - k) & (2**64 - 1) for k in range(TURN_WORDS)]
show("TWO_OVER_PI_WORDS", [f"UINT64_C(0x{word:016x})" for word in words])
print("\n#endif")
