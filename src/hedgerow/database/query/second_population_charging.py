"""What two populations pay for one question, and what they and the analyst are told about it.
Public parameters only.

There is one measurement, with noise for whichever of the two it takes more to hide. Each population
is charged its own loss under that noise (docs/decisions/0011-two-populations.md has the proof).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.answers.explanation import Explanation, count_questions_left
from hedgerow.calibration.noise_choice import NoiseKind, calibrate_noise
from hedgerow.calibration.step_refinement import refine_steps
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import BudgetRule
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss, compute_pure_rho
from hedgerow.privacy.unit import Unit
from hedgerow.release.noise import AdditiveNoise, ReleaseNoise, list_counting_steps
from hedgerow.release.release import ChargedPopulation
from hedgerow.sql.question import Question

__all__ = [
    "QueryLimits",
    "calibrate_noise_for_both",
    "combine_limits",
    "compute_losses",
    "describe_charges",
    "explain_for_both",
    "list_caveats_for_both",
]


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one question may ask for where these populations pay: of every limit the least."""

    default_epsilon: Fraction
    default_delta: Fraction | None
    max_epsilon: Fraction
    noise: NoiseKind


def combine_limits(rules: Sequence[BudgetRule]) -> QueryLimits:
    """The terms of the budgets together. A budget that says Laplace has no use for Gaussian
    noise, while the other one bears both.
    """
    return QueryLimits(
        min(rule.default_epsilon for rule in rules),
        rules[0].default_delta,
        min(rule.max_epsilon_per_query for rule in rules),
        "gaussian" if all(rule.noise == "gaussian" for rule in rules) else "laplace",
    )


def calibrate_noise_for_both(
    plan: Aggregate, unit: Unit, other: Unit, *, epsilon: Fraction, law: NoiseKind
) -> tuple[Aggregate, ReleaseNoise]:
    """Return noise that costs ``epsilon`` for the whole plan to one of the populations, and no more
    to the other one; and the plan with the parts of a step in which its sums are counted."""
    fine = refine_steps(plan, _calibrate_larger_noise(plan, unit, other, epsilon=epsilon, law=law))
    return fine, replace(
        _calibrate_larger_noise(fine, unit, other, epsilon=epsilon, law=law),
        counting_steps=list_counting_steps(fine),
    )


def _calibrate_larger_noise(
    plan: Aggregate, unit: Unit, other: Unit, *, epsilon: Fraction, law: NoiseKind
) -> ReleaseNoise:
    first = calibrate_noise(plan, unit, epsilon=epsilon, delta=None, kind=law).mechanisms
    share, rho = epsilon / len(plan.measures), compute_pure_rho(epsilon) / len(plan.measures)
    laws = []
    for one, move in zip(first, plan.second_population_sensitivity(other), strict=True):
        try:
            for_other: AdditiveNoise = (
                Laplace.calibrate(sensitivity=move, epsilon=share)
                if law == "laplace"
                else Gaussian.calibrate(sensitivity=move, rho=rho)
            )
        except InvalidArgument as wrong:
            raise Unsupported(
                "This takes more noise, or less, than can be drawn: ask with another epsilon,"
                " tighter bounds or smaller caps."
            ) from wrong
        # a plan in which two populations meet has no picks
        assert isinstance(one, Laplace | Gaussian)
        laws.append(max(one, for_other, key=lambda drawn: drawn.scale))
    return ReleaseNoise(tuple(laws))


def compute_losses(
    plan: Aggregate, noise: ReleaseNoise, payers: Sequence[ChargedPopulation]
) -> dict[str, Loss]:
    """What each of the two loses, in the words of the door."""
    first, second = payers
    return {
        first.name: noise.loss(plan.sensitivity(first.unit)),
        second.name: noise.loss(plan.second_population_sensitivity(second.unit)),
    }


def describe_charges(each: dict[str, Loss]) -> str:
    """Who pays what."""
    return (
        "Charged to both populations:"
        f" {', and '.join(f'{loss} to {name}' for name, loss in each.items())}."
    )


def list_caveats_for_both(
    question: Question, notes: Sequence[str], names: Sequence[str]
) -> tuple[str, ...]:
    """The notes of a question, with what counts of the two populations in place of what counts
    of one.
    """
    meeting, bound = question.plan.population_join, question.plan.bound
    assert meeting is not None
    first, other = names
    most, rows = meeting.population.max_references, meeting.population.max_rows
    keys = (
        ", each with each value of their own keys by itself,"
        if meeting.population.other_columns
        else ""
    )
    caps = (
        (
            f"Of each one of {first} at most {most} of {other} count{keys} whether or not they are"
            f" in the data, and with each {bound.max_rows} row{'s' * (bound.max_rows > 1)}."
        ),
        (
            f"Each one of {other} counts as at most {rows}"
            f" row{'s' * (rows > 1)}{' in a group' * bool(bound.keys)}, and has one row to join."
        ),
    )
    return (
        *caps,
        *(note for note in notes if not note.startswith(("Of each unit", "A unit with more"))),
    )


def explain_for_both(
    told: Explanation,
    question: Question,
    noise: ReleaseNoise,
    payers: Sequence[ChargedPopulation],
    budgets: Sequence[Budget],
) -> Explanation:
    """The explanation for the first population, with what the other one would pay."""
    each = compute_losses(question.plan, noise, payers)
    costs = list(each.values())
    most = Loss(
        max(one.epsilon for one in costs),
        max(one.delta for one in costs),
        max(one.rho for one in costs),
    )
    name, unit = payers[1].name, payers[1].unit
    how = "coming or going" if unit.relation == "add-remove" else "being replaced"
    numbers = dict(
        zip(question.plan.measures, question.plan.second_population_sensitivity(unit), strict=True)
    )
    steps = [
        f"{call.text}: one of {name} {how} can move {(moves := numbers[call.measure]).l0:,}"
        f" number{'s' * (moves.l0 > 1)} by {float(moves.l1 / fine):,.10g} steps in all, and none by"
        f" more than {float(moves.linf / fine):,.10g}."
        for call in question.aggregates
        for fine in [getattr(call.measure, "resolution", 1)]
    ]
    return replace(
        told,
        cost=told.cost if told.free else most,
        steps=(*told.steps, *dict.fromkeys(steps)),
        notes=(
            told.notes
            if told.free
            else (*told.notes, describe_charges(each).replace("Charged", "Would be charged"))
        ),
        covered=told.free
        or all(budget.covers(cost) for budget, cost in zip(budgets, costs, strict=True)),
        questions_left=min(
            count_questions_left(budget, cost) for budget, cost in zip(budgets, costs, strict=True)
        ),
    )
