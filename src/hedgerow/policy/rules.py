"""The lines of a policy as frozen records, with every default filled in.

A record alone promises nothing: bounds of a column mean something only under the unit of its table and the budget of its
population. So the records are checked together, as one ``Policy`` (policy.py), by the rules of checks.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hedgerow.policy.values import Grain, Value
from hedgerow.privacy.unit import Relation, Unit

__all__ = ["DEFAULT_POPULATION", "MAX_FAILURES", "AnalystRule", "BudgetRule", "ColumnRule", "Noise", "PartitionRule", "TableRule"]

Noise = Literal["laplace", "gaussian"]

DEFAULT_POPULATION = "people"
MAX_FAILURES = 20


@dataclass(frozen=True, slots=True)
class BudgetRule:
    """What one population may lose in all, and what one question may ask for."""

    population: str
    epsilon: Fraction
    delta: Fraction | None
    default_epsilon: Fraction
    default_delta: Fraction | None
    max_epsilon_per_query: Fraction
    noise: Noise


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What is public about a column. ``low`` and ``high`` clamp its values, ``step`` is the grid they are snapped to.

    ``grain`` says what the dates among ``values`` stand for: days, or months or years by their first day.
    """

    name: str
    type: str | None = None
    low: Fraction | None = None
    high: Fraction | None = None
    step: Fraction | None = None
    values: tuple[Value, ...] | None = None
    nullable: bool = True
    hidden: bool = False
    grain: Grain = "day"


@dataclass(frozen=True, slots=True)
class PartitionRule:
    """Disjoint parts of a table by the values of a column, and how many of them one unit may be in."""

    column: str
    max_parts_per_unit: int


@dataclass(frozen=True, slots=True)
class TableRule:
    """A source, whom it is about, and how much of it one unit may own. A public table protects nobody: its unit is None."""

    name: str
    source: str
    public: bool = False
    unit: str | None = None
    neighbours: Relation | None = None
    population: str | None = None
    version: str = "1"
    max_units: int | None = None
    max_rows: int | None = None
    max_groups: int | None = None
    max_rows_per_group: int | None = None
    columns: tuple[ColumnRule, ...] = ()
    partition: PartitionRule | None = None

    @property
    def protects(self) -> Unit | None:
        """The unit and the relation as the rest of the library knows them; None for a public table."""
        return None if self.unit is None or self.neighbours is None else Unit(self.neighbours, self.unit)

    def column(self, name: str) -> ColumnRule | None:
        """The rule of a column, whatever the case of its name; None when nothing was declared."""
        wanted = name.casefold()
        return next((column for column in self.columns if column.name.casefold() == wanted), None)


@dataclass(frozen=True, slots=True)
class AnalystRule:
    """A quota inside the one budget: the sum of the epsilons that this analyst may ask for. None: no quota."""

    name: str
    max_epsilon: Fraction | None = None
