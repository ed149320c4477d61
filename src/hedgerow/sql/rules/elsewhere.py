"""Functions that other databases have, and what to write here instead of them.

A function that is not read is refused in any case; these are refused with the sentence that helps whoever is used to them.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from hedgerow.sql.rule import Refusal

__all__ = ["INSTEAD", "RULES"]

_TEXT: Final = "This function of text is not read"
_PART: Final = "Write EXTRACT(MONTH FROM d), or MONTH(d)."
_LATER: Final = "Write d + INTERVAL 3 DAY, or d - INTERVAL 3 DAY."
_BETWEEN: Final = "Write DATE_DIFF('day', a, b), with 'day', 'month' or 'year'."
_WORDED: Final = "Write YEAR(d), MONTH(d) or DATE_TRUNC('month', d)."
_PARSED: Final = "Write DATE '2026-01-31'; what a column of a file holds is declared in the policy: type = \"date\"."
_CLOCK: Final = "Write the date itself, such as DATE '2026-01-31'."
_WEEK: Final = "Write DATE_TRUNC('week', d), which is a Monday."
_WEEKDAY: Final = "Write DAYOFWEEK(d): 0 is Sunday, 6 Saturday."
_HOUR: Final = "Dates have no time of day here: ask about days."
_QUANTILE: Final = "Write QUANTILE(x, 0.9)."
_INSIDE: Final = "Write x LIKE '%abc%': % stands for any text."
_END: Final = "Write x LIKE '%abc', or RIGHT(x, 3) = 'abc'."
_SORTED: Final = "Write CASE WHEN x LIKE 'abc%' THEN 'abc' ELSE 'other' END, or LEFT(x, 3)."
_FILTER: Final = "Write SUM(x) FILTER (WHERE y > 0), or AVG(x) FILTER (WHERE y > 0)."
_OTHERWISE: Final = "Write CASE WHEN x > 0 THEN 'a' ELSE 'b' END."
_FILLED: Final = "Write COALESCE(x, 0), or x IS NULL."
_RATIO: Final = "Write a / b: where b is 0, that is NULL."
_WHOLE: Final = "Write FLOOR(a / b)."
_DISTINCT: Final = "Write COUNT(DISTINCT x)."

# By the name that is written, in upper case.
INSTEAD: Final = {
    **dict.fromkeys(("DATE_PART", "DATEPART"), _PART),
    **dict.fromkeys(("DATEADD", "DATE_SUB", "DATESUB", "TIMESTAMPADD"), _LATER),
    **dict.fromkeys(("AGE", "DATEDIFF", "DATE_DIFF"), _BETWEEN),  # the latter with two dates alone
    **dict.fromkeys(("FORMAT_DATE", "FORMAT_TIMESTAMP", "DATE_FORMAT", "TO_VARCHAR"), _WORDED),
    **dict.fromkeys(("TO_DATE", "TRY_TO_DATE", "PARSE_DATE"), _PARSED),
    **dict.fromkeys(("NOW", "GETDATE", "SYSDATE"), _CLOCK),
    "WEEKDAY": _WEEKDAY,
    **dict.fromkeys(("APPROX_PERCENTILE", "PERCENTILE", "PERCENTILE_APPROX"), _QUANTILE),
    "SUFFIX": _END,
    "PREFIX": "Write STARTS_WITH(x, 'abc').",
    **dict.fromkeys(("REGEXP_CONTAINS", "RLIKE"), "Write LIKE: % stands for any text, _ for one character."),
    "IFF": "Write IF(x > 0, 'a', 'b').",
    "DECODE": _OTHERWISE,
    **dict.fromkeys(("DIV0", "DIV0NULL", "IEEE_DIVIDE"), _RATIO),
    "DIV": _WHOLE,
    **dict.fromkeys(("ZEROIFNULL", "ISNULL"), _FILLED),
    "NULLIFZERO": "Write NULLIF(x, 0).",
    "SQUARE": "Multiply: x * x.",
    **dict.fromkeys(("SUMIF", "SUM_IF", "AVGIF", "AVG_IF"), _FILTER),
    **dict.fromkeys(("COUNT_DISTINCT", "UNIQ"), _DISTINCT),
    "MEAN": "Write AVG(x).",
    "TOTAL": "Write SUM(x).",
    "VAR": "Write VAR_SAMP(x), or VAR_POP(x).",
    "STD": "Write STDDEV_SAMP(x), or STDDEV_POP(x).",
}


def _refused(instead: str, *nodes: type[exp.Func], what: str = "This function is not read") -> tuple[Refusal, ...]:
    return tuple(Refusal(node, what, instead) for node in nodes)


RULES = (
    *_refused(_WEEKDAY, exp.Dayname, exp.DayOfWeekIso),
    *_refused("Write MONTH(d).", exp.Monthname),
    *_refused(_WEEK, exp.Week, exp.WeekOfYear),
    *_refused("Write DATE_TRUNC('month', d): the first day of the month.", exp.LastDay),
    *_refused("Write DATE '2026-01-31', or DATE_TRUNC('month', d).", exp.DateFromParts),
    *_refused(_BETWEEN, exp.TimestampDiff, exp.MonthsBetween, exp.TimeToUnix),
    *_refused(_LATER, exp.AddMonths, exp.TimestampAdd, exp.TimestampSub),
    *_refused("Write DATE_TRUNC('week', d), with 'week', 'month', 'quarter' or 'year'.", exp.DateBin),
    *_refused(_PARSED, exp.StrToTime, exp.StrToDate),
    *_refused(_HOUR, exp.Hour, exp.Minute, exp.Second),
    *_refused(_INSIDE, exp.Contains, exp.StrPosition, what=_TEXT),
    *_refused(_END, exp.EndsWith, what=_TEXT),
    *_refused(_SORTED, exp.SplitPart, exp.SubstringIndex, exp.Split, exp.Replace, exp.Translate, what=_TEXT),
    *_refused("Write UPPER(x) or LOWER(x).", exp.Initcap, what=_TEXT),
    *_refused("Write COVAR_POP(y, x) / VAR_POP(x).", exp.RegrSlope),
    *_refused("Write AVG(y) - COVAR_POP(y, x) / VAR_POP(x) * AVG(x).", exp.RegrIntercept),
    *_refused("Write CORR(y, x) * CORR(y, x).", exp.RegrR2),
    *_refused(_QUANTILE, exp.ApproxQuantiles),
    *_refused(_DISTINCT, exp.Hll),
    *_refused("Write FLOOR(x / 10).", exp.WidthBucket),
    *_refused(_RATIO, exp.SafeDivide),
    *_refused(_OTHERWISE, exp.Nvl2, exp.Decode, exp.DecodeCase),
    *_refused('Declare the column as a number in the policy: type = "integer", or "real".', exp.ToNumber),
)
