"""Checks of scores, factors and candidates."""

from __future__ import annotations

import traceback
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.scores import (
    check_candidates,
    check_factor,
    check_index,
    compute_score_gaps,
    find_smallest_radius,
    parse_scores,
)
from mechanisms import helpers_bad_input as bad

TABLES = {
    "number": bad.SECRET,
    "table": [[1, bad.SECRET]],
    "None": None,
    "text": f"x{bad.SECRET}",
    "mapping": {"a": bad.SECRET},
}


@pytest.mark.parametrize(
    "scores", [*bad.ARRAYS.values(), *TABLES.values()], ids=(*bad.ARRAYS, *TABLES)
)
def test_bad_scores_are_refused_without_showing_them(scores: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        parse_scores(scores)
    assert refusal.value.argument == "scores"
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


def test_scores_are_taken_as_they_are() -> None:
    assert parse_scores([2**62, -(2**63), 2**63 - 1]).tolist() == [2**62, -(2**63), 2**63 - 1]
    assert parse_scores(np.array([0.1, -3e100])).tolist() == [0.1, -3e100]
    assert parse_scores([7]).tolist() == [7]


def test_far_doubles_are_clamped_so_that_products_stay_finite() -> None:
    assert parse_scores([1.7e308, -1.7e308, 1e200]).tolist() == [1e200, -1e200, 1e200]


def test_score_gaps_are_distances_to_the_best() -> None:
    assert compute_score_gaps(parse_scores([1.0, 3.0, 2.5]), Fraction(2)).tolist() == [-4, 0, -1]
    assert compute_score_gaps(parse_scores([2**60 + 1, 2**60]), Fraction(1)).tolist() == [0, -1]
    assert compute_score_gaps(parse_scores([2**63 - 1, -(2**63)]), Fraction(1)).tolist() == [
        0,
        -(2.0**64),
    ]
    assert np.isfinite(
        compute_score_gaps(parse_scores([1.7e308, -1.7e308]), Fraction(10**100))
    ).all()


@pytest.mark.parametrize("factor", [*bad.SENSITIVITIES, 1e-101, 1e101, 10**400], ids=bad.name)
def test_bad_factors_are_refused(factor: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        check_factor(factor)
    assert refusal.value.argument == "factor"


def test_good_factors_pass() -> None:
    assert check_factor(0.1) == Fraction(1, 10)
    assert check_factor(np.float64(0.5)) == Fraction(1, 2)


@pytest.mark.parametrize("index", [-1, 3, True, np.True_, 1.0, "1", None], ids=bad.name)
def test_bad_indices_are_refused(index: object) -> None:
    with pytest.raises(InvalidArgument, match="0 to 2"):
        check_index(index, 3)


@pytest.mark.parametrize("count", [0, -1, True, np.True_, 2.0, "2", None, 10**400], ids=bad.name)
def test_bad_counts_of_candidates_are_refused(count: object) -> None:
    with pytest.raises(InvalidArgument, match="candidates"):
        check_candidates(count)


def test_numpy_counts_are_counts() -> None:
    assert check_index(np.int8(2), 3) == 2
    assert check_candidates(np.int64(5)) == 5


def test_the_smallest_radius_is_found() -> None:
    assert find_smallest_radius(lambda d: exp(-d), 0.05, 100) == pytest.approx(
        2.995732273553991, rel=1e-11
    )
    assert find_smallest_radius(lambda d: 0.01, 0.05, 100) == 0
