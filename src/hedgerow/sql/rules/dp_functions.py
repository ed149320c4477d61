"""Rules for DP_INTERVAL_LOW, DP_INTERVAL_HIGH and DP_CLIPPED; unknown functions are refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from hedgerow.sql.binder.rule import Binder, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.catalog import find_closest_name
from hedgerow.sql.rules.aggregates import bind_named_call
from hedgerow.sql.rules.date_names import bind_date_format
from hedgerow.sql.rules.dates import CLOCK_NAMES, bind_clock, bind_date_part
from hedgerow.sql.rules.foreign_functions import REPLACEMENTS
from hedgerow.sql.syntax.named_arguments import find_named_arguments

__all__ = ["KEYWORDS", "KNOWN_FUNCTIONS", "RULES"]

_INTERVAL_ENDS = {"DP_INTERVAL_LOW": "low", "DP_INTERVAL_HIGH": "high", "DP_CLIPPED": "clipped"}
KEYWORDS = (
    *("SELECT", "DISTINCT", "FROM", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "ON"),
    *("USING", "WHERE", "AND", "OR", "NOT", "IN", "EXISTS", "IS", "NULL", "LIKE", "ILIKE"),
    *("BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END", "AS", "GROUP", "BY", "ROLLUP"),
    *("CUBE", "HAVING", "QUALIFY", "ORDER", "ASC", "DESC", "LIMIT", "OFFSET", "UNION"),
    *("ALL", "INTERSECT", "EXCEPT", "WITH", "OVER", "PARTITION", "FILTER", "DATE"),
    *("INTERVAL", "TRUE", "FALSE", "EXPLAIN", "PRIVACY"),
)
KNOWN_FUNCTIONS = (
    *("COUNT", "COUNT_IF", "SUM", "AVG", "VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV_SAMP"),
    *("COVAR_POP", "COVAR_SAMP", "CORR", "SKEWNESS", "KURTOSIS"),
    *("REGR_SLOPE", "REGR_INTERCEPT", "REGR_R2", "REGR_COUNT"),
    *("MIN", "MAX", "MEDIAN", "QUANTILE", "PERCENTILE_CONT", "MODE"),
    *("ABS", "FLOOR", "CEIL", "ROUND", "TRUNC", "SIGN", "SQRT", "POWER", "LN", "LOG", "PI"),
    *("WIDTH_BUCKET", "LEAST", "GREATEST", "CAST"),
    *("COALESCE", "IFNULL", "NULLIF", "IF", "NVL2", "DECODE"),
    *("YEAR", "QUARTER", "MONTH", "DAY", "DAYOFWEEK", "DAYOFYEAR"),
    *("HOUR", "MINUTE", "SECOND", "EXTRACT", "DATE_PART", "DATE_TRUNC", "DATE_DIFF"),
    *("CURRENT_DATE", "CURRENT_TIMESTAMP"),
    *("LOWER", "UPPER", "TRIM", "LENGTH", "SUBSTRING", "LEFT", "RIGHT", "CONCAT", "STARTS_WITH"),
    *("ENDS_WITH", "CONTAINS", "REPLACE", "SPLIT_PART", "STRFTIME"),
    *_INTERVAL_ENDS,
)


_NAMED_RULES: Final[Mapping[str, Callable[[exp.Anonymous, Binder], TypedExpression]]] = {
    **dict.fromkeys(("DATE_PART", "DATEPART"), bind_date_part),
    **dict.fromkeys(("DATE_FORMAT", "FORMAT_DATE", "FORMAT_TIMESTAMP"), bind_date_format),
    **dict.fromkeys(CLOCK_NAMES, bind_clock),
}


def _bind_anonymous(node: exp.Anonymous, binder: Binder) -> TypedExpression:
    if find_named_arguments(binder.text, node) is not None:
        return bind_named_call(node, binder)
    name = str(node.this)
    if name.upper() in _NAMED_RULES:
        return _NAMED_RULES[name.upper()](node, binder)
    end = _INTERVAL_ENDS.get(name.upper())
    if end is None:
        close = find_closest_name(name, KNOWN_FUNCTIONS)
        fix = (
            f"Did you mean {close}?"
            if close
            else f"The functions are {', '.join(KNOWN_FUNCTIONS)}."
        )
        binder.refuse(
            node, f"There is no function {name[:60]}", REPLACEMENTS.get(name.upper(), fix)
        )
    if len(node.expressions) != 1:
        binder.refuse(
            node,
            f"{name.upper()} takes one aggregate",
            f"Write {name.upper()}(n), where n is the alias of an aggregate.",
        )
    return binder.bind_interval(node, node.expressions[0], end)


RULES = (Rule(exp.Anonymous, _bind_anonymous, ("this", "expressions")),)
