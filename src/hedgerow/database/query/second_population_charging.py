"""The charges to two populations for one question that joins them, and the notes about them. They
follow from public parameters only.

There is one release, with the larger of the noises that the two populations need. Each population
is charged its own loss under that noise (proof: docs/decisions/0011-two-populations.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.answers.caveats import format_count
from hedgerow.answers.explanation import Explanation, count_questions_left
from hedgerow.answers.unit_noun import UnitNoun
from hedgerow.calibration.noise_choice import NoiseKind, calibrate_noise
from hedgerow.calibration.step_refinement import refine_steps
from hedgerow.database.query.payers import Payer
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import BudgetRule
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss, compute_pure_rho
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release.noise import AdditiveNoise, ReleaseNoise, list_counting_steps
from hedgerow.sql.question import Question

__all__ = [
    "QueryLimits",
    "calibrate_noise_for_both",
    "combine_limits",
    "describe_charges",
    "describe_joint_bounds",
    "explain_for_both",
]


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """The limits of one question where these populations pay: the least of each."""

    default_epsilon: Fraction
    default_delta: Fraction | None
    max_epsilon: Fraction
    noise: NoiseKind


def combine_limits(rules: Sequence[BudgetRule]) -> QueryLimits:
    """Combine the limits of the budgets; Gaussian noise needs all of them to allow it."""
    return QueryLimits(
        min(rule.default_epsilon for rule in rules),
        rules[0].default_delta,
        min(rule.max_epsilon_per_query for rule in rules),
        "gaussian" if all(rule.noise == "gaussian" for rule in rules) else "laplace",
    )


def calibrate_noise_for_both(
    plan: Aggregate, unit: Unit, other: Unit, *, epsilon: Fraction, law: NoiseKind
) -> tuple[Aggregate, ReleaseNoise]:
    """Return the plan, with the parts of a step in which its sums are counted, and noise that costs
    one population ``epsilon`` for the whole plan and the other no more."""
    coarse = _calibrate_larger_noise(plan, unit, other, epsilon=epsilon, law=law)
    refined = refine_steps(plan, coarse)
    noise = _calibrate_larger_noise(refined, unit, other, epsilon=epsilon, law=law)
    return refined, replace(noise, counting_steps=list_counting_steps(refined))


def _calibrate_larger_noise(
    plan: Aggregate, unit: Unit, other: Unit, *, epsilon: Fraction, law: NoiseKind
) -> ReleaseNoise:
    first = calibrate_noise(plan, unit, epsilon=epsilon, delta=None, kind=law).mechanisms
    share, rho = epsilon / len(plan.measures), compute_pure_rho(epsilon) / len(plan.measures)
    larger = []
    for mechanism, move in zip(first, plan.second_population_sensitivity(other), strict=True):
        try:
            for_other: AdditiveNoise = (
                Laplace.calibrate(sensitivity=move, epsilon=share)
                if law == "laplace"
                else Gaussian.calibrate(sensitivity=move, rho=rho)
            )
        except InvalidArgument as wrong:
            raise Unsupported(
                "The noise for this question is outside the supported range. Ask with another"
                " epsilon, tighter bounds or smaller contribution bounds."
            ) from wrong
        # A plan that joins two populations has no order statistics.
        assert isinstance(mechanism, Laplace | Gaussian)
        larger.append(max(mechanism, for_other, key=lambda drawn: drawn.scale))
    return ReleaseNoise(tuple(larger))


def describe_charges(charges: Mapping[str, Loss]) -> str:
    """Describe the cost for each population."""
    return (
        "Charged to both populations:"
        f" {' and '.join(f'{loss} to {name}' for name, loss in charges.items())}."
    )


def describe_joint_bounds(question: Question, first: UnitNoun, second: UnitNoun) -> tuple[str, ...]:
    """Describe the contribution bounds of two populations that are joined."""
    join, bound = question.plan.population_join, question.plan.bound
    assert join is not None
    other = join.population
    references, rows = other.max_references, other.max_rows
    keyed = ", each counted once for every value of their own keys" * bool(other.other_columns)
    return (
        f"Each {first.singular} contributes rows about at most {references} {second.plural}{keyed}"
        f" (whether or not they are in the data), and at most"
        f" {format_count(bound.max_rows, 'row')} about each.",
        f"Each {second.singular} contributes at most {format_count(rows, 'row')}"
        f"{' to a group' * bool(bound.keys)}, and is joined by one row.",
    )


def explain_for_both(
    explanation: Explanation,
    question: Question,
    noise: ReleaseNoise,
    payers: Sequence[Payer],
    budgets: Sequence[Budget],
) -> Explanation:
    """Add the cost for the second population to an explanation for the first."""
    first, second = payers
    moves = question.plan.second_population_sensitivity(second.unit)
    charges = {
        first.population: noise.loss(question.plan.sensitivity(first.unit)),
        second.population: noise.loss(moves),
    }
    costs = list(charges.values())
    larger = Loss(
        max(cost.epsilon for cost in costs),
        max(cost.delta for cost in costs),
        max(cost.rho for cost in costs),
    )
    steps = (*explanation.steps, *_describe_second_sensitivity(question, second, moves))
    left = min(map(count_questions_left, budgets, costs))
    if explanation.free:
        return replace(explanation, steps=steps, covered=True, questions_left=left)
    would = describe_charges(charges).replace("Charged", "Would be charged")
    return replace(
        explanation,
        cost=larger,
        steps=steps,
        notes=(*explanation.notes, would),
        covered=all(budget.covers(cost) for budget, cost in zip(budgets, costs, strict=True)),
        questions_left=left,
    )


def _describe_second_sensitivity(
    question: Question, payer: Payer, moves: Sequence[Sensitivity]
) -> list[str]:
    change = "Adding or removing" if payer.unit.relation == "add-remove" else "Replacing"
    by_measure = dict(zip(question.plan.measures, moves, strict=True))
    steps = []
    for call in question.aggregates:
        move, parts = by_measure[call.measure], getattr(call.measure, "resolution", 1)
        steps.append(
            f"{call.text}: {change} one {payer.noun.singular} can change"
            f" {format_count(move.l0, 'number')} by {float(move.l1 / parts):,.10g} steps in all,"
            f" and none by more than {float(move.linf / parts):,.10g}."
        )
    return list(dict.fromkeys(steps))
