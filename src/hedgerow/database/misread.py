"""What is wrong with a question about public tables that the engine does not take: found on empty tables with the same columns, so that
nothing it says can come from data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from hedgerow.engines.desk import Limits
from hedgerow.engines.dialect import DUCKDB
from hedgerow.engines.terms import null
from hedgerow.engines.writing import write
from hedgerow.errors import Refused, Unsupported
from hedgerow.sql import phrases
from hedgerow.sql.catalog import Catalog, TableEntry, nearest
from hedgerow.sql.phrases import Names
from hedgerow.sql.public import Public
from hedgerow.sql.quoting import quoted
from hedgerow.sql.text import Text

__all__ = ["check"]

_LIMITS: Final = Limits(threads=1, memory=2**28)
_UNKNOWN: Final = re.compile(r'(?:Referenced column|does not have a column named|Column) "(.+?)"(?: (?:not found|does not exist).*|$)')
_LOOSE: Final = re.compile(r'column "(.+?)" must appear in the GROUP BY')
_TWICE: Final = re.compile(r'Ambiguous reference to column name "(.+?)"')
_TYPES: Final = re.compile(r"No function matches the given name and argument types '(.+?)\((.*)\)'")
_WORDS: Final = {"VARCHAR": "text", "BIGINT": "whole numbers", "INTEGER": "whole numbers", "DOUBLE": "numbers", "BOOLEAN": "booleans"}


def check(asked: Public, catalog: Catalog) -> None:
    """Refuse what the engine would not begin with."""
    from hedgerow.engines.session import Session  # the engine itself, which else only the child process loads

    tables = {name: catalog.tables[name] for name in asked.tables}
    session = Session([], _LIMITS)
    try:
        for number, entry in enumerate(tables.values()):
            session.store(f"public {number}", write(_empty(entry, asked.names), DUCKDB))
        said = session.complaint(phrases.write(asked.phrase, asked.names))
    finally:
        session.close()
    if said is not None:
        raise _refusal(said, asked, tables)


def _empty(entry: TableEntry, names: Names) -> exp.Select:
    """Return a table without rows that has the columns of this one."""
    outputs = [(names.write(names.number(column.name)), null(column.type)) for column in entry.columns]
    named = [exp.alias_(value, name, quoted=True, copy=False) for name, value in outputs]
    return exp.Select(expressions=named).limit(0)


def _refusal(said: str, asked: Public, tables: Mapping[str, TableEntry]) -> Refused:
    text, tree, show = asked.text, asked.tree, asked.names.show
    if found := _UNKNOWN.search(said):
        return _unknown(show(found[1]), text, tree, tables)
    if found := _LOOSE.search(said):
        known = show(found[1])
        name = quoted(known)
        instead = f"Add {name} to GROUP BY, or write MIN({name})."
        return text.refusal(Unsupported, f"{name} is neither in GROUP BY nor inside an aggregate", _named(tree, known), instead)
    if found := _TWICE.search(said):
        known = show(found[1])
        instead = "Write the name of the table and a dot before it."
        return text.refusal(Unsupported, f"{quoted(known)} is the name of several columns", _named(tree, known), instead)
    if found := _TYPES.search(said):
        types = " and ".join(_WORDS.get(word.strip(), word.strip().removesuffix("_LITERAL").lower()) for word in found[2].split(","))
        instead = "Columns of a CSV file are text where the policy declares no type: write CAST(x AS DOUBLE)."
        return text.refusal(Unsupported, f"{found[1].upper()} is not for {types}", None, instead)
    return text.refusal(Unsupported, show(said).rstrip(".!"), None, "Change that, and ask again.")


def _unknown(name: str, text: Text, tree: exp.Expr, tables: Mapping[str, TableEntry]) -> Refused:
    """Which names there are is only sure where no subquery makes others."""
    plain = tree.find(exp.CTE, exp.Subquery, exp.Union) is None
    who = f"{' and '.join(tables)} {'has' if len(tables) == 1 else 'have'}" if plain else "What this asks of has"
    names = list(dict.fromkeys(column.name for entry in tables.values() for column in entry.columns))
    made = [] if plain else [alias.alias for alias in tree.find_all(exp.Alias)]
    close = nearest(name, [*names, *made])
    instead = f"Did you mean {quoted(close)}?" if close else f"The columns are {', '.join(map(quoted, [*names, *made]))}."
    return text.refusal(Unsupported, f"{who} no column {name}", _named(tree, name), instead)


def _named(tree: exp.Expr, name: str) -> exp.Expr | None:
    return next((node for node in tree.find_all(exp.Column, exp.Identifier) if node.name.casefold() == name.casefold()), None)
