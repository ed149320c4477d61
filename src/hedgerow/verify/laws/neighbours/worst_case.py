"""The worst neighbours that a sensitivity allows, with a mechanism's output distributions on each
pair.

**Additive.** Extreme changes of vectors (``additive``).

**Selection.** Scores at distances of interest, with every pattern of changes by -Delta, 0 and
+Delta (monotone: 0 and +Delta only).

**Response.** Each pair of categories, in as many answers as the sensitivity says.

**Point, smooth, tested.** All pairs of a small set of data sets, under both relations if the
mechanism supports both (``points``, ``smooth``, ``tested``, ``sparse_vector``).

Each pair occurs in both orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product

import numpy as np

from hedgerow.verify.laws.case import LawCase
from hedgerow.verify.laws.integer_distribution import IntegerDistribution
from hedgerow.verify.laws.neighbours.additive import list_vector_neighbours
from hedgerow.verify.laws.neighbours.data_sets import (
    DistributionPair,
    NeighbourPair,
    NeighbourSet,
    add_reversed,
    make_categorical,
)
from hedgerow.verify.laws.neighbours.points import build_point_neighbours
from hedgerow.verify.laws.neighbours.smooth import build_smooth_neighbours
from hedgerow.verify.laws.neighbours.sparse_vector import build_sparse_vector_neighbours
from hedgerow.verify.laws.neighbours.tested import build_tested_neighbours

__all__ = [
    "build_neighbour_set",
    "compute_choice_distribution",
    "compute_report_distribution",
    "list_worst_neighbours",
]

_MAX_CATEGORIES = 40  # of more, only the first two and the last are tested


@lru_cache(maxsize=2)
def list_worst_neighbours(case: LawCase) -> tuple[NeighbourPair, ...]:
    """Return the worst neighbours for a mechanism of any shape, in both orders; none if it states
    no distribution.
    """
    if case.uses_neighbour_set:
        return build_neighbour_set(case).neighbours
    return add_reversed(
        {
            "additive": list_vector_neighbours,
            "selection": _list_score_neighbours,
            "response": _list_category_neighbours,
        }[case.shape](case)
    )


@lru_cache(maxsize=2)
def build_neighbour_set(case: LawCase) -> NeighbourSet:
    """Build the data sets on which a mechanism of shape point, smooth or tested is tested."""
    if case.shape == "point":
        return build_point_neighbours(case)
    if case.shape == "smooth":
        return build_smooth_neighbours(case)
    if case.counts_units:
        return build_tested_neighbours(case)
    return build_sparse_vector_neighbours(case)


def _list_score_neighbours(case: LawCase) -> Iterator[NeighbourPair]:
    move = float(case.sensitivity.linf)
    gap = move / min(max(float(case.loss.epsilon), 1e-3), 1e3)
    bases = [
        (0.0, -move / 2),
        (0.0, -move),
        (0.0, -2 * move),
        (0.0, -40 * gap),
        (0.0, 0.0, 0.0),
        (0.0, -move, -8 * gap),
    ]
    for base in bases:
        for signs in product((0, 1) if case.mechanism.monotone else (-1, 0, 1), repeat=len(base)):
            if any(signs):
                changed = [score + sign * move for score, sign in zip(base, signs, strict=True)]
                pair = DistributionPair(
                    compute_choice_distribution(case, list(base)),
                    compute_choice_distribution(case, changed),
                )
                yield NeighbourPair(
                    ((pair, 1),),
                    f"scores {[f'{x:g}' for x in base]} and {[f'{x:g}' for x in changed]}",
                )


def compute_choice_distribution(case: LawCase, scores: list[float]) -> IntegerDistribution:
    """Return the distribution of the chosen index."""
    return make_categorical(
        [case.mechanism.log_prob(index, scores) for index in range(len(scores))]
    )


def _list_category_neighbours(case: LawCase) -> Iterator[NeighbourPair]:
    values = case.mechanism.values
    distributions = {
        truth: compute_report_distribution(case, truth)
        for truth in (range(values) if values <= _MAX_CATEGORIES else (0, 1, values - 1))
    }
    for one, other in combinations(distributions, 2):
        yield NeighbourPair(
            ((DistributionPair(distributions[one], distributions[other]), case.sensitivity.l0),),
            f"{case.sensitivity.l0} answer(s) changed from {one} to {other}",
        )


@lru_cache(maxsize=64)
def compute_report_distribution(case: LawCase, truth: int) -> IntegerDistribution:
    """Return the distribution of one report."""
    values = np.arange(case.mechanism.values)
    return make_categorical(
        np.asarray(case.mechanism.log_prob(values, np.full(values.size, truth)))
    )
