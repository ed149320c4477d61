"""Exact selection of a point of a range by its rank error, without enumerating all points.

The target is Pr[z] proportional to exp(-factor off(z)) over all grid points z of the range. off(z)
>= 0 is a whole number, the rank error of z; it depends on the number of values below, at and above
z, and grows away from some rank.

Near that rank, every piece (``sensitivity.rank_pieces``) takes part in a noisy argmax with its
number of points as weight. Everything farther on one side is a single piece, as if each of its
points had the rank error of its near end. A point drawn there is accepted with probability
exp(-factor (off(z) - off(near end))); otherwise everything is drawn again. This is rejection
sampling: the distribution is the target, wherever "near" ends. It ends where the rest is so
unlikely that rejections hardly ever occur.

The cost of such a choice: if off moves by at most M between neighbours, epsilon = 2 factor M and
rho = epsilon^2/8 (``exponential``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, nextafter
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_epsilon
from hedgerow.numeric.rounding import log_up, sqrt_down
from hedgerow.numeric.samplers.argmax_sampler import noisy_argmax
from hedgerow.numeric.samplers.laplace_sampler import bernoulli_exp
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.numeric.vectorised import Integers
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.zcdp import compute_pure_rho
from hedgerow.sensitivity.rank_pieces import RankPieces, build_pieces
from hedgerow.sensitivity.sample import SortedSample

__all__ = [
    "GridSelection",
    "RankErrors",
    "compute_choices_loss",
    "compute_epsilon_per_choice",
    "compute_error_radius",
    "parse_sample",
]

RankErrors = Callable[[RankPieces], Integers]

_FAR_EXPONENT = 64  # e^-64 times the at most 2^54 points of a range is negligible


def compute_epsilon_per_choice(
    epsilon: Number | None, rho: Number | None, choices: int = 1
) -> Fraction:
    """Return the epsilon of each of ``choices`` choices, within ``epsilon`` or ``rho`` in total.

    A choice has rho at most epsilon^2/8, and at most epsilon tanh(epsilon/2) < epsilon.
    """
    if (epsilon is None) == (rho is None):
        raise InvalidArgument("epsilon", "or rho must be given, and not both", epsilon)
    if rho is None:
        return parse_epsilon(epsilon) / choices
    share = parse_epsilon(rho, "rho") / choices
    # from rho = 8 on, the second bound is the better one
    return max(sqrt_down(8 * share, 10**15), share)


def compute_choices_loss(epsilon: Fraction, choices: int = 1) -> Loss:
    """Return the loss of ``choices`` choices of ``epsilon`` each."""
    return Loss(
        choices * epsilon, rho=min(choices * epsilon**2 / 8, compute_pure_rho(choices * epsilon))
    )


def compute_error_radius(beta: Fraction, points: int, factor: Fraction) -> float:
    """Return the error of a choice among ``points``, exceeded with probability at most ``beta``.

    At least one of the points must have no error.
    """
    odds = (points - 1) * (1 - beta) / beta
    return nextafter(float(log_up(odds) / factor), inf) if odds > 1 else 0.0


def parse_sample(
    values: Any, lower: Number | None, upper: Number | None, grid: Number | None
) -> SortedSample:
    """Return a column between public bounds: values with bounds, or a ``SortedSample``.

    It may be empty under either relation: under a filter that is private, and a refusal would
    reveal it.
    """
    if isinstance(values, SortedSample):
        if (lower, upper, grid) != (None, None, None):
            raise InvalidArgument(
                "lower", "must be left out, like upper and grid: a SortedSample has its own", lower
            )
        return values
    if lower is None or upper is None:
        raise InvalidArgument(
            "lower" if lower is None else "upper",
            "must be declared: a bound read off the data is not private",
        )
    return SortedSample.from_values(values, lower=lower, upper=upper, grid=grid)


@dataclass(frozen=True, slots=True)
class GridSelection:
    """A choice among the points of ``sample`` by ``rank_errors`` times ``factor``, around ``rank``.

    Each rank away adds ``rank_unit`` to the rank error.
    """

    sample: SortedSample
    rank: int
    rank_errors: RankErrors
    factor: Fraction
    rank_unit: int = 1

    def build_nearby_pieces(self) -> RankPieces:
        """Return the pieces around the rank; the rest is one piece at each end."""
        n, reach = len(self.sample), ceil(_FAR_EXPONENT / (self.factor * self.rank_unit)) + 2
        centre = max(min(self.rank, n), 1)
        ranks = max(centre - reach, 1), min(centre + reach, n)
        ends = np.array([self.sample.value_at(rank) for rank in ranks])
        i, j = int(self.sample.count_below(ends)[0]), int(self.sample.count_up_to(ends)[1])
        inside = build_pieces(
            SortedSample(self.sample.values[i:j], self.sample.lower, self.sample.upper)
        )
        return RankPieces(
            inside.first, inside.points, inside.below + i, inside.equal, inside.above + (n - j)
        )

    def draw(self) -> int:
        """Draw a point, in steps."""
        near = self.build_nearby_pieces()
        errors = self.rank_errors(near)
        # a value among the far points may have an error one less than the end of the gap next to it
        errors[0] -= near.below[0] > 0
        errors[-1] -= near.above[-1] > 0
        while True:
            place = noisy_argmax(-errors, self.factor, "gumbel", weights=near.points)
            z = int(near.first[place]) + int(uniform_integers(int(near.points[place]), 1)[0])
            if bernoulli_exp(self.factor * (self._compute_rank_error(z) - int(errors[place])), 1)[
                0
            ]:
                return z

    def log_prob(self, point: Any) -> float:
        """Return the log probability of a point, given as a value; all pieces are evaluated."""
        grid = Grid(self.sample.grid)
        z = grid.snap(point, "point")
        inside = isinstance(z, int) and self.sample.lower <= z <= self.sample.upper
        if not isinstance(z, int) or not inside or grid.to_value(z) != point:
            raise InvalidArgument("point", "must be a grid point between the bounds", point)
        every = build_pieces(self.sample)
        logs = np.log(every.points) - float(self.factor) * self.rank_errors(every)
        top = float(logs.max())
        log_weight = -float(self.factor) * self._compute_rank_error(z)
        return float(log_weight - top - np.log(np.sum(np.exp(logs - top))))

    def _compute_rank_error(self, z: int) -> int:
        first = np.array([z])
        below, up_to = self.sample.count_below(first), self.sample.count_up_to(first)
        above = len(self.sample) - up_to
        piece = RankPieces(first, np.ones_like(first), below, up_to - below, above)
        return int(self.rank_errors(piece)[0])
