"""A table of the policy as a source of rows."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Table
from hedgerow.plan.values import Range
from hedgerow.sql.catalog import UNIT, Catalog, TableEntry, nearest
from hedgerow.sql.quoting import quoted
from hedgerow.sql.scope import Scope, Visible
from hedgerow.sql.text import Text

__all__ = ["read_table"]


def read_table(text: Text, table: exp.Table, catalog: Catalog) -> Scope:
    """The table of that name, with its columns under its alias."""
    found = catalog.table(table.name)
    if found is None:
        close = nearest(table.name, catalog.tables)
        listed = ", ".join(catalog.tables) or "none"
        instead = f"Did you mean {quoted(close)}?" if close else f"The tables are {listed}."
        raise text.refusal(Unsupported, f"There is no table {table.name[:60]}", table, instead)
    name, entry = found
    alias = table.alias or name
    columns = (*_unit(alias, entry), *_columns(alias, name, entry, catalog))
    protected = () if entry.schema.unit is None else ((name, entry),)
    return Scope(text, Table(entry.schema), columns, ((alias, name),), protected, unique=entry.unique)


def _unit(alias: str, entry: TableEntry) -> tuple[Visible, ...]:
    """The id stands in no list of columns that questions use, declared or not."""
    schema = entry.schema
    if schema.link is not None:
        held = schema.link.column
        return (_id(alias, held, entry),) if entry.whose(held) == UNIT else ()
    return () if schema.unit is None or schema.unit == "row" else (_id(alias, schema.unit, entry),)


def _id(alias: str, name: str, entry: TableEntry) -> Visible:
    declared, known = entry.schema.column(name), entry.schema.id
    return Visible(alias, name if declared is None else declared.name, "", Range("text") if known is None else known.range, UNIT)


def _columns(alias: str, table: str, entry: TableEntry, catalog: Catalog) -> tuple[Visible, ...]:
    return tuple(
        Visible(alias, column.name, column.name, column.range, catalog.whose(entry, column.name), (table, column))
        for column in entry.columns
        if not entry.is_unit(column.name)
    )
