"""Ten thousand generated programs, none of which may break the prover."""

from __future__ import annotations

import pytest

from verify.attacks.generated_programs import find_problem

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("start", range(0, 10_000, 500))
def test_no_program_breaks_the_prover(start: int) -> None:
    assert [one for seed in range(start, start + 500) if (one := find_problem(seed))] == []
