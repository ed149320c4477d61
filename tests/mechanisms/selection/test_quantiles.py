"""Quantiles: privacy on all small data sets, of one and several; accuracy; refusals."""

from __future__ import annotations

import traceback
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import exp

import numpy as np
import pytest
from scipy.stats import binom

import goodness
from goodness import ALARM
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection import quantile_recursion as cuts
from hedgerow.mechanisms.selection import quantiles
from hedgerow.mechanisms.selection.quantile_recursion import Shares, split_at_middle
from hedgerow.mechanisms.selection.quantiles import Quantiles
from hedgerow.numeric.rounding import round_up
from hedgerow.privacy.unit import RELATIONS
from hedgerow.sensitivity.sample import SortedSample
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_small_data_sets as tiny

F = Fraction
HALF = F(1, 2)
ORDERS = (1, 2, 8)
AT = {
    "median": (HALF,),
    "low": (F(1, 5),),
    "two": (F(1, 4), F(3, 4)),
    "three": (F(1, 10), F(3, 10), F(9, 10)),
    "quartiles": (F(1, 4), HALF, F(3, 4)),
    "four": (F(1, 10), F(1, 5), F(3, 5), F(4, 5)),
    "outer": (F(1, 20), HALF, F(19, 20)),
    "five": (F(1, 6), F(1, 3), HALF, F(2, 3), F(5, 6)),
}


def choices(at: Shares, depth: int = 0) -> list[tuple[Fraction, int]]:
    """Return each choice: its share of its part, and its level."""
    below, p, above = split_at_middle(at)
    return [
        (p, depth),
        *(choice for half in (below, above) if half for choice in choices(half, depth + 1)),
    ]


def law(
    monkeypatch: pytest.MonkeyPatch, mechanism: Quantiles, data: tiny.Data, points: int
) -> tiny.Law:
    """Return the exact joint distribution of all answers, without tie-breakers: the proof fixes
    them.
    """
    monkeypatch.setattr(cuts, "MAX_TIE_BREAKERS", 1)
    return tiny.outcomes(monkeypatch, lambda: mechanism.sample(tiny.sample(data, points)))


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


WIDE = 10**9
PLACES = (0, 1, WIDE - 1, WIDE)


def worst_change(mechanism: Quantiles, p: Fraction, depth: int, relation: str) -> float:
    """Return the largest loss of one choice on a very wide range.

    There nearly all points may be on one side of the data.
    """

    def logs(rows: list[int]) -> np.ndarray:
        aim = mechanism._build_selection(
            SortedSample(np.sort(np.array(rows, dtype=np.int64)), 0, WIDE), p, depth
        )
        at = tiny.count(aim.sample, [*PLACES, WIDE // 2])  # every point in between is like the last
        weights = -float(aim.factor) * aim.rank_errors(at)
        return weights - np.log(np.exp(weights) @ [1, 1, 1, 1, WIDE - 3])

    found = 0.0
    for counts in product((0, 2, 20), repeat=4):
        rest = np.repeat(PLACES, counts).tolist()
        ends = [logs([*rest, place]) for place in PLACES]
        pairs = (
            combinations(ends, 2)
            if relation == "change-one"
            else ((logs(rest), end) for end in ends)
        )
        found = max(found, *(float(np.abs(one - other).max()) for one, other in pairs))
    return found


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


def off(data: np.ndarray, at: float, z: float) -> float:
    """Return the distance from the fair split, in ranks."""
    below, up_to, target = (data < z).sum(), (data <= z).sum(), at * data.size
    return max(below - target, target - up_to, 0)


SHAPES = {
    "skewed": lambda rng, n: np.clip(rng.lognormal(3, 1, n), 0, 1000),
    "tied": lambda rng, n: rng.integers(1, 6, n).astype(float),
    "spiked": lambda rng, n: np.where(rng.random(n) < 0.4, 100.0, rng.uniform(0, 1000, n)),
    "constant": lambda rng, n: np.full(n, 7.0),
}


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


@pytest.mark.parametrize(
    "at",
    [
        [],
        [0.5, 0.5],
        [0.7, 0.3],
        [HALF, F(1, 1_000_003)],
        [F(1, 999), F(1, 1_000) + HALF, F(998, 1001)],
    ],
    ids=str,
)
def test_shares_that_do_not_rise_are_refused(at: list[float]) -> None:
    with pytest.raises(
        InvalidArgument,
        match="at must be one or more rising shares with a common denominator of at most a million",
    ):
        Quantiles.calibrate(at=at, neighbours="add-remove", epsilon=1)


@pytest.mark.parametrize(
    "p",
    [
        *(value for value in bad.LEVELS if not isinstance(value, (str, list))),
        0,
        1,
        -0.1,
        1.1,
        np.array(0.5),
    ],
    ids=bad.name,
)
def test_shares_of_0_and_1_are_refused(p: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Quantiles.calibrate(at=p, neighbours="add-remove", epsilon=1)  # type: ignore[arg-type]
    assert refusal.value.argument == "at"


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidArgument):
        Quantiles.calibrate(
            at=0.5,
            neighbours="add-remove",
            epsilon=epsilon,  # type: ignore[arg-type]
        )


def test_other_bad_parameters_are_refused() -> None:
    good = {"at": 0.5, "neighbours": "add-remove", "epsilon": 1}
    for name, value in (("neighbours", "rows"), ("rows", 0), ("rows", 1.5), ("neighbours", None)):
        with pytest.raises(InvalidArgument) as refusal:
            Quantiles.calibrate(**(good | {name: value}))  # type: ignore[arg-type]
        assert refusal.value.argument == name
    mechanism = Quantiles.calibrate(**good)  # type: ignore[arg-type]
    for name, use in (
        ("beta", lambda: mechanism.error(0, 10)),
        ("width", lambda: mechanism.error(0.1, 0)),
        ("n", lambda: mechanism.error(0.1, 10, 0)),
        ("rows", lambda: mechanism.loss(0)),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use()
        assert refusal.value.argument == name
    with pytest.raises(InvalidArgument, match="at must be a single quantile for log_prob"):
        Quantiles.calibrate(at=[0.2, 0.5], neighbours="add-remove", epsilon=1).log_prob(
            1, [1], lower=0, upper=2
        )


@pytest.mark.parametrize(
    "values",
    [value for name, value in bad.ARRAYS.items() if name not in ("empty list", "empty array")],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.parametrize("at", [[0.5], [0.2, 0.5]], ids=str)
@pytest.mark.usefixtures("dry")
def test_bad_data_are_refused_before_anything_is_drawn(values: object, at: list[float]) -> None:
    for bounds in ((0, 100), (0.0, 100.0)):
        with pytest.raises(InvalidArgument) as refusal:
            Quantiles.calibrate(at=at, neighbours="add-remove", epsilon=1).sample(
                values, lower=bounds[0], upper=bounds[1]
            )
        assert refusal.value.argument == "values"
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


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
