"""Every cell of the truth gate: answers mean what the documentation says they mean."""

from __future__ import annotations

import pytest

from truth import grid, publications
from truth.constructs import CONSTRUCTS, list_construct_cells
from truth.test_grouping_sets import check_noisy_levels
from truth.worlds import ROWS, SHAPES

TESTS = publications.count_all_tests()


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_answers_mean_what_is_documented(shape: str, rows: str) -> None:
    cells = [
        cell for cell in grid.list_cells() if (cell.world.shape, cell.world.rows) == (shape, rows)
    ]
    report = grid.run_cells(cells, TESTS)
    print(report)
    assert not report.reasons, "\n".join([*report.reasons, str(report)])


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_constructs_change_nothing_about_the_meaning(construct: str) -> None:
    cells = [one for one in list_construct_cells(whole=True) if one.world.construct == construct]
    report = grid.run_cells(cells, TESTS)
    print(report)
    assert not report.reasons, "\n".join([*report.reasons, str(report)])


@pytest.mark.parametrize("rows", ROWS)
def test_publications_count_the_rows_that_count(rows: str) -> None:
    published = [one for one in publications.list_publications() if one.world.rows == rows]
    reasons = [reason for one in published for reason in publications.judge_publication(one, TESTS)]
    print(f"{rows} rows: {len(published)} publications, {len(reasons)} false statements")
    assert not reasons, "\n".join(reasons)


@pytest.mark.parametrize("unit", ["row", "uid"])
def test_noisy_levels_are_right_on_average_and_their_intervals_cover(unit: str) -> None:
    check_noisy_levels(unit, 200)
