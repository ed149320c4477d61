"""Functions that other databases have, and what to write here instead of them.

A function that is not read is refused in any case; these are refused with the sentence that helps
whoever is used to them.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.sql.binder.rule import Refusal

__all__ = ["REPLACEMENTS", "RULES"]

_TEXT_FUNCTION: Final = "This text function is not supported"
_EXTRACT: Final = "Write EXTRACT(MONTH FROM d), or MONTH(d)."
_ADD_INTERVAL: Final = "Write d + INTERVAL 3 DAY, or d - INTERVAL 3 DAY."
_DATE_DIFF: Final = "Write DATE_DIFF('day', a, b), with 'day', 'month' or 'year'."
_DATE_PARTS: Final = "Write YEAR(d), MONTH(d) or DATE_TRUNC('month', d)."
_DATE_LITERAL: Final = (
    "Write DATE '2026-01-31'; for a column of a file, declare type = \"date\" in the policy."
)
_TODAY: Final = "Write a fixed date, such as DATE '2026-01-31'."
_WEEK_TRUNC: Final = "Write DATE_TRUNC('week', d), which is a Monday."
_WEEKDAY: Final = "Write DAYOFWEEK(d): 0 is Sunday, 6 Saturday."
_NO_TIME_OF_DAY: Final = "Use whole days: times of day are not supported."
_QUANTILE: Final = "Write QUANTILE(x, 0.9)."
_CONTAINS: Final = "Write x LIKE '%abc%': % matches any text."
_ENDS_WITH: Final = "Write x LIKE '%abc', or RIGHT(x, 3) = 'abc'."
_CASE_LIKE: Final = "Write CASE WHEN x LIKE 'abc%' THEN 'abc' ELSE 'other' END, or LEFT(x, 3)."
_FILTER: Final = "Write SUM(x) FILTER (WHERE y > 0), or AVG(x) FILTER (WHERE y > 0)."
_CASE: Final = "Write CASE WHEN x > 0 THEN 'a' ELSE 'b' END."
_COALESCE: Final = "Write COALESCE(x, 0), or x IS NULL."
_DIVISION: Final = "Write a / b: where b is 0, that is NULL."
_FLOOR: Final = "Write FLOOR(a / b)."
_DISTINCT: Final = "Write COUNT(DISTINCT x)."

# By the name that is written, in upper case.
REPLACEMENTS: Final = {
    **dict.fromkeys(("DATE_PART", "DATEPART"), _EXTRACT),
    **dict.fromkeys(("DATEADD", "DATE_SUB", "DATESUB", "TIMESTAMPADD"), _ADD_INTERVAL),
    # the latter with two dates alone
    **dict.fromkeys(("AGE", "DATEDIFF", "DATE_DIFF"), _DATE_DIFF),
    **dict.fromkeys(("FORMAT_DATE", "FORMAT_TIMESTAMP", "DATE_FORMAT", "TO_VARCHAR"), _DATE_PARTS),
    **dict.fromkeys(("TO_DATE", "TRY_TO_DATE", "PARSE_DATE"), _DATE_LITERAL),
    **dict.fromkeys(("NOW", "GETDATE", "SYSDATE"), _TODAY),
    "WEEKDAY": _WEEKDAY,
    **dict.fromkeys(("APPROX_PERCENTILE", "PERCENTILE", "PERCENTILE_APPROX"), _QUANTILE),
    "SUFFIX": _ENDS_WITH,
    "PREFIX": "Write STARTS_WITH(x, 'abc').",
    **dict.fromkeys(
        ("REGEXP_CONTAINS", "RLIKE"), "Write LIKE: % matches any text, _ one character."
    ),
    "IFF": "Write IF(x > 0, 'a', 'b').",
    "DECODE": _CASE,
    **dict.fromkeys(("DIV0", "DIV0NULL", "IEEE_DIVIDE"), _DIVISION),
    "DIV": _FLOOR,
    **dict.fromkeys(("ZEROIFNULL", "ISNULL"), _COALESCE),
    "NULLIFZERO": "Write NULLIF(x, 0).",
    "SQUARE": "Multiply: x * x.",
    **dict.fromkeys(("SUMIF", "SUM_IF", "AVGIF", "AVG_IF"), _FILTER),
    **dict.fromkeys(("COUNT_DISTINCT", "UNIQ"), _DISTINCT),
    "MEAN": "Write AVG(x).",
    "TOTAL": "Write SUM(x).",
    "VAR": "Write VAR_SAMP(x), or VAR_POP(x).",
    "STD": "Write STDDEV_SAMP(x), or STDDEV_POP(x).",
}


def _build_refusals(
    instead: str, *nodes: type[exp.Func], what: str = "This function is not supported"
) -> tuple[Refusal, ...]:
    return tuple(Refusal(node, what, instead) for node in nodes)


RULES = (
    *_build_refusals(_WEEKDAY, exp.Dayname, exp.DayOfWeekIso),
    *_build_refusals("Write MONTH(d).", exp.Monthname),
    *_build_refusals(_WEEK_TRUNC, exp.Week, exp.WeekOfYear),
    *_build_refusals("Write DATE_TRUNC('month', d): the first day of the month.", exp.LastDay),
    *_build_refusals("Write DATE '2026-01-31', or DATE_TRUNC('month', d).", exp.DateFromParts),
    *_build_refusals(_DATE_DIFF, exp.TimestampDiff, exp.MonthsBetween, exp.TimeToUnix),
    *_build_refusals(_ADD_INTERVAL, exp.AddMonths, exp.TimestampAdd, exp.TimestampSub),
    *_build_refusals(
        "Write DATE_TRUNC('week', d), with 'week', 'month', 'quarter' or 'year'.", exp.DateBin
    ),
    *_build_refusals(_DATE_LITERAL, exp.StrToTime, exp.StrToDate),
    *_build_refusals(_NO_TIME_OF_DAY, exp.Hour, exp.Minute, exp.Second),
    *_build_refusals(_CONTAINS, exp.Contains, exp.StrPosition, what=_TEXT_FUNCTION),
    *_build_refusals(_ENDS_WITH, exp.EndsWith, what=_TEXT_FUNCTION),
    *_build_refusals(
        _CASE_LIKE,
        exp.SplitPart,
        exp.SubstringIndex,
        exp.Split,
        exp.Replace,
        exp.Translate,
        what=_TEXT_FUNCTION,
    ),
    *_build_refusals("Write UPPER(x) or LOWER(x).", exp.Initcap, what=_TEXT_FUNCTION),
    *_build_refusals("Write COVAR_POP(y, x) / VAR_POP(x).", exp.RegrSlope),
    *_build_refusals("Write AVG(y) - COVAR_POP(y, x) / VAR_POP(x) * AVG(x).", exp.RegrIntercept),
    *_build_refusals("Write CORR(y, x) * CORR(y, x).", exp.RegrR2),
    *_build_refusals(_QUANTILE, exp.ApproxQuantiles),
    *_build_refusals(_DISTINCT, exp.Hll),
    *_build_refusals("Write FLOOR(x / 10).", exp.WidthBucket),
    *_build_refusals(_DIVISION, exp.SafeDivide),
    *_build_refusals(_CASE, exp.Nvl2, exp.Decode, exp.DecodeCase),
    *_build_refusals(
        'Declare the column as a number in the policy: type = "integer", or "real".', exp.ToNumber
    ),
)
