"""Statements that are not a SELECT, by their first word before parsing or their node after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from hedgerow.sql.binder.rule import Refusal

__all__ = ["FIRST_WORDS", "REFUSED_WORDS", "RULES", "SELECT_FORM"]

SELECT_FORM: Final = "Write one SELECT: SELECT … FROM table WHERE … GROUP BY …."
_WRITE_A_SELECT: Final = "Write a SELECT."
_SETTINGS_FIX: Final = (
    "Write a SELECT. SELECT * FROM hedgerow.columns lists tables and columns for free."
)
_WRITE_WORDS: Final = (
    *("INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "CREATE", "DROP", "ALTER", "TRUNCATE"),
    *("COPY", "COMMENT", "GRANT", "REVOKE", "EXPORT", "IMPORT", "RENAME", "UPSERT", "LOAD"),
    *("INSTALL", "ATTACH", "DETACH", "VACUUM", "CHECKPOINT", "CACHE", "UNCACHE"),
)

FIRST_WORDS: Final = ("SELECT", "WITH", "FROM", "(", "VALUES", "TABLE", "PIVOT", "UNPIVOT")
REFUSED_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    **{
        word: (f"{word} is not supported: tables are read-only", _WRITE_A_SELECT)
        for word in _WRITE_WORDS
    },
    "DESCRIBE": (
        "DESCRIBE is not supported",
        "Write SELECT * FROM hedgerow.columns, which is free.",
    ),
    "SHOW": (
        "SHOW is not supported",
        "Write SELECT * FROM hedgerow.tables, or FROM hedgerow.columns, which is free.",
    ),
    "SUMMARIZE": ("SUMMARIZE would return exact statistics", "Ask for COUNT(*), SUM(x), AVG(x)."),
    "PRAGMA": ("PRAGMA is not supported", _SETTINGS_FIX),
    "SET": ("SET is not supported", _SETTINGS_FIX),
}

RULES: Final = (
    Refusal(
        exp.Union, "UNION is not supported between whole questions", "Ask the questions one by one."
    ),
    *(
        Refusal(
            kind,
            f"{word} is not supported between whole questions",
            f"Use it in a subquery with the privacy id: SELECT COUNT(*) FROM (… {word} …) AS t.",
        )
        for kind, word in ((exp.Intersect, "INTERSECT"), (exp.Except, "EXCEPT"))
    ),
    Refusal(exp.Values, "VALUES queries no table", SELECT_FORM),
    Refusal(
        exp.Pivot, "PIVOT is not supported", "Write a GROUP BY, and pivot the answer yourself."
    ),
    Refusal(exp.Command, "This is not a SELECT statement", SELECT_FORM),
)
