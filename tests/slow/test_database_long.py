"""Sensitivity is real, at length: a hundred thousand pairs of neighbours."""

from __future__ import annotations

import pytest

from database.breaches.seeking import seek

PAIRS, PARTS = 100_000, 50


@pytest.mark.parametrize("part", range(PARTS))
def test_no_neighbour_moves_further_than_declared(part: int) -> None:
    found = seek(f"at length {part}", PAIRS // PARTS)
    assert found.violations == []
    assert found.pairs >= PAIRS // PARTS
    assert all(found.reached[kind] > 0 for kind in ("units", "rows", "values"))
