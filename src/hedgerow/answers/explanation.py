"""What a question would cost and how good its answer would be; of one that was answered, how good
that answer is. Public parameters and what was published only, no data, no charge."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hedgerow.accuracy.expected_ratio_error import ExpectedRatioError
from hedgerow.accuracy.weighted_noise import (
    WeightedNoise,
    average_releases,
    find_fineness,
    find_noise,
    select_comparable,
)
from hedgerow.accuracy.weighted_sum import compute_mean_error, compute_radius
from hedgerow.answers.answer import Receipt, build_receipt, describe_averaging
from hedgerow.answers.caveats import describe_bracket, describe_rho_cost
from hedgerow.answers.estimates.estimate import compute_linear_weights
from hedgerow.answers.render import render_explanation_html, render_explanation_text
from hedgerow.errors import BudgetExceeded, Unsupported
from hedgerow.numeric.formatting import format_size
from hedgerow.plan.describe import describe_plan
from hedgerow.plan.measures import Measure
from hedgerow.privacy.budget import Budget, TableParts
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import AdditiveNoise, NoiseMechanism, ReleaseNoise
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


@dataclass(frozen=True, slots=True)
class ExplainedAggregate:
    """One aggregate: its noise and its error, in units of the answer. That of a mean or a variance
    falls with the number n of rows, which is private: ``per_row`` has the error, the note tells it,
    and ``scale`` is n times that of the answer. CORR has none."""

    aggregate: str
    mechanism: str
    scale: float | None
    expected_error: float | None
    error_95: float | None
    note: str = ""
    per_row: ExpectedRatioError | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The price and the error of a question that was not asked. One that was answered is ``free``:
    noise, threshold and notes are those of the answer that it gets, ``receipt`` says which, and
    ``count_questions_left`` counts such questions paid for anew."""

    epsilon: Fraction
    cost: Loss
    lines: tuple[ExplainedAggregate, ...]
    threshold: int | None
    steps: tuple[str, ...]
    notes: tuple[str, ...]
    receipt: Receipt | None
    covered: bool
    questions_left: int
    limited_by: str = "budget"  # which of budget and quota covers no more than that

    @property
    def free(self) -> bool:
        """Whether there is an answer for no less than is asked for."""
        return self.receipt is not None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
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
    """The explanation of a question with the noise it would get, charged to the parts ``at`` or to
    the whole; where its answer is ``stored``, with the noise that this has. As for an answer, the
    first release has the largest epsilon."""
    plan, price = question.plan, noise.loss(question.plan.sensitivity(unit))
    together = select_comparable(stored) if stored else ()
    noises = [release.noise for release in together] or [noise]
    threshold = noises[0].threshold
    laws = {measure: _combine_noise(noises, index) for index, measure in enumerate(plan.measures)}
    return Explanation(
        epsilon,
        Loss(Fraction(0)) if stored else price,
        tuple(_explain_aggregate(call, *laws[call.measure]) for call in question.aggregates),
        None if threshold is None else threshold.minimum_count,
        describe_plan(plan, unit),
        (
            *notes,
            *(
                describe_averaging(question, together)
                if stored
                else (*describe_rho_cost(price, budget), *_describe_charged_parts(at))
            ),
        ),
        build_receipt(stored[0], reused=True) if stored else None,
        bool(stored) or budget.covers(price, at),
        count_questions_left(budget, price, at),
    )


def _combine_noise(
    noises: Sequence[ReleaseNoise], index: int
) -> tuple[NoiseMechanism | WeightedNoise, int]:
    """The noise of a measure over the releases of one answer, and in what parts of a step it is;
    what was chosen is that of the first.
    """
    added = [
        law for one in noises if not isinstance(law := find_noise(one, index), CalibratedSelection)
    ]
    if not added:
        return noises[0].mechanisms[index], 1
    return average_releases(
        [()] * len(added), added, [find_fineness(one, index).parts_per_step for one in noises]
    )[1:]


def _describe_charged_parts(at: TableParts | None) -> list[str]:
    """Which part pays, where it is not the whole."""
    if at is None:
        return []
    return [
        f"Only the part{'s' * (len(at.names) > 1)} {', '.join(at.names)} of {at.table} would be"
        " charged."
    ]


def _explain_aggregate(
    call: AggregateCall, law: NoiseMechanism | WeightedNoise, factor: int
) -> ExplainedAggregate:
    name = type(law.terms[0][0] if isinstance(law, WeightedNoise) else law).__name__
    if isinstance(law, CalibratedSelection):
        off = law.rank_error(_FAILURE_PROBABILITY)
        where = (
            "the data decide how far off"
            if off is None
            else (
                f"with 95 % at most {format_size(off)}"
                f" {'rows rarer' if law.kind == 'mode' else 'ranks off'}"
            )
        )
        if call.bracket is not None:
            where += f"; its interval is that of {describe_bracket(call.bracket, law)}"
        return ExplainedAggregate(call.text, type(law.mechanism).__name__, None, None, None, where)
    weights = compute_linear_weights(call, factor)
    if weights is not None:
        scale = _combine_scales(law) * math.hypot(*map(float, weights))
        return ExplainedAggregate(
            call.text,
            name,
            scale,
            compute_mean_error(law, weights),
            float(compute_radius(law, weights, _FAILURE_PROBABILITY)),
        )
    if call.function == "CORR":
        return ExplainedAggregate(
            call.text,
            name,
            None,
            None,
            None,
            "the data decide how far off: the less the two vary, the farther",
        )
    assert isinstance(call.measure, Measure)
    # the parts are those of the noise
    per_row = ExpectedRatioError(
        replace(call, measure=replace(call.measure, resolution=1)), law, factor
    )
    return ExplainedAggregate(
        call.text,
        name,
        _combine_scales(law) * per_row.units_per_noise,
        None,
        None,
        per_row.describe(_FAILURE_PROBABILITY),
        per_row,
    )


def _combine_scales(law: AdditiveNoise | WeightedNoise) -> float:
    """Of several draws together, the one that would have their variance."""
    return (
        math.sqrt(sum(float(one.scale * share) ** 2 for one, share in law.terms))
        if isinstance(law, WeightedNoise)
        else float(law.scale)
    )


def limit_to_quota(told: Explanation, left: Fraction) -> Explanation:
    """The explanation for an analyst with so much of their quota left, where that covers less
    than the budget does.
    """
    many = int(max(left, Fraction(0)) // told.epsilon)
    if told.free or many >= told.questions_left:
        return told
    return replace(told, covered=many > 0, questions_left=many, limited_by="quota")


def count_questions_left(budget: Budget, cost: Loss, at: TableParts | None = None) -> int:
    """How many questions of this price the budget still covers, by doubling and halving."""
    low, high = 0, 1
    while budget.covers(high * cost, at):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if budget.covers(middle * cost, at) else (low, middle)
    return low


def find_needed_epsilon(
    question: Question,
    noise_at: Callable[[Fraction], tuple[Question, ReleaseNoise]],
    error: Fraction,
    most: Fraction,
) -> Fraction:
    """The least epsilon, to four digits, at which every count and sum of the question has at most
    this expected error.

    ``noise_at`` gives the noise that the question would get at an epsilon, and the question with
    the measures that this is for.
    """
    if not question.aggregates or any(
        compute_linear_weights(call) is None for call in question.aggregates
    ):
        raise Unsupported(
            "The error of anything but COUNT and SUM depends on the data, such as on how many rows"
            " there are, which is private. Ask for an error of COUNT or SUM, or name an epsilon."
        )

    def good(epsilon: Fraction) -> bool:
        asked, noise = noise_at(epsilon)
        laws = {
            measure: _combine_noise([noise], index)
            for index, measure in enumerate(asked.plan.measures)
        }
        each = [(call, *laws[call.measure]) for call in asked.aggregates]
        return all(
            isinstance(law, CalibratedSelection)
            or compute_mean_error(law, compute_linear_weights(call, factor) or ()) <= error
            for call, law, factor in each
        )

    if not good(most):
        raise BudgetExceeded(
            f"Even epsilon {float(most):g}, the most that one question may ask for, leaves a larger"
            " error than that."
        )
    low, high = Fraction(0), most
    while high - low > high / 10_000:
        middle = (low + high) / 2
        low, high = (low, middle) if good(middle) else (middle, high)
    digits = 10 ** (4 - len(str(int(high)))) if high >= 1 else 10**6
    return min(most, Fraction(-(-high * digits // 1), digits))
