"""The explanation of a question: its cost and the error of its answer, or of the answer that is
stored for it. It reads public parameters and published numbers only, and charges nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hedgerow.accuracy.expected_ratio_error import ExpectedRatioError
from hedgerow.accuracy.weighted_noise import WeightedNoise, select_comparable
from hedgerow.accuracy.weighted_sum import compute_mean_error, compute_radius
from hedgerow.answers.answer import Receipt, build_receipt
from hedgerow.answers.caveats import describe_bracket, describe_rho_cost
from hedgerow.answers.epsilon_search import find_least_epsilon
from hedgerow.answers.estimates.estimate import compute_linear_weights
from hedgerow.answers.plan_description import describe_plan
from hedgerow.answers.render import render_explanation_html, render_explanation_text
from hedgerow.answers.repeated_answers import AveragedMeasure, average_noise, describe_averaging
from hedgerow.charts.number_text import format_size
from hedgerow.errors import BudgetExceeded, Unsupported
from hedgerow.plan.measures import Measure
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import TableParts
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import AdditiveNoise, ReleaseNoise
from hedgerow.release.payload import Release
from hedgerow.sql.question import AggregateCall, Question

__all__ = [
    "ExplainedAggregate",
    "Explanation",
    "build_explanation",
    "count_questions_left",
    "find_needed_epsilon",
    "limit_to_quota",
]

_FAILURE_PROBABILITY = Fraction(5, 100)
_EPSILON_PRECISION = 1e-4  # of the epsilon that is found for an error


@dataclass(frozen=True, slots=True)
class ExplainedAggregate:
    """The noise and the expected error of one aggregate, in the units of its answer.

    The error of a mean or a variance falls with the number n of rows, which is private: ``per_row``
    holds it, ``note`` describes it, and ``scale`` is n times the scale of the answer. CORR has
    none of these.
    """

    aggregate: str
    mechanism: str
    scale: float | None
    expected_error: float | None
    error_95: float | None
    note: str = ""
    per_row: ExpectedRatioError | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The cost and the error of a question that was not run.

    A question that was answered before is ``free``: noise, threshold and notes are those of the
    stored answer, ``receipt`` names its ledger entry, and ``questions_left`` counts how many such
    questions could be paid for anew.
    """

    epsilon: Fraction
    cost: Loss
    lines: tuple[ExplainedAggregate, ...]
    threshold: int | None
    steps: tuple[str, ...]
    notes: tuple[str, ...]
    receipt: Receipt | None
    covered: bool
    questions_left: int
    limited_by: str = "budget"  # "budget" or "quota": the one that sets questions_left

    @property
    def free(self) -> bool:
        """True if a stored answer serves the question."""
        return self.receipt is not None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "epsilon": str(float(self.epsilon)),
            "cost": self.cost.to_dict(),
            "aggregates": [
                {
                    "aggregate": line.aggregate,
                    "mechanism": line.mechanism,
                    "scale": line.scale,
                    "expected_error": line.expected_error,
                    "error_95": line.error_95,
                    "expected_error_times_rows": (
                        None if line.per_row is None else line.per_row.most
                    ),
                    "note": line.note,
                }
                for line in self.lines
            ],
            "threshold": self.threshold,
            "steps": list(self.steps),
            "notes": list(self.notes),
            "free": self.free,
            "receipt": None if self.receipt is None else self.receipt.to_dict(),
            "covered": self.covered,
            "questions_left": self.questions_left,
            "limited_by": self.limited_by,
        }

    def __repr__(self) -> str:
        return render_explanation_text(self)

    def _repr_html_(self) -> str:
        return render_explanation_html(self)


def build_explanation(
    question: Question,
    unit: Unit,
    noise: ReleaseNoise,
    *,
    epsilon: Fraction,
    budget: Budget,
    notes: Sequence[str],
    at: TableParts | None = None,
    stored: Sequence[Release] = (),
) -> Explanation:
    """Build the explanation of a question with the noise that it would get, or with the noise of
    the ``stored`` releases, the one of the largest epsilon first.

    The cost would be charged to the parts ``at``; None means the whole table.
    """
    plan, price = question.plan, noise.loss(question.plan.sensitivity(unit))
    together = select_comparable(stored) if stored else ()
    noises = [release.noise for release in together] or [noise]
    threshold = noises[0].threshold
    averaged = {
        measure: average_noise(noises, index) for index, measure in enumerate(plan.measures)
    }
    if stored:
        notes = [*notes, *describe_averaging(question, together)]
    else:
        notes = [*notes, *describe_rho_cost(price, budget), *_describe_charged_parts(at)]
    return Explanation(
        epsilon,
        Loss(Fraction(0)) if stored else price,
        tuple(_explain_aggregate(call, averaged[call.measure]) for call in question.aggregates),
        None if threshold is None else threshold.minimum_count,
        describe_plan(plan, unit),
        tuple(notes),
        build_receipt(stored[0], reused=True) if stored else None,
        bool(stored) or budget.covers(price, at),
        count_questions_left(budget, price, at),
    )


def _describe_charged_parts(at: TableParts | None) -> list[str]:
    if at is None:
        return []
    return [
        f"Only the part{'s' * (len(at.names) > 1)} {', '.join(at.names)} of {at.table} would be"
        " charged."
    ]


def _explain_aggregate(call: AggregateCall, averaged: AveragedMeasure) -> ExplainedAggregate:
    noise, factor = averaged.noise, averaged.parts_per_step
    if isinstance(noise, CalibratedSelection):
        return _explain_selection(call, noise)
    name = type(noise.terms[0][0] if isinstance(noise, WeightedNoise) else noise).__name__
    weights = compute_linear_weights(call, factor)
    if weights is not None:
        return ExplainedAggregate(
            call.text,
            name,
            _combine_scales(noise) * math.hypot(*map(float, weights)),
            compute_mean_error(noise, weights),
            float(compute_radius(noise, weights, _FAILURE_PROBABILITY)),
        )
    if call.function.startswith(("CORR", "REGR", "SKEW", "KURT")):
        note = "the error depends on the data: the less the values vary, the larger it is"
        return ExplainedAggregate(call.text, name, None, None, None, note)
    assert isinstance(call.measure, Measure)
    # The noise counts in its own parts of a step, so the measure is taken in whole steps.
    per_row = ExpectedRatioError(
        replace(call, measure=replace(call.measure, resolution=1)), noise, factor
    )
    scale, note = (
        _combine_scales(noise) * per_row.units_per_noise,
        per_row.describe(_FAILURE_PROBABILITY),
    )
    return ExplainedAggregate(call.text, name, scale, None, None, note, per_row)


def _explain_selection(call: AggregateCall, mechanism: CalibratedSelection) -> ExplainedAggregate:
    ranks = mechanism.rank_error(_FAILURE_PROBABILITY)
    if ranks is None:
        note = "the error depends on the data"
    elif mechanism.kind == "mode":
        note = f"rarer than the mode by at most {format_size(ranks)} rows (95 %)"
    else:
        note = f"off by at most {format_size(ranks)} ranks (95 %)"
    if call.bracket is not None:
        note += f"; its interval is {describe_bracket(call.bracket, mechanism)}"
    name = type(mechanism.mechanism).__name__
    return ExplainedAggregate(call.text, name, None, None, None, note)


def _combine_scales(noise: AdditiveNoise | WeightedNoise) -> float:
    """Return the scale of the single draw that has the variance of all draws together."""
    if isinstance(noise, WeightedNoise):
        return math.sqrt(sum(float(term.scale * share) ** 2 for term, share in noise.terms))
    return float(noise.scale)


def limit_to_quota(explanation: Explanation, left: Fraction) -> Explanation:
    """Apply what an analyst has ``left`` of a quota, where it covers less than the budget does."""
    count = int(max(left, Fraction(0)) // explanation.epsilon)
    if explanation.free or count >= explanation.questions_left:
        return explanation
    return replace(explanation, covered=count > 0, questions_left=count, limited_by="quota")


def count_questions_left(budget: Budget, cost: Loss, at: TableParts | None = None) -> int:
    """Count the questions of this cost that the budget still covers, by doubling and halving."""
    low, high = 0, 1
    while budget.covers(high * cost, at):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if budget.covers(middle * cost, at) else (low, middle)
    return low


def find_needed_epsilon(
    question: Question,
    calibrate_at: Callable[[Fraction], tuple[Question, ReleaseNoise]],
    error: Fraction,
    max_epsilon: Fraction,
) -> Fraction:
    """Return the least epsilon, rounded up to four digits, at which every count and sum of the
    question has at most this expected error.

    ``calibrate_at`` returns the question with its noise at an epsilon.
    """
    if not question.aggregates or any(
        compute_linear_weights(call) is None for call in question.aggregates
    ):
        raise Unsupported(
            "Only COUNT and SUM have an expected error that is public; the error of other"
            " aggregates depends on the data. Ask for the error of a COUNT or SUM, or name an"
            " epsilon."
        )

    def error_at(epsilon: Fraction) -> float:
        priced, noise = calibrate_at(epsilon)
        errors = [0.0]
        for call in priced.aggregates:
            averaged = average_noise([noise], priced.plan.measures.index(call.measure))
            weights = compute_linear_weights(call, averaged.parts_per_step) or ()
            if not isinstance(averaged.noise, CalibratedSelection):
                errors.append(compute_mean_error(averaged.noise, weights))
        return max(errors)

    found = find_least_epsilon(error_at, error, max_epsilon, _EPSILON_PRECISION)
    if found is None:
        raise BudgetExceeded(
            f"Even at epsilon {float(max_epsilon):g}, the largest that one question may use, the"
            " expected error is larger than that. Ask for a larger error."
        )
    digits = 10 ** (4 - len(str(int(found)))) if found >= 1 else 10**6
    return min(max_epsilon, Fraction(-(-found * digits // 1), digits))


def combine_explanations(pieces: Sequence[Explanation], texts: Sequence[str]) -> Explanation:
    """Combine the explanations of the pieces of a statement, whose SQL is in ``texts``."""
    charged = [piece for piece in pieces if not piece.free]
    costs = [piece.cost for piece in charged] or [Loss(Fraction(0))]
    prices = [
        "free, answered before" if piece.free else f"epsilon {float(piece.epsilon):g}"
        for piece in pieces
    ]
    steps = [f"Ask {text} ({price})." for text, price in zip(texts, prices, strict=True)]
    notes = dict.fromkeys(note for piece in pieces for note in piece.notes)
    least = min(charged or pieces, key=lambda piece: piece.questions_left)
    return Explanation(
        epsilon=sum((piece.epsilon for piece in pieces), Fraction(0)),
        cost=sum(costs[1:], costs[0]),
        lines=tuple(line for piece in pieces for line in piece.lines),
        threshold=max((piece.threshold or 0 for piece in pieces), default=0) or None,
        steps=(*steps, "Run the rest as SQL over these noisy answers, at no cost."),
        notes=tuple(notes),
        receipt=None if charged else pieces[0].receipt,
        covered=all(piece.covered for piece in pieces),
        questions_left=least.questions_left // max(len(charged), 1),
        limited_by=least.limited_by,
    )
