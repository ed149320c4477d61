"""Robust residuals of the cells: randomisation noise, the error of the fit, and unlisted values.

Randomisation noise is normal with known variances. A value that is missing from the candidates
raises few cells, each by its share, and leaves the others alone. Raised cells carry little
information about candidates, and an average over all cells would understate the information of the
many quiet ones. So the **influence** of a cell on its candidates is proportional to its residual up
to a cap (Huber's estimate, capped on the side of unlisted values). Of several caps the one with the
sharpest estimates is used; if no value is missing there is no cap, and the influence is that of
least squares. Influence never falls as the residual grows, so an absent candidate cannot gain by
explaining a cell away.

Source
    P. J. Huber, Robust estimation of a location parameter (1964).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.numeric.vectorised import Floats

__all__ = ["ResidualCap"]

_CAPS = (
    np.inf,
    4.0,
    3.0,
    2.5,
    2.0,
    1.5,
    1.25,
    1.0,
    0.75,
    0.5,
)  # standard deviations of the randomisation
_MAX_STEPS = 25
_MIN_QUIET_SHARE = 0.5  # smallest share of cells below the cap
_QUIET_SHARE_FLOOR = 1e-3  # smallest share of cells taken as quiet
_MIN_GAIN = 1.02  # smallest gain in precision for which a lower cap is chosen


@dataclass(frozen=True, slots=True, eq=False)
class ResidualCap:
    """The level ``baseline`` of a quiet cell, and the ``cap`` on residuals above it, in standard
    deviations.
    """

    baseline: float
    cap: float

    @classmethod
    def uncapped(cls, residuals: Floats, variances: Floats) -> ResidualCap:
        """Build an infinite cap, with the weighted mean as baseline."""
        return cls(float(np.average(residuals, weights=1 / variances)), np.inf)

    @classmethod
    def learn(cls, residuals: Floats, variances: Floats) -> ResidualCap:
        """Choose the cap with the sharpest estimates."""
        caps, spread = np.array(_CAPS), np.sqrt(variances)
        levels = _find_baselines(residuals, variances, caps)
        # all caps at once: every round calls this
        scaled = (residuals - levels[:, None]) / spread
        quiet_share, influence = (
            np.mean(scaled < caps[:, None], axis=1),
            np.minimum(scaled, caps[:, None]) / spread,
        )
        influence -= np.sum(influence, axis=1, keepdims=True) / variances / np.sum(1 / variances)
        information, force = (
            np.maximum(quiet_share, _QUIET_SHARE_FLOOR) * np.sum(1 / variances),
            np.sum(influence**2, axis=1),
        )
        best, sharpest = 0, 0.0
        for place in np.flatnonzero((quiet_share >= _MIN_QUIET_SHARE) & (force > 0)).tolist():
            sharp = float(information[place] ** 2 / force[place])
            if sharp > _MIN_GAIN * sharpest:
                best, sharpest = place, sharp
        return cls(float(levels[best]), _CAPS[best])

    def compute_influence(self, residuals: Floats, variances: Floats) -> tuple[Floats, Floats]:
        """Return the influence of each cell, summing to 0, and its information about a share,
        averaged over cells of its variance.

        Cells may belong to many fits, one per row.
        """
        spread = np.sqrt(variances)
        scaled = (residuals - self.baseline) / spread
        quiet_share = np.maximum(
            np.mean(scaled < self.cap, axis=-1, keepdims=True), _QUIET_SHARE_FLOOR
        )
        influence, information = np.minimum(scaled, self.cap) / spread, quiet_share / variances
        return (
            influence
            - information
            * (influence.sum(axis=-1, keepdims=True) / information.sum(axis=-1, keepdims=True)),
            information,
        )

    def raise_influence(
        self, residuals: Floats, by: Floats, variances: Floats, influence: Floats
    ) -> Floats:
        """Return the influence of these cells after raising their residuals by ``by``."""
        spread = np.sqrt(variances)
        scaled = (residuals - self.baseline) / spread
        return np.asarray(
            influence
            + (np.minimum(scaled + by / spread, self.cap) - np.minimum(scaled, self.cap)) / spread
        )


def _find_baselines(residuals: Floats, variances: Floats, caps: Floats) -> Floats:
    """Return the baseline at which influence sums to 0, for each cap."""
    spread, weights = np.sqrt(variances), 1 / variances
    levels = np.full(caps.size, np.average(residuals, weights=weights))
    some = np.flatnonzero(caps < np.inf)
    for _ in range(_MAX_STEPS):
        if not some.size:
            break
        scaled, cap = (residuals - levels[some, None]) / spread, caps[some, None]
        slopes = np.maximum((scaled < cap) @ weights, _QUIET_SHARE_FLOOR * weights.sum())
        change = (np.minimum(scaled, cap) @ (1 / spread)) / slopes
        levels[some] += change
        some = some[np.abs(change) >= 1e-6 * spread.min()]
    return levels
