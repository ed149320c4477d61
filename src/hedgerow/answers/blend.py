"""The same question answered several times: sums are averaged, each counting by how little noise it has. All of it was paid for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.plan.measures import Measure
from hedgerow.plan.picks import Pick
from hedgerow.release import Additive, Law, Noise, Release

__all__ = ["Blend", "blend", "comparable", "law_of", "numbers_of"]

Column = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Blend:
    """Noise of several releases together: each law with the share that its number has in the average."""

    parts: tuple[tuple[Additive, Fraction], ...]


def comparable(releases: Sequence[Release]) -> Sequence[Release]:
    """The first release, and those after it that can be averaged with it: none where keys were selected."""
    first = releases[0]
    return releases if first.noise.threshold is None and all(release.keys == first.keys for release in releases) else releases[:1]


def law_of(noise: Noise, index: int) -> Law | Blend:
    """The noise of the numbers of a measure, once they are what they count again: half its own, and its share of that of the units."""
    law, centre = noise.laws[index], noise.centre
    bound = None if centre is None else dict(centre.bounds).get(index)
    if centre is None or bound is None:
        return law
    half = Fraction(1, 2)
    return Blend(((law, half), (noise.laws[centre.units], half * bound)))  # type: ignore[arg-type]


def numbers_of(release: Release, measures: Sequence[Measure | Pick], index: int) -> Sequence[Column]:
    """The columns of a measure: what was measured from the middle is put back."""
    starts = [sum(measure.width for measure in measures[:place]) for place in range(len(measures))]
    columns = release.numbers[starts[index] : starts[index] + measures[index].width]
    centre = release.noise.centre
    bound = None if centre is None else dict(centre.bounds).get(index)
    if centre is None or bound is None:
        return columns
    return [[Fraction(z + bound * p, 2) for z, p in zip(columns[0], release.numbers[starts[centre.units]], strict=True)]]


def blend(columns: Sequence[Sequence[Column]], laws: Sequence[Additive | Blend]) -> tuple[list[Column], Additive | Blend]:
    """The columns of a measure and its law, averaged over releases: ``columns`` has those of each, ``laws`` the law of each.

    Inverse variance: the variance of either noise grows as the square of its scale.
    """
    if len(laws) == 1:
        return list(columns[0]), laws[0]
    weights = _weights([_variance(law) for law in laws])
    averaged: list[Column] = [
        [sum(w * number for w, number in zip(weights, numbers, strict=True)) for numbers in zip(*each, strict=True)]
        for each in zip(*columns, strict=True)
    ]
    parts = [(one, share * weight) for law, weight in zip(laws, weights, strict=True) for one, share in _parts(law)]
    return averaged, Blend(tuple(parts))


def _parts(law: Additive | Blend) -> tuple[tuple[Additive, Fraction], ...]:
    return law.parts if isinstance(law, Blend) else ((law, Fraction(1)),)


def _variance(law: Additive | Blend) -> Fraction:
    """Up to a factor that all noise of one kind has."""
    return sum(((share * Fraction(one.scale)) ** 2 for one, share in _parts(law)), Fraction(0))


def _weights(variances: Sequence[Fraction]) -> list[Fraction]:
    """Short fractions are enough: any weights that add up to 1 are right, and these are about the best."""
    least = min(variances)
    shares = [Fraction(round(least / variance * 10**6)) for variance in variances]
    return [share / sum(shares) for share in shares]
