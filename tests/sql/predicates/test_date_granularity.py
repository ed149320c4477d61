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
    [
        (
            "COUNT(*) FROM visits WHERE month BETWEEN '2026-06-10' AND '2026-06-20'",
            "month BETWEEN '2026-06-10' AND '2026-06-20'",
            "'2026-06-01' instead of '2026-06-10'",
        ),
        (
            "COUNT(*) FROM visits WHERE month BETWEEN '2026-06-01' AND '2026-06-20'",
            "",
            "'2026-06-30' instead of '2026-06-20'",
        ),
        (
            "COUNT(*) FROM visits WHERE month >= '2026-06-15'",
            "month >= '2026-06-15'",
            "Write '2026-06-01' instead of '2026-06-15'; or declare",
        ),
        (
            "COUNT(*) FROM visits WHERE '2026-06-30' > month",
            "'2026-06-30' > month",
            "Write '2026-06-01' instead of '2026-06-30'; or declare",
        ),
        (
            "COUNT(*) FROM visits WHERE '2026-06-15' < month",
            "'2026-06-15' < month",
            "Write '2026-06-30' instead",
        ),
        (
            "COUNT(*) FROM visits WHERE month = '2026-06-30'",
            "",
            "Write '2026-06-01' instead of '2026-06-30': it means the whole month",
        ),
        ("COUNT(*) FROM visits WHERE month <> '2026-06-15'", "", "Write '2026-06-01' instead"),
        (
            "COUNT(*) FROM visits WHERE month IN ('2026-06-01', '2026-07-02')",
            "",
            "Write '2026-07-01' instead of '2026-07-02'",
        ),
        ("COUNT(*) FROM visits WHERE born <= '2025-06-30'", "", "Write '2025-12-31' instead"),
        ("COUNT(*) FROM visits WHERE month <= '9999-12-30'", "", "Write '9999-12-31' instead"),
        (
            "COUNT(*) FROM visits WHERE DAY(month) <= 15",
            "DAY(month)",
            "Write MONTH(month), QUARTER(month), YEAR(month) or DATE_TRUNC('month', month); or",
        ),
        ("DAYOFWEEK(month) AS d, COUNT(*) FROM visits GROUP BY d", "", "MONTH(month)"),
        ("DAYOFYEAR(month) AS d, COUNT(*) FROM visits GROUP BY d", "", "MONTH(month)"),
        (
            "DATE_TRUNC('week', month) AS d, COUNT(*) FROM visits GROUP BY d",
            "",
            "DATE_TRUNC('month', month)",
        ),
        (
            "COUNT(*) FROM visits WHERE MONTH(born) = 1",
            "MONTH(born)",
            "Write YEAR(born) or DATE_TRUNC('year', born)",
        ),
        (
            "COUNT(*) FROM visits WHERE month = day",
            "month = day",
            "Write DATE_TRUNC('month', day); or declare",
        ),
        (
            "COUNT(*) FROM visits WHERE day < month",
            "day < month",
            "Write DATE_TRUNC('month', day); or declare",
        ),
        # Of two that are known, the coarser one says in what to ask; all that either side may be is
        # looked at.
        (
            "COUNT(*) FROM visits WHERE born = month",
            "",
            "Write DATE_TRUNC('year', month); or declare days in the policy: born",
        ),
        (
            "COUNT(*) FROM visits WHERE month = born",
            "",
            "Write DATE_TRUNC('year', month); or declare days in the policy: born",
        ),
        (
            "COUNT(*) FROM visits WHERE born = DATE_TRUNC('month', day)",
            "",
            "Write DATE_TRUNC('year', day)",
        ),
        (
            "COUNT(*) FROM visits WHERE month = CASE WHEN smoker THEN month ELSE day END",
            "",
            "Write DATE_TRUNC('month', day)",
        ),
        (
            (
                "COUNT(*) FROM visits WHERE month = CASE WHEN smoker THEN day WHEN age > 3 THEN"
                " month END"
            ),
            "",
            "DATE_TRUNC('month', day)",
        ),
        ("COUNT(*) FROM visits WHERE month = COALESCE(until, day)", "", "DATE_TRUNC('month', day)"),
        ("COUNT(*) FROM visits WHERE month IN (until, day)", "", "DATE_TRUNC('month', day)"),
        (
            "COUNT(*) FROM visits WHERE COALESCE(month, born) = '2025-03-01'",
            "",
            "Write '2025-01-01' instead of '2025-03-01'",
        ),
        ("COUNT(*) FROM visits WHERE MONTH(COALESCE(month, born)) = 3", "", "Write YEAR(born)"),
        (
            (
                "COUNT(*) FROM visits WHERE month = CASE WHEN smoker THEN DATE '2026-01-15' ELSE"
                " month END"
            ),
            "",
            "Write '2026-01-01' instead of '2026-01-15'",
        ),
        (
            "COUNT(*) FROM visits WHERE month <= DATE '2026-02-28' + INTERVAL 1 MONTH",
            "",
            "Write '2026-02-01' instead of '2026-02-28'",
        ),
        (
            "COUNT(*) FROM visits WHERE born = DATE_TRUNC('year', day) + INTERVAL 1 MONTH",
            "",
            "DATE_TRUNC('year', …) of the other date",
        ),
        (
            "COUNT(*) FROM visits WHERE month = DATE_TRUNC('week', day)",
            "",
            "DATE_TRUNC('month', …) of the other date",
        ),
        (
            "COUNT(*) FROM visits WHERE month = day + 3",
            "",
            "DATE_TRUNC('month', …) of the other date",
        ),
        (
            "COUNT(*) FROM (SELECT month, day AS d FROM visits) AS t WHERE month = d",
            "",
            "DATE_TRUNC('month', …) of the other date",
        ),
        (
            "month, COUNT(*) FROM visits GROUP BY month HAVING month = MAX(month)",
            "",
            "DATE_TRUNC('month', …) of the other date",
        ),
        (
            "COUNT(*) FROM visits WHERE month + 3 > DATE '2026-06-01'",
            "month + 3",
            "Write month + INTERVAL 1 MONTH, or DATE_DIFF('month', a, b)",
        ),
        ("AVG(LEAST(month - day, 9)) FROM visits", "month - day", "DATE_DIFF('month', a, b)"),
        (
            "COUNT(*) FROM visits WHERE born + INTERVAL 1 MONTH > DATE '2025-01-01'",
            "",
            "Write born + INTERVAL 1 YEAR",
        ),
        (
            "COUNT(*) FROM visits WHERE COALESCE(month, DATE '2026-01-01') > DATE '2026-06-15'",
            "",
            "'2026-06-30' instead",
        ),
        (
            "COUNT(*) FROM visits WHERE GREATEST(month, DATE '2026-06-15') = DATE '2026-06-15'",
            "",
            "'2026-06-01' instead",
        ),
        (
            "month, COUNT(*) FROM visits GROUP BY month HAVING month > '2026-06-15'",
            "month > '2026-06-15'",
            "'2026-06-30' instead",
        ),
        (
            "COUNT(*) FROM (SELECT month AS m FROM visits WHERE age > 3) AS t WHERE DAY(m) = 1",
            "DAY(m)",
            "MONTH(month)",
        ),
        (
            (
                "COUNT(*) FROM (SELECT patient_id, MAX(month) AS m FROM visits GROUP BY patient_id)"
                " AS t WHERE m > '2026-06-15'"
            ),
            "",
            "'2026-06-30'",
        ),
        (
            (
                "COUNT(*) FROM (SELECT patient_id, month FROM visits GROUP BY patient_id, month) AS"
                " t WHERE DAY(month) = 1"
            ),
            "",
            "MONTH(month)",
        ),
        (
            (
                "COUNT(*) FROM (SELECT day AS d FROM visits UNION ALL SELECT month AS d FROM"
                " visits) AS t WHERE DAY(d) = 1"
            ),
            "",
            "MONTH(month)",
        ),
        (
            "COUNT(*) FROM labs l JOIN visits v USING (patient_id) WHERE DAY(v.month) = 1",
            "DAY(v.month)",
            "MONTH(month)",
        ),
        (
            (
                "COUNT(*) FROM labs l JOIN visits v ON l.patient_id = v.patient_id AND l.taken ="
                " v.month"
            ),
            "l.taken = v.month",
            "DATE_TRUNC('month', taken)",
        ),
    ],
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
    [
        "COUNT(*) FROM visits WHERE month BETWEEN '2026-06-01' AND '2026-06-30'",
        "COUNT(*) FROM visits WHERE month >= '2026-06-01' AND month < '2026-07-01'",
        "COUNT(*) FROM visits WHERE month > '2026-06-30' AND month <= '2026-08-01'",
        (
            "COUNT(*) FROM visits WHERE month IN ('2026-06-01', '2026-07-01') AND month <>"
            " '2026-08-01'"
        ),
        "COUNT(*) FROM visits WHERE month IS NULL OR month < '2030-01-01'",
        "COUNT(*) FROM visits WHERE month <= '9999-12-31'",
        "COUNT(*) FROM visits WHERE YEAR(month) = 2026 AND QUARTER(month) = 2 AND MONTH(month) = 4",
        "DATE_TRUNC('quarter', month) AS q, COUNT(*) FROM visits GROUP BY q",
        "COUNT(*) FROM visits WHERE DATE_TRUNC('month', month) <= '2026-06-15'",
        "COUNT(*) FROM visits WHERE month = DATE_TRUNC('month', day)",
        "COUNT(*) FROM visits WHERE month = DATE_TRUNC('year', born)",
        "COUNT(*) FROM visits WHERE month = until",
        "COUNT(*) FROM visits WHERE DATE_TRUNC('year', month) = born",
        (
            "COUNT(*) FROM (SELECT month, DATE_TRUNC('month', day) AS m FROM visits) AS t WHERE"
            " month = m"
        ),
        "COUNT(*) FROM visits WHERE month = DATE_TRUNC('month', day) + INTERVAL 1 MONTH",
        "COUNT(*) FROM visits WHERE month >= DATE_TRUNC('quarter', day) - INTERVAL 3 MONTH",
        "COUNT(*) FROM visits WHERE month = COALESCE(DATE_TRUNC('month', day), DATE '2026-01-01')",
        (
            "COUNT(*) FROM visits WHERE month = CASE WHEN smoker THEN DATE '2026-01-01' ELSE DATE"
            " '2026-02-01' END"
        ),
        (
            "COUNT(*) FROM visits WHERE month = CASE WHEN day > DATE '2026-01-05' THEN DATE"
            " '2026-02-01' END"
        ),
        (
            "COUNT(*) FROM visits WHERE month <= CASE WHEN smoker THEN DATE '2026-01-31' ELSE DATE"
            " '2026-02-01' END"
        ),
        "COUNT(*) FROM visits WHERE month = NULLIF(DATE_TRUNC('month', day), DATE '2026-01-01')",
        "COUNT(*) FROM visits WHERE DATE_TRUNC('month', day) IN (month, DATE '2026-01-05')",
        "COUNT(*) FROM visits WHERE born = DATE_TRUNC('year', day) - INTERVAL 24 MONTH",
        "COUNT(*) FROM visits WHERE born = DATE_TRUNC('month', DATE_TRUNC('year', day))",
        (
            "COUNT(*) FROM (SELECT patient_id, MAX(month) AS m, MIN(DATE_TRUNC('year', day)) AS d"
            " FROM visits GROUP BY 1) t WHERE m = d"
        ),
        (
            "COUNT(*) FROM (SELECT month AS m, until AS u FROM visits UNION ALL SELECT"
            " DATE_TRUNC('year', day), until FROM visits) WHERE m = u"
        ),
        "COUNT(*) FROM visits WHERE month + INTERVAL 1 MONTH > DATE '2026-06-01'",
        "COUNT(*) FROM visits WHERE born + INTERVAL 2 YEAR > DATE '2025-01-01'",
        "AVG(DATE_DIFF('month', month, DATE '2026-12-31')) FROM visits",
        "COUNT(*) FROM visits WHERE day >= '2026-06-15' AND DAY(day) = 3",
        "COUNT(*) FROM labs l JOIN visits v USING (patient_id, month)",
        (
            "COUNT(*) FROM (SELECT patient_id, COUNT(month) AS n FROM visits GROUP BY patient_id)"
            " AS t WHERE n > 3"
        ),
        "MAX(month) AS last FROM visits HAVING last > DATE '2026-06-15'",
    ],
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
