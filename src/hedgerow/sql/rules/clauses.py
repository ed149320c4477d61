"""Unsupported clauses of a SELECT or a table, by their argument in the syntax tree."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["REFUSED_CLAUSES", "RefusedClause"]


@dataclass(frozen=True, slots=True)
class RefusedClause:
    """An unsupported clause; the first of its ``words`` in the text is underlined."""

    arg: str
    words: tuple[str, ...]
    problem: str
    fix: str


_ONE_TABLE = "Query one table: SELECT … FROM table WHERE … GROUP BY …."
_TABLE_NAME_ALONE = (
    "Write the table name alone. SELECT * FROM hedgerow.columns lists tables and columns for free."
)
_GROUP_BY = (
    "Write GROUP BY with COUNT(*). If there is a GROUP BY already, leave DISTINCT out:"
    " each group is returned once."
)
_SAMPLE = "Leave it out: noise protects everybody already."

REFUSED_CLAUSES = (
    RefusedClause(
        "with_",
        ("WITH",),
        "WITH must come before the SELECT it belongs to",
        "Write WITH name AS (SELECT …) SELECT ….",
    ),
    RefusedClause(
        "joins",
        (),
        "Parentheses around joins are not supported",
        "Write FROM a JOIN b ON … JOIN c ON ….",
    ),
    RefusedClause("laterals", ("LATERAL",), "LATERAL is not supported", _ONE_TABLE),
    RefusedClause(
        "distinct", ("DISTINCT",), "SELECT DISTINCT returns individual values", _GROUP_BY
    ),
    RefusedClause(
        "qualify",
        ("QUALIFY",),
        "QUALIFY compares rows of different units",
        "Write HAVING, which filters the noisy answer.",
    ),
    RefusedClause(
        "windows",
        ("WINDOW",),
        "Window functions compare rows of different units",
        "Use GROUP BY instead.",
    ),
    RefusedClause(
        "pivots",
        ("PIVOT", "UNPIVOT"),
        "PIVOT is not supported",
        "Write a GROUP BY, and pivot the answer yourself.",
    ),
    RefusedClause("sample", ("SAMPLE", "TABLESAMPLE"), "SAMPLE is not supported", _SAMPLE),
    RefusedClause(
        "into",
        ("INTO",),
        "INTO would write a table",
        "Leave it out: the answer is returned to you.",
    ),
    RefusedClause(
        "locks",
        ("FOR",),
        "Row locks are not supported",
        "Leave FOR UPDATE out: questions never change data.",
    ),
    RefusedClause("match", ("MATCH_RECOGNIZE",), "MATCH_RECOGNIZE is not supported", _ONE_TABLE),
    RefusedClause("hint", (), "Hints are not supported", "Leave them out."),
    RefusedClause("prewhere", ("PREWHERE",), "PREWHERE is not supported", "Write WHERE."),
    RefusedClause("connect", ("CONNECT", "START"), "CONNECT BY is not supported", _ONE_TABLE),
    RefusedClause("cluster", ("CLUSTER",), "CLUSTER BY is not supported", "Write ORDER BY."),
    RefusedClause(
        "distribute", ("DISTRIBUTE",), "DISTRIBUTE BY is not supported", "Write ORDER BY."
    ),
    RefusedClause("sort", ("SORT",), "SORT BY is not supported", "Write ORDER BY."),
    RefusedClause("db", (), "Table names take no schema or catalog", _TABLE_NAME_ALONE),
    RefusedClause("catalog", (), "Table names take no schema or catalog", _TABLE_NAME_ALONE),
    RefusedClause("when", ("AT", "FOR"), "Time travel is not supported", "Leave it out."),
    RefusedClause("version", ("AT", "FOR"), "Time travel is not supported", "Leave it out."),
    RefusedClause(
        "columns",
        (),
        "FROM cannot rename the columns of a table",
        "Rename columns in the SELECT list: x AS name.",
    ),
    RefusedClause("only", ("ONLY",), "ONLY is not supported", "Leave it out."),
    RefusedClause(
        "query",
        (),
        "IN (SELECT …) is not supported here: it would show rows of other units",
        (
            "Join it in FROM: JOIN (SELECT DISTINCT id FROM …) AS d USING (id); or list the"
            " values: x IN (1, 2)."
        ),
    ),
    RefusedClause(
        "unnest",
        (),
        "UNNEST is not supported: it makes several rows of one",
        "List the values: x IN (1, 2).",
    ),
    RefusedClause("field", (), "IN needs a list of values", "List the values: x IN (1, 2)."),
    RefusedClause(
        "totals",
        ("WITH",),
        "WITH TOTALS is not supported",
        "Ask for the total in a separate question.",
    ),
    RefusedClause(
        "limit_options", ("LIMIT", "FETCH"), "LIMIT takes a number of rows", "Write LIMIT 10."
    ),
    RefusedClause(
        "with_fill",
        ("WITH",),
        "WITH FILL is not supported",
        "Declare the values of the key in the policy: then every group is returned.",
    ),
)
