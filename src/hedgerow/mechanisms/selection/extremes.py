"""The maximum or minimum, through a rank a little inside.

Statement
    A grid point z of the declared range is chosen with probability proportional to exp(-factor
    off(z)). For the maximum, off(z) is how far c lies from the numbers T … T+E, T the values above
    z and E those at it: max(0, T - c, c - T - E). This is pure epsilon-DP with epsilon = 2 factor
    and epsilon^2/8-zCDP, under both relations, for a unit of one row; k and k^2 times as much for
    one of k rows. The minimum counts from below.

Proof
    A row that comes, goes or changes moves T by one, or E by one, or one of them up and the other
    down: T and T+E each by at most 1, so off by at most 1. The rest is the proof of
    ``exponential``. The number of rows is not used.

Accuracy
    Why not c = 1? Every point beyond the data would be nearly as likely as the maximum itself. With
    c the points beyond, all together, have at most width e^(-factor c) times the weight of one
    point at rank c. ``calibrate`` takes the smallest c that keeps this below beta, 1 in 20 if
    nothing is said: c = ln(19 width)/factor. Then the answer lies beyond all data with probability
    at most beta, and except with probability beta at most ``error(beta, width)`` values lie above
    it.

Arithmetic
    Whole ranks and points; the choice is exact (``mechanisms.points``).

Edges
    With fewer than c rows no point is right, and all those below the data (for the minimum: above)
    are likeliest, one like the other. c depends on public parameters alone.

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
from hedgerow.sensitivity.sample import Sample

__all__ = ["Extreme"]


@dataclass(frozen=True, slots=True)
class Extreme:
    """Chooses the value of rank ``depth``, counted from the end that ``side`` names. Usually
    made by ``Extreme.calibrate``.
    """

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
        """The least depth at which the answer lies beyond all data with probability at most
        ``beta``, on a range of ``width`` steps.
        """
        factor = compute_epsilon_per_choice(epsilon, rho) / (2 * parse_whole(rows, "rows"))
        return cls(
            side,
            max(
                1,
                ceil(
                    compute_error_radius(
                        parse_probability(beta, "beta"), parse_whole(width, "width") + 1, factor
                    )
                ),
            ),
            factor,
        )

    def loss(self, rows: int = 1) -> Loss:
        """What one use costs a unit of ``rows`` rows."""
        return compute_choices_loss(2 * self.factor * parse_whole(rows, "rows"))

    def sample(
        self,
        values: Any,
        *,
        lower: Number | None = None,
        upper: Number | None = None,
        grid: Number | None = None,
    ) -> Any:
        """A value that few exceed. ``values`` come with public bounds, or as a ``Sample``."""
        column = parse_sample(values, lower, upper, grid)
        return Grid(column.grid).to_value(self._build_selection(column).draw())

    def log_prob(
        self, point: Any, values: Any, *, lower: Any = None, upper: Any = None, grid: Any = None
    ) -> float:
        """The logarithm of the probability of a point."""
        return self._build_selection(parse_sample(values, lower, upper, grid)).log_prob(point)

    def error(self, beta: Number, width: int) -> int:
        """How many values may lie beyond the answer, except with probability ``beta``, on a
        range of ``width`` steps.
        """
        return self.depth + floor(
            compute_error_radius(
                parse_probability(beta, "beta"), parse_whole(width, "width") + 1, self.factor
            )
        )

    def _build_selection(self, column: Sample) -> GridSelection:
        return GridSelection(
            column,
            len(column) + 1 - self.depth if self.side == "max" else self.depth,
            self._compute_rank_errors,
            self.factor,
        )

    def _compute_rank_errors(self, parts: RankPieces) -> Integers:
        beyond = parts.above if self.side == "max" else parts.below
        off: Integers = np.maximum(
            np.maximum(beyond - self.depth, self.depth - beyond - parts.equal), 0
        )
        return off
