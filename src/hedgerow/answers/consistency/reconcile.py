"""Reconciliation of answers that are totals and parts of each other, so that they add up. It is
post-processing: no data are read, and nothing is charged.

It starts from the released numbers of each answer, before HAVING and LIMIT, which then apply to the
reconciled values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from hedgerow.accuracy.weighted_noise import WeightedNoise
from hedgerow.answers.answer import Answer, replace_estimates
from hedgerow.answers.consistency.additivity import (
    explain_non_additivity,
    find_summed_measure,
    is_same_sum,
    match_keys,
)
from hedgerow.answers.consistency.hierarchical_least_squares import (
    HierarchyLevel,
    make_consistent,
    round_consistently,
)
from hedgerow.answers.estimates.estimate import ConsistentEstimate, Estimate, LinearEstimate
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.sql.question import AggregateCall

__all__ = ["reconcile"]


@dataclass(frozen=True, slots=True)
class _SumColumn:
    """An additive aggregate of one answer, in steps of ``step``."""

    answer: Answer
    call: AggregateCall

    @property
    def linear(self) -> LinearEstimate:
        found = self.answer._estimates[self.call.name]
        # ``find_summed_measure`` lets nothing else through.
        assert isinstance(found, LinearEstimate)
        return found

    @property
    def step(self) -> Fraction:
        measure = find_summed_measure(self.call)
        return Fraction(1) if measure is None or measure.grid is None else measure.grid.step

    def build_level(self, parents: Sequence[int]) -> HierarchyLevel:
        """Build the level of this column in the hierarchy."""
        known = self.linear
        noise = known.noise
        if not isinstance(noise, WeightedNoise):
            noise = WeightedNoise(((noise, Fraction(1)),))
        terms = tuple(
            (term, abs(share * weight / self.step))
            for weight in known.weights
            for term, share in noise.terms
            if share * weight
        )
        bias = noise.bias * sum(map(abs, known.weights)) / self.step
        numbers = [value / self.step for value in known.compute_unrounded()]
        return HierarchyLevel(numbers, WeightedNoise(terms, bias), parents)


def reconcile(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """Return the answers, in the order given, with counts and sums that add up; a note names each
    aggregate that is left as it was, and why."""
    order = sorted(answers, key=lambda answer: len(answer._question.keys))
    _check_order(order)
    places = [match_keys(above._question, below._question) for above, below in pairwise(order)]
    parents: list[list[int]] = [
        [],
        *(
            _find_parents(above, below, at)
            for (above, below), at in zip(pairwise(order), places, strict=True)
        ),
    ]
    found: list[dict[str, Estimate]] = [{} for _ in order]
    texts: list[str] = []
    kept: dict[str, str] = {}
    for call in order[0]._question.aggregates:
        columns = _match_columns(order, places, call)
        if isinstance(columns, str):
            kept[call.text] = columns
            continue
        texts.append(call.text)
        for estimates, column, estimate in zip(
            found, columns, _reconcile_columns(columns, parents), strict=True
        ):
            estimates[column.call.name] = estimate
    if not texts:
        raise Refused(" ".join(_describe_unreconciled(kept)))
    reconciled = {
        id(answer): replace_estimates(answer, estimates, _build_notes(order, answer, texts, kept))
        for answer, estimates in zip(order, found, strict=True)
    }
    return tuple(reconciled[id(answer)] for answer in answers)


def _check_order(order: Sequence[Answer]) -> None:
    if len(order) < 2:
        raise InvalidArgument("answers", "must be two or more: a total and its parts", len(order))
    if any(
        isinstance(known, ConsistentEstimate)
        for answer in order
        for known in answer._estimates.values()
    ):
        raise InvalidArgument(
            "answers",
            "must not be reconciled already: give all of the original answers together",
        )
    keys = [len(answer._question.keys) for answer in order]
    if len(set(keys)) < len(keys):
        raise InvalidArgument(
            "answers", "must have different numbers of keys: none, one, two …", keys
        )


def _find_parents(above: Answer, below: Answer, at: Sequence[int]) -> list[int]:
    """Return for each group of the parts the index of the group that it is part of."""
    places = {key: place for place, key in enumerate(above._releases[0].keys)}
    return [places[tuple(key[place] for place in at)] for key in below._releases[0].keys]


def _match_columns(
    order: Sequence[Answer], places: Sequence[Sequence[int]], call: AggregateCall
) -> list[_SumColumn] | str:
    """Return the columns of one aggregate in all answers, or the reason why there are none."""
    measure = find_summed_measure(call)
    if measure is None:
        return "this aggregate is not additive"
    found = [_SumColumn(order[0], call)]
    for answer, at in zip(order[1:], places, strict=True):
        total = found[-1].answer._question
        for other in answer._question.aggregates:
            part = find_summed_measure(other)
            if part is not None and is_same_sum(total, measure, answer._question, part, at):
                why = explain_non_additivity(total, answer._question, measure)
                if why is not None:
                    return why
                found.append(_SumColumn(answer, other))
                measure = part
                break
        else:
            return "not every answer has this aggregate"
    return found


def _reconcile_columns(
    columns: Sequence[_SumColumn], parents: Sequence[Sequence[int]]
) -> list[Estimate]:
    levels = make_consistent(
        [column.build_level(at) for column, at in zip(columns, parents, strict=True)]
    )
    whole = all(column.linear.is_integer for column in columns)
    rounded = round_consistently(levels, columns[0].step, whole=whole)
    return [
        ConsistentEstimate(
            LinearEstimate([level.numbers], (column.step,), level.noise, column.linear.is_integer),
            values,
        )
        for column, level, values in zip(columns, levels, rounded, strict=True)
    ]


def _build_notes(
    order: Sequence[Answer], answer: Answer, texts: Sequence[str], kept: Mapping[str, str]
) -> list[str]:
    entries = sorted(other.receipt.entry for other in order if other is not answer)
    which = f"ledger entr{'ies' if len(entries) > 1 else 'y'} {' and '.join(map(str, entries))}"
    done = f"Reconciled with {which} at no cost, so that parts add up: {', '.join(texts)}."
    return [done, *_describe_unreconciled(kept)]


def _describe_unreconciled(kept: Mapping[str, str]) -> list[str]:
    """Describe the aggregates that are left as they were, one sentence for each reason."""
    return [
        f"Not reconciled: {', '.join(text for text, why in kept.items() if why == reason)}, because"
        f" {reason}."
        for reason in dict.fromkeys(kept.values())
    ]
