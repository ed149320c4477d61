"""Questions about two populations: the pairs in second_population.sql."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from hedgerow.errors import Refused
from hedgerow.plan.nodes import Filter, Join, Project, Table
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_question
from hedgerow.sql.question import Question
from hedgerow.sql.relations.second_population import find_population_join
from sql.helpers_fixtures import CARE, CATALOG, ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "expected"), pairs("second_population"))
def test_supported_sql_has_the_expected_plan(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("second_population__refused"))
def test_unsupported_sql_is_refused_with_the_expected_message(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_each_population_has_its_own_caps() -> None:
    plan = ask("SELECT kind, COUNT(*) FROM care JOIN doctors USING (doctor_id) GROUP BY kind").plan
    assert plan.population_join is not None
    others = plan.population_join.population
    # of care, of care, of doctors
    assert (others.max_references, plan.bound.max_rows, others.max_rows) == (4, 6, 30)


def test_the_tables_of_the_referencing_population_come_first() -> None:
    """The first table determines the first population, in any order of FROM."""
    assert ask("SELECT COUNT(*) FROM doctors JOIN care USING (doctor_id)").tables == (
        "care",
        "doctors",
    )


def test_the_order_of_from_does_not_change_the_plan() -> None:
    tied = "c.doctor_id = d.doctor_id AND p.id = c.patient_id AND r.region = p.region"
    plans = [
        ask(
            f"SELECT zone, field, COUNT(*) FROM {', '.join(order)} WHERE {tied} GROUP BY zone,"
            " field"
        ).plan
        for order in permutations(("care c", "doctors d", "patients p", "regions r"))
    ]
    assert all(plan == plans[0] for plan in plans)


def test_rows_of_other_groups_use_up_no_references() -> None:
    """Rows with undeclared kinds are dropped before references are counted."""
    plan = ask(
        "SELECT kind, COUNT(*) FROM care JOIN doctors USING (doctor_id) WHERE minutes > 5 GROUP BY"
        " kind"
    ).plan
    join = find_population_join(plan.bound.source)
    assert isinstance(join, Join)
    assert isinstance(join.source, Project)
    assert isinstance(join.source.source, Filter)
    assert join.source.source.source == Table(CARE)


def test_a_refusal_names_the_declaration_or_join_that_fixes_it() -> None:
    with pytest.raises(
        Refused, match=r"Join on the id of one of them, such as ON c\.x = d\.doctor_id\."
    ):
        ask("SELECT COUNT(*) FROM care c JOIN doctors d ON c.kind = d.field")
    with pytest.raises(Refused, match=r"Declare max_rows_per_group under \[tables\.shifts\]\."):
        ask("SELECT COUNT(*) FROM care c JOIN shifts d ON c.doctor_id = d.doctor_id")


def test_the_group_cap_of_referenced_units_need_not_be_declared() -> None:
    def asked(*open_caps: str) -> Question:
        doctors = replace(CATALOG.tables["doctors"], undeclared_caps=open_caps, auto_bounds=True)
        return parse_question(
            "SELECT kind, COUNT(*) FROM care JOIN doctors USING (doctor_id) GROUP BY kind",
            Catalog({**CATALOG.tables, "doctors": doctors}),
        )

    assert asked("max_groups").plan == asked().plan
    with pytest.raises(Refused, match=r"Declare max_rows_per_group under \[tables\.doctors\]\."):
        asked("max_groups", "max_rows_per_group")


def test_groups_are_not_too_many() -> None:
    keys = "minutes, MONTH(day), years, kind"
    with pytest.raises(
        Refused,
        match=r"This makes [\d,]+ groups, .* two populations may have at most 100,000",
    ):
        ask(f"SELECT {keys}, COUNT(*) FROM care JOIN doctors USING (doctor_id) GROUP BY {keys}")
