"""A question as it was understood: what the engine adds up, and what is made of the noisy sums
afterwards.
"""

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
    "QUANTILE",
    "MIN",
    "MAX",
    "MODE",
]


@dataclass(frozen=True, slots=True)
class ClippingCount:
    """The aggregate ``count`` says how many units have a sum outside the ``limits``. None of these
    sums is outside ``outer``, or else it counts as its nearer end; None where nothing is known of
    them."""

    count: str
    limits: tuple[Fraction, Fraction]
    outer: tuple[Fraction, Fraction] | None = None


@dataclass(frozen=True, slots=True)
class QuantileBracket:
    """Quantiles at the shares ``low`` and ``high`` are chosen too, and the aggregate ``count``
    says of how many values.
    """

    count: str
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """An aggregate: outputs read it as ``name`` "a0", its interval as "a0.low" and "a0.high";
    ``text`` is for people.

    Several may have one measure: AVG, VAR_POP, SUM and COUNT of one column are read off its
    moments, quantiles (``at`` says which) off one choice of several. A COUNT off moments is of the
    values, or of all ``rows``.
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
    """A key of the groups: outputs read it as ``name``, which says its place in GROUP BY ("k0").
    The plan may have another order.
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
    """By what the rows of the answer are sorted."""

    expression: Expression
    descending: bool
    nulls_last: bool


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """What the question itself says about its price; None where it leaves that to the policy."""

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    max_groups: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """``plan`` touches the data; ``outputs``, ``having``, ``order``, ``limit`` and ``offset``
    only ever see noisy values.
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

    def restore_key_order(self) -> Question:
        """The same with the keys of the plan in the order of GROUP BY."""
        places = sorted(range(len(self.keys)), key=lambda place: int(self.keys[place].name[1:]))
        group = self.plan.source
        bound = replace(group.source, keys=tuple(group.source.keys[place] for place in places))
        domain = None if group.domain is None else tuple(group.domain[place] for place in places)
        plan = replace(self.plan, source=Group(bound, domain))
        return replace(self, plan=plan, keys=tuple(self.keys[place] for place in places))

    def with_plan(self, plan: Aggregate) -> Question:
        """The same off a plan with other measures, which tell all that is asked for."""
        return replace(
            self, plan=plan, aggregates=tuple(_find_measure(plan, call) for call in self.aggregates)
        )

    def __post_init__(self) -> None:
        if any(call.measure not in self.plan.measures for call in self.aggregates):
            raise InvalidArgument("aggregates", "must use measures of the plan")
        if len(self.keys) != len(self.plan.bound.keys):
            raise InvalidArgument("keys", "must match the keys of the plan")


def _find_measure(plan: Aggregate, call: AggregateCall) -> AggregateCall:
    """The aggregate off the measure that tells it: its own, in whatever parts of a step, or moments
    of its column, or for COUNT(*) moments that count rows."""
    wanted, rows = call.measure, call.measure == Measure("rows")
    known = [one for one in plan.measures if isinstance(one, Measure | OrderStatistic)]
    plain = {
        replace(one, resolution=1, counts_rows=False) if isinstance(one, Measure) else one: one
        for one in known
    }
    if wanted in plain:
        return replace(call, measure=plain[wanted])
    moments = [
        one
        for one in plan.measures
        if isinstance(one, Measure) and one.kind == "moments" and one.second is None
    ]
    telling = [
        one
        for one in moments
        if (
            one.counts_rows
            if rows
            else one.column == wanted.column and wanted.grid in (None, one.grid)
        )
    ]
    return replace(call, measure=telling[0], counts_rows=rows)
