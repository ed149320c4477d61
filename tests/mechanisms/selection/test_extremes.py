"""The maximum and minimum: privacy on all small data sets, and how far inside the answer lies."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from scipy.stats import binom

import goodness
from goodness import ALARM
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.extremes import Extreme
from hedgerow.privacy.unit import RELATIONS
from hedgerow.sensitivity.rank_pieces import build_pieces
from hedgerow.sensitivity.sample import SortedSample
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_small_data_sets as tiny

F = Fraction


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("side", ["max", "min"])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_no_pair_of_tiny_neighbours_loses_more_than_stated(
    side: str, depth: int, relation: str
) -> None:
    mechanism = Extreme(side, depth, F(1))
    laws = {
        data: tiny.law_of(mechanism._build_selection(tiny.sample(data, 4)))
        for data in tiny.every(4, range(5))
    }
    for one, other in tiny.neighbours(relation, 4, 4):
        assert tiny.worst(laws[one], laws[other]) <= 2 + 1e-9
        for order in (1, 2, 8):
            assert tiny.renyi(laws[one], laws[other], order) <= 0.5 + 1e-9
    for data, law in laws.items():
        for z, p in law.items():
            assert exp(mechanism.log_prob(z, tiny.sample(data, 4))) == pytest.approx(p)


def test_the_stated_loss_is_nearly_attained() -> None:
    # Nearly all points lie below the data, and one more row above makes them less likely; a point
    # right of the target gains as well.
    wide, mechanism = 10**9, Extreme("max", 2, F(1))
    without, with_it = (
        SortedSample(np.array(rows), 0, wide) for rows in ([wide - 2] * 3, [wide - 2] * 3 + [wide])
    )
    assert 1.99 < mechanism.log_prob(wide - 1, with_it) - mechanism.log_prob(wide - 1, without) <= 2


def test_draws_follow_log_prob() -> None:
    data = SortedSample.from_values([2, 2, 2, 3, 5, 8, 8, 13], lower=0, upper=15)
    for side in ("max", "min"):
        mechanism = Extreme(side, 3, F(1, 2))
        law = [exp(mechanism.log_prob(z, data)) for z in range(16)]
        drawn = np.bincount([mechanism.sample(data) for _ in range(800)], minlength=16)
        assert goodness.chi_square(drawn, law) > ALARM
        assert goodness.chi_square(drawn, law[::-1]) < ALARM


def test_aiming_at_the_maximum_itself_is_useless_and_a_little_inside_is_not() -> None:
    # 1,000 lognormal values below 10,000: the largest is some 40.
    values = np.random.default_rng(7).lognormal(0, 1.2, 1000)
    column = SortedSample.from_values(values, lower=0.0, upper=10_000.0)
    largest = float(column.values.max() * column.grid)
    assert 20 < largest < 100
    for depth, useless in ((1, True), (34, False)):
        up_to = sum(
            exp(logarithm)
            for z, logarithm in _masses(Extreme("max", depth, F(1, 2)), column)
            if z <= largest
        )
        assert (1 - up_to > 0.98) if useless else (1 - up_to < 0.05)
    assert 30 <= Extreme.calibrate(side="max", width=column.width, epsilon=1).depth <= 36


def _masses(mechanism: Extreme, column: SortedSample) -> Iterator[tuple[float, float]]:
    """Return where each piece starts, and its log probability."""
    every = build_pieces(column)
    for first, size in zip(every.first.tolist(), every.points.tolist(), strict=True):
        z = first * float(column.grid)
        yield z, mechanism.log_prob(z, column) + log(size)


SHAPES = {
    "lognormal": lambda rng: np.clip(rng.lognormal(0, 1.2, 1000), 0, 1000),
    "heavy": lambda rng: np.clip(rng.pareto(1, 1000), 0, 1000),
    "tied": lambda rng: rng.integers(1, 6, 1000).astype(float),
    "constant": lambda rng: np.full(1000, 7.0),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("side", ["max", "min"])
def test_seldom_beyond_the_data_and_seldom_far_inside(shape: str, side: str) -> None:
    column = SortedSample.from_values(
        SHAPES[shape](np.random.default_rng(3)), lower=0.0, upper=1000.0
    )
    mechanism = Extreme.calibrate(side=side, width=column.width, epsilon=1, beta=0.1)
    snapped, runs = column.values * float(column.grid), 60
    answers = np.array([mechanism.sample(column) for _ in range(runs)])
    outside = answers > snapped.max() if side == "max" else answers < snapped.min()
    inside = [int((snapped > z).sum() if side == "max" else (snapped < z).sum()) for z in answers]
    assert outside.sum() <= binom.isf(ALARM, runs, 0.1)
    assert (np.array(inside) > mechanism.error(0.1, column.width)).sum() <= binom.isf(
        ALARM, runs, 0.1
    )
    if shape in ("tied", "constant"):
        assert np.mean(answers == (snapped.max() if side == "max" else snapped.min())) > 0.5


def test_the_number_of_rows_is_not_used_and_too_few_leave_a_low_answer() -> None:
    mechanism = Extreme("max", 40, F(5))
    assert mechanism.sample([], lower=0, upper=10) in range(11)
    assert mechanism.sample([6] * 5, lower=0, upper=10) <= 6
    assert Extreme("min", 40, F(5)).sample([6] * 5, lower=0, upper=10) >= 6
    assert mechanism.sample([6] * 50 + [10**9] * 45, lower=0, upper=10) == 10


def test_calibration_meets_its_target_and_no_more() -> None:
    mechanism = Extreme.calibrate(side="max", width=1000, epsilon=1, beta=0.05)
    assert mechanism.factor == F(1, 2)
    assert 1000 * exp(-mechanism.depth / 2) <= 1 / 19 < 1000 * exp(-(mechanism.depth - 1) / 2)
    assert mechanism.loss().epsilon == 1
    assert mechanism.loss().rho == F(1, 8)
    assert mechanism.loss(2).rho == F(1, 2)
    assert Extreme.calibrate(side="max", width=1000, rho=0.125).factor == F(1, 2)
    assert Extreme.calibrate(side="min", width=1000, epsilon=1, rows=2).loss(2).epsilon == 1
    assert Extreme.calibrate(side="max", width=1, epsilon=100, beta=0.9).depth == 1
    assert mechanism.error(0.05, 1000) == mechanism.depth + int(np.log(19 * 1000) * 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("side", "top"),
        ("side", None),
        ("width", 0),
        ("width", 2.5),
        ("rows", 0),
        ("beta", 1),
        ("beta", 0),
        ("epsilon", 0),
        ("epsilon", None),
        ("rho", 1),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(name: str, value: object) -> None:
    parameters = {"side": "max", "width": 100, "epsilon": 1}
    with pytest.raises(InvalidArgument) as refusal:
        Extreme.calibrate(**(parameters | {name: value}))  # type: ignore[arg-type]
    assert refusal.value.argument == ("epsilon" if name == "rho" else name)


def test_bad_fields_and_levels_are_refused() -> None:
    for fields, name in ((("max", 0, F(1)), "depth"), (("max", 3, F(0)), "factor")):
        with pytest.raises(InvalidArgument) as refusal:
            Extreme(*fields)
        assert refusal.value.argument == name
    for name, use in (
        ("beta", lambda m: m.error(1, 10)),
        ("width", lambda m: m.error(0.1, 0)),
        ("rows", lambda m: m.loss(0)),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(Extreme("max", 3, F(1)))
        assert refusal.value.argument == name


@pytest.mark.parametrize(
    "values",
    [bad.ARRAYS[name] for name in ("NaN", "infinity", "None", "text", "ragged", "masked")],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.usefixtures("dry")
def test_bad_data_are_refused_before_anything_is_drawn(values: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Extreme("max", 3, F(1)).sample(values, lower=0.0, upper=1.0)
    assert refusal.value.argument == "values"
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))
