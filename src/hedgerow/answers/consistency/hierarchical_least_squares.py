"""Least squares over a hierarchy of noisy numbers, so that totals equal the sums of their parts.

| symbol | meaning |
|---|---|
| y | a noisy number |
| z | y, averaged with the sum of its parts |
| x | z, corrected to fit the number above it |
| a | the weight of y against the sum of its parts, by inverse variance |
| n | how many parts each number of a level has |
| l, j | the levels of two numbers |
| m | the level of their nearest common ancestor, or of the ancestor among the two |

Level 0 has the totals. Every number of a further level is a part of one number of the level above,
and all numbers of a level have equally many parts. Upwards, each number is averaged with the sum of
its parts:  z = a y + (1 - a) (sum of z below). Downwards, the difference between a total and the
sum of its parts is spread over the parts evenly, since they have the same variance:
x = z + (x above - sum of z of its siblings and itself)/n. For such a hierarchy this is the
least-squares solution (Hay et al. 2010, with a variance for each level), so no variance grows.

By symmetry the weight of a number of level j in a number of level l depends only on j and m. So all
numbers of a level have the same noise distribution.
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

# Any weights give consistent numbers; these are optimal up to twelve digits.
_WEIGHT_DENOMINATOR = 2**40
_STEPS_PER_DEVIATION = 2**16  # numbers are rounded to this part of a standard deviation
_MAX_EXACT_STEPS = 2**51


@dataclass(frozen=True, slots=True)
class HierarchyLevel:
    """The noisy numbers of one level, their noise, and the index of each number's parent in the
    level above (none at the top)."""

    numbers: Sequence[Fraction]
    noise: WeightedNoise
    parents: Sequence[int] = ()


def make_consistent(levels: Sequence[HierarchyLevel]) -> list[HierarchyLevel]:
    """Return the levels with numbers that add up exactly, and the noise that these have."""
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
    """Return the number of parts that every number of a level has."""
    counts = Counter(below.parents)
    if (
        len(below.parents) != len(below.numbers)
        or set(counts) != set(range(len(above.numbers)))
        or len(set(counts.values())) != 1
    ):
        raise InvalidArgument(
            "levels", "must give every number of the level above equally many parts"
        )
    return counts[0]


def _sum_parts(numbers: Sequence[Fraction], parents: Sequence[int], count: int) -> list[Fraction]:
    sums = [Fraction(0)] * count
    for number, parent in zip(numbers, parents, strict=True):
        sums[parent] += number
    return sums


def _compute_own_weights(variances: Sequence[float], fans: Sequence[int]) -> list[Fraction]:
    """Return the weight of a number against the sum of its parts, for each level; 1 at the last
    level, which has no parts."""
    weights, left = [Fraction(1)], variances[-1]
    for own, fan in zip(reversed(variances[:-1]), reversed(fans), strict=True):
        parts = fan * left
        share = parts / (own + parts) if own + parts > 0 else 0.5
        weights.append(Fraction(round(share * _WEIGHT_DENOMINATOR), _WEIGHT_DENOMINATOR))
        left = own * share
    return weights[::-1]


def _compute_weights(
    own: Sequence[Fraction], fans: Sequence[int]
) -> list[dict[tuple[int, int], Fraction]]:
    """Return for each level the weight of a number of level j with a common ancestor at level m,
    by (j, m)."""
    levels = len(own)
    raised = [
        {
            j: (
                (own[j] if j < levels - 1 else Fraction(1))
                * math.prod((1 - own[i] for i in range(l, j)), start=Fraction(1))
            )
            for j in range(l, levels)
        }
        for l in range(levels)  # noqa: E741
    ]
    found = [{(j, 0): weight for j, weight in raised[0].items()}]
    for here in range(1, levels):
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
        count = under if m == here or j == m else under - math.prod(fans[m + 1 : j])
        bias += count * abs(weight) * levels[j].noise.bias
        for term, share in levels[j].noise.terms:
            parts += [(term, abs(share * weight))] * count  # noise is symmetric
    return WeightedNoise(tuple(part for part in parts if part[1]), bias)


def round_consistently(
    levels: Sequence[HierarchyLevel], unit: Fraction = Fraction(1), *, whole: bool = False
) -> list[list[Any]]:
    """Return the numbers times ``unit`` as doubles that add up in any order: all are multiples of
    one power of two, each off by less than that. With ``whole``, return integers.

    A total is rounded to one of the two nearest multiples. Its parts are rounded down, and then as
    many of them as needed are raised by one step, those with the largest remainders first.
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
    """Return the exponent of the largest power of two up to ``value``; -1000 for 0."""
    return math.frexp(value)[1] - 1 if value > 0 else -1000
