"""The worst neighbours a sensitivity allows, and the two laws of a mechanism's output on each pair of them.

**Additive.** Extreme moves of vectors (``shifts``).

**Selection.** Scores at distances of interest, every pattern of moves by -Delta, 0 and +Delta (monotone: 0 and +Delta only).

**Response.** Every two categories, in as many answers as the sensitivity says.

**Point, smooth, tested.** All of a small world, under both relations where the mechanism holds under both (``columns``, ``smoothed``,
``gates``, ``runs``).

All of them both ways round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations, product

import numpy as np

from hedgerow.verify.laws import columns, gates, runs, smoothed
from hedgerow.verify.laws.case import Case
from hedgerow.verify.laws.masses import Masses
from hedgerow.verify.laws.shifts import vectors
from hedgerow.verify.laws.worlds import Neighbours, Pair, World, both, categorical

__all__ = ["choice", "neighbours", "reports", "world"]

_CATEGORIES = 40  # of more, the first and the last stand for all


@lru_cache(maxsize=2)
def neighbours(case: Case) -> tuple[Neighbours, ...]:
    """The worst neighbours for a mechanism of any shape, in both orders; none where it states no law."""
    if case.in_world:
        return world(case).neighbours
    return both({"additive": vectors, "selection": _scores, "response": _categories}[case.shape](case))


@lru_cache(maxsize=2)
def world(case: Case) -> World:
    """The small world in which a mechanism of shape point, smooth or tested is looked at."""
    made: dict[str, Callable[[Case], World]] = {"point": columns.world, "smooth": smoothed.world}
    return made.get(case.shape, gates.world if case.in_units else runs.world)(case)


def _scores(case: Case) -> Iterator[Neighbours]:
    move = float(case.move.linf)
    gap = move / min(max(float(case.loss.epsilon), 1e-3), 1e3)
    bases = [(0.0, -move / 2), (0.0, -move), (0.0, -2 * move), (0.0, -40 * gap), (0.0, 0.0, 0.0), (0.0, -move, -8 * gap)]
    for base in bases:
        for signs in product((0, 1) if case.mechanism.monotone else (-1, 0, 1), repeat=len(base)):
            if any(signs):
                there = [score + sign * move for score, sign in zip(base, signs, strict=True)]
                pair = Pair(choice(case, list(base)), choice(case, there))
                yield Neighbours(((pair, 1),), f"scores {[f'{x:g}' for x in base]} and {[f'{x:g}' for x in there]}")


def choice(case: Case, scores: list[float]) -> Masses:
    """The law of the chosen place."""
    return categorical([case.mechanism.log_prob(index, scores) for index in range(len(scores))])


def _categories(case: Case) -> Iterator[Neighbours]:
    values = case.mechanism.values
    laws = {truth: reports(case, truth) for truth in (range(values) if values <= _CATEGORIES else (0, 1, values - 1))}
    for one, other in combinations(laws, 2):
        yield Neighbours(((Pair(laws[one], laws[other]), case.move.l0),), f"{case.move.l0} answer(s) changed from {one} to {other}")


@lru_cache(maxsize=64)
def reports(case: Case, truth: int) -> Masses:
    """The law of one report."""
    values = np.arange(case.mechanism.values)
    return categorical(np.asarray(case.mechanism.log_prob(values, np.full(values.size, truth))))
