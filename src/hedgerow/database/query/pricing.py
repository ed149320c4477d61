"""A question with its noise and its price: what decides whether it was answered before, and
whether it can be paid for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.answers.caveats import list_caveats
from hedgerow.calibration.noise_choice import NoiseKind
from hedgerow.calibration.step_refinement import calibrate_refined_noise
from hedgerow.calibration.measure_planning import plan_measures
from hedgerow.database.autobounds.resolver import read_asked_epsilon
from hedgerow.database.query.partition_charging import find_touched_parts
from hedgerow.database.query.second_population_charging import list_caveats_for_both
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import BudgetRule, TableRule
from hedgerow.privacy.budget import Budget, TableParts
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.unit import Unit
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.payload import Release
from hedgerow.release.release import ChargedPopulation
from hedgerow.sql.question import Question

__all__ = [
    "PricedQuestion",
    "calibrate_question",
    "covers_only_first",
    "find_charged_parts",
    "is_answered",
]

_FALLBACK_NOTE = (
    "Laplace noise, though Gaussian noise would serve better: the delta that is left does not"
    " cover it."
)


@dataclass(frozen=True, slots=True)
class PricedQuestion:
    """A question with its noise and all that decides whether it was asked before."""

    question: Question
    tables: tuple[TableRule, ...]
    budget_rule: BudgetRule
    unit: Unit
    epsilon: Fraction
    noise: ReleaseNoise
    key: str
    asked_epsilon: Fraction  # with what pays for bounds and caps that are found first
    # the second population, where two meet
    second_population: tuple[BudgetRule, Unit] | None = None
    is_fallback: bool = False  # Laplace noise, since what is left does not cover the best

    @property
    def loss(self) -> Loss:
        """What it costs those who are counted first."""
        return self.noise.loss(self.question.plan.sensitivity(self.unit))

    @property
    def version(self) -> str:
        """Of all tables that it touches, in whatever order they are named."""
        versions = sorted({table.name: table.version for table in self.tables}.items())
        return (
            versions[0][1]
            if len(versions) == 1
            else ", ".join(f"{name} {version}" for name, version in versions)
        )

    @property
    def charged_parts(self) -> TableParts | None:
        """The table and the parts of it that are charged; None where it is all of them."""
        return find_charged_parts(self.question.plan, self.tables)

    @property
    def payers(self) -> tuple[ChargedPopulation, ...]:
        """The populations that pay, and their units."""
        first = ChargedPopulation(self.budget_rule.population, self.unit)
        if self.second_population is None:
            return (first,)
        rule, unit = self.second_population
        return first, ChargedPopulation(rule.population, unit)

    def with_stored_noise(self, stored: Sequence[Release]) -> PricedQuestion:
        """With the noise of the answer that it gets: what decided then is not what would decide
        at this epsilon.
        """
        return replace(self, noise=stored[0].noise)

    @property
    def notes(self) -> tuple[str, ...]:
        notes = (
            *list_caveats(self.question, self.noise),
            *((_FALLBACK_NOTE,) if self.is_fallback else ()),
        )
        return (
            notes
            if self.second_population is None
            else list_caveats_for_both(self.question, notes, [payer.name for payer in self.payers])
        )


def calibrate_question(
    question: Question, unit: Unit, epsilon: Fraction, delta: Fraction | None, law: NoiseKind
) -> tuple[Question, ReleaseNoise]:
    """The question with the measures that its noise takes, and that noise."""
    plan = plan_measures(question.plan, unit, epsilon=epsilon, delta=delta, kind=law)
    names = [key.text for key in question.keys]
    plan, noise = calibrate_refined_noise(
        plan, unit, epsilon=epsilon, delta=delta, kind=law, names=names
    )
    return question.with_plan(plan), noise


def covers_only_first(plain: Loss, best: Loss, budget: Budget, at: TableParts | None) -> bool:
    """Whether the budget covers the first of two losses, and not the second."""
    return not budget.covers(best, at) and budget.covers(plain, at)


def is_answered(priced: PricedQuestion, stored: Sequence[Release]) -> bool:
    """Whether the ledger has an answer for no less than is asked for."""
    return any(read_asked_epsilon(release) >= priced.asked_epsilon for release in stored)


def find_charged_parts(plan: Aggregate, tables: Sequence[TableRule]) -> TableParts | None:
    """The table and the parts of it that are charged; None where it is all of them."""
    found = find_touched_parts(plan, tables[0]) if len(tables) == 1 else None
    return None if found is None else TableParts(tables[0].name, found)
