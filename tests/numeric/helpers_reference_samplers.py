"""Reference samplers: the slow exact ones of Canonne, Kamath and Steinke (2020), in rationals."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from secrets import randbelow


def coin(p: Fraction) -> bool:
    """Return True with probability p."""
    return randbelow(p.denominator) < p.numerator


def coin_exp(x: Fraction) -> bool:
    """Return True with probability e^-x (their algorithm 1)."""
    while x > 1:
        if not coin_exp(Fraction(1)):
            return False
        x -= 1
    k = 1
    while coin(x / k):
        k += 1
    return k % 2 == 1


def laplace(scale: Fraction) -> int:
    """Draw with Pr[Z = z] proportional to e^(-|z|/scale) (their algorithm 2)."""
    t, s = scale.numerator, scale.denominator
    while True:
        u = randbelow(t)
        if not coin_exp(Fraction(u, t)):
            continue
        v = 0
        while coin_exp(Fraction(1)):
            v += 1
        y, negative = (u + t * v) // s, coin(Fraction(1, 2))
        if y or not negative:
            return -y if negative else y


def gaussian(sigma: Fraction) -> int:
    """Draw with Pr[Z = z] proportional to e^(-z^2 / 2 sigma^2) (their algorithm 3)."""
    t = floor(sigma) + 1
    while True:
        y = laplace(Fraction(t))
        if coin_exp((abs(y) - sigma**2 / t) ** 2 / (2 * sigma**2)):
            return y
