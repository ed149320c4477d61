"""The privacy loss of clients over a lifetime of reports, and after shuffling.

**Lifetime.** A memoised protocol costs its lifetime epsilon for each different value, however often
it is reported; any other costs epsilon for each report. Metrics add.

**Collector.** A collector cannot see the loss of one client, because it does not know clients. It
knows the cost of a report and the epochs and parameter sets of the counted reports. From these it
computes the largest loss of a client by its cap, and the loss so far of a client that always
answered.

**Shuffling.** When the reports of n clients reach the analyst in random order and carry nothing
that identifies them, one client hides among the others: the shuffled batch is (epsilon', delta)-DP
with a much smaller epsilon'. The conditions are in ``SHUFFLING_CONDITIONS``; where one of them
fails, only the local epsilon holds.

Statement
    Let p = e^epsilon bound the ratio of likelihoods of any report under any two values. For a
    protocol in ``EQUIDISTANT_PROTOCOLS`` all values are at one total variation distance b (its
    ``variation``); let c = (1+b)/p and r = b p/((p-1)(1+b)). For any other let c = 1/p and r = 1/2.
    Let m be binomial (n-1, c) and (x, y, z) multinomial with m+1 draws of probabilities r, r, 1-2r.
    The shuffled batch of n clients is (epsilon', delta)-DP for each of them when delta is at least
    the expectation of the positive part of ((p x + y + p z) - e^epsilon' (x + p y + p z)) / ((m+1)
    (p - (p-1) r)).

Proof
    Let f and g be the laws of one client's report under two values at distance b, and s = b/(p-1).
    Where f > g let s u = (f-g)/(p-1), where g > f let s w = (g-f)/(p-1): u and w are laws with
    disjoint supports, and f = p s u + s w + v, g = s u + p s w + v with the same v >= 0, since f <=
    p g and g <= p f. Any other client's law h is at least f/p and at least g/p everywhere, hence at
    least s u + s w + v/p, whose mass is c: with probability c it draws from this blanket, else from
    a rest of its own. Tell the analyst which of the others drew from their rests and what, and of
    the m+1 remaining reports how many came from u, w and v: the batch can be made from that in the
    same way under both values. With (x, y, z) the probability of these numbers is the multinomial
    one times (p x + y + p z)/((m+1)(p-(p-1)r)), and with the second value x and y change places. In
    general f = (p u + w)/(p+1) and g = (u + p w)/(p+1) for some laws u and w, since (p f - g)/(p-1)
    and (p g - f)/(p-1) are laws; h is at least (f+g)/(2p) = (u+w)/(2p), and the same follows with v
    = 0. Duchi's report is a mixture of those of the two ends, which are at one distance; a
    divergence of mixtures is at most the largest.

Arithmetic
    Given x + y the condition is a lower bound on x: the expectation is a sum of binomial tails.
    More draws from the blanket hide better, so that stretches of m may be counted at their lower
    end. What is left out is added to delta, rounding is covered by a thousandth of delta, and
    epsilon' is rounded up to 6 decimals. (A tempting shortcut, to count only x and y and let the
    client itself be in v unseen, gives less than the truth for four values and four clients: who
    drew from v must be hidden by others who did.)

Source
    Balle, Bell, Gascon, Nissim (CRYPTO 2019) for the blanket; Feldman, McMillan, Talwar (FOCS 2021)
    for clones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, inf, isfinite, log, sqrt
from typing import Any

import numpy as np
from scipy.special import betainc, gammaln

from hedgerow.errors import InvalidArgument
from hedgerow.local.fixed_point import check_integer
from hedgerow.local.metric import Metric, round_float_up
from hedgerow.local.protocols import (
    Duchi,
    Hadamard,
    KAry,
    LocalProtocol,
    LongitudinalUnary,
    Projective,
    Unary,
)
from hedgerow.numeric.exact_number import Number, parse_delta
from hedgerow.numeric.vectorised import Floats

__all__ = [
    "EQUIDISTANT_PROTOCOLS",
    "SHOWN_CAPS",
    "SHUFFLING_CONDITIONS",
    "MetricLoss",
    "compute_joint_epsilon",
    "compute_losses",
    "compute_shuffled_delta",
    "compute_shuffled_epsilon",
    "finite_or_none",
    "sum_lifetime_epsilon",
]

EQUIDISTANT_PROTOCOLS = (KAry, Unary, LongitudinalUnary, Hadamard, Projective, Duchi)
SHUFFLING_CONDITIONS = (
    (
        "every client sends at most one report in a batch, and no later batch is made from the same"
        " remembered answer"
    ),
    (
        "the shuffler removes addresses, times, order and everything else that tells reports apart,"
        " and does not work with the analyst"
    ),
    "n counts honest clients only: reports that the analyst wrote or knows hide nobody",
    (
        "counters are read once, when the epoch is over: what came between two looks may be a"
        " single report"
    ),
    (
        "a batch holds one metric of one epoch; a cohort number in the reports splits it, and n is"
        " then the size of a cohort"
    ),
)
SHOWN_CAPS = (1, 2, 3, 5, 10)  # on the collector's page
_MAX_CLIENTS = 10**8  # further clients only improve privacy; the bound at this size still holds
_ROUNDING_SLACK = 1e-3
# the resolution of m; it may fall as n grows, because neighbouring values then differ less
_MIN_STRETCHES, _MAX_SUPPORT = 64, 1 << 15


def sum_lifetime_epsilon(metrics: Iterable[tuple[Metric, int]]) -> float:
    """Return the lifetime epsilon of a client over several metrics.

    Each metric comes with its number of distinct values, or of reports where nothing is memoised.
    """
    each = [metric.lifetime_epsilon(values) for metric, values in metrics]
    return (
        round_float_up(sum(map(Fraction, each), Fraction(0))) if all(map(isfinite, each)) else inf
    )


@dataclass(frozen=True, slots=True)
class MetricLoss:
    """The loss of a client in a metric: the number of epochs and of parameter sets with counted
    reports under its id, and the largest epsilon paid by a client that answered once in each of
    these epochs with the same value.
    """

    metric: Metric
    epoch_count: int
    parameter_sets: int
    paid_epsilon: float

    def to_dict(self) -> dict[str, Any]:
        """Return the loss for JSON; infinity is null."""
        caps = [
            {"cap": cap, "epsilon": finite_or_none(self.metric.lifetime_epsilon(cap))}
            for cap in SHOWN_CAPS
        ]
        return {
            "epochs": self.epoch_count,
            "rules": self.parameter_sets,
            "so_far": finite_or_none(self.paid_epsilon),
            "caps": caps,
        }


def compute_losses(present: Sequence[Metric], counted: Sequence[Metric]) -> list[MetricLoss]:
    """Compute the loss of each present metric from all counted metrics."""
    return [
        _compute_loss(metric, [other for other in counted if other.id == metric.id])
        for metric in present
    ]


def compute_joint_epsilon(present: Sequence[Metric], cap: int) -> float:
    """Return the largest epsilon of a client that takes part in all of these metrics, each with
    this cap.
    """
    return sum_lifetime_epsilon((metric, cap) for metric in present)


def finite_or_none(number: float) -> float | None:
    """Return the number, or None for infinity, which JSON cannot express."""
    return number if isfinite(number) else None


def _compute_loss(metric: Metric, counted: list[Metric]) -> MetricLoss:
    """Compute the loss of one metric: a memoised answer is paid for once, any other in each epoch,
    and new parameters draw new answers.
    """
    rules = {other.permanent_hash: other for other in counted}
    paid = (
        (
            rule,
            (
                1
                if rule.scheme.memoised
                else sum(other.permanent_hash == lasting for other in counted)
            ),
        )
        for lasting, rule in rules.items()
    )
    return MetricLoss(
        metric, len({other.epoch for other in counted}), len(rules), sum_lifetime_epsilon(paid)
    )


def compute_shuffled_epsilon(scheme: LocalProtocol, n: int, delta: Number) -> float:
    """Return the epsilon of a shuffled batch of n honest clients at ``delta``.

    It holds under ``SHUFFLING_CONDITIONS`` and never exceeds the epsilon of one report.
    """
    limit, most = -round_float_up(-parse_delta(delta)), round_float_up(scheme.epsilon)
    clients = check_integer(n, "n", 1, 1 << 62)
    low, high = 0.0, most
    while high - low > 5e-7 + 1e-4 * low:
        middle = (low + high) / 2
        low, high = (
            (low, middle)
            if compute_shuffled_delta(scheme, clients, middle, limit * _ROUNDING_SLACK) <= limit
            else (middle, high)
        )
    return min(round_float_up(Fraction(ceil(Fraction(high) * 10**6), 10**6)), most)


def compute_shuffled_delta(
    scheme: LocalProtocol, n: int, epsilon: float, left_out: float = 1e-18
) -> float:
    """Return the delta of a shuffled batch at ``epsilon``.

    ``left_out`` is the probability mass that may be dropped in the tails; it is added to delta.
    """
    if not epsilon >= 0:
        raise InvalidArgument("epsilon", "must be at least 0", epsilon)
    ratio, distance = exp(round_float_up(scheme.epsilon)), float(scheme.total_variation)
    blanket, side = 1 / ratio, 0.5
    if isinstance(scheme, EQUIDISTANT_PROTOCOLS):
        blanket, side = (
            min(1.0, (1 + distance) / ratio),
            min(0.5, distance * ratio / ((ratio - 1) * (1 + distance))),
        )
    others = min(check_integer(n, "n", 1, 1 << 62), _MAX_CLIENTS) - 1
    draws, chance = _truncate_binomial(others, blanket, left_out / 2)
    stretch = -(-draws.size // max(1, min(_MIN_STRETCHES, _MAX_SUPPORT // draws.size)))
    starts = np.arange(0, draws.size, stretch)
    found = (
        _compute_divergence(int(draws[start]) + 1, side, ratio, epsilon, left_out / 2)
        for start in starts
    )
    return float(np.add.reduceat(chance, starts) @ list(found)) * (1 + _ROUNDING_SLACK) + left_out


def _compute_divergence(
    total: int, side: float, ratio: float, epsilon: float, left_out: float
) -> float:
    """Return the expectation of the statement for m + 1 = total.

    Given k = x + y, it is the positive part of (ratio-1) ((e^epsilon + 1) x - k) - (e^epsilon - 1)
    ratio total, over total (ratio - (ratio-1) side).
    """
    k, chance = _truncate_binomial(total, 2 * side, left_out)
    order, more = exp(epsilon), expm1(epsilon)
    # the least x that counts
    first = np.floor((more * ratio * total / (ratio - 1) + k) / (order + 1)) + 1
    reach = first <= k
    k, chance, first = k[reach], chance[reach], np.maximum(first[reach], 1.0)
    # G = Pr[Bin(k-1, 1/2) >= first - 1] gives both sums over x >= first: of x Bin(k, 1/2)(x), which
    # is k G/2, and of Bin(k, 1/2)(x).
    below = first - 1
    g = np.where(below > 0, betainc(np.maximum(below, 1.0), k - first + 1, 0.5), 1.0)
    edge = np.exp(gammaln(k) - gammaln(first) - gammaln(k - first + 1) - (k - 1) * log(2))
    part = (ratio - 1) * k * (more * g + edge) / 2 - more * ratio * total * (g - edge / 2)
    return float((chance * np.maximum(part, 0.0)).sum() / (total * (ratio - (ratio - 1) * side)))


def _truncate_binomial(trials: int, p: float, left_out: float) -> tuple[Floats, Floats]:
    """Return the support of a binomial without tails of mass ``left_out``, and normalised
    probabilities.
    """
    if p >= 1:
        return np.array([float(trials)]), np.ones(1)
    mean, depth = trials * p, log(2 / left_out)
    width = depth / 3 + sqrt(depth * depth / 9 + 2 * mean * depth)  # Bernstein, both ends
    k = np.arange(max(0, int(mean - width)), min(trials, ceil(mean + width)) + 1, dtype=np.float64)
    logs = np.concatenate(
        [[0.0], np.cumsum(np.log((trials - k[:-1]) / (k[:-1] + 1)) + log(p / (1 - p)))]
    )
    chance = np.exp(logs - logs.max())
    return k, chance / chance.sum()
