"""A question answered without noise, by the slow reading of its plan: what its SQL should mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction

from hedgerow.plan.expressions import evaluate
from hedgerow.plan.measures import Measure
from hedgerow.plan.reference import run
from hedgerow.plan.values import Value
from hedgerow.sql.question import Question

Row = dict[str, object]


def clinic() -> list[Row]:
    """Ninety patients with one visit each; every value lies on its grid and within its bounds."""
    regions, cities = ("north", "south", "east", "west"), ("Aachen", "Bonn", "Celle", None, "Ahlen")
    return [
        {
            "patient_id": i,
            "age": i * 7 % 89,
            "Cost": (i * 123_457 % 1_000_000) / 100,
            "weight": None if i % 11 == 0 else 50 + i / 4,
            "visits_before": i % 5,
            "region": regions[i * i % 4],
            "city": cities[i % 5],
            "smoker": None if i % 13 == 0 else i % 3 == 0,
            "month": date(2026, i % 12 + 1, 1),
            "day": date(2020 + i % 7, i % 12 + 1, i % 28 + 1),
            "note": "secret",
        }
        for i in range(90)
    ]


def answer(question: Question, rows: Sequence[Row]) -> list[tuple[Value, ...]]:
    """The rows of the answer, as they would be without noise; groups without rows are left out."""
    (table,) = question.tables
    cells = run(question.plan, {table: rows}, lambda _unit, _group: 0)
    found = []
    for group, numbers in cells.items():
        row = dict(zip((key.name for key in question.keys), group, strict=True))
        values = _values(question.plan.measures, numbers)
        row |= {call.name: values[call.measure] for call in question.aggregates}
        if (any(numbers) or not question.keys) and (question.having is None or evaluate(question.having, row)):
            found.append(row)
    for expression, descending, nulls_last in reversed(question.order):
        places = {id(row): _place(evaluate(expression, row), nulls_last != descending) for row in found}
        found.sort(key=lambda row, places=places: places[id(row)], reverse=descending)  # type: ignore[misc]
    end = None if question.limit is None else question.offset + question.limit
    return [tuple(evaluate(output.expression, row) for output in question.outputs) for row in found[question.offset : end]]


def _place(value: Value, nulls_last: bool) -> tuple[bool, object]:
    return ((value is None) == nulls_last, 0 if value is None else value)


def _values(measures: Sequence[Measure], numbers: Sequence[int]) -> Mapping[Measure, Value]:
    return dict(_each(measures, iter(numbers)))


def _each(measures: Sequence[Measure], numbers: Iterator[int]) -> Iterator[tuple[Measure, Value]]:
    for measure in measures:
        first = next(numbers)
        if measure.snap is None:
            yield measure, first
        elif measure.kind == "total":
            total = first * measure.snap.step
            yield measure, int(total) if measure.snap.step == 1 else float(total)
        else:
            second, wide = next(numbers), measure.snap.high - measure.snap.low
            count = Fraction(first + second, wide)
            yield measure, float((measure.snap.low + first / count) * measure.snap.step) if count else None
