"""The worst neighbours a sensitivity allows, and the two laws of a mechanism's output on each pair
of them.

**Additive.** Extreme moves of vectors (``shifts``).

**Selection.** Scores at distances of interest, every pattern of moves by -Delta, 0 and +Delta
(monotone: 0 and +Delta only).

**Response.** Every two categories, in as many answers as the sensitivity says.

**Point, smooth, tested.** All of a small world, under both relations where the mechanism holds
under both (``columns``, ``smoothed``, ``gates``, ``runs``).

All of them both ways round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations, product

import numpy as np

from hedgerow.verify.laws.case import LawCase
from hedgerow.verify.laws.integer_distribution import IntegerDistribution
from hedgerow.verify.laws.neighbours import points as columns
from hedgerow.verify.laws.neighbours import smooth as smoothed
from hedgerow.verify.laws.neighbours import sparse_vector as runs
from hedgerow.verify.laws.neighbours import tested as gates
from hedgerow.verify.laws.neighbours.additive import list_vector_neighbours
from hedgerow.verify.laws.neighbours.data_sets import (
    DistributionPair,
    NeighbourPair,
    NeighbourSet,
    add_reversed,
    make_categorical,
)

__all__ = [
    "build_neighbour_set",
    "compute_choice_distribution",
    "compute_report_distribution",
    "list_worst_neighbours",
]

_MAX_CATEGORIES = 40  # of more, the first and the last stand for all


@lru_cache(maxsize=2)
def list_worst_neighbours(case: LawCase) -> tuple[NeighbourPair, ...]:
    """The worst neighbours for a mechanism of any shape, in both orders; none where it states no
    law.
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
    """The small world in which a mechanism of shape point, smooth or tested is looked at."""
    made: dict[str, Callable[[LawCase], NeighbourSet]] = {
        "point": columns.build_point_neighbours,
        "smooth": smoothed.build_smooth_neighbours,
    }
    return made.get(
        case.shape,
        gates.build_tested_neighbours if case.counts_units else runs.build_sparse_vector_neighbours,
    )(case)


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
                there = [score + sign * move for score, sign in zip(base, signs, strict=True)]
                pair = DistributionPair(
                    compute_choice_distribution(case, list(base)),
                    compute_choice_distribution(case, there),
                )
                yield NeighbourPair(
                    ((pair, 1),),
                    f"scores {[f'{x:g}' for x in base]} and {[f'{x:g}' for x in there]}",
                )


def compute_choice_distribution(case: LawCase, scores: list[float]) -> IntegerDistribution:
    """The law of the chosen place."""
    return make_categorical(
        [case.mechanism.log_prob(index, scores) for index in range(len(scores))]
    )


def _list_category_neighbours(case: LawCase) -> Iterator[NeighbourPair]:
    values = case.mechanism.values
    laws = {
        truth: compute_report_distribution(case, truth)
        for truth in (range(values) if values <= _MAX_CATEGORIES else (0, 1, values - 1))
    }
    for one, other in combinations(laws, 2):
        yield NeighbourPair(
            ((DistributionPair(laws[one], laws[other]), case.sensitivity.l0),),
            f"{case.sensitivity.l0} answer(s) changed from {one} to {other}",
        )


@lru_cache(maxsize=64)
def compute_report_distribution(case: LawCase, truth: int) -> IntegerDistribution:
    """The law of one report."""
    values = np.arange(case.mechanism.values)
    return make_categorical(
        np.asarray(case.mechanism.log_prob(values, np.full(values.size, truth)))
    )
