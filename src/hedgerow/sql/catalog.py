"""The catalog: tables that questions may use, with their columns and caps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument, Unbounded
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.plan.composite_ids import list_id_columns
from hedgerow.plan.measures import Truncation
from hedgerow.plan.schema import Column, Schema

__all__ = [
    "CAPS",
    "PRIVACY_ID",
    "Catalog",
    "ColumnName",
    "OwnerKey",
    "TableCaps",
    "TableEntry",
    "UndeclaredBounds",
    "UnitPart",
    "find_closest_name",
    "has_whole_id",
]


@dataclass(frozen=True, slots=True)
class UnitPart:
    """A part of a composite privacy id, by its place among all of them."""

    place: int
    count: int


# A table and its key, which identifies the owner of a row; or a part of the owner's id.
OwnerKey = tuple[str, str] | UnitPart
PRIVACY_ID: Final[OwnerKey] = ("", "")  # the id itself
CAPS: Final = ("max_groups", "max_rows_per_group")
# By table: the group cap and the row cap.
TableCaps = Mapping[str, tuple[int, int]]
ColumnName = tuple[str, str]  # table and column, as the policy spells them


class UndeclaredBounds(Unbounded):
    """Bounds of ``columns`` are missing, and the policy lets them be found."""

    def __init__(self, message: str, columns: Iterable[ColumnName]) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table with its hidden columns and the caps of the policy.

    Keys with at most ``domain_limit`` known values are returned with all groups. ``unique`` lists
    the declared keys of a public table. Tables of one ``population`` are about the same units. With
    ``auto_bounds``, undeclared bounds of numbers may be found. ``undeclared_caps`` are 1 until they
    are known; those that may not be found are also in ``missing_caps``. ``as_of`` is what
    CURRENT_DATE and CURRENT_TIMESTAMP mean. ``join_caps`` are those of joins with rows of other
    units, if such joins are allowed.
    """

    schema: Schema
    hidden: frozenset[str] = frozenset()
    max_groups: int = 1
    max_rows_per_group: int = 1
    domain_limit: int = 1000
    unique: tuple[tuple[str, ...], ...] = ()
    population: str = ""
    auto_bounds: bool = False
    undeclared_caps: tuple[str, ...] = ()
    missing_caps: tuple[str, ...] = ()
    as_of: date | None = None
    join_caps: Truncation | None = None
    in_frame: bool = False  # its declarations are arguments of protect
    max_lengths: Mapping[str, int] = field(default_factory=dict)  # of columns of text
    max_pieces: Mapping[str, int] = field(default_factory=dict)  # of lists written as text
    real_steps: Mapping[str, Fraction] = field(default_factory=dict)  # of public columns

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", frozenset(name.casefold() for name in self.hidden))
        for name in ("max_groups", "max_rows_per_group", "domain_limit"):
            object.__setattr__(self, name, parse_whole(getattr(self, name), name))
        if self.schema.unit == "row" and (self.max_groups, self.max_rows_per_group) != (1, 1):
            raise InvalidArgument(
                "max_groups",
                (
                    "must be 1, like max_rows_per_group, because every row of this table is"
                    " its own unit"
                ),
                self.max_groups,
            )
        for name in (name for key in self.unique for name in key):
            if self.schema.column(name) is None:
                raise InvalidArgument("unique", f"must name columns of {self.schema.table}", name)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that questions may use."""
        return tuple(
            column for column in self.schema.columns if column.name.casefold() not in self.hidden
        )

    def find_column(self, name: str) -> Column | None:
        """Return the column of this name, in any case; None if it is hidden."""
        return None if name.casefold() in self.hidden else self.schema.column(name)

    def can_find_bounds(self, column: Column) -> bool:
        """Return whether the bounds of a column are undeclared but may be found."""
        return (
            self.auto_bounds and column.type in ("integer", "real") and not column.range.is_bounded
        )

    def with_bounds(self, bounds: Mapping[str, tuple[Fraction, Fraction]]) -> TableEntry:
        """Return the table with these bounds of some columns.

        Tables that reference this one keep their keys as they are.
        """
        columns = tuple(
            (
                column
                if column.name not in bounds
                else replace(column, low=bounds[column.name][0], high=bounds[column.name][1])
            )
            for column in self.schema.columns
        )
        return replace(self, schema=replace(self.schema, columns=columns)) if bounds else self

    def with_caps(self, groups: int, rows: int) -> TableEntry:
        """Return the table with these caps in place of undeclared ones."""
        given = dict(zip(CAPS, (groups, rows), strict=True))
        return replace(
            self,
            **{name: given[name] for name in self.undeclared_caps},  # type: ignore[arg-type]
        )

    def is_privacy_id(self, name: str) -> bool:
        """Return whether a column is the privacy id, or a part of it that questions cannot
        read: one without declared bounds or values.
        """
        owner, declared = self.find_owner(name), self.find_column(name)
        is_bare = declared is None or (declared.values, declared.low) == (None, None)
        return owner == PRIVACY_ID or (isinstance(owner, UnitPart) and is_bare)

    def find_owner(self, name: str) -> OwnerKey | None:
        """Return how a column identifies the owner of a row.

        The result is PRIVACY_ID or a part of it, or the table and key that lead to it, or None.
        """
        schema = self.schema
        if schema.unit in (None, "row"):
            return None
        if schema.link is None:
            parts = [part.casefold() for part in list_id_columns(str(schema.unit))]
            if name.casefold() not in parts:
                return None
            place = parts.index(name.casefold())
            return PRIVACY_ID if len(parts) == 1 else UnitPart(place, len(parts))
        link = schema.link
        if name.casefold() != link.column.casefold():
            return None
        held = link.parent.link is None and link.key.casefold() == str(link.parent.unit).casefold()
        return PRIVACY_ID if held else (link.parent.table.casefold(), link.key.casefold())


@dataclass(frozen=True, slots=True)
class Catalog:
    """Tables by name, in any case; ``database`` is a schema that they may be written with."""

    tables: Mapping[str, TableEntry]
    database: str = ""

    def __post_init__(self) -> None:
        if len({name.casefold() for name in self.tables}) != len(self.tables):
            raise InvalidArgument(
                "tables",
                "must have names that differ in more than upper and lower case",
                sorted(self.tables),
            )

    def find_table(self, name: str) -> tuple[str, TableEntry] | None:
        """Return a table and its name as the policy spells it."""
        return next(
            (
                (known, entry)
                for known, entry in self.tables.items()
                if known.casefold() == name.casefold()
            ),
            None,
        )

    def with_bounds(self, bounds: Mapping[ColumnName, tuple[Fraction, Fraction]]) -> Catalog:
        """Return the catalog with these bounds of some columns."""
        return Catalog(
            {
                name: entry.with_bounds(
                    {column: pair for (table, column), pair in bounds.items() if table == name}
                )
                for name, entry in self.tables.items()
            },
            self.database,
        )

    def with_caps(self, caps: TableCaps) -> Catalog:
        """Return the catalog with these caps in place of undeclared ones."""
        return Catalog(
            {
                name: entry.with_caps(*caps[name]) if name in caps else entry
                for name, entry in self.tables.items()
            },
            self.database,
        )

    def find_owner(self, entry: TableEntry, name: str) -> OwnerKey | None:
        """Return how a column identifies the owner, as ``TableEntry.find_owner``.

        Keys that other tables reference identify it too.
        """
        found = entry.find_owner(name)
        key = (entry.schema.table.casefold(), name.casefold())
        linked = (
            other.schema.link for other in self.tables.values() if other.schema.link is not None
        )
        leads = any((link.parent.table.casefold(), link.key.casefold()) == key for link in linked)
        return (
            found if found is not None or not leads or entry.schema.unit in (None, "row") else key
        )


def has_whole_id(owners: Iterable[OwnerKey | None]) -> bool:
    """Return whether columns identify one unit together: by its id, a key, or all parts."""
    found = {owner for owner in owners if owner is not None}
    parts = {owner for owner in found if isinstance(owner, UnitPart)}
    return bool(found - parts) or any(len(parts) == part.count for part in parts)


def find_closest_name(name: str, among: Iterable[str]) -> str | None:
    """Return the most similar name, if one is similar."""
    names = {known.casefold(): known for known in among}
    found = get_close_matches(name[:100].casefold(), names, n=1, cutoff=0.6)
    return names[found[0]] if found else None
