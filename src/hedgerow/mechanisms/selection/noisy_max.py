"""Report noisy max, with the winner's lead at no cost.

Statement
    Add independent Laplace noise to factor u(r) for every candidate; report the candidate with the
    largest sum, and on request the lead of that sum over the next, rounded down to a grid. Both
    together are pure epsilon-DP with epsilon = 2 factor Delta, where every score moves by at most
    Delta between neighbours; factor Delta if all scores move in the same direction (``monotone``).

Proof
    Fix the noise of all candidates but r. r wins with lead g exactly when its noise is z = g +
    max_j (factor u(j) + Z_j) - factor u(r). Between neighbours that z moves by at most 2 factor
    Delta (monotone: factor Delta), and the log density of e^(-|z|)/2 by at most that. The map from
    z to g is a shift, so densities of (r, g) obey the bound; integrating over the others' noise,
    over leads and over grid cells keeps it. The lead makes this *not* of bounded range: rho is
    epsilon tanh(epsilon/2).

Accuracy
    ``error`` as for the other selections, with the probability that one of n-1 candidates, just too
    far below, overtakes the best. Without the lead, permute-and-flip is more accurate at the same
    epsilon; use noisy max where the lead is wanted.

Arithmetic
    The noise is continuous and refined to as many bits as the decision needs
    (``samplers.argmax_sampler``): no ties, no rounding. ``log_prob`` integrates numerically
    (piecewise Gauss-Legendre, about twelve digits) and is for checking.

Edges
    The lead needs at least two candidates. ``log_prob`` takes up to 200 candidates and does not
    cover the lead.

Source
    Dwork and Roth (2014), claim 3.9; Ding, Wang, Zhang, Kifer (VLDB 2019) for the free gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.scores import (
    check_candidates,
    check_factor,
    check_flag,
    check_index,
    compute_score_gaps,
    find_smallest_radius,
    parse_scores,
)
from hedgerow.numeric.exact_number import Number, parse_epsilon
from hedgerow.numeric.samplers.argmax_sampler import noisy_argmax, noisy_argmax_with_lead
from hedgerow.numeric.validation import parse_beta
from hedgerow.numeric.vectorised import Floats
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["NoisyMax"]

_MAX_CANDIDATES = 200
_INTEGRATION_RADIUS = 60  # beyond it the integrand is below e^-60


@dataclass(frozen=True, slots=True)
class NoisyMax:
    """A choice among candidates by noisy score; leads are reported on ``grid``."""

    shape: ClassVar[str] = "selection"
    factor: Fraction
    monotone: bool = False
    grid: Fraction = Fraction(1)

    def __init__(self, factor: Number, monotone: bool = False, grid: Number = 1) -> None:
        object.__setattr__(self, "factor", check_factor(factor))
        object.__setattr__(self, "grid", Grid(grid).step)
        object.__setattr__(self, "monotone", check_flag(monotone, "monotone"))

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Number | Sensitivity | None = None,
        epsilon: Number | None = None,
        monotone: bool = False,
        grid: Number | None = None,
        rho: Number | None = None,
    ) -> NoisyMax:
        """Return the least noise within ``epsilon``, if every score moves by at most
        ``sensitivity``.
        """
        if rho is not None:
            raise InvalidArgument(
                "rho",
                "is not supported here, as zCDP does not make this mechanism cheaper; give epsilon,"
                " or use Exponential",
                rho,
            )
        move = Sensitivity.of(sensitivity)
        return cls(
            parse_epsilon(epsilon) / (move.linf if monotone else 2 * move.linf),
            monotone,
            Grid.for_sensitivity(move, grid).step,
        )

    def loss(self, sensitivity: Number | Sensitivity) -> Loss:
        """Return the loss of one choice, with or without the lead.

        Every score moves by at most ``sensitivity``.
        """
        return Loss(self.factor * Sensitivity.of(sensitivity).linf * (1 if self.monotone else 2))

    def sample(self, scores: Any) -> int:
        """Return the index of the chosen candidate."""
        return noisy_argmax(parse_scores(scores), self.factor, "laplace")

    def sample_with_gap(self, scores: Any) -> tuple[int, Any]:
        """Return the index of the chosen candidate, and its lead over the next.

        The lead is in units of score, rounded down to the grid.
        """
        values = parse_scores(scores)
        if values.size < 2:
            raise InvalidArgument("scores", "must have at least two candidates for a gap")
        place, lead = noisy_argmax_with_lead(
            values, self.factor, "laplace", self.factor * self.grid
        )
        return place, Grid(self.grid).to_value(lead)

    def log_prob(self, index: int, scores: Any) -> float:
        """Return the log probability that the candidate at ``index`` is chosen."""
        values = compute_score_gaps(parse_scores(scores), self.factor)
        if values.size > _MAX_CANDIDATES:
            raise InvalidArgument(
                "scores", f"must have at most {_MAX_CANDIDATES} entries for log_prob", values.size
            )
        place = check_index(index, values.size)
        ahead = np.delete(values, place) - values[place]
        # up to a factor of about n the integrand is e^-height, height = |z| + sum_j (ahead_j - z)+;
        # kinks where it is tiny do not matter
        kinks = np.unique([0.0, *ahead])
        height = np.abs(kinks) + np.sum(np.maximum(ahead[:, None] - kinks, 0), axis=0)
        z, weight = _build_quadrature(kinks[height <= height.min() + 2 * _INTEGRATION_RADIUS])
        weight += np.sum(_log_laplace_cdf(z - ahead[:, None]), axis=0)
        return float(weight.max() + np.log(np.sum(np.exp(weight - weight.max()))))

    def error(self, beta: Number, candidates: int) -> float:
        """Return the distance from the best score, exceeded with probability at most ``beta``.

        It is the smallest bound that holds for all scores.
        """
        level, others = parse_beta(beta), check_candidates(candidates) - 1

        def missed(distance: float) -> float:
            z, weight = _build_quadrature(np.array([0.0, -distance, log(others + 1) - distance]))
            overtaken = -np.expm1(others * _log_laplace_cdf(z + distance))
            return float(np.sum(np.exp(weight) * overtaken))

        radius = find_smallest_radius(missed, level, 2 * log((others + 2) / level) + 2)
        return radius / float(self.factor)


def _build_quadrature(kinks: Floats) -> tuple[Floats, Floats]:
    """Return points z and log weights e^-|z|/2 dz for an integral over the line.

    Gauss-Legendre, 16 points per panel. The panels have length 1 within 60 of a kink. Farther away
    the integrands are constant or fall off at least as fast as e^-|z|, so one long panel covers the
    rest.
    """
    offsets = np.arange(-_INTEGRATION_RADIUS, _INTEGRATION_RADIUS + 1)
    ends: Floats = np.unique(np.append(kinks, np.floor(kinks)[:, None] + offsets))
    x, w = np.polynomial.legendre.leggauss(16)
    half = np.diff(ends)[:, None] / 2
    z = (ends[:-1, None] + half + half * x).ravel()
    return z, np.log(half * w).ravel() - np.abs(z) - log(2)


def _log_laplace_cdf(z: Floats) -> Floats:
    return np.where(z < 0, np.minimum(z, 0) - log(2), np.log1p(-np.exp(-np.abs(z)) / 2))
