"""Scores learned from a first sample: the outputs that indicate one data set or the other.

A score is a feature; each event that an audit tries is a half-line of a score. ``learn_scores``
returns the plain features and, learned from the sample, the log-likelihood ratio over ranges of a
feature (so that a half-line is a union of ranges), the same over outputs that occur more than once
(a union of values), single values, and a logistic score over all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.verify.audit.confidence import Floats
from hedgerow.verify.audit.features import Feature, format_number, list_features, shorten_threshold
from hedgerow.verify.audit.logistic import Logistic
from hedgerow.verify.audit.outputs import Outputs

__all__ = ["LogisticScore", "RangeScore", "ValueScore", "learn_scores"]

_MAX_LISTED = 6  # ranges or values in a description
_MAX_RANGES = 32
_MAX_SINGLES = 4


@dataclass(frozen=True)
class RangeScore:
    """The log-likelihood ratio of the range that a feature's value falls into; range i is
    [edges[i-1], edges[i]).
    """

    feature: Feature
    edges: Floats
    ratios: Floats

    @classmethod
    def learn(cls, column: Feature, one: Outputs, other: Outputs) -> RangeScore:
        a, b = column.compute(one), column.compute(other)
        pooled = np.sort(np.concatenate([a, b]))
        edges = np.unique(pooled)
        if len(edges) > 2 * _MAX_RANGES:
            count = min(_MAX_RANGES, int(np.sqrt(len(pooled))))
            ranks = np.linspace(0, len(pooled) - 1, count + 1).astype(np.int64)[1:-1]
            edges = np.array(
                [shorten_threshold(edges, float(edge)) for edge in np.unique(pooled[ranks])]
            )
        tally = [
            np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1)
            for values in (a, b)
        ]
        return cls(column, edges, _smoothed_log_ratio(*tally))

    @property
    def name(self) -> str:
        return f"likelihood ratio of {self.feature.name}"

    def compute(self, outputs: Outputs) -> Floats:
        return self.ratios[np.searchsorted(self.edges, self.feature.compute(outputs), side="right")]

    def describe_event(self, threshold: float, above: bool) -> str:
        inside = (self.ratios >= threshold) == above
        starts = np.flatnonzero(inside & ~np.r_[False, inside[:-1]])
        stops = np.flatnonzero(inside & ~np.r_[inside[1:], False])
        marks = ["-inf", *(format_number(float(edge)) for edge in self.edges), "inf"]
        ranges = [
            f"[{marks[start]}, {marks[stop + 1]})"
            for start, stop in zip(starts, stops, strict=True)
        ]
        return f"{self.feature.name} in {_join_some(ranges, ' or ')}"


@dataclass(frozen=True)
class ValueScore:
    """The log-likelihood ratio of the output itself if it was seen often enough, otherwise 0;
    ``keys`` are sorted.
    """

    keys: NDArray[np.int64]
    ratios: Floats
    names: Sequence[Any] = field(repr=False)
    name: str = "likelihood ratio of output"

    @classmethod
    def learn(cls, one: Outputs, other: Outputs) -> tuple[ValueScore, ...]:
        """Return a score over all repeated outputs, and one for each of the most indicative single
        values.
        """
        both = np.concatenate([one.keys, other.keys])
        keys, first, counts = np.unique(both, return_index=True, return_counts=True)
        repeated = counts >= 2
        keys, first, counts = keys[repeated], first[repeated], counts[repeated]
        if not len(keys):
            return ()
        on_one = _count_occurrences(one.keys, keys)
        names = [one.raw[i] if i < len(one) else other.raw[i - len(one)] for i in first.tolist()]
        indicative = np.argsort(-np.abs(2.0 * on_one - counts) / np.sqrt(counts), kind="stable")[
            :_MAX_SINGLES
        ]
        singles = [cls(keys[[i]], np.ones(1), [names[i]]) for i in indicative]
        return (*singles, cls(keys, _smoothed_log_ratio(on_one, counts - on_one), names))

    def compute(self, outputs: Outputs) -> Floats:
        place = np.minimum(np.searchsorted(self.keys, outputs.keys), len(self.keys) - 1)
        return np.where(self.keys[place] == outputs.keys, self.ratios[place], 0.0)

    def describe_event(self, threshold: float, above: bool) -> str:
        inside = (self.ratios >= threshold) == above
        others = (threshold <= 0) == above  # outputs never seen while learning
        chosen = [
            repr(_to_python(self.names[i]))
            for i in np.flatnonzero(~inside if others else inside).tolist()
        ]
        if len(chosen) == 1:
            return f"output {'!=' if others else '=='} {chosen[0]}"
        return f"output {'not in' if others else 'in'} {{{_join_some(chosen, ', ')}}}"


@dataclass(frozen=True)
class LogisticScore:
    """The log-odds of a logistic regression over other scores."""

    parts: tuple[Feature, ...]
    model: Logistic

    @classmethod
    def learn(cls, parts: tuple[Feature, ...], one: Outputs, other: Outputs) -> LogisticScore:
        features = np.concatenate([_feature_table(parts, one), _feature_table(parts, other)])
        return cls(parts, Logistic.fit(features, np.r_[np.ones(len(one)), np.zeros(len(other))]))

    @property
    def name(self) -> str:
        return "learned score"

    def compute(self, outputs: Outputs) -> Floats:
        return self.model.log_odds(_feature_table(self.parts, outputs))

    def describe_event(self, threshold: float, above: bool) -> str:
        heaviest = np.argsort(-np.abs(self.model.weights), kind="stable")[:3]
        reads = _join_some([self.parts[i].name for i in heaviest], ", ")
        return (
            f"learned score {'>=' if above else '<'} {format_number(threshold)} (reads mostly:"
            f" {reads})"
        )


def learn_scores(one: Outputs, other: Outputs) -> tuple[Feature, ...]:
    """Return scores for outputs like these, the simplest first."""
    plain = list_features(one, other)
    ranges = tuple(RangeScore.learn(column, one, other) for column in plain)
    values = ValueScore.learn(one, other)
    parts: tuple[Feature, ...] = (*plain, *ranges, *values[-1:])
    blend = (LogisticScore.learn(parts, one, other),) if len(plain) > 1 else ()
    return (*plain, *values, *ranges, *blend)


def _feature_table(parts: tuple[Feature, ...], outputs: Outputs) -> Floats:
    return np.column_stack([part.compute(outputs) for part in parts])


def _count_occurrences(seen: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    ordered = np.sort(seen)
    return np.searchsorted(ordered, keys, side="right") - np.searchsorted(
        ordered, keys, side="left"
    )


def _smoothed_log_ratio(on_one: NDArray[np.int64], on_other: NDArray[np.int64]) -> Floats:
    """Return the log ratio with half a hit added on either side, so that a value seen once is not
    certain.
    """
    ratio: Floats = np.log(on_one + 0.5) - np.log(on_other + 0.5)
    return ratio


def _join_some(names: Sequence[str], between: str) -> str:
    more = f"{between}{len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return between.join(names[:_MAX_LISTED]) + more


def _to_python(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value
