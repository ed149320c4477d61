"""Certified lower bounds on a privacy loss, from counts of one event on two data sets.

| symbol | meaning |
|---|---|
| E | the event; ``hits`` of ``trials`` runs fell into it |
| p, q | its probability on the data set where it is likelier, and on the other |
| r | the probability p / (p + q) that a hit comes from the likelier side |
| ``error``, ``share`` | the error level, and the part of it for the likelier side |

If the mechanism is (epsilon, delta)-DP, then p <= e^epsilon q + delta, so that every lower bound on
ln((p - delta) / q) is a lower bound on epsilon. Two rules give such a bound, each exact (no normal
approximation, any sample size, zero counts included). The rule must be chosen before the counts are
seen.

**Split.** Clopper-Pearson on either side: p >= p_low fails with probability at most ``share *
error`` and q <= q_high with at most ``(1 - share) * error``, so that ln((p_low - delta) / q_high)
fails with at most ``error`` (union bound).

**Coin** (delta = 0 only). The data set of each run is drawn by a fair coin. A run that falls into E
then comes from the likelier side with probability r, independently of the others: given the number
of hits, those from the likelier side are binomial with r. Clopper-Pearson gives r >= r_low, and
ln(p / q) = ln(r / (1 - r)) >= ln(r_low / (1 - r_low)). This takes one interval instead of two and
is tighter, unless p is close to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv, betaincinv

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_exact, parse_probability

__all__ = [
    "COIN_RULE",
    "SPLIT_SHARES",
    "Floats",
    "HitCount",
    "certify_epsilon",
    "clopper_pearson_lower",
    "clopper_pearson_upper",
    "parse_confidence",
    "parse_delta",
    "parse_integer",
]

Floats = NDArray[np.float64]

COIN_RULE = 1.0  # as a share: the whole error level goes to the single interval
# shares of the error level for the likelier side; the rarer side has the wider interval and gets
# more
SPLIT_SHARES = (0.1, 0.3, 0.5)

# The inverse beta function is accurate to about 1e-13; this slack far exceeds its error.
_SLACK = 1e-10


class HitCount(NamedTuple):
    """The frequency of an event on one data set."""

    hits: int
    samples: int

    @property
    def rate(self) -> float:
        """The observed frequency; 0 without samples."""
        return self.hits / self.samples if self.samples else 0.0


def clopper_pearson_lower(hits: ArrayLike, trials: ArrayLike, error: float) -> Floats:
    """Return the Clopper-Pearson lower bound, which exceeds the true probability with probability
    at most ``error``.
    """
    x, n = _to_floats(hits, trials)
    inner = np.clip(x, 1, n)
    return np.where(x <= 0, 0.0, betaincinv(inner, n - inner + 1, error) * (1 - _SLACK))


def clopper_pearson_upper(hits: ArrayLike, trials: ArrayLike, error: float) -> Floats:
    """Return the Clopper-Pearson upper bound, which is below the true probability with probability
    at most ``error``.
    """
    x, n = _to_floats(hits, trials)
    inner = np.minimum(x, n - 1)
    bound = np.minimum(betainccinv(inner + 1, n - inner, error) * (1 + _SLACK), 1.0)
    return np.where(x >= np.asarray(trials), 1.0, bound)


def _to_floats(hits: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    """Return floats; no trials count as one, whose outcome the callers decide."""
    return np.asarray(hits, dtype=np.float64), np.maximum(np.asarray(trials, dtype=np.float64), 1.0)


def certify_epsilon(
    likely: tuple[ArrayLike, ArrayLike],
    rare: tuple[ArrayLike, ArrayLike],
    error: float,
    delta: float = 0.0,
    share: float = COIN_RULE,
) -> Floats:
    """Return the lower bound on epsilon from (hits, trials) on the likelier and on the other side;
    -inf if nothing follows.

    ``share`` names the rule: ``COIN_RULE``, or the part of the error level that the split rule
    gives to the likelier side.
    """
    (x, n), (y, m) = likely, rare
    with np.errstate(divide="ignore"):
        if share == COIN_RULE:
            if delta:
                raise InvalidArgument("share", "must be below 1 if delta is above 0", share)
            low = clopper_pearson_lower(x, np.add(x, y), error)
            # 1 - low would lose precision when nearly all hits are on one side: compute the upper
            # bound on the other side's share instead.
            high = clopper_pearson_upper(y, np.add(x, y), error)
            return np.log(low) - np.log(high)
        gain = clopper_pearson_lower(x, n, share * error) - delta
        return np.where(gain > 0, np.log(np.maximum(gain, 0.0)), -np.inf) - np.log(
            clopper_pearson_upper(y, m, (1 - share) * error)
        )


def parse_confidence(confidence: object) -> float:
    """Return one minus the confidence, which must lie strictly between 0 and 1."""
    return float(1 - parse_probability(confidence, "confidence"))


def parse_delta(delta: object) -> float:
    """Return delta as a float; it must be at least 0 and below 1."""
    number = parse_exact(delta, "delta")
    if not 0 <= number < 1:
        raise InvalidArgument("delta", "must be at least 0 and below 1", delta)
    return float(number)


def parse_integer(value: object, argument: str, smallest: int) -> int:
    """Return an integer of at least ``smallest``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < smallest:
        raise InvalidArgument(argument, f"must be an integer of at least {smallest}", value)
    return int(value)
