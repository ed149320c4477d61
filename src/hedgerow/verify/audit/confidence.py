"""Certified lower bounds on a privacy loss, from counts of one event on two data sets.

``hits`` of ``trials`` runs fell into the event E, whose probability is p on the data set where it
is likelier and q on the other. When the mechanism is (epsilon, delta)-DP, p <= e^epsilon q + delta,
so every lower bound on ln((p - delta) / q) is one on epsilon.

Two rules give that bound, each exact (no normal approximation, any sample size, zero counts
included). Which one is used must be settled before the counts are seen.

**Split.** Clopper-Pearson on either side: p >= p_low fails with probability at most ``share *
error`` and q <= q_high with at most ``(1 - share) * error``, so ln((p_low - delta) / q_high) fails
with at most ``error`` (union bound).

**Coin** (delta = 0 only). The data set of every run was drawn by a fair coin. A run that falls into
E then comes from the likelier side with probability r = p / (p + q), independently of the others:
given the number of hits, those from the likelier side are binomial with r. Clopper-Pearson gives r
>= r_low, and ln(p / q) = ln(r / (1 - r)) >= ln(r_low / (1 - r_low)). One interval in place of two:
tighter, unless p is close to 1.
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
    "parse_whole",
]

Floats = NDArray[np.float64]

COIN_RULE = 1.0  # as a share: the whole error level goes to the one interval
# shares of the error level for the likelier side; the rarer event has the wider interval and
# deserves more
SPLIT_SHARES = (0.1, 0.3, 0.5)

# The inverse beta function is good to about 1e-13; this gives away far more than its error.
_SLACK = 1e-10


class HitCount(NamedTuple):
    """How often an event was seen on one data set."""

    hits: int
    samples: int

    @property
    def rate(self) -> float:
        """The observed frequency; 0 without samples."""
        return self.hits / self.samples if self.samples else 0.0


def clopper_pearson_lower(hits: ArrayLike, trials: ArrayLike, error: float) -> Floats:
    """The Clopper-Pearson lower bound: above the true probability with probability at most
    ``error``.
    """
    x, n = _to_floats(hits, trials)
    inner = np.clip(x, 1, n)
    return np.where(x <= 0, 0.0, betaincinv(inner, n - inner + 1, error) * (1 - _SLACK))


def clopper_pearson_upper(hits: ArrayLike, trials: ArrayLike, error: float) -> Floats:
    """The Clopper-Pearson upper bound: below the true probability with probability at most
    ``error``.
    """
    x, n = _to_floats(hits, trials)
    inner = np.minimum(x, n - 1)
    bound = np.minimum(betainccinv(inner + 1, n - inner, error) * (1 + _SLACK), 1.0)
    return np.where(x >= np.asarray(trials), 1.0, bound)


def _to_floats(hits: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    """As floats; no trials count as one, whose outcome the callers then decide."""
    return np.asarray(hits, dtype=np.float64), np.maximum(np.asarray(trials, dtype=np.float64), 1.0)


def certify_epsilon(
    likely: tuple[ArrayLike, ArrayLike],
    rare: tuple[ArrayLike, ArrayLike],
    error: float,
    delta: float = 0.0,
    share: float = COIN_RULE,
) -> Floats:
    """The lower bound on epsilon from (hits, trials) on the likelier and on the other side; -inf
    where nothing follows.

    ``share`` names the rule: ``COIN_RULE``, or the share of the error level that the split rule
    gives to the likelier side.
    """
    (x, n), (y, m) = likely, rare
    with np.errstate(divide="ignore"):
        if share == COIN_RULE:
            if delta:
                raise InvalidArgument("share", "must name a split when delta is above 0", share)
            low = clopper_pearson_lower(x, np.add(x, y), error)
            # 1 - low is small when nearly all hits lie on one side: ask for the upper bound on the
            # other side's share instead.
            high = clopper_pearson_upper(y, np.add(x, y), error)
            return np.log(low) - np.log(high)
        gain = clopper_pearson_lower(x, n, share * error) - delta
        return np.where(gain > 0, np.log(np.maximum(gain, 0.0)), -np.inf) - np.log(
            clopper_pearson_upper(y, m, (1 - share) * error)
        )


def parse_confidence(confidence: object) -> float:
    """One minus the confidence, which must lie strictly between 0 and 1."""
    return float(1 - parse_probability(confidence, "confidence"))


def parse_delta(delta: object) -> float:
    """Delta as a float: 0, or a probability below 1."""
    number = parse_exact(delta, "delta")
    if not 0 <= number < 1:
        raise InvalidArgument("delta", "must be at least 0 and below 1", delta)
    return float(number)


def parse_whole(value: object, argument: str, smallest: int) -> int:
    """A whole number from ``smallest`` on."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < smallest:
        raise InvalidArgument(argument, f"must be a whole number, at least {smallest}", value)
    return int(value)
