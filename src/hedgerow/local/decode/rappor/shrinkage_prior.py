"""A prior on shares, fitted to noisy estimates of them, and what it makes of an estimate.

A share is 0, or about as large as one of a few **bumps**, normal ones a quarter as wide as they are
high up, from half a standard error to the largest estimate. How much weight each has is fitted by
expectation maximisation. Nothing is assumed about frequencies but that they are not negative: of
many absent candidates the weight is at 0, and estimates that do not stand out shrink to next to
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.numeric.vectorised import Floats

__all__ = ["ShrinkagePrior"]

_BUMP_COUNT = 14  # bumps beside the one at 0, which has no width
_RELATIVE_WIDTH = 0.25  # of a bump, for its place
_EM_STEPS = 3
# standard errors up to which entries of the table are evenly spaced, and how many there are
_LINEAR_RANGE, _TABLE_SIZE = 8.0, 512


@dataclass(frozen=True, slots=True, eq=False)
class ShrinkagePrior:
    """Where the bumps are, 0 first, and their weights."""

    centres: Floats
    weights: Floats

    @classmethod
    def initial(cls) -> ShrinkagePrior:
        """To begin with: one half at 0."""
        return cls(
            np.zeros(_BUMP_COUNT + 1), np.append(0.5, np.full(_BUMP_COUNT, 0.5 / _BUMP_COUNT))
        )

    def fit(self, estimate: Floats, errors: Floats, absent: int) -> ShrinkagePrior:
        """Fitted to these estimates with their standard errors, from the weights here; so many
        more candidates count as absent.
        """
        if not estimate.size:
            return self
        typical = float(np.median(errors))
        points = np.append(
            0.0, np.geomspace(0.5 * typical, max(float(estimate.max()), 3 * typical), _BUMP_COUNT)
        )
        likelihood, weights = (
            ShrinkagePrior(points, self.weights)._compute_likelihood(estimate, errors**2),
            self.weights,
        )
        for _ in range(_EM_STEPS):
            posterior = likelihood * weights
            held = (posterior / posterior.sum(axis=1, keepdims=True)).sum(axis=0)
            held[0] += absent
            # Every bump keeps the weight of a twentieth of a candidate: else few of them are left,
            # and shares jump between those.
            weights = (held + 1 / _BUMP_COUNT) / (held + 1 / _BUMP_COUNT).sum()
        return ShrinkagePrior(points, weights)

    def shrink(self, estimate: Floats, errors: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and variance of each share."""
        noise, width = errors[..., None] ** 2, (_RELATIVE_WIDTH * self.centres) ** 2
        posterior = self._compute_likelihood(estimate, errors**2) * self.weights
        posterior /= posterior.sum(axis=-1, keepdims=True)
        # Within a bump the posterior is normal: between its centre and the estimate, as their
        # variances say.
        pull = width / (noise + width)
        centre = self.centres + pull * (estimate[..., None] - self.centres)
        mean = (posterior * centre).sum(axis=-1)
        variance = (posterior * (pull * noise + centre**2)).sum(axis=-1) - mean**2
        return mean, np.maximum(variance, 0.0)

    def shrink_by_table(self, estimate: Floats, error: float) -> tuple[Floats, Floats]:
        """The same of very many estimates whose standard errors are about this one: off a table,
        between whose entries lines are drawn.
        """
        largest = max(float(estimate.max()), 2 * _LINEAR_RANGE * error)
        near = error * np.linspace(-_LINEAR_RANGE, _LINEAR_RANGE, _TABLE_SIZE, endpoint=False)
        table = np.append(near, np.geomspace(_LINEAR_RANGE * error, largest, _TABLE_SIZE))
        mean, variance = self.shrink(table, np.full(table.size, error))
        return np.interp(estimate, table, mean), np.interp(estimate, table, variance)

    def _compute_likelihood(self, estimate: Floats, noise: Floats) -> Floats:
        """Of each bump, up to a factor."""
        spread = noise[..., None] + (_RELATIVE_WIDTH * self.centres) ** 2
        exponent = -0.5 * ((estimate[..., None] - self.centres) ** 2 / spread + np.log(spread))
        return np.asarray(np.exp(exponent - exponent.max(axis=-1, keepdims=True)))
