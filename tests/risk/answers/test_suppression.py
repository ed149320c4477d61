"""Holes in a table with totals: which are none, and how wide the others are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers import lp_bounds as bounds
from hedgerow.risk.answers.suppression import SUPPRESSION_WARNING, bound_suppressed_cells

NAMES: tuple[list[str], list[str]] = (["m", "f"], ["north", "south"])


def test_a_single_missing_cell_follows_from_the_totals() -> None:
    holes, findings = bound_suppressed_cells(*NAMES, [[12, None], [20, 9]], row_totals=[14, 29])
    assert [
        (hole.row, hole.column, hole.low, hole.high, hole.is_recoverable) for hole in holes
    ] == [("m", "south", 2, 2, True)]
    assert [each.sentence for each in findings] == [
        "The suppressed cell m, south is 2: it follows from the totals."
    ]


def test_four_holes_protect_each_other_within_bounds() -> None:
    """x + y = 14, z + u = 29, x + z = 40: south has 3 in all, so each of its cells has 0 to 3."""
    holes, findings = bound_suppressed_cells(
        *NAMES, [[None, None], [None, None]], row_totals=[14, 29], column_totals=[40, 3]
    )
    assert [(hole.low, hole.high) for hole in holes] == [(11, 14), (0, 3), (26, 29), (0, 3)]
    assert not findings


def test_sums_are_bounded_without_rounding() -> None:
    holes, findings = bound_suppressed_cells(
        *NAMES,
        [[None, None], [1.5, 2]],
        row_totals=[30.5, None],
        column_totals=[31, None],
        whole=False,
    )
    assert [(hole.low, hole.high) for hole in holes] == [(Fraction(59, 2), Fraction(59, 2)), (1, 1)]
    assert [each.kind for each in findings] == ["recoverable", "recoverable"]
    assert findings[0].low is None


def test_nearly_recoverable_cells_are_reported() -> None:
    _, findings = bound_suppressed_cells(
        *NAMES, [[None, None], [None, None]], row_totals=[103, 200], column_totals=[300, 3]
    )
    assert [each.kind for each in findings] == ["bounded", "bounded"]
    assert (
        findings[0].sentence
        == "The suppressed cell m, north lies between 100 and 103: within ten percent."
    )


def test_a_public_rule_narrows_every_hole() -> None:
    """Two holes of a row of 4: 0 to 4 each; if only counts below 3 are suppressed, both are 2."""
    wide, _ = bound_suppressed_cells(["m"], ["a", "b"], [[None, None]], row_totals=[4])
    assert [(hole.low, hole.high) for hole in wide] == [(0, 4), (0, 4)]
    narrow, findings = bound_suppressed_cells(
        ["m"], ["a", "b"], [[None, None]], row_totals=[4], below=3
    )
    assert [(hole.low, hole.high) for hole in narrow] == [(2, 2), (2, 2)]
    assert len(findings) == 2
    assert "depends on the data" in SUPPRESSION_WARNING


def test_without_totals_nothing_is_known() -> None:
    holes, findings = bound_suppressed_cells(*NAMES, [[None, 1], [1, 1]])
    assert (holes[0].low, holes[0].high, findings) == (0, None, [])
    assert bound_suppressed_cells(*NAMES, [[1, 1], [1, 1]]) == ([], [])
    assert bound_suppressed_cells(*NAMES, [[None, 1], [1, 1]], total=9)[0][0].low == 6


@pytest.mark.parametrize(
    ("table", "more", "why"),
    [
        ([[1, None]], {}, "table must have 2 rows of 2 cells"),
        ([[1, None], [1]], {}, "table must have 2 rows of 2 cells"),
        ([[1, None], [1, 2]], {"row_totals": [1]}, "row_totals must be 2 numbers; got 1"),
        ([[1, None], [1, 2]], {"column_totals": [1]}, "column_totals must be 2 numbers; got 1"),
        ([[9, None], [1, 2]], {"row_totals": [1, 3]}, "table must add up to its totals"),
        ([["x", None], [1, 2]], {"row_totals": [1, 3]}, "table must hold numbers"),
        ([[float("inf"), None], [1, 2]], {"row_totals": [1, 3]}, "table must hold finite numbers"),
    ],
)
def test_tables_that_do_not_fit_are_refused(table: Any, more: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidArgument, match=why):
        bound_suppressed_cells(*NAMES, table, **more)


def test_a_truncated_search_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two holes that add up to two and a half: whole numbers do not fit, and that takes a
    search.
    """
    given = (["m"], ["north", "south"], [[None, None]])
    assert all(hole.is_complete for hole in bound_suppressed_cells(*given, row_totals=[3])[0])
    monkeypatch.setattr(bounds, "_MAX_SEARCHED_ATOMS", 1)
    # nothing was to be searched for
    assert all(hole.is_complete for hole in bound_suppressed_cells(*given, row_totals=[3])[0])
    assert not any(hole.is_complete for hole in bound_suppressed_cells(*given, row_totals=[2.5])[0])
