"""The answer: noisy values, intervals at any level, what it cost. All of it is post-processing of one release."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from operator import itemgetter
from typing import Any

from hedgerow.answers.blend import blend, comparable, fine_of, law_of, numbers_of
from hedgerow.answers.bracketed import bracketed
from hedgerow.answers.clipped import unclipped
from hedgerow.answers.estimates import Estimate, Interval, estimate
from hedgerow.answers.frames import Frames
from hedgerow.answers.show import html_table, text_table
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.number import Number, exact
from hedgerow.picking import Picking
from hedgerow.plan.crossing import Cross
from hedgerow.plan.expressions import Constant, Expression, Read, evaluate, range_of, reads
from hedgerow.plan.picks import Pick
from hedgerow.plan.values import Range, Value
from hedgerow.privacy.loss import Loss
from hedgerow.release import Release
from hedgerow.sql.grain import Grain, grain_of
from hedgerow.sql.question import AggregateCall, Order, Question

__all__ = ["Answer", "Receipt", "answer_of", "answer_with", "averaged", "receipt_of"]

LEVEL = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Receipt:
    """Which ledger entry paid. ``reused`` says that it was paid for earlier, and cost nothing now."""

    entry: int
    hash: str
    time: str
    epsilon: Fraction
    reused: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"entry": self.entry, "hash": self.hash, "time": self.time, "epsilon": str(self.epsilon), "reused": self.reused}


def receipt_of(release: Release, *, reused: bool) -> Receipt:
    """The receipt of what was paid for a release."""
    entry = release.entry
    return Receipt(entry.seq, entry.hash, entry.time, release.epsilon, reused)


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Frames):
    """A table of noisy values. ``rows`` has them, ``interval`` says how far off the noise may have put them."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    cost: Loss
    receipt: Receipt
    notes: tuple[str, ...]
    _cells: tuple[_Row, ...] = field(repr=False)
    _outputs: Mapping[str, Expression] = field(repr=False)
    _estimates: Mapping[str, Estimate] = field(repr=False)
    _question: Question = field(repr=False)
    _releases: tuple[Release, ...] = field(repr=False)

    def interval(self, column: str, level: Number = LEVEL, *, rows: int | None = None) -> list[Interval]:
        """For each row (or the first ``rows`` of them) the interval that holds the exact value, clamped and capped, with probability
        ``level``; None for keys and NULL.

        An expression of several aggregates gets the values it takes while each of them stays in an interval of its own, all of
        which hold together at the level asked for.
        """
        if column not in self._outputs:
            raise InvalidArgument("column", f"must be one of {', '.join(self.columns)}", column)
        expression = self._outputs[column]
        used = sorted(set(reads(expression)) & set(self._estimates))  # the end of an interval ("a0.low") has no interval of its own
        cells = self._cells[:rows]
        if not used:
            return [None] * len(cells)
        each = 1 - (1 - exact(level, "level")) / len(used)
        intervals = {name: self._estimates[name].intervals(each) for name in used}
        if isinstance(expression, Read):
            return [intervals[used[0]][row.place] for row in cells]
        return [_spread(expression, row, intervals) for row in cells]

    @property
    def keys(self) -> frozenset[str]:
        """The columns without noise: keys, and what is made of them alone."""
        noisy = {f"{name}{end}" for name in self._estimates for end in ("", ".low", ".high")}
        return frozenset(name for name, expression in self._outputs.items() if noisy.isdisjoint(reads(expression)))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: dates as text, exact numbers of the cost as text."""
        return {
            "columns": list(self.columns),
            "rows": [{name: _plain(value) for name, value in row.items()} for row in self.rows],
            "intervals": {name: [pair and list(pair) for pair in self.interval(name)] for name in self.columns},
            "cost": self.cost.to_dict(),
            "receipt": self.receipt.to_dict(),
            "notes": list(self.notes),
        }

    def to_arrow(self) -> Any:
        """A pyarrow table."""
        import pyarrow as pa

        return pa.table({name: _array([row[name] for row in self.rows]) for name in self.columns})

    def __repr__(self) -> str:
        return text_table(self)

    def _repr_html_(self) -> str:
        return html_table(self)


def _array(values: list[Any]) -> Any:
    """An Arrow array; whole numbers beyond 64 bits as doubles."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except OverflowError:
        return pa.array([None if value is None else float(value) for value in values])


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


@dataclass(frozen=True, slots=True)
class _Row:
    """A row before the SELECT list: its place in the release, its keys and aggregates."""

    place: int
    values: Mapping[str, Any]


def answer_of(question: Question, releases: Sequence[Release], *, reused: bool, notes: Sequence[str]) -> Answer:
    """The answer to a question from the releases of its plan: HAVING, ORDER BY, LIMIT and the SELECT list, on noisy values.

    The first has the largest epsilon; earlier ones of the same plan make it better.
    """
    together, release = comparable(releases), releases[0]
    estimates = _estimates(question, together)
    cost = Loss(Fraction(0)) if reused else release.loss
    return _made(question, together, estimates, cost, receipt_of(release, reused=reused), [*notes, *averaged(question, together)])


def answer_with(answer: Answer, estimates: Mapping[str, Estimate], notes: Sequence[str]) -> Answer:
    """The same answer with other estimates, made of stored answers: HAVING, ORDER BY and LIMIT look at these. It costs nothing."""
    receipt = replace(answer.receipt, reused=True)
    return _made(
        answer._question, answer._releases, {**answer._estimates, **estimates}, Loss(Fraction(0)), receipt, [*answer.notes, *notes]
    )


def _made(
    question: Question, releases: Sequence[Release], estimates: Mapping[str, Estimate], cost: Loss, receipt: Receipt, notes: Sequence[str]
) -> Answer:
    rows = _rows(question, releases[0], estimates)
    if question.having is not None:
        rows = [row for row in rows if _value(question.having, row) is True]
    for order in reversed(question.order):
        rows = _ordered(rows, order)
    rows = rows[question.offset : None if question.limit is None else question.offset + question.limit]
    outputs = {output.name: output.expression for output in question.outputs}
    shown = [{name: _value(expression, row) for name, expression in outputs.items()} for row in rows]
    return Answer(tuple(outputs), shown, cost, receipt, tuple(notes), tuple(rows), outputs, estimates, question, tuple(releases))


def averaged(question: Question, together: Sequence[Release]) -> list[str]:
    """What to say of the releases that an answer is made of, where there are several and something adds up."""
    earlier = [release.entry.seq for release in together[1:]]
    if not earlier or all(isinstance(call.measure, Pick) for call in question.aggregates):
        return []
    if len(earlier) == 1:
        return [f"Sums are averaged with an earlier answer to this question (ledger entry {earlier[0]}), the less noisy one counting more."]
    entries = ", ".join(map(str, earlier))
    return [f"Sums are averaged with earlier answers to this question (ledger entries {entries}), the less noisy ones counting more."]


def _estimates(question: Question, releases: Sequence[Release]) -> dict[str, Estimate]:
    """Of every aggregate, averaged over the releases where that can be done; what was chosen is that of the first."""
    measures = [measure for measure in question.plan.measures if not isinstance(measure, Cross)]  # no question has one
    found: dict[str, Estimate] = {}
    for call in question.aggregates:
        index = measures.index(call.measure)
        columns = [numbers_of(release, measures, index) for release in releases]
        laws = [law for release in releases if not isinstance(law := law_of(release.noise, index), Picking)]
        if laws:
            factors = [fine_of(release.noise, index).factor for release in releases]
            numbers, law, factor = blend(columns, laws, factors)
            found[call.name] = estimate(call, numbers, law, factor=factor)
        else:
            found[call.name] = estimate(call, columns[0], releases[0].noise.laws[index], grain=_grain(question, call))
    for call in question.aggregates:  # some intervals take another aggregate, a count
        index = measures.index(call.measure)
        if call.clip is not None:
            found[call.name] = unclipped(call, call.clip, found)
        if call.bracket is not None:
            chosen = numbers_of(releases[0], measures, index)
            found[call.name] = bracketed(call, call.bracket, chosen, releases[0].noise.laws[index], found)
    return found


def _grain(question: Question, call: AggregateCall) -> Grain:
    """What is known of the dates among which one was chosen. It is public: the question and the policy say it."""
    picked = call.measure.column if isinstance(call.measure, Pick) and call.type == "date" else None
    return "day" if picked is None else grain_of(question.plan.bound.source, Read(picked))


def _rows(question: Question, release: Release, estimates: Mapping[str, Estimate]) -> list[_Row]:
    columns: dict[str, Sequence[Any]] = {}
    ends = _ends(question)
    for name, known in estimates.items():
        columns[name] = known.values
        if name in ends:
            low_high = known.intervals(LEVEL)
            columns[f"{name}.low"] = [pair and pair[0] for pair in low_high]
            columns[f"{name}.high"] = [pair and pair[1] for pair in low_high]
    names = [key.name for key in question.keys]
    rows = []
    for place, key in enumerate(release.keys):
        values: dict[str, Any] = dict(zip(names, key, strict=True))
        values.update((name, column[place]) for name, column in columns.items())
        rows.append(_Row(place, values))
    return rows


def _value(expression: Expression, row: _Row) -> Value:
    """An expression of noisy values, which have no bounds: what leaves the range of doubles is NULL."""
    try:
        value = evaluate(expression, row.values)
    except (OverflowError, ValueError):  # ValueError: the whole part of what is no number
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _ends(question: Question) -> set[str]:
    """The aggregates of whose intervals the question reads an end."""
    expressions = [output.expression for output in question.outputs] + [order.expression for order in question.order]
    if question.having is not None:
        expressions.append(question.having)
    return {name.partition(".")[0] for expression in expressions for name in reads(expression) if "." in name}


def _ordered(rows: list[_Row], order: Order) -> list[_Row]:
    """Sorted by one expression; equal rows keep their order, which is that of the keys."""
    valued = [(_value(order.expression, row), row) for row in rows]
    known: list[Any] = [pair for pair in valued if pair[0] is not None]
    known.sort(key=itemgetter(0), reverse=order.descending)  # stable both ways
    unknown = [row for value, row in valued if value is None]
    found = [row for _, row in known]
    return found + unknown if order.nulls_last else unknown + found


def _spread(expression: Expression, row: _Row, intervals: Mapping[str, Sequence[Interval]]) -> Interval:
    """Between which values an expression lies while the aggregates stay in their intervals; None where that has no bounds, or where it
    reads an aggregate without an interval (a median, say, whose error is one of ranks)."""
    known = {name: _constant(value) for name, value in row.values.items()}
    for name, pairs in intervals.items():
        if (pair := pairs[row.place]) is None:
            return None
        whole = isinstance(pair[0], int)
        known[name] = Range("integer" if whole else "real", Fraction(pair[0]), Fraction(pair[1]), nullable=False)
    try:
        spread = range_of(expression, known)
    except Refused:  # the bounds leave the range of numbers
        return None
    if spread.type not in ("integer", "real") or spread.low is None or spread.high is None or _value(expression, row) is None:
        return None
    return float(spread.low), float(spread.high)


def _constant(value: Value) -> Range:
    if value is None:
        return Range("real", values=())
    if isinstance(value, bool):
        return Constant(value, "boolean").range
    if isinstance(value, int):
        return Constant(value, "integer").range
    if isinstance(value, float):
        return Constant(value, "real").range
    return Constant(value, "text" if isinstance(value, str) else "date").range
