"""The closed lists of functions, operators and types that public questions may use.

Each maps a node of the parser, or a word of the analyst, to a word of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

__all__ = [
    "ANONYMOUS",
    "CAST_TYPES",
    "CHAINS",
    "COMPARISONS",
    "DATE_PARTS",
    "INTERVALS",
    "ONE_ARGUMENT",
    "OPERANDS",
    "SEVERAL_ARGUMENTS",
    "TRIMS",
]

OPERANDS: Final = ("this", "expression")
DATE_PARTS: Final = {
    **{word: word for word in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "ISODOW")},
    **{word: word for word in ("ISOYEAR", "DECADE", "CENTURY", "MILLENNIUM", "ERA", "EPOCH")},
    **{word: word for word in ("HOUR", "MINUTE", "SECOND", "DAYOFWEEK", "DAYOFYEAR")},
    "DOW": "DAYOFWEEK",
    "WEEKDAY": "DAYOFWEEK",
    "DOY": "DAYOFYEAR",
}
INTERVALS: Final = {
    "DAY": "to_days",
    "WEEK": "to_weeks",
    "MONTH": "to_months",
    "YEAR": "to_years",
}
CAST_TYPES: Final[Mapping[object, str]] = {
    exp.DType.BOOLEAN: "BOOLEAN",
    exp.DType.INT: "INTEGER",
    exp.DType.BIGINT: "BIGINT",
    exp.DType.DOUBLE: "DOUBLE",
    exp.DType.FLOAT: "FLOAT",
    exp.DType.TEXT: "TEXT",
    exp.DType.VARCHAR: "TEXT",
    exp.DType.DATE: "DATE",
    exp.DType.TIMESTAMP: "TIMESTAMP",
    exp.DType.TIMESTAMPNTZ: "TIMESTAMP",
    exp.DType.DECIMAL: "DECIMAL",
    exp.DType.SMALLINT: "INTEGER",
    exp.DType.TINYINT: "INTEGER",
}
# Left-associative operators that are written in one line, without parentheses.
CHAINS: Final[tuple[Mapping[type[exp.Expr], str], ...]] = (
    {exp.And: "AND"},
    {exp.Or: "OR"},
    {exp.Add: "+", exp.Sub: "-"},
    {exp.Mul: "*", exp.Div: "/", exp.IntDiv: "//", exp.Mod: "%"},
    {exp.DPipe: "||"},
)
COMPARISONS: Final[Mapping[type[exp.Expr], str]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
}
ONE_ARGUMENT: Final[Mapping[type[exp.Expr], str]] = {
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
    exp.Median: "median",
    exp.VariancePop: "var_pop",
    exp.Variance: "variance",
    exp.StddevPop: "stddev_pop",
    exp.Stddev: "stddev",
    exp.StddevSamp: "stddev_samp",
    exp.Floor: "floor",
    exp.Ceil: "ceil",
    exp.Abs: "abs",
    exp.Sqrt: "sqrt",
    exp.Ln: "ln",
    exp.Exp: "exp",
    exp.Cbrt: "cbrt",
    exp.Degrees: "degrees",
    exp.Radians: "radians",
    exp.Sin: "sin",
    exp.Cos: "cos",
    exp.Tan: "tan",
    exp.Asin: "asin",
    exp.Acos: "acos",
    exp.Atan: "atan",
    exp.Sinh: "sinh",
    exp.Cosh: "cosh",
    exp.Tanh: "tanh",
    exp.Asinh: "asinh",
    exp.Acosh: "acosh",
    exp.Atanh: "atanh",
    exp.LastDay: "last_day",
    exp.Week: "week",
    exp.TimeToUnix: "epoch",
    exp.Sign: "sign",
    exp.Lower: "lower",
    exp.Upper: "upper",
    exp.Length: "length",
    exp.Year: "year",
    exp.Month: "month",
    exp.Day: "day",
    exp.Mode: "mode",
    exp.AnyValue: "any_value",
    exp.First: "first",
    exp.LogicalAnd: "bool_and",
    exp.LogicalOr: "bool_or",
    exp.CountIf: "count_if",
    exp.Skewness: "skewness",
    exp.Kurtosis: "kurtosis",
    exp.Quarter: "quarter",
    exp.Dayname: "dayname",
    exp.Monthname: "monthname",
    exp.Reverse: "reverse",
}
SEVERAL_ARGUMENTS: Final[Mapping[type[exp.Expr], tuple[str, ...]]] = {
    exp.Corr: ("corr", *OPERANDS),
    exp.CovarPop: ("covar_pop", *OPERANDS),
    exp.CovarSamp: ("covar_samp", *OPERANDS),
    exp.Nullif: ("nullif", *OPERANDS),
    exp.Pow: ("power", *OPERANDS),
    exp.Log: ("log", *OPERANDS),  # to the base 10, or LOG(base, x)
    exp.Pi: ("pi",),
    exp.Quantile: ("quantile", "this", "quantile"),
    exp.PercentileCont: ("quantile_cont", *OPERANDS),
    exp.Round: ("round", "this", "decimals"),
    exp.Substring: ("substring", "this", "start", "length"),
    exp.Coalesce: ("coalesce", "this", "expressions"),
    exp.Least: ("least", "this", "expressions"),
    exp.Greatest: ("greatest", "this", "expressions"),
    exp.Concat: ("concat", "expressions"),
    exp.ArgMax: ("arg_max", *OPERANDS),
    exp.ArgMin: ("arg_min", *OPERANDS),
    exp.RegrSlope: ("regr_slope", *OPERANDS),
    exp.RegrIntercept: ("regr_intercept", *OPERANDS),
    exp.Trunc: ("trunc", "this"),
    exp.Left: ("left", *OPERANDS),
    exp.Right: ("right", *OPERANDS),
    exp.Replace: ("replace", *OPERANDS, "replacement"),
    exp.StartsWith: ("starts_with", *OPERANDS),
    exp.Contains: ("contains", *OPERANDS),
    exp.StrPosition: ("strpos", "this", "substr"),
    exp.SplitPart: ("split_part", "this", "delimiter", "part_index"),
    exp.ConcatWs: ("concat_ws", "expressions"),
    exp.TimeToStr: ("strftime", "this", "format"),
}
# functions that the parser has no node for
ANONYMOUS: Final = {
    "HASH": "hash",
    **{name.upper(): name for name in ("mad", "geomean", "product", "entropy", "sem")},
}
TRIMS: Final[Mapping[object, str]] = {
    None: "trim",
    "BOTH": "trim",
    "LEADING": "ltrim",
    "TRAILING": "rtrim",
}
