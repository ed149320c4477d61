from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused, Unbounded, Unsupported
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.privacy.sensitivity import LocalSensitivity, Sensitivity
from hedgerow.sensitivity.sample import SortedSample
from hedgerow.sensitivity.sensitivity_table import STATISTICS, global_sensitivity, local_sensitivity

from .helpers_brute_force import RELATIONS, add_remove, change_one, sample

Row = Fraction | None
Answer = Callable[[tuple[Row, ...]], list[Fraction]]

BOUNDS = [(-1, 1), (2, 3), (-3, -1), (0, 2), (-1, 3)]


def kept(rows: tuple[Row, ...]) -> list[Fraction]:
    return [row for row in rows if row is not None]


ANSWERS: dict[str, Answer] = {
    "count": lambda rows: [Fraction(len(kept(rows)))],
    "sum": lambda rows: [sum(kept(rows), Fraction(0))],
    "mean": lambda rows: [sum(kept(rows), Fraction(0)) / len(rows)],
}


def moves(answer: Answer, values: list[Row], neighbours: str) -> list[list[Fraction]]:
    """Return the differences of all pairs of neighbours of three rows; None fails the filter."""
    found = []
    for rows in product(values, repeat=3):
        others = [(row, *rows[1:]) for row in values] if neighbours == "change-one" else [rows[1:]]
        found += [
            [a - b for a, b in zip(answer(rows), answer(other), strict=True)] for other in others
        ]
    return found


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize(("lower", "upper"), BOUNDS)
def test_the_sum_attains_its_sensitivity(
    lower: int, upper: int, filtered: bool, neighbours: str
) -> None:
    values: list[Row] = [Fraction(2 * lower + i, 2) for i in range(2 * (upper - lower) + 1)]
    most = max(
        abs(move[0])
        for move in moves(ANSWERS["sum"], [*values, None] if filtered else values, neighbours)
    )
    assert global_sensitivity(
        "sum", neighbours=neighbours, lower=lower, upper=upper, filtered=filtered
    ) == Sensitivity.of(most)


@pytest.mark.parametrize(("lower", "upper"), BOUNDS)
def test_the_mean_attains_its_sensitivity(lower: int, upper: int) -> None:
    most = max(
        abs(move[0])
        for move in moves(ANSWERS["mean"], [Fraction(lower), Fraction(upper)], "change-one")
    )
    assert global_sensitivity(
        "mean", neighbours="change-one", lower=lower, upper=upper, rows=3
    ) == Sensitivity.of(most)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_the_count_attains_its_sensitivity(neighbours: str) -> None:
    most = max(abs(move[0]) for move in moves(ANSWERS["count"], [Fraction(1), None], neighbours))
    assert (
        global_sensitivity("count", neighbours=neighbours)
        == global_sensitivity("mode", neighbours=neighbours)
        == Sensitivity.of(most)
    )


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_the_histogram_attains_its_sensitivity(neighbours: str) -> None:
    cells: list[Row] = [Fraction(z) for z in range(3)]
    found = moves(lambda rows: [Fraction(rows.count(z)) for z in cells], cells, neighbours)
    bound = global_sensitivity("histogram", neighbours=neighbours)
    assert bound.l0 == max(sum(x != 0 for x in move) for move in found)
    assert bound.linf == max(abs(x) for move in found for x in move)
    assert bound.l1 == max(sum(map(abs, move)) for move in found)
    assert bound.l2_squared == max(sum(x * x for x in move) for move in found)


@pytest.mark.parametrize("statistic", ["min", "median", "max", "quantile"])
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_order_statistics_attain_the_whole_width(statistic: str, neighbours: str) -> None:
    found = global_sensitivity(statistic, neighbours=neighbours, lower=-2, upper=5)
    assert found == Sensitivity.of(7)
    if neighbours == "add-remove":  # one row instead of none
        p = 0.3 if statistic == "quantile" else None
        assert (
            local_sensitivity(
                statistic,
                SortedSample.from_values([], lower=-2, upper=5),
                neighbours=neighbours,
                p=p,
            )
            == 7
        )


def test_global_sensitivities_match_the_table() -> None:
    bounds = {"lower": -10, "upper": 40}
    assert global_sensitivity("count", neighbours="change-one").l1 == 1
    assert global_sensitivity("sum", neighbours="change-one", **bounds).l1 == 50
    assert global_sensitivity("sum", neighbours="add-remove", **bounds).l1 == 40
    assert global_sensitivity("mean", neighbours="change-one", rows=100, **bounds).l1 == Fraction(
        1, 2
    )
    assert global_sensitivity("histogram", neighbours="change-one").l1 == 2
    assert global_sensitivity("histogram", neighbours="add-remove").l1 == 1
    assert global_sensitivity("sum", neighbours="change-one", lower=50, upper=60).l1 == 10
    assert (
        global_sensitivity("sum", neighbours="change-one", lower=50, upper=60, filtered=True).l1
        == 60
    )


@pytest.mark.parametrize("statistic", ["sum", "mean", "min", "median", "max", "quantile"])
def test_a_missing_bound_is_refused(statistic: str) -> None:
    for bounds in ({}, {"lower": 0}, {"upper": 1}):
        with pytest.raises(
            Unbounded, match=f"^The {statistic} needs bounds: .* Declare lower and upper"
        ):
            global_sensitivity(
                statistic,
                neighbours="change-one",
                rows=5,
                **bounds,  # type: ignore[arg-type]
            )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"statistic": "variance"}, r"^statistic must be one of count, sum, .*; got 'variance'"),
        ({"neighbours": "row"}, r"^neighbours must be"),
        ({"lower": 3, "upper": 3}, r"^upper must be above lower = 3; got 3"),
        ({"lower": float("nan")}, r"^lower must be finite"),
        ({"statistic": "mean"}, r"^rows must be"),
        ({"statistic": "mean", "rows": 0}, r"^rows must be a whole number of at least 1; got 0"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        global_sensitivity(
            **{"statistic": "sum", "neighbours": "change-one", "lower": 0, "upper": 1, **arguments}
        )


@pytest.mark.parametrize(
    ("neighbours", "filtered"), [("add-remove", False), ("add-remove", True), ("change-one", True)]
)
def test_the_mean_of_a_private_number_of_rows_is_refused(neighbours: str, filtered: bool) -> None:
    with pytest.raises(
        Unsupported,
        match=(
            r"^The mean depends on the number of rows, which is private here. Release a noisy sum"
        ),
    ):
        global_sensitivity(
            "mean", neighbours=neighbours, lower=0, upper=1, rows=10, filtered=filtered
        )


# --- local


@pytest.mark.parametrize("statistic", ["sum", "mean"])
def test_local_sensitivity_of_sum_and_mean(statistic: str) -> None:
    for n in (1, 2, 3, 4):
        world = change_one(4, n)
        over = n if statistic == "mean" else 1
        changes = world.local(lambda x, over=over: Fraction(sum(x), over))
        for x, most in zip(world.sets, changes, strict=True):
            found = local_sensitivity(statistic, sample(x, 3), neighbours="change-one")
            assert found == max(max(v, 3 - v) for v in x) / Fraction(over)
            assert float(found) == pytest.approx(most)


def test_local_sensitivity_of_a_sum_that_may_grow() -> None:
    world = add_remove(4, 5)
    truth = world.local(sum)
    for i in np.flatnonzero(world.sizes < 5):
        assert (
            local_sensitivity("sum", sample(world.sets[i], 3), neighbours="add-remove")
            == truth[i]
            == 3
        )
    assert (
        local_sensitivity(
            "sum", SortedSample.from_values([1], lower=-7, upper=3), neighbours="add-remove"
        )
        == 7
    )


def test_local_sensitivity_is_in_the_units_of_the_values() -> None:
    x = SortedSample.from_values([0.25, 0.5, 1.0], lower=0.0, upper=2.0)
    assert local_sensitivity("median", x, neighbours="change-one") == Fraction(1, 2)
    assert local_sensitivity("max", x, neighbours="change-one") == 1
    assert local_sensitivity("min", x, neighbours="change-one") == Fraction(1, 4)
    assert local_sensitivity("mean", x, neighbours="change-one") == Fraction(7, 12)
    assert local_sensitivity("quantile", x, neighbours="change-one", p=1) == 1
    assert local_sensitivity("median", x, neighbours="add-remove") == Fraction(1, 4)


def test_local_sensitivity_under_a_filter() -> None:
    x = SortedSample.from_values([50, 52, 60], lower=50, upper=60)
    told = {
        name: local_sensitivity(name, x, neighbours="change-one", filtered=True)
        for name in ("count", "sum", "mean", "min", "median", "max")
    }
    assert told == {"count": 1, "sum": 60, "mean": Fraction(10, 3), "min": 2, "median": 8, "max": 8}
    assert local_sensitivity("sum", x, neighbours="change-one") == 10
    assert local_sensitivity("count", x, neighbours="change-one") == 0
    assert local_sensitivity("count", x, neighbours="add-remove") == 1
    assert local_sensitivity("mean", x, neighbours="add-remove") == 3  # without the 60
    empty = SortedSample.from_values([], lower=50, upper=60)
    assert [
        local_sensitivity(name, empty, neighbours="change-one", filtered=True)
        for name in ("sum", "mean", "max")
    ] == [60, 10, 10]


def test_bad_local_sensitivity_arguments_are_refused() -> None:
    x, empty = sample([1, 2], 3), sample([], 3)
    for statistic in ("histogram", "mode", "quantile", "variance"):
        with pytest.raises(
            InvalidArgument,
            match=(
                r"^statistic must be count, sum, mean, min, median, max, or quantile with its"
                r" p; got"
            ),
        ):
            local_sensitivity(statistic, x, neighbours="change-one")
    with pytest.raises(InvalidArgument, match=r"^neighbours must be"):
        local_sensitivity("sum", x, neighbours="row")
    for statistic in ("sum", "mean"):
        with pytest.raises(InvalidArgument, match=r"^values must not be empty under change-one"):
            local_sensitivity(statistic, empty, neighbours="change-one")


def test_local_sensitivity_is_refused_as_a_scale_of_noise() -> None:
    """Insensitive next to sensitive data: the size of the noise would reveal which it is."""
    calm, wild = ([0, 0, 0, 0, 10**9], [0, 0, 0, 10**9, 10**9])
    local = [
        local_sensitivity("median", sample(x, 10**9), neighbours="change-one") for x in (calm, wild)
    ]
    assert local == [0, 10**9]
    for scale in (local[1], 2 * local[1], local[1] * Fraction(1, 3), max(1, local[1])):
        assert isinstance(scale, LocalSensitivity)
        with pytest.raises(
            Refused,
            match=r"^Noise scaled to local sensitivity is not private: .* Use smooth sensitivity",
        ):
            Laplace.calibrate(sensitivity=scale, epsilon=1)
    # What may scale noise instead.
    assert (
        Laplace.calibrate(
            sensitivity=global_sensitivity("median", neighbours="change-one", lower=0, upper=10**9),
            epsilon=1,
        ).scale
        == 10**9
    )


def test_every_statistic_has_a_global_sensitivity() -> None:
    for statistic in STATISTICS:
        found = global_sensitivity(statistic, neighbours="change-one", lower=0, upper=1, rows=1)
        assert found.linf == 1
