"""Sizes of the numbers of a program on any data, and what arithmetic makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm
from typing import Final

from hedgerow.verify.language.interpreter.lazy_reals import (
    Atom,
    LazyNumber,
    LazyReal,
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

MAX_BITS: Final = 1 << 16  # bits
# bits before the point of noise whose floor is taken: so many have to be drawn
MAX_FLOOR_BITS: Final = 1 << 11
MAX_TERMS: Final = 1 << 14
MAX_DEGREE: Final = 16
DRAW_BITS: Final = 64  # bits of what is drawn


class TooLarge(Exception):
    """Some number could become larger than is admitted."""


@dataclass(frozen=True, slots=True)
class SizeBound:
    """A bound on a number: a polynomial of at most ``terms`` terms beside a rational and of this
    ``degree``, with coefficients of at most ``most``, and denominators that are a divisor of
    ``unit`` times at most ``loose``. ``exact`` is the number itself, where public arguments fix it.
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
        """All that must not change from round to round when the rest grows in steps."""
        return self.denominator, self.extra_denominator, self.degree, self.constants, self.exact

    @property
    def byte_size(self) -> int:
        """The bytes that such a number takes at most, its draws included."""
        bits = (
            self.max_coefficient.bit_length()
            + self.denominator.bit_length()
            + self.extra_denominator.bit_length()
        )
        return (1 + self.terms) * (1024 + 8 * self.degree + bits // 4)

    def join(self, other: SizeBound) -> SizeBound:
        """Return what holds for either."""
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
        """Return itself, if it is admitted."""
        high = max(
            self.max_coefficient.bit_length(),
            self.denominator.bit_length() + self.extra_denominator.bit_length(),
        )
        if high > MAX_BITS or self.terms > MAX_TERMS or self.degree > MAX_DEGREE:
            raise TooLarge
        if len(self.constants) > 1:
            raise MixedConstants(
                "A number is made of two irrational constants. Use one ln, exp or sqrt there."
            )
        return self


def measure_exact(value: LazyNumber) -> SizeBound:
    """Return the size of a number that is known."""
    if isinstance(value, Fraction):
        return SizeBound(max(1, ceil(abs(value))), value.denominator, exact=value).check()
    assert value.constant is not None  # what is known has no noise in it
    degree = max(map(len, value.terms))
    large = 1 + (max(map(abs, value.constant.integer_bounds(DRAW_BITS))) >> DRAW_BITS)
    most = max(map(abs, value.terms.values())) * large**degree
    terms, used = len(value.terms), frozenset({value.constant})
    return SizeBound(most, value.denominator, 1, terms, degree, used, value).check()


def bound_integer(bits: int) -> SizeBound:
    """Return the size of whole numbers of so many bits."""
    return SizeBound(1 << bits).check()


def bound_sum(one: SizeBound, other: SizeBound) -> SizeBound:
    """Return the size of a sum or a difference."""
    return SizeBound(
        one.max_coefficient + other.max_coefficient,
        lcm(one.denominator, other.denominator),
        one.extra_denominator * other.extra_denominator,
        one.terms + other.terms,
        max(one.degree, other.degree),
        one.constants | other.constants,
    )


def bound_product(one: SizeBound, other: SizeBound) -> SizeBound:
    """Return the size of a product."""
    constants = one.constants | other.constants
    squares = [atom.square for atom in constants if atom.square is not None]
    root = 1
    for square in squares:
        root *= square.numerator * square.denominator
    return SizeBound(
        one.max_coefficient
        * other.max_coefficient
        * (1 + one.terms if one.degree and other.degree else 1)
        * root,
        one.denominator * other.denominator * root,
        one.extra_denominator * other.extra_denominator,
        (1 + one.terms) * (1 + other.terms) - 1,
        one.degree + other.degree,
        constants,
    )


def bound_quotient(one: SizeBound, other: SizeBound) -> SizeBound:
    """Return the size of a quotient: 1 over a rational that is not 0 is at most its denominator."""
    if isinstance(other.exact, Fraction):
        return bound_product(one, measure_exact(1 / other.exact if other.exact else Fraction(0)))
    if isinstance(other.exact, LazyReal):
        return bound_product(one, measure_exact(divide(Fraction(1), other.exact)))
    below = other.denominator * other.extra_denominator
    return replace(
        one,
        max_coefficient=one.max_coefficient * below,
        extra_denominator=one.extra_denominator * other.max_coefficient * below,
        exact=None,
    )


def bound_floor(one: SizeBound) -> SizeBound:
    """Return the size of the whole number below."""
    most = one.max_coefficient * (1 + one.terms) << DRAW_BITS * one.degree
    if one.degree and most.bit_length() > MAX_FLOOR_BITS:
        raise TooLarge
    return SizeBound(most)
