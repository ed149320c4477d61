"""Completion of names in the shell: tables, columns, functions, keywords and commands.

Everything that is offered is public: it stands in the policy or in the documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from hedgerow.database.uncharged.system_query import SYSTEM_SCHEMA
from hedgerow.database.uncharged.system_tables import SYSTEM_TABLES
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.rules.dp_functions import KEYWORDS, KNOWN_FUNCTIONS
from hedgerow.sql.syntax.quoting import quote_name

__all__ = ["WORD_DELIMITERS", "NameCompleter"]

WORD_DELIMITERS: Final = " \t\n,()=<>!+-*/%|;'"  # a dot and a backslash belong to their word
_BEFORE_TABLE: Final = re.compile(r"(?:\b(?:FROM|JOIN)|^\s*\\d)\s+$", re.IGNORECASE)


class NameCompleter:
    """The names of a catalog, and of the language, that begin as a word does."""

    def __init__(self, catalog: Catalog, commands: Iterable[str]) -> None:
        self._commands = tuple(commands)
        self._tables: Mapping[str, tuple[str, ...]] = {
            quote_name(entry.schema.table): tuple(
                quote_name(column.name) for column in entry.columns
            )
            for entry in catalog.tables.values()
        }
        self._system_tables = tuple(f"{SYSTEM_SCHEMA}.{name}" for name in SYSTEM_TABLES)

    def list_completions(self, before: str, word: str) -> list[str]:
        """List what may stand after the text ``before`` and begins like ``word``."""
        if word.startswith("\\") and not before.strip():
            return _select_names(self._commands, word)
        if _BEFORE_TABLE.search(before):
            return _select_names([*self._tables, *self._system_tables], word)
        table, dot, _ = word.rpartition(".")
        if dot:
            return _select_names([f"{table}.{name}" for name in self._list_columns(table)], word)
        words = [*(f"{name}(" for name in KNOWN_FUNCTIONS), *KEYWORDS]
        if word.islower():
            words = [each.lower() for each in words]
        return _select_names([*self._list_columns(), *self._tables, *words], word)

    def _list_columns(self, table: str | None = None) -> list[str]:
        """List the columns of a table; those of all tables for an alias."""
        known = {name.casefold(): columns for name, columns in self._tables.items()}
        every = {name for columns in self._tables.values() for name in columns}
        return list(known.get((table or "").casefold(), sorted(every)))


def _select_names(names: Iterable[str], word: str) -> list[str]:
    """Select the names that begin like a word, in any case, each once."""
    start = word.casefold()
    found = (name for name in names if name.lstrip('"').casefold().startswith(start.lstrip('"')))
    return list(dict.fromkeys(found))
