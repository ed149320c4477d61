"""Sizes of the numbers of a program on any data, and what arithmetic makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm
from typing import Final

from hedgerow.verify.language.running.reals import Atom, Mixed, Real, Value, quotient

__all__ = [
    "DEGREE",
    "DRAWN",
    "FLOOR",
    "HEIGHT",
    "TERMS",
    "Size",
    "TooLarge",
    "added",
    "divided",
    "exactly",
    "floored",
    "times",
    "whole",
]

HEIGHT: Final = 1 << 16  # bits
FLOOR: Final = 1 << 11  # bits before the point of noise whose floor is taken: so many have to be drawn
TERMS: Final = 1 << 14
DEGREE: Final = 16
DRAWN: Final = 64  # bits of what is drawn


class TooLarge(Exception):
    """Some number could become larger than is admitted."""


@dataclass(frozen=True, slots=True)
class Size:
    """A bound on a number: a polynomial of at most ``terms`` terms beside a rational and of this
    ``degree``, with coefficients of at most ``most``, and denominators that are a divisor of ``unit``
    times at most ``loose``. ``exact`` is the number itself, where public arguments fix it."""

    most: int = 1
    unit: int = 1
    loose: int = 1
    terms: int = 0
    degree: int = 0
    constants: frozenset[Atom] = frozenset()
    exact: Value | None = None

    @property
    def shape(self) -> tuple[object, ...]:
        """All that must not change from round to round when the rest grows in steps."""
        return self.unit, self.loose, self.degree, self.constants, self.exact

    @property
    def room(self) -> int:
        """The bytes that such a number takes at most, its draws included."""
        bits = self.most.bit_length() + self.unit.bit_length() + self.loose.bit_length()
        return (1 + self.terms) * (1024 + 8 * self.degree + bits // 4)

    def joined(self, other: Size) -> Size:
        """Return what holds for either."""
        return Size(
            max(self.most, other.most),
            lcm(self.unit, other.unit),
            max(self.loose, other.loose),
            max(self.terms, other.terms),
            max(self.degree, other.degree),
            self.constants | other.constants,
            self.exact if self.exact == other.exact else None,
        ).checked()

    def checked(self) -> Size:
        """Return itself, if it is admitted."""
        high = max(self.most.bit_length(), self.unit.bit_length() + self.loose.bit_length())
        if high > HEIGHT or self.terms > TERMS or self.degree > DEGREE:
            raise TooLarge
        if len(self.constants) > 1:
            raise Mixed("A number is made of two irrational constants. Use one ln, exp or sqrt there.")
        return self


def exactly(value: Value) -> Size:
    """Return the size of a number that is known."""
    if isinstance(value, Fraction):
        return Size(max(1, ceil(abs(value))), value.denominator, exact=value).checked()
    assert value.constant is not None  # what is known has no noise in it
    degree = max(map(len, value.terms))
    large = 1 + (max(map(abs, value.constant.ends(DRAWN))) >> DRAWN)
    most = max(map(abs, value.terms.values())) * large**degree
    terms, used = len(value.terms), frozenset({value.constant})
    return Size(most, value.unit, 1, terms, degree, used, value).checked()


def whole(bits: int) -> Size:
    """Return the size of whole numbers of so many bits."""
    return Size(1 << bits).checked()


def added(one: Size, other: Size) -> Size:
    """Return the size of a sum or a difference."""
    return Size(
        one.most + other.most,
        lcm(one.unit, other.unit),
        one.loose * other.loose,
        one.terms + other.terms,
        max(one.degree, other.degree),
        one.constants | other.constants,
    )


def times(one: Size, other: Size) -> Size:
    """Return the size of a product."""
    constants = one.constants | other.constants
    squares = [atom.square for atom in constants if atom.square is not None]
    root = 1
    for square in squares:
        root *= square.numerator * square.denominator
    return Size(
        one.most * other.most * (1 + one.terms if one.degree and other.degree else 1) * root,
        one.unit * other.unit * root,
        one.loose * other.loose,
        (1 + one.terms) * (1 + other.terms) - 1,
        one.degree + other.degree,
        constants,
    )


def divided(one: Size, other: Size) -> Size:
    """Return the size of a quotient: 1 over a rational that is not 0 is at most its denominator."""
    if isinstance(other.exact, Fraction):
        return times(one, exactly(1 / other.exact if other.exact else Fraction(0)))
    if isinstance(other.exact, Real):
        return times(one, exactly(quotient(Fraction(1), other.exact)))
    below = other.unit * other.loose
    return replace(one, most=one.most * below, loose=one.loose * other.most * below, exact=None)


def floored(one: Size) -> Size:
    """Return the size of the whole number below."""
    most = one.most * (1 + one.terms) << DRAWN * one.degree
    if one.degree and most.bit_length() > FLOOR:
        raise TooLarge
    return Size(most)
