"""FROM: the one table that a question is about."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.sql.catalog import Catalog, nearest
from hedgerow.sql.readers import only
from hedgerow.sql.rule import Refusal
from hedgerow.sql.rules import BY_NODE
from hedgerow.sql.scope import Scope
from hedgerow.sql.text import Text

__all__ = ["read_source"]

_ONE = "Ask one table: SELECT … FROM table WHERE … GROUP BY …."


def read_source(text: Text, select: exp.Select, catalog: Catalog) -> Scope:
    """The table, by its name in the catalog and its alias."""
    source = select.args.get("from_")
    if source is None:
        raise text.refusal(Unsupported, "This asks no table", None, "Add FROM and the name of a table.")
    only(text, source, "this")
    table = source.this
    if type(table) is not exp.Table:
        rule = BY_NODE.get(type(table))
        what, instead = (rule.what, rule.instead) if isinstance(rule, Refusal) else ("This is no table", _ONE)
        raise text.refusal(Unsupported, what, table, instead)
    if not isinstance(table.this, exp.Identifier):
        raise text.refusal(Unsupported, "Functions that make tables are not read", table, _ONE)
    only(text, table, "this", "alias")
    alias = table.args.get("alias")
    if alias is not None:
        only(text, alias, "this")
    return _found(text, table, catalog)


def _found(text: Text, table: exp.Table, catalog: Catalog) -> Scope:
    found = catalog.table(table.name)
    if found is None:
        close = nearest(table.name, catalog.tables)
        listed = ", ".join(catalog.tables) or "none"
        instead = f"Did you mean {close}?" if close else f"The tables are {listed}."
        raise text.refusal(Unsupported, f"There is no table {table.name[:60]}", table, instead)
    name, entry = found
    if entry.schema.unit is None:
        what = f"{name} is public and protects nobody"
        raise text.refusal(Unsupported, what, table, "Public tables alone: read the file itself.")
    return Scope(text, name, table.alias or name, entry)
