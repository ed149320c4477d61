"""Values that are linear in the noise, and the condition that a path puts on the noise.

A ``LinearForm`` is a constant plus a sum of coefficients times noise variables. A ``PathCondition``
keeps, for every direction (a combination of variables, scaled to one standard form), the band in
which it lies on this path. Continuous variables take no value with positive probability, so that <
and <= are the same for them; integer combinations are compared as integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.language.program import Noise
from hedgerow.verify.refute.interval_arithmetic import (
    RealInterval,
    RealNumber,
    add_reals,
    decide_sign,
    divide_reals,
    enclose,
    multiply_reals,
    subtract_reals,
)
from hedgerow.verify.refute.out_of_scope import OutOfScope

__all__ = [
    "Direction",
    "LinearForm",
    "NoiseBand",
    "NoiseDistribution",
    "PathCondition",
    "add",
    "scale",
]

Direction: TypeAlias = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True, slots=True)
class NoiseDistribution:
    """The distribution of one noise variable, with the parameters of ``Noise`` (for GAUSSIAN, the
    standard deviation).
    """

    noise: Noise
    parameters: tuple[RealNumber, ...]

    @property
    def is_integer(self) -> bool:
        return self.noise is Noise.GEOMETRIC


@dataclass(frozen=True, slots=True)
class LinearForm:
    """Constant + terms, which are sorted by variable, never empty, without coefficients 0."""

    terms: Direction
    constant: RealNumber


def add(one: LinearForm | RealNumber, other: LinearForm | RealNumber) -> LinearForm | RealNumber:
    """Add two values; the sum is a plain number if all noise cancels."""
    if not isinstance(one, LinearForm):
        one, other = other, one
    if not isinstance(one, LinearForm):
        return add_reals(one, other)  # type: ignore[arg-type]  # neither is linear
    if not isinstance(other, LinearForm):
        return LinearForm(one.terms, add_reals(one.constant, other))
    sums = dict(one.terms)
    for variable, coefficient in other.terms:
        sums[variable] = sums.get(variable, Fraction(0)) + coefficient
    constant = add_reals(one.constant, other.constant)
    terms = tuple(
        sorted((variable, coefficient) for variable, coefficient in sums.items() if coefficient)
    )
    return LinearForm(terms, constant) if terms else constant


def scale(one: LinearForm | RealNumber, factor: RealNumber) -> LinearForm | RealNumber:
    """Multiply a value by a number."""
    if not isinstance(one, LinearForm):
        return multiply_reals(one, factor)
    if not isinstance(factor, Fraction):
        raise OutOfScope("noise times a number that is not rational")
    if not factor:
        return Fraction(0)
    return LinearForm(
        tuple((variable, coefficient * factor) for variable, coefficient in one.terms),
        multiply_reals(one.constant, factor),
    )


@dataclass(frozen=True, slots=True)
class NoiseBand:
    """The band low <= combination <= high; None means unbounded."""

    low: RealNumber | None = None
    high: RealNumber | None = None

    def intersect(self, other: NoiseBand, whole: bool) -> NoiseBand | None:
        """Intersect two bands; return None if the intersection has probability 0."""
        low, high = (
            _pick_tighter_bound(self.low, other.low, 1),
            _pick_tighter_bound(self.high, other.high, -1),
        )
        if low is None or high is None:
            return NoiseBand(low, high)
        try:
            side = decide_sign(subtract_reals(high, low))
        except OutOfScope:
            # perhaps empty: the bounds on its probability then include 0
            return NoiseBand(low, high)
        return None if side < 0 or (side == 0 and not whole) else NoiseBand(low, high)


def _pick_tighter_bound(
    one: RealNumber | None, other: RealNumber | None, direction: int
) -> RealNumber | None:
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, RealInterval) or isinstance(other, RealInterval):
        if one == other:
            return one
        (a, b), (c, d) = enclose(one), enclose(other)
        return (
            RealInterval(max(a, c), max(b, d))
            if direction > 0
            else RealInterval(min(a, c), min(b, d))
        )
    return one if decide_sign(subtract_reals(one, other)) * direction >= 0 else other


@dataclass(frozen=True, slots=True)
class PathCondition:
    """The noise drawn so far on a path, the bands that it lies in, and the probability of the coins
    that led here.
    """

    distributions: tuple[NoiseDistribution, ...] = ()
    bands: dict[Direction, NoiseBand] | None = None
    weight: RealNumber = Fraction(1)

    def add_variable(self, law: NoiseDistribution) -> tuple[PathCondition, LinearForm]:
        """Add a noise variable, and return it as a linear form."""
        return replace(self, distributions=(*self.distributions, law)), LinearForm(
            ((len(self.distributions), Fraction(1)),), Fraction(0)
        )

    def multiply_weight(self, probability: RealNumber) -> PathCondition:
        return replace(self, weight=multiply_reals(self.weight, probability))

    def restrict_below(self, form: LinearForm, strict: bool) -> PathCondition | None:
        """Restrict to form < 0, or form <= 0; return None if that has probability 0."""
        direction, factor = self._normalise_direction(form.terms)
        bound = divide_reals(multiply_reals(Fraction(-1), form.constant), factor)
        whole = self.is_integer(direction)
        if whole:
            bound = _round_integer_bound(bound, upper=factor > 0, strict=strict)
        return self._add_band(
            direction, NoiseBand(high=bound) if factor > 0 else NoiseBand(low=bound), whole
        )

    def restrict_between(
        self, form: LinearForm, low: Fraction | None, high: Fraction | None
    ) -> PathCondition | None:
        """Restrict to low <= form <= high; return None if that has probability 0."""
        store: PathCondition | None = self
        if low is not None:
            # Still linear.
            store = self.restrict_below(
                scale(add(form, -low), Fraction(-1)),  # type: ignore[arg-type]
                False,
            )
        if store is not None and high is not None:
            store = store.restrict_below(add(form, -high), False)  # type: ignore[arg-type]
        return store

    def is_integer(self, direction: Direction) -> bool:
        """Return True if the combination takes integer values only."""
        return all(
            self.distributions[variable].is_integer and coefficient.denominator == 1
            for variable, coefficient in direction
        )

    def is_discrete(self, terms: Direction) -> bool:
        """Return True if the combination takes countably many values."""
        return all(self.distributions[variable].is_integer for variable, _ in terms)

    def _normalise_direction(self, terms: Direction) -> tuple[Direction, Fraction]:
        """Return the standard form of the direction, and the factor by which it gives ``terms``."""
        if self.is_discrete(terms):
            common = math.lcm(*(coefficient.denominator for _, coefficient in terms))
            factor = Fraction(
                math.gcd(*(int(coefficient * common) for _, coefficient in terms)), common
            )
            factor = factor if terms[0][1] > 0 else -factor
        else:
            factor = terms[0][1]
        return tuple((variable, coefficient / factor) for variable, coefficient in terms), factor

    def _add_band(self, direction: Direction, band: NoiseBand, whole: bool) -> PathCondition | None:
        bands = self.bands or {}
        known = bands.get(direction)
        met = band if known is None else known.intersect(band, whole)
        if met is None:
            return None
        return self if met == known else replace(self, bands={**bands, direction: met})


def _round_integer_bound(bound: RealNumber, upper: bool, strict: bool) -> Fraction:
    """Return the last integer that the bound allows."""
    low, high = enclose(bound)
    nearest = Fraction(math.floor(low))
    if nearest != math.floor(high):
        raise OutOfScope("a comparison of integer noise that the precision does not decide")
    exact = low == high == nearest
    if upper:
        return nearest - 1 if exact and strict else nearest
    return nearest + 1 if not exact or strict else nearest
