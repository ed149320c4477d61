"""Quantiles by the exponential mechanism over all points of a grid, one or several.

Statement
    A grid point z of the declared range is chosen with probability proportional to exp(-factor
    off(z)), where off(z) is the number of ranks by which z misses the quantile at p. With factor =
    e/(2 M) this is pure e-DP and e^2/8-zCDP: M = 1 under change-one, max(p, 1-p) under add-remove.
    Several quantiles: the middle one first, then those below it among the values up to it, those
    above it among the rest; each value has a random tie-breaker. Together they cost L e and L
    e^2/8, for L levels: 2 for up to 3 quantiles, 3 for up to 7. k rows lose k and k^2 times that.

Proof
    One choice: off moves by at most M with one row (``sensitivity.rank_pieces``), so this is
    ``exponential`` over all points. Several, add-remove: fix the tie-breakers and the points chosen
    at earlier levels. The parts of a level are determined by these points alone, so one row is in
    one part, one choice of the level sees it, and that one is e-DP with the M of its own share p of
    the part. Levels compose; a mixture over tie-breakers, which come with their rows, is as
    private. Change-one: a row may leave one part and enter another, and the sizes of parts are
    private. So each part has the off of add-remove and factor e/(4 M): the two choices cost e/2
    each. A row that stays in its part moves off by 1: 2 e/(4 M) <= e. The first choice, or the only
    one of its level, never shares a row: factor e/2. Under a filter all this holds unchanged. Under
    change-one a row may then enter or leave alone, which moves each off by at most 1.

Accuracy
    The answer is at most ``error(beta, width)`` ranks off, except with probability beta, for any
    data: the bound of ``exponential`` for as many candidates as the range has points. For several
    the bound is for a number of rows (``quantile_recursion``). What ranks mean in value depends on
    how dense the data are, which is private.

Arithmetic
    Whole ranks and points; each choice is exact (``grid_selection``). Tie-breakers refine the grid
    while choices are made.

Edges
    p = 0 and 1 are refused (see ``extremes``): every point beyond the data would be as good. Within
    ``error`` ranks of an end this is nearly so. A spike is split where the quantile falls; less
    finely in a range of more than 2^41 points, where there is no room for 2^20 tie-breakers.
    Without rows, any point may be chosen.

Source
    Smith (STOC 2011); Kaplan, Schnapp and Stemmer (ICML 2022) for the recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf, lcm, nextafter
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
from hedgerow.mechanisms.selection.quantile_recursion import (
    Shares,
    bound_rank_error,
    bound_tied_rows,
    count_tie_breakers,
    split_at_middle,
)
from hedgerow.numeric.exact_number import Number, parse_positive, parse_probability, parse_whole
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.loss import Loss
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.rank_pieces import compute_rank_errors
from hedgerow.sensitivity.sample import SortedSample, check_relation

__all__ = ["Quantiles"]


@dataclass(frozen=True, slots=True)
class Quantiles:
    """A choice of the quantiles ``at`` some shares; ``epsilon`` is the cost of each level for one
    row.
    """

    shape: ClassVar[str] = "point"
    at: Shares
    neighbours: str
    epsilon: Fraction

    def __init__(self, at: Sequence[Number], neighbours: str, epsilon: Number) -> None:
        object.__setattr__(self, "neighbours", check_relation(neighbours))
        shares = tuple(parse_probability(p, "at") for p in at)
        rising = all(p < q for p, q in pairwise(shares))
        if not shares or not rising or lcm(*(p.denominator for p in shares)) > 10**6:
            raise InvalidArgument(
                "at",
                "must be one or more rising shares with a common denominator of at most a million",
                at,
            )
        object.__setattr__(self, "at", shares)
        object.__setattr__(self, "epsilon", parse_positive(epsilon, "epsilon"))

    @classmethod
    def calibrate(
        cls,
        *,
        at: Number | Sequence[Number],
        neighbours: str,
        epsilon: Number | None = None,
        rho: Number | None = None,
        rows: int = 1,
    ) -> Quantiles:
        """Return the sharpest choices within ``epsilon`` or ``rho``, for units of at most ``rows``
        rows.
        """
        shares = (
            tuple(at)
            if isinstance(at, Sequence) or (isinstance(at, np.ndarray) and at.ndim)
            else (at,)
        )
        each = compute_epsilon_per_choice(epsilon, rho, len(shares).bit_length() or 1)
        return cls(shares, neighbours, each / parse_whole(rows, "rows"))

    @property
    def levels(self) -> int:
        """The number of choices that see one row."""
        return len(self.at).bit_length()

    def loss(self, rows: int = 1) -> Loss:
        """Return the loss of one use for a unit of ``rows`` rows."""
        return compute_choices_loss(self.epsilon * parse_whole(rows, "rows"), self.levels)

    def sample(
        self,
        values: Any,
        *,
        lower: Number | None = None,
        upper: Number | None = None,
        grid: Number | None = None,
    ) -> Any:
        """Choose one quantile, or a list of several in rising order.

        ``values`` come with public bounds, or as a ``SortedSample``.
        """
        column = parse_sample(values, lower, upper, grid)
        show = Grid(column.grid).to_value
        if len(self.at) == 1:
            return show(self._build_selection(column, self.at[0], 0).draw())
        finer = count_tie_breakers(column.width + 1)
        untied = (column.values - column.lower) * finer + uniform_integers(finer, len(column))
        refined = SortedSample(np.sort(untied), 0, (column.width + 1) * finer - 1)
        return [show(z // finer + column.lower) for z in self._choose_within(refined, self.at, 0)]

    def log_prob(
        self, point: Any, values: Any, *, lower: Any = None, upper: Any = None, grid: Any = None
    ) -> float:
        """Return the log probability of a point, for one quantile.

        Several are a mixture over tie-breakers, without a closed form.
        """
        if len(self.at) > 1:
            raise InvalidArgument("at", "must be a single quantile for log_prob", self.at)
        column = parse_sample(values, lower, upper, grid)
        return self._build_selection(column, self.at[0], 0).log_prob(point)

    def error(self, beta: Number, width: int, n: int = 10**6) -> float:
        """Return the rank error of any answer, exceeded with probability at most ``beta``.

        ``width`` is the range in steps. For several quantiles it holds for at most ``n`` rows:
        where far more rows share a value than there are tie-breakers, they are split less finely.
        """
        level, points = parse_probability(beta, "beta"), parse_whole(width, "width") + 1
        rows = parse_whole(n, "n")
        if len(self.at) == 1:
            return compute_error_radius(level, points, self._factor(self.at[0], 0))
        each, finer = level / (len(self.at) + 1), count_tie_breakers(points)

        def choice(p: Fraction, depth: int) -> float:
            return compute_error_radius(each, points * finer, self._factor(p, depth))

        tied = bound_tied_rows(rows, finer, float(each))
        return nextafter(bound_rank_error(self.at, choice, tied), inf)

    def _factor(self, p: Fraction, depth: int) -> Fraction:
        """Return the factor of the rank errors in one choice.

        The last level of 1, 2, 4, … quantiles has a single choice, like the first.
        """
        alone = depth == 0 or (depth == self.levels - 1 and len(self.at) & (len(self.at) - 1) == 0)
        if self.neighbours == "change-one" and alone:
            return self.epsilon / 2
        return self.epsilon / ((4 if self.neighbours == "change-one" else 2) * max(p, 1 - p))

    def _build_selection(self, part: SortedSample, p: Fraction, depth: int) -> GridSelection:
        quantile = Quantile(p, self.neighbours if depth == 0 else "add-remove")
        unit = 1 if quantile.neighbours == "change-one" else p.denominator
        return GridSelection(
            part,
            quantile.rank(len(part)),
            lambda parts: compute_rank_errors(quantile, parts)[0],
            self._factor(p, depth) / unit,
            unit,
        )

    def _choose_within(self, part: SortedSample, at: Shares, depth: int) -> list[int]:
        below, p, above = split_at_middle(at)
        z = self._build_selection(part, p, depth).draw()
        cut = int(part.count_up_to(np.array([z]))[0])  # values equal to z go to the left
        left = SortedSample(part.values[:cut], part.lower, z)
        right = SortedSample(part.values[cut:], z, part.upper)
        first = self._choose_within(left, below, depth + 1) if below else []
        return [*first, z, *(self._choose_within(right, above, depth + 1) if above else [])]
