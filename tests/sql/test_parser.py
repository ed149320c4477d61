"""Text to question: every rule has fixtures, and questions mean what the engine means by them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from zlib import crc32

import duckdb
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hedgerow.sql
from depth import many
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.measures import Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import Unit
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.parser import parse_question
from hedgerow.sql.question import Question
from sql.helpers_exact_answers import WIDE, answer, clinic, tables
from sql.helpers_fixtures import CATALOG, HERE, ask, pairs
from sql.helpers_parser_texts import FILES, HOSTILE, TEXTS, WORDS, mutated
from sql.helpers_random_conditions import conditions

SRC = Path(hedgerow.sql.__file__).parent


def test_every_rule_has_fixtures_and_every_fixture_its_module() -> None:
    rules = {file.stem for file in (SRC / "rules").glob("*.py")} - {"__init__"}
    modules = {file.stem for file in SRC.rglob("*.py")}
    covered = {name.removesuffix("__refused") for name in FILES}
    assert rules <= covered <= modules
    assert all(f"{name}__refused" in FILES for name in rules)
    assert all(expected for name in FILES for _, expected in pairs(name))


# Each is asked of the engine as it stands, and through its plan. COUNT(*) comes first, which shows
# groups without rows.
SINGLE_TABLE = (HERE / "single_table.txt").read_text(encoding="utf-8").strip().split("\n")


# Questions of several tables, of many visits each. Each aggregate has its grid, and the values lie
# on it.
TOGETHER = (HERE / "together.txt").read_text(encoding="utf-8").strip().split("\n")


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for name, rows in {
            **tables(),
            "visits": clinic(),
            "visits_all": tables()["visits"],
        }.items():
            frame = pd.DataFrame(rows)
            for dates in ("day", "month", "taken"):
                if dates in frame:
                    frame[dates] = frame[dates].astype("datetime64[s]")
            if "smoker" in frame:
                frame["smoker"] = frame["smoker"].astype("boolean")
            connection.register("frame", frame)
            cast = ", ".join(
                f"{dates}::DATE AS {dates}" for dates in ("day", "month", "taken") if dates in frame
            )
            connection.execute(
                f"CREATE TABLE {name} AS SELECT *{f' REPLACE ({cast})' if cast else ''} FROM frame"
            )
        yield connection


@pytest.mark.parametrize("sql", TOGETHER)
def test_joined_questions_agree_with_the_engine(
    sql: str, engine: duckdb.DuckDBPyConnection
) -> None:
    rest = sql.replace("WITH", ",", 1) if sql.startswith("WITH") else sql
    expected = engine.execute(f"WITH visits AS (FROM visits_all) {rest}").fetchall()
    found = answer(parse_question(sql, WIDE), tables())
    assert sorted(map(_plain, found)) == sorted(map(_plain, expected))


@pytest.mark.parametrize("sql", SINGLE_TABLE)
def test_single_table_questions_agree_with_the_engine(
    sql: str, engine: duckdb.DuckDBPyConnection
) -> None:
    expected = engine.execute(sql).fetchall()
    found = answer(ask(sql), {"visits": clinic()})
    if "ORDER BY" not in sql:
        expected, found = sorted(expected, key=_plain), sorted(found, key=_plain)
    assert [_plain(row) for row in found] == [_plain(row) for row in expected]


@pytest.mark.long
@settings(
    max_examples=many(100),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(conditions(depth=3))
def test_conditions_agree_with_the_engine(
    engine: duckdb.DuckDBPyConnection, condition: str
) -> None:
    # after FROM, one that never holds is refused
    sql = f"SELECT COUNT(*) FILTER (WHERE {condition}) FROM visits"
    assert answer(ask(sql), {"visits": clinic()}) == engine.execute(sql).fetchall()


def _without(person: int) -> dict[str, list[dict[str, object]]]:
    """Return the tables without one patient, and without one of the rows that are units."""
    kept = {
        name: [row for row in rows if row.get("patient_id", row.get("id")) != person]
        for name, rows in tables().items()
    }
    mine = {row["order_id"] for row in tables()["orders"] if row["patient_id"] == person}
    kept["lines"] = [row for row in kept["lines"] if row["order_id"] not in mine]
    kept["answers"] = kept["answers"][:person] + kept["answers"][person + 1 :]
    return kept


@pytest.mark.long
@pytest.mark.parametrize("sql", TOGETHER)
def test_one_person_moves_an_answer_within_the_plans_sensitivity(sql: str) -> None:
    plan = ask(sql).plan
    unit = Unit("add-remove", "row" if plan.bound.source.unit == "row" else "patient")
    everything = interpret_plan(plan, tables(), _rank)
    for person in (5, 20, 25):
        less = interpret_plan(plan, _without(person), _rank)
        moved = [Fraction(0)] * len(plan.measures)
        for group in {**everything, **less}:
            before, after = (
                _measured(plan.measures, cells.get(group)) for cells in (everything, less)
            )
            for place in range(len(moved)):
                moved[place] += sum(
                    abs(a - b) for a, b in zip(before[place], after[place], strict=True)
                )
        for far, measure, most in zip(moved, plan.measures, plan.sensitivity(unit), strict=True):
            assert isinstance(measure, OrderStatistic) or far <= most.l1


def _rank(unit: object, group: tuple[object, ...]) -> int:
    return crc32(repr((unit, group)).encode())


def _measured(
    measures: Sequence[Measure | OrderStatistic], numbers: Sequence[object] | None
) -> list[list[int]]:
    found, rest = [], list(numbers or ())
    for measure in measures:
        width = 1 if isinstance(measure, OrderStatistic) else measure.width
        mine, rest = rest[:width] or [0] * width, rest[width:]
        found.append(
            [0] if isinstance(measure, OrderStatistic) else [int(str(number)) for number in mine]
        )
    return found


def _plain(row: tuple[object, ...]) -> list[str]:
    """Format numbers to nine digits, and timestamps as their day."""
    return [f"{value:.9g}" if isinstance(value, int | float) else str(value)[:10] for value in row]


def _asked(sql: str) -> None:
    """Check that a text gives a question, or a refusal with all its parts."""
    try:
        assert isinstance(parse_question(sql, CATALOG), Question)
    except Refused as error:
        what, line, marks, instead = str(error).split("\n")
        assert what.strip()
        assert len(line) < 120
        assert "^" in marks
        assert instead.strip()


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(mutated())
def test_changed_texts_are_read_or_refused(sql: str) -> None:
    _asked(sql)


@pytest.mark.long
@settings(
    max_examples=many(400),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    st.one_of(
        mutated(),
        st.lists(WORDS, max_size=60).map(" ".join),
        st.text(max_size=200),
        st.lists(WORDS, max_size=30).map("".join),
    )
)
def test_any_text_is_parsed_or_refused(sql: str) -> None:
    _asked(sql)


@pytest.mark.parametrize("sql", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_refused(sql: str) -> None:
    with pytest.raises(Unsupported):
        ask(sql)


def test_long_lists_of_conditions_are_read() -> None:
    assert ask(
        "SELECT COUNT(*) FROM visits WHERE "
        + " OR ".join(f"visits_before = {i}" for i in range(300))
    ).aggregates


@pytest.mark.long
def test_nothing_of_the_text_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for sql in TEXTS:
            try:
                ask(sql)
            except Refused:
                continue
    assert not caplog.records


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'x' + 1",
        "SELECT COUNT(* FROM visits",
        "SELECT COUNT(*) FROM visits WHERE GROUP BY age",
    ],
)
def test_a_refusal_hides_where_the_parser_stumbled(sql: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(sql)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("sql", "instead"),
    [
        ("SELECT TOP 5 PERCENT region FROM visits GROUP BY region", "Write LIMIT 5 at the end"),
        ("SELECT AVG(Total Cost) FROM visits", 'need double quotes: "Total Cost".'),
        ("SELECT COUNT(*) FROM visits WHERE 1 1", "Check the word before it."),
        ('SELECT COUNT(*) FROM visits WHERE city = "Paris"', "Text takes single quotes: 'Paris'."),
        ("SELECT COUNT(*) FROM visits WHERE region = north", "single quotes: 'north'."),
        ("SELECT COUNT(*) AS n FROM visits WHERE n > 3", "come last: HAVING n > 10."),
        ("SELECT COUNT(*) FROM visits WHERE age => 30", "to compare, write >=."),
        ('SELECT COUNT(*) FROM visits WHERE city = "cit"', "Text takes single quotes: 'cit'."),
        ("SELECT age / 10, COUNT(*) FROM visits GROUP BY 1", "GROUP BY FLOOR(age / 10)."),
        ("SELECT weight, COUNT(*) FROM visits GROUP BY 1", "GROUP BY FLOOR(weight / 10);"),
        ("SELECT Cost * 2.5, COUNT(*) FROM visits GROUP BY 1", "GROUP BY ROUND(Cost * 2.5, 2)."),
        ("SELECT COUNT(*) FROM visits WHERE day < '2025-06-31'", "a date that exists"),
        (
            "SELECT COUNT(*) FROM visits WHERE day BETWEEN '1.1.2025' AND '2025-02-01'",
            "Write year, month and day",
        ),
        ("SELECT AVG(month - day) FROM visits", "LEAST(GREATEST(month - day, 0), 365)"),
        ("SHOW TABLES", "hedgerow.tables"),
        ("DESCRIBE visits", "hedgerow.columns"),
        ("SELECT RANK() OVER (ORDER BY 1) FROM visits", "divide by their sum"),
        (
            "SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)",
            "SELECT AVG(age) FROM visits; then write its result here, as in age > 100.",
        ),
        (
            "SELECT COUNT(*), (SELECT COUNT(*) FROM labs) FROM visits",
            "SELECT COUNT(*) FROM labs; then write its result here.",
        ),
        ("SELECT COUNT(*) FROM visits WHERE age = (SELECT visit_age FROM labs)", "Join it in FROM"),
        (
            (
                "SELECT COUNT(*) FROM patients p WHERE EXISTS (SELECT 1 FROM visits v WHERE"
                " v.region = p.region)"
            ),
            "EXISTS (SELECT 1 FROM visits AS d WHERE d.patient_id = … AND d.region = p.region).",
        ),
        (
            "SELECT COUNT(*) FROM patients p WHERE p.region NOT IN (SELECT region FROM visits)",
            ": NOT EXISTS (SELECT 1 FROM visits AS d",
        ),
        (
            "SELECT AVG(age) FROM (SELECT age FROM visits ORDER BY day DESC LIMIT 10) t",
            "WHERE day >= ….",
        ),
        ("SELECT AVG(age) FROM (SELECT age FROM visits ORDER BY day) t", "WHERE day <= …."),
        ("SELECT AVG(age) FROM (SELECT age FROM visits ORDER BY age + 1) t", "WHERE x >= 100."),
        ("SELECT AVG(age) FROM (SELECT age FROM visits LIMIT 10) t", "WHERE x >= 100."),
        ("PRAGMA database_list", "SELECT * FROM hedgerow.columns"),
        ("SELECT ANY_VALUE(city) FROM visits", "Write GROUP BY x with COUNT(*), or MODE(x)"),
        ("SELECT ARRAY_AGG(city) FROM visits", "Write GROUP BY x with COUNT(*), or MODE(x)"),
        (
            "SELECT COUNT(*) FROM visits WHERE city > 3",
            'under [tables.visits.columns]: city = { type = "integer" };',
        ),
        ("SELECT COUNT(*) FROM visits WHERE city > 3.5", 'city = { type = "real" };'),
        ("SELECT COUNT(*) FROM visits WHERE region > 3", "Compare values of one type"),
        (
            "SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id",
            (
                "SELECT AVG(LEAST(n, 20)) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP"
                " BY patient_id) AS t."
            ),
        ),
        (
            (
                "SELECT COUNT(*) FROM visits v JOIN labs l ON v.patient_id = l.patient_id GROUP BY"
                " v.patient_id"
            ),
            "Group by a column that many units share.",
        ),
        (
            "SELECT COUNT(*) FROM visits a JOIN visits b ON a.city = b.city AND a.age = b.age",
            (
                "Add a.patient_id = b.patient_id to join rows of the same unit; to count what units"
                " share, write SELECT COUNT(*) … GROUP BY city, age."
            ),
        ),
    ],
)
def test_the_suggested_fix_is_the_intended_statement(sql: str, instead: str) -> None:
    with pytest.raises(Refused) as caught:
        ask(sql)
    assert instead in str(caught.value).splitlines()[-1]


def test_names_in_hints_can_be_copied() -> None:
    columns = (
        Column("Patient ID", "integer"),
        Column("Total Cost", "real"),
        Column("Age", "integer"),
    )
    tables = {name: TableEntry(Schema(name, columns, "Patient ID")) for name in ("stays", "bills")}
    for sql, instead in (
        ("SELECT SUM(TotalCost) FROM stays", 'Did you mean "Total Cost"?'),
        ("SELECT SUM(zzz) FROM stays", 'The columns are "Total Cost", Age.'),
        ('SELECT MAX("Patient ID") FROM stays', 'COUNT(DISTINCT "Patient ID")'),
        (
            "SELECT COUNT(*) FROM stays s JOIN bills b ON s.Age = b.Age",
            'Add s."Patient ID" = b."Patient ID".',
        ),
        (
            'SELECT COUNT("Total Cost") FROM stays s JOIN bills b USING ("Patient ID")',
            'Write s."Total Cost" or b."Total Cost".',
        ),
        ('SELECT COUNT(x."Total Cost") FROM stays s', 'Write s."Total Cost", or the column alone.'),
    ):
        with pytest.raises(Refused) as caught:
            parse_question(sql, Catalog(tables))
        assert instead in str(caught.value).splitlines()[-1]
