"""The tables that a question may name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import whole
from hedgerow.plan.schema import Column, Schema

__all__ = ["Catalog", "TableEntry", "nearest"]


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table, the columns that nobody may ask for, and how much of each unit counts: the policy's caps.

    Keys with at most ``domain_limit`` known values come back complete.
    """

    schema: Schema
    hidden: frozenset[str] = frozenset()
    max_groups: int = 1
    max_rows_per_group: int = 1
    domain_limit: int = 1000

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", frozenset(name.casefold() for name in self.hidden))
        for name in ("max_groups", "max_rows_per_group", "domain_limit"):
            object.__setattr__(self, name, whole(getattr(self, name), name))
        if self.schema.unit == "row" and (self.max_groups, self.max_rows_per_group) != (1, 1):
            raise InvalidArgument("max_groups", "must be 1, like max_rows_per_group, where every row is a unit of its own", self.max_groups)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that may be asked for."""
        return tuple(column for column in self.schema.columns if column.name.casefold() not in self.hidden)

    def column(self, name: str) -> Column | None:
        """The column of that name, in whatever case; None also where it is hidden."""
        return None if name.casefold() in self.hidden else self.schema.column(name)

    def is_unit(self, name: str) -> bool:
        """Whether this names the column that says whose row it is."""
        return self.schema.unit not in (None, "row") and name.casefold() == str(self.schema.unit).casefold()


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


def nearest(name: str, among: Iterable[str]) -> str | None:
    """The most similar name, if one is similar."""
    names = {known.casefold(): known for known in among}
    found = get_close_matches(name[:100].casefold(), names, n=1, cutoff=0.6)
    return names[found[0]] if found else None
