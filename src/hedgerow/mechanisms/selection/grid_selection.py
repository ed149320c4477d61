"""Choosing a point of a range by how far each is off, exactly and without looking at all of them.

Wanted is Pr[z] proportional to exp(-factor off(z)) over all grid points z of the range, where
off(z) >= 0 is a whole number that depends on how many values lie below, at and above z, and grows
away from some rank.

Near that rank every piece (``statistics.pieces``) races with its number of points as weight. All
that is farther on one side is a single piece, as if each of its points were as little off as its
near end. A point drawn there is kept with probability exp(-factor (off(z) - off(near end))); else
everything is drawn again. That is rejection: the law is the one wanted wherever "near" ends. It
ends where the rest is so unlikely that hardly ever is anything drawn again.

What such a choice costs: if off moves by at most M between neighbours, epsilon = 2 factor M and rho
= epsilon^2/8 (``exponential``).
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
from hedgerow.sensitivity.sample import Sample

__all__ = [
    "GridSelection",
    "RankErrors",
    "compute_choices_loss",
    "compute_epsilon_per_choice",
    "compute_error_radius",
    "parse_sample",
]

RankErrors = Callable[[RankPieces], Integers]

_FAR_EXPONENT = 64  # e^-64 times the at most 2^54 points of a range is next to nothing


def compute_epsilon_per_choice(
    epsilon: Number | None, rho: Number | None, choices: int = 1
) -> Fraction:
    """The epsilon of each of so many choices, within ``epsilon`` or ``rho`` in all."""
    if (epsilon is None) == (rho is None):
        raise InvalidArgument("epsilon", "or rho must be given, and not both", epsilon)
    if rho is None:
        return parse_epsilon(epsilon) / choices
    share = parse_epsilon(rho, "rho") / choices
    # from 8 on, epsilon tanh(epsilon/2) < epsilon is the better bound
    return max(sqrt_down(8 * share, 10**15), share)


def compute_choices_loss(epsilon: Fraction, choices: int = 1) -> Loss:
    """The loss of so many choices of ``epsilon`` each."""
    return Loss(
        choices * epsilon, rho=min(choices * epsilon**2 / 8, compute_pure_rho(choices * epsilon))
    )


def compute_error_radius(beta: Fraction, points: int, factor: Fraction) -> float:
    """How far off the choice among so many points may be, except with probability ``beta``, if
    one of them is not off at all.
    """
    odds = (points - 1) * (1 - beta) / beta
    return nextafter(float(log_up(odds) / factor), inf) if odds > 1 else 0.0


def parse_sample(
    values: Any, lower: Number | None, upper: Number | None, grid: Number | None
) -> Sample:
    """A column between public bounds: values with their bounds, or a ``Sample``, which has its own.

    It may be empty under either relation: under a filter that is private, and a refusal would tell
    it.
    """
    if isinstance(values, Sample):
        if (lower, upper, grid) != (None, None, None):
            raise InvalidArgument(
                "lower", "must be left out, like upper and grid: the sample has its own", lower
            )
        return values
    if lower is None or upper is None:
        raise InvalidArgument(
            "lower" if lower is None else "upper",
            "must be declared: a bound read off the data is not private",
        )
    return Sample.from_values(values, lower=lower, upper=upper, grid=grid)


@dataclass(frozen=True, slots=True)
class GridSelection:
    """A choice: among the points of ``sample``, around ``rank``, by ``off`` times ``factor``.
    Each rank away adds ``unit`` to off.
    """

    sample: Sample
    rank: int
    rank_errors: RankErrors
    factor: Fraction
    rank_unit: int = 1

    def build_nearby_pieces(self) -> RankPieces:
        """The pieces around the rank; what lies beyond is one piece at each end."""
        n, reach = len(self.sample), ceil(_FAR_EXPONENT / (self.factor * self.rank_unit)) + 2
        centre = max(min(self.rank, n), 1)
        ends = np.array(
            [
                self.sample.value_at(max(centre - reach, 1)),
                self.sample.value_at(min(centre + reach, n)),
            ]
        )
        i, j = int(self.sample.count_below(ends)[0]), int(self.sample.count_up_to(ends)[1])
        inside = build_pieces(Sample(self.sample.values[i:j], self.sample.lower, self.sample.upper))
        return RankPieces(
            inside.first, inside.points, inside.below + i, inside.equal, inside.above + (n - j)
        )

    def draw(self) -> int:
        """A point, in steps."""
        near = self.build_nearby_pieces()
        offs = self.rank_errors(near)
        # a value among the far points may be less off by one than the end of the gap that it
        # borders
        offs[0] -= near.below[0] > 0
        offs[-1] -= near.above[-1] > 0
        while True:
            place = noisy_argmax(-offs, self.factor, "gumbel", weights=near.points)
            z = int(near.first[place]) + int(uniform_integers(int(near.points[place]), 1)[0])
            if bernoulli_exp(self.factor * (self._compute_rank_error(z) - int(offs[place])), 1)[0]:
                return z

    def log_prob(self, point: Any) -> float:
        """The logarithm of the probability of a point, given as a value. All pieces are looked
        at.
        """
        grid = Grid(self.sample.grid)
        z = grid.snap(point, "point")
        if (
            not isinstance(z, int)
            or not self.sample.lower <= z <= self.sample.upper
            or grid.to_value(z) != point
        ):
            raise InvalidArgument("point", "must be a grid point between the bounds", point)
        every = build_pieces(self.sample)
        logs = np.log(every.points) - float(self.factor) * self.rank_errors(every)
        top = float(logs.max())
        return float(
            -float(self.factor) * self._compute_rank_error(z)
            - top
            - np.log(np.sum(np.exp(logs - top)))
        )

    def _compute_rank_error(self, z: int) -> int:
        first = np.array([z])
        below, up_to = self.sample.count_below(first), self.sample.count_up_to(first)
        return int(
            self.rank_errors(
                RankPieces(
                    first, np.ones_like(first), below, up_to - below, len(self.sample) - up_to
                )
            )[0]
        )
