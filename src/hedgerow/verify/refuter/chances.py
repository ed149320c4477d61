"""The probability of a path: its region taken apart into groups of variables that are tied together, each by the method that fits.

Laplace, exponential and uniform variables: exact (``integrals``). Whole ones: enclosed (``whole``). Normal ones: enclosed, where every band
of a group has the same direction, so that the combination is normal again (``normal``). Anything else is ``Beyond``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from hedgerow.numeric.rounding import exp_bounds
from hedgerow.verify.divergence.amount import Amount
from hedgerow.verify.language.program import Noise
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.integrals import Ends, Region, continuous
from hedgerow.verify.refuter.linear import Band, Direction, Law, Store
from hedgerow.verify.refuter.normal import between
from hedgerow.verify.refuter.quantity import Interval, Real, bounds, plus, root, simple, times
from hedgerow.verify.refuter.whole import geometric

__all__ = ["Chances"]

_FARTHEST = 20_000
_EXPONENTIAL_PIECES = frozenset({Noise.LAPLACE, Noise.EXPONENTIAL, Noise.UNIFORM})


class Chances:
    """Computes and remembers: paths of one program share most of their groups."""

    def __init__(self) -> None:
        self._known: dict[object, Real] = {}

    def sum(self, stores: Iterable[Store]) -> Real:
        """The probability of paths that exclude each other."""
        result: Real = Fraction(0)
        for store in stores:
            result = plus(result, self.of(store))
        return result

    def of(self, store: Store) -> Real:
        """The probability of one path."""
        result = store.weight
        for variables in _groups(store):
            bands = {direction: band for direction, band in (store.bands or {}).items() if direction[0][0] in variables}
            chance = self._group([store.laws[x] for x in sorted(variables)], _renamed(bands, sorted(variables)))
            if chance == Fraction(0):
                return Fraction(0)
            result = times(result, chance)
        return result

    def _group(self, laws: Sequence[Law], bands: dict[Direction, Band]) -> Real:
        key = (_key(laws), frozenset((direction, _key(band)) for direction, band in bands.items()))
        if key not in self._known:
            self._known[key] = _chance(laws, bands)
        return self._known[key]


def _key(value: object) -> str:
    return repr(value)


def _groups(store: Store) -> list[set[int]]:
    """Variables that bands tie together; free ones are left out, since they may be anything."""
    groups: list[set[int]] = []
    for direction in store.bands or {}:
        tied = {variable for variable, _ in direction}
        apart = [group for group in groups if not group & tied]
        groups = [*apart, tied.union(*(group for group in groups if group & tied))]
    return groups


def _renamed(bands: dict[Direction, Band], variables: list[int]) -> dict[Direction, Band]:
    """Numbered from 0, so that equal groups of different paths are known to be equal."""
    number = {variable: place for place, variable in enumerate(variables)}
    return {tuple((number[variable], coefficient) for variable, coefficient in direction): band for direction, band in bands.items()}


def _chance(laws: Sequence[Law], bands: dict[Direction, Band]) -> Real:
    noises = {law.noise for law in laws}
    if noises <= _EXPONENTIAL_PIECES:
        parameters = {x: (law.noise, tuple(_rational(one) for one in law.parameters)) for x, law in enumerate(laws)}
        return _both(bands, lambda region: _tame(continuous(parameters, region)))
    if noises == {Noise.GEOMETRIC}:
        scales = {x: law.parameters[0] for x, law in enumerate(laws)}
        return _both(bands, lambda region: geometric(scales, region))
    if noises == {Noise.GAUSSIAN} and len(bands) == 1:
        ((direction, band),) = bands.items()
        variance: Real = Fraction(0)
        for x, coefficient in direction:
            deviation = laws[x].parameters[0]
            variance = plus(variance, times(coefficient * coefficient, times(deviation, deviation)))
        return between(band.low, band.high, root(variance))
    raise Beyond("a combination of noises without a closed form here")


def _tame(value: Amount) -> Real:
    """As it is, unless written out it would fill the memory: what is below e^-20000 is then only known to be that."""
    near = Amount(tuple((a, c) for a, c in value.terms if a >= -_FARTHEST))
    if any(a > _FARTHEST for a, _ in near.terms):
        raise Beyond("exponentials too large to write down")
    if near == value:
        return simple(value)
    rest = exp_bounds(Fraction(-_FARTHEST))[1] * sum(abs(c) for a, c in value.terms if a < -_FARTHEST)
    low, high = near.bounds()
    return Interval.around(max(Fraction(0), low - rest), high + rest)


def _rational(value: Real) -> Fraction:
    if not isinstance(value, Fraction):
        raise Beyond("a scale that is not rational")
    return value


def _both(bands: dict[Direction, Band], probability: Callable[[Region], Real]) -> Real:
    """The probability; where an end is only known within bounds, that of the smallest region to that of the largest."""
    inner, outer = ({direction: _ends(band, wide) for direction, band in bands.items()} for wide in (False, True))
    large = probability(outer)
    if inner == outer:
        return large
    empty = any(low is not None and high is not None and low >= high for low, high in inner.values())
    small = Fraction(0) if empty else probability(inner)
    return Interval.around(bounds(small)[0], bounds(large)[1])


def _ends(band: Band, wide: bool) -> Ends:
    low, high = (None if end is None else bounds(end) for end in (band.low, band.high))
    return (None if low is None else low[0 if wide else 1], None if high is None else high[1 if wide else 0])
