"""Neighbours for mechanisms of shape smooth: the extremes that beta-smoothness allows.

Between neighbours the smooth sensitivity S changes by a factor of at most e^beta, and the answer by
at most the smaller of the two S, since each of them bounds the local sensitivity on its side. The
pairs are therefore: S alone changes, the answer alone changes, and both; along a chain for several
units. Of several numbers one takes the whole change, or all take equal parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import exp
from typing import Any

import numpy as np

from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.verify.laws.case import LawCase
from hedgerow.verify.laws.integer_distribution import IntegerDistribution, make_points
from hedgerow.verify.laws.neighbours.additive import restrict_to_support, to_outputs
from hedgerow.verify.laws.neighbours.data_sets import (
    DistributionPair,
    MechanismUse,
    NeighbourPair,
    NeighbourSet,
    add_reversed,
    make_output_error,
)

__all__ = ["build_smooth_neighbours", "compute_cell_distribution", "count_cells", "make_answer"]

_SENSITIVITY_SHARES = (1.0, 0.2)  # of the largest smooth sensitivity
_SHRINK = 1 - 1e-12  # so that rounding does not exceed e^beta


def count_cells(case: LawCase) -> int:
    """Return the number of numbers that a mechanism answers at once."""
    return int(getattr(case.mechanism, "dimension", 1))


def make_answer(case: LawCase, exact: float) -> Any:
    """Return an exact answer as the mechanism takes it: a number, or the same number in
    each cell.
    """
    return exact if count_cells(case) == 1 else np.full(count_cells(case), exact)


def _log_probabilities(case: LawCase, steps: Integers, exact: float, smooth: float) -> Floats:
    """Return the log-probabilities of all steps, several per row if the mechanism takes several at
    once.
    """
    cells = count_cells(case)
    filled = np.append(steps, np.zeros(-steps.size % cells, dtype=np.int64))
    outputs = np.asarray(to_outputs(case, filled))
    found = case.mechanism.log_prob(
        outputs if cells == 1 else outputs.reshape(-1, cells), make_answer(case, exact), smooth
    )
    return np.asarray(found).ravel()[: steps.size]


def _make_points(*centres: int) -> Integers:
    """Return fewer points than for additive noise: these distributions are smooth, and their
    log_prob is slow and inexact far out.
    """
    return make_points(*centres, dense=1 << 10, growth=1 + 2.0**-8, farthest=2.0**36)


@lru_cache(maxsize=8)
def compute_cell_distribution(case: LawCase, smooth: float) -> IntegerDistribution:
    """Return the distribution of one cell around the answer 0, in grid steps."""
    return IntegerDistribution.from_logs(
        _make_points(0), _log_probabilities(case, _make_points(0), 0.0, smooth)
    )


def build_smooth_neighbours(case: LawCase) -> NeighbourSet:
    """Build the pairs above, and uses at the largest smooth sensitivity and at a fifth of it."""
    uses = []
    for share in _SENSITIVITY_SHARES:
        smooth = share * float(case.mechanism.bound)
        words = f"the answer 0 with the smooth sensitivity {smooth:g}"
        uses.append(
            MechanismUse(
                words,
                lambda s=smooth: case.mechanism.sample(make_answer(case, 0.0), s),  # type: ignore[misc]
                _make_encoder(case),
                compute_cell_distribution(case, smooth),
            )
        )
    return NeighbourSet(add_reversed(_list_smooth_neighbours(case)), tuple(uses))


def _make_encoder(case: LawCase) -> Any:
    grid = float(case.mechanism.grid)

    def encode(output: Any) -> int:
        """Return the first number, in grid steps."""
        numbers = np.atleast_1d(np.asarray(output))
        kinds = "iu" if grid == 1 else "f"
        is_valid = numbers.shape == (count_cells(case),) and numbers.dtype.kind in kinds
        if not is_valid or (numbers / grid != np.rint(numbers / grid)).any():
            raise make_output_error(
                f"{count_cells(case)} multiple(s) of {case.mechanism.grid}", output
            )
        return int(numbers[0] / grid)

    return encode


def _list_smooth_neighbours(case: LawCase) -> Iterator[NeighbourPair]:
    cells, shrink = count_cells(case), exp(-float(case.mechanism.beta)) * _SHRINK
    for share in _SENSITIVITY_SHARES:
        largest = share * float(case.mechanism.bound)
        for factor in (1.0, shrink):
            chain = [largest * factor**step for step in range(case.units + 1)]
            slide = sum(chain[1:]) * _SHRINK
            for parts in (
                [{slide: 1, 0.0: cells - 1}]
                + [{0.0: cells}] * (factor < 1)
                + [{slide / cells: cells}] * (cells > 1)
            ):
                pairs = tuple(
                    (_compare_cells(case, by, largest, chain[-1]), count)
                    for by, count in parts.items()
                    if count
                )
                yield NeighbourPair(
                    pairs,
                    f"smooth sensitivities {largest:g} and {chain[-1]:g}, answers {max(parts):g}"
                    " apart in a cell",
                )


def _compare_cells(case: LawCase, by: float, smooth: float, other: float) -> DistributionPair:
    steps = _make_points(0, round(by / float(case.mechanism.grid)))
    return restrict_to_support(
        steps,
        _log_probabilities(case, steps, 0.0, smooth),
        _log_probabilities(case, steps, by, other),
    )
