"""Bounds on the size of a program's numbers on any data, and their arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm, prod
from typing import Final

from hedgerow.verify.language.interpreter.lazy_reals import (
    Atom,
    LazyNumber,
    MixedConstants,
    divide,
)

__all__ = [
    "DRAW_BITS",
    "MAX_BITS",
    "MAX_DEGREE",
    "MAX_FLOOR_BITS",
    "MAX_TERMS",
    "SizeBound",
    "TooLarge",
    "bound_floor",
    "bound_integer",
    "bound_product",
    "bound_quotient",
    "bound_sum",
    "measure_exact",
]

MAX_BITS: Final = 1 << 16
# A floor of noise draws all bits before the point.
MAX_FLOOR_BITS: Final = 1 << 11
MAX_TERMS: Final = 1 << 14
MAX_DEGREE: Final = 16
DRAW_BITS: Final = 64  # a draw is below 2^64


class TooLarge(Exception):
    """The error of a number that could exceed the limits."""


@dataclass(frozen=True, slots=True)
class SizeBound:
    """A bound on a number: a polynomial of this ``degree`` with at most ``terms`` terms beside its
    rational part, coefficients of at most ``max_coefficient``, and a denominator that divides
    ``denominator`` times a factor of at most ``extra_denominator``. ``exact`` is the number itself,
    if public arguments determine it.
    """

    max_coefficient: int = 1
    denominator: int = 1
    extra_denominator: int = 1
    terms: int = 0
    degree: int = 0
    constants: frozenset[Atom] = frozenset()
    exact: LazyNumber | None = None

    @property
    def shape(self) -> tuple[object, ...]:
        """The parts that must stay equal between rounds while the others grow linearly."""
        return self.denominator, self.extra_denominator, self.degree, self.constants, self.exact

    @property
    def byte_size(self) -> int:
        """The maximum size in bytes of such a number, with its draws."""
        bits = (
            self.max_coefficient.bit_length()
            + self.denominator.bit_length()
            + self.extra_denominator.bit_length()
        )
        return (1 + self.terms) * (1024 + 8 * self.degree + bits // 4)

    def join(self, other: SizeBound) -> SizeBound:
        """Return a bound that covers both."""
        return SizeBound(
            max(self.max_coefficient, other.max_coefficient),
            lcm(self.denominator, other.denominator),
            max(self.extra_denominator, other.extra_denominator),
            max(self.terms, other.terms),
            max(self.degree, other.degree),
            self.constants | other.constants,
            self.exact if self.exact == other.exact else None,
        ).check()

    def check(self) -> SizeBound:
        """Return the bound itself, or raise if it exceeds the limits."""
        high = max(
            self.max_coefficient.bit_length(),
            self.denominator.bit_length() + self.extra_denominator.bit_length(),
        )
        if high > MAX_BITS or self.terms > MAX_TERMS or self.degree > MAX_DEGREE:
            raise TooLarge
        if len(self.constants) > 1:
            raise MixedConstants(
                "A number contains two irrational constants. Use one ln, exp or sqrt in it."
            )
        return self


def measure_exact(value: LazyNumber) -> SizeBound:
    """Return the size of a known number."""
    if isinstance(value, Fraction):
        return SizeBound(max(1, ceil(abs(value))), value.denominator, exact=value).check()
    assert value.constant is not None  # a known number contains no noise
    degree = max(map(len, value.terms))
    large = 1 + (max(map(abs, value.constant.integer_bounds(DRAW_BITS))) >> DRAW_BITS)
    most = max(map(abs, value.terms.values())) * large**degree
    terms, used = len(value.terms), frozenset({value.constant})
    return SizeBound(most, value.denominator, 1, terms, degree, used, value).check()


def bound_integer(bits: int) -> SizeBound:
    """Return the size of integers of this many bits."""
    return SizeBound(1 << bits).check()


def bound_sum(left: SizeBound, right: SizeBound) -> SizeBound:
    """Return the size of a sum or a difference."""
    return SizeBound(
        left.max_coefficient + right.max_coefficient,
        lcm(left.denominator, right.denominator),
        left.extra_denominator * right.extra_denominator,
        left.terms + right.terms,
        max(left.degree, right.degree),
        left.constants | right.constants,
    )


def bound_product(left: SizeBound, right: SizeBound) -> SizeBound:
    """Return the size of a product."""
    constants = left.constants | right.constants
    squares = [atom.square for atom in constants if atom.square is not None]
    root = prod(square.numerator * square.denominator for square in squares)
    return SizeBound(
        left.max_coefficient
        * right.max_coefficient
        * (1 + left.terms if left.degree and right.degree else 1)
        * root,
        left.denominator * right.denominator * root,
        left.extra_denominator * right.extra_denominator,
        (1 + left.terms) * (1 + right.terms) - 1,
        left.degree + right.degree,
        constants,
    )


def bound_quotient(left: SizeBound, right: SizeBound) -> SizeBound:
    """Return the size of a quotient: 1 over a rational that is not 0 is at most its denominator."""
    if right.exact is not None:
        return bound_product(left, measure_exact(divide(Fraction(1), right.exact)))
    below = right.denominator * right.extra_denominator
    return replace(
        left,
        max_coefficient=left.max_coefficient * below,
        extra_denominator=left.extra_denominator * right.max_coefficient * below,
        exact=None,
    )


def bound_floor(value: SizeBound) -> SizeBound:
    """Return the size of the floor."""
    largest = value.max_coefficient * (1 + value.terms) << DRAW_BITS * value.degree
    if value.degree and largest.bit_length() > MAX_FLOOR_BITS:
        raise TooLarge
    return SizeBound(largest)
