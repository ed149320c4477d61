"""Functions of other databases, and what to write instead."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.sql.binder.rule import Refusal

__all__ = ["REPLACEMENTS", "RULES"]

# By fix: the names that are unknown to the parser, in upper case.
_NAMES_BY_FIX: Final = {
    "Write d + INTERVAL 3 DAY, or d - INTERVAL 3 DAY.": (
        *("DATEADD", "DATE_SUB", "DATESUB", "TIMESTAMPADD"),
    ),
    # DATE_DIFF is unknown with two arguments only.
    "Write DATE_DIFF('day', a, b), with 'day', 'month' or 'year'.": (
        *("AGE", "DATEDIFF", "DATE_DIFF"),
    ),
    "Write STRFTIME(d, '%Y-%m').": ("TO_VARCHAR",),
    "Write DATE '2026-01-31'; for a column of a file, declare type = \"date\" in the policy.": (
        *("TO_DATE", "TRY_TO_DATE", "PARSE_DATE"),
    ),
    "Write CURRENT_TIMESTAMP.": ("SYSDATE",),
    "Write DAYOFWEEK(d): 0 is Sunday, 6 Saturday.": ("WEEKDAY",),
    "Write REGEXP_MATCHES(x, 'a[0-9]+').": ("REGEXP_CONTAINS", "RLIKE"),
    "Write CASE WHEN x > 0 THEN 'a' ELSE 'b' END.": ("DECODE",),
    "Write a / b: where b is 0, that is NULL.": ("DIV0", "DIV0NULL", "IEEE_DIVIDE"),
    "Write FLOOR(a / b).": ("DIV",),
    "Write SUM(x).": ("TOTAL",),
}
# By fix: the functions that the parser has a node for.
_NODES_BY_FIX: Final[dict[str, tuple[type[exp.Expr], ...]]] = {
    "Write DATE '2026-01-31', or DATE_TRUNC('month', d).": (exp.DateFromParts,),
    "Write DATE_DIFF('day', a, b), with 'day', 'month' or 'year'.": (
        *(exp.TimestampDiff, exp.MonthsBetween),
    ),
    "Write d + INTERVAL 3 DAY, or d - INTERVAL 3 DAY.": (
        *(exp.AddMonths, exp.TimestampAdd, exp.TimestampSub),
    ),
    "Write DATE_TRUNC('week', d), with 'week', 'month', 'quarter' or 'year'.": (exp.DateBin,),
    "Write DATE '2026-01-31'; for a column of a file, declare type = \"date\" in the policy.": (
        *(exp.StrToTime, exp.StrToDate),
    ),
    "Write CASE WHEN x LIKE 'abc%' THEN 'abc' ELSE 'other' END, or LEFT(x, 3).": (
        *(exp.Split, exp.Translate),
    ),
    "Write UPPER(x) or LOWER(x).": (exp.Initcap,),
    "Write QUANTILE(x, [0.25, 0.5, 0.75]).": (exp.ApproxQuantiles,),
    "Write COUNT(DISTINCT x).": (exp.Hll,),
    "Write a / b: where b is 0, that is NULL.": (exp.SafeDivide,),
    "Write CASE WHEN x > 0 THEN 'a' ELSE 'b' END.": (exp.DecodeCase,),
    'Declare the column as a number in the policy: type = "integer", or "real".': (exp.ToNumber,),
}
REPLACEMENTS: Final = {name: fix for fix, names in _NAMES_BY_FIX.items() for name in names}
RULES: Final = tuple(
    Refusal(node, "This function is not supported", fix)
    for fix, nodes in _NODES_BY_FIX.items()
    for node in nodes
)
