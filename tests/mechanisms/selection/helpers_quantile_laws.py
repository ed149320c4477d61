"""Exact distributions of quantiles, and the largest change of any neighbour."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from hedgerow.mechanisms.selection import quantile_recursion as cuts
from hedgerow.mechanisms.selection.quantile_recursion import Shares, split_at_middle
from hedgerow.mechanisms.selection.quantiles import Quantiles
from hedgerow.sensitivity.sample import SortedSample
from mechanisms import helpers_small_data_sets as tiny

F = Fraction


HALF = F(1, 2)


ORDERS = (1, 2, 8)


AT = {
    "median": (HALF,),
    "low": (F(1, 5),),
    "two": (F(1, 4), F(3, 4)),
    "three": (F(1, 10), F(3, 10), F(9, 10)),
    "quartiles": (F(1, 4), HALF, F(3, 4)),
    "four": (F(1, 10), F(1, 5), F(3, 5), F(4, 5)),
    "outer": (F(1, 20), HALF, F(19, 20)),
    "five": (F(1, 6), F(1, 3), HALF, F(2, 3), F(5, 6)),
}


def choices(at: Shares, depth: int = 0) -> list[tuple[Fraction, int]]:
    """Return each choice: its share of its part, and its level."""
    below, p, above = split_at_middle(at)
    return [
        (p, depth),
        *(choice for half in (below, above) if half for choice in choices(half, depth + 1)),
    ]


def law(
    monkeypatch: pytest.MonkeyPatch, mechanism: Quantiles, data: tiny.Data, points: int
) -> tiny.Law:
    """Return the exact joint distribution of all answers, without tie-breakers: the proof fixes
    them.
    """
    monkeypatch.setattr(cuts, "MAX_TIE_BREAKERS", 1)
    return tiny.outcomes(monkeypatch, lambda: mechanism.sample(tiny.sample(data, points)))


WIDE = 10**9


PLACES = (0, 1, WIDE - 1, WIDE)


def worst_change(mechanism: Quantiles, p: Fraction, depth: int, relation: str) -> float:
    """Return the largest loss of one choice on a very wide range.

    There nearly all points may be on one side of the data.
    """

    def logs(rows: list[int]) -> np.ndarray:
        aim = mechanism._build_selection(
            SortedSample(np.sort(np.array(rows, dtype=np.int64)), 0, WIDE), p, depth
        )
        at = tiny.count(aim.sample, [*PLACES, WIDE // 2])  # every point in between is like the last
        weights = -float(aim.factor) * aim.rank_errors(at)
        return weights - np.log(np.exp(weights) @ [1, 1, 1, 1, WIDE - 3])

    found = 0.0
    for counts in product((0, 2, 20), repeat=4):
        rest = np.repeat(PLACES, counts).tolist()
        ends = [logs([*rest, place]) for place in PLACES]
        pairs = (
            combinations(ends, 2)
            if relation == "change-one"
            else ((logs(rest), end) for end in ends)
        )
        found = max(found, *(float(np.abs(one - other).max()) for one, other in pairs))
    return found


def off(data: np.ndarray, at: float, z: float) -> float:
    """Return the distance from the fair split, in ranks."""
    below, up_to, target = (data < z).sum(), (data <= z).sum(), at * data.size
    return max(below - target, target - up_to, 0)


SHAPES = {
    "skewed": lambda rng, n: np.clip(rng.lognormal(3, 1, n), 0, 1000),
    "tied": lambda rng, n: rng.integers(1, 6, n).astype(float),
    "spiked": lambda rng, n: np.where(rng.random(n) < 0.4, 100.0, rng.uniform(0, 1000, n)),
    "constant": lambda rng, n: np.full(n, 7.0),
}
