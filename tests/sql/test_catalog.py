"""Tables and their names."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.plan.schema import Column, Link, Schema
from hedgerow.sql.catalog import (
    PRIVACY_ID,
    Catalog,
    TableEntry,
    UnitPart,
    find_closest_name,
    has_whole_id,
)
from hedgerow.sql.parser import parse_question
from sql.helpers_fixtures import (
    CATALOG,
    PATIENTS,
    REGIONS,
    ROWS,
    VISITS,
    check_answered,
    check_refused,
    pairs,
)


def test_names_are_found_in_any_case_and_shown_as_in_the_policy() -> None:
    found = CATALOG.find_table("VISITS")
    assert found is not None
    assert found[0] == "visits"
    column = found[1].find_column("COST")
    assert column is not None
    assert column.name == "Cost"
    assert CATALOG.find_table("nothing") is None


def test_hidden_columns_are_not_there() -> None:
    entry = TableEntry(VISITS, frozenset({"NOTE"}), 3, 5)
    assert entry.find_column("note") is None
    assert "note" not in [column.name for column in entry.columns]
    assert "city" in [column.name for column in entry.columns]


def test_bounds_may_be_found_where_none_are_declared() -> None:
    entry = TableEntry(VISITS, auto_bounds=True)
    assert [column.name for column in VISITS.columns if entry.can_find_bounds(column)] == [
        "patient_id",
        "weight",
        "visits_before",
    ]
    assert not any(TableEntry(VISITS).can_find_bounds(column) for column in VISITS.columns)


def test_bounds_that_were_found_are_as_if_declared() -> None:
    ends = (Fraction(-8), Fraction(8))
    found = CATALOG.with_bounds({("visits", "weight"): ends})
    assert found.tables["visits"].find_column("weight") == Column("weight", "real", *ends)
    assert found.tables["visits"].schema.columns[:3] == VISITS.columns[:3]
    assert {name for name in CATALOG.tables if found.tables[name] != CATALOG.tables[name]} == {
        "visits"
    }
    assert CATALOG.tables["visits"].find_column("weight") == Column("weight", "real")


def test_caps_are_filled_in_where_they_are_open() -> None:
    half = TableEntry(VISITS, max_rows_per_group=5, undeclared_caps=("max_groups",))
    assert half.with_caps(7, 9) == replace(half, max_groups=7)
    entry = TableEntry(VISITS, undeclared_caps=("max_groups", "max_rows_per_group"))
    both = Catalog({"visits": entry, "answers": TableEntry(ROWS)})
    assert both.with_caps({"visits": (7, 9)}).tables["visits"] == replace(
        entry, max_groups=7, max_rows_per_group=9
    )
    assert both.with_caps({}) == both


def test_the_unit_is_known_by_its_column() -> None:
    assert TableEntry(VISITS).is_privacy_id("Patient_ID")
    assert not TableEntry(VISITS).is_privacy_id("age")
    assert not TableEntry(ROWS).is_privacy_id("row")


def test_caps_are_checked() -> None:
    with pytest.raises(InvalidArgument, match="max_groups"):
        TableEntry(VISITS, max_groups=0)
    with pytest.raises(InvalidArgument, match="every row of this table is its own unit"):
        TableEntry(ROWS, max_groups=2)


def test_a_key_is_of_columns_that_are_there() -> None:
    assert TableEntry(REGIONS, unique=(("REGION", "zone"),)).unique == (("REGION", "zone"),)
    with pytest.raises(InvalidArgument, match="must name columns of regions"):
        TableEntry(REGIONS, unique=(("region", "nothing"),))


def test_a_column_may_identify_the_owner_of_a_row() -> None:
    assert CATALOG.tables["visits"].find_owner("PATIENT_id") == PRIVACY_ID
    assert CATALOG.tables["lines"].find_owner("patient_id") is None
    assert CATALOG.tables["answers"].find_owner("row") is None
    lines, orders = CATALOG.tables["lines"], CATALOG.tables["orders"]
    assert (
        CATALOG.find_owner(lines, "Order_id")
        == CATALOG.find_owner(orders, "order_id")
        == ("orders", "order_id")
    )
    assert CATALOG.find_owner(lines, "drug") is None
    assert CATALOG.find_owner(CATALOG.tables["drugs"], "order_id") is None


def test_a_foreign_key_to_the_id_of_the_parent_is_the_id() -> None:
    child = Schema(
        "tests",
        (Column("who", "integer"), Column("x", "boolean")),
        "id",
        link=Link("who", PATIENTS, "id"),
    )
    assert TableEntry(child).find_owner("who") == PRIVACY_ID
    assert not TableEntry(child).is_privacy_id("id")
    question = parse_question(
        "SELECT COUNT(DISTINCT who) FROM tests JOIN patients ON who = id",
        Catalog({"tests": TableEntry(child), **CATALOG.tables}),
    )
    assert question.tables == ("tests", "patients")


def test_tables_that_differ_in_case_only_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="upper and lower case"):
        Catalog({"a": TableEntry(VISITS), "A": TableEntry(ROWS)})


def test_the_nearest_name_is_near() -> None:
    assert find_closest_name("REGON", ["region", "age"]) == "region"
    assert find_closest_name("zzz", ["region", "age"]) is None


@pytest.mark.parametrize(("sql", "expected"), pairs("catalog"))
def test_people_whom_several_columns_identify_are_answered_about(sql: str, expected: str) -> None:
    check_answered(sql, expected)


@pytest.mark.parametrize(("sql", "expected"), pairs("catalog__refused"))
def test_a_part_of_an_id_is_no_id_and_no_column(sql: str, expected: str) -> None:
    check_refused(sql, expected)


def test_only_all_parts_or_a_whole_key_identify_a_unit() -> None:
    parts = [UnitPart(place, 3) for place in range(3)]
    assert has_whole_id([None, *parts])
    assert has_whole_id([parts[0], ("orders", "id")])
    assert not has_whole_id([*parts[:2], parts[0], None])
    assert not has_whole_id([])


def test_a_part_with_declared_values_is_a_column_and_a_bare_one_is_not() -> None:
    entry = CATALOG.tables["sales"]
    assert [entry.find_owner(name) for name in ("STORE", "customer", "price")] == [
        UnitPart(0, 2),
        UnitPart(1, 2),
        None,
    ]
    assert [entry.is_privacy_id(name) for name in ("store", "customer")] == [False, True]
    hidden = replace(entry, hidden=frozenset({"store"}))
    assert hidden.is_privacy_id("store")
