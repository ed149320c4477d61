"""What a question would cost and how good its answer would be: public parameters only, no data, no charge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.answers.estimates import expected_error
from hedgerow.answers.show import explanation_html, explanation_text, size
from hedgerow.errors import BudgetExceeded, Unsupported
from hedgerow.plan.explain import describe
from hedgerow.plan.measures import Measure
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.unit import Unit
from hedgerow.release import Law, Noise
from hedgerow.sql.question import Question

__all__ = ["Explanation", "Line", "explanation_of", "needed_epsilon", "questions_left"]

_BETA = Fraction(5, 100)


@dataclass(frozen=True, slots=True)
class Line:
    """One aggregate: its noise and its error. The error of a mean depends on how many rows there are, so it is told in a note."""

    aggregate: str
    mechanism: str
    scale: float
    expected_error: float | None
    error_95: float | None
    note: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The price and the error of a question that was not asked."""

    epsilon: Fraction
    cost: Loss
    lines: tuple[Line, ...]
    threshold: int | None
    steps: tuple[str, ...]
    notes: tuple[str, ...]
    free: bool
    covered: bool
    questions_left: int

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
                    "note": line.note,
                }
                for line in self.lines
            ],
            "threshold": self.threshold,
            "steps": list(self.steps),
            "notes": list(self.notes),
            "free": self.free,
            "covered": self.covered,
            "questions_left": self.questions_left,
        }

    def __repr__(self) -> str:
        return explanation_text(self)

    def _repr_html_(self) -> str:
        return explanation_html(self)


def explanation_of(
    question: Question, unit: Unit, noise: Noise, *, epsilon: Fraction, budget: Budget, free: bool, notes: Sequence[str]
) -> Explanation:
    """The explanation of a question with the noise it would get."""
    plan = question.plan
    cost = noise.loss(plan.sensitivity(unit))
    laws = dict(zip(plan.measures, noise.laws, strict=True))
    lines = tuple(_line(call.text, call.measure, laws[call.measure]) for call in question.aggregates)
    covered = budget.covers(cost)
    return Explanation(
        epsilon,
        cost,
        lines,
        None if noise.threshold is None else noise.threshold.least,
        describe(plan, unit),
        tuple(notes),
        free,
        covered,
        questions_left(budget, cost),
    )


def _line(text: str, measure: Measure, law: Law) -> Line:
    name = type(law).__name__
    if measure.kind == "mean" and measure.snap is not None:
        # The two totals of n rows sum to n * width; noise of size z in each moves the mean by up to z/n.
        step = measure.snap.step
        usual, most = expected_error(law, step), float(law.error(_BETA / 2) * step)
        note = f"for n rows off by about {size(usual)}/n, with 95 % by at most about {size(most)}/n"
        return Line(text, name, float(law.scale * step), None, None, note)
    step = Fraction(1) if measure.snap is None else measure.snap.step
    return Line(text, name, float(law.scale * step), expected_error(law, step), float(law.error(_BETA) * step))


def questions_left(budget: Budget, cost: Loss) -> int:
    """How many questions of this price the budget still covers, by doubling and halving."""
    low, high = 0, 1
    while budget.covers(high * cost):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if budget.covers(middle * cost) else (low, middle)
    return low


def needed_epsilon(question: Question, noise_at: Any, error: Fraction, most: Fraction) -> Fraction:
    """The least epsilon, to four digits, at which every count and sum of the question has at most this expected error."""
    calls = [call for call in question.aggregates if call.measure.kind != "mean"]
    if len(calls) < len(question.aggregates) or not calls:
        raise Unsupported(
            "The error of AVG depends on how many rows there are, which is private. Ask for an error of COUNT or SUM, or name an epsilon."
        )

    def good(epsilon: Fraction) -> bool:
        laws = dict(zip(question.plan.measures, noise_at(epsilon).laws, strict=True))
        steps = (Fraction(1) if call.measure.snap is None else call.measure.snap.step for call in calls)
        return all(expected_error(laws[call.measure], step) <= error for call, step in zip(calls, steps, strict=True))

    if not good(most):
        raise BudgetExceeded(f"Even epsilon {float(most):g}, the most that one question may ask for, leaves a larger error than that.")
    low, high = Fraction(0), most
    while high - low > high / 10_000:
        middle = (low + high) / 2
        low, high = (low, middle) if good(middle) else (middle, high)
    digits = 10 ** (4 - len(str(int(high)))) if high >= 1 else 10**6
    return min(most, Fraction(-(-high * digits // 1), digits))
