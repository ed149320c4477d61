"""GROUP BY: the pairs in group_by.sql, and the groups that are returned."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from hedgerow.errors import Refused
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_question
from sql.helpers_descriptions import describe
from sql.helpers_fixtures import CATALOG, ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("group_by"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("group_by__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region AS patient_id, COUNT(*) FROM visits GROUP BY patient_id",
        "SELECT patient_id AS region, COUNT(*) FROM visits GROUP BY region",
        "SELECT COUNT(*) AS patient_id FROM visits HAVING patient_id > 3",
        "SELECT region, COUNT(*) FROM visits GROUP BY region ORDER BY patient_id",
        "SELECT COUNT(*) FROM labs JOIN (SELECT age AS patient_id FROM visits) AS v"
        " USING (patient_id)",
        "SELECT COUNT(*) FROM (SELECT age AS patient_id, MAX(Cost) AS m FROM visits GROUP BY age)",
    ],
)
def test_an_alias_does_not_hide_the_id(sql: str) -> None:
    with pytest.raises(Refused):
        ask(sql)


def test_a_column_under_the_name_of_the_id_is_counted_as_a_column() -> None:
    try:
        found = describe(
            ask("SELECT COUNT(DISTINCT patient_id) FROM (SELECT age AS patient_id FROM visits)")
        )
    except Refused:
        return
    assert "a0: distinct of" in found


def test_the_same_extreme_has_one_measure() -> None:
    found = ask("SELECT MIN(smoker), BOOL_AND(smoker), EVERY(smoker), MIN(region) FROM visits")
    assert len(found.plan.measures) == 2


def domain(key: str) -> object:
    return ask(f"SELECT COUNT(*) FROM visits GROUP BY {key}").plan.source.domain


def test_the_groups_of_an_expression_follow_from_its_columns_values() -> None:
    assert domain("FLOOR(age / 10) * 10") == (tuple(range(0, 120, 10)),)
    assert domain(
        "CASE WHEN region = 'north' THEN 'n' WHEN region IS NULL THEN 'none' ELSE 's' END"
    ) == (("n", "none", "s"),)
    assert domain("YEAR(month)") == ((2026,),)
    assert domain("city LIKE 'a%'") == ((False, True),)
    assert domain("city") is None


@pytest.mark.parametrize(
    ("where", "key", "values"),
    [
        ("city IN ('ulm', 'bonn')", "city", ("bonn", "ulm")),
        ("city = 'ulm' OR 'bonn' = city", "city", ("bonn", "ulm")),
        ("city = 'ulm' OR age > 3", "city", None),
        ("(city = 'ulm' AND age > 3) OR city = 'bonn'", "city", ("bonn", "ulm")),
        ("(city = 'ulm' AND age > 3) OR age < 2", "city", None),
        ("city IN ('ulm', 'bonn') AND city IN ('ulm', 'kiel')", "city", ("ulm",)),
        ("city = 'ulm' AND city = 'bonn'", "city", None),
        ("city IN ('ulm', 'bonn') AND city <> 'ulm'", "city", ("bonn",)),
        ("NOT city IN ('ulm')", "city", None),
        ("city = region", "city", None),
        ("city IN ('ulm', 'bonn')", "UPPER(city)", ("BONN", "ULM")),
        ("UPPER(city) IN ('ULM')", "UPPER(city)", ("ULM",)),
        ("visits_before IN (1, 2, 3) AND visits_before > 1", "visits_before", (2, 3)),
        # compared as doubles, which several whole numbers equal
        ("visits_before IN (1, 2.5)", "visits_before", None),
        ("Cost = 2.5", "FLOOR(Cost)", None),  # 0.0 equals -0.0
        ("day = '2026-03-04'", "day", (date(2026, 3, 4),)),
    ],
)
def test_the_question_may_list_the_groups_itself(
    where: str, key: str, values: tuple[object, ...] | None
) -> None:
    found = ask(
        f"SELECT {key}, COUNT(*) FROM visits WHERE {where} GROUP BY {key}"
    ).plan.source.domain
    assert found == (None if values is None else (values,))


def test_values_listed_inside_a_subquery_are_groups_outside() -> None:
    inner = (
        "SELECT patient_id, city AS c, COUNT(*) AS n FROM visits WHERE city IN ('a', 'b') GROUP BY"
        " patient_id, city"
    )
    assert ask(f"SELECT c, COUNT(*) FROM ({inner}) t GROUP BY c").plan.source.domain == (
        ("a", "b"),
    )
    assert (
        ask(
            "SELECT c, region, COUNT(*) FROM (SELECT patient_id, region, city AS c FROM visits"
            " WHERE city = 'a') t GROUP BY ALL"
        ).plan.source.cells
        == 4
    )
    assert (
        ask(
            "SELECT city, day, COUNT(*) FROM visits WHERE city = 'a' GROUP BY ALL"
        ).plan.source.domain
        is None
    )


def test_more_groups_than_the_policy_lists_are_not_listed_by_a_question_either() -> None:
    few = Catalog({"visits": replace(CATALOG.tables["visits"], domain_limit=2)})
    assert (
        parse_question(
            "SELECT city, COUNT(*) FROM visits WHERE city IN ('a', 'b') GROUP BY city", few
        ).plan.source.domain
        is not None
    )
    assert (
        parse_question(
            "SELECT city, COUNT(*) FROM visits WHERE city IN ('a', 'b', 'c') GROUP BY city", few
        ).plan.source.domain
        is None
    )


def test_without_keys_there_is_one_group() -> None:
    assert ask("SELECT COUNT(*) FROM visits").plan.source.domain == ()


def test_too_many_values_are_not_listed() -> None:
    few = Catalog({"visits": replace(CATALOG.tables["visits"], domain_limit=10)})
    assert (
        parse_question("SELECT COUNT(*) FROM visits GROUP BY age", few).plan.source.domain is None
    )
    assert (
        parse_question("SELECT COUNT(*) FROM visits GROUP BY region", few).plan.source.domain
        is not None
    )
