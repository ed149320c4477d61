"""The populations that pay for a question, from the tables that it reads."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.answers.unit_noun import UnitNoun, name_unit
from hedgerow.errors import Refused
from hedgerow.policy import BudgetRule, Policy, TableRule
from hedgerow.privacy.unit import Unit
from hedgerow.sql.question import Question

__all__ = ["Payer", "QuestionPayers", "find_payers"]


@dataclass(frozen=True, slots=True)
class Payer:
    """A population that pays for a question: its budget rule and its privacy unit."""

    budget_rule: BudgetRule
    unit: Unit

    @property
    def population(self) -> str:
        """The name of the population."""
        return self.budget_rule.population

    @property
    def noun(self) -> UnitNoun:
        """The noun for the units of the population."""
        return name_unit(self.population, self.unit)


@dataclass(frozen=True, slots=True)
class QuestionPayers:
    """The protected tables of a question and the populations that they are about: the first is the
    one of the first table, a second one is joined to it."""

    tables: tuple[TableRule, ...]
    first: Payer
    second: Payer | None = None

    @property
    def each(self) -> tuple[Payer, ...]:
        """The one or two payers."""
        return (self.first,) if self.second is None else (self.first, self.second)


def find_payers(policy: Policy, question: Question) -> QuestionPayers:
    """Return the payers of a question; refuse one that reads no protected table."""
    tables: list[TableRule] = []
    payers: dict[str, Payer] = {}
    for name in question.tables:
        table = policy.table(name)
        if table is None or table.population is None or table.privacy_unit is None:
            continue
        tables.append(table)
        if table.population not in payers:
            payers[table.population] = Payer(policy.budget(table.population), table.privacy_unit)
    if not tables:
        raise Refused(
            "This question reads no protected table. Ask about a table that has a unit in the"
            " policy."
        )
    return QuestionPayers(tuple(tables), *list(payers.values())[:2])
