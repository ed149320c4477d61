"""Scopes: the rows that a query or a part of it reads, and the names of their columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from sqlglot import exp

from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.nodes import Filter, RelationNode
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Range
from hedgerow.sql.binder.typed_expression import TypedExpression, build_constant
from hedgerow.sql.catalog import (
    PRIVACY_ID,
    OwnerKey,
    TableEntry,
    UnitPart,
    find_closest_name,
)
from hedgerow.sql.syntax.quoting import quote_name, quote_text
from hedgerow.sql.syntax.source_text import SourceText

__all__ = [
    "MAX_SOURCES",
    "MAX_WORK",
    "UNIT_NAME",
    "ColumnReference",
    "Scope",
    "build_complexity_error",
]

MAX_SOURCES: Final = 50
MAX_WORK: Final = 50_000
UNIT_NAME: Final = "\0unit"  # the privacy id of any rows; no statement can name it
_DOMAIN_LIMIT: Final = 1000


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """A column that may be named: ``alias.name`` in SQL, ``plan_column`` in the plan.

    ``owner`` is set if the value identifies the owner of a row: the privacy id (not a column of the
    plan), a part of it (a column of the plan only if its values or bounds are declared), a declared
    foreign key, or the key it references. ``may_be_missing`` marks a
    privacy id that a LEFT JOIN may leave NULL. The ``plan_column`` of an id is empty or, where
    an outer join may leave it NULL, an indicator, which is NULL where the id is and otherwise 1.
    ``is_merged`` marks the right-hand column of USING, which only its alias reaches. ``origin`` is
    the declaration in the policy; ``size`` and ``work`` are as in ``TypedExpression``.
    """

    alias: str
    name: str
    plan_column: str
    range: Range
    owner: OwnerKey | None = None
    origin: tuple[str, Column] | None = None
    is_merged: bool = False
    may_be_missing: bool = False
    size: int = 1
    work: int = 1

    @property
    def is_privacy_id(self) -> bool:
        """True for the privacy id and for bare parts of it, which no expression may read."""
        is_bare_part = isinstance(self.owner, UnitPart) and not self.plan_column
        return self.owner == PRIVACY_ID or is_bare_part or self.may_be_missing

    @property
    def role(self) -> str:
        """The role of an id column in messages."""
        return "part of the privacy id" if isinstance(self.owner, UnitPart) else "the privacy id"

    @property
    def presence(self) -> TypedExpression:
        """An expression that is NULL where the column is; of a privacy id, never its value."""
        known = self.is_privacy_id and not self.plan_column
        return build_constant(1, "integer") if known else self.value

    @property
    def value(self) -> TypedExpression:
        """The column as an expression."""
        return TypedExpression(ColumnRef(self.plan_column), self.range, self.size, self.work)


@dataclass(frozen=True, slots=True)
class Scope:
    """The rows of FROM and WHERE, and their columns.

    ``sources`` are pairs of alias and name, for messages; ``tables`` are the protected ones.
    ``key_within_unit`` are plan columns of which each unit has every value at most once (None if
    unknown). ``source_count`` counts tables and per-unit aggregations, ``work`` the cost of the
    normal form. ``unique`` are the declared keys of a public table. ``capping_tables`` are the
    tables whose caps apply (None for all). ``extended_aliases`` are the sources that are NULL in
    rows which an outer join with a public table would add.
    """

    text: SourceText
    rows: RelationNode
    columns: tuple[ColumnReference, ...]
    sources: tuple[tuple[str, str], ...]
    tables: tuple[tuple[str, TableEntry], ...]
    key_within_unit: frozenset[str] | None = None
    source_count: int = 1
    work: int = 0
    unique: tuple[tuple[str, ...], ...] = ()
    capping_tables: frozenset[str] | None = None
    extended_aliases: frozenset[str] = frozenset()

    @property
    def ranges(self) -> dict[str, Range]:
        """The range of each column of the plan."""
        return {
            visible.plan_column: visible.range for visible in self.columns if visible.plan_column
        }

    @property
    def max_groups(self) -> int:
        """The largest group cap of the tables of the first population."""
        return max((entry.max_groups for entry in self._list_capping_entries()), default=1)

    @property
    def max_rows(self) -> int:
        """The largest row cap of the same tables."""
        return max((entry.max_rows_per_group for entry in self._list_capping_entries()), default=1)

    @property
    def capping_table_names(self) -> frozenset[str]:
        """The names of the tables whose caps apply."""
        return (
            frozenset(name for name, _ in self.tables)
            if self.capping_tables is None
            else self.capping_tables
        )

    def _list_capping_entries(self) -> Iterator[TableEntry]:
        names = self.capping_table_names
        return (
            entry
            for name, entry in self.tables
            if entry.population == self.population and name in names and self.rows.unit != "row"
        )

    @property
    def domain_limit(self) -> int:
        """The largest number of values of a key that are listed."""
        return min((entry.domain_limit for _, entry in self.tables), default=_DOMAIN_LIMIT)

    @property
    def population(self) -> str | None:
        """The population of the rows; None if all tables are public."""
        return self.tables[0][1].population if self.tables else None

    def with_alias(self, alias: str, label: str = "") -> Scope:
        """Return the scope as one source of another, under a single alias."""
        columns = tuple(
            replace(visible, alias=alias, is_merged=False)
            for visible in self.columns
            if not visible.is_merged
        )
        return replace(self, columns=columns, sources=((alias, label or alias or "the subquery"),))

    def restrict_to(self, aliases: set[str]) -> Scope:
        """Return the scope with the columns of these aliases only."""
        columns = tuple(visible for visible in self.columns if visible.alias.casefold() in aliases)
        return replace(
            self,
            columns=columns,
            sources=tuple(source for source in self.sources if source[0].casefold() in aliases),
        )

    def filter_rows(self, condition: TypedExpression | None) -> Scope:
        """Return the scope with the rows that meet a condition."""
        if condition is None:
            return self
        return replace(
            self, rows=Filter(self.rows, condition.expression), work=self.work + condition.work
        )

    def check_limits(self) -> Scope:
        """Return the scope itself, unless it is too large."""
        if self.source_count > MAX_SOURCES:
            raise self.text.refusal(
                Unsupported,
                f"This question combines more than {MAX_SOURCES} tables and subqueries",
                None,
                "Ask several shorter questions.",
            )
        if self.work > MAX_WORK:
            raise build_complexity_error(self.text)
        return self

    def find_bare_column(self, node: exp.Expr) -> ColumnReference | None:
        """Return the column of a node that is a column and nothing else."""
        inner = node.unnest()
        is_name = type(inner) is exp.Column and isinstance(inner.this, exp.Identifier)
        return self.find_column(inner) if is_name else None  # type: ignore[arg-type]

    def find_column(self, node: exp.Column) -> ColumnReference | None:
        """Return the column of this name, if there is one; refuse an ambiguous name."""
        self.check_qualifier(node)
        found = list(self._match_columns(node))
        if not found and node.name == UNIT_NAME and self.rows.unit not in (None, "row"):
            return ColumnReference("", UNIT_NAME, "", Range("text"), PRIVACY_ID)
        if len(found) > 1:
            written = " or ".join(
                f"{quote_name(visible.alias)}.{quote_name(visible.name)}"
                for visible in found
                if visible.alias
            )
            fix = (
                f"Write {written}."
                if len({visible.alias for visible in found}) > 1
                else "Give the columns different names."
            )
            raise self.text.refusal(
                Unsupported,
                f"{node.name[:60]} is ambiguous: several columns have this name",
                node,
                fix,
            )
        return found[0] if found else None

    def _match_columns(self, node: exp.Column) -> Iterator[ColumnReference]:
        table = node.args.get("table")
        for visible in self.columns:
            if visible.name.casefold() == node.name.casefold():
                here = (
                    not visible.is_merged
                    if table is None
                    else visible.alias.casefold() == table.name.casefold()
                )
                if here:
                    yield visible

    def resolve_column(self, node: exp.Column, *suggestions: str) -> ColumnReference:
        """Return the column of this name; refuse unknown and hidden names alike.

        ``suggestions`` are further names to suggest.
        """
        found = self.find_column(node)
        if found is None:
            raise self.build_unknown_column_error(node, *suggestions)
        return found

    def check_qualifier(self, node: exp.Column) -> None:
        """Refuse t.x if t is not a source."""
        table = node.args.get("table")
        aliases = [alias for alias, _ in self.sources]
        if table is None or table.name.casefold() in {alias.casefold() for alias in aliases}:
            return
        is_single = len(aliases) == 1
        problem = f"{table.name[:60]} is not a table of this question"
        known = [alias for alias in aliases if alias]
        fix = (
            f"Write {quote_name(known[0])}.{quote_name(node.name[:60])}, or the column alone."
            if is_single and known
            else f"The tables are {', '.join(known)}."
        )
        raise self.text.refusal(
            Unsupported, problem, table, fix if known else "Write the column alone."
        )

    def build_unknown_column_error(self, node: exp.Column, *suggestions: str) -> Refused:
        """Return the refusal of a name that no column has."""
        name = node.name[:60]
        names = list(
            dict.fromkeys(visible.name for visible in self.columns if not visible.is_privacy_id)
        )
        ids = [
            visible.name
            for visible in self.columns
            if visible.is_privacy_id and not visible.may_be_missing
        ]
        close = find_closest_name(node.name, [*names, *ids, *suggestions])
        fix = (
            f"Did you mean {quote_name(close)}?"
            if close
            else f"The columns are {', '.join(map(quote_name, names))}."
            if names
            else _NO_COLUMNS
        )
        if _is_aggregate_alias(node):
            fix = f"Conditions on aggregates come last: HAVING {quote_name(name)} > 10."
        elif any(name in (visible.range.values or ()) for visible in self.columns):
            fix = f"Text takes single quotes: {quote_text(name)}."
        # In some databases double quotes delimit text.
        elif node.this.args.get("quoted"):
            fix = f"Text takes single quotes: {quote_text(name)}. {fix}"
        if name.strip(_CURLY_QUOTES) != name:  # pasted from a word processor
            fix = f"Text takes straight single quotes: {quote_text(name.strip(_CURLY_QUOTES))}."
        labels = [label for _, label in self.sources]
        who = (
            f"{' and '.join(labels)} {'has' if len(labels) == 1 else 'have'}"
            if len(labels) < 4
            else "The tables of this question have"
        )
        return self.text.refusal(Unsupported, f"{who} no column {name}", node, fix)

    def find_as_of(self, node: exp.Expr) -> date:
        """Return the moment that the policy declares as the present of the tables."""
        names = [name for name, _ in self.tables]
        found = {entry.as_of for _, entry in self.tables if entry.as_of is not None}
        if len(found) == 1:
            return found.pop()
        problem, fix = (
            "The present is not declared",
            "Write a fixed date, such as DATE '2026-01-31'",
        )
        if found:
            problem = f"{' and '.join(names)} have different presents (as_of)"
        elif names:
            fix += f"; or declare one in the policy, under [tables.{names[0]}]: as_of = 2026-01-31"
        raise self.text.refusal(Unsupported, problem, node, f"{fix}.")

    def find_same_column(self, column: ColumnReference) -> ColumnReference:
        """Return the visible column of the alias and name of a source's column."""
        name = column.alias, column.name
        return next(visible for visible in self.columns if (visible.alias, visible.name) == name)

    def list_id_parts(self, column: ColumnReference) -> list[ColumnReference]:
        """Return all parts of a composite id by one of them; any other column alone."""
        if not isinstance(column.owner, UnitPart):
            return [column]
        parts = {
            each.owner.place: each
            for each in self.columns
            if isinstance(each.owner, UnitPart) and each.alias == column.alias
        }
        return [parts[place] for place in sorted(parts)]

    def find_plan_column(self, column: str) -> ColumnReference | None:
        """Return the visible column of a column of the plan."""
        return next((visible for visible in self.columns if visible.plan_column == column), None)


def build_complexity_error(text: SourceText) -> Refused:
    """Return the refusal of a question whose normal form would take too long."""
    fix = "Simplify the expressions, or ask for their parts separately."
    return text.refusal(Unsupported, "This question is too complex", None, fix)


_CURLY_QUOTES: Final = "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"
_NO_COLUMNS: Final = "Use COUNT(*): all its columns are hidden."


def _is_aggregate_alias(node: exp.Column) -> bool:
    """Return whether WHERE reads an aggregate by its alias, which there is none of yet."""
    where, select = node.find_ancestor(exp.Where), node.find_ancestor(exp.Select)
    return (
        where is not None
        and select is not None
        and where.parent is select
        and any(
            isinstance(item, exp.Alias)
            and item.alias.casefold() == node.name.casefold()
            and item.find(exp.AggFunc) is not None
            for item in select.expressions
        )
    )
