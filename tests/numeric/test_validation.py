"""Parsing of data arrays and failure probabilities."""

from __future__ import annotations

import traceback
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.validation import parse_array, parse_beta, parse_raw_array
from mechanisms import helpers_bad_input as bad


@pytest.mark.parametrize("data", bad.ARRAYS.values(), ids=bad.ARRAYS)
def test_bad_data_are_refused_without_showing_them(data: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        parse_array(data, "exact")
    assert refusal.value.argument == "exact"
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


def test_the_length_of_a_text_is_not_shown() -> None:
    messages = set()
    for text in ("a", "a" * 40):
        with pytest.raises(InvalidArgument) as refusal:
            parse_array([text], "exact")
        messages.add(str(refusal.value))
    assert len(messages) == 1


@pytest.mark.parametrize(
    "data", [[1, 2], (1, 2), np.array([1, 2], dtype=np.int8), np.array([1, 2], dtype=np.uint32)]
)
def test_integers_stay_integers(data: object) -> None:
    array = parse_array(data, "exact")
    assert array.dtype == np.int64
    assert array.tolist() == [1, 2]


@pytest.mark.parametrize(
    "data", [[1.5, 2], np.array([1.5, 2], dtype=np.float32), np.array([1.5, 2], dtype=np.float16)]
)
def test_reals_become_doubles(data: object) -> None:
    array = parse_array(data, "exact")
    assert array.dtype == np.float64
    assert array.tolist() == [1.5, 2]


def test_no_integer_is_rounded_on_the_way_in() -> None:
    # As doubles these would lie 2,048 apart instead of 1.
    assert float(2**63 + 1025) - float(2**63 + 1024) == 2048
    for value in (2**53 + 1, -(2**53) - 1, 2**63 + 1025, np.int64(2**53 + 1)):
        with pytest.raises(InvalidArgument, match="beyond 2\\^53"):
            parse_array([0.5, value], "exact")
        with pytest.raises(InvalidArgument, match="beyond 2\\^53"):
            parse_array([[0.5], [value]], "exact")
    assert parse_array([0.5, 2**53], "exact").tolist() == [0.5, 2**53]
    assert parse_array([0.5, 1e300], "exact").tolist() == [0.5, 1e300]


def test_raw_arrays_are_filled_and_regular() -> None:
    assert parse_raw_array([True, False], "exact").dtype == np.bool_
    with pytest.raises(InvalidArgument, match="empty"):
        parse_raw_array([], "exact")
    with pytest.raises(InvalidArgument, match="regular"):
        parse_raw_array([[1], [1, 2]], "exact")


@pytest.mark.parametrize("beta", [*bad.LEVELS, 1e-301, Fraction(1, 10**400)], ids=bad.name)
def test_bad_betas_are_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        parse_beta(beta)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"


def test_good_betas_pass() -> None:
    assert [parse_beta(b) for b in (0.05, Fraction(1, 4), np.float32(0.5), 1e-300)] == [
        0.05,
        0.25,
        0.5,
        1e-300,
    ]
