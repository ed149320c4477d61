"""Quantiles: privacy on all small data sets, of one and several; accuracy; refusals."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest
from scipy.stats import binom

import goodness
from goodness import ALARM
from hedgerow.mechanisms.selection import quantile_recursion as cuts
from hedgerow.mechanisms.selection import quantiles
from hedgerow.mechanisms.selection.quantiles import Quantiles
from hedgerow.numeric.rounding import round_up
from hedgerow.privacy.unit import RELATIONS
from hedgerow.sensitivity.sample import SortedSample
from mechanisms import helpers_small_data_sets as tiny
from mechanisms.selection.helpers_quantile_laws import (
    AT,
    HALF,
    ORDERS,
    SHAPES,
    F,
    choices,
    law,
    off,
    worst_change,
)


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("at", "points", "most"),
    [
        ("median", 4, 5),
        ("low", 4, 5),
        ("two", 4, 4),
        ("three", 4, 3),
        ("quartiles", 4, 3),
        ("four", 3, 3),
    ],
)
def test_no_pair_of_tiny_neighbours_loses_more_than_stated(
    monkeypatch: pytest.MonkeyPatch, at: str, points: int, most: int, relation: str
) -> None:
    mechanism = Quantiles(AT[at], relation, F(2))
    laws = {
        data: law(monkeypatch, mechanism, data, points)
        for data in tiny.every(points, range(1, most + 1))
    }
    for one, other in tiny.neighbours(relation, points, most):
        if one and other:
            assert tiny.worst(laws[one], laws[other]) <= float(mechanism.loss().epsilon) + 1e-9
            for order in ORDERS:
                assert (
                    tiny.renyi(laws[one], laws[other], order) <= float(mechanism.loss().rho) + 1e-9
                )


def test_no_rows_at_all_is_a_neighbour_under_add_remove() -> None:
    mechanism = Quantiles.calibrate(at=0.5, neighbours="add-remove", epsilon=1)
    for z in range(4):
        for row in range(4):
            assert (
                abs(
                    mechanism.log_prob(z, tiny.sample((row,), 4))
                    - mechanism.log_prob(z, tiny.sample((), 4))
                )
                <= 1
            )
    assert mechanism.log_prob(2, [], lower=0, upper=3) == pytest.approx(np.log(0.25))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("p", [HALF, F(1, 10), F(2, 3)], ids=str)
def test_the_loss_of_one_choice_is_nearly_attained(relation: str, p: Fraction) -> None:
    mechanism = Quantiles((p,), relation, F(2))
    assert 1.9 < worst_change(mechanism, p, 0, relation) <= 2 + 1e-9


@pytest.mark.long
@pytest.mark.parametrize("at", ["quartiles", "four", "outer"])
def test_a_row_that_changes_is_in_two_parts_of_a_level(
    monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    mechanism = Quantiles(AT[at], "change-one", F(2))

    def levels() -> list[float]:
        found = []
        for depth in range(1, mechanism.levels):
            shares = [p for p, level in choices(AT[at]) if level == depth]
            leaves = sorted(
                (worst_change(mechanism, p, depth, "add-remove") for p in shares), reverse=True
            )
            stays = max(worst_change(mechanism, p, depth, "change-one") for p in shares)
            found.append(max(sum(leaves[:2]), stays))
        return found

    assert max(levels()) <= 2 + 1e-9
    if at == "outer":
        monkeypatch.setattr(Quantiles, "_factor", lambda self, p, depth: self.epsilon / 2)
        assert max(levels()) > 3, "the factor of a single choice would not do"
        monkeypatch.setattr(
            Quantiles, "_factor", lambda self, p, depth: self.epsilon / (2 * max(p, 1 - p))
        )
        assert max(levels()) > 3.5, "nor that of add-remove"


@pytest.mark.long
def test_tie_breakers_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "MAX_TIE_BREAKERS", 2)
    for relation in RELATIONS:
        mechanism, found = Quantiles(AT["quartiles"], relation, F(1)), {}
        for data in tiny.every(2, range(1, 4)):
            mixed: tiny.Law = defaultdict(float)
            for ties in product((0, 1), repeat=len(data)):
                monkeypatch.setattr(
                    quantiles, "uniform_integers", lambda bound, size, ties=ties: np.array(ties)
                )
                for z, p in tiny.outcomes(
                    monkeypatch,
                    lambda mechanism=mechanism, data=data: mechanism.sample(tiny.sample(data, 2)),
                ).items():
                    mixed[z] += p / 2 ** len(data)
            found[data] = mixed
        worst = max(
            tiny.worst(found[one], found[other])
            for one, other in tiny.neighbours(relation, 2, 3)
            if one and other
        )
        assert worst <= 2


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
def test_draws_follow_log_prob(relation: str) -> None:
    data = SortedSample.from_values([2, 2, 2, 3, 5, 8, 8, 13], lower=0, upper=15)
    mechanism = Quantiles.calibrate(at=0.4, neighbours=relation, epsilon=2)
    law = [exp(mechanism.log_prob(z, data)) for z in range(16)]
    assert sum(law) == pytest.approx(1)
    drawn = np.bincount([mechanism.sample(data) for _ in range(1000)], minlength=16)
    assert goodness.chi_square(drawn, law) > ALARM
    assert goodness.chi_square(drawn, np.roll(law, 1)) < ALARM


@pytest.mark.long
def test_several_quantiles_follow_the_distribution_of_their_choices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = SortedSample.from_values([0, 1, 1, 2, 3], lower=0, upper=3)
    for relation in RELATIONS:
        mechanism = Quantiles(AT["two"], relation, F(2))
        chances = law(monkeypatch, mechanism, tuple(data.values.tolist()), 4)
        places = {z: place for place, z in enumerate(chances)}
        drawn = np.bincount(
            [places[tuple(mechanism.sample(data))] for _ in range(600)], minlength=len(chances)
        )
        assert goodness.chi_square(drawn, list(chances.values())) > ALARM
        assert goodness.chi_square(drawn, np.roll(list(chances.values()), 1)) < ALARM


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_error_covers_any_data(shape: str, relation: str) -> None:
    data = SHAPES[shape](np.random.default_rng(5), 2000)
    column = SortedSample.from_values(data, lower=0.0, upper=1000.0)
    snapped = column.values * float(column.grid)
    runs = 20
    for at in (AT["median"], AT["low"], AT["five"]):
        mechanism = Quantiles.calibrate(at=at, neighbours=relation, epsilon=1)
        radius, missed = mechanism.error(0.1, column.width), 0
        assert 0 < radius < 1000
        for _ in range(runs):
            answers = mechanism.sample(column)
            answers = answers if len(at) > 1 else [answers]
            assert answers == sorted(answers)
            missed += any(
                off(snapped, float(p), z) > radius for p, z in zip(at, answers, strict=True)
            )
        assert missed <= binom.isf(ALARM, runs, 0.1)


def test_error_covers_a_spike_that_is_split_in_few() -> None:
    """A range of 2^54 points has room for 127 tie-breakers: some 190 of these rows share one.

    The first cut is off by as many.
    """
    rows, end = 40_000, 2**53
    low = np.arange(int(0.4 * rows)) - end // 2
    column = SortedSample.from_values(
        np.append(low, np.zeros(rows - low.size, dtype=np.int64)), lower=-end, upper=end
    )
    mechanism = Quantiles.calibrate(at=[0.2, 0.5], neighbours="add-remove", epsilon=10**4)
    missed = [off(column.values, 0.2, mechanism.sample(column)[0]) for _ in range(30)]
    assert 10 < max(missed) <= mechanism.error(0.1, column.width, rows)
    assert mechanism.error(0.1, 1000, rows) < 5


def test_error_of_several_follows_from_the_cuts() -> None:
    several = Quantiles(AT["quartiles"], "add-remove", F(1))
    alone = Quantiles((HALF,), "add-remove", F(1))
    fine = 1001 * 2**20 - 1
    each = alone.error(0.1 / 4, fine)
    # an end of the range is not off
    assert several.error(0.1, 1000, 1) == pytest.approx(each + (each + 1) / 2)
    assert several.error(0.1, 1000, 10**6) < several.error(0.1, 1000, 10**9)
    # no tie-breakers: all rows may be one
    assert several.error(0.1, 2**70, 50) == pytest.approx(1.5 * alone.error(0.1 / 4, 2**70) + 25)
    assert alone.error(0.1, 1000, 1) == alone.error(0.1, 1000)


def test_a_spike_is_split_where_the_quantiles_fall() -> None:
    ratings = np.repeat([1, 2, 3, 4, 5], [1000, 1000, 1500, 3500, 3000])
    shares = [0.05, 0.15, 0.25, 0.5, 0.65, 0.75, 0.95]
    mechanism = Quantiles.calibrate(at=shares, neighbours="add-remove", epsilon=1)
    for _ in range(5):
        assert mechanism.sample(ratings, lower=1, upper=5) == [1, 2, 3, 4, 4, 5, 5]


@pytest.mark.parametrize("data", [[], [5], [5, 9], [7] * 30, [3, 4, 4, 5]], ids=str)
def test_tiny_and_constant_and_even_data_are_answered(data: list[int]) -> None:
    for at in AT.values():
        answers = Quantiles.calibrate(at=at, neighbours="add-remove", epsilon=1).sample(
            data, lower=0, upper=20
        )
        for z in answers if len(at) > 1 else [answers]:
            assert isinstance(z, int)
            assert 0 <= z <= 20
    if data == [7] * 30:
        assert (
            Quantiles.calibrate(at=0.5, neighbours="change-one", epsilon=20).sample(
                data, lower=0, upper=20
            )
            == 7
        )


def test_values_outside_the_bounds_are_clamped() -> None:
    exact = Quantiles.calibrate(at=0.5, neighbours="add-remove", epsilon=10_000)
    assert exact.sample([-(10**9)] * 5 + [3] * 4, lower=0, upper=10) == 0
    assert exact.sample([10**9] * 5 + [3] * 4, lower=0, upper=10) == 10
    assert exact.sample([0.1, 0.2, 7.5], lower=0.0, upper=1.0, grid=0.25) == 0.25


def test_calibration_and_loss() -> None:
    one = Quantiles.calibrate(at=0.5, neighbours="add-remove", epsilon=1)
    assert (one.at, one.epsilon, one.levels) == ((HALF,), 1, 1)
    assert one.loss().epsilon == 1
    assert one.loss().rho == F(1, 8)
    assert one.loss(3).epsilon == 3
    assert one.loss(3).rho == F(9, 8)
    for count, levels in ((1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4)):
        many = Quantiles.calibrate(
            at=[F(i, count + 1) for i in range(1, count + 1)],
            neighbours="change-one",
            epsilon=1,
            rows=2,
        )
        assert many.levels == levels
        assert many.loss(2).epsilon == 1
        assert many.loss(2).rho == round_up(F(1, 8 * levels))
    by_rho = Quantiles.calibrate(at=np.array([0.25, 0.5, 0.75]), neighbours="add-remove", rho=0.01)
    assert F(1, 100) * F(999, 1000) < by_rho.loss().rho <= F(1, 100)


def test_the_median_is_twice_as_sharp_under_add_remove() -> None:
    changed, moved = (
        Quantiles.calibrate(at=0.5, neighbours=relation, epsilon=1)
        for relation in ("change-one", "add-remove")
    )
    assert changed.error(0.05, 2**20) == pytest.approx(2 * moved.error(0.05, 2**20))


@pytest.mark.long
@pytest.mark.parametrize(
    ("at", "points", "most"),
    [("median", 4, 5), ("low", 4, 5), ("two", 4, 3), ("quartiles", 3, 3), ("four", 3, 3)],
)
def test_under_a_filter_a_row_may_leave_or_enter_as_well(
    monkeypatch: pytest.MonkeyPatch, at: str, points: int, most: int
) -> None:
    """Under change-one, neighbours differ in a row that is changed, removed or added."""
    mechanism = Quantiles(AT[at], "change-one", F(2))
    laws = {
        data: law(monkeypatch, mechanism, data, points)
        for data in tiny.every(points, range(most + 1))
    }
    for relation in RELATIONS:
        for one, other in tiny.neighbours(relation, points, most):
            assert tiny.worst(laws[one], laws[other]) <= float(mechanism.loss().epsilon) + 1e-9
            for order in ORDERS:
                assert (
                    tiny.renyi(laws[one], laws[other], order) <= float(mechanism.loss().rho) + 1e-9
                )


def test_an_empty_column_is_answered() -> None:
    """Under a filter an empty column is private: a refusal would reveal it."""
    for at in (0.5, [0.2, 0.5]):
        assert (
            np.max(
                Quantiles.calibrate(at=at, neighbours="change-one", epsilon=1).sample(
                    [], lower=0, upper=1
                )
            )
            <= 1
        )
