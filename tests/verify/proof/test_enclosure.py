"""Bounds of numbers."""

from __future__ import annotations

import math

import pytest

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.proof.enclosure import enclosed
from verify.proof.proving import expression


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 / 3 - 2", 1 / 3 - 2),
        ("ln(125000)", math.log(125000)),
        ("sqrt(2 * ln(125000)) / 10", math.sqrt(2 * math.log(125000)) / 10),
        ("-exp(-3)", -math.exp(-3)),
        ("(1 - 3) * ln(2)", -2 * math.log(2)),
        ("1 / (ln(2) - 1)", 1 / (math.log(2) - 1)),
        ("2 + 3", 5),
    ],
)
def test_the_number_is_between(text: str, value: float) -> None:
    low, high = enclosed(expression(text))
    assert low <= high
    assert float(low) == pytest.approx(value, rel=1e-12)
    assert float(high) == pytest.approx(value, rel=1e-12)


def test_the_bounds_are_on_their_sides() -> None:
    low, high = enclosed(expression("ln(2) * ln(2)"))
    assert low < high
    assert enclosed(expression("exp(ln(2))"))[0] <= 2 <= enclosed(expression("exp(ln(2))"))[1]


@pytest.mark.parametrize("text", ["x", "ln(0)", "sqrt(-1)", "1 / (ln(2) - ln(2))", "floor(2)", "True"])
def test_others_are_outside(text: str) -> None:
    with pytest.raises(Outside):
        enclosed(expression(text))
