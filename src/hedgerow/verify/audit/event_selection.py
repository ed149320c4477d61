"""The choice of an event: the half-line of a score, the likelier side and the rule with the largest
expected bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.verify.audit.confidence import (
    COIN_RULE,
    SPLIT_SHARES,
    Floats,
    HitCount,
    certify_epsilon,
)
from hedgerow.verify.audit.features import Feature, shorten_threshold
from hedgerow.verify.audit.outputs import Outputs

__all__ = ["AuditEvent", "choose_event"]

# across the bulk of the values; the tails get one threshold per doubling
_THRESHOLDS_PER_SCORE = 128
_FINALISTS = 24  # per score, ranked exactly
_SIMPLER_SHARE = 0.97  # a simpler event is preferred if its bound is this share of the best

_Hits = tuple[NDArray[np.int64], NDArray[np.int64]]  # hits, trials


@dataclass(frozen=True)
class AuditEvent:
    """The event ``score >= threshold`` (or its complement), the data set on which it is likelier,
    and the rule that certifies it.
    """

    score: Feature
    threshold: float
    is_above: bool
    is_likelier_on_one: bool
    share: float

    @property
    def description(self) -> str:
        return self.score.describe_event(self.threshold, self.is_above)

    def holds(self, outputs: Outputs) -> NDArray[np.bool_]:
        """Return which outputs lie in the event."""
        at_least = self.score.compute(outputs) >= self.threshold
        return at_least if self.is_above else ~at_least

    def bound(self, one: HitCount, other: HitCount, error: float, delta: float) -> float:
        """Return the certified lower bound on epsilon from counts on fresh runs; it may be
        negative.
        """
        likely, rare = (one, other) if self.is_likelier_on_one else (other, one)
        return float(certify_epsilon(likely, rare, error, delta, self.share))


def choose_event(
    scores: tuple[Feature, ...], one: Outputs, other: Outputs, error: float, delta: float
) -> AuditEvent:
    """Return the event with the largest bound on these runs; of nearly equal ones, the simplest
    (scores come simplest first).
    """
    found = [_choose_threshold(score, one, other, error, delta) for score in scores]
    top = max(bound for bound, _ in found)
    return next(
        event
        for bound, event in found
        if bound >= top or (top > 0 and bound >= _SIMPLER_SHARE * top)
    )


def _choose_threshold(
    score: Feature, one: Outputs, other: Outputs, error: float, delta: float
) -> tuple[float, AuditEvent]:
    a, b = np.sort(score.compute(one)), np.sort(score.compute(other))
    pooled = np.sort(np.concatenate([a, b]))
    thresholds = _list_thresholds(pooled)
    hits_a, hits_b = (len(side) - np.searchsorted(side, thresholds, side="left") for side in (a, b))
    # Four candidates per threshold: the half-line and its complement, likelier on either side.
    likely = (
        np.stack([hits_a, len(a) - hits_a, hits_b, len(b) - hits_b]),
        np.array([[len(a)], [len(a)], [len(b)], [len(b)]]),
    )
    rare = np.stack([hits_b, len(b) - hits_b, hits_a, len(a) - hits_a]), likely[1][::-1]
    bound, place, share = _rank_candidates(likely, rare, error, delta)
    case, place = divmod(place, len(thresholds))
    return bound, AuditEvent(
        score, shorten_threshold(pooled, float(thresholds[place])), case % 2 == 0, case < 2, share
    )


def _rank_candidates(
    likely: _Hits, rare: _Hits, error: float, delta: float
) -> tuple[float, int, float]:
    """Return the best bound, its index (row by row) and its rule; all candidates are ranked
    approximately, the finalists exactly.
    """
    gain = _wilson_lower_bound(*likely, error) - delta
    with np.errstate(divide="ignore"):
        loss = np.where(gain > 0, np.log(np.maximum(gain, 0.0)), -np.inf) - np.log1p(
            -_wilson_lower_bound(rare[1] - rare[0], rare[1], error)
        )
    finalists = np.argsort(-loss, axis=None, kind="stable")[:_FINALISTS]
    counts = [np.broadcast_to(part, loss.shape).ravel()[finalists] for part in (*likely, *rare)]
    shares = SPLIT_SHARES if delta else (COIN_RULE, *SPLIT_SHARES)
    bounds = np.stack(
        [
            certify_epsilon((counts[0], counts[1]), (counts[2], counts[3]), error, delta, share)
            for share in shares
        ]
    )
    rule, winner = np.unravel_index(int(np.argmax(bounds)), bounds.shape)
    return float(bounds[rule, winner]), int(finalists[winner]), shares[rule]


def _wilson_lower_bound(hits: NDArray[np.int64], trials: NDArray[np.int64], error: float) -> Floats:
    """Return Wilson's lower bound at about the level of the exact bounds: close enough for ranking,
    and a hundred times faster.
    """
    z2 = 2 * np.log(1 / error)
    rate = hits / trials
    middle = rate + z2 / (2 * trials)
    radius = np.sqrt(z2 * (rate * (1 - rate) + z2 / (4 * trials)) / trials)
    bound: Floats = np.maximum((middle - radius) / (1 + z2 / trials), 0.0)
    return bound


def _list_thresholds(pooled: Floats) -> Floats:
    """Return values at even ranks, at ranks that double from either end, or all distinct values if
    there are few.
    """
    last = len(pooled) - 1
    doubling = 2 ** np.arange(int(np.log2(last)) + 1)
    ranks = np.concatenate(
        [
            np.linspace(0, last, _THRESHOLDS_PER_SCORE).astype(np.int64),
            doubling,
            last + 1 - doubling,
        ]
    )
    distinct = np.unique(pooled)
    tried = distinct if len(distinct) <= 2 * _THRESHOLDS_PER_SCORE else np.unique(pooled[ranks])
    return tried[1:] if len(tried) > 1 else tried  # all outputs reach the first threshold
