"""Exhaustive checks: every data set over a few points, every pair of neighbours, every outcome."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, permutations
from math import log
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms.selection.grid_selection import GridSelection
from hedgerow.sensitivity.rank_pieces import RankPieces
from hedgerow.sensitivity.sample import SortedSample

Data = tuple[int, ...]
Law = dict[Any, float]


def sample(data: Data, points: int) -> SortedSample:
    return SortedSample(np.array(sorted(data), dtype=np.int64), 0, points - 1)


def every(points: int, sizes: range) -> list[Data]:
    """Return all data sets of these sizes over 0, …, points-1; order does not matter."""
    return [data for n in sizes for data in combinations_with_replacement(range(points), n)]


def neighbours(relation: str, points: int, most: int) -> Iterator[tuple[Data, Data]]:
    """Yield all pairs of neighbours of up to ``most`` rows, in both orders."""
    for rest in every(points, range(most)):
        more = [tuple(sorted((*rest, z))) for z in range(points)]
        yield from (
            permutations(more, 2)
            if relation == "change-one"
            else [pair for one in more for pair in ((one, rest), (rest, one))]
        )


def count(data: SortedSample, points: list[int]) -> RankPieces:
    """Count the values below, at and above each point, one by one."""
    at = np.array(points)
    below, equal, above = (
        (side(data.values[:, None], at)).sum(axis=0) for side in (np.less, np.equal, np.greater)
    )
    return RankPieces(at, np.ones_like(at), below, equal, above)


def law_of(aim: GridSelection) -> Law:
    """Return the distribution exp(-factor off) over all points, normalised."""
    points = list(range(aim.sample.lower, aim.sample.upper + 1))
    weights = np.exp(-float(aim.factor) * aim.rank_errors(count(aim.sample, points)))
    return dict(zip(points, (weights / weights.sum()).tolist(), strict=True))


class _Fork(Exception):
    def __init__(self, law: Law) -> None:
        self.law = law


def outcomes(monkeypatch: pytest.MonkeyPatch, run: Callable[[], Any]) -> Law:
    """Return the exact distribution of what ``run`` returns, however many choices it makes.

    Every branch is taken, and weighted by its probability.
    """
    found: Law = defaultdict(float)
    path: list[int] = []
    taken = 0

    def follow(aim: GridSelection) -> int:
        nonlocal taken
        if taken == len(path):
            raise _Fork(law_of(aim))
        taken += 1
        return path[taken - 1]

    open_paths: list[tuple[list[int], float]] = [([], 1.0)]
    with monkeypatch.context() as patch:
        patch.setattr(GridSelection, "draw", follow)
        while open_paths:
            path, chance = open_paths.pop()
            taken = 0
            try:
                result = run()
            except _Fork as fork:
                open_paths += [([*path, z], chance * p) for z, p in fork.law.items()]
            else:
                found[tuple(result) if isinstance(result, list) else result] += chance
    return found


def worst(one: Law, other: Law) -> float:
    """Return the largest ln(one/other)."""
    assert abs(sum(one.values()) - 1) < 1e-9
    assert one.keys() == other.keys()
    return max(log(one[z] / other[z]) for z in one)


def renyi(one: Law, other: Law, order: float) -> float:
    """Return D_order(one || other)/order."""
    if order == 1:
        return sum(p * log(p / other[z]) for z, p in one.items())
    return (
        log(sum(p**order * other[z] ** (1 - order) for z, p in one.items())) / (order - 1) / order
    )
