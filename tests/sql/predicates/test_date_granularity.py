"""Dates known by month or year: whole ones are answered, parts are refused with a fix."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.dates import DATE_TRUNCATIONS
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression, evaluate
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_question
from hedgerow.sql.predicates.date_granularity import (
    Granularity,
    compute_granularity,
    find_coarse_columns,
    list_granularity_notes,
)
from hedgerow.sql.question import Question
from sql.helpers_fixtures import CATALOG, LABS, VISITS
from sql.predicates.helpers_date_questions import PARTIAL_PERIODS, WHOLE_PERIODS

_YEARS = tuple(date(year, 1, 1) for year in range(2024, 2027))
# What is known of dates: visits.month and labs.month by month, visits.until by month with no list,
# visits.born by year, the rest by day.
_VISITS = (
    *(
        replace(column, granularity="month") if column.name == "month" else column
        for column in VISITS.columns
    ),
    Column("born", "date", values=_YEARS, granularity="year"),
    Column("until", "date", granularity="month"),
)
_LABS = (*LABS.columns, Column("month", "date", values=_YEARS, granularity="month"))
KNOWN = Catalog(
    {
        **CATALOG.tables,
        "visits": replace(CATALOG.tables["visits"], schema=replace(VISITS, columns=_VISITS)),
        "labs": replace(CATALOG.tables["labs"], schema=replace(LABS, columns=_LABS)),
    }
)


def asked(sql: str) -> Question:
    return parse_question(f"SELECT {sql}", KNOWN)


@pytest.mark.parametrize(
    ("sql", "underlined", "instead"),
    PARTIAL_PERIODS,
)
def test_parts_of_a_month_or_year_are_refused(sql: str, underlined: str, instead: str) -> None:
    with pytest.raises(Unsupported) as caught:
        asked(sql)
    first, shown, marks, last = str(caught.value).splitlines()
    assert first.split(" is known by ")[1] in (
        "month, but this asks for part of a month",
        "year, but this asks for part of a year",
    )
    assert instead in last
    assert not underlined or shown[marks.index("^") : len(marks)] == underlined


def test_the_declaration_by_days_is_suggested() -> None:
    with pytest.raises(
        Unsupported,
        match=(
            r'or declare days in the policy: born = \{ type = "date", values = "2024-01-01 …'
            r' 2026-12-31" \}\.'
        ),
    ):
        asked("COUNT(*) FROM visits WHERE MONTH(born) = 1")
    with pytest.raises(Unsupported, match=r"DATE_TRUNC\('month', until\)\.$"):
        asked("COUNT(*) FROM visits WHERE DAY(until) = 1")


@pytest.mark.parametrize(
    "sql",
    WHOLE_PERIODS,
)
def test_whole_months_and_years_are_answered(sql: str) -> None:
    assert isinstance(asked(sql), Question)


def test_columns_that_name_each_other_are_looked_at_once() -> None:
    """A hundred million paths lead from the last of these columns to the first."""
    inner = "SELECT patient_id, {} AS a FROM visits"
    for step in range(4):
        for alias in range(4):
            inner = f"SELECT patient_id, LEAST(a, COALESCE(a, a)) AS a FROM ({inner}) AS t{alias}"
        inner = (
            f"SELECT v.patient_id, x{step}.a FROM visits v JOIN ({inner}) AS x{step} ON"
            f" v.patient_id = x{step}.patient_id"
        )
    asked(f"COUNT(*) FROM ({inner.format('day')}) AS t WHERE a = '2026-01-05'")
    with pytest.raises(Unsupported, match="known by month"):
        asked(f"COUNT(*) FROM ({inner.format('month')}) AS t WHERE a = '2026-01-05'")
    asked(f"COUNT(*) FROM visits WHERE LEAST({', '.join(['until'] * 2300)}) = '2026-01-01'")


@pytest.mark.parametrize(
    ("sql", "grain"),
    [
        ("MEDIAN(month) FROM visits", "month"),
        ("MAX(born) FROM visits", "year"),
        ("MIN(taken) FROM labs", "day"),
        ("MAX(DATE_TRUNC('quarter', taken)) FROM labs", "month"),
        ("MAX(DATE_TRUNC('year', month + INTERVAL 6 MONTH) - INTERVAL 1 YEAR) FROM visits", "year"),
        ("MAX(DATE_TRUNC('week', taken)) FROM labs", "day"),
        ("QUANTILE(COALESCE(month, born), 0.9) FROM visits", "month"),
        (
            "MAX(m) FROM (SELECT patient_id, MIN(month) AS m FROM visits GROUP BY patient_id) AS t",
            "month",
        ),
        (
            (
                "MAX(m) FROM (SELECT month AS m FROM visits UNION ALL SELECT taken AS m FROM labs)"
                " AS t"
            ),
            "day",
        ),
        ("MAX(v.born) FROM labs l JOIN visits v USING (patient_id)", "year"),
    ],
)
def test_dates_that_are_compared_have_the_granularity_of_the_finest(
    sql: str, grain: Granularity
) -> None:
    plan = asked(sql).plan
    (pick,) = plan.measures
    assert isinstance(pick, OrderStatistic)
    assert compute_granularity(plan.bound.source, ColumnRef(pick.column)) == grain


_DATES = Table(
    Schema(
        "t",
        (
            Column("d", "date"),
            Column("m", "date", granularity="month"),
            Column("y", "date", granularity="year"),
        ),
        "who",
    )
)
_ROWS = [
    {
        "d": day,
        "m": DATE_TRUNCATIONS["start of month"](month),
        "y": DATE_TRUNCATIONS["start of year"](day),
        "b": condition,
    }
    for day, month, condition in zip(
        [
            date(2024, 2, 29),
            date(2024, 12, 31),
            date(2025, 1, 1),
            date(2025, 5, 17),
            date(2025, 3, 1),
        ],
        [
            date(2025, 5, 3),
            date(2024, 2, 1),
            date(2025, 1, 31),
            date(2024, 12, 5),
            date(2024, 7, 7),
        ],
        [True, False, None, True, False],
        strict=True,
    )
]


@st.composite
def dates(draw: st.DrawFn, depth: int = 3) -> Expression:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        day = draw(st.sampled_from([date(2024, 1, 1), date(2025, 3, 1), date(2025, 3, 31), None]))
        return draw(st.sampled_from([*(ColumnRef(name) for name in "dmy"), Constant(day, "date")]))
    name = draw(
        st.sampled_from(
            [
                "case",
                "coalesce",
                "nullif",
                "least",
                "greatest",
                "add months",
                "add days",
                *DATE_TRUNCATIONS,
            ]
        )
    )
    one, other = draw(dates(depth - 1)), draw(dates(depth - 1))
    if name.startswith("add"):
        return Call(name, (one, Constant(draw(st.sampled_from([-12, 1, 12, 25])), "integer")))
    return Call(
        name,
        (
            (ColumnRef("b"), one, other)
            if name == "case"
            else (one,)
            if name in DATE_TRUNCATIONS
            else (one, other)
        ),
    )


@settings(max_examples=300, derandomize=True, deadline=None)
@given(dates())
def test_no_date_lies_inside_its_month_or_year(expression: Expression) -> None:
    grain = compute_granularity(_DATES, expression)
    found = [evaluate(expression, row) for row in _ROWS]  # type: ignore[arg-type]
    values = [value for value in found if isinstance(value, date)]
    assert grain == "day" or values == [
        DATE_TRUNCATIONS[f"start of {grain}"](value) for value in values
    ]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("COUNT(*) FROM visits", []),
        ("COUNT(*) FROM visits WHERE day > '2026-06-15'", []),
        ("COUNT(*) FROM visits WHERE month = '2026-06-01'", ["month"]),
        ("MAX(born) AS b, month, COUNT(*) FROM visits GROUP BY month", ["born", "month"]),
        ("COUNT(*) FROM (SELECT age, month FROM visits) AS t WHERE age > 3", []),
        (
            (
                "COUNT(*) FROM (SELECT patient_id, MAX(age) AS a, MIN(born) AS b FROM visits GROUP"
                " BY patient_id) AS t WHERE a > 3"
            ),
            [],
        ),
        (
            (
                "COUNT(*) FROM (SELECT patient_id, MAX(age) AS a, MIN(born) AS b FROM visits GROUP"
                " BY patient_id) AS t WHERE b IS NULL"
            ),
            ["born"],
        ),
        ("COUNT(*) FROM labs l JOIN visits v USING (patient_id, month)", ["month"]),
        ("COUNT(*) FROM labs l JOIN visits v USING (patient_id) WHERE v.born IS NULL", ["born"]),
        (
            (
                "COUNT(*) FROM (SELECT day AS d FROM visits UNION ALL SELECT month AS d FROM"
                " visits) AS t WHERE d IS NULL"
            ),
            ["month"],
        ),
    ],
)
def test_notes_name_the_coarse_columns_that_are_used(sql: str, names: list[str]) -> None:
    plan = asked(sql).plan
    columns = [*plan.bound.keys, *(name for measure in plan.measures for name in measure.columns)]
    assert (
        sorted({column.name for column in find_coarse_columns(plan.bound.source, columns)}) == names
    )
    said = list_granularity_notes(plan.bound.source, columns)
    assert all(" is known by " in note for note in said)
    assert bool(said) == bool(names)
