"""A question with its noise and its price: what decides whether it was answered before, and whether it can be paid for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.answers.noise import LawName, noise_in_parts, planned
from hedgerow.answers.notes import notes_for
from hedgerow.database.both import notes_for_both
from hedgerow.database.finding import asked_for
from hedgerow.database.parts import parts_of
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import BudgetRule, TableRule
from hedgerow.privacy.budget import At, Budget
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.unit import Unit
from hedgerow.release import Noise, Release
from hedgerow.sql.question import Question

__all__ = ["Priced", "answered", "noise_of", "only", "parts_read"]

_INSTEAD = "Laplace noise, though Gaussian noise would serve better: the delta that is left does not cover it."


@dataclass(frozen=True, slots=True)
class Priced:
    """A question with its noise and all that decides whether it was asked before."""

    question: Question
    tables: tuple[TableRule, ...]
    rule: BudgetRule
    unit: Unit
    epsilon: Fraction
    noise: Noise
    key: str
    asked: Fraction  # with what pays for bounds and caps that are found first
    others: tuple[BudgetRule, Unit] | None = None  # the second population, where two meet
    instead: bool = False  # Laplace noise, since what is left does not cover the best

    @property
    def loss(self) -> Loss:
        """What it costs those who are counted first."""
        return self.noise.loss(self.question.plan.sensitivity(self.unit))

    @property
    def version(self) -> str:
        """Of all tables that it touches, in whatever order they are named."""
        versions = sorted({table.name: table.version for table in self.tables}.items())
        return versions[0][1] if len(versions) == 1 else ", ".join(f"{name} {version}" for name, version in versions)

    @property
    def parts(self) -> tuple[str, tuple[str, ...]] | None:
        """The table and the parts of it that are charged; None where it is all of them."""
        return parts_read(self.question.plan, self.tables)

    @property
    def payers(self) -> tuple[tuple[str, Unit], ...]:
        """The populations that pay, and their units."""
        return ((self.rule.population, self.unit), *(() if self.others is None else ((self.others[0].population, self.others[1]),)))

    def as_answered(self, stored: Sequence[Release]) -> Priced:
        """With the noise of the answer that it gets: what decided then is not what would decide at this epsilon."""
        return replace(self, noise=stored[0].noise)

    @property
    def notes(self) -> tuple[str, ...]:
        notes = (*notes_for(self.question, self.noise), *((_INSTEAD,) if self.instead else ()))
        return notes if self.others is None else notes_for_both(self.question, notes, [name for name, _ in self.payers])


def noise_of(question: Question, unit: Unit, epsilon: Fraction, delta: Fraction | None, law: LawName) -> tuple[Question, Noise]:
    """The question with the measures that its noise takes, and that noise."""
    plan = planned(question.plan, unit, epsilon=epsilon, delta=delta, law=law)
    names = [key.text for key in question.keys]
    plan, noise = noise_in_parts(plan, unit, epsilon=epsilon, delta=delta, law=law, names=names)
    return question.on(plan), noise


def only(plain: Loss, best: Loss, budget: Budget, at: At | None) -> bool:
    """Whether the budget covers the first of two losses, and not the second."""
    return not budget.covers(best, at) and budget.covers(plain, at)


def answered(priced: Priced, stored: Sequence[Release]) -> bool:
    """Whether the ledger has an answer for no less than is asked for."""
    return any(asked_for(release) >= priced.asked for release in stored)


def parts_read(plan: Aggregate, tables: Sequence[TableRule]) -> tuple[str, tuple[str, ...]] | None:
    """The table and the parts of it that are charged; None where it is all of them."""
    found = parts_of(plan, tables[0]) if len(tables) == 1 else None
    return None if found is None else (tables[0].name, found)
