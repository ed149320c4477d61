"""Clauses of a SELECT that are refused, by the name of the part of the tree that holds them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CLAUSES", "Clause"]


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a SELECT or of a table that is refused; the ``words`` it begins with are underlined."""

    part: str
    words: tuple[str, ...]
    what: str
    instead: str


_ONE = "Ask one table: SELECT … FROM table WHERE … GROUP BY …."
_ALONE = "Write the name of the table alone. What tables and columns there are, SELECT * FROM hedgerow.columns says, for nothing."
_GROUPED = "Write GROUP BY with COUNT(*); where there is a GROUP BY, leave DISTINCT out: every group comes once."
_SAMPLE = "Leave it out: a sample protects nobody that the noise does not."

CLAUSES = (
    Clause("with_", ("WITH",), "WITH stands before the SELECT that it is for", "Write WITH name AS (SELECT …) SELECT …."),
    Clause("joins", (), "Joins stand here without brackets", "Write FROM a JOIN b ON … JOIN c ON …."),
    Clause("laterals", ("LATERAL",), "LATERAL is not answered", _ONE),
    Clause("distinct", ("DISTINCT",), "SELECT DISTINCT shows values as they are", _GROUPED),
    Clause("qualify", ("QUALIFY",), "QUALIFY looks at other people's rows", "Write HAVING, which works on the noisy answer."),
    Clause("windows", ("WINDOW",), "Window functions look at other people's rows", "Write a GROUP BY instead."),
    Clause("pivots", ("PIVOT", "UNPIVOT"), "PIVOT is not answered", "Write a GROUP BY, and turn the answer yourself."),
    Clause("sample", ("SAMPLE", "TABLESAMPLE"), "SAMPLE is not answered", _SAMPLE),
    Clause("into", ("INTO",), "INTO writes", "Leave it out: the answer comes back to you."),
    Clause("locks", ("FOR",), "Locks are not taken", "Leave FOR UPDATE out: nothing can be changed here."),
    Clause("match", ("MATCH_RECOGNIZE",), "MATCH_RECOGNIZE is not answered", _ONE),
    Clause("hint", (), "Hints are not read", "Leave them out."),
    Clause("prewhere", ("PREWHERE",), "PREWHERE is not read", "Write WHERE."),
    Clause("connect", ("CONNECT", "START"), "CONNECT BY is not answered", _ONE),
    Clause("cluster", ("CLUSTER",), "CLUSTER BY is not read", "Write ORDER BY."),
    Clause("distribute", ("DISTRIBUTE",), "DISTRIBUTE BY is not read", "Write ORDER BY."),
    Clause("sort", ("SORT",), "SORT BY is not read", "Write ORDER BY."),
    Clause("db", (), "Tables have no schema here", _ALONE),
    Clause("catalog", (), "Tables have no schema here", _ALONE),
    Clause("when", ("AT", "FOR"), "Older states of a table cannot be asked", "Leave it out."),
    Clause("version", ("AT", "FOR"), "Older states of a table cannot be asked", "Leave it out."),
    Clause("columns", (), "FROM does not rename columns", "Name outputs in the SELECT list: x AS name."),
    Clause("only", ("ONLY",), "ONLY is not read", "Leave it out."),
    Clause(
        "query",
        (),
        "IN (SELECT …) would show what other people's rows hold",
        "Join it in FROM: JOIN (SELECT DISTINCT id FROM …) AS d USING (id); or write the values out: x IN (1, 2).",
    ),
    Clause("unnest", (), "UNNEST makes several rows of one", "Write the values out: x IN (1, 2)."),
    Clause("field", (), "IN wants a list of values", "Write the values out: x IN (1, 2)."),
    Clause("totals", ("WITH",), "WITH TOTALS is not answered", "Ask the total as a question of its own."),
    Clause("limit_options", ("LIMIT", "FETCH"), "LIMIT takes a number of rows", "Write LIMIT 10."),
    Clause("with_fill", ("WITH",), "WITH FILL is not read", "Declare the values of the key in the policy: then all groups come back."),
)
