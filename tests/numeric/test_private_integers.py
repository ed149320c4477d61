"""Parsing of whole numbers that are data."""

from __future__ import annotations

import traceback
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.private_integers import parse_private_distance, parse_private_whole

SECRET = 74311
NEVER = (
    nan,
    -inf,
    True,
    np.True_,
    "1",
    None,
    1j,
    [1],
    np.array([1]),
    Decimal("NaN"),
    Decimal("sNaN"),
    SECRET + 0.5,
    Fraction(SECRET, 7),
)


@pytest.mark.parametrize("value", NEVER, ids=lambda v: f"{type(v).__name__} {v}"[:20])
def test_non_whole_numbers_are_refused_and_not_shown(value: object) -> None:
    for read in (
        lambda v: parse_private_whole(v, "counts"),
        lambda v: parse_private_distance(v, 0),
    ):
        with pytest.raises(InvalidArgument, match="whole number") as refusal:
            read(value)
        assert refusal.value.argument in {"counts", "distance"}
        assert str(SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize(
    "value", [5, 5.0, Fraction(5), Decimal(5), np.int8(5), np.uint64(5), np.float32(5)]
)
def test_whole_numbers_of_any_kind(value: object) -> None:
    assert parse_private_whole(value, "counts") == 5
    assert parse_private_distance(value, 1) == 5
    assert type(parse_private_whole(value, "counts")) is int


def test_any_size_and_sign() -> None:
    assert parse_private_whole(-(10**400), "answers") == -(10**400)
    assert parse_private_whole(-1, "answers") == -1


def test_numbers_below_the_minimum_are_refused() -> None:
    assert parse_private_whole(1, "counts", 1) == 1
    assert parse_private_distance(0, 0) == 0
    assert parse_private_distance(-0.0, 0) == 0
    for read in (
        lambda: parse_private_whole(0, "counts", 1),
        lambda: parse_private_distance(0, 1),
        lambda: parse_private_distance(-1, 0),
    ):
        with pytest.raises(InvalidArgument):
            read()


def test_infinity_is_a_distance_but_no_whole_number() -> None:
    for endless in (inf, np.float32(inf), np.float64(inf)):
        assert parse_private_distance(endless, 1) == inf
        with pytest.raises(InvalidArgument, match=r"^counts must be a whole number\.$"):
            parse_private_whole(endless, "counts")


def test_the_rule_of_a_refusal_can_be_replaced() -> None:
    with pytest.raises(InvalidArgument, match=r"^answers must be whole numbers\.$"):
        parse_private_whole(0.5, "answers", rule="must be whole numbers")
    with pytest.raises(
        InvalidArgument, match=r"^distance must be a whole number of at least 1, or infinity\.$"
    ):
        parse_private_distance(0, 1)
