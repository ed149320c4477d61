"""Statements that combine constructs: no neighbour moves a release further than declared, and
nothing outside tells two neighbours apart.
"""

from __future__ import annotations

import pytest

from database.attacks.combined import seek_combined


@pytest.mark.long
def test_no_neighbour_moves_a_combined_statement_further_than_declared() -> None:
    pairs, answered, problems = seek_combined("combined", 50)
    assert problems == []
    assert pairs >= 50
    assert answered > 3
