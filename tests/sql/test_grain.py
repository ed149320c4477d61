"""A column known by month or year answers questions about whole ones; about less, none is answered, and what to write is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.grain import coarse, told
from hedgerow.sql.question import Question
from hedgerow.sql.reading import parse
from sql.fixtures import CATALOG, LABS, VISITS

_YEARS = tuple(date(year, 1, 1) for year in range(2024, 2027))
# What is known of dates: visits.month and labs.month by month, visits.until by month with no list, visits.born by year, the rest by day.
_VISITS = (
    *(replace(column, grain="month") if column.name == "month" else column for column in VISITS.columns),
    Column("born", "date", values=_YEARS, grain="year"),
    Column("until", "date", grain="month"),
)
_LABS = (*LABS.columns, Column("month", "date", values=_YEARS, grain="month"))
KNOWN = Catalog(
    {
        **CATALOG.tables,
        "visits": replace(CATALOG.tables["visits"], schema=replace(VISITS, columns=_VISITS)),
        "labs": replace(CATALOG.tables["labs"], schema=replace(LABS, columns=_LABS)),
    }
)


def asked(sql: str) -> Question:
    return parse(f"SELECT {sql}", KNOWN)


@pytest.mark.parametrize(
    ("sql", "underlined", "instead"),
    [
        (
            "COUNT(*) FROM visits WHERE month BETWEEN '2026-06-10' AND '2026-06-20'",
            "month BETWEEN '2026-06-10' AND '2026-06-20'",
            "'2026-06-01' instead of '2026-06-10'",
        ),
        ("COUNT(*) FROM visits WHERE month BETWEEN '2026-06-01' AND '2026-06-20'", "", "'2026-06-30' instead of '2026-06-20'"),
        (
            "COUNT(*) FROM visits WHERE month >= '2026-06-15'",
            "month >= '2026-06-15'",
            "Write '2026-06-01' instead of '2026-06-15'; or have",
        ),
        ("COUNT(*) FROM visits WHERE '2026-06-30' > month", "'2026-06-30' > month", "Write '2026-06-01' instead of '2026-06-30'; or have"),
        ("COUNT(*) FROM visits WHERE '2026-06-15' < month", "'2026-06-15' < month", "Write '2026-06-30' instead"),
        (
            "COUNT(*) FROM visits WHERE month = '2026-06-30'",
            "",
            "Write '2026-06-01' instead of '2026-06-30': it stands for the whole month",
        ),
        ("COUNT(*) FROM visits WHERE month <> '2026-06-15'", "", "Write '2026-06-01' instead"),
        ("COUNT(*) FROM visits WHERE month IN ('2026-06-01', '2026-07-02')", "", "Write '2026-07-01' instead of '2026-07-02'"),
        ("COUNT(*) FROM visits WHERE born <= '2025-06-30'", "", "Write '2025-12-31' instead"),
        ("COUNT(*) FROM visits WHERE month <= '9999-12-30'", "", "Write '9999-12-31' instead"),
        (
            "COUNT(*) FROM visits WHERE DAY(month) <= 15",
            "DAY(month)",
            "Write MONTH(month), QUARTER(month), YEAR(month) or DATE_TRUNC('month', month); or",
        ),
        ("DAYOFWEEK(month) AS d, COUNT(*) FROM visits GROUP BY d", "", "MONTH(month)"),
        ("DAYOFYEAR(month) AS d, COUNT(*) FROM visits GROUP BY d", "", "MONTH(month)"),
        ("DATE_TRUNC('week', month) AS d, COUNT(*) FROM visits GROUP BY d", "", "DATE_TRUNC('month', month)"),
        ("COUNT(*) FROM visits WHERE MONTH(born) = 1", "MONTH(born)", "Write YEAR(born) or DATE_TRUNC('year', born)"),
        ("COUNT(*) FROM visits WHERE month = day", "month = day", "DATE_TRUNC('month', …) of the other date"),
        ("COUNT(*) FROM visits WHERE day < month", "day < month", "DATE_TRUNC('month', …) of the other date"),
        ("COUNT(*) FROM visits WHERE born = month", "", "DATE_TRUNC('year', …) of the other date"),
        ("COUNT(*) FROM visits WHERE born = DATE_TRUNC('month', day)", "", "DATE_TRUNC('year', …)"),
        (
            "COUNT(*) FROM visits WHERE month + 3 > DATE '2026-06-01'",
            "month + 3",
            "Write month + INTERVAL 1 MONTH, or DATE_DIFF('month', a, b)",
        ),
        ("AVG(LEAST(month - day, 9)) FROM visits", "month - day", "DATE_DIFF('month', a, b)"),
        ("COUNT(*) FROM visits WHERE born + INTERVAL 1 MONTH > DATE '2025-01-01'", "", "Write born + INTERVAL 1 YEAR"),
        ("COUNT(*) FROM visits WHERE COALESCE(month, DATE '2026-01-01') > DATE '2026-06-15'", "", "'2026-06-30' instead"),
        ("COUNT(*) FROM visits WHERE GREATEST(month, DATE '2026-06-15') = DATE '2026-06-15'", "", "'2026-06-01' instead"),
        ("month, COUNT(*) FROM visits GROUP BY month HAVING month > '2026-06-15'", "month > '2026-06-15'", "'2026-06-30' instead"),
        ("COUNT(*) FROM (SELECT month AS m FROM visits WHERE age > 3) AS t WHERE DAY(m) = 1", "DAY(m)", "MONTH(month)"),
        (
            "COUNT(*) FROM (SELECT patient_id, MAX(month) AS m FROM visits GROUP BY patient_id) AS t WHERE m > '2026-06-15'",
            "",
            "'2026-06-30'",
        ),
        ("COUNT(*) FROM (SELECT patient_id, month FROM visits GROUP BY patient_id, month) AS t WHERE DAY(month) = 1", "", "MONTH(month)"),
        ("COUNT(*) FROM (SELECT day AS d FROM visits UNION ALL SELECT month AS d FROM visits) AS t WHERE DAY(d) = 1", "", "MONTH(month)"),
        ("COUNT(*) FROM labs l JOIN visits v USING (patient_id) WHERE DAY(v.month) = 1", "DAY(v.month)", "MONTH(month)"),
        (
            "COUNT(*) FROM labs l JOIN visits v ON l.patient_id = v.patient_id AND l.taken = v.month",
            "l.taken = v.month",
            "DATE_TRUNC('month', …)",
        ),
    ],
)
def test_less_than_a_whole_one_is_refused(sql: str, underlined: str, instead: str) -> None:
    with pytest.raises(Unsupported) as caught:
        asked(sql)
    first, shown, marks, last = str(caught.value).splitlines()
    assert first.split(" is known by ")[1] in (
        "month, and this asks for less than a whole one",
        "year, and this asks for less than a whole one",
    )
    assert instead in last
    assert not underlined or shown[marks.index("^") : len(marks)] == underlined


def test_the_line_of_the_policy_is_told_where_days_can_be_listed() -> None:
    with pytest.raises(
        Unsupported, match=r'or have the policy declare days: born = \{ type = "date", values = "2024-01-01 … 2026-12-31" \}\.'
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
        "COUNT(*) FROM visits WHERE month IN ('2026-06-01', '2026-07-01') AND month <> '2026-08-01'",
        "COUNT(*) FROM visits WHERE month IS NULL OR month < '2030-01-01'",
        "COUNT(*) FROM visits WHERE month <= '9999-12-31'",
        "COUNT(*) FROM visits WHERE YEAR(month) = 2026 AND QUARTER(month) = 2 AND MONTH(month) = 4",
        "DATE_TRUNC('quarter', month) AS q, COUNT(*) FROM visits GROUP BY q",
        "COUNT(*) FROM visits WHERE DATE_TRUNC('month', month) <= '2026-06-15'",
        "COUNT(*) FROM visits WHERE month = DATE_TRUNC('month', day)",
        "COUNT(*) FROM visits WHERE month = DATE_TRUNC('year', born)",
        "COUNT(*) FROM visits WHERE month = until",
        "COUNT(*) FROM visits WHERE month + INTERVAL 1 MONTH > DATE '2026-06-01'",
        "COUNT(*) FROM visits WHERE born + INTERVAL 2 YEAR > DATE '2025-01-01'",
        "AVG(DATE_DIFF('month', month, DATE '2026-12-31')) FROM visits",
        "COUNT(*) FROM visits WHERE day >= '2026-06-15' AND DAY(day) = 3",
        "COUNT(*) FROM labs l JOIN visits v USING (patient_id, month)",
        "COUNT(*) FROM (SELECT patient_id, COUNT(month) AS n FROM visits GROUP BY patient_id) AS t WHERE n > 3",
        "MAX(month) AS last FROM visits HAVING last > DATE '2026-06-15'",
    ],
)
def test_whole_ones_are_answered(sql: str) -> None:
    asked(sql)


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("COUNT(*) FROM visits", []),
        ("COUNT(*) FROM visits WHERE day > '2026-06-15'", []),
        ("COUNT(*) FROM visits WHERE month = '2026-06-01'", ["month"]),
        ("MAX(born) AS b, month, COUNT(*) FROM visits GROUP BY month", ["born", "month"]),
        ("COUNT(*) FROM (SELECT age, month FROM visits) AS t WHERE age > 3", []),
        ("COUNT(*) FROM (SELECT patient_id, MAX(age) AS a, MIN(born) AS b FROM visits GROUP BY patient_id) AS t WHERE a > 3", []),
        ("COUNT(*) FROM (SELECT patient_id, MAX(age) AS a, MIN(born) AS b FROM visits GROUP BY patient_id) AS t WHERE b IS NULL", ["born"]),
        ("COUNT(*) FROM labs l JOIN visits v USING (patient_id, month)", ["month"]),
        ("COUNT(*) FROM labs l JOIN visits v USING (patient_id) WHERE v.born IS NULL", ["born"]),
        ("COUNT(*) FROM (SELECT day AS d FROM visits UNION ALL SELECT month AS d FROM visits) AS t WHERE d IS NULL", ["month"]),
    ],
)
def test_columns_that_are_used_are_told_of(sql: str, names: list[str]) -> None:
    plan = asked(sql).plan
    columns = [*plan.bound.keys, *(name for measure in plan.measures for name in measure.columns)]
    assert sorted({column.name for column in coarse(plan.bound.source, columns)}) == names
    said = told(plan.bound.source, columns)
    assert all(" is known by " in note for note in said)
    assert bool(said) == bool(names)
