"""A bound question: the plan that the engine runs, and the outputs computed from noisy results."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, NamedTuple

from hedgerow.errors import InvalidArgument
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Group
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Expression
from hedgerow.plan.values import Type

__all__ = [
    "AggregateCall",
    "AggregateFunction",
    "ClippingCount",
    "GroupKey",
    "OutputColumn",
    "QuantileBracket",
    "QueryOptions",
    "Question",
    "SortKey",
]


AggregateFunction = Literal[
    "COUNT",
    "SUM",
    "AVG",
    "VAR_POP",
    "VAR_SAMP",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "COVAR_POP",
    "COVAR_SAMP",
    "CORR",
    "REGR_SLOPE",
    "REGR_INTERCEPT",
    "REGR_R2",
    "REGR_AVGX",
    "REGR_AVGY",
    "REGR_SXX",
    "REGR_SYY",
    "REGR_SXY",
    "SKEWNESS",
    "KURTOSIS",
    "KURTOSIS_POP",
    "QUANTILE",
    "MIN",
    "MAX",
    "MODE",
]


@dataclass(frozen=True, slots=True)
class ClippingCount:
    """The clipping of a sum to ``limits``.

    The aggregate ``count`` counts the units with a sum outside. Sums outside ``outer`` count as its
    nearer end; None means that nothing is known of them.
    """

    count: str
    limits: tuple[Fraction, Fraction]
    outer: tuple[Fraction, Fraction] | None = None


@dataclass(frozen=True, slots=True)
class QuantileBracket:
    """A bracket of a quantile, from fraction ``low`` to ``high``.

    The aggregate ``count`` counts the values that the quantile is chosen from.
    """

    count: str
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """An aggregate: outputs read it as ``name`` ("a0"), its interval as "a0.low" and "a0.high".

    Several calls may share a measure: AVG, VAR_POP, SUM and COUNT of a column use its moments, and
    quantiles (by ``probability``) one joint selection. A COUNT from moments counts the values, or
    all rows with ``counts_rows``. ``text`` is for people.
    """

    name: str
    function: AggregateFunction
    measure: Measure | OrderStatistic
    type: Type
    text: str
    probability: Fraction | None = None
    clip: ClippingCount | None = None
    bracket: QuantileBracket | None = None
    counts_rows: bool = False


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A key: outputs read it as ``name``, its position in GROUP BY ("k0").

    The plan may have the keys in another order.
    """

    name: str
    type: Type
    text: str


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of the answer, computed from keys and noisy aggregates."""

    name: str
    expression: Expression
    type: Type


class SortKey(NamedTuple):
    """A sort key of the answer."""

    expression: Expression
    descending: bool
    nulls_last: bool


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """Options in the question itself; None leaves a value to the policy."""

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    max_groups: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A bound question.

    ``plan`` reads the data; ``outputs``, ``having``, ``order``, ``limit`` and ``offset`` only see
    noisy values. Of an expression that is ``computed``, "i0", they read the ends of the interval,
    "i0.low" and "i0.high". With ``measures_clipping`` a part of its epsilon measures what its caps
    cut off.
    """

    plan: Aggregate
    aggregates: tuple[AggregateCall, ...]
    keys: tuple[GroupKey, ...]
    outputs: tuple[OutputColumn, ...]
    having: Expression | None = None
    order: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int = 0
    options: QueryOptions = field(default_factory=QueryOptions)
    explain: bool = False
    private: bool = True
    tables: tuple[str, ...] = ()
    measures_clipping: bool = False
    computed: tuple[tuple[str, Expression], ...] = ()

    def restore_key_order(self) -> Question:
        """Return the question with the keys of the plan in the order of GROUP BY."""
        places = sorted(range(len(self.keys)), key=lambda place: int(self.keys[place].name[1:]))
        group = self.plan.source
        bound = replace(group.source, keys=tuple(group.source.keys[place] for place in places))
        domain = None if group.domain is None else tuple(group.domain[place] for place in places)
        plan = replace(self.plan, source=Group(bound, domain))
        return replace(self, plan=plan, keys=tuple(self.keys[place] for place in places))

    def with_plan(self, plan: Aggregate) -> Question:
        """Return the question with a plan whose other measures give the same aggregates."""
        return replace(
            self, plan=plan, aggregates=tuple(_find_measure(plan, call) for call in self.aggregates)
        )

    def __post_init__(self) -> None:
        if any(call.measure not in self.plan.measures for call in self.aggregates):
            raise InvalidArgument("aggregates", "must use measures of the plan")
        if len(self.keys) != len(self.plan.bound.keys):
            raise InvalidArgument("keys", "must match the keys of the plan")


def _find_measure(plan: Aggregate, call: AggregateCall) -> AggregateCall:
    """Return an aggregate with a measure of the plan that gives it.

    That is its own at any resolution, moments of its column, or for COUNT(*) moments that count
    rows.
    """
    wanted, counts_rows = call.measure, call.measure == Measure("rows")
    plain = {
        replace(known, resolution=1, counts_rows=False)
        if isinstance(known, Measure)
        else known: known
        for known in plan.measures
        if isinstance(known, Measure | OrderStatistic)
    }
    if wanted in plain:
        return replace(call, measure=plain[wanted])
    moments = (
        measure
        for measure in plan.measures
        if isinstance(measure, Measure) and measure.kind == "moments" and measure.second is None
    )
    fitting = next(
        measure
        for measure in moments
        if (
            measure.counts_rows
            if counts_rows
            else measure.column == wanted.column and wanted.grid in (None, measure.grid)
        )
    )
    return replace(call, measure=fitting, counts_rows=counts_rows)
