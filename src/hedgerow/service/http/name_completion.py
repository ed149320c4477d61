"""The words that the editor completes, and questions to begin with, from the tables that somebody
may ask about. All of them are public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hedgerow.sql.rules.dp_functions import KEYWORDS, KNOWN_FUNCTIONS
from hedgerow.sql.syntax.quoting import quote_name

__all__ = ["list_completion_words", "list_example_questions"]

_MAX_KEYS: Final = 20  # of a first question: more are no chart


def list_completion_words(tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """List tables with their columns, functions and keywords."""
    return {
        "tables": {
            quote_name(table["name"]): [
                quote_name(column["name"]) for column in table["columns"] if not column["is_unit"]
            ]
            for table in tables
        },
        "functions": list(KNOWN_FUNCTIONS),
        "keywords": list(KEYWORDS),
    }


def list_example_questions(tables: Sequence[dict[str, Any]]) -> list[str]:
    """List a count by declared keys, and a mean by them, about the first tables that have such
    columns."""
    found = []
    for table in (table for table in tables if not table["public"]):
        name, columns = quote_name(table["name"]), table["columns"]
        keys = [
            quote_name(column["name"])
            for column in columns
            if column["type"] == "text" and (column["value_count"] or _MAX_KEYS) < _MAX_KEYS
        ]
        numbers = [
            quote_name(column["name"])
            for column in columns
            if column["type"] in ("integer", "real") and column["max"] is not None
        ]
        if keys:
            found.append(f"SELECT {keys[0]}, COUNT(*) AS n FROM {name} GROUP BY {keys[0]}")
        if keys and numbers:
            found.append(
                f"SELECT {keys[-1]}, COUNT(*) AS n, AVG({numbers[-1]}) AS mean FROM {name} GROUP"
                f" BY {keys[-1]}"
            )
    return found[:3]
