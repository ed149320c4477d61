"""A table of the policy as a source of rows."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.composite_ids import list_id_columns
from hedgerow.plan.nodes import Table
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Range
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.catalog import (
    PRIVACY_ID,
    Catalog,
    TableEntry,
    UnitPart,
    find_closest_name,
)
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["scan_table"]


def scan_table(text: SourceText, table: exp.Table, catalog: Catalog) -> Scope:
    """Return the scope of a table, with its columns under its alias."""
    found = catalog.find_table(table.name)
    if found is None:
        close = find_closest_name(table.name, catalog.tables)
        listed = ", ".join(catalog.tables) or "none"
        fix = f"Did you mean {quote_name(close)}?" if close else f"The tables are {listed}."
        raise text.refusal(Unsupported, f"There is no table {table.name[:60]}", table, fix)
    name, entry = found
    alias = table.alias or name
    columns = (*_list_id_columns(alias, entry), *_list_columns(alias, name, entry, catalog))
    protected = () if entry.schema.unit is None else ((name, entry),)
    return Scope(
        text, Table(entry.schema), columns, ((alias, name),), protected, unique=entry.unique
    )


def _list_id_columns(alias: str, entry: TableEntry) -> tuple[ColumnReference, ...]:
    """Return the privacy id of a table, whether it is declared as a column or not."""
    schema = entry.schema
    if schema.link is not None:
        held = schema.link.column
        return (
            (_build_id_column(alias, held, entry),) if entry.find_owner(held) == PRIVACY_ID else ()
        )
    names = () if schema.unit in (None, "row") else list_id_columns(str(schema.unit))
    return tuple(
        _build_id_column(alias, name, entry) for name in names if entry.is_privacy_id(name)
    )


def _build_id_column(alias: str, name: str, entry: TableEntry) -> ColumnReference:
    declared, known = entry.schema.column(name), entry.schema.id_column
    owner = entry.find_owner(name)
    if isinstance(owner, UnitPart) and declared is not None:
        known = Column(declared.name, declared.type)
    return ColumnReference(
        alias,
        name if declared is None else declared.name,
        "",
        Range("text") if known is None else known.range,
        owner,
    )


def _list_columns(
    alias: str, table: str, entry: TableEntry, catalog: Catalog
) -> tuple[ColumnReference, ...]:
    return tuple(
        ColumnReference(
            alias,
            column.name,
            column.name,
            column.range,
            catalog.find_owner(entry, column.name),
            (table, _add_step(entry, column)),
        )
        for column in entry.columns
        if not entry.is_privacy_id(column.name)
    )


def _add_step(entry: TableEntry, column: Column) -> Column:
    """Return a public column of real numbers with the step of the values in its file, which keys
    are counted in. Sums are added up on the grid of its bounds."""
    step = entry.real_steps.get(column.name)
    return replace(column, step=step) if step is not None and column.step is None else column
