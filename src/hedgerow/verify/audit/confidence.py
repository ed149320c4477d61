"""Certified lower bounds on a privacy loss, from counts of one event on two data sets.

``hits`` of ``trials`` runs fell into the event E, whose probability is p on the data set where it is likelier and q on the
other. When the mechanism is (epsilon, delta)-DP, p <= e^epsilon q + delta, so every lower bound on ln((p - delta) / q) is one
on epsilon.

Two rules give that bound, each exact (no normal approximation, any sample size, zero counts included). Which one is used must be
settled before the counts are seen.

**Split.** Clopper-Pearson on either side: p >= p_low fails with probability at most ``share * error`` and q <= q_high with at
most ``(1 - share) * error``, so ln((p_low - delta) / q_high) fails with at most ``error`` (union bound).

**Coin** (delta = 0 only). The data set of every run was drawn by a fair coin. A run that falls into E then comes from the
likelier side with probability r = p / (p + q), independently of the others: given the number of hits, those from the likelier
side are binomial with r. Clopper-Pearson gives r >= r_low, and ln(p / q) = ln(r / (1 - r)) >= ln(r_low / (1 - r_low)). One
interval in place of two: tighter, unless p is close to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv, betaincinv

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import exact, probability

__all__ = ["COIN", "SPLITS", "Count", "Floats", "allowance", "certified", "error_level", "highest", "lowest", "whole"]

Floats = NDArray[np.float64]

COIN = 1.0  # as a share: the whole error level goes to the one interval
SPLITS = (0.1, 0.3, 0.5)  # shares of the error level for the likelier side; the rarer event has the wider interval and deserves more

# The inverse beta function is good to about 1e-13; this gives away far more than its error.
_SLACK = 1e-10


class Count(NamedTuple):
    """How often an event was seen on one data set."""

    hits: int
    samples: int

    @property
    def rate(self) -> float:
        """The observed frequency; 0 without samples."""
        return self.hits / self.samples if self.samples else 0.0


def lowest(hits: ArrayLike, trials: ArrayLike, error: float) -> Floats:
    """The Clopper-Pearson lower bound: above the true probability with probability at most ``error``."""
    x, n = _floats(hits, trials)
    inner = np.clip(x, 1, n)
    return np.where(x <= 0, 0.0, betaincinv(inner, n - inner + 1, error) * (1 - _SLACK))


def highest(hits: ArrayLike, trials: ArrayLike, error: float) -> Floats:
    """The Clopper-Pearson upper bound: below the true probability with probability at most ``error``."""
    x, n = _floats(hits, trials)
    inner = np.minimum(x, n - 1)
    bound = np.minimum(betainccinv(inner + 1, n - inner, error) * (1 + _SLACK), 1.0)
    return np.where(x >= np.asarray(trials), 1.0, bound)


def _floats(hits: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    """As floats; no trials count as one, whose outcome the callers then decide."""
    return np.asarray(hits, dtype=np.float64), np.maximum(np.asarray(trials, dtype=np.float64), 1.0)


def certified(
    likely: tuple[ArrayLike, ArrayLike], rare: tuple[ArrayLike, ArrayLike], error: float, delta: float = 0.0, share: float = COIN
) -> Floats:
    """The lower bound on epsilon from (hits, trials) on the likelier and on the other side; -inf where nothing follows.

    ``share`` names the rule: ``COIN``, or the share of the error level that the split rule gives to the likelier side.
    """
    (x, n), (y, m) = likely, rare
    with np.errstate(divide="ignore"):
        if share == COIN:
            if delta:
                raise InvalidArgument("share", "must name a split when delta is above 0", share)
            low = lowest(x, np.add(x, y), error)
            # 1 - low is small when nearly all hits lie on one side: ask for the upper bound on the other side's share instead.
            high = highest(y, np.add(x, y), error)
            return np.log(low) - np.log(high)
        gain = lowest(x, n, share * error) - delta
        return np.where(gain > 0, np.log(np.maximum(gain, 0.0)), -np.inf) - np.log(highest(y, m, (1 - share) * error))


def error_level(confidence: object) -> float:
    """One minus the confidence, which must lie strictly between 0 and 1."""
    return float(1 - probability(confidence, "confidence"))


def allowance(delta: object) -> float:
    """Delta as a float: 0, or a probability below 1."""
    number = exact(delta, "delta")
    if not 0 <= number < 1:
        raise InvalidArgument("delta", "must be at least 0 and below 1", delta)
    return float(number)


def whole(value: object, argument: str, smallest: int) -> int:
    """A whole number from ``smallest`` on."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < smallest:
        raise InvalidArgument(argument, f"must be a whole number, at least {smallest}", value)
    return int(value)
