"""Every cell of the truth gate: answers mean what the documentation says they mean."""

from __future__ import annotations

import pytest

from truth import grid
from truth.worlds import ROWS, SHAPES

TESTS = grid.count_tests(grid.list_cells())


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_answers_mean_what_is_documented(shape: str, rows: str) -> None:
    cells = [cell for cell in grid.list_cells() if (cell.world.shape, cell.world.rows) == (shape, rows)]
    report = grid.run_cells(cells, TESTS)
    print(report)
    assert not report.reasons, "\n".join([*report.reasons, str(report)])
