"""What two populations pay for one question, and what they and the analyst are told about it. Public parameters only.

There is one measurement, with noise for whichever of the two it takes more to hide. Each population is charged its own loss under that
noise (docs/decisions/0011-two-populations.md has the proof).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.answers.explanation import Explanation, questions_left
from hedgerow.answers.noise import LawName, noise_for, refined
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import BudgetRule
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss, rho_of_pure
from hedgerow.privacy.unit import Unit
from hedgerow.release import Additive, Noise, fineness
from hedgerow.sql.question import Question

__all__ = ["Terms", "charged", "explained", "losses", "noise_for_both", "notes_for_both", "terms_of"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What one question may ask for where these populations pay: of every limit the least."""

    default_epsilon: Fraction
    default_delta: Fraction | None
    max_epsilon: Fraction
    noise: LawName


def terms_of(rules: Sequence[BudgetRule]) -> Terms:
    """The terms of the budgets together. A budget that says Laplace has no use for Gaussian noise, while the other one bears both."""
    return Terms(
        min(rule.default_epsilon for rule in rules),
        rules[0].default_delta,
        min(rule.max_epsilon_per_query for rule in rules),
        "gaussian" if all(rule.noise == "gaussian" for rule in rules) else "laplace",
    )


def noise_for_both(plan: Aggregate, unit: Unit, other: Unit, *, epsilon: Fraction, law: LawName) -> tuple[Aggregate, Noise]:
    """Return noise that costs ``epsilon`` for the whole plan to one of the populations, and no more to the other one; and the plan with the
    parts of a step in which its sums are counted."""
    fine = refined(plan, _noise(plan, unit, other, epsilon=epsilon, law=law))
    return fine, replace(_noise(fine, unit, other, epsilon=epsilon, law=law), fine=fineness(fine))


def _noise(plan: Aggregate, unit: Unit, other: Unit, *, epsilon: Fraction, law: LawName) -> Noise:
    first = noise_for(plan, unit, epsilon=epsilon, delta=None, law=law).laws
    share, rho = epsilon / len(plan.measures), rho_of_pure(epsilon) / len(plan.measures)
    laws = []
    for one, move in zip(first, plan.others_sensitivity(other), strict=True):
        try:
            for_other: Additive = (
                Laplace.calibrate(sensitivity=move, epsilon=share) if law == "laplace" else Gaussian.calibrate(sensitivity=move, rho=rho)
            )
        except InvalidArgument as wrong:
            raise Unsupported(
                "This takes more noise, or less, than can be drawn: ask with another epsilon, tighter bounds or smaller caps."
            ) from wrong
        assert isinstance(one, Laplace | Gaussian)  # a plan in which two populations meet has no picks
        laws.append(max(one, for_other, key=lambda drawn: drawn.scale))
    return Noise(tuple(laws))


def losses(plan: Aggregate, noise: Noise, payers: Sequence[tuple[str, Unit]]) -> dict[str, Loss]:
    """What each of the two loses, in the words of the door."""
    (name, unit), (other_name, other) = payers
    return {name: noise.loss(plan.sensitivity(unit)), other_name: noise.loss(plan.others_sensitivity(other))}


def charged(each: dict[str, Loss]) -> str:
    """Who pays what."""
    return f"Charged to both populations: {', and '.join(f'{loss} to {name}' for name, loss in each.items())}."


def notes_for_both(question: Question, notes: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The notes of a question, with what counts of the two populations in place of what counts of one."""
    meeting, bound = question.plan.meeting, question.plan.bound
    assert meeting is not None
    first, other = names
    most, rows = meeting[0].max_groups, meeting[0].max_rows
    keys = ", each with each value of their own keys by itself," if meeting[0].also else ""
    caps = (
        f"Of each one of {first} at most {most} of {other} count{keys} whether or not they are in the data, and with each {bound.max_rows} "
        f"row{'s' * (bound.max_rows > 1)}.",
        f"Each one of {other} counts as at most {rows} row{'s' * (rows > 1)}{' in a group' * bool(bound.keys)}, and has one row to join.",
    )
    return (*caps, *(note for note in notes if not note.startswith(("Of each unit", "A unit with more"))))


def explained(
    told: Explanation, question: Question, noise: Noise, payers: Sequence[tuple[str, Unit]], budgets: Sequence[Budget]
) -> Explanation:
    """The explanation for the first population, with what the other one would pay."""
    each = losses(question.plan, noise, payers)
    costs = list(each.values())
    most = Loss(max(one.epsilon for one in costs), max(one.delta for one in costs), max(one.rho for one in costs))
    name, unit = payers[1]
    how = "coming or going" if unit.relation == "add-remove" else "being replaced"
    numbers = dict(zip(question.plan.measures, question.plan.others_sensitivity(unit), strict=True))
    steps = [
        f"{call.text}: one of {name} {how} can move {(moves := numbers[call.measure]).l0:,} number{'s' * (moves.l0 > 1)} by "
        f"{float(moves.l1 / fine):,.10g} steps in all, and none by more than {float(moves.linf / fine):,.10g}."
        for call in question.aggregates
        for fine in [getattr(call.measure, "fine", 1)]
    ]
    return replace(
        told,
        cost=told.cost if told.free else most,
        steps=(*told.steps, *dict.fromkeys(steps)),
        notes=told.notes if told.free else (*told.notes, charged(each).replace("Charged", "Would be charged")),
        covered=told.free or all(budget.covers(cost) for budget, cost in zip(budgets, costs, strict=True)),
        questions_left=min(questions_left(budget, cost) for budget, cost in zip(budgets, costs, strict=True)),
    )
