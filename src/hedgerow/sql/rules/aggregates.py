"""Rules for aggregates, with FILTER, WITHIN GROUP and named arguments, and unsupported ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from sqlglot import exp

from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.binder.rule import Binder, Refusal, Rule, find_filled_args
from hedgerow.sql.binder.typed_expression import TypedExpression, build_constant
from hedgerow.sql.question import AggregateFunction
from hedgerow.sql.syntax.function_synonyms import KurtosisPop
from hedgerow.sql.syntax.named_arguments import NUMBER, find_named_arguments

__all__ = ["RULES", "bind_named_call", "find_aggregate_name", "is_aggregate"]

_AGGREGATES: Final = (
    "The aggregates are COUNT, SUM, AVG, VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP, COVAR_POP,"
    " COVAR_SAMP, CORR, REGR_SLOPE, REGR_INTERCEPT, REGR_R2, REGR_COUNT, SKEWNESS, KURTOSIS, MIN,"
    " MAX, MEDIAN, QUANTILE, PERCENTILE_CONT and MODE."
)
_ONE_ARGUMENT: Final[dict[type[exp.Expr], tuple[str, AggregateFunction]]] = {
    exp.Count: ("COUNT", "COUNT"),
    exp.Sum: ("SUM", "SUM"),
    exp.Avg: ("AVG", "AVG"),
    exp.VariancePop: ("VAR_POP", "VAR_POP"),
    exp.Variance: ("VAR_SAMP", "VAR_SAMP"),
    exp.StddevPop: ("STDDEV_POP", "STDDEV_POP"),
    exp.Stddev: ("STDDEV", "STDDEV_SAMP"),
    exp.StddevSamp: ("STDDEV_SAMP", "STDDEV_SAMP"),
    exp.Skewness: ("SKEWNESS", "SKEWNESS"),
    exp.Kurtosis: ("KURTOSIS", "KURTOSIS"),
    KurtosisPop: ("KURTOSIS_POP", "KURTOSIS_POP"),
    exp.Min: ("MIN", "MIN"),
    exp.Max: ("MAX", "MAX"),
    exp.Mode: ("MODE", "MODE"),
    exp.Median: ("MEDIAN", "QUANTILE"),
    exp.LogicalAnd: ("BOOL_AND", "MIN"),
    exp.LogicalOr: ("BOOL_OR", "MAX"),
    exp.CountIf: ("COUNT_IF", "COUNT"),
    exp.ApproxDistinct: ("APPROX_COUNT_DISTINCT", "COUNT"),
}
_TWO_ARGUMENTS: Final[dict[type[exp.Expr], tuple[str, AggregateFunction]]] = {
    exp.CovarPop: ("COVAR_POP", "COVAR_POP"),
    exp.CovarSamp: ("COVAR_SAMP", "COVAR_SAMP"),
    exp.Corr: ("CORR", "CORR"),
    exp.RegrSlope: ("REGR_SLOPE", "REGR_SLOPE"),
    exp.RegrIntercept: ("REGR_INTERCEPT", "REGR_INTERCEPT"),
    exp.RegrR2: ("REGR_R2", "REGR_R2"),
    exp.RegrCount: ("REGR_COUNT", "COUNT"),
    exp.RegrAvgx: ("REGR_AVGX", "REGR_AVGX"),
    exp.RegrAvgy: ("REGR_AVGY", "REGR_AVGY"),
    exp.RegrSxx: ("REGR_SXX", "REGR_SXX"),
    exp.RegrSyy: ("REGR_SYY", "REGR_SYY"),
    exp.RegrSxy: ("REGR_SXY", "REGR_SXY"),
}
_QUANTILES: Final[dict[type[exp.Expr], tuple[str, str]]] = {
    exp.Quantile: ("QUANTILE", "quantile"),
    exp.ApproxQuantile: ("APPROX_QUANTILE", "quantile"),
    exp.PercentileCont: ("PERCENTILE_CONT", "expression"),
    exp.PercentileDisc: ("PERCENTILE_DISC", "expression"),
}


def is_aggregate(node: exp.Expr) -> bool:
    """Return whether a node is a supported aggregate, with or without FILTER and the like."""
    inner = _unwrap(node)
    return (
        type(inner) in _ONE_ARGUMENT or type(inner) in _TWO_ARGUMENTS or type(inner) in _QUANTILES
    )


def find_aggregate_name(node: exp.Expr) -> str | None:
    """Return the name of an aggregate; None for any other node."""
    inner = _unwrap(node)
    known = (
        _ONE_ARGUMENT.get(type(inner))
        or _TWO_ARGUMENTS.get(type(inner))
        or _QUANTILES.get(type(inner))
    )
    return known[0] if known else None


def _unwrap(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Filter | exp.WithinGroup) or (
        isinstance(node, exp.Anonymous) and str(node.this).startswith("\0")
    ):
        node = (
            node.expressions[0]
            if isinstance(node, exp.Anonymous) and len(node.expressions) == 1
            else node.this
        )
        if not isinstance(node, exp.Expr):
            return exp.Null()
    return node


def _bind_call(node: exp.Expr, binder: Binder) -> TypedExpression:
    asked = replace(_parse_call(node, binder), node=node)
    if asked.distinct and asked.function == "AVG":
        parts = [_replace_average(node, kind) for kind in (exp.Sum, exp.Count)]
        return binder.apply(node, "/", *(_bind_call(part, binder) for part in parts))
    found = binder.bind_aggregate(asked)
    if isinstance(_unwrap(node), exp.LogicalAnd | exp.LogicalOr):
        return binder.apply(node, "=", found, build_constant(1, "integer"))
    return found


def _replace_average(node: exp.Expr, kind: type[exp.AggFunc]) -> exp.Expr:
    """Return AVG(DISTINCT x) with another aggregate of the same values."""
    found = node.copy()
    average = found if isinstance(found, exp.Avg) else found.find(exp.Avg)
    assert average is not None
    other = kind(this=average.this.copy())
    return other if average is found else average.replace(other) and found


def bind_named_call(node: exp.Anonymous, binder: Binder) -> TypedExpression:
    """Bind a function with named arguments."""
    if not is_aggregate(node):
        binder.refuse(node, "Only aggregates take named arguments", "Leave them out.")
    return _bind_call(node, binder)


def _parse_call(node: exp.Expr, binder: Binder) -> AggregateSyntax:
    if isinstance(node, exp.Filter):
        _check_args(node, binder, "this", "expression")
        _check_args(node.expression, binder, "this")
        inner = _parse_call(node.this, binder)
        return replace(inner, conditions=(*inner.conditions, node.expression.this))
    if isinstance(node, exp.WithinGroup):
        return _parse_within_group(node, binder)
    named = find_named_arguments(binder.text, node)
    if named is not None:
        return replace(_parse_call(node.expressions[0], binder), named_arguments=named)
    if type(node) in _QUANTILES:
        return _parse_quantile(node, binder)
    if type(node) in _TWO_ARGUMENTS:
        _check_args(node, binder, "this", "expression")
        return AggregateSyntax(node, *_TWO_ARGUMENTS[type(node)], (node.this, node.expression))
    if type(node) in _ONE_ARGUMENT:
        return _parse_single(node, binder)
    return binder.refuse(node, "This aggregate is not supported", _AGGREGATES)


def _parse_single(node: exp.Expr, binder: Binder) -> AggregateSyntax:
    name, function = _ONE_ARGUMENT[type(node)]
    inner = node.this
    if node.expressions or node.args.get("count") is not None:
        binder.refuse(node, f"{name} takes one column", f"Write one {name} for each column.")
    _check_args(node, binder, "this", "big_int")
    at = Fraction(1, 2) if name == "MEDIAN" else None
    if name in ("BOOL_AND", "BOOL_OR") and inner is not None:
        ends = [(exp.Not(this=exp.Paren(this=inner.copy())), 0), (inner, 1)]
        branches = [exp.If(this=test, true=exp.Literal.number(end)) for test, end in ends]
        return AggregateSyntax(node, name, function, (exp.Case(ifs=branches),))
    if name == "COUNT_IF" and inner is not None:
        return AggregateSyntax(node, name, function, (), conditions=(inner,))
    if name == "COUNT" and (inner is None or type(inner) is exp.Star):
        if inner is not None:
            _check_args(inner, binder)
        return AggregateSyntax(node, name, function)
    if name == "APPROX_COUNT_DISTINCT" and inner is not None:
        return AggregateSyntax(node, name, function, (inner,), distinct=True)
    if isinstance(inner, exp.Distinct):
        _check_args(inner, binder, "expressions")
        parts = inner.expressions
        if len(parts) == 1 and type(parts[0]) is exp.Tuple:
            parts = parts[0].expressions  # of a composite id
        if len(parts) != 1 and name != "COUNT":
            binder.refuse(node, "DISTINCT takes one column here", f"Write {name}(DISTINCT x).")
        return AggregateSyntax(node, name, function, tuple(parts), distinct=True, probability=at)
    if inner is None:
        fix = (
            "Write MODE(x), or MODE() WITHIN GROUP (ORDER BY x)."
            if name == "MODE"
            else "Write COUNT(*), SUM(x) or AVG(x)."
        )
        binder.refuse(node, f"{name} needs an argument", fix)
    return AggregateSyntax(node, name, function, (inner,), probability=at)


def _parse_quantile(node: exp.Expr, binder: Binder) -> AggregateSyntax:
    name, part = _QUANTILES[type(node)]
    _check_args(node, binder, "this", part)
    share = node.args.get(part)
    if share is None:
        binder.refuse(node, f"{name} needs a column and a fraction", f"Write {_EXAMPLES[name]}.")
    return AggregateSyntax(
        node, name, "QUANTILE", (node.this,), probability=_parse_probability(share, binder)
    )


def _parse_within_group(node: exp.WithinGroup, binder: Binder) -> AggregateSyntax:
    """Parse PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x), or the same of MODE()."""
    named = find_named_arguments(binder.text, node.this)
    inner = node.this.expressions[0] if named is not None else node.this
    name = find_aggregate_name(inner)
    _check_args(node, binder, "this", "expression")
    _check_args(node.expression, binder, "expressions")
    if (
        name not in ("PERCENTILE_CONT", "PERCENTILE_DISC", "MODE")
        or len(node.expression.expressions) != 1
    ):
        binder.refuse(
            node,
            "WITHIN GROUP is only for PERCENTILE_CONT, PERCENTILE_DISC and MODE",
            f"Write {_EXAMPLES['PERCENTILE_CONT']}.",
        )
    ordered = node.expression.expressions[0]
    _check_args(ordered, binder, "this", "desc", "nulls_first")
    if find_filled_args(inner) - (set() if name == "MODE" else {"this"}):
        binder.refuse(
            node,
            "With WITHIN GROUP the column goes after ORDER BY alone",
            f"Write {_EXAMPLES[name]}.",
        )
    at = None
    if name != "MODE":
        at = _parse_probability(inner.this, binder)
        at = 1 - at if ordered.args.get("desc") else at
    function: AggregateFunction = "MODE" if name == "MODE" else "QUANTILE"
    found = AggregateSyntax(node, name, function, (ordered.this,), probability=at)
    return found if named is None else replace(found, named_arguments=named)


def _parse_probability(node: exp.Expr, binder: Binder) -> Fraction:
    written = str(node.this) if isinstance(node, exp.Literal) and not node.is_string else ""
    if not NUMBER.fullmatch(written):
        binder.refuse(
            node,
            "The fraction of a quantile must be a literal number",
            f"Write {_EXAMPLES['QUANTILE']}.",
        )
    share = Fraction(written)
    if not 0 < share < 1:
        binder.refuse(
            node,
            "The fraction of a quantile must be between 0 and 1",
            "Write 0.5 for the median, MIN(x) or MAX(x) for the ends.",
        )
    return share


def _check_args(node: exp.Expr, binder: Binder, *takes: str) -> None:
    for part in sorted(find_filled_args(node) - set(takes)):
        binder.refuse(
            node,
            f"{part.strip('_').upper()} is not supported in this aggregate",
            "Leave it out. " + _AGGREGATES,
        )


def _build_refusals(*nodes: type[exp.Expr], first: str = "") -> tuple[Refusal, ...]:
    return tuple(
        Refusal(node, "This aggregate is not supported", first + _AGGREGATES) for node in nodes
    )


_VALUES_FIX: Final = "Write GROUP BY x with COUNT(*), or MODE(x): single values are never shown. "


_EXAMPLES: Final = {
    "QUANTILE": "QUANTILE(x, 0.9)",
    "APPROX_QUANTILE": "APPROX_QUANTILE(x, 0.9)",
    "PERCENTILE_CONT": "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)",
    "PERCENTILE_DISC": "PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY x)",
    "MODE": "MODE(x), or MODE() WITHIN GROUP (ORDER BY x)",
}
_ARGS: Final = ("this", "expression", "expressions", "quantile", "big_int", "count")
RULES: tuple[Rule | Refusal, ...] = (
    *(
        Rule(node, _bind_call, _ARGS)
        for node in (*_ONE_ARGUMENT, *_TWO_ARGUMENTS, *_QUANTILES, exp.Filter, exp.WithinGroup)
    ),
    Refusal(
        exp.Distinct, "DISTINCT is only allowed in COUNT, SUM and AVG", "Write COUNT(DISTINCT x)."
    ),
    Refusal(exp.Order, "ORDER BY inside an aggregate has no effect", "Leave it out."),
    *_build_refusals(
        exp.AnyValue,
        exp.First,
        exp.Last,
        exp.ArgMax,
        exp.ArgMin,
        exp.ArrayAgg,
        exp.GroupConcat,
        first=_VALUES_FIX,
    ),
    *_build_refusals(exp.IgnoreNulls, exp.RespectNulls, first=_VALUES_FIX),
    *_build_refusals(exp.Grouping),
)
