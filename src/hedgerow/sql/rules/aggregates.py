"""COUNT, SUM, AVG, and the aggregates that are not there."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.rule import Reader, Refusal, Rule
from hedgerow.sql.typed import Typed

__all__ = ["DISTINCT", "RULES"]

_THREE = "The aggregates are COUNT(*), COUNT(x), SUM(x) and AVG(x)."
DISTINCT = ("DISTINCT inside an aggregate is not answered", "Write COUNT(*) with a GROUP BY on that column. " + _THREE)


def _count(node: exp.Count, reader: Reader) -> Typed:
    if node.expressions:
        reader.refuse(node, "COUNT takes one column", "Write COUNT(*), or one COUNT for each column.")
    return reader.aggregate(node, "COUNT")


def _refused(*nodes: type[exp.Expr]) -> tuple[Refusal, ...]:
    return tuple(Refusal(node, "This aggregate is not answered", _THREE) for node in nodes)


RULES: tuple[Rule | Refusal, ...] = (
    Rule(exp.Count, _count, ("this", "expressions", "big_int")),
    Rule(exp.Sum, lambda node, reader: reader.aggregate(node, "SUM")),
    Rule(exp.Avg, lambda node, reader: reader.aggregate(node, "AVG")),
    Refusal(exp.Distinct, *DISTINCT),
    Refusal(exp.Filter, "FILTER is not read", "Write the condition inside: SUM(CASE WHEN … THEN x END), or COUNT(CASE WHEN … THEN 1 END)."),
    Refusal(exp.CountIf, "COUNT_IF is not answered", "Write COUNT(CASE WHEN … THEN 1 END)."),
    Refusal(exp.Order, "An order inside an aggregate changes nothing that is answered", "Leave it out."),
    *_refused(exp.Median, exp.Min, exp.Max, exp.Quantile, exp.PercentileCont, exp.PercentileDisc, exp.ApproxQuantile, exp.Mode),
    *_refused(exp.Variance, exp.VariancePop, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Corr, exp.CovarPop, exp.CovarSamp),
    *_refused(exp.ApproxDistinct, exp.AnyValue, exp.First, exp.Last, exp.ArgMax, exp.ArgMin, exp.ArrayAgg, exp.GroupConcat),
    *_refused(exp.LogicalAnd, exp.LogicalOr, exp.Grouping),
    *_refused(exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup, exp.Kurtosis, exp.Skewness),
)
