"""A small logistic regression: Newton's method on the penalised likelihood.

It merges several features of an output into one score. Its fit affects only how much an audit
finds, never the validity of the bound: the bound is counted on runs that the fit has not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from hedgerow.verify.audit.confidence import Floats

__all__ = ["Logistic"]

_MIN_SPREAD = 1e-9
_MAX_FEATURE = 1e100  # so that squares and quotients do not overflow
_MAX_STEPS = 25


@dataclass(frozen=True)
class Logistic:
    """The model log-odds of class 1 = intercept + weights · (features - centre) / spread, with each
    standardised feature clamped to [-cut, cut].
    """

    centre: Floats
    spread: Floats
    weights: Floats
    intercept: float
    cut: float = 6.0

    @classmethod
    def fit(cls, features: Floats, labels: Floats, ridge: float = 1.0) -> Logistic:
        """Fit rows of ``features`` to 0/1 ``labels``, with ``ridge / 2 * |weights|^2`` added to
        the negative log-likelihood.
        """
        finite = np.where(
            np.isfinite(features), np.clip(features, -_MAX_FEATURE, _MAX_FEATURE), np.nan
        )
        known = np.where(np.isnan(finite).all(axis=0), 0.0, finite)
        # The interquartile range, not the variance: one outlier must not flatten all other outputs.
        # The standard deviation is used where most values are equal.
        first, centre, third = np.nanpercentile(known, (25, 50, 75), axis=0)
        spread = np.where(third - first > _MIN_SPREAD, third - first, np.nanstd(known, axis=0))
        blank = cls(
            centre, np.where(spread > _MIN_SPREAD, spread, 1.0), np.zeros(features.shape[1]), 0.0
        )
        design = np.column_stack([np.ones(len(features)), blank._standardise(features)])
        penalty = np.full(design.shape[1], ridge)
        penalty[0] = _MIN_SPREAD
        weights = _maximise_likelihood(design, labels, penalty)
        return cls(blank.centre, blank.spread, weights[1:], float(weights[0]))

    def log_odds(self, features: Floats) -> Floats:
        """Return the score of each row."""
        return self.intercept + self._standardise(features) @ self.weights

    def _standardise(self, features: Floats) -> Floats:
        return np.clip(
            (np.clip(features, -_MAX_FEATURE, _MAX_FEATURE) - self.centre) / self.spread,
            -self.cut,
            self.cut,
        )


def _maximise_likelihood(design: Floats, labels: Floats, penalty: Floats) -> Floats:
    """Climb from zero to the maximum of a strictly concave likelihood; stop at the first step
    without a gain.
    """
    weights = np.zeros(design.shape[1])
    value = _penalised_likelihood(design, labels, penalty, weights)
    for _ in range(_MAX_STEPS):
        mean = expit(design @ weights)
        gradient = design.T @ (labels - mean) - penalty * weights
        curvature = (design * (mean * (1 - mean))[:, None]).T @ design + np.diag(penalty)
        step = weights + np.linalg.solve(curvature, gradient)
        gain = _penalised_likelihood(design, labels, penalty, step) - value
        if gain > 0:
            weights, value = step, value + gain
        if gain <= _MIN_SPREAD * abs(value):
            break
    return weights


def _penalised_likelihood(
    design: Floats, labels: Floats, penalty: Floats, weights: Floats
) -> float:
    linear = design @ weights
    return float(
        labels @ linear - np.logaddexp(0.0, linear).sum() - (penalty * weights) @ weights / 2
    )
