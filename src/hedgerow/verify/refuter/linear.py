"""Values that depend on noise linearly, and what a path knows about the noise.

A ``Linear`` is constant + sum of coefficient times noise variable. A ``Store`` keeps, for every direction (a combination of variables,
scaled to one form), the band in which it lies on this path. Variables of a continuous law have no atoms, so that < and <= are the same for
them; combinations of whole numbers are compared as whole numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.language.program import Noise
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.quantity import Interval, Real, bounds, divide, minus, plus, sign, times

__all__ = ["Band", "Direction", "Law", "Linear", "Store", "add", "scale"]

Direction: TypeAlias = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Law:
    """How one noise variable is distributed. ``parameters`` as in ``Noise``; of GAUSSIAN, the standard deviation."""

    noise: Noise
    parameters: tuple[Real, ...]

    @property
    def whole(self) -> bool:
        return self.noise is Noise.GEOMETRIC


@dataclass(frozen=True, slots=True)
class Linear:
    """``terms`` are sorted by variable, none with coefficient 0, and never empty."""

    terms: Direction
    constant: Real


def add(one: Linear | Real, other: Linear | Real) -> Linear | Real:
    """The sum, a plain number where all noise cancels."""
    if not isinstance(one, Linear):
        one, other = other, one
    if not isinstance(one, Linear):
        return plus(one, other)  # type: ignore[arg-type]  # neither is linear
    if not isinstance(other, Linear):
        return Linear(one.terms, plus(one.constant, other))
    sums = dict(one.terms)
    for variable, coefficient in other.terms:
        sums[variable] = sums.get(variable, Fraction(0)) + coefficient
    constant = plus(one.constant, other.constant)
    terms = tuple(sorted((variable, coefficient) for variable, coefficient in sums.items() if coefficient))
    return Linear(terms, constant) if terms else constant


def scale(one: Linear | Real, factor: Real) -> Linear | Real:
    """The product with a number."""
    if not isinstance(one, Linear):
        return times(one, factor)
    if not isinstance(factor, Fraction):
        raise Beyond("noise times a number that is not rational")
    if not factor:
        return Fraction(0)
    return Linear(tuple((variable, coefficient * factor) for variable, coefficient in one.terms), times(one.constant, factor))


@dataclass(frozen=True, slots=True)
class Band:
    """low <= combination <= high; None is no bound."""

    low: Real | None = None
    high: Real | None = None

    def meet(self, other: Band, whole: bool) -> Band | None:
        """Both at once; None where that has probability 0."""
        low, high = _tighter(self.low, other.low, 1), _tighter(self.high, other.high, -1)
        if low is None or high is None:
            return Band(low, high)
        try:
            side = sign(minus(high, low))
        except Beyond:
            return Band(low, high)  # perhaps empty: its probability then comes out as a bound around 0
        return None if side < 0 or (side == 0 and not whole) else Band(low, high)


def _tighter(one: Real | None, other: Real | None, direction: int) -> Real | None:
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, Interval) or isinstance(other, Interval):
        if one == other:
            return one
        (a, b), (c, d) = bounds(one), bounds(other)
        return Interval(max(a, c), max(b, d)) if direction > 0 else Interval(min(a, c), min(b, d))
    return one if sign(minus(one, other)) * direction >= 0 else other


@dataclass(frozen=True, slots=True)
class Store:
    """The variables drawn so far on a path, what is known about them, and the chance of the coins that led here."""

    laws: tuple[Law, ...] = ()
    bands: dict[Direction, Band] | None = None
    weight: Real = Fraction(1)

    def drawn(self, law: Law) -> tuple[Store, Linear]:
        """With one variable more."""
        return replace(self, laws=(*self.laws, law)), Linear(((len(self.laws), Fraction(1)),), Fraction(0))

    def weighted(self, chance: Real) -> Store:
        return replace(self, weight=times(self.weight, chance))

    def below(self, form: Linear, strict: bool) -> Store | None:
        """Where form < 0, or form <= 0; None where that has probability 0."""
        direction, factor = self._direction(form.terms)
        bound = divide(times(Fraction(-1), form.constant), factor)
        whole = self.whole(direction)
        if whole:
            bound = _whole_bound(bound, upper=factor > 0, strict=strict)
        return self._with(direction, Band(high=bound) if factor > 0 else Band(low=bound), whole)

    def within(self, form: Linear, low: Fraction | None, high: Fraction | None) -> Store | None:
        """Where low <= form <= high."""
        store: Store | None = self
        if low is not None:
            store = self.below(scale(add(form, -low), Fraction(-1)), False)  # type: ignore[arg-type]  # still linear
        if store is not None and high is not None:
            store = store.below(add(form, -high), False)  # type: ignore[arg-type]
        return store

    def whole(self, direction: Direction) -> bool:
        """Whether the combination takes whole values only."""
        return all(self.laws[variable].whole and coefficient.denominator == 1 for variable, coefficient in direction)

    def discrete(self, terms: Direction) -> bool:
        """Whether the combination takes countably many values, each with a chance of its own."""
        return all(self.laws[variable].whole for variable, _ in terms)

    def _direction(self, terms: Direction) -> tuple[Direction, Fraction]:
        """The one form of these directions, and by what it has to be multiplied to give ``terms``."""
        if self.discrete(terms):
            common = math.lcm(*(coefficient.denominator for _, coefficient in terms))
            factor = Fraction(math.gcd(*(int(coefficient * common) for _, coefficient in terms)), common)
            factor = factor if terms[0][1] > 0 else -factor
        else:
            factor = terms[0][1]
        return tuple((variable, coefficient / factor) for variable, coefficient in terms), factor

    def _with(self, direction: Direction, band: Band, whole: bool) -> Store | None:
        bands = self.bands or {}
        known = bands.get(direction)
        met = band if known is None else known.meet(band, whole)
        if met is None:
            return None
        return self if met == known else replace(self, bands={**bands, direction: met})


def _whole_bound(bound: Real, upper: bool, strict: bool) -> Fraction:
    """The last whole number that the bound allows."""
    low, high = bounds(bound)
    nearest = Fraction(math.floor(low))
    if nearest != math.floor(high):
        raise Beyond("a comparison of whole noise that the precision does not decide")
    exact = low == high == nearest
    if upper:
        return nearest - 1 if exact and strict else nearest
    return nearest + 1 if not exact or strict else nearest
