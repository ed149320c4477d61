"""The tables that a question may name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import whole
from hedgerow.plan.schema import Column, Schema

__all__ = ["UNIT", "Catalog", "TableEntry", "Whose", "nearest"]

Whose = tuple[str, str]  # the table and its key whose value says to whom a row belongs
UNIT: Final[Whose] = ("", "")  # the id itself


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table, the columns that nobody may ask for, and how much of each unit counts: the policy's caps.

    Keys with at most ``domain_limit`` known values come back complete. ``unique`` lists the declared keys of a public table: columns
    that together have no value twice. Tables of one ``population`` are about the same people.
    """

    schema: Schema
    hidden: frozenset[str] = frozenset()
    max_groups: int = 1
    max_rows_per_group: int = 1
    domain_limit: int = 1000
    unique: tuple[tuple[str, ...], ...] = ()
    population: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", frozenset(name.casefold() for name in self.hidden))
        for name in ("max_groups", "max_rows_per_group", "domain_limit"):
            object.__setattr__(self, name, whole(getattr(self, name), name))
        if self.schema.unit == "row" and (self.max_groups, self.max_rows_per_group) != (1, 1):
            raise InvalidArgument("max_groups", "must be 1, like max_rows_per_group, where every row is a unit of its own", self.max_groups)
        for name in (name for key in self.unique for name in key):
            if self.schema.column(name) is None:
                raise InvalidArgument("unique", f"must be columns of {self.schema.table}", name)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that may be asked for."""
        return tuple(column for column in self.schema.columns if column.name.casefold() not in self.hidden)

    def column(self, name: str) -> Column | None:
        """The column of that name, in whatever case; None also where it is hidden."""
        return None if name.casefold() in self.hidden else self.schema.column(name)

    def is_unit(self, name: str) -> bool:
        """Whether this names the column that says whose row it is."""
        return self.whose(name) == UNIT

    def whose(self, name: str) -> Whose | None:
        """What this column says about whose row it is: UNIT where it holds the id, or the table and the key that lead there."""
        schema = self.schema
        if schema.unit in (None, "row"):
            return None
        if schema.link is None:
            return UNIT if name.casefold() == str(schema.unit).casefold() else None
        link = schema.link
        if name.casefold() != link.column.casefold():
            return None
        held = link.parent.link is None and link.key.casefold() == str(link.parent.unit).casefold()
        return UNIT if held else (link.parent.table.casefold(), link.key.casefold())


@dataclass(frozen=True, slots=True)
class Catalog:
    """Tables by name; upper and lower case do not differ."""

    tables: Mapping[str, TableEntry]

    def __post_init__(self) -> None:
        if len({name.casefold() for name in self.tables}) != len(self.tables):
            raise InvalidArgument("tables", "must differ in more than upper and lower case", sorted(self.tables))

    def table(self, name: str) -> tuple[str, TableEntry] | None:
        """The name as the policy spells it, and the entry."""
        return next(((known, entry) for known, entry in self.tables.items() if known.casefold() == name.casefold()), None)

    def whose(self, entry: TableEntry, name: str) -> Whose | None:
        """As ``TableEntry.whose``; also the key of a table to which others are linked."""
        found = entry.whose(name)
        key = (entry.schema.table.casefold(), name.casefold())
        linked = (other.schema.link for other in self.tables.values() if other.schema.link is not None)
        leads = any((link.parent.table.casefold(), link.key.casefold()) == key for link in linked)
        return found if found is not None or not leads or entry.schema.unit in (None, "row") else key


def nearest(name: str, among: Iterable[str]) -> str | None:
    """The most similar name, if one is similar."""
    names = {known.casefold(): known for known in among}
    found = get_close_matches(name[:100].casefold(), names, n=1, cutoff=0.6)
    return names[found[0]] if found else None
