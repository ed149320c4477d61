from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.privacy.unit import Unit
from hedgerow.sensitivity.sample import SortedSample, check_relation

from .helpers_brute_force import RELATIONS

reals = st.floats(min_value=-1e6, max_value=1e6)


def steps(x: SortedSample) -> list[int]:
    return [int(v) for v in x.values]


def test_integer_bounds_declare_whole_numbers() -> None:
    x = SortedSample.from_values([5, 3, 9, 3, -2, 100], lower=0, upper=10)
    assert steps(x) == [0, 3, 3, 5, 9, 10]
    assert (x.lower, x.upper, x.width, x.grid, len(x)) == (0, 10, 10, 1, 6)


def test_real_bounds_give_a_fine_grid() -> None:
    x = SortedSample.from_values([0.5, 0.25, -3.0, 7.0], lower=0.0, upper=1.0)
    assert x.grid == Fraction(1, 2**20)
    assert steps(x) == [0, 2**18, 2**19, 2**20]
    assert SortedSample.from_values([0.3], lower=0, upper=1, grid=0.5).values[0] == 1


def test_the_grid_follows_from_the_bounds_alone() -> None:
    """If it were read off the values, one row would change it for all."""
    for values in ([], [1], [1.5], [1, 2.5], np.array([], dtype=np.int64), np.array([1.0])):
        assert SortedSample.from_values(values, lower=0.0, upper=8.0).grid == Fraction(8, 2**20)
    for values in ([], [1], (3, 4), np.array([], dtype=np.float64)):
        assert SortedSample.from_values(values, lower=0, upper=np.int64(8)).grid == 1
    with pytest.raises(
        InvalidArgument,
        match=r"^values must hold whole numbers on the grid of 1; calibrate with a finer grid",
    ):
        SortedSample.from_values([1, 2.5], lower=0, upper=8)


def test_snapped_bounds_still_hold_the_values() -> None:
    """A value next to a bound may be snapped beyond the snapped bound unless clamped again."""
    x = SortedSample.from_values([0.49, 0.51, 2.49, 2.51], lower=0.6, upper=2.4, grid=1 / 2)
    assert (x.lower, x.upper) == (1, 5)
    assert steps(x) == [1, 1, 5, 5]


def test_a_sample_may_be_empty() -> None:
    for nothing in ([], (), np.array([])):
        assert len(SortedSample.from_values(nothing, lower=0, upper=1)) == 0


@pytest.mark.parametrize(
    "values",
    [
        [1.5, float("nan")],
        [float("inf"), 7.5],
        [7, None],
        None,
        "seven",
        ["7", 8],
        [True, False],
        [[7, 7], [7, 7]],
        [[7], [7, 7]],
        7,
        np.array(7),
        {7},
        np.array([[]]),
        np.array([7], dtype=np.uint64),
        np.ma.masked_array([7.0, 7.5], mask=[False, True]),
        [2**60 + 1, 0.5],
        [1j],
        [10**30],
    ],
)
def test_bad_values_are_refused_without_showing_them(values: Any) -> None:
    with pytest.raises(InvalidArgument, match=r"^values must") as caught:
        SortedSample.from_values(values, lower=0.0, upper=10.0)
    assert "7" not in str(caught.value)
    assert "nan" not in str(caught.value)


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ({"lower": 1, "upper": 1}, r"^upper must be above lower = 1; got 1\.$"),
        ({"lower": 2, "upper": 1}, r"^upper must be above"),
        ({"lower": None, "upper": 1}, r"^lower must be a number"),
        ({"lower": 0, "upper": float("inf")}, r"^upper must be finite"),
        ({"lower": float("nan"), "upper": 1}, r"^lower must be finite"),
        ({"lower": True, "upper": 2}, r"^lower must be a number"),
        ({"lower": 0, "upper": 0.1, "grid": 1}, r"^upper must hold whole numbers on the grid of 1"),
        ({"lower": 0.5, "upper": 1, "grid": 1}, r"^lower must hold whole numbers on the grid of 1"),
        (
            {"lower": 0.0, "upper": 0.1, "grid": 4},
            r"^grid must be finer than the distance between the bounds; got 4\.$",
        ),
        (
            {"lower": 0, "upper": 1, "grid": 3},
            r"^grid must be 1 for whole numbers, or a power of two",
        ),
        (
            {"lower": 0, "upper": 10**30},
            r"^grid must be coarser: both bounds must lie within 2\^53 steps of 0",
        ),
        ({"lower": -(2**53) - 1, "upper": 0}, r"^grid must be coarser"),
        ({"lower": 1e12, "upper": 1e12 + 1}, r"^grid must be coarser"),
        ({"lower": 0.0, "upper": 1e300}, r"^upper must lie between"),
    ],
)
def test_bad_bounds_are_refused(bounds: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        SortedSample.from_values([1], **bounds)


def test_bounds_up_to_2_to_the_53_steps_pass() -> None:
    x = SortedSample.from_values([-(2**62), 3, 2**62], lower=-(2**53), upper=2**53)
    assert steps(x) == [-(2**53), 3, 2**53]


def test_ranks_beyond_the_data_are_the_bounds() -> None:
    x = SortedSample.from_values([4, 2, 8], lower=0, upper=10)
    expected = [0, 0, 2, 4, 8, 10, 10]
    assert [x.value_at(rank) for rank in range(-1, 6)] == expected
    assert x.values_at(np.arange(-1, 6)).tolist() == expected
    assert SortedSample.from_values([], lower=0, upper=10).values_at(np.array([0, 1])).tolist() == [
        0,
        10,
    ]


def test_values_are_counted() -> None:
    x = SortedSample.from_values([4, 2, 4, 8], lower=0, upper=10)
    z = np.array([0, 2, 3, 4, 9])
    assert x.count_below(z).tolist() == [0, 0, 1, 1, 4]
    assert x.count_up_to(z).tolist() == [0, 1, 1, 3, 4]


def test_a_sample_does_not_show_its_values() -> None:
    assert (
        repr(SortedSample.from_values([7], lower=0, upper=9))
        == "SortedSample(lower=0, upper=9, grid=Fraction(1, 1))"
    )


@given(
    st.lists(reals, max_size=8),
    reals,
    st.integers(0, 7),
    st.sampled_from([None, 1 / 4, 64, 2**-30]),
)
def test_neighbours_stay_neighbours(
    values: list[float], other: float, at: int, grid: float | None
) -> None:
    def rows(values: list[float]) -> list[tuple[int]]:
        return [
            (step,)
            for step in steps(
                SortedSample.from_values(values, lower=-500.0, upper=1000.0, grid=grid)
            )
        ]

    assert Unit("add-remove").distance(rows(values), rows([*values, other])) == 1
    changed = [*values[:at], other, *values[at + 1 :]] if at < len(values) else values
    assert Unit("change-one").distance(rows(values), rows(changed)) <= 1


@given(st.lists(reals, min_size=1, max_size=8), st.sampled_from([None, 1 / 4, 2**-30]))
def test_no_value_moves_by_more_than_half_a_step(values: list[float], grid: float | None) -> None:
    x = SortedSample.from_values(values, lower=-1000.0, upper=1000.0, grid=grid)
    for step, value in zip(
        steps(x), sorted(min(max(v, -1000.0), 1000.0) for v in values), strict=True
    ):
        assert abs(step * x.grid - Fraction(value)) <= x.grid / 2


def test_only_the_two_relations_pass() -> None:
    assert [check_relation(one) for one in RELATIONS] == list(RELATIONS)
    with pytest.raises(
        InvalidArgument, match=r"^neighbours must be 'add-remove' or 'change-one'; got 'row'\.$"
    ):
        check_relation("row")
