"""The least epsilon for an error, whatever shape the error has."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.answers.epsilon_search import find_least_epsilon

SHAPES: list[Callable[[float], float]] = [
    lambda epsilon: 3 / epsilon,
    lambda epsilon: 3 / epsilon**2,
    lambda epsilon: 3 / math.sqrt(epsilon) + 1,
    lambda epsilon: math.ceil(100 / epsilon) / 10,
    lambda epsilon: 0.0 if epsilon > 0.7 else 10.0,
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("precision", [1e-3, 1e-4])
@given(target=st.integers(20, 99).map(lambda n: Fraction(2 * n + 1, 20)))
def test_the_found_epsilon_reaches_the_target_with_little_to_spare(
    shape: Callable[[float], float], precision: float, target: Fraction
) -> None:
    found = find_least_epsilon(lambda e: shape(float(e)), target, Fraction(100), precision)
    assert found is not None
    assert shape(float(found)) <= target
    assert shape(float(found) / (1 + 2 * precision)) > target


def test_an_error_beyond_the_largest_epsilon_has_none() -> None:
    assert find_least_epsilon(lambda e: 3 / float(e), Fraction(1), Fraction(2)) is None
    assert find_least_epsilon(lambda e: 3 / float(e), Fraction(1), Fraction(3)) == 3


def test_no_epsilon_beyond_the_largest_is_tried() -> None:
    tried: list[Fraction] = []
    find_least_epsilon(
        lambda e: tried.append(e) or 1 / float(e),  # type: ignore[func-returns-value]
        Fraction(1),
        Fraction(10_000),
    )
    assert max(tried) <= 10_000
    assert len(tried) < 20
