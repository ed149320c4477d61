"""Sensitivity is real, at length: a hundred thousand pairs of neighbours."""

from __future__ import annotations

import pytest

from database.attacks.seeking import ONE_TABLE, SHOP, seek
from database.attacks.test_joins_across_units import FORUM

PAIRS, PARTS = 2_000, 50
KINDS = {
    "one table": ("units", "rows", "values", "distinct", "total", "moments", "quantiles", "mode"),
    "shop": (
        "units",
        "rows",
        "values",
        "distinct",
        "total",
        "moments",
        "quantiles",
        "least",
        "greatest",
        "mode",
    ),
}


@pytest.mark.parametrize("part", range(PARTS))
def test_no_neighbour_moves_further_than_declared(part: int) -> None:
    scene = "one table" if part % 2 else "shop"
    found = seek(f"at length {part}", PAIRS, ONE_TABLE if part % 2 else SHOP)
    assert found.violations == []
    assert found.pairs >= PAIRS
    assert all(found.kinds[kind] > 0 for kind in KINDS[scene])
    assert sum(found.reached[kind] > 0 for kind in KINDS[scene]) > 4


@pytest.mark.parametrize("part", range(4))
def test_no_author_moves_a_join_of_different_people_further_than_declared(part: int) -> None:
    found = seek(f"forum at length {part}", PAIRS, FORUM)
    assert found.violations == []
    assert found.pairs >= PAIRS
    assert all(found.kinds[kind] > 0 for kind in ("rows", "values", "total", "moments"))
