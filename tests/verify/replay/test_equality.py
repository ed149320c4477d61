"""Sameness of values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hedgerow.verify.replay.equality import find_difference, realise_iterator


@dataclass
class Point:
    x: Any


class Plain:
    def __init__(self, x: Any) -> None:
        self.x = x


class Bare:
    __slots__ = ()


def frame(*values: int, name: str = "n") -> pd.DataFrame:
    return pd.DataFrame({name: list(values)})


@pytest.mark.parametrize(
    "make",
    [
        lambda: None,
        lambda: 3,
        lambda: float("nan"),
        lambda: [1, (2.5, "x"), {"a": {1, 2}}],
        lambda: np.array([1.0, np.nan]),
        lambda: np.array([1, "x", None], dtype=object),
        lambda: np.float64(2.5),
        lambda: np.bool_(True),
        lambda: Fraction(1, 3),
        lambda: date(2026, 1, 1),
        lambda: frame(1, 2),
        lambda: pd.Series([1, 2], name="n"),
        lambda: pl.DataFrame({"n": [1, 2]}),
        lambda: Point([1, float("nan")]),
        lambda: Plain({"a": 1}),
        lambda: ValueError("few"),
    ],
)
def test_what_is_the_same(make: Any) -> None:
    assert find_difference(make(), make()) is None


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (1, 2, "the values differ"),
        (1, 1.0, "the types differ"),
        (0.0, -0.0, "the numbers differ"),
        ("a", "b", "the values differ"),
        ([1, [2, 3]], [1, [2, 4]], "[1][1]: the values differ"),
        ([1], [1, 2], "the lengths differ"),
        ({"a": 1}, {"b": 1}, "the keys differ"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "the keys differ"),
        ({"a": [1.0]}, {"a": [2.0]}, "['a'][0]: the numbers differ"),
        (np.array([1, 2]), np.array([1, 3]), "the arrays differ"),
        (np.array([1, 2]), np.array([1, 2, 3]), "the shapes or types of the arrays differ"),
        (np.array([1, None]), np.array([2, None]), "[0]: the values differ"),
        (frame(1, 2), frame(1, 3), "the tables differ"),
        (frame(1), frame(1, name="m"), "the tables differ"),
        (pd.Series([1], name="a"), pd.Series([1], name="b"), "the tables differ"),
        (pl.DataFrame({"n": [1]}), pl.DataFrame({"n": [2]}), "the tables differ"),
        (Point(1), Point(2), ".x: the values differ"),
        (Plain(1), Plain(2), "['x']: the values differ"),
        (
            Bare(),
            Bare(),
            (
                "values of type Bare cannot be compared; return numbers, text, lists, dicts or"
                " tables"
            ),
        ),
        (ValueError("a"), ValueError("b"), "the errors differ"),
    ],
)
def test_what_differs(one: Any, other: Any, told: str) -> None:
    assert find_difference(one, other) == told


def test_what_is_too_deep() -> None:
    one: list[Any] = []
    one.append(one)
    other: list[Any] = []
    other.append(other)
    assert "too deep" in str(find_difference(one, other))


def test_iterators_are_read() -> None:
    assert realise_iterator(iter([1, 2])) == [1, 2]
    assert realise_iterator("ab") == "ab"
