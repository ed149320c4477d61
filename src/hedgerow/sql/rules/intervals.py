"""DP_INTERVAL_LOW, DP_INTERVAL_HIGH and DP_CLIPPED; every other function that the parser does not know by name is refused."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.catalog import nearest
from hedgerow.sql.named import named_of
from hedgerow.sql.rule import Reader, Rule
from hedgerow.sql.rules.aggregates import wrapped
from hedgerow.sql.rules.elsewhere import INSTEAD
from hedgerow.sql.typed import Typed

__all__ = ["KNOWN", "RULES"]

_ENDS = {"DP_INTERVAL_LOW": "low", "DP_INTERVAL_HIGH": "high", "DP_CLIPPED": "clipped"}
_AGGREGATES = (
    *("COUNT", "COUNT_IF", "SUM", "AVG", "VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV_SAMP", "COVAR_POP", "COVAR_SAMP", "CORR"),
    *("MIN", "MAX", "MEDIAN", "QUANTILE", "PERCENTILE_CONT", "MODE"),
)
_NUMBERS = ("ABS", "FLOOR", "CEIL", "ROUND", "SQRT", "LN", "LEAST", "GREATEST", "CAST")
_CHOICES = ("COALESCE", "IFNULL", "NULLIF", "IF")
_DATES = ("YEAR", "QUARTER", "MONTH", "DAY", "DAYOFWEEK", "DAYOFYEAR", "EXTRACT", "DATE_TRUNC", "DATE_DIFF")
_TEXTS = ("LOWER", "UPPER", "TRIM", "LENGTH", "SUBSTRING", "LEFT", "RIGHT", "CONCAT", "STARTS_WITH")
KNOWN = (*_AGGREGATES, *_NUMBERS, *_CHOICES, *_DATES, *_TEXTS, *_ENDS)


def _named(node: exp.Anonymous, reader: Reader) -> Typed:
    if named_of(reader.text, node) is not None:
        return wrapped(node, reader)
    name = str(node.this)
    end = _ENDS.get(name.upper())
    if end is None:
        close = nearest(name, KNOWN)
        instead = f"Did you mean {close}?" if close else f"The functions are {', '.join(KNOWN)}."
        reader.refuse(node, f"{name[:60]} is no function here", INSTEAD.get(name.upper(), instead))
    if len(node.expressions) != 1:
        reader.refuse(node, f"{name.upper()} takes one aggregate", f"Write {name.upper()}(n), where n is the alias of an aggregate.")
    return reader.interval(node, node.expressions[0], end)


RULES = (Rule(exp.Anonymous, _named, ("this", "expressions")),)
