"""The inverse sensitivity mechanism: an answer is the likelier, the fewer rows must change to make
it true.

Statement
    Let len(x, z) be the least number of rows that must change before the answer is z. Choosing z
    from a finite range with probability proportional to exp(-factor len(x, z)) is pure epsilon-DP
    with epsilon = 2 factor, and epsilon^2/8-zCDP, towards a unit of one row; k and k^2 times that
    towards one of k rows. The true answer is always the most likely one.

Proof
    len(., z) is the distance to a set of data sets, so it moves by at most 1 from a data set to its
    neighbour. The rest is the proof of ``exponential``. len(x, z) = 0 for the true answer and no
    other.

Accuracy
    Except with probability beta the answer is true of data that differ in at most ``error(beta,
    candidates)`` rows. What that means depends on the statistic: for a quantile, ``rank_error``
    converts it to ranks. For a maximum or minimum it means *nothing*: one row more, anywhere above,
    makes any value above the maximum true, so that all of them have length 1 and the answer is
    mostly one of them. ``rank_error`` is infinite there; use ``extremes``.

Arithmetic
    Lengths are whole numbers. The choice is an exact noisy argmax (``samplers.argmax_sampler``);
    for quantiles over all points of a grid (``selection.grid_selection``).

Edges
    ``sample`` trusts the given lengths: lengths that move by more than 1 between neighbours go
    unnoticed. Ranges must not depend on the data. A single candidate is chosen with certainty.
    Under a filter a row may also leave or enter: ``quantile`` holds unchanged, the lengths of a
    sum, mean or count must be computed for a filter (``sensitivity.neighbour_moves``). Without
    rows, every point has length 1.

Source
    Asi and Duchi (NeurIPS 2020); for the median it is the exponential mechanism of Smith (STOC
    2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf
from typing import Any, ClassVar, cast

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.grid_selection import (
    GridSelection,
    compute_choices_loss,
    compute_epsilon_per_choice,
    compute_error_radius,
    parse_sample,
)
from hedgerow.mechanisms.selection.scores import (
    check_candidates,
    check_factor,
    check_index,
    compute_score_gaps,
    parse_scores,
)
from hedgerow.numeric.exact_number import Number, parse_probability, parse_whole
from hedgerow.numeric.samplers.argmax_sampler import noisy_argmax
from hedgerow.numeric.vectorised import Integers
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.loss import Loss
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.rank_pieces import compute_inverse_lengths as piece_lengths
from hedgerow.sensitivity.sample import SortedSample

__all__ = ["InverseSensitivity"]


@dataclass(frozen=True, slots=True)
class InverseSensitivity:
    """A choice by length: each row lowers the log probability of an answer by ``factor``."""

    shape: ClassVar[str] = "point"
    factor: Fraction

    def __init__(self, factor: Number) -> None:
        object.__setattr__(self, "factor", check_factor(factor))

    @classmethod
    def calibrate(
        cls, *, epsilon: Number | None = None, rho: Number | None = None, rows: int = 1
    ) -> InverseSensitivity:
        """Return the sharpest choice within ``epsilon`` or ``rho``, for units of at most ``rows``
        rows.
        """
        return cls(compute_epsilon_per_choice(epsilon, rho) / (2 * parse_whole(rows, "rows")))

    def loss(self, rows: int = 1) -> Loss:
        """Return the loss of one use for a unit of ``rows`` rows."""
        return compute_choices_loss(2 * self.factor * parse_whole(rows, "rows"))

    def sample(self, lengths: Any) -> int:
        """Choose the index of an answer, given the length of each."""
        return noisy_argmax(-_check_lengths(lengths), self.factor, "gumbel")

    def log_prob(self, index: int, lengths: Any) -> float:
        """Return the log probability that the answer at ``index`` is chosen."""
        values = compute_score_gaps(-_check_lengths(lengths), self.factor)
        return float(values[check_index(index, values.size)] - np.log(np.sum(np.exp(values))))

    def quantile(
        self,
        quantile: Quantile,
        values: Any,
        *,
        lower: Any = None,
        upper: Any = None,
        grid: Any = None,
    ) -> Any:
        """Choose a quantile of ``values`` among all points of the range.

        ``values`` come with public bounds, or as a ``SortedSample``.
        """
        column = parse_sample(values, lower, upper, grid)
        return Grid(column.grid).to_value(self._build_selection(quantile, column).draw())

    def quantile_log_prob(
        self,
        point: Any,
        quantile: Quantile,
        values: Any,
        *,
        lower: Any = None,
        upper: Any = None,
        grid: Any = None,
    ) -> float:
        """Return the log probability that ``point`` is chosen as the quantile."""
        column = parse_sample(values, lower, upper, grid)
        return self._build_selection(quantile, column).log_prob(point)

    def error(self, beta: Number, candidates: int) -> float:
        """Return the number of rows that must change to make the answer true.

        It is exceeded with probability at most ``beta``.
        """
        return compute_error_radius(
            parse_probability(beta, "beta"), check_candidates(candidates), self.factor
        )

    def rank_error(self, beta: Number, quantile: Quantile, n: int, width: int) -> float:
        """Return the rank error of a quantile of n rows, exceeded with probability at most
        ``beta``.

        A length of k means at most k ranks under change-one, max(p, 1-p) k under add-remove. It is
        infinite where that leads past the last row: there every point up to the bound qualifies.
        """
        length = int(self.error(beta, parse_whole(width, "width") + 1))
        rank, changes = quantile.rank(parse_whole(n, "n")), quantile.neighbours == "change-one"
        k = length if changes else ceil(quantile.max_rank_shift * length)
        return k if k == 0 or k < rank <= n - k else inf

    def _build_selection(self, quantile: Quantile, column: SortedSample) -> GridSelection:
        return GridSelection(
            column,
            quantile.rank(len(column)),
            lambda parts: piece_lengths(quantile, parts),
            self.factor,
        )


def _check_lengths(lengths: Any) -> Integers:
    array = parse_scores(lengths, "lengths")
    if array.dtype.kind != "i" or array.min() < 0:
        raise InvalidArgument(
            "lengths", "must be whole numbers of 0 or more, one for each candidate"
        )
    return cast(Integers, array)
