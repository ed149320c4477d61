"""The answer: noisy values, intervals at any level, what it cost. All of it is post-processing
of one release.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from operator import itemgetter
from typing import Any

from hedgerow.accuracy.weighted_noise import (
    average_releases,
    find_fineness,
    find_noise,
    read_columns,
    select_comparable,
)
from hedgerow.answers.dataframes import FrameConversions
from hedgerow.answers.estimates.bracketed_quantile import estimate_bracketed
from hedgerow.answers.estimates.estimate import Estimate, Interval, estimate_aggregate
from hedgerow.answers.estimates.unclipped_sum import estimate_unclipped
from hedgerow.answers.render import render_answer_html, render_answer_text
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import (
    ColumnRef,
    Constant,
    Expression,
    evaluate,
    find_columns,
    infer_range,
)
from hedgerow.plan.values import Range, Value
from hedgerow.privacy.loss import Loss
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.payload import Release
from hedgerow.sql.predicates.date_granularity import Granularity, compute_granularity
from hedgerow.sql.question import AggregateCall, Question, SortKey

__all__ = [
    "Answer",
    "Receipt",
    "build_answer",
    "build_receipt",
    "describe_averaging",
    "replace_estimates",
]

DEFAULT_LEVEL = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Receipt:
    """Which ledger entry paid. ``reused`` says that it was paid for earlier, and cost nothing
    now.
    """

    entry: int
    hash: str
    time: str
    epsilon: Fraction
    reused: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "entry": self.entry,
            "hash": self.hash,
            "time": self.time,
            "epsilon": str(self.epsilon),
            "reused": self.reused,
        }


def build_receipt(release: Release, *, reused: bool) -> Receipt:
    """The receipt of what was paid for a release."""
    entry = release.entry
    return Receipt(entry.seq, entry.hash, entry.time, release.epsilon, reused)


@dataclass(frozen=True, slots=True, repr=False)
class Answer(FrameConversions):
    """A table of noisy values. ``rows`` has them, ``interval`` says how far off the noise may
    have put them.
    """

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    cost: Loss
    receipt: Receipt
    notes: tuple[str, ...]
    _cells: tuple[_AnswerRow, ...] = field(repr=False)
    _outputs: Mapping[str, Expression] = field(repr=False)
    _estimates: Mapping[str, Estimate] = field(repr=False)
    _question: Question = field(repr=False)
    _releases: tuple[Release, ...] = field(repr=False)

    def interval(
        self, column: str, level: Number = DEFAULT_LEVEL, *, rows: int | None = None
    ) -> list[Interval]:
        """For each row (or the first ``rows`` of them) the interval that holds the exact value,
        clamped and capped, with probability ``level``; None for keys and NULL.

        An expression of several aggregates gets the values it takes while each of them stays in an
        interval of its own, all of which hold together at the level asked for.
        """
        if column not in self._outputs:
            raise InvalidArgument("column", f"must be one of {', '.join(self.columns)}", column)
        expression = self._outputs[column]
        # the end of an interval ("a0.low") has no interval of its own
        used = sorted(set(find_columns(expression)) & set(self._estimates))
        cells = self._cells[:rows]
        if not used:
            return [None] * len(cells)
        each = 1 - (1 - parse_exact(level, "level")) / len(used)
        intervals = {name: self._estimates[name].intervals(each) for name in used}
        if isinstance(expression, ColumnRef):
            return [intervals[used[0]][row.index] for row in cells]
        return [_bound_expression(expression, row, intervals) for row in cells]

    @property
    def keys(self) -> frozenset[str]:
        """The columns without noise: keys, and what is made of them alone."""
        noisy = {f"{name}{end}" for name in self._estimates for end in ("", ".low", ".high")}
        return frozenset(
            name
            for name, expression in self._outputs.items()
            if noisy.isdisjoint(find_columns(expression))
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: dates as text, exact numbers of the cost as text."""
        return {
            "columns": list(self.columns),
            "rows": [
                {name: _to_json_value(value) for name, value in row.items()} for row in self.rows
            ],
            "intervals": {
                name: [pair and list(pair) for pair in self.interval(name)] for name in self.columns
            },
            "cost": self.cost.to_dict(),
            "receipt": self.receipt.to_dict(),
            "notes": list(self.notes),
        }

    def to_arrow(self) -> Any:
        """A pyarrow table."""
        import pyarrow as pa

        return pa.table(
            {name: _build_arrow_array([row[name] for row in self.rows]) for name in self.columns}
        )

    def __repr__(self) -> str:
        return render_answer_text(self)

    def _repr_html_(self) -> str:
        return render_answer_html(self)


def _build_arrow_array(values: list[Any]) -> Any:
    """An Arrow array; whole numbers beyond 64 bits as doubles."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except OverflowError:
        return pa.array([None if value is None else float(value) for value in values])


def _to_json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


@dataclass(frozen=True, slots=True)
class _AnswerRow:
    """A row before the SELECT list: its place in the release, its keys and aggregates."""

    index: int
    values: Mapping[str, Any]


def build_answer(
    question: Question, releases: Sequence[Release], *, reused: bool, notes: Sequence[str]
) -> Answer:
    """The answer to a question from the releases of its plan: HAVING, ORDER BY, LIMIT and the
    SELECT list, on noisy values.

    The first has the largest epsilon; earlier ones of the same plan make it better.
    """
    together, release = select_comparable(releases), releases[0]
    estimates = _compute_estimates(question, together)
    cost = Loss(Fraction(0)) if reused else release.loss
    return _assemble_answer(
        question,
        together,
        estimates,
        cost,
        build_receipt(release, reused=reused),
        [*notes, *describe_averaging(question, together)],
    )


def replace_estimates(
    answer: Answer, estimates: Mapping[str, Estimate], notes: Sequence[str]
) -> Answer:
    """The same answer with other estimates, made of stored answers: HAVING, ORDER BY and LIMIT
    look at these. It costs nothing.
    """
    receipt = replace(answer.receipt, reused=True)
    return _assemble_answer(
        answer._question,
        answer._releases,
        {**answer._estimates, **estimates},
        Loss(Fraction(0)),
        receipt,
        [*answer.notes, *notes],
    )


def _assemble_answer(
    question: Question,
    releases: Sequence[Release],
    estimates: Mapping[str, Estimate],
    cost: Loss,
    receipt: Receipt,
    notes: Sequence[str],
) -> Answer:
    rows = _build_rows(question, releases[0], estimates)
    if question.having is not None:
        rows = [row for row in rows if _evaluate_row(question.having, row) is True]
    for order in reversed(question.order):
        rows = _sort_rows(rows, order)
    rows = rows[
        question.offset : None if question.limit is None else question.offset + question.limit
    ]
    outputs = {output.name: output.expression for output in question.outputs}
    shown = [
        {name: _evaluate_row(expression, row) for name, expression in outputs.items()}
        for row in rows
    ]
    return Answer(
        tuple(outputs),
        shown,
        cost,
        receipt,
        tuple(notes),
        tuple(rows),
        outputs,
        estimates,
        question,
        tuple(releases),
    )


def describe_averaging(question: Question, together: Sequence[Release]) -> list[str]:
    """What to say of the releases that an answer is made of, where there are several and
    something adds up.
    """
    earlier = [release.entry.seq for release in together[1:]]
    if not earlier or all(isinstance(call.measure, OrderStatistic) for call in question.aggregates):
        return []
    if len(earlier) == 1:
        return [
            "Sums are averaged with an earlier answer to this question (ledger entry"
            f" {earlier[0]}), the less noisy one counting more."
        ]
    entries = ", ".join(map(str, earlier))
    return [
        f"Sums are averaged with earlier answers to this question (ledger entries {entries}), the"
        " less noisy ones counting more."
    ]


def _compute_estimates(question: Question, releases: Sequence[Release]) -> dict[str, Estimate]:
    """Of every aggregate, averaged over the releases where that can be done; what was chosen is
    that of the first.
    """
    # no question has one
    measures = [
        measure for measure in question.plan.measures if not isinstance(measure, Contingency)
    ]
    found: dict[str, Estimate] = {}
    for call in question.aggregates:
        index = measures.index(call.measure)
        columns = [read_columns(release, measures, index) for release in releases]
        laws = [
            law
            for release in releases
            if not isinstance(law := find_noise(release.noise, index), CalibratedSelection)
        ]
        if laws:
            factors = [find_fineness(release.noise, index).parts_per_step for release in releases]
            numbers, law, factor = average_releases(columns, laws, factors)
            found[call.name] = estimate_aggregate(call, numbers, law, factor=factor)
        else:
            found[call.name] = estimate_aggregate(
                call,
                columns[0],
                releases[0].noise.mechanisms[index],
                grain=_find_granularity(question, call),
            )
    for call in question.aggregates:  # some intervals take another aggregate, a count
        index = measures.index(call.measure)
        if call.clip is not None:
            found[call.name] = estimate_unclipped(call, call.clip, found)
        if call.bracket is not None:
            chosen = read_columns(releases[0], measures, index)
            found[call.name] = estimate_bracketed(
                call, call.bracket, chosen, releases[0].noise.mechanisms[index], found
            )
    return found


def _find_granularity(question: Question, call: AggregateCall) -> Granularity:
    """What is known of the dates among which one was chosen. It is public: the question and the
    policy say it.
    """
    picked = (
        call.measure.column
        if isinstance(call.measure, OrderStatistic) and call.type == "date"
        else None
    )
    return (
        "day"
        if picked is None
        else compute_granularity(question.plan.bound.source, ColumnRef(picked))
    )


def _build_rows(
    question: Question, release: Release, estimates: Mapping[str, Estimate]
) -> list[_AnswerRow]:
    columns: dict[str, Sequence[Any]] = {}
    ends = _list_interval_reads(question)
    for name, known in estimates.items():
        columns[name] = known.values
        if name in ends:
            low_high = known.intervals(DEFAULT_LEVEL)
            columns[f"{name}.low"] = [pair and pair[0] for pair in low_high]
            columns[f"{name}.high"] = [pair and pair[1] for pair in low_high]
    names = [key.name for key in question.keys]
    rows = []
    for place, key in enumerate(release.keys):
        values: dict[str, Any] = dict(zip(names, key, strict=True))
        values.update((name, column[place]) for name, column in columns.items())
        rows.append(_AnswerRow(place, values))
    return rows


def _evaluate_row(expression: Expression, row: _AnswerRow) -> Value:
    """An expression of noisy values, which have no bounds: what leaves the range of doubles is
    NULL.
    """
    try:
        value = evaluate(expression, row.values)
    except (OverflowError, ValueError):  # ValueError: the whole part of what is no number
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _list_interval_reads(question: Question) -> set[str]:
    """The aggregates of whose intervals the question reads an end."""
    expressions = [output.expression for output in question.outputs] + [
        order.expression for order in question.order
    ]
    if question.having is not None:
        expressions.append(question.having)
    return {
        name.partition(".")[0]
        for expression in expressions
        for name in find_columns(expression)
        if "." in name
    }


def _sort_rows(rows: list[_AnswerRow], order: SortKey) -> list[_AnswerRow]:
    """Sorted by one expression; equal rows keep their order, which is that of the keys."""
    valued = [(_evaluate_row(order.expression, row), row) for row in rows]
    known: list[Any] = [pair for pair in valued if pair[0] is not None]
    known.sort(key=itemgetter(0), reverse=order.descending)  # stable both ways
    unknown = [row for value, row in valued if value is None]
    found = [row for _, row in known]
    return found + unknown if order.nulls_last else unknown + found


def _bound_expression(
    expression: Expression, row: _AnswerRow, intervals: Mapping[str, Sequence[Interval]]
) -> Interval:
    """Between which values an expression lies while the aggregates stay in their intervals; None
    where that has no bounds, or where it reads an aggregate without an interval (a median, say,
    whose error is one of ranks)."""
    known = {name: _to_range(value) for name, value in row.values.items()}
    for name, pairs in intervals.items():
        if (pair := pairs[row.index]) is None:
            return None
        whole = isinstance(pair[0], int)
        known[name] = Range(
            "integer" if whole else "real", Fraction(pair[0]), Fraction(pair[1]), nullable=False
        )
    try:
        spread = infer_range(expression, known)
    except Refused:  # the bounds leave the range of numbers
        return None
    if (
        spread.type not in ("integer", "real")
        or spread.low is None
        or spread.high is None
        or _evaluate_row(expression, row) is None
    ):
        return None
    return float(spread.low), float(spread.high)


def _to_range(value: Value) -> Range:
    if value is None:
        return Range("real", values=())
    if isinstance(value, bool):
        return Constant(value, "boolean").range
    if isinstance(value, int):
        return Constant(value, "integer").range
    if isinstance(value, float):
        return Constant(value, "real").range
    return Constant(value, "text" if isinstance(value, str) else "date").range
