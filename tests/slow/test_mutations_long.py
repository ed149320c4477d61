"""Forged certificates, a hundred thousand of them, and generated programs against the reference,
in large numbers.
"""

from __future__ import annotations

import pytest

from verify.attacks.mutations import fooled
from verify.language.interpreter.reference import agree

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(10))
def test_no_forgery_is_accepted(seed: int) -> None:
    assert fooled(10_000, seed) == []


@pytest.mark.parametrize("start", range(0, 5000, 1000))
def test_programs_run_as_written(start: int) -> None:
    for seed in range(start, start + 1000):
        ran, said = agree(seed)
        assert ran == said, seed
