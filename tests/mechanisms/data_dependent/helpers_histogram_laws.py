"""Exact distributions of the stability histogram, and mistakes planted into it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import inf, nan
from typing import Any

import numpy as np

from hedgerow.mechanisms import Laplace
from hedgerow.mechanisms.data_dependent.stability_histogram import StabilityHistogram
from hedgerow.privacy.loss import Loss
from hedgerow.verify.divergence import epsilon_distance, ln
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_exact_distributions as exactly

RELATIONS = ["add-remove", "change-one"]


DELTA = Fraction(1, 40)


def key_law(q: Fraction, threshold: int, count: int, top: int) -> dict[Any, Fraction]:
    """Return the distribution of None or the noisy count; from ``top`` on it is lumped."""
    law: dict[Any, Fraction] = {None: 1 - exactly.at_least(q, threshold - count)}
    law |= {y: exactly.at(q, y - count) for y in range(threshold, top)}
    return law | {"more": exactly.at_least(q, top - count)}


def law(
    q: Fraction, threshold: int, counts: dict[str, int], keys: str, top: int
) -> dict[Any, Fraction]:
    """Return the joint distribution of the published ``keys``; a key not in the data never is."""
    cells = [
        key_law(q, threshold, counts[key], top) if key in counts else {None: exactly.ONE}
        for key in keys
    ]
    joint: dict[Any, Fraction] = {}
    for outcome in product(*(cell.items() for cell in cells)):
        weight = exactly.ONE
        for _, part in outcome:
            weight *= part
        joint[tuple(y for y, _ in outcome)] = weight
    return joint


def units(max_keys: int, per_key: int) -> list[tuple[str, ...]]:
    """Return all possible units: up to ``max_keys`` of the keys a and b, each up to ``per_key``
    times.
    """
    times = range(per_key + 1)
    return [("a" * i, "b" * j) for i in times for j in times if 0 < (i > 0) + (j > 0) <= max_keys]


def small(neighbours: str, max_keys: int, per_key: int) -> list[tuple[tuple[str, ...], ...]]:
    sizes = [2] if neighbours == "change-one" else [0, 1, 2]
    return [
        rows for n in sizes for rows in combinations_with_replacement(units(max_keys, per_key), n)
    ]


def counted(rows: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    return dict(Counter("".join("".join(row) for row in rows)))


def cut_law(q: Fraction, cut: int, count: int) -> dict[Any, Fraction]:
    """Return the distribution of None or a noisy count above ``cut``; a count of 0 is no key."""
    if count == 0:
        return {None: exactly.ONE}
    total = sum(q ** abs(z) for z in range(-cut, cut + 1))
    found: dict[Any, Fraction] = {None: Fraction(0)}
    for z in range(-cut, cut + 1):
        said = count + z if count + z > cut else None
        found[said] = found.get(said, Fraction(0)) + q ** abs(z) / total
    return found


def end(q: Fraction, cut: int, s: int) -> Fraction:
    """Return the probability of the s largest values."""
    return sum((q ** abs(z) for z in range(cut - s + 1, cut + 1)), Fraction(0)) / sum(
        q ** abs(z) for z in range(-cut, cut + 1)
    )


def cut_distance(q: Fraction, cut: int, one: tuple[int, ...], other: tuple[int, ...]) -> Fraction:
    """Return the unmatched mass, in either direction, at the epsilon of that move."""
    worlds: list[dict[Any, Fraction]] = []
    for counts in (one, other):
        joint: dict[Any, Fraction] = {(): exactly.ONE}
        for count in counts:
            law = cut_law(q, cut, count)
            joint = {
                (*said, y): weight * part
                for said, weight in joint.items()
                for y, part in law.items()
            }
        worlds.append(joint)
    epsilon = sum(abs(a - b) for a, b in zip(one, other, strict=True)) * ln(1 / q)
    return max(
        epsilon_distance(*worlds, epsilon).value, epsilon_distance(*worlds[::-1], epsilon).value
    )


class SpentOnce(StabilityHistogram):
    """Planted mistake: delta for lone keys only, as for untruncated noise."""

    def loss(self, group: int = 1) -> Loss:
        loss = super().loss(group)
        return Loss(loss.epsilon, loss.delta / 2, loss.rho)


class NotCut(StabilityHistogram):
    """Planted mistake: untruncated noise."""

    def sample(self, counts: Any) -> dict[Any, int]:
        super().sample(counts)
        return StabilityHistogram(self.scale, self.threshold, self.neighbours).sample(counts)


class Clipped(StabilityHistogram):
    """Planted mistake: noise clamped to the cut instead of redrawn."""

    def sample(self, counts: Any) -> dict[Any, int]:
        super().sample(counts)
        k = self.threshold - 1
        noisy = {
            key: counts[key] + max(-k, min(k, Laplace(self.scale).sample(0)))
            for key in sorted(counts)
        }
        return {key: count for key, count in noisy.items() if count > k}


COUNTS = {
    "zero": {"a": 5, "b": 0},
    "negative": {"a": -bad.SECRET},
    "half": {"a": bad.SECRET + 0.5},
    "NaN": {"a": nan},
    "infinity": {"a": inf},
    "None": {"a": None},
    "text": {"a": f"x{bad.SECRET}"},
    "truth": {"a": True},
    "array": {"a": np.array([bad.SECRET])},
    "NaN as a key": {nan: 5},
    "NaN in a key": {("a", np.float64(nan)): 5},
    "a key without order": {complex(bad.SECRET, 1): 5},
    "a set as a key": {frozenset({bad.SECRET}): 5},
    "no mapping": [("a", bad.SECRET)],
    "nothing": None,
}
