"""The same question answered several times: sums are averaged, each counting by how little noise
it has. All of it was paid for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.plan.measures import Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.release.noise import AdditiveNoise, CountingStep, NoiseMechanism, ReleaseNoise
from hedgerow.release.payload import Release

__all__ = [
    "WeightedNoise",
    "average_releases",
    "find_fineness",
    "find_noise",
    "read_columns",
    "select_comparable",
]

NoisyColumn = Sequence[Any]


@dataclass(frozen=True, slots=True)
class WeightedNoise:
    """Noise of several releases together: each law with the share that its number has in the
    average. Besides, a number may lack up to ``bias``, where what units with too many rows put in
    was cut."""

    terms: tuple[tuple[AdditiveNoise, Fraction], ...]
    bias: Fraction = Fraction(0)


def select_comparable(releases: Sequence[Release]) -> Sequence[Release]:
    """The first release, and those after it that can be averaged with it: none where keys were
    selected.
    """
    first = releases[0]
    return (
        releases
        if first.noise.threshold is None and all(release.keys == first.keys for release in releases)
        else releases[:1]
    )


def find_fineness(noise: ReleaseNoise, index: int) -> CountingStep:
    """Return in what parts of a step the numbers of a measure are counted."""
    return noise.counting_steps[index] if noise.counting_steps else CountingStep()


def find_noise(noise: ReleaseNoise, index: int) -> NoiseMechanism | WeightedNoise:
    """The noise of the numbers of a measure, once they are what they count again: half its own,
    and its share of that of the units.
    """
    law, centre, lost = (
        noise.mechanisms[index],
        noise.centre,
        find_fineness(noise, index).lost_parts,
    )
    bound = None if centre is None else dict(centre.bounds).get(index)
    if centre is None or bound is None:
        return WeightedNoise(((law, Fraction(1)),), Fraction(lost)) if lost else law  # type: ignore[arg-type]
    half = Fraction(1, 2)
    return WeightedNoise(
        ((law, half), (noise.mechanisms[centre.units], half * bound)),  # type: ignore[arg-type]
        Fraction(lost),
    )


def read_columns(
    release: Release, measures: Sequence[Measure | OrderStatistic], index: int
) -> Sequence[NoisyColumn]:
    """The columns of a measure: what was measured from the middle is put back."""
    starts = [sum(measure.width for measure in measures[:place]) for place in range(len(measures))]
    columns = release.numbers[starts[index] : starts[index] + measures[index].width]
    centre = release.noise.centre
    bound = None if centre is None else dict(centre.bounds).get(index)
    if centre is None or bound is None:
        return columns
    return [
        [
            Fraction(z + bound * p, 2)
            for z, p in zip(columns[0], release.numbers[starts[centre.units]], strict=True)
        ]
    ]


def average_releases(
    columns: Sequence[Sequence[NoisyColumn]],
    laws: Sequence[AdditiveNoise | WeightedNoise],
    factors: Sequence[int] = (),
) -> tuple[list[NoisyColumn], AdditiveNoise | WeightedNoise, int]:
    """The columns of a measure, its law and in what parts of a step they are, averaged over
    releases: ``columns`` has those of each, ``laws`` the law of each, ``factors`` how many parts a
    step had.

    Inverse variance: the variance of either noise grows as the square of its scale.
    """
    factors = factors or [1] * len(laws)
    if len(laws) == 1:
        return list(columns[0]), laws[0], factors[0]
    most = math.lcm(*factors)  # the finest, as factors are powers of two
    times = [most // factor for factor in factors]
    weights = _compute_weights(
        [time**2 * _compute_relative_variance(law) for law, time in zip(laws, times, strict=True)]
    )
    shares = [weight * time for weight, time in zip(weights, times, strict=True)]
    averaged: list[NoisyColumn] = [
        [
            sum(share * number for share, number in zip(shares, numbers, strict=True))
            for numbers in zip(*each, strict=True)
        ]
        for each in zip(*columns, strict=True)
    ]
    parts = [
        (one, within * share)
        for law, share in zip(laws, shares, strict=True)
        for one, within in _list_terms(law)
    ]
    bias = sum(
        (
            share * law.bias
            for law, share in zip(laws, shares, strict=True)
            if isinstance(law, WeightedNoise)
        ),
        Fraction(0),
    )
    return averaged, WeightedNoise(tuple(parts), bias), most


def _list_terms(law: AdditiveNoise | WeightedNoise) -> tuple[tuple[AdditiveNoise, Fraction], ...]:
    return law.terms if isinstance(law, WeightedNoise) else ((law, Fraction(1)),)


def _compute_relative_variance(law: AdditiveNoise | WeightedNoise) -> Fraction:
    """Up to a factor that all noise of one kind has."""
    return sum(((share * Fraction(one.scale)) ** 2 for one, share in _list_terms(law)), Fraction(0))


def _compute_weights(variances: Sequence[Fraction]) -> list[Fraction]:
    """Short fractions are enough: any weights that add up to 1 are right, and these are about
    the best.
    """
    least = min(variances)
    shares = [Fraction(round(least / variance * 10**6)) for variance in variances]
    return [share / sum(shares) for share in shares]
