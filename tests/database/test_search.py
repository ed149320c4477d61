"""A search: its name, its price, what it means."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.database.catalog import catalog_of
from hedgerow.database.search import Found, bounds_search, caps_search, request_for
from hedgerow.engines.source import PhysicalColumn
from hedgerow.errors import Unbounded
from hedgerow.plan.expressions import Read
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
CATALOG = catalog_of(POLICY, {"t": [PhysicalColumn("who", "integer"), PhysicalColumn("x", "real"), PhysicalColumn("town", "text")]})
BOUNDS = bounds_search(POLICY, CATALOG, ("t", "x"))
CAPS = caps_search(POLICY, CATALOG, "t", (Read("town"),), ("max_groups", "max_rows_per_group"))


def test_caps_that_the_policy_leaves_out_are_open() -> None:
    assert CATALOG.tables["t"].open_caps == ("max_groups", "max_rows_per_group")
    assert (CATALOG.tables["t"].max_groups, CATALOG.tables["t"].max_rows_per_group) == (1, 1)


def test_each_search_has_a_name_of_its_own() -> None:
    rows = caps_search(POLICY, CATALOG, "t", (), ("max_rows_per_group",))
    assert (BOUNDS.what, CAPS.what) == ("bounds of t.x", "max_groups and max_rows_per_group of t by town")
    assert rows.what == "max_rows_per_group of t"
    assert len({BOUNDS.key, CAPS.key, rows.key}) == 3
    assert bounds_search(POLICY, CATALOG, ("t", "x")).key == BOUNDS.key
    other = parse_policy(PAGE.replace("change-one", "add-remove"))
    assert bounds_search(other, CATALOG, ("t", "x")).key != BOUNDS.key
    assert request_for("r", BOUNDS) == "r / bounds of t.x"


def test_it_costs_what_is_said() -> None:
    for search in (BOUNDS, CAPS):
        assert search.loss(Fraction(1, 3)).epsilon == Fraction(1, 3)
        assert len(search.noise(Fraction(1)).laws) == 2
        charge = search.charge("ana", Fraction(1, 3), "r", "digest")
        assert (charge.population, charge.version, charge.parts) == ("people", "7", None)
        assert (charge.request, charge.question) == (request_for("r", search), search.key)
        assert search.charge("ana", Fraction(1, 3), None, "digest").request is None


def test_what_its_answers_mean() -> None:
    assert BOUNDS.meant(((31,), (0,))) == (-2, 2)
    assert CAPS.meant(((3,), (2,))) == (4, 2)
    assert BOUNDS.meant(((-1,), (0,))) is CAPS.meant(((3,), (-2,))) is None
    assert Found(BOUNDS, (Fraction(0), Fraction(1, 4)), 9).note == "Not declared but found privately: bounds of t.x, 0 to 0.25 (entry 9)."
    caps = "max_groups and max_rows_per_group of t by town, 4 and 2,048 (entry 5)"
    assert Found(CAPS, (Fraction(4), Fraction(2048)), 5).note == f"Not declared but found privately: {caps}."


def test_caps_are_those_of_one_table() -> None:
    with pytest.raises(Unbounded):
        caps_search(POLICY, CATALOG, "t", None, ("max_groups",))
