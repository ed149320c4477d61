"""Operators of a mechanism's source: evaluated, or written as expressions of the program."""

from __future__ import annotations

import pytest

from verify.language.classes.classes import read, refused
from verify.language.classes.showing import lines


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("exact * 1", "exact"),
        ("1 * exact / 1", "exact"),
        ("-exact + 2 * 3", "-exact + 6"),
        ("exact + 2 ** 3", "exact + 8"),
        ("exact if 'a' in 'abc' else unknown", "exact"),
    ],
)
def test_operators_on_known_values_are_evaluated(value: str, expected: str) -> None:
    assert lines(read(f"return {value}"))[-1] == f"output {expected}"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("exact // 2", "the operator in exact // 2 is not in the language"),
        ("1 / 0 + exact", "cannot be evaluated"),
        ("exact + 'a' * 2", "is not a number"),
        ("exact + 2 ** 65", "an exponent must be an integer of at most 64"),
        ("exact < 'a'", "is not a number"),
        ("exact in (1, 2)", "is not in the language"),
        ("~exact", "is not in the language"),
    ],
)
def test_other_operators_and_operands_are_refused(value: str, reason: str) -> None:
    assert reason in refused(f"return {value}")
