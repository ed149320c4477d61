"""A prior on shares, fitted to noisy estimates, and the posterior mean and variance under it.

A share is 0 or close to one of a few **components**: normal distributions with a standard deviation
of a quarter of their centre, and centres from half a standard error to the largest estimate. Their
weights are fitted by expectation maximisation. The only assumption about frequencies is that they
are not negative. With many absent candidates most weight is at 0, and estimates that do not stand
out shrink to almost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.numeric.vectorised import Floats

__all__ = ["ShrinkagePrior"]

_COMPONENT_COUNT = 14  # components besides the one at 0, which has no width
_RELATIVE_WIDTH = 0.25  # standard deviation of a component over its centre
_EM_STEPS = 3
# standard errors up to which the table is evenly spaced, and the number of those entries
_LINEAR_RANGE, _TABLE_SIZE = 8.0, 512


@dataclass(frozen=True, slots=True, eq=False)
class ShrinkagePrior:
    """The centres of the components, 0 first, and their weights."""

    centres: Floats
    weights: Floats

    @classmethod
    def initial(cls) -> ShrinkagePrior:
        """Build the starting prior, with half of the weight at 0."""
        return cls(
            np.zeros(_COMPONENT_COUNT + 1),
            np.append(0.5, np.full(_COMPONENT_COUNT, 0.5 / _COMPONENT_COUNT)),
        )

    def fit(self, estimate: Floats, errors: Floats, absent: int) -> ShrinkagePrior:
        """Fit the prior to these estimates and standard errors, starting from the present weights;
        ``absent`` further candidates count as 0.
        """
        if not estimate.size:
            return self
        typical = float(np.median(errors))
        points = np.append(
            0.0,
            np.geomspace(0.5 * typical, max(float(estimate.max()), 3 * typical), _COMPONENT_COUNT),
        )
        likelihood, weights = (
            ShrinkagePrior(points, self.weights)._compute_likelihood(estimate, errors**2),
            self.weights,
        )
        for _ in range(_EM_STEPS):
            posterior = likelihood * weights
            held = (posterior / posterior.sum(axis=1, keepdims=True)).sum(axis=0)
            held[0] += absent
            # Every component keeps a small weight: otherwise few remain, and shares jump between
            # them.
            weights = (held + 1 / _COMPONENT_COUNT) / (held + 1 / _COMPONENT_COUNT).sum()
        return ShrinkagePrior(points, weights)

    def shrink(self, estimate: Floats, errors: Floats) -> tuple[Floats, Floats]:
        """Return the posterior mean and variance of each share."""
        noise, width = errors[..., None] ** 2, (_RELATIVE_WIDTH * self.centres) ** 2
        posterior = self._compute_likelihood(estimate, errors**2) * self.weights
        posterior /= posterior.sum(axis=-1, keepdims=True)
        # Within a component the posterior is normal, with its mean between centre and estimate,
        # weighted by their variances.
        pull = width / (noise + width)
        centre = self.centres + pull * (estimate[..., None] - self.centres)
        mean = (posterior * centre).sum(axis=-1)
        variance = (posterior * (pull * noise + centre**2)).sum(axis=-1) - mean**2
        return mean, np.maximum(variance, 0.0)

    def shrink_by_table(self, estimate: Floats, error: float) -> tuple[Floats, Floats]:
        """Return the same as ``shrink`` for very many estimates with about one standard error, by
        linear interpolation in a table.
        """
        largest = max(float(estimate.max()), 2 * _LINEAR_RANGE * error)
        near = error * np.linspace(-_LINEAR_RANGE, _LINEAR_RANGE, _TABLE_SIZE, endpoint=False)
        table = np.append(near, np.geomspace(_LINEAR_RANGE * error, largest, _TABLE_SIZE))
        mean, variance = self.shrink(table, np.full(table.size, error))
        return np.interp(estimate, table, mean), np.interp(estimate, table, variance)

    def _compute_likelihood(self, estimate: Floats, noise: Floats) -> Floats:
        """Return the likelihood of each component, up to a factor."""
        spread = noise[..., None] + (_RELATIVE_WIDTH * self.centres) ** 2
        exponent = -0.5 * ((estimate[..., None] - self.centres) ** 2 / spread + np.log(spread))
        return np.asarray(np.exp(exponent - exponent.max(axis=-1, keepdims=True)))
