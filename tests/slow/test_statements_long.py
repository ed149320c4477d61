"""Statements that are split, on many neighbours at the seam."""

from __future__ import annotations

import pytest

from database.attacks.combined import seek_combined
from database.attacks.statements import seek_statements


@pytest.mark.parametrize("part", range(4))
def test_no_neighbour_moves_a_piece_further_than_declared(part: int) -> None:
    pairs, problems = seek_statements(f"statements {part}", 500)
    print(f"{pairs} pairs")
    assert problems == []


@pytest.mark.parametrize("part", range(8))
def test_no_neighbour_moves_a_combined_statement_further_than_declared(part: int) -> None:
    pairs, answered, problems = seek_combined(f"combined {part}", 500)
    print(f"{pairs} pairs, {answered} answered statements")
    assert problems == []
