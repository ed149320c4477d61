"""The answer to a question: noisy values, intervals at any level, and the cost. All of it is
post-processing of stored releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any

from hedgerow.accuracy.weighted_noise import read_columns, select_comparable
from hedgerow.answers.correlation_caveats import describe_wide_correlations
from hedgerow.answers.dataframes import (
    FrameConversions,
    add_interval_columns,
    build_untyped_array,
    encode_json_value,
    infer_types,
)
from hedgerow.answers.estimates.bracketed_quantile import estimate_bracketed
from hedgerow.answers.estimates.estimate import Estimate, Interval, estimate_aggregate
from hedgerow.answers.estimates.unclipped_sum import estimate_unclipped
from hedgerow.answers.render import render_answer_html, render_answer_text
from hedgerow.answers.repeated_answers import average_measure, describe_averaging
from hedgerow.answers.result_rows import (
    ResultRow,
    arrange_rows,
    compute_outputs,
    evaluate_row,
)
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import (
    ColumnRef,
    Constant,
    Expression,
    find_columns,
    infer_range,
)
from hedgerow.plan.values import Range, Value
from hedgerow.privacy.loss import Loss
from hedgerow.release.payload import Release
from hedgerow.sql.predicates.date_granularity import Granularity, compute_granularity
from hedgerow.sql.question import AggregateCall, Question

__all__ = [
    "DEFAULT_LEVEL",
    "Answer",
    "Receipt",
    "build_answer",
    "build_receipt",
    "replace_estimates",
]

DEFAULT_LEVEL = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The ledger entry that paid for an answer; a ``reused`` answer was paid for earlier."""

    entry: int
    hash: str
    time: str
    epsilon: Fraction
    reused: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "entry": self.entry,
            "hash": self.hash,
            "time": self.time,
            "epsilon": str(self.epsilon),
            "reused": self.reused,
        }


def build_receipt(release: Release, *, reused: bool) -> Receipt:
    """Build the receipt of a release."""
    entry = release.entry
    return Receipt(entry.seq, entry.hash, entry.time, release.epsilon, reused)


@dataclass(frozen=True, slots=True, repr=False)
class Answer(FrameConversions):
    """A table of noisy values: ``rows`` holds them, ``interval`` bounds their noise."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    cost: Loss
    receipt: Receipt
    notes: tuple[str, ...]
    _cells: tuple[ResultRow, ...] = field(repr=False)
    _outputs: Mapping[str, Expression] = field(repr=False)
    _estimates: Mapping[str, Estimate] = field(repr=False)
    _question: Question = field(repr=False)
    _releases: tuple[Release, ...] = field(repr=False)

    def interval(
        self, column: str, level: Number = DEFAULT_LEVEL, *, rows: int | None = None
    ) -> list[Interval]:
        """Return for each row, or the first ``rows`` of them, an interval that holds the exact
        value after clamping and contribution bounds with probability ``level``; None for keys and
        NULL.

        An expression of several aggregates gets the values that it takes while each aggregate stays
        in its own interval. Those intervals hold jointly at the level.
        """
        if column not in self._outputs:
            raise InvalidArgument("column", f"must be one of {', '.join(self.columns)}", column)
        return _bound_rows(self._outputs[column], self._cells[:rows], self._estimates, level)

    @property
    def has_all_groups(self) -> bool:
        """True if no group is missing: neither hidden, nor left out by HAVING or LIMIT."""
        asked = self._question
        chosen = (asked.having, asked.limit, asked.offset or None)
        return asked.plan.source.domain is not None and chosen == (None, None, None)

    @property
    def keys(self) -> frozenset[str]:
        """The columns without noise: keys, and expressions of keys alone."""
        read = [*self._estimates, *(name for name, _ in self._question.computed)]
        noisy = {f"{name}{end}" for name in read for end in ("", ".low", ".high")}
        return frozenset(
            name
            for name, expression in self._outputs.items()
            if noisy.isdisjoint(find_columns(expression))
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: dates, and the exact numbers of the cost, as text."""
        return {
            "columns": list(self.columns),
            "types": infer_types(self.columns, self.rows),
            "keys": [name for name in self.columns if name in self.keys],
            "rows": [
                {name: encode_json_value(value) for name, value in row.items()} for row in self.rows
            ],
            "intervals": {
                name: [pair and list(pair) for pair in self.interval(name)] for name in self.columns
            },
            "cost": self.cost.to_dict(),
            "receipt": self.receipt.to_dict(),
            "notes": list(self.notes),
        }

    def to_arrow(self, *, intervals: bool = False) -> Any:
        """Return the rows as a pyarrow table; ``intervals`` adds <name>_low and <name>_high, the
        ends of the 95 % intervals, after each column that has intervals."""
        import pyarrow as pa

        table = pa.table(
            {name: build_untyped_array([row[name] for row in self.rows]) for name in self.columns}
        )
        return add_interval_columns(table, self.interval) if intervals else table

    def __repr__(self) -> str:
        return render_answer_text(self)

    def _repr_html_(self) -> str:
        return render_answer_html(self)


def build_answer(
    question: Question, releases: Sequence[Release], *, reused: bool, notes: Sequence[str]
) -> Answer:
    """Build the answer to a question from the releases of its plan, the one of the largest epsilon
    first: HAVING, ORDER BY, LIMIT and the SELECT list apply to noisy values."""
    together, release = select_comparable(releases), releases[0]
    return _assemble_answer(
        question,
        together,
        _compute_estimates(question, together),
        Loss(Fraction(0)) if reused else release.loss,
        build_receipt(release, reused=reused),
        [*notes, *describe_averaging(question, together)],
    )


def replace_estimates(
    answer: Answer, estimates: Mapping[str, Estimate], notes: Sequence[str]
) -> Answer:
    """Rebuild an answer with other estimates of the same aggregates, at no cost; HAVING, ORDER BY
    and LIMIT apply to the new values."""
    return _assemble_answer(
        answer._question,
        answer._releases,
        {**answer._estimates, **estimates},
        Loss(Fraction(0)),
        replace(answer.receipt, reused=True),
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
    rows = arrange_rows(question, _build_rows(question, releases[0], estimates))
    outputs = {output.name: output.expression for output in question.outputs}
    shown = [compute_outputs(question, row) for row in rows]
    return Answer(
        tuple(outputs),
        shown,
        cost,
        receipt,
        (*notes, *describe_wide_correlations(question, estimates, DEFAULT_LEVEL)),
        tuple(rows),
        outputs,
        estimates,
        question,
        tuple(releases),
    )


def _compute_estimates(question: Question, releases: Sequence[Release]) -> dict[str, Estimate]:
    """Estimate every aggregate from the releases, averaged where they are additive."""
    # A question never has a contingency measure; the type of the plan allows one.
    measures = [
        measure for measure in question.plan.measures if not isinstance(measure, Contingency)
    ]
    found: dict[str, Estimate] = {}
    for call in question.aggregates:
        averaged = average_measure(releases, measures, measures.index(call.measure))
        found[call.name] = estimate_aggregate(
            call,
            averaged.columns,
            averaged.noise,
            _find_granularity(question, call),
            factor=averaged.parts_per_step,
        )
    for call in question.aggregates:  # these intervals need the estimate of a count
        index = measures.index(call.measure)
        if call.clip is not None:
            found[call.name] = estimate_unclipped(call, call.clip, found)
        if call.bracket is not None:
            selected = read_columns(releases[0], measures, index)
            found[call.name] = estimate_bracketed(
                call, call.bracket, selected, releases[0].noise.mechanisms[index], found
            )
    return found


def _find_granularity(question: Question, call: AggregateCall) -> Granularity:
    """Return the granularity of the dates among which one is selected; it is public."""
    if isinstance(call.measure, OrderStatistic) and call.type == "date" and call.measure.column:
        return compute_granularity(question.plan.bound.source, ColumnRef(call.measure.column))
    return "day"


def _build_rows(
    question: Question, release: Release, estimates: Mapping[str, Estimate]
) -> list[ResultRow]:
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
        rows.append(ResultRow(place, values))
    for name, expression in question.computed:
        pairs = _bound_rows(expression, rows, estimates, DEFAULT_LEVEL)
        bounds = [(None, None) if pair is None else pair for pair in pairs]
        rows = [
            replace(row, values={**row.values, f"{name}.low": low, f"{name}.high": high})
            for row, (low, high) in zip(rows, bounds, strict=True)
        ]
    return rows


def _list_interval_reads(question: Question) -> set[str]:
    """Return the names of the aggregates whose interval ends the question reads."""
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


def _bound_rows(
    expression: Expression,
    rows: Sequence[ResultRow],
    estimates: Mapping[str, Estimate],
    level: Number,
) -> list[Interval]:
    """Return the interval of an expression in each row, at the level for all of its aggregates."""
    # The end of an interval ("a0.low") has no interval of its own.
    used = sorted(set(find_columns(expression)) & set(estimates))
    if not used:
        return [None] * len(rows)
    # A union bound over the aggregates that the expression uses.
    each = 1 - (1 - parse_exact(level, "level")) / len(used)
    intervals = {name: estimates[name].intervals(each) for name in used}
    if isinstance(expression, ColumnRef):
        return [intervals[used[0]][row.index] for row in rows]
    return [_bound_expression(expression, row, intervals) for row in rows]


def _bound_expression(
    expression: Expression, row: ResultRow, intervals: Mapping[str, Sequence[Interval]]
) -> Interval:
    """Bound an expression while its aggregates stay in their intervals; None where it is unbounded,
    or reads an aggregate without an interval, such as a median."""
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
        or evaluate_row(expression, row) is None
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
    if isinstance(value, str):
        return Constant(value, "text").range
    return Constant(value, "timestamp" if isinstance(value, datetime) else "date").range
