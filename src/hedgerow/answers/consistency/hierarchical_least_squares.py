"""Totals and parts that add up: least squares over a hierarchy of noisy numbers, each with noise of
its own.

Level 0 has the totals; every number of the next level is a part of one number of the level before,
and each has equally many parts. Upwards, a number is averaged with the sum of its parts, by inverse
variance:  z = a y + (1 - a) (sum of z below). Downwards, what a total is more than the sum of its
parts is spread over them evenly, since they are equally uncertain:  x = z + (x above - sum of z
beside)/n. For such a hierarchy this is the least-squares answer (Hay et al. 2010, with a variance
for each level): no number gets more variance.

By symmetry a number of level l is made of the others with weights that depend only on the level j
of the other and on the level m of the nearest number which both are parts of (or are). So all
numbers of a level have one law.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from hedgerow.accuracy.noise_variance import compute_variance
from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.errors import InvalidArgument
from hedgerow.release.noise import AdditiveNoise

__all__ = ["HierarchyLevel", "make_consistent", "round_consistently"]

_WEIGHT_DENOMINATOR = 2**40  # any weights are right, and these are the best but for twelve digits
_STEPS_PER_DEVIATION = 2**16  # parts of a standard deviation to which numbers are rounded
_MAX_EXACT_STEPS = 2**51


@dataclass(frozen=True, slots=True)
class HierarchyLevel:
    """Noisy numbers, the law of each, and the place of the number of the level before that each
    is a part of (at the top nothing).
    """

    numbers: Sequence[Fraction]
    noise: WeightedNoise
    parents: Sequence[int] = ()


def make_consistent(levels: Sequence[HierarchyLevel]) -> list[HierarchyLevel]:
    """The same levels with numbers that add up exactly, and their laws."""
    fans = [_count_parts(above, below) for above, below in pairwise(levels)]
    own = _compute_own_weights([compute_variance(level.noise) for level in levels], fans)
    raised = [list(level.numbers) for level in levels]
    for place in range(len(fans) - 1, -1, -1):
        sums = _sum_parts(raised[place + 1], levels[place + 1].parents, len(raised[place]))
        raised[place] = [
            own[place] * y + (1 - own[place]) * s for y, s in zip(raised[place], sums, strict=True)
        ]
    for place, fan in enumerate(fans, 1):
        sums = _sum_parts(raised[place], levels[place].parents, len(raised[place - 1]))
        lacking = [(total - s) / fan for total, s in zip(raised[place - 1], sums, strict=True)]
        raised[place] = [
            z + lacking[parent]
            for z, parent in zip(raised[place], levels[place].parents, strict=True)
        ]
    weights = _compute_weights(own, fans)
    return [
        HierarchyLevel(numbers, _combine_noise(place, weights[place], levels, fans), level.parents)
        for place, (numbers, level) in enumerate(zip(raised, levels, strict=True))
    ]


def _count_parts(above: HierarchyLevel, below: HierarchyLevel) -> int:
    """How many parts each number has."""
    counts = Counter(below.parents)
    if (
        len(below.parents) != len(below.numbers)
        or set(counts) != set(range(len(above.numbers)))
        or len(set(counts.values())) != 1
    ):
        raise InvalidArgument(
            "levels", "must each have equally many parts of every number of the level before"
        )
    return counts[0]


def _sum_parts(numbers: Sequence[Fraction], parents: Sequence[int], many: int) -> list[Fraction]:
    found = [Fraction(0)] * many
    for number, parent in zip(numbers, parents, strict=True):
        found[parent] += number
    return found


def _compute_own_weights(variances: Sequence[float], fans: Sequence[int]) -> list[Fraction]:
    """What a number counts against the sum of its parts, at each level; at the last one it is
    alone.
    """
    found, left = [Fraction(1)], variances[-1]
    for mine, fan in zip(reversed(variances[:-1]), reversed(fans), strict=True):
        parts = fan * left
        share = parts / (mine + parts) if mine + parts > 0 else 0.5
        found.append(Fraction(round(share * _WEIGHT_DENOMINATOR), _WEIGHT_DENOMINATOR))
        left = mine * share
    return found[::-1]


def _compute_weights(
    own: Sequence[Fraction], fans: Sequence[int]
) -> list[dict[tuple[int, int], Fraction]]:
    """For a number of each level the weight of one of level j which it meets at level m, by (j,
    m).
    """
    many = len(own)
    raised = [
        {
            j: (
                (own[j] if j < many - 1 else Fraction(1))
                * math.prod((1 - own[i] for i in range(l, j)), start=Fraction(1))
            )
            for j in range(l, many)
        }
        for l in range(many)  # noqa: E741
    ]
    found = [{(j, 0): weight for j, weight in raised[0].items()}]
    for here in range(1, many):
        above, fan = found[-1], fans[here - 1]
        mine = {
            (j, m): weight / fan
            for (j, m), weight in above.items()
            if m < here - 1 or j == here - 1
        }
        for j, weight in raised[here].items():
            beside = (above[j, here - 1] - weight) / fan
            mine |= {(j, here - 1): beside, (j, here): beside + weight}
        found.append(mine)
    return found


def _combine_noise(
    here: int,
    weights: Mapping[tuple[int, int], Fraction],
    levels: Sequence[HierarchyLevel],
    fans: Sequence[int],
) -> WeightedNoise:
    parts: list[tuple[AdditiveNoise, Fraction]] = []
    bias = Fraction(0)
    for (j, m), weight in weights.items():
        under = math.prod(fans[m:j])
        many = under if m == here or j == m else under - math.prod(fans[m + 1 : j])
        bias += many * abs(weight) * levels[j].noise.bias
        for one, share in levels[j].noise.terms:
            parts += [(one, abs(share * weight))] * many  # noise is symmetric
    return WeightedNoise(tuple(part for part in parts if part[1]), bias)


def round_consistently(
    levels: Sequence[HierarchyLevel], unit: Fraction = Fraction(1), *, whole: bool = False
) -> list[list[Any]]:
    """Return the numbers times ``unit`` as doubles that still add up, in whatever order: all are
    multiples of one power of two, each less than one of them off. With ``whole``, as whole numbers.

    A total is one of the two nearest multiples; of its parts those that lose most by being cut are
    raised, just as many as it takes.
    """
    least = min(math.sqrt(compute_variance(level.noise)) for level in levels) / _STEPS_PER_DEVIATION
    most = float(sum(map(abs, levels[-1].numbers))) / _MAX_EXACT_STEPS
    power = Fraction(1 if whole else 2) ** max(
        _floor_log2(least * float(unit)), _floor_log2(most * float(unit)) + 1
    )
    step = power / unit
    steps = [[round(number / step) for number in levels[0].numbers]]
    for level in levels[1:]:
        cut = [math.floor(number / step) for number in level.numbers]
        lacking = list(steps[-1])
        for number, parent in zip(cut, level.parents, strict=True):
            lacking[parent] -= number
        for place in sorted(
            range(len(cut)), key=lambda place: cut[place] - level.numbers[place] / step
        ):
            if lacking[level.parents[place]] > 0:
                lacking[level.parents[place]] -= 1
                cut[place] += 1
        steps.append(cut)
    return steps if whole else [[float(number * power) for number in column] for column in steps]


def _floor_log2(value: float) -> int:
    """Of the power of two next below; far down for 0."""
    return math.frexp(value)[1] - 1 if value > 0 else -1000
