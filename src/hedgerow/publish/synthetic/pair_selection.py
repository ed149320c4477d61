"""The pairs of attributes that are measured: all, or a private selection where all would drown in
noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.publish.synthetic.budget_steps import BudgetSpender
from hedgerow.release.private_table import MarginalCandidate

__all__ = [
    "ANY_PAIR_NOISE",
    "CHOSEN_PAIR_NOISE",
    "AttributePair",
    "count_affordable",
    "count_choices",
    "select_pairs",
]

AttributePair = tuple[int, int]

# The noise, as a share of the rows, that leaves something visible: in any table, and in tables that
# were selected for their dependence. Found on real tables, like the number of partners below.
ANY_PAIR_NOISE, CHOSEN_PAIR_NOISE = Fraction(1, 400), Fraction(1, 120)
_MAX_PARTNERS = 6


def count_affordable(spending: BudgetSpender, part: Fraction, total: float, noise: Fraction) -> int:
    """Return the number of tables that can share a part of the price with noise of at most this
    share of the rows.
    """
    ratio = max(total, 0.0) * float(noise) / max(spending.compute_deviation(part, 1), 1e-9)
    return int(min(ratio**2 if spending.parameters.is_gaussian else ratio, 1e9))


def count_choices(
    spending: BudgetSpender, part: Fraction, total: float, workload: Sequence[AttributePair]
) -> int:
    """Return the number of tables to select: as many as can be afforded, but at least one for each
    attribute.
    """
    attributes = len({place for pair in workload for place in pair})
    wanted = min(
        max(count_affordable(spending, part, total, CHOSEN_PAIR_NOISE), attributes),
        _MAX_PARTNERS * attributes,
    )
    return min(wanted, len(workload))


def select_pairs(
    spending: BudgetSpender,
    part: Fraction,
    workload: Sequence[AttributePair],
    count: int,
    counts: Sequence[Floats],
    groups: Sequence[Integers],
    noise: float,
) -> list[AttributePair]:
    """Select ``count`` pairs for a share of the price: the attributes take turns, and each
    selects a partner that depends on it.

    A pair scores by the distance of its exact table from independence, minus the error that noise
    of this size would add. The strongest partner of an attribute is in every tree of strongest
    dependences, so one turn each gives most of that tree.
    """
    total = max(float(np.mean([each.sum() for each in counts])), 1.0)
    left, chosen = list(workload), list[AttributePair]()
    while len(chosen) < count:
        for place in range(len(counts)):
            available = [pair for pair in left if place in pair]
            if not available or len(chosen) == count:
                continue
            candidates = [
                _build_candidate(pair, counts, groups, noise, total) for pair in available
            ]
            pair = available[spending.choose(candidates, part / count)]
            left.remove(pair)
            chosen.append(pair)
    return chosen


def _build_candidate(
    pair: AttributePair,
    counts: Sequence[Floats],
    groups: Sequence[Integers],
    noise: float,
    total: float,
) -> MarginalCandidate:
    a, b = pair
    cells = (int(groups[a].max()) + 1) * (int(groups[b].max()) + 1)
    expected = np.rint(np.outer(counts[a], counts[b]) / total).astype(np.int64)
    return MarginalCandidate(
        pair, expected, offset=int(min(np.sqrt(2 / np.pi) * noise * cells, 2.0**40))
    )
