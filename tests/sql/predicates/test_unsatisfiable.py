"""Conditions that are never true are refused before they cost anything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hedgerow.errors import Unsupported
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_question
from sql.helpers_fixtures import CATALOG, ask


@pytest.mark.parametrize(
    ("where", "said", "underlined", "instead"),
    [
        (
            "smoker AND region = 'North'",
            "region is one of north, south, east, west",
            "region = 'North'",
            "Did you mean 'north'?",
        ),
        (
            "region IN ('x', 'y')",
            "region is one of",
            "region IN ('x', 'y')",
            "values that the policy declares",
        ),
        ("age > 120", "age lies between 0 and 110", "age > 120", "Use values in that range"),
        ("120 < age", "age lies between 0 and 110", "120 < age", "Use values in that range"),
        (
            "age BETWEEN 65 AND 18",
            "the lower bound of age is above the upper bound",
            "age BETWEEN 65 AND 18",
            "BETWEEN 18 AND 65",
        ),
        (
            "smoker AND age > 7 AND age < 5",
            "the lower bound of age is above the upper bound",
            "",
            "smaller value first",
        ),
        (
            "0 > ABS(age)",
            "ABS(age) lies between 0 and 110",
            "0 > ABS(age)",
            "Use values in that range",
        ),
        (
            "age = 200 OR age = 201",
            "age lies between 0 and 110",
            "age = 200 OR age = 201",
            "Use values in that range",
        ),
        (
            "smoker AND (region = 'x' OR age = 201)",
            "region is one of",
            "(region = 'x' OR age = 201)",
            "values that the policy declares",
        ),
        (
            "age = 30.5",
            "age is a whole number",
            "age = 30.5",
            "Use whole numbers, or a range.",
        ),
        (
            "visits_before IN (1.5, 2.5)",
            "visits_before is a whole number",
            "visits_before IN (1.5, 2.5)",
            "Use whole numbers",
        ),
        (
            "(smoker AND (age < 5 AND age > 200)) AND age = 7",
            "age lies between 0 and 110",
            "age > 200",
            "Use values in that range",
        ),
        (
            "ABS(age) < 0 AND smoker",
            "ABS(age) lies between 0 and 110",
            "ABS(age) < 0",
            "Use values in that range",
        ),
    ],
)
def test_a_condition_that_is_never_true_is_refused_and_underlined(
    where: str, said: str, underlined: str, instead: str
) -> None:
    sql = f"SELECT COUNT(*) FROM visits WHERE {where}"
    with pytest.raises(Unsupported) as caught:
        ask(sql)
    first, shown, marks, last = str(caught.value).splitlines()
    assert first.startswith("This is never true: ")
    assert said in first
    assert instead in last
    assert not underlined or shown[marks.index("^") : len(marks)] == underlined


@pytest.mark.parametrize(
    ("where", "underlined"),
    [
        ("1 = 0", "1 = 0"),
        ("FALSE", "FALSE"),
        ("age > 3 AND 2 < 1", "2 < 1"),
        ("smoker AND (age > 3 AND 1 = 0)", "1 = 0"),
    ],
)
def test_a_condition_without_rows_is_refused(where: str, underlined: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT COUNT(*) FROM visits WHERE {where}")
    first, shown, marks, last = str(caught.value).splitlines()
    assert first == "This condition is never true, so the answer would be noise alone"
    assert shown[marks.index("^") : len(marks)] == underlined
    assert "EXPLAIN PRIVACY" in last


@pytest.mark.parametrize(
    "where",
    [
        "region NOT IN ('north', 'North')",
        "age = 30.5 OR age = 30",
        "region = 'x' OR age = 3",
        "age > 120 OR smoker",
        "NOT age > 120",
        "city = 'North'",
        "weight > 1e300",
        "age >= 110",
        "0 = 0",
        "0 = 1 OR smoker",
    ],
)
def test_conditions_that_may_hold_are_read(where: str) -> None:
    plan = repr(ask(f"SELECT COUNT(*) FROM visits WHERE {where}").plan)
    assert ("Filter(" in plan) == (where != "0 = 0")


def test_the_joined_rows_are_looked_at_as_well() -> None:
    with pytest.raises(Unsupported, match="kind is one of hb, na"):
        ask(
            "SELECT COUNT(*) FROM visits v JOIN labs l ON v.patient_id = l.patient_id WHERE v.age >"
            " 3 AND l.kind = 'k'"
        )


def test_bounds_that_are_found_rule_nothing_out() -> None:
    tables = {**CATALOG.tables, "visits": replace(CATALOG.tables["visits"], auto_bounds=True)}
    parse_question("SELECT COUNT(*) FROM visits WHERE age > 120", Catalog(tables))
    parse_question("SELECT age, COUNT(*) FROM visits WHERE age > 120 GROUP BY age", Catalog(tables))
    with pytest.raises(Unsupported, match="region is one of"):
        parse_question("SELECT COUNT(*) FROM visits WHERE region = 'x'", Catalog(tables))


def test_each_of_many_conditions_is_read_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = 0
    read = RowBinder.bind

    def counting(self: RowBinder, node: Any) -> TypedExpression:
        nonlocal counted
        counted += 1
        return read(self, node)

    monkeypatch.setattr(RowBinder, "bind", counting)
    with pytest.raises(Unsupported, match="age lies between"):
        ask("SELECT COUNT(*) FROM visits WHERE " + " AND ".join(f"age > {n}" for n in range(600)))
    assert counted < 600 * 3 * 2


def test_an_undeclared_value_in_a_list_is_refused() -> None:
    with pytest.raises(Unsupported) as caught:
        ask("SELECT COUNT(*) FROM visits WHERE smoker AND region IN ('north', 'Soouth')")
    first, shown, marks, last = str(caught.value).splitlines()
    assert first == "region is never 'Soouth': it is one of north, south, east, west"
    assert shown[marks.index("^") : len(marks)] == "region IN ('north', 'Soouth')"
    assert last == "Did you mean 'south'? Otherwise leave it out."
    with pytest.raises(
        Unsupported, match=r"region is never '\?': it is one of [^\n]*\n.*\n.*\nLeave it out\.$"
    ):
        ask("SELECT COUNT(*) FROM visits WHERE region IN ('north', '?')")


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("WHERE NULL", "This condition is never true"),
        ("WHERE Cost / 0 > 1", "Division by 0"),
        ("WHERE age % 0 = 1", "Division by 0"),
        ("LIMIT 0", "LIMIT 0 would pay for an answer"),
    ],
)
def test_questions_that_would_pay_for_noise_alone_are_refused(rest: str, expected: str) -> None:
    with pytest.raises(Unsupported, match=expected):
        ask(f"SELECT COUNT(*) FROM visits {rest}")
