"""A search: its name, its price, what it means."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.database.autobounds.search import (
    FoundBounds,
    build_bounds_search,
    build_caps_search,
    build_request_key,
)
from hedgerow.database.catalog_builder import build_catalog
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.errors import Unbounded
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.policy import parse_policy

PAGE = """
[database]
name = "x"
[budget]
epsilon = 1
[tables.t]
source = "t.parquet"
unit = "who"
neighbours = "change-one"
version = "7"
max_units = 10
auto_bounds = true
"""
POLICY = parse_policy(PAGE)
CATALOG = build_catalog(
    POLICY,
    {
        "t": [
            PhysicalColumn("who", "integer"),
            PhysicalColumn("x", "real"),
            PhysicalColumn("town", "text"),
        ]
    },
)
BOUNDS = build_bounds_search(POLICY, CATALOG, ("t", "x"))
CAPS = build_caps_search(
    POLICY, CATALOG, "t", (ColumnRef("town"),), ("max_groups", "max_rows_per_group")
)


def test_caps_that_the_policy_leaves_out_are_open() -> None:
    assert CATALOG.tables["t"].undeclared_caps == ("max_groups", "max_rows_per_group")
    assert (CATALOG.tables["t"].max_groups, CATALOG.tables["t"].max_rows_per_group) == (1, 1)


def test_each_search_has_a_name_of_its_own() -> None:
    rows = build_caps_search(POLICY, CATALOG, "t", (), ("max_rows_per_group",))
    assert (BOUNDS.label, CAPS.label) == (
        "bounds of t.x",
        "max_groups and max_rows_per_group of t by town",
    )
    assert rows.label == "max_rows_per_group of t"
    assert len({BOUNDS.key, CAPS.key, rows.key}) == 3
    assert build_bounds_search(POLICY, CATALOG, ("t", "x")).key == BOUNDS.key
    other = parse_policy(PAGE.replace("change-one", "add-remove"))
    assert build_bounds_search(other, CATALOG, ("t", "x")).key != BOUNDS.key
    assert build_request_key("r", BOUNDS) == "r / bounds of t.x"


def test_a_search_costs_its_stated_loss() -> None:
    for search in (BOUNDS, CAPS):
        assert search.loss(Fraction(1, 3)).epsilon == Fraction(1, 3)
        assert len(search.noise(Fraction(1)).mechanisms) == 2
        charge = search.charge("ana", Fraction(1, 3), "r", "digest")
        assert (charge.population, charge.version, charge.parts) == ("people", "7", None)
        assert (charge.request, charge.question) == (build_request_key("r", search), search.key)
        assert search.charge("ana", Fraction(1, 3), None, "digest").request is None


def test_results_are_decoded_and_described() -> None:
    assert BOUNDS.decode_result(((31,), (0,))) == (-2, 2)
    assert CAPS.decode_result(((3,), (2,))) == (4, 2)
    assert BOUNDS.decode_result(((-1,), (0,))) is CAPS.decode_result(((3,), (-2,))) is None
    assert (
        FoundBounds(BOUNDS, (Fraction(0), Fraction(1, 4)), 9).note
        == "Found privately, not declared: bounds of t.x, 0 to 0.25 (ledger entry 9)."
    )
    caps = "max_groups and max_rows_per_group of t by town, 4 and 2,048 (ledger entry 5)"
    assert (
        FoundBounds(CAPS, (Fraction(4), Fraction(2048)), 5).note
        == f"Found privately, not declared: {caps}."
    )


def test_caps_are_searched_in_one_table() -> None:
    with pytest.raises(Unbounded):
        build_caps_search(POLICY, CATALOG, "t", None, ("max_groups",))
