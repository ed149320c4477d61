"""The same question answered several times: sums are averaged, each counting by how little noise it has. All of it was paid for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.plan.measures import Measure
from hedgerow.plan.picks import Pick
from hedgerow.release import Additive, Fine, Law, Noise, Release

__all__ = ["Blend", "blend", "comparable", "fine_of", "law_of", "numbers_of"]

Column = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Blend:
    """Noise of several releases together: each law with the share that its number has in the average. Besides, a number may lack up to
    ``bias``, where what units with too many rows put in was cut."""

    parts: tuple[tuple[Additive, Fraction], ...]
    bias: Fraction = Fraction(0)


def comparable(releases: Sequence[Release]) -> Sequence[Release]:
    """The first release, and those after it that can be averaged with it: none where keys were selected."""
    first = releases[0]
    return releases if first.noise.threshold is None and all(release.keys == first.keys for release in releases) else releases[:1]


def fine_of(noise: Noise, index: int) -> Fine:
    """Return in what parts of a step the numbers of a measure are counted."""
    return noise.fine[index] if noise.fine else Fine()


def law_of(noise: Noise, index: int) -> Law | Blend:
    """The noise of the numbers of a measure, once they are what they count again: half its own, and its share of that of the units."""
    law, centre, lost = noise.laws[index], noise.centre, fine_of(noise, index).lost
    bound = None if centre is None else dict(centre.bounds).get(index)
    if centre is None or bound is None:
        return Blend(((law, Fraction(1)),), Fraction(lost)) if lost else law  # type: ignore[arg-type]
    half = Fraction(1, 2)
    return Blend(((law, half), (noise.laws[centre.units], half * bound)), Fraction(lost))  # type: ignore[arg-type]


def numbers_of(release: Release, measures: Sequence[Measure | Pick], index: int) -> Sequence[Column]:
    """The columns of a measure: what was measured from the middle is put back."""
    starts = [sum(measure.width for measure in measures[:place]) for place in range(len(measures))]
    columns = release.numbers[starts[index] : starts[index] + measures[index].width]
    centre = release.noise.centre
    bound = None if centre is None else dict(centre.bounds).get(index)
    if centre is None or bound is None:
        return columns
    return [[Fraction(z + bound * p, 2) for z, p in zip(columns[0], release.numbers[starts[centre.units]], strict=True)]]


def blend(
    columns: Sequence[Sequence[Column]], laws: Sequence[Additive | Blend], factors: Sequence[int] = ()
) -> tuple[list[Column], Additive | Blend, int]:
    """The columns of a measure, its law and in what parts of a step they are, averaged over releases: ``columns`` has those of each,
    ``laws`` the law of each, ``factors`` how many parts a step had.

    Inverse variance: the variance of either noise grows as the square of its scale.
    """
    factors = factors or [1] * len(laws)
    if len(laws) == 1:
        return list(columns[0]), laws[0], factors[0]
    most = math.lcm(*factors)  # the finest, as factors are powers of two
    times = [most // factor for factor in factors]
    weights = _weights([time**2 * _variance(law) for law, time in zip(laws, times, strict=True)])
    shares = [weight * time for weight, time in zip(weights, times, strict=True)]
    averaged: list[Column] = [
        [sum(share * number for share, number in zip(shares, numbers, strict=True)) for numbers in zip(*each, strict=True)]
        for each in zip(*columns, strict=True)
    ]
    parts = [(one, within * share) for law, share in zip(laws, shares, strict=True) for one, within in _parts(law)]
    bias = sum((share * law.bias for law, share in zip(laws, shares, strict=True) if isinstance(law, Blend)), Fraction(0))
    return averaged, Blend(tuple(parts), bias), most


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
