"""Uniform reals whose bits are drawn only as far as a decision needs them.

The fast paths of the samplers look at the first 63 bits of each uniform, in doubles, with a proved
error bound. Where those bits do not decide the outcome, the *same* uniform is refined here with
more bits, in exact rational arithmetic, until they do. A fresh draw instead would distort the
distribution near every boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import TypeVar

from hedgerow.numeric.bits import draw_integer
from hedgerow.numeric.rounding import log_bounds

__all__ = ["FIRST_BITS", "LazyUniform", "RationalInterval", "refine_floor", "refine_until_decided"]

T = TypeVar("T")
RationalInterval = tuple[Fraction, Fraction]

FIRST_BITS = 63  # the bits that the fast paths look at
_BITS_PER_REFINEMENT = 64


class LazyUniform:
    """A uniform real of [0, 1], known to lie between ``numerator`` and ``numerator + 1`` times
    2^-bits.
    """

    __slots__ = ("bits", "numerator")

    def __init__(self, numerator: int, bits: int = FIRST_BITS) -> None:
        self.numerator, self.bits = numerator, bits

    def refine(self) -> None:
        """Draw 64 more bits of this uniform."""
        self.numerator = self.numerator << _BITS_PER_REFINEMENT | draw_integer(_BITS_PER_REFINEMENT)
        self.bits += _BITS_PER_REFINEMENT

    @property
    def digits(self) -> int:
        """The number of decimal digits that exceeds the precision of the bits drawn so far."""
        return 20 + self.bits // 3

    def bounds(self) -> RationalInterval:
        """Return an interval that contains the uniform, refined until it excludes 0, where ln
        diverges.
        """
        while not self.numerator:
            self.refine()
        step = Fraction(1, 1 << self.bits)
        return self.numerator * step, (self.numerator + 1) * step

    def exponential_bounds(self) -> RationalInterval:
        """Return an interval that contains -ln U, a standard exponential."""
        low, high = self.bounds()
        return -log_bounds(high, self.digits)[1], -log_bounds(low, self.digits)[0]


def refine_until_decided(decide: Callable[[], T | None], *uniforms: LazyUniform) -> T:
    """Refine the uniforms until ``decide`` returns an outcome.

    The undecided set shrinks to measure 0, so this ends with probability 1.
    """
    while (outcome := decide()) is None:
        for uniform in uniforms:
            uniform.refine()
    return outcome


def refine_floor(value: Callable[[], RationalInterval], *uniforms: LazyUniform) -> int:
    """Return the floor of a real known by intervals, refining the uniforms as needed."""

    def decide() -> int | None:
        low, high = value()
        return floor(low) if floor(low) == floor(high) else None

    return refine_until_decided(decide, *uniforms)
