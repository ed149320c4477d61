"""Timestamps, conversions and regular expressions, at length."""

from __future__ import annotations

from random import Random

from database.attacks.seeking import seek
from database.attacks.test_scalar_sensitivity import SCENE
from sql.syntax.test_pattern_matching import compare


def test_scalars_move_no_further_than_declared_on_many_neighbours() -> None:
    found = seek("scalars at length", 2000, SCENE)
    assert found.violations == []
    assert found.pairs >= 2000


def test_the_engine_finds_what_the_plan_defines_in_many_patterns() -> None:
    assert compare(Random("patterns at length"), 10_000) > 5000
