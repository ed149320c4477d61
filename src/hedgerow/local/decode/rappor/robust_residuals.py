"""What a fit leaves in the cells: coins, the error of the fit, and what values that nobody listed
put there.

The coins are normal with known variances. A value that is missing from the candidates sets few
cells high, each by its share, and leaves the others alone: such cells say little about candidates,
and the many quiet ones say more than an average over all of them would let them. So a cell
**pulls** for its candidates in proportion to what is left in it, up to a cap (Huber's estimate,
capped on the side where unlisted values are). The cap is that of several with which estimates are
sharpest; where nothing is missing there is none, and pulls are those of least squares. Pulls never
fall when more is left: an absent candidate cannot explain a cell away and be the stronger for it.

Source
    P. J. Huber, Robust estimation of a location parameter (1964).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.numeric.vectorised import Floats

__all__ = ["ResidualCap"]

_CAPS = (np.inf, 4.0, 3.0, 2.5, 2.0, 1.5, 1.25, 1.0, 0.75, 0.5)  # standard deviations of the coins
_MAX_STEPS = 25
_MIN_QUIET_SHARE = 0.5  # of the cells at least are below the cap
_QUIET_SHARE_FLOOR = 1e-3  # of them are taken to be quiet, whatever is left
_MIN_GAIN = 1.02  # how much sharper a cap must make estimates to be taken


@dataclass(frozen=True, slots=True, eq=False)
class ResidualCap:
    """``base``: the level of a quiet cell; ``cap``: how far above it a cell counts, in standard
    deviations.
    """

    baseline: float
    cap: float

    @classmethod
    def uncapped(cls, left: Floats, variances: Floats) -> ResidualCap:
        """No cap."""
        return cls(float(np.average(left, weights=1 / variances)), np.inf)

    @classmethod
    def learn(cls, left: Floats, variances: Floats) -> ResidualCap:
        """The cap with which estimates are sharpest."""
        caps, spread = np.array(_CAPS), np.sqrt(variances)
        levels = _find_baselines(left, variances, caps)
        # of all caps at once: this is asked for in every round
        scaled = (left - levels[:, None]) / spread
        quiet, pulls = (
            np.mean(scaled < caps[:, None], axis=1),
            np.minimum(scaled, caps[:, None]) / spread,
        )
        pulls -= np.sum(pulls, axis=1, keepdims=True) / variances / np.sum(1 / variances)
        says, force = (
            np.maximum(quiet, _QUIET_SHARE_FLOOR) * np.sum(1 / variances),
            np.sum(pulls**2, axis=1),
        )
        best, sharpest = 0, 0.0
        for place in np.flatnonzero((quiet >= _MIN_QUIET_SHARE) & (force > 0)).tolist():
            sharp = float(says[place] ** 2 / force[place])
            if sharp > _MIN_GAIN * sharpest:
                best, sharpest = place, sharp
        return cls(float(levels[best]), _CAPS[best])

    def compute_influence(self, left: Floats, variances: Floats) -> tuple[Floats, Floats]:
        """The pull of each cell, adding up to 0, and how much it says about a share, on average for
        cells of its variance. Cells may be those of many fits, a row for each."""
        spread = np.sqrt(variances)
        scaled = (left - self.baseline) / spread
        quiet = np.maximum(np.mean(scaled < self.cap, axis=-1, keepdims=True), _QUIET_SHARE_FLOOR)
        pulls, says = np.minimum(scaled, self.cap) / spread, quiet / variances
        return (
            pulls - says * (pulls.sum(axis=-1, keepdims=True) / says.sum(axis=-1, keepdims=True)),
            says,
        )

    def raise_influence(self, left: Floats, by: Floats, variances: Floats, pulls: Floats) -> Floats:
        """The pulls of these cells if so much more were left in them."""
        spread = np.sqrt(variances)
        scaled = (left - self.baseline) / spread
        return np.asarray(
            pulls
            + (np.minimum(scaled + by / spread, self.cap) - np.minimum(scaled, self.cap)) / spread
        )


def _find_baselines(left: Floats, variances: Floats, caps: Floats) -> Floats:
    """Where pulls add up to 0, for each cap."""
    spread, weights = np.sqrt(variances), 1 / variances
    levels = np.full(caps.size, np.average(left, weights=weights))
    some = np.flatnonzero(caps < np.inf)
    for _ in range(_MAX_STEPS):
        if not some.size:
            break
        scaled, cap = (left - levels[some, None]) / spread, caps[some, None]
        slopes = np.maximum((scaled < cap) @ weights, _QUIET_SHARE_FLOOR * weights.sum())
        moved = (np.minimum(scaled, cap) @ (1 / spread)) / slopes
        levels[some] += moved
        some = some[np.abs(moved) >= 1e-6 * spread.min()]
    return levels
