"""Clauses of a SELECT that are refused, by the name of the part of the tree that holds them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["REFUSED_CLAUSES", "RefusedClause"]


@dataclass(frozen=True, slots=True)
class RefusedClause:
    """A part of a SELECT or of a table that is refused; the ``words`` it begins with are
    underlined.
    """

    arg: str
    words: tuple[str, ...]
    problem: str
    fix: str


_ONE_TABLE = "Ask one table: SELECT … FROM table WHERE … GROUP BY …."
_TABLE_NAME_ALONE = (
    "Write the name of the table alone. What tables and columns there are, SELECT * FROM"
    " hedgerow.columns says, for nothing."
)
_GROUP_BY = (
    "Write GROUP BY with COUNT(*); where there is a GROUP BY, leave DISTINCT out: every group comes"
    " once."
)
_SAMPLE = "Leave it out: a sample protects nobody that the noise does not."

REFUSED_CLAUSES = (
    RefusedClause(
        "with_",
        ("WITH",),
        "WITH stands before the SELECT that it is for",
        "Write WITH name AS (SELECT …) SELECT ….",
    ),
    RefusedClause(
        "joins", (), "Joins stand here without brackets", "Write FROM a JOIN b ON … JOIN c ON …."
    ),
    RefusedClause("laterals", ("LATERAL",), "LATERAL is not answered", _ONE_TABLE),
    RefusedClause("distinct", ("DISTINCT",), "SELECT DISTINCT shows values as they are", _GROUP_BY),
    RefusedClause(
        "qualify",
        ("QUALIFY",),
        "QUALIFY looks at other people's rows",
        "Write HAVING, which works on the noisy answer.",
    ),
    RefusedClause(
        "windows",
        ("WINDOW",),
        "Window functions look at other people's rows",
        "Write a GROUP BY instead.",
    ),
    RefusedClause(
        "pivots",
        ("PIVOT", "UNPIVOT"),
        "PIVOT is not answered",
        "Write a GROUP BY, and turn the answer yourself.",
    ),
    RefusedClause("sample", ("SAMPLE", "TABLESAMPLE"), "SAMPLE is not answered", _SAMPLE),
    RefusedClause("into", ("INTO",), "INTO writes", "Leave it out: the answer comes back to you."),
    RefusedClause(
        "locks",
        ("FOR",),
        "Locks are not taken",
        "Leave FOR UPDATE out: nothing can be changed here.",
    ),
    RefusedClause("match", ("MATCH_RECOGNIZE",), "MATCH_RECOGNIZE is not answered", _ONE_TABLE),
    RefusedClause("hint", (), "Hints are not read", "Leave them out."),
    RefusedClause("prewhere", ("PREWHERE",), "PREWHERE is not read", "Write WHERE."),
    RefusedClause("connect", ("CONNECT", "START"), "CONNECT BY is not answered", _ONE_TABLE),
    RefusedClause("cluster", ("CLUSTER",), "CLUSTER BY is not read", "Write ORDER BY."),
    RefusedClause("distribute", ("DISTRIBUTE",), "DISTRIBUTE BY is not read", "Write ORDER BY."),
    RefusedClause("sort", ("SORT",), "SORT BY is not read", "Write ORDER BY."),
    RefusedClause("db", (), "Tables have no schema here", _TABLE_NAME_ALONE),
    RefusedClause("catalog", (), "Tables have no schema here", _TABLE_NAME_ALONE),
    RefusedClause(
        "when", ("AT", "FOR"), "Older states of a table cannot be asked", "Leave it out."
    ),
    RefusedClause(
        "version", ("AT", "FOR"), "Older states of a table cannot be asked", "Leave it out."
    ),
    RefusedClause(
        "columns", (), "FROM does not rename columns", "Name outputs in the SELECT list: x AS name."
    ),
    RefusedClause("only", ("ONLY",), "ONLY is not read", "Leave it out."),
    RefusedClause(
        "query",
        (),
        "IN (SELECT …) would show what other people's rows hold",
        "Join it in FROM: JOIN (SELECT DISTINCT id FROM …) AS d USING (id); or write the values"
        " out: x IN (1, 2).",
    ),
    RefusedClause(
        "unnest", (), "UNNEST makes several rows of one", "Write the values out: x IN (1, 2)."
    ),
    RefusedClause("field", (), "IN wants a list of values", "Write the values out: x IN (1, 2)."),
    RefusedClause(
        "totals",
        ("WITH",),
        "WITH TOTALS is not answered",
        "Ask the total as a question of its own.",
    ),
    RefusedClause(
        "limit_options", ("LIMIT", "FETCH"), "LIMIT takes a number of rows", "Write LIMIT 10."
    ),
    RefusedClause(
        "with_fill",
        ("WITH",),
        "WITH FILL is not read",
        "Declare the values of the key in the policy: then all groups come back.",
    ),
)
