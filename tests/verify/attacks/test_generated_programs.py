"""Generated programs: a verdict or a reason for each, never an internal error."""

from __future__ import annotations

import pytest

from verify.attacks.generated_programs import find_problem


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_no_program_breaks_the_prover(start: int) -> None:
    assert [one for seed in range(start, start + 50) if (one := find_problem(seed, 30))] == []
