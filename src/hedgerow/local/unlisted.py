"""What a fit leaves in the cells: coins, the error of the fit, and what values that nobody listed put there.

The coins are normal with known variances. A value that is missing from the candidates sets few cells high, each by its share, and leaves
the others alone: such cells say little about candidates, and the many quiet ones say more than an average over all of them would let them.
So a cell **pulls** for its candidates in proportion to what is left in it, up to a cap (Huber's estimate, capped on the side where unlisted
values are). The cap is that of several with which estimates are sharpest; where nothing is missing there is none, and pulls are those of
least squares. Pulls never fall when more is left: an absent candidate cannot explain a cell away and be the stronger for it.

Source
    P. J. Huber, Robust estimation of a location parameter (1964).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.numeric.chunk import Floats

__all__ = ["Unlisted"]

_CAPS = (np.inf, 4.0, 3.0, 2.5, 2.0, 1.5, 1.25, 1.0, 0.75, 0.5)  # standard deviations of the coins
_STEPS = 25
_QUIET = 0.5  # of the cells at least are below the cap
_WORTH = 1.02  # how much sharper a cap must make estimates to be taken


@dataclass(frozen=True, slots=True, eq=False)
class Unlisted:
    """``base``: the level of a quiet cell; ``cap``: how far above it a cell counts, in standard deviations."""

    base: float
    cap: float

    @classmethod
    def plain(cls, left: Floats, variances: Floats) -> Unlisted:
        """No cap."""
        return cls(_level(left, variances, np.inf), np.inf)

    @classmethod
    def learn(cls, left: Floats, variances: Floats) -> Unlisted:
        """The cap with which estimates are sharpest."""
        best, sharpest = cls.plain(left, variances), 0.0
        for cap in _CAPS:
            found = cls(_level(left, variances, cap), cap)
            pulls, says = found.pulls(left, variances)
            sharp = float(says.sum()) ** 2 / float(pulls @ pulls) if pulls.any() else 0.0
            quiet = float(np.mean(left - found.base < cap * np.sqrt(variances)))
            if quiet >= _QUIET and sharp > _WORTH * sharpest:
                best, sharpest = found, sharp
        return best

    def pulls(self, left: Floats, variances: Floats) -> tuple[Floats, Floats]:
        """The pull of each cell, adding up to 0, and how much it says about a share, on average for cells of its variance."""
        scaled = (left - self.base) / np.sqrt(variances)
        quiet = float(np.mean(scaled < self.cap))
        pulls, says = np.minimum(scaled, self.cap) / np.sqrt(variances), max(quiet, 1e-3) / variances
        return pulls - says * (pulls.sum() / says.sum()), says

    def raised(self, left: Floats, by: Floats, variances: Floats, pulls: Floats) -> Floats:
        """The pulls of these cells if so much more were left in them."""
        spread = np.sqrt(variances)
        scaled = (left - self.base) / spread
        return np.asarray(pulls + (np.minimum(scaled + by / spread, self.cap) - np.minimum(scaled, self.cap)) / spread)


def _level(left: Floats, variances: Floats, cap: float) -> float:
    """Where pulls add up to 0."""
    spread, level = np.sqrt(variances), float(np.average(left, weights=1 / variances))
    for _ in range(_STEPS if cap < np.inf else 0):
        scaled = (left - level) / spread
        slope = float(np.sum((scaled < cap) / variances))
        moved = float(np.sum(np.minimum(scaled, cap) / spread)) / max(slope, 1e-3 * float(np.sum(1 / variances)))
        level += moved
        if abs(moved) < 1e-6 * float(spread.min()):
            break
    return level
