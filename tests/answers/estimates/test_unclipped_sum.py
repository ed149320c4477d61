"""Intervals that hold what bounds cut off."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from database.clinic import exactly
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.answers.estimates.estimate import LinearEstimate
from hedgerow.answers.estimates.unclipped_sum import UnclippedSum, estimate_unclipped
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.sql.question import AggregateCall, ClippingCount

ONE = (Fraction(1),)


def linear(numbers: list[int], law: Any) -> LinearEstimate:
    return LinearEstimate([numbers], ONE, law, True)


@pytest.mark.parametrize("law", [Laplace, Gaussian])
@pytest.mark.parametrize("outside", [0, 3, 200])
def test_sums_are_covered_for_any_values_outside_the_bounds(law: Any, outside: int) -> None:
    """5,000 draws at 80 %: six standard errors are 3.4 %. The worst: all that are outside are as
    far out as they can be.
    """
    clipped, sums, counts = 10_000, law(Fraction(100)), law(Fraction(3))
    drawn = [
        (mechanism.sample(np.zeros(5000, dtype=np.int64)) + number).tolist()
        for mechanism, number in ((sums, clipped), (counts, outside))
    ]
    made = UnclippedSum(
        linear(drawn[0], sums), linear(drawn[1], counts), Fraction(400), Fraction(50), True
    )
    ends = np.array(made.intervals(Fraction(8, 10)))
    for truth in (clipped + 400 * outside, clipped - 50 * outside, clipped):
        assert np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) > 0.766
    assert made.values == drawn[0]


def test_an_interval_is_widened_by_the_possible_excess() -> None:
    quiet = Laplace(Fraction(1, 1000))
    for whole, kind in ((True, int), (False, float)):
        made = UnclippedSum(
            linear([100, 100], quiet), linear([3, -2], quiet), Fraction(21, 2), Fraction(1), whole
        )
        (low, high), none = made.intervals(0.95)  # type: ignore[misc]
        assert (low, high) == ((97, 132) if whole else (97, 131.5))
        assert none == (100, 100)
        assert type(high) is kind
    with pytest.raises(InvalidArgument):
        made.intervals(1)


def test_only_bounded_ends_are_widened() -> None:
    measure = Measure("total", "s0", ClampedGrid(Fraction(1), 0, 10))
    found = {"a0": linear([5], Laplace(Fraction(1))), "a1": linear([5], Laplace(Fraction(1)))}
    call, limits = AggregateCall("a0", "SUM", measure, "integer", "…"), (Fraction(0), Fraction(10))
    assert estimate_unclipped(call, ClippingCount("a1", limits), found) is found["a0"]
    made = estimate_unclipped(
        call, ClippingCount("a1", limits, (Fraction(-1), Fraction(30))), found
    )
    assert isinstance(made, UnclippedSum)
    assert (made.above, made.below, made.is_integer) == (20, 1, True)


def test_a_database_counts_who_is_outside() -> None:
    """400 patients with two visits each, that cost 10 to 99: who pays 80 or more a visit has
    more than 159 in all.
    """
    bounds = "contribution_bounds_per_group => (0, 159), clipped => TRUE"
    sql = (
        f"SELECT SUM(cost, {bounds}, outer_bounds_per_group => (0, 250)) AS s, DP_CLIPPED(s) AS n"
        " FROM data"
    )
    with exactly(max_rows_per_group=1) as db:
        answer = db.query(sql, epsilon=9000)
        plain = db.query(f"SELECT SUM(cost, {bounds}) AS s FROM data", epsilon=9000)
    assert isinstance(answer, Answer)
    assert isinstance(plain, Answer)
    costs = [2 * (10 + n % 90) for n in range(400)]
    outside = sum(cost > 159 for cost in costs)
    assert answer.rows == [{"s": sum(min(cost, 159) for cost in costs), "n": outside}]
    ((low, high),) = answer.interval("s")  # type: ignore[misc]
    assert low <= sum(costs) <= high
    assert high - answer.rows[0]["s"] == pytest.approx(outside * (250 - 159), abs=2)
    assert answer.interval("n") == [(outside, outside)]
    assert any("The interval covers totals in [0, 250]" in note for note in answer.notes)
    assert not any("at most 1 row" in note for note in answer.notes)
    assert plain.receipt.reused  # the outer bound is no part of the question to the data
    assert any("but not how far outside" in note for note in plain.notes)


def test_rows_of_their_own_have_an_outer_bound() -> None:
    table = pa.table({"x": list(range(100))})
    with protect(
        table, unit="row", neighbours="add-remove", columns={"x": (0, 200)}, epsilon=10_000
    ) as db:
        answer = db.query(
            "SELECT SUM(x, contribution_bounds_per_group => (0, 89), clipped => TRUE) AS s FROM"
            " data",
            epsilon=9000,
        )
    assert isinstance(answer, Answer)
    assert answer.interval("s") == [(answer.rows[0]["s"], answer.rows[0]["s"] + 10 * (200 - 89))]
