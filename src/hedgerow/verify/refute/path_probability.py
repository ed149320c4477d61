"""The probability of a path: its region is split into groups of variables that share bands, and
each group is computed by the method that fits.

Laplace, exponential and uniform variables: exact (``integrals``). Geometric ones: enclosed
(``geometric_bounds``). Gaussian ones: enclosed if all bands of a group have the same direction, so
that the combination is Gaussian again (``normal_bounds``). Anything else is ``OutOfScope``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from hedgerow.numeric.rounding import exp_bounds
from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.language.program import Noise
from hedgerow.verify.refute.geometric_bounds import bound_geometric_region
from hedgerow.verify.refute.integrals import Ends, Region, integrate_region
from hedgerow.verify.refute.interval_arithmetic import (
    RealInterval,
    RealNumber,
    add_reals,
    compute_sqrt,
    enclose,
    multiply_reals,
    simplify,
)
from hedgerow.verify.refute.linear_noise import (
    Direction,
    NoiseBand,
    NoiseDistribution,
    PathCondition,
)
from hedgerow.verify.refute.normal_bounds import bound_probability
from hedgerow.verify.refute.out_of_scope import OutOfScope

__all__ = ["PathProbability"]

_MAX_EXPONENT = 20_000
_EXPONENTIAL_PIECES = frozenset({Noise.LAPLACE, Noise.EXPONENTIAL, Noise.UNIFORM})


class PathProbability:
    """Path probabilities with a cache: the paths of one program share most of their groups."""

    def __init__(self) -> None:
        self._cache: dict[object, RealNumber] = {}

    def compute_sum(self, stores: Iterable[PathCondition]) -> RealNumber:
        """Return the total probability of paths that exclude each other."""
        result: RealNumber = Fraction(0)
        for store in stores:
            result = add_reals(result, self.compute(store))
        return result

    def compute(self, store: PathCondition) -> RealNumber:
        """Return the probability of one path."""
        result = store.weight
        for variables in _group_variables(store):
            bands = {
                direction: band
                for direction, band in (store.bands or {}).items()
                if direction[0][0] in variables
            }
            probability = self._compute_group(
                [store.distributions[x] for x in sorted(variables)],
                _renumber_variables(bands, sorted(variables)),
            )
            if probability == Fraction(0):
                return Fraction(0)
            result = multiply_reals(result, probability)
        return result

    def _compute_group(
        self, laws: Sequence[NoiseDistribution], bands: dict[Direction, NoiseBand]
    ) -> RealNumber:
        key = (
            repr(laws),
            frozenset((direction, repr(band)) for direction, band in bands.items()),
        )
        if key not in self._cache:
            self._cache[key] = _compute_probability(laws, bands)
        return self._cache[key]


def _group_variables(store: PathCondition) -> list[set[int]]:
    """Group the variables that share bands; a variable without bands has no effect."""
    groups: list[set[int]] = []
    for direction in store.bands or {}:
        tied = {variable for variable, _ in direction}
        separate = [group for group in groups if not group & tied]
        groups = [*separate, tied.union(*(group for group in groups if group & tied))]
    return groups


def _renumber_variables(
    bands: dict[Direction, NoiseBand], variables: list[int]
) -> dict[Direction, NoiseBand]:
    """Number the variables from 0, so that equal groups of different paths share a cache entry."""
    number = {variable: place for place, variable in enumerate(variables)}
    return {
        tuple((number[variable], coefficient) for variable, coefficient in direction): band
        for direction, band in bands.items()
    }


def _compute_probability(
    laws: Sequence[NoiseDistribution], bands: dict[Direction, NoiseBand]
) -> RealNumber:
    noises = {law.noise for law in laws}
    if noises <= _EXPONENTIAL_PIECES:
        parameters = {
            x: (law.noise, tuple(_require_rational(one) for one in law.parameters))
            for x, law in enumerate(laws)
        }
        return _enclose_probability(
            bands, lambda region: _cut_tiny_terms(integrate_region(parameters, region))
        )
    if noises == {Noise.GEOMETRIC}:
        scales = {x: law.parameters[0] for x, law in enumerate(laws)}
        return _enclose_probability(bands, lambda region: bound_geometric_region(scales, region))
    if noises == {Noise.GAUSSIAN} and len(bands) == 1:
        ((direction, band),) = bands.items()
        variance: RealNumber = Fraction(0)
        for x, coefficient in direction:
            deviation = laws[x].parameters[0]
            variance = add_reals(
                variance,
                multiply_reals(coefficient * coefficient, multiply_reals(deviation, deviation)),
            )
        return bound_probability(band.low, band.high, compute_sqrt(variance))
    raise OutOfScope("a combination of noise distributions without a closed form")


def _cut_tiny_terms(value: ExponentialSum) -> RealNumber:
    """Replace terms below e^-20000, which would fill the memory if written out, by bounds."""
    near = ExponentialSum(tuple((a, c) for a, c in value.terms if a >= -_MAX_EXPONENT))
    if any(a > _MAX_EXPONENT for a, _ in near.terms):
        raise OutOfScope("exponentials too large to write down")
    if near == value:
        return simplify(value)
    rest = exp_bounds(Fraction(-_MAX_EXPONENT))[1] * sum(
        abs(c) for a, c in value.terms if a < -_MAX_EXPONENT
    )
    low, high = near.bounds()
    return RealInterval.around(max(Fraction(0), low - rest), high + rest)


def _require_rational(value: RealNumber) -> Fraction:
    if not isinstance(value, Fraction):
        raise OutOfScope("a scale that is not rational")
    return value


def _enclose_probability(
    bands: dict[Direction, NoiseBand], probability: Callable[[Region], RealNumber]
) -> RealNumber:
    """Return the probability, or its interval from the smallest to the largest possible region if
    an end is only known within bounds.
    """
    inner, outer = (
        {direction: _round_ends(band, wide) for direction, band in bands.items()}
        for wide in (False, True)
    )
    large = probability(outer)
    if inner == outer:
        return large
    empty = any(
        low is not None and high is not None and low >= high for low, high in inner.values()
    )
    small = Fraction(0) if empty else probability(inner)
    return RealInterval.around(enclose(small)[0], enclose(large)[1])


def _round_ends(band: NoiseBand, wide: bool) -> Ends:
    low, high = (None if end is None else enclose(end) for end in (band.low, band.high))
    return (
        None if low is None else low[0 if wide else 1],
        None if high is None else high[1 if wide else 0],
    )
