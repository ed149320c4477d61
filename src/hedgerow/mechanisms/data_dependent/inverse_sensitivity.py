"""The inverse sensitivity mechanism: an answer is as likely as few rows would have to change for it
to be true.

Statement
    Let len(x, z) be the least number of rows that must change before the answer is z. Choosing z
    from a finite range with probability proportional to exp(-factor len(x, z)) is pure epsilon-DP
    with epsilon = 2 factor, and epsilon^2/8-zCDP, towards a unit of one row; k and k^2 times as
    much towards one of k rows. The true answer is always the most likely one.

Proof
    len(., z) is the distance to a set of data sets, so it moves by at most 1 from a data set to its
    neighbour. The rest is the proof of ``exponential``. len(x, z) = 0 for the true answer and no
    other.

Accuracy
    Except with probability beta the answer is true of data that differ in at most ``error(beta,
    candidates)`` rows. What that says depends on the statistic: for a quantile, ``ranks`` turns it
    into ranks. For a maximum or minimum it says *nothing*: one row more, anywhere above, makes any
    value above the maximum true, so that all of them have length 1 and the answer is mostly one of
    them. ``ranks`` is infinite there; take ``extremes``.

Arithmetic
    Lengths are whole numbers. The choice is a race decided exactly (``numeric.race``); for
    quantiles over all points of a grid (``mechanisms.points``).

Edges
    ``sample`` takes lengths as they are: if they can move by more than 1 between neighbours,
    nothing here notices. Ranges must not depend on the data. One candidate is chosen for certain.
    Under a filter a row may also leave or enter: ``quantile`` holds as it stands, the lengths of a
    sum, mean or count must be told (``statistics.moves``). No rows: a point of length 1, as all
    are.

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
from hedgerow.sensitivity.sample import Sample

__all__ = ["InverseSensitivity"]


@dataclass(frozen=True, slots=True)
class InverseSensitivity:
    """Chooses by length; ``factor`` is how much less likely each row makes an answer, as a
    logarithm. Usually made by ``calibrate``.
    """

    shape: ClassVar[str] = "point"
    factor: Fraction

    def __init__(self, factor: Number) -> None:
        object.__setattr__(self, "factor", check_factor(factor))

    @classmethod
    def calibrate(
        cls, *, epsilon: Number | None = None, rho: Number | None = None, rows: int = 1
    ) -> InverseSensitivity:
        """The sharpest choice within ``epsilon`` or ``rho``, when one unit has at most ``rows``
        rows.
        """
        return cls(compute_epsilon_per_choice(epsilon, rho) / (2 * parse_whole(rows, "rows")))

    def loss(self, rows: int = 1) -> Loss:
        """What one use costs a unit of ``rows`` rows."""
        return compute_choices_loss(2 * self.factor * parse_whole(rows, "rows"))

    def sample(self, lengths: Any) -> int:
        """The place of the chosen answer, given the length of each."""
        return noisy_argmax(-_check_lengths(lengths), self.factor, "gumbel")

    def log_prob(self, index: int, lengths: Any) -> float:
        """The logarithm of the probability that the answer at ``index`` is chosen."""
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
        """A quantile of ``values``, chosen among all points of the range; they come with public
        bounds, or as a ``Sample``.
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
        """The logarithm of the probability of a point as the quantile."""
        return self._build_selection(quantile, parse_sample(values, lower, upper, grid)).log_prob(
            point
        )

    def error(self, beta: Number, candidates: int) -> float:
        """How many rows would have to change for the answer to be true, at most, except with
        probability ``beta``.
        """
        return compute_error_radius(
            parse_probability(beta, "beta"), check_candidates(candidates), self.factor
        )

    def rank_error(self, beta: Number, quantile: Quantile, n: int, width: int) -> float:
        """How many ranks a quantile of n rows may be off, except with probability ``beta``;
        infinite where nothing can be said.

        A length of k means at most k ranks under change-one, max(p, 1-p) k under add-remove. Where
        that leads past the last row, every point up to the bound qualifies.
        """
        length, rank = (
            int(self.error(beta, parse_whole(width, "width") + 1)),
            quantile.rank(parse_whole(n, "n")),
        )
        k = (
            length
            if quantile.neighbours == "change-one"
            else ceil(quantile.max_rank_shift * length)
        )
        return k if k == 0 or k < rank <= n - k else inf

    def _build_selection(self, quantile: Quantile, column: Sample) -> GridSelection:
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
