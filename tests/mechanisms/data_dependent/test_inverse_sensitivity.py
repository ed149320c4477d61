"""Inverse sensitivity: the true answer is likeliest, privacy on all small data sets, useless
maxima.
"""

from __future__ import annotations

import traceback
from collections import deque
from fractions import Fraction
from math import exp, inf

import numpy as np
import pytest
from scipy.stats import binom

import goodness
from goodness import ALARM
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.data_dependent.inverse_sensitivity import InverseSensitivity
from hedgerow.mechanisms.selection.quantiles import Quantiles
from hedgerow.privacy.unit import RELATIONS
from hedgerow.sensitivity.mode import Mode, ValueCounts
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_small_data_sets as tiny

F = Fraction
ONE = InverseSensitivity.calibrate(epsilon=2)
PLACES = [F(1, 2), F(1, 5), F(1), F(0)]


def mode(data: tiny.Data) -> int:
    """Return the most frequent value, the smallest of several; 0 for no rows."""
    return max(sorted(set(data)), key=data.count, default=0)


def lengths(
    statistic: object, relation: str, points: int, most: int, centre: range
) -> dict[tiny.Data, list[int]]:
    """Return the steps from each data set to one with each answer, by exhaustive search."""
    graph: dict[tiny.Data, list[tiny.Data]] = {}
    for one, other in tiny.neighbours(relation, points, most):
        graph.setdefault(one, []).append(other)
    found = {}
    for start in tiny.every(points, centre):
        steps = {start: 0}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for there in graph[here]:
                if there not in steps:
                    steps[there] = steps[here] + 1
                    queue.append(there)
        found[start] = [
            min(steps[data] for data in steps if statistic(data) == z) for z in range(points)
        ]  # type: ignore[operator]
    return found


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_mode_can_be_chosen_by_custom_lengths(relation: str) -> None:
    found = lengths(mode, relation, 3, 7, range(1, 4))
    laws = {
        data: {z: exp(ONE.log_prob(z, length)) for z in range(3)} for data, length in found.items()
    }
    for one, other in tiny.neighbours(relation, 3, 3):
        if one and other:
            assert tiny.worst(laws[one], laws[other]) <= 2 + 1e-9
            assert tiny.renyi(laws[one], laws[other], 1) <= 0.5
    for data, law in laws.items():
        assert max(law, key=law.__getitem__) == mode(data)
        assert sorted(law.values())[-2] < max(law.values())


def test_the_mode_can_be_chosen_by_its_inverse_lengths() -> None:
    tally = ValueCounts.from_values([2] * 40 + [0] * 25 + [1] * 30, range(4))
    for relation in RELATIONS:
        lengths = Mode(relation).inverse_lengths(tally)
        law = [exp(ONE.log_prob(z, lengths)) for z in range(4)]
        assert sum(law) == pytest.approx(1)
        assert np.argmax(law) == Mode(relation).value(tally) == 2
    assert ONE.sample(lengths) in range(4)


def test_count_is_laplace_noise_at_half_the_epsilon() -> None:
    candidates = np.arange(0, 101)
    law = np.array([exp(ONE.log_prob(z, np.abs(candidates - 30))) for z in candidates])
    assert law.argmax() == 30
    assert law[31] / law[30] == pytest.approx(exp(-1))
    drawn = np.bincount([ONE.sample(np.abs(candidates - 30)) for _ in range(600)], minlength=101)
    assert goodness.chi_square(drawn, law) > ALARM
    assert goodness.chi_square(drawn, np.roll(law, 1)) < ALARM


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("p", PLACES, ids=str)
def test_no_pair_of_tiny_neighbours_loses_more_than_stated_and_the_truth_is_likeliest(
    p: Fraction, relation: str
) -> None:
    quantile = Quantile(p, relation)
    data = tiny.every(4, range(1, 5))
    laws = {
        rows: {z: exp(ONE.quantile_log_prob(z, quantile, tiny.sample(rows, 4))) for z in range(4)}
        for rows in data
    }
    for one, other in tiny.neighbours(relation, 4, 4):
        if one and other:
            assert tiny.worst(laws[one], laws[other]) <= 2 + 1e-9
            for order in (1, 2, 8):
                assert tiny.renyi(laws[one], laws[other], order) <= 0.5 + 1e-9
    for rows, law in laws.items():
        truth = quantile.value(tiny.sample(rows, 4))
        assert all(law[truth] > law[z] for z in law if z != truth)


def test_under_change_one_the_quantile_is_that_of_the_exponential_mechanism() -> None:
    column, quantile = (
        SortedSample.from_values([1, 4, 4, 9], lower=0, upper=12),
        Quantile(F(1, 3), "change-one"),
    )
    other = Quantiles.calibrate(at=F(1, 3), neighbours="change-one", epsilon=2)
    for z in range(13):
        assert ONE.quantile_log_prob(z, quantile, column) == pytest.approx(
            other.log_prob(z, column)
        )


@pytest.mark.parametrize("relation", RELATIONS)
def test_quantile_draws_follow_their_distribution(relation: str) -> None:
    column, quantile = (
        SortedSample.from_values([1, 4, 4, 9, 10, 11], lower=0, upper=12),
        Quantile(F(1, 3), relation),
    )
    law = [exp(ONE.quantile_log_prob(z, quantile, column)) for z in range(13)]
    drawn = np.bincount([ONE.quantile(quantile, column) for _ in range(700)], minlength=13)
    assert goodness.chi_square(drawn, law) > ALARM
    assert goodness.chi_square(drawn, np.roll(law, 1)) < ALARM


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_rank_error_is_rarely_exceeded(relation: str) -> None:
    rng = np.random.default_rng(2)
    column = SortedSample.from_values(
        np.clip(rng.lognormal(3, 1, 1500), 0, 999), lower=0.0, upper=1000.0
    )
    mechanism, runs = InverseSensitivity.calibrate(epsilon=1), 40
    for p in (F(1, 2), F(1, 5)):
        quantile = Quantile(p, relation)
        k = mechanism.rank_error(0.1, quantile, 1500, column.width)
        rank = quantile.rank(1500)
        low, high = (column.value_at(int(rank + side)) * float(column.grid) for side in (-k, k))
        missed = sum(not low <= mechanism.quantile(quantile, column) <= high for _ in range(runs))
        assert missed <= binom.isf(ALARM, runs, 0.1)


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_rank_error_of_a_maximum_is_infinite(relation: str) -> None:
    maximum = Quantile(F(1), relation)
    mechanism = InverseSensitivity.calibrate(epsilon=1)
    for n in (1, 1000, 10**9):
        assert mechanism.rank_error(0.5, maximum, n, 2**20) == inf
        assert mechanism.rank_error(0.5, Quantile(F(0), relation), n, 2**20) == inf
    assert mechanism.rank_error(0.05, Quantile(F(1, 2), relation), 1000, 2**20) < 40
    assert mechanism.rank_error(0.05, Quantile(F(999, 1000), relation), 1000, 2**20) == inf
    # And so it is: of 1,000 values up to some 40, the answer is anything up to the bound.
    column = SortedSample.from_values(
        np.random.default_rng(7).lognormal(0, 1.2, 1000), lower=0.0, upper=10_000.0
    )
    largest = column.values[-1]
    above = (
        1
        - np.exp(
            [
                mechanism.quantile_log_prob(float(z * column.grid), maximum, column)
                for z in range(largest - 8, largest + 1)
            ]
        ).sum()
    )
    assert above > 0.98
    # With an epsilon so large that nothing of length 1 is ever chosen, it is exact, and says so.
    sharp = InverseSensitivity.calibrate(epsilon=1000)
    assert sharp.rank_error(0.05, maximum, 1000, 2**20) == 0
    assert sharp.quantile(maximum, [3, 5, 4], lower=0, upper=10) == 5


def test_calibration_meets_its_target_and_no_more() -> None:
    mechanism = InverseSensitivity.calibrate(epsilon=1, rows=2)
    assert mechanism.factor == F(1, 4)
    assert mechanism.loss(2).epsilon == 1
    assert mechanism.loss(2).rho == F(1, 8)
    assert InverseSensitivity.calibrate(rho=0.125).factor == F(1, 2)
    assert mechanism.error(0.05, 1) == 0
    assert 99 * exp(-mechanism.error(0.05, 100) / 4) == pytest.approx(1 / 19)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"epsilon": 1, "rho": 1},
        {"epsilon": 0},
        {"epsilon": 10_001},
        {"rho": -1},
        {"epsilon": 1, "rows": 0},
    ],
    ids=str,
)
def test_bad_epsilon_and_rho_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(InvalidArgument):
        InverseSensitivity.calibrate(**given)  # type: ignore[arg-type]


def test_other_bad_parameters_are_refused() -> None:
    median = Quantile(F(1, 2), "add-remove")
    for name, use in (
        ("factor", lambda: InverseSensitivity(F(0))),
        ("rows", lambda: ONE.loss(0)),
        ("beta", lambda: ONE.error(0, 10)),
        ("candidates", lambda: ONE.error(0.1, 0)),
        ("n", lambda: ONE.rank_error(0.1, median, 0, 10)),
        ("width", lambda: ONE.rank_error(0.1, median, 10, 0)),
        ("index", lambda: ONE.log_prob(3, [0, 1, 2])),
        ("lower", lambda: ONE.quantile(median, [1, 2])),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use()
        assert refusal.value.argument == name


@pytest.mark.parametrize(
    "values",
    [*bad.ARRAYS.values(), [0.0, 1.0], [0, bad.SECRET, -1], 3, None, [[0, 1]]],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.usefixtures("dry")
def test_bad_lengths_are_refused_before_anything_is_drawn(values: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        ONE.sample(values)
    assert refusal.value.argument == "lengths"
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.usefixtures("dry")
def test_bad_data_are_refused_before_anything_is_drawn() -> None:
    with pytest.raises(InvalidArgument, match="values must not hold NaN"):
        ONE.quantile(Quantile(F(1, 2), "add-remove"), [1.0, float("nan")], lower=0.0, upper=1.0)


@pytest.mark.parametrize("p", [F(0), F(1, 3), F(1, 2), F(1)], ids=str)
def test_under_a_filter_a_row_that_leaves_or_enters_costs_no_more_than_one_that_changes(
    p: Fraction,
) -> None:
    laws = {
        data: tiny.law_of(ONE._build_selection(Quantile(p, "change-one"), tiny.sample(data, 4)))
        for data in tiny.every(4, range(5))
    }
    for relation in ("change-one", "add-remove"):
        for one, other in tiny.neighbours(relation, 4, 4):
            assert tiny.worst(laws[one], laws[other]) <= float(ONE.loss().epsilon) + 1e-9
    assert ONE.quantile(Quantile(p, "change-one"), [], lower=0, upper=1) in (0, 1)
