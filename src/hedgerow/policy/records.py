"""The lines of a policy as frozen records, with every default filled in.

A record alone promises nothing: bounds of a column mean something only under the unit of its table
and the budget of its population. So the records are checked together, as one ``Policy``
(policy.py), by the rules of checks.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Literal

from hedgerow.policy.declared_values import GRANULARITIES, Granularity, Value
from hedgerow.privacy.unit import Relation, Unit

__all__ = [
    "DEFAULT_POPULATION",
    "MAX_FAILURES",
    "AnalystRule",
    "BudgetRule",
    "ColumnRule",
    "LinkRule",
    "Noise",
    "PartitionRule",
    "TableRule",
    "format_part_name",
]

Noise = Literal["laplace", "gaussian", "best"]

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
    """What is public about a column. ``low`` and ``high`` clamp its values, ``step`` is the grid
    they are snapped to.

    ``grain`` says what the dates among ``values`` stand for: days, or months or years by their
    first day.
    """

    name: str
    type: str | None = None
    low: Fraction | None = None
    high: Fraction | None = None
    step: Fraction | None = None
    values: tuple[Value, ...] | None = None
    nullable: bool = True
    hidden: bool = False
    grain: Granularity = "day"


@dataclass(frozen=True, slots=True)
class PartitionRule:
    """Disjoint parts of a table by the values of a column, and how many of them one unit may be
    in.
    """

    column: str
    max_parts_per_unit: int


@dataclass(frozen=True, slots=True)
class LinkRule:
    """One step on the way to the unit: a row belongs to whom the row of ``table`` belongs to
    whose ``key`` is what ``column`` holds.
    """

    column: str
    table: str
    key: str


@dataclass(frozen=True, slots=True)
class TableRule:
    """A source, whom it is about, and how much of it one unit may own. A public table protects
    nobody: its unit is None.

    ``links`` is the way to the unit through other tables, nearest first; ``unit`` is then the id
    column of the last of them. ``unique`` has the keys of a public table, each a tuple of columns
    that no two rows of it share. With ``auto_bounds``, those of numeric columns that are not
    declared are found privately when a question needs them, and paid for. ``multiline`` lets quoted
    values of a .csv file hold line breaks.
    """

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
    links: tuple[LinkRule, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    auto_bounds: bool = False
    multiline: bool = False

    @property
    def link(self) -> LinkRule | None:
        """The first step to the unit; None where the id column is here, or there is none."""
        return self.links[0] if self.links else None

    @property
    def unit_text(self) -> str | None:
        """The unit as a policy writes it: an id column, "row", or a chain of foreign keys."""
        if not self.links:
            return self.unit
        ends = [
            *(
                f"{step.table}.{after.column}"
                for step, after in zip(self.links, self.links[1:], strict=False)
            )
        ]
        ends.append(f"{self.links[-1].table}.{self.unit}")
        return self.links[0].column + "".join(
            f" -> {step.table}.{step.key}, {end}"
            for step, end in zip(self.links, ends, strict=True)
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts, in the order of the declared values; none without a partition."""
        column = None if self.partition is None else self.column(self.partition.column)
        return (
            ()
            if column is None
            else tuple(format_part_name(value, column.grain) for value in column.values or ())
        )

    @property
    def privacy_unit(self) -> Unit | None:
        """The unit and the relation as the rest of the library knows them; None for a public
        table.
        """
        return (
            None
            if self.unit is None or self.neighbours is None
            else Unit(self.neighbours, self.unit)
        )

    def column(self, name: str) -> ColumnRule | None:
        """The rule of a column, whatever the case of its name; None when nothing was declared."""
        wanted = name.casefold()
        return next((column for column in self.columns if column.name.casefold() == wanted), None)


@dataclass(frozen=True, slots=True)
class AnalystRule:
    """A quota inside the one budget: the sum of the epsilons that this analyst may ask for.
    None: no quota.
    """

    name: str
    max_epsilon: Fraction | None = None


def format_part_name(value: Value, grain: Granularity = "day") -> str:
    """What the ledger calls the part of this value: the value as text, dates as they are written
    ("2026-01" for a month).
    """
    if isinstance(value, date):
        return value.isoformat()[: GRANULARITIES[grain]]
    return str(value).lower() if isinstance(value, bool) else str(value)
