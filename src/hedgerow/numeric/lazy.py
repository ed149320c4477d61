"""Uniform reals whose bits are drawn only as far as a decision needs them.

The fast paths of the samplers look at the first 63 bits of each uniform, in doubles, with a proved error bound. Where those bits do not
decide the outcome, the *same* uniform is continued here with more bits, in exact rational arithmetic, until they do. Redrawing
instead would bend the distribution near every boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import TypeVar

from hedgerow.numeric.bits import integer
from hedgerow.numeric.rounding import log_bounds

__all__ = ["FIRST", "Interval", "Uniform", "settle", "settled_floor"]

T = TypeVar("T")
Interval = tuple[Fraction, Fraction]

FIRST = 63  # bits that the fast path has seen
_MORE = 64


class Uniform:
    """A uniform real of [0, 1], known to lie between ``numerator`` and ``numerator + 1`` steps of 2^-bits."""

    __slots__ = ("bits", "numerator")

    def __init__(self, numerator: int, bits: int = FIRST) -> None:
        self.numerator, self.bits = numerator, bits

    def refine(self) -> None:
        """Draw 64 more bits of this uniform."""
        self.numerator = self.numerator << _MORE | integer(_MORE)
        self.bits += _MORE

    @property
    def digits(self) -> int:
        """Decimal digits that carry more precision than the bits drawn so far."""
        return 20 + self.bits // 3

    def bounds(self) -> Interval:
        """The interval that holds the uniform; refined until it excludes 0, where the logarithm ends."""
        while not self.numerator:
            self.refine()
        return Fraction(self.numerator, 1 << self.bits), Fraction(self.numerator + 1, 1 << self.bits)

    def exponential(self) -> Interval:
        """An interval that holds -ln U, a standard exponential."""
        low, high = self.bounds()
        return -log_bounds(high, self.digits)[1], -log_bounds(low, self.digits)[0]


def settle(decide: Callable[[], T | None], *uniforms: Uniform) -> T:
    """Refine the uniforms until ``decide`` knows; the undecided set shrinks to measure 0, so that it ends with probability 1."""
    while (outcome := decide()) is None:
        for uniform in uniforms:
            uniform.refine()
    return outcome


def settled_floor(value: Callable[[], Interval], *uniforms: Uniform) -> int:
    """The floor of a real that is known by intervals."""

    def decide() -> int | None:
        low, high = value()
        return floor(low) if floor(low) == floor(high) else None

    return settle(decide, *uniforms)
