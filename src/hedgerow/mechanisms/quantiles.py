"""Quantiles by the exponential mechanism over all points of a grid, and several of them one inside the other.

Statement
    A grid point z of the declared range is chosen with probability proportional to exp(-factor off(z)), off(z) being how many ranks z is
    from holding the quantile at p. With factor = e/(2 M) this is pure e-DP and e^2/8-zCDP: M = 1 under change-one, max(p, 1-p) under
    add-remove. Several quantiles: the middle one first, then those below it among the values up to it, those above it among the rest; each
    value has a random tie-breaker. Together L e and L e^2/8, for L levels: 2 for up to 3, 3 for up to 7. k rows lose k and k^2 times that.

Proof
    One choice: off moves by at most M with one row (``statistics.pieces``), so this is ``exponential`` over all points. Several,
    add-remove: fix the tie-breakers and the points chosen at earlier levels. The parts of a level are made from these points alone, so one
    row is in one part, one choice of the level sees it, and that one is e-DP with the M of its own share p of the part. Levels compose; a
    mixture over tie-breakers, which come with their rows, is as private. Change-one: a row may leave one part and enter another, and the
    sizes of parts are private. So each part has the off of add-remove and factor e/(4 M): the two choices cost e/2 each. A row that stays
    in its part moves off by 1: 2 e/(4 M) <= e. The first choice, or the only one of its level, never shares a row: factor e/2.

Accuracy
    The answer is at most ``error(beta, width)`` ranks off, except with probability beta, whatever the data: the bound of ``exponential``
    for as many candidates as the range has points; for several, summed over levels, since a part is off by what its ends are. What that is
    in value depends on how dense the data are, which is private.

Arithmetic
    Whole ranks and points; each choice is exact (``mechanisms.points``). Tie-breakers refine the grid while choices are made.

Edges
    p = 0 and 1 are refused (see ``extremes``): every point beyond the data would be as good. Within ``error`` ranks of an end it is nearly
    so. A spike is split where the quantile falls. No rows: any point; refused where their number is public.

Source
    Smith (STOC 2011); Kaplan, Schnapp and Stemmer (ICML 2022) for the recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.points import Aim, affordable, as_sample, cost, radius
from hedgerow.numeric.number import Number, positive, probability, whole
from hedgerow.numeric.uniform import uniform_integers
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.loss import Loss
from hedgerow.statistics.order import Quantile
from hedgerow.statistics.pieces import ranks_off
from hedgerow.statistics.sample import Sample, check_relation

__all__ = ["Quantiles"]

Shares = tuple[Fraction, ...]

_FINEST = 1 << 20  # so many tie-breakers that of a million equal rows few share one


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Chooses the quantiles ``at`` some shares; ``epsilon`` is what each level costs one row. Usually made by ``Quantiles.calibrate``."""

    shape: ClassVar[str] = "point"
    at: Shares
    neighbours: str
    epsilon: Fraction

    def __post_init__(self) -> None:
        check_relation(self.neighbours)
        shares = tuple(probability(p, "at") for p in self.at)
        if not shares or any(p >= q for p, q in pairwise(shares)) or lcm(*(p.denominator for p in shares)) > 10**6:
            raise InvalidArgument("at", "must be one or more rising shares with a common denominator of at most a million", self.at)
        object.__setattr__(self, "at", shares)
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))

    @classmethod
    def calibrate(
        cls, *, at: Number | Sequence[Number], neighbours: str, epsilon: Number | None = None, rho: Number | None = None, rows: int = 1
    ) -> Quantiles:
        """The sharpest choices within ``epsilon`` or ``rho``, when one unit has at most ``rows`` rows."""
        shares = tuple(at) if isinstance(at, (Sequence, np.ndarray)) else (at,)
        each = affordable(epsilon, rho, len(shares).bit_length() or 1) / whole(rows, "rows")
        return cls(shares, neighbours, each)  # type: ignore[arg-type]

    @property
    def levels(self) -> int:
        """How many choices see one row."""
        return len(self.at).bit_length()

    def loss(self, rows: int = 1) -> Loss:
        """What one use costs a unit of ``rows`` rows."""
        return cost(self.epsilon * whole(rows, "rows"), self.levels)

    def sample(self, values: Any, *, lower: Number | None = None, upper: Number | None = None, grid: Number | None = None) -> Any:
        """One quantile, or a list of several in rising order. ``values`` come with public bounds, or as a ``Sample``."""
        column = as_sample(values, lower, upper, grid, self.neighbours)
        show = Grid(column.grid).value
        if len(self.at) == 1:
            return show(self._aim(column, self.at[0], 0).draw())
        finer = max(1, min(_FINEST, (1 << 61) // (column.width + 1)))
        untied = np.sort((column.values - column.lower) * finer + uniform_integers(finer, len(column)))
        return [show(z // finer + column.lower) for z in self._within(Sample(untied, 0, (column.width + 1) * finer - 1), self.at, 0)]

    def log_prob(self, point: Any, values: Any, *, lower: Any = None, upper: Any = None, grid: Any = None) -> float:
        """The logarithm of the probability of a point, for one quantile. (Several are a mixture over tie-breakers.)"""
        if len(self.at) > 1:
            raise InvalidArgument("at", "must be a single quantile for log_prob", self.at)
        return self._aim(as_sample(values, lower, upper, grid, self.neighbours), self.at[0], 0).log_prob(point)

    def error(self, beta: Number, width: int) -> float:
        """How many ranks any of the answers may be off, except with probability ``beta``, on a range of ``width`` steps."""
        points, level = whole(width, "width") + 1, probability(beta, "beta") / len(self.at)
        radii = [(depth, radius(level, points * (_FINEST if self.at[1:] else 1), self._factor(p, depth))) for p, depth in _choices(self.at)]
        far = [max(r for at, r in radii if at == depth) for depth in range(self.levels)]
        return sum(far) + (self.levels if self.at[1:] else 0)

    def _factor(self, p: Fraction, depth: int) -> Fraction:
        """What ranks are multiplied by in one choice. The last level of 1, 2, 4, … quantiles has a single choice, like the first."""
        alone = depth == 0 or (depth == self.levels - 1 and len(self.at) & (len(self.at) - 1) == 0)
        if self.neighbours == "change-one" and alone:
            return self.epsilon / 2
        return self.epsilon / ((4 if self.neighbours == "change-one" else 2) * max(p, 1 - p))

    def _aim(self, part: Sample, p: Fraction, depth: int) -> Aim:
        quantile = Quantile(p, self.neighbours if depth == 0 else "add-remove")
        unit = 1 if quantile.neighbours == "change-one" else p.denominator
        return Aim(part, quantile.rank(len(part)), lambda parts: ranks_off(quantile, parts)[0], self._factor(p, depth) / unit, unit)

    def _within(self, part: Sample, at: Shares, depth: int) -> list[int]:
        below, p, above = _halves(at)
        z = self._aim(part, p, depth).draw()
        cut = int(part.up_to(np.array([z]))[0])  # what equals z goes to the left
        left, right = Sample(part.values[:cut], part.lower, z), Sample(part.values[cut:], z, part.upper)
        first, last = (self._within(side, half, depth + 1) if half else [] for side, half in ((left, below), (right, above)))
        return [*first, z, *last]


def _halves(at: Shares) -> tuple[Shares, Fraction, Shares]:
    """The middle share, those below it as shares of what lies below it, and those above it as shares of the rest."""
    p = at[len(at) // 2]
    return tuple(q / p for q in at if q < p), p, tuple((q - p) / (1 - p) for q in at if q > p)


def _choices(at: Shares, depth: int = 0) -> list[tuple[Fraction, int]]:
    """Every choice: its share of its part, and its level."""
    below, p, above = _halves(at)
    return [(p, depth)] + [choice for half in (below, above) if half for choice in _choices(half, depth + 1)]
