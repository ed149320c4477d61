"""Whole numbers of 1/65536."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
import pytest

from goodness import ALARM, FAR, chi_square
from hedgerow.errors import InvalidArgument
from hedgerow.local.fixed_point import (
    THRESHOLD_ENDS,
    check_domain,
    check_epsilon,
    check_fields,
    check_integer,
    compute_epsilon,
    draw_uint16,
    find_largest_threshold,
    flip_coins,
)


def test_draws_are_uniform_16_bit_numbers() -> None:
    found = draw_uint16(400_001)
    assert found.dtype == np.uint16
    assert found.size == 400_001
    for bits in (found >> 8, found & 255):
        assert chi_square(np.bincount(bits, minlength=256), np.full(256, 1 / 256)) > ALARM
    assert draw_uint16(0).size == 0


@pytest.mark.parametrize("threshold", [1, 20_000, 65_535])
def test_coins_have_their_probability(threshold: int) -> None:
    size, p = 200_000, threshold / 65536
    assert (
        abs(flip_coins(threshold, size).sum() - size * p) < FAR * (size * p * (1 - p)) ** 0.5 + 10
    )


def test_the_ends_are_sure() -> None:
    assert not flip_coins(0, 1000).any()
    assert flip_coins(65536, 1000).all()


def test_epsilon_is_rounded_up_and_has_no_sign() -> None:
    for ratio in (Fraction(3), Fraction(1, 3)):
        assert log(3) <= compute_epsilon(ratio) < log(3) + 2e-12
    assert compute_epsilon(Fraction(1)) == 0


def test_the_largest_threshold_within_the_limit() -> None:
    assert find_largest_threshold(lambda t: Fraction(t, 10), Fraction(1), 1, 100) == 10
    assert find_largest_threshold(lambda t: Fraction(t, 10), Fraction(100), 1, 100) == 100
    with pytest.raises(InvalidArgument, match="too small for thresholds"):
        find_largest_threshold(lambda t: Fraction(t, 10), Fraction(1, 11), 1, 100)


@dataclass(frozen=True)
class Thresholds:
    t: object


def test_guards() -> None:
    assert (check_domain(2), check_integer(3, "n", 3, 3)) == (2, 3)
    for bad in (0, 65536, 1.0, True, np.bool_(True), "1"):
        with pytest.raises(InvalidArgument, match="t must be a whole number between 1 and 65535"):
            check_fields(Thresholds(bad), t=THRESHOLD_ENDS)
    fine = Thresholds(np.int64(5))
    check_fields(fine, t=THRESHOLD_ENDS)
    assert (type(fine.t), fine.t) == (int, 5)
    with pytest.raises(InvalidArgument, match="domain"):
        check_domain(2**24 + 1)
    assert check_epsilon(0.5) == Fraction(1, 2)
    with pytest.raises(InvalidArgument, match="at most 11"):
        check_epsilon(11.5)
