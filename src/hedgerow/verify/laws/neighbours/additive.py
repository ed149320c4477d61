"""Neighbours for additive mechanisms: the worst changes that a sensitivity allows, and the
distributions of the noisy answers.

The exact answers differ by an extreme vector: one cell at linf; as many cells at linf as l1 and l2
allow, and one with the rest; all l0 cells alike. Cells are independent, so that distributions are
compared cell by cell, each as often as it occurs. On a grid for reals the exact value lies where
rounding to the grid separates it most from its neighbour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import floor, nextafter
from typing import Any

import numpy as np

from hedgerow.numeric.rounding import sqrt_down
from hedgerow.numeric.vectorised import Integers
from hedgerow.verify.laws.case import LawCase
from hedgerow.verify.laws.integer_distribution import MIN_LOG, IntegerDistribution, make_points
from hedgerow.verify.laws.neighbours.data_sets import DistributionPair, NeighbourPair

__all__ = [
    "compare_shifted_cell",
    "compute_noise_distribution",
    "list_extreme_moves",
    "list_vector_neighbours",
    "restrict_to_support",
    "to_outputs",
]


def to_outputs(case: LawCase, steps: Integers) -> Any:
    """Return outputs as an additive mechanism would: integers on the grid of 1, doubles on any
    other.
    """
    return steps if case.mechanism.grid == 1 else steps * float(case.mechanism.grid)


@lru_cache(maxsize=4)
def compute_noise_distribution(case: LawCase) -> IntegerDistribution:
    """Return the noise distribution of an additive mechanism, in grid steps."""
    steps = make_points(0)
    return IntegerDistribution.from_logs(
        steps,
        case.mechanism.log_prob(to_outputs(case, steps), 0 if case.mechanism.grid == 1 else 0.0),
    )


def list_vector_neighbours(case: LawCase) -> Iterator[NeighbourPair]:
    for move in list_extreme_moves(case):
        for sign in (1, -1):
            words = " and ".join(
                f"{count} cell{'s' * (count > 1)} moved by {float(sign * size):g}"
                for size, count in move.items()
            )
            yield NeighbourPair(
                tuple(
                    (compare_shifted_cell(case, sign * size), count) for size, count in move.items()
                ),
                words,
            )


def list_extreme_moves(case: LawCase) -> list[Counter[Fraction]]:
    """Return the extreme vectors, as sizes with their counts; integers on the grid of 1."""
    move = case.sensitivity
    whole = case.mechanism.grid == 1
    alike = min(move.linf, move.l1 / move.l0, sqrt_down(move.l2_squared / move.l0))
    full = min(floor(move.l1 / move.linf), floor(move.l2_squared / move.linf**2), move.l0)
    rest = (
        min(move.l1 - full * move.linf, sqrt_down(move.l2_squared - full * move.linf**2))
        if full < move.l0
        else Fraction(0)
    )
    found = []
    for sizes in ({move.linf: 1}, {move.linf: full, rest: 1}, {alike: move.l0}):
        vector: Counter[Fraction] = Counter()
        for size, count in sizes.items():
            vector[Fraction(floor(size)) if whole else size] += count
        del vector[Fraction(0)]
        if vector and vector not in found:
            found.append(vector)
    return found


def compare_shifted_cell(case: LawCase, by: Fraction) -> DistributionPair:
    """Compare one cell with itself shifted, from where rounding to the grid makes the shift
    largest.
    """
    grid = Fraction(case.mechanism.grid)
    start: Any
    end: Any
    if grid == 1:
        start, end, far = 0, int(by), int(by)
    else:
        part = abs(by) / grid % 1
        start = float(grid * (1 - part) / 2 * (1 if by > 0 else -1)) if part else 0.0
        end = float(Fraction(start) + by)
        while abs(Fraction(end) - Fraction(start)) > abs(by):
            end = nextafter(end, start)
        far = floor(by / grid)
    steps = make_points(0, far)
    outputs = to_outputs(case, steps)
    return restrict_to_support(
        steps, *(np.asarray(case.mechanism.log_prob(outputs, exact)) for exact in (start, end))
    )


def restrict_to_support(steps: Integers, first: Any, second: Any) -> DistributionPair:
    """Return both distributions between the outermost points where either has mass."""
    joint = IntegerDistribution.from_logs(steps, np.maximum(first, second))
    kept = slice(*np.searchsorted(steps, [joint.steps[0], joint.steps[-1] + 1]))
    return DistributionPair(
        *(
            IntegerDistribution(joint.steps, np.maximum(log[kept], MIN_LOG))
            for log in (first, second)
        )
    )
