"""The maximum or minimum, through a rank slightly inside the data.

Statement
    A grid point z of the declared range is chosen with probability proportional to exp(-factor
    off(z)). For the maximum, off(z) is the distance of c from the interval T … T+E, with T values
    above z and E values at z: max(0, T - c, c - T - E). This is pure epsilon-DP with epsilon = 2
    factor and epsilon^2/8-zCDP, under both relations, for a unit of one row; k and k^2 times that
    for one of k rows. The minimum counts from below.

Proof
    A row that is added, removed or changed moves T by one, or E by one, or one of them up and the
    other down: T and T+E each by at most 1, so off by at most 1. The rest is the proof of
    ``exponential``. The number of rows is not used.

Accuracy
    Why not c = 1? Every point beyond the data would be nearly as likely as the maximum itself. With
    c, all points beyond together have at most width e^(-factor c) times the weight of one point at
    rank c. ``calibrate`` takes the smallest c that keeps this below beta, 1 in 20 by default: c =
    ln(19 width)/factor. Then the answer lies beyond all data with probability at most beta, and
    except with probability beta at most ``error(beta, width)`` values lie above it.

Arithmetic
    Whole ranks and points; the choice is exact (``grid_selection``).

Edges
    With fewer than c rows no point is right, and all points below the data (for the minimum: above)
    are equally likely and the likeliest. c depends on public parameters alone.

Source
    Aiming inside: folklore; the exponential mechanism over gaps is Smith's (STOC 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.grid_selection import (
    GridSelection,
    compute_choices_loss,
    compute_epsilon_per_choice,
    compute_error_radius,
    parse_sample,
)
from hedgerow.mechanisms.selection.scores import check_factor
from hedgerow.numeric.exact_number import Number, parse_probability, parse_whole
from hedgerow.numeric.vectorised import Integers
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.loss import Loss
from hedgerow.sensitivity.rank_pieces import RankPieces
from hedgerow.sensitivity.sample import SortedSample

__all__ = ["Extreme"]


@dataclass(frozen=True, slots=True)
class Extreme:
    """A choice of the value of rank ``depth``, counted from the end that ``side`` names."""

    shape: ClassVar[str] = "point"
    side: str
    depth: int
    factor: Fraction

    def __init__(self, side: str, depth: int, factor: Number) -> None:
        if side not in ("max", "min"):
            raise InvalidArgument("side", 'must be "max" or "min"', side)
        object.__setattr__(self, "side", side)
        object.__setattr__(self, "depth", parse_whole(depth, "depth"))
        object.__setattr__(self, "factor", check_factor(factor))

    @classmethod
    def calibrate(
        cls,
        *,
        side: str,
        width: int,
        epsilon: Number | None = None,
        rho: Number | None = None,
        rows: int = 1,
        beta: Number = Fraction(1, 20),
    ) -> Extreme:
        """Return the least depth whose answer is beyond all data with probability at most ``beta``.

        ``width`` is the range in steps.
        """
        factor = compute_epsilon_per_choice(epsilon, rho) / (2 * parse_whole(rows, "rows"))
        level, points = parse_probability(beta, "beta"), parse_whole(width, "width") + 1
        return cls(side, max(1, ceil(compute_error_radius(level, points, factor))), factor)

    def loss(self, rows: int = 1) -> Loss:
        """Return the loss of one use for a unit of ``rows`` rows."""
        return compute_choices_loss(2 * self.factor * parse_whole(rows, "rows"))

    def sample(
        self,
        values: Any,
        *,
        lower: Number | None = None,
        upper: Number | None = None,
        grid: Number | None = None,
    ) -> Any:
        """Choose a value that few exceed.

        ``values`` come with public bounds, or as a ``SortedSample``.
        """
        column = parse_sample(values, lower, upper, grid)
        return Grid(column.grid).to_value(self._build_selection(column).draw())

    def log_prob(
        self, point: Any, values: Any, *, lower: Any = None, upper: Any = None, grid: Any = None
    ) -> float:
        """Return the log probability of a point."""
        return self._build_selection(parse_sample(values, lower, upper, grid)).log_prob(point)

    def error(self, beta: Number, width: int) -> int:
        """Return the number of values beyond the answer, exceeded with probability at most
        ``beta``.

        ``width`` is the range in steps.
        """
        level, points = parse_probability(beta, "beta"), parse_whole(width, "width") + 1
        return self.depth + floor(compute_error_radius(level, points, self.factor))

    def _build_selection(self, column: SortedSample) -> GridSelection:
        return GridSelection(
            column,
            len(column) + 1 - self.depth if self.side == "max" else self.depth,
            self._compute_rank_errors,
            self.factor,
        )

    def _compute_rank_errors(self, parts: RankPieces) -> Integers:
        beyond = parts.above if self.side == "max" else parts.below
        outside, inside = beyond - self.depth, self.depth - beyond - parts.equal
        errors: Integers = np.maximum(np.maximum(outside, inside), 0)
        return errors
