"""The sections of a policy as frozen records, with every default filled in.

A record alone guarantees nothing: the bounds of a column need the unit of its table and the budget
of its population. So records are checked together, as one ``Policy``, by the rules of checks.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final, Literal

from hedgerow.plan.composite_ids import list_id_columns
from hedgerow.policy.declared_values import GRANULARITIES, Granularity, Value
from hedgerow.privacy.unit import Relation, Unit

__all__ = [
    "CAPS",
    "DEFAULT_POPULATION",
    "MAX_FAILURES",
    "AnalystRule",
    "BudgetRule",
    "Cap",
    "ColumnRule",
    "LinkRule",
    "Noise",
    "PartitionRule",
    "TableRule",
    "format_part_name",
]

Noise = Literal["laplace", "gaussian", "best"]
CAPS: Final = ("max_groups", "max_rows_per_group")
# "auto" has the cap found privately, when a question needs it. None: the cap is missing.
Cap = int | Literal["auto"] | None

DEFAULT_POPULATION = "people"
MAX_FAILURES = 20


@dataclass(frozen=True, slots=True)
class BudgetRule:
    """The budget of one population, and the limits of one query. ``clipping_epsilon`` pays once for
    each data version for a measurement of what caps cut off.
    """

    population: str
    epsilon: Fraction
    delta: Fraction | None
    default_epsilon: Fraction
    default_delta: Fraction | None
    max_epsilon_per_query: Fraction
    noise: Noise
    clipping_epsilon: Fraction | None = None


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """The public facts about a column: ``low`` and ``high`` clamp its values, ``step`` is their
    grid.

    ``grain`` is the granularity of the dates among ``values``: days, or months or years by their
    first day. ``max_length`` is what LENGTH of a longer text counts as;
    ``max_pieces`` is how many pieces of a text count when it is split.
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
    max_length: int | None = None
    max_pieces: int | None = None


@dataclass(frozen=True, slots=True)
class PartitionRule:
    """A partition of a table by the values of a column, and the number of parts that one unit may
    be in.
    """

    column: str
    max_parts_per_unit: int


@dataclass(frozen=True, slots=True)
class LinkRule:
    """A foreign key on the way to the unit: a row has the owner of the row in ``table`` whose
    ``key`` equals its ``column``.
    """

    column: str
    table: str
    key: str


@dataclass(frozen=True, slots=True)
class TableRule:
    """A source, its unit, and the bounds on one unit's rows. A public table protects nobody: its
    unit is None.

    ``links`` are the foreign keys to the unit, nearest first; ``unit`` is then the id column of the
    last table. ``unique`` has the keys of a public table, each a tuple of columns that no two rows
    share. With ``auto_bounds``, undeclared bounds and caps are found privately when a query needs
    them, and charged. ``as_of`` is the present of the data: a date or timestamp. ``multiline``
    allows line breaks in quoted values of a .csv file. Of rows that meet rows of other units in a
    join, ``max_join_rows_per_unit`` and ``max_join_rows_per_key`` count.
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
    max_groups: Cap = None
    max_rows_per_group: Cap = None
    columns: tuple[ColumnRule, ...] = ()
    partition: PartitionRule | None = None
    links: tuple[LinkRule, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    auto_bounds: bool = False
    multiline: bool = False
    as_of: date | None = None
    max_join_rows_per_unit: int | None = None
    max_join_rows_per_key: int | None = None

    def cap(self, name: str) -> Cap:
        """Return a cap: declared, "auto" where it is found privately, None where it is missing."""
        value: Cap = getattr(self, name)
        return "auto" if value is None and self.auto_bounds else value

    @property
    def link(self) -> LinkRule | None:
        """The first foreign key to the unit; None where the id column is in this table, or there is
        none.
        """
        return self.links[0] if self.links else None

    @property
    def unit_columns(self) -> tuple[str, ...]:
        """The columns that identify a unit, in this table or where its foreign keys lead; "row"
        alone if every row is a unit, and none if the table is public.
        """
        return () if self.unit is None else list_id_columns(self.unit)

    @property
    def unit_text(self) -> str | None:
        """The unit in one text: an id column, (several, columns), "row", or a chain of foreign
        keys.
        """
        if not self.links:
            return self.unit
        following = [*(step.column for step in self.links[1:]), self.unit]
        return self.links[0].column + "".join(
            f" -> {step.table}.{step.key}, {step.table}.{column}"
            for step, column in zip(self.links, following, strict=True)
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts, in the order of the declared values; empty without a
        partition.
        """
        column = None if self.partition is None else self.column(self.partition.column)
        return (
            ()
            if column is None
            else tuple(format_part_name(value, column.grain) for value in column.values or ())
        )

    @property
    def privacy_unit(self) -> Unit | None:
        """The unit and neighbouring relation as used by the rest of the library; None for a public
        table.
        """
        return (
            None
            if self.unit is None or self.neighbours is None
            else Unit(self.neighbours, self.unit)
        )

    def column(self, name: str) -> ColumnRule | None:
        """Return the rule of a column, ignoring case; None when it is not declared."""
        wanted = name.casefold()
        return next((column for column in self.columns if column.name.casefold() == wanted), None)


@dataclass(frozen=True, slots=True)
class AnalystRule:
    """An analyst: the sum of the epsilons that they may spend, in all and on one day (UTC), and the
    tables that they may ask about. None: no quota, or all tables.
    """

    name: str
    max_epsilon: Fraction | None = None
    max_epsilon_per_day: Fraction | None = None
    tables: tuple[str, ...] | None = None


def format_part_name(value: Value, grain: Granularity = "day") -> str:
    """Format the name of a part in the ledger: its value as text, dates at their granularity
    ("2026-01").
    """
    if isinstance(value, date):
        return value.isoformat()[: GRANULARITIES[grain]]
    return str(value).lower() if isinstance(value, bool) else str(value)
