"""The noise of averaged answers: answers to the same question are averaged with weights by their
precision. All of them were paid for.
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
    """The noise of several releases together: each mechanism with the weight of its number in the
    average.

    A number may also lack up to ``bias``, where the contributions of units with too many rows were
    truncated.
    """

    terms: tuple[tuple[AdditiveNoise, Fraction], ...]
    bias: Fraction = Fraction(0)


def select_comparable(releases: Sequence[Release]) -> Sequence[Release]:
    """Return the releases that can be averaged with the first one: only itself if groups were
    selected.
    """
    first = releases[0]
    return (
        releases
        if first.noise.threshold is None and all(release.keys == first.keys for release in releases)
        else releases[:1]
    )


def find_fineness(noise: ReleaseNoise, index: int) -> CountingStep:
    """Return the counting step of a measure."""
    return noise.counting_steps[index] if noise.counting_steps else CountingStep()


def find_noise(noise: ReleaseNoise, index: int) -> NoiseMechanism | WeightedNoise:
    """Return the noise of a measure once centred counts are restored: half of its own, and its
    share of that of the count of units.
    """
    mechanism, centre, lost = (
        noise.mechanisms[index],
        noise.centre,
        find_fineness(noise, index).lost_parts,
    )
    bound = None if centre is None else dict(centre.bounds).get(index)
    if centre is None or bound is None:
        return WeightedNoise(((mechanism, Fraction(1)),), Fraction(lost)) if lost else mechanism  # type: ignore[arg-type]
    half = Fraction(1, 2)
    return WeightedNoise(
        ((mechanism, half), (noise.mechanisms[centre.units], half * bound)),  # type: ignore[arg-type]
        Fraction(lost),
    )


def read_columns(
    release: Release, measures: Sequence[Measure | OrderStatistic], index: int
) -> Sequence[NoisyColumn]:
    """Return the columns of a measure, with centred counts restored."""
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
    mechanisms: Sequence[AdditiveNoise | WeightedNoise],
    factors: Sequence[int] = (),
) -> tuple[list[NoisyColumn], AdditiveNoise | WeightedNoise, int]:
    """Average the columns of a measure over releases by inverse variance, and return them with
    their noise and counting step.

    ``columns``, ``mechanisms`` and ``factors`` hold the columns, the noise and the parts per step
    of each release. The variance of either noise grows as the square of its scale.
    """
    factors = factors or [1] * len(mechanisms)
    if len(mechanisms) == 1:
        return list(columns[0]), mechanisms[0], factors[0]
    most = math.lcm(*factors)  # the finest, as factors are powers of two
    times = [most // factor for factor in factors]
    weights = _compute_weights(
        [
            time**2 * _compute_relative_variance(mechanism)
            for mechanism, time in zip(mechanisms, times, strict=True)
        ]
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
        for mechanism, share in zip(mechanisms, shares, strict=True)
        for one, within in _list_terms(mechanism)
    ]
    bias = sum(
        (
            share * mechanism.bias
            for mechanism, share in zip(mechanisms, shares, strict=True)
            if isinstance(mechanism, WeightedNoise)
        ),
        Fraction(0),
    )
    return averaged, WeightedNoise(tuple(parts), bias), most


def _list_terms(noise: AdditiveNoise | WeightedNoise) -> tuple[tuple[AdditiveNoise, Fraction], ...]:
    return noise.terms if isinstance(noise, WeightedNoise) else ((noise, Fraction(1)),)


def _compute_relative_variance(mechanism: AdditiveNoise | WeightedNoise) -> Fraction:
    """Return the variance up to a factor that all noise of one kind shares."""
    return sum(
        ((share * Fraction(one.scale)) ** 2 for one, share in _list_terms(mechanism)), Fraction(0)
    )


def _compute_weights(variances: Sequence[Fraction]) -> list[Fraction]:
    """Return short weights that add up to 1, and are nearly optimal: any such weights are valid."""
    least = min(variances)
    shares = [Fraction(round(least / variance * 10**6)) for variance in variances]
    return [share / sum(shares) for share in shares]
