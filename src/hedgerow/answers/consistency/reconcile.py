"""Answers that are totals and parts of each other, made to add up. Post-processing: data and ledger
are not touched.

What is read of each answer is what was paid for, before HAVING and LIMIT; those look at the new
values then.
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
    """An aggregate of one answer, as a sum of numbers in steps of ``step``."""

    answer: Answer
    call: AggregateCall

    @property
    def linear(self) -> LinearEstimate:
        found = self.answer._estimates[self.call.name]
        # ``find_summed_measure`` lets nothing else through
        assert isinstance(found, LinearEstimate)
        return found

    @property
    def step(self) -> Fraction:
        measure = find_summed_measure(self.call)
        return Fraction(1) if measure is None or measure.grid is None else measure.grid.step

    def build_level(self, parents: Sequence[int]) -> HierarchyLevel:
        known = self.linear
        laws = (
            known.noise.terms
            if isinstance(known.noise, WeightedNoise)
            else ((known.noise, Fraction(1)),)
        )
        parts = tuple(
            (one, abs(share * weight / self.step))
            for weight in known.weights
            for one, share in laws
            if share * weight
        )
        lost = (
            known.noise.bias * sum(map(abs, known.weights)) / self.step
            if isinstance(known.noise, WeightedNoise)
            else Fraction(0)
        )
        return HierarchyLevel(
            [value / self.step for value in known.compute_unrounded()],
            WeightedNoise(parts, lost),
            parents,
        )


def reconcile(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The same answers, in the order given, with counts and sums that add up; what cannot be
    made to is as it was, and a note says why.
    """
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
        for estimates, column, one in zip(
            found, columns, _reconcile_columns(columns, parents), strict=True
        ):
            estimates[column.call.name] = one
    if not texts:
        raise Refused(" ".join(_describe_unreconciled(kept)))
    notes = [_build_notes(order, answer, texts, kept) for answer in order]
    made = {
        id(old): replace_estimates(old, estimates, said)
        for old, estimates, said in zip(order, found, notes, strict=True)
    }
    return tuple(made[id(answer)] for answer in answers)


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
            "must be as they were asked: these were made consistent already, so give all of the"
            " first ones together",
        )
    keys = [len(answer._question.keys) for answer in order]
    if len(set(keys)) < len(keys):
        raise InvalidArgument(
            "answers", "must each have more keys than the one before: none, one, two …", keys
        )


def _find_parents(above: Answer, below: Answer, at: Sequence[int]) -> list[int]:
    """For each group of the parts the place of the group that it is in."""
    places = {key: place for place, key in enumerate(above._releases[0].keys)}
    return [places[tuple(key[place] for place in at)] for key in below._releases[0].keys]


def _match_columns(
    order: Sequence[Answer], places: Sequence[Sequence[int]], call: AggregateCall
) -> list[_SumColumn] | str:
    """The same aggregate in all answers; or why there is none."""
    measure = find_summed_measure(call)
    if measure is None:
        return "parts of that do not add up"
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
            return "not all of the answers have it"
    return found


def _reconcile_columns(
    columns: Sequence[_SumColumn], parents: Sequence[Sequence[int]]
) -> list[Estimate]:
    levels = make_consistent(
        [column.build_level(at) for column, at in zip(columns, parents, strict=True)]
    )
    found: list[Estimate] = []
    whole = all(column.linear.is_integer for column in columns)
    for column, level, values in zip(
        columns, levels, round_consistently(levels, columns[0].step, whole=whole), strict=True
    ):
        found.append(
            ConsistentEstimate(
                LinearEstimate(
                    [level.numbers], (column.step,), level.noise, column.linear.is_integer
                ),
                values,
            )
        )
    return found


def _build_notes(
    order: Sequence[Answer], answer: Answer, texts: Sequence[str], kept: Mapping[str, str]
) -> list[str]:
    entries = sorted(other.receipt.entry for other in order if other is not answer)
    which = f"ledger entr{'ies' if len(entries) > 1 else 'y'} {' and '.join(map(str, entries))}"
    told = (
        f"Made consistent with {which} (post-processing, free), so that parts add up:"
        f" {', '.join(texts)}."
    )
    return [told, *_describe_unreconciled(kept)]


def _describe_unreconciled(kept: Mapping[str, str]) -> list[str]:
    """What is as it was, and why: one sentence for each reason."""
    reasons = dict.fromkeys(kept.values())
    return [
        f"Not made consistent: {', '.join(text for text, why in kept.items() if why == reason)},"
        f" since {reason}."
        for reason in reasons
    ]
