"""Answers without noise, by the reference interpreter: what the SQL of a question should mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from math import comb, sqrt

from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.plan.measures import Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import evaluate
from hedgerow.plan.values import Value
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.question import AggregateCall, Question
from sql.helpers_fixtures import CATALOG

Row = dict[str, object]
# Nothing is cut off, so that answers are those of the engine.
WIDE = Catalog(
    {
        name: (
            entry
            if entry.schema.unit == "row"
            else replace(entry, max_groups=10**6, max_rows_per_group=10**6)
        )
        for name, entry in CATALOG.tables.items()
    }
)


def clinic() -> list[Row]:
    """Return ninety patients with one visit each, all values on their grid and within bounds."""
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


def tables() -> dict[str, list[Row]]:
    """Return all tables, with patients without labs, labs without visits and empty regions."""
    regions = ("north", "south", "east", None)
    return {
        "visits": (
            clinic() + [{**row, "age": (int(str(row["age"])) + 11) % 100} for row in clinic()[:40]]
        ),
        "patients": [
            {"id": i, "sex": "fm"[i % 2], "region": regions[i % 4]} for i in range(5, 100)
        ],
        "labs": [
            {
                "patient_id": i * 5 % 97,
                "value": (i * 37 % 1000) / 10,
                "kind": ("hb", "na", None)[i % 3],
                "visit_age": i * 7 % 89 if i % 4 else i % 89,
                "taken": date(2026, 1, 1) + timedelta(days=i * 3),
            }
            for i in range(120)
        ],
        "orders": [{"patient_id": i % 30, "order_id": i, "urgent": i % 2 == 0} for i in range(60)],
        "lines": [
            {"order_id": i % 70, "drug": "abcd"[i % 4], "amount": i % 21} for i in range(150)
        ],
        "drugs": [
            {"drug": d, "price": p}
            for d, p in (("a", 1.0), ("b", 20.0), ("b", 30.0), ("x", 4.0), (None, 5.0))
        ],
        "regions": [
            {"region": r, "zone": z}
            for r, z in (("north", "a"), ("south", "b"), ("west", "a"), ("moon", "b"))
        ],
        "answers": [
            {"score": i % 11 - 5, "region": ("north", "moon", None, "x")[i % 4]} for i in range(50)
        ],
        "staff": [{"patient_id": i, "region": "north"} for i in range(9)],
    }


def answer(question: Question, data: Mapping[str, Sequence[Row]]) -> list[tuple[Value, ...]]:
    """Return the rows of an answer without noise; groups without rows are left out."""
    cells = interpret_plan(question.plan, data, lambda _unit, _group: 0)
    found = []
    for group, numbers in cells.items():
        row: dict[str, Value] = dict(zip((key.name for key in question.keys), group, strict=True))
        measured = _measured(question.plan.measures, numbers)
        row |= {call.name: _value(call, measured[call.measure]) for call in question.aggregates}
        if (any(numbers) or not question.keys) and (
            question.having is None or evaluate(question.having, row)
        ):
            found.append(row)
    for expression, descending, nulls_last in reversed(question.order):
        places = {
            id(row): _place(evaluate(expression, row), nulls_last != descending) for row in found
        }
        found.sort(
            key=lambda row, places=places: places[id(row)],  # type: ignore[misc]
            reverse=descending,
        )
    end = None if question.limit is None else question.offset + question.limit
    return [
        tuple(evaluate(output.expression, row) for output in question.outputs)
        for row in found[question.offset : end]
    ]


def _place(value: Value, nulls_last: bool) -> tuple[bool, object]:
    return ((value is None) == nulls_last, 0 if value is None else value)


def _measured(
    measures: Sequence[Measure | OrderStatistic], numbers: Sequence[object]
) -> dict[Measure | OrderStatistic, list[object]]:
    found, rest = {}, list(numbers)
    for measure in measures:
        width = 1 if isinstance(measure, OrderStatistic) else measure.width
        found[measure], rest = rest[:width], rest[width:]
    return found


def _value(call: AggregateCall, numbers: Sequence[object]) -> Value:
    measure = call.measure
    if isinstance(measure, OrderStatistic):
        return _picked(call, measure, numbers[0])  # type: ignore[arg-type]
    if measure.kind != "moments":
        total = int(numbers[0]) * (  # type: ignore[call-overload]
            measure.grid.step if measure.grid else 1
        )
        return int(total) if call.type == "integer" else float(total)
    exact = [Fraction(number) for number in numbers]  # type: ignore[arg-type]
    return _of_moments(call, measure, exact)


def _picked(call: AggregateCall, pick: OrderStatistic, sample: Sequence[int]) -> Value:
    if not sample:
        return None
    if pick.values is not None:
        return pick.values[Counter(sample).most_common(1)[0][0]]
    assert pick.grid is not None
    place = {"least": 0, "greatest": len(sample) - 1}.get(
        pick.kind, int((call.probability or 0) * (len(sample) - 1))
    )
    steps = sample[place]
    return (
        date.fromordinal(steps)
        if call.type == "date"
        else steps
        if call.type == "integer"
        else float(steps * pick.grid.step)
    )


def _of_moments(call: AggregateCall, measure: Measure, numbers: Sequence[Fraction]) -> Value:
    """Return count, sums and sums of products from the sums of C(d, k) y^k (w - y)^(d - k)."""
    snaps = [
        snap for snap in (measure.grid, measure.second and measure.second[1]) if snap is not None
    ]
    d = measure.degree
    weights = []
    for snap in snaps:
        w = snap.high - snap.low
        powers = [
            [Fraction(comb(k, p), comb(d, p) * w ** (d - p)) for k in range(d, -1, -1)]
            for p in range(d + 1)
        ]
        low, step = snap.low, snap.step
        one, y = powers[0], powers[1]
        x = [(low * a + b) * step for a, b in zip(one, y, strict=True)]
        squares = (
            [
                (low * low * a + 2 * low * b + c) * step**2
                for a, b, c in zip(one, y, powers[2], strict=True)
            ]
            if d == 2
            else []
        )
        weights.append((one, x, squares))
        if d > 2:
            return _of_shape(
                call, [_weigh(power, numbers) / w**p for p, power in enumerate(powers)]
            )

    def total(*which: int) -> Fraction:
        pieces = [Fraction(1)]
        for kinds, place in zip(weights, which, strict=True):
            pieces = [a * b for a in pieces for b in kinds[place]]
        return sum((a * b for a, b in zip(pieces, numbers, strict=True)), Fraction(0))

    if len(snaps) == 2:
        return _of_pair(call, total)
    n, s = total(0), total(1)
    if call.function in ("COUNT", "SUM"):
        return (
            int(n) if call.function == "COUNT" else int(s) if call.type == "integer" else float(s)
        )
    if call.function == "AVG":
        return float(s / n) if n else None
    less = 1 if call.function.endswith("SAMP") else 0
    if n <= less:
        return None
    variance = (total(2) - s * s / n) / (n - less)
    return float(variance) if call.function.startswith("VAR") else sqrt(variance)


def _weigh(weights: Sequence[Fraction], numbers: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(weights, numbers, strict=True)), Fraction(0))


def _of_shape(call: AggregateCall, sums: Sequence[Fraction]) -> Value:
    """Return SKEWNESS or KURTOSIS, from the sums of the powers of values between 0 and 1."""
    n = sums[0]
    if n <= {"SKEWNESS": 2, "KURTOSIS": 3}.get(call.function, 0):
        return None
    e = [one / n for one in sums]
    spread = e[2] - e[1] ** 2
    if spread == 0:
        return None
    third = e[3] - 3 * e[1] * e[2] + 2 * e[1] ** 3
    if call.function == "SKEWNESS":
        return sqrt(n * (n - 1)) / float(n - 2) * float(third) / float(spread) ** 1.5
    fourth = e[4] - 4 * e[1] * e[3] + 6 * e[1] ** 2 * e[2] - 3 * e[1] ** 4
    ratio = fourth / spread**2
    if call.function == "KURTOSIS_POP":
        return float(ratio - 3)
    return float((n - 1) * ((n + 1) * ratio - 3 * (n - 1)) / ((n - 2) * (n - 3)))


def _of_pair(call: AggregateCall, total: Callable[..., Fraction]) -> Value:
    n = total(0, 0)
    if call.function == "COUNT":
        return int(n)
    together = total(1, 1) - total(1, 0) * total(0, 1) / n
    if call.function == "CORR":
        first, second = total(2, 0) - total(1, 0) ** 2 / n, total(0, 2) - total(0, 1) ** 2 / n
        return float(together) / sqrt(first) / sqrt(second)
    y, x = total(1, 0) / n, total(0, 1) / n
    if call.function.startswith("REGR"):
        across, up = total(0, 2) - n * x * x, total(2, 0) - n * y * y
        slope = together / across if across else Fraction(0)
        return float(
            {
                "REGR_SLOPE": slope,
                "REGR_INTERCEPT": y - slope * x,
                "REGR_R2": slope * together / up if up else Fraction(1),
                "REGR_AVGX": x,
                "REGR_AVGY": y,
                "REGR_SXX": across,
                "REGR_SYY": up,
                "REGR_SXY": together,
            }[call.function]
        )
    return float(together / (n - (1 if call.function == "COVAR_SAMP" else 0)))
