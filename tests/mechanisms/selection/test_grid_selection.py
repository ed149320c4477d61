"""Grid selection: the window changes nothing; shared arithmetic of losses, radii and columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import exp, log, tanh

import numpy as np
import pytest

import goodness
from goodness import ALARM
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.data_dependent.inverse_sensitivity import InverseSensitivity
from hedgerow.mechanisms.selection import grid_selection as points
from hedgerow.mechanisms.selection.extremes import Extreme
from hedgerow.mechanisms.selection.grid_selection import (
    GridSelection,
    compute_choices_loss,
    compute_epsilon_per_choice,
    compute_error_radius,
    parse_sample,
)
from hedgerow.mechanisms.selection.quantiles import Quantiles
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_small_data_sets as tiny

RELATIONS = ["add-remove", "change-one"]
DATA: dict[str, list[int]] = {
    "spread": [1, 2, 5, 8, 9, 12, 13, 17, 21, 22, 26, 29],
    "tied": [3, 3, 3, 7, 7, 7, 7, 20, 20, 29, 29, 29],
    "constant": [11] * 9,
    "at the ends": [0, 0, 0, 0, 30, 30, 30],
    "one": [4],
    "two": [4, 25],
}
AIMS: dict[str, Callable[[SortedSample], GridSelection]] = {
    **{
        f"quantile {p} {relation}": (
            lambda s, p=p, relation=relation: Quantiles(
                (p,), relation, Fraction(2)
            )._build_selection(s, p, 0)
        )
        for p in (Fraction(1, 2), Fraction(1, 7), Fraction(9, 10))
        for relation in RELATIONS
    },
    **{
        f"inverse {p} {relation}": (
            lambda s, p=p, relation=relation: InverseSensitivity(Fraction(1))._build_selection(
                Quantile(p, relation), s
            )
        )
        for p in (Fraction(1, 2), Fraction(2, 7), Fraction(0), Fraction(1))
        for relation in RELATIONS
    },
    **{
        f"{side} {depth}": (
            lambda s, side=side, depth=depth: Extreme(side, depth, Fraction(1))._build_selection(s)
        )
        for side in ("max", "min")
        for depth in (2, 20)
    },
}


def column(name: str) -> SortedSample:
    return SortedSample(np.array(DATA[name], dtype=np.int64), 0, 30)


@pytest.mark.parametrize("far", [1, 3, 64])
@pytest.mark.parametrize("aim", AIMS.values(), ids=AIMS)
def test_pieces_cover_the_range_and_far_ones_are_no_more_off_than_their_points(
    monkeypatch: pytest.MonkeyPatch, aim: Callable[[SortedSample], GridSelection], far: int
) -> None:
    monkeypatch.setattr(points, "_FAR_EXPONENT", far)
    for name in DATA:
        it = aim(column(name))
        near = it.build_nearby_pieces()
        assert near.first[0] == 0
        assert (near.first[1:] == (near.first + near.points)[:-1]).all()
        assert near.first[-1] + near.points[-1] == 31
        offs = it.rank_errors(near)
        for place, (first, size) in enumerate(
            zip(near.first.tolist(), near.points.tolist(), strict=True)
        ):
            exactly = it.rank_errors(tiny.count(it.sample, list(range(first, first + size))))
            left, right = (
                place == 0 and near.below[0] > 0,
                place == offs.size - 1 and near.above[-1] > 0,
            )
            if left or right:
                assert (exactly >= offs[place] - 1).all()
            else:
                assert (exactly == offs[place]).all()


@pytest.mark.long
@pytest.mark.parametrize(
    ("aim", "name"),
    [
        ("quantile 1/2 add-remove", "tied"),
        ("quantile 1/7 change-one", "spread"),
        ("inverse 2/7 add-remove", "spread"),
        ("max 2", "tied"),
    ],
)
def test_draws_follow_the_distribution_wherever_the_window_ends(
    monkeypatch: pytest.MonkeyPatch, aim: str, name: str
) -> None:
    monkeypatch.setattr(points, "_FAR_EXPONENT", Fraction(1, 100))
    it = AIMS[aim](column(name))
    it = replace(it, factor=it.factor / 6)
    assert it.build_nearby_pieces().points.max() > 4
    law = np.array(list(tiny.law_of(it).values()))
    drawn = np.bincount([it.draw() for _ in range(1500)], minlength=31)
    assert goodness.chi_square(drawn, law) > ALARM
    assert goodness.chi_square(drawn, np.roll(law, 3)) < ALARM


def test_far_points_are_sometimes_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tosses: list[Fraction] = []

    def toss(x: Fraction, _: int) -> list[bool]:
        tosses.append(x)
        return [len(tosses) > 3]

    monkeypatch.setattr(points, "bernoulli_exp", toss)
    AIMS["quantile 1/2 add-remove"](column("spread")).draw()
    assert len(tosses) == 4
    assert min(tosses) >= 0


@pytest.mark.parametrize("aim", AIMS.values(), ids=AIMS)
def test_log_prob_is_the_same_distribution(aim: Callable[[SortedSample], GridSelection]) -> None:
    for name in DATA:
        it = aim(column(name))
        for z, p in tiny.law_of(it).items():
            assert it.log_prob(z) == pytest.approx(log(p), abs=1e-9)


def test_log_prob_of_reals_and_of_what_is_no_point() -> None:
    it = Quantiles((Fraction(1, 2),), "add-remove", Fraction(1))._build_selection(
        SortedSample.from_values([0.5, 0.75], lower=0, upper=1, grid=0.25), Fraction(1, 2), 0
    )
    assert sum(exp(it.log_prob(z / 4)) for z in range(5)) == pytest.approx(1)
    for point in (0.3, -0.25, 1.25, [0.25], "0.25", None, True):
        with pytest.raises(InvalidArgument, match="point must be"):
            it.log_prob(point)


def test_a_range_of_2_to_the_54_points_and_any_epsilon() -> None:
    wide = SortedSample.from_values(np.arange(-500, 500), lower=-(2**53), upper=2**53)
    for epsilon in (1e-9, 1, 10_000):
        assert (
            -(2**53)
            <= Quantiles.calibrate(at=0.5, neighbours="add-remove", epsilon=epsilon).sample(wide)
            <= 2**53
        )
    assert (
        abs(Quantiles.calibrate(at=0.5, neighbours="add-remove", epsilon=10_000).sample(wide)) <= 1
    )
    several = Quantiles.calibrate(at=[0.25, 0.75], neighbours="add-remove", epsilon=10_000).sample(
        wide
    )
    assert np.allclose(several, [-250, 250], atol=2)


@pytest.mark.parametrize("choices", [1, 3])
@pytest.mark.parametrize("rho", [1e-6, 0.1, 7, 40, 10_000], ids=str)
def test_rho_is_nearly_used_up_and_never_overdrawn(rho: float, choices: int) -> None:
    loss = compute_choices_loss(compute_epsilon_per_choice(None, rho, choices), choices)
    assert loss.rho <= Fraction(str(rho))
    assert float(loss.rho) == pytest.approx(rho, rel=2e-3) or choices > 1
    assert loss.delta == 0


def test_the_loss_of_choices_adds_up() -> None:
    assert compute_epsilon_per_choice(1, None, 4) == Fraction(1, 4)
    assert compute_choices_loss(Fraction(1, 2), 3).epsilon == Fraction(3, 2)
    assert compute_choices_loss(Fraction(1, 2), 3).rho == Fraction(3, 32)
    assert float(compute_choices_loss(Fraction(10)).rho) == pytest.approx(10 * tanh(5))


@pytest.mark.parametrize("given", [{}, {"epsilon": 1, "rho": 1}], ids=str)
def test_exactly_one_of_epsilon_and_rho_is_required(given: dict[str, int]) -> None:
    with pytest.raises(InvalidArgument, match="epsilon or rho must be given, and not both"):
        compute_epsilon_per_choice(given.get("epsilon"), given.get("rho"))


@pytest.mark.parametrize(
    "value", [value for value in bad.EPSILONS if value is not None], ids=bad.name
)
def test_bad_epsilon_and_rho_are_refused(value: object) -> None:
    for name, arguments in (("epsilon", (value, None)), ("rho", (None, value))):
        with pytest.raises(InvalidArgument) as refusal:
            compute_epsilon_per_choice(*arguments)  # type: ignore[arg-type]
        assert refusal.value.argument == name


def test_the_radius_is_the_smallest_that_covers_the_worst_case() -> None:
    for beta in (Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)):
        r = compute_error_radius(beta, 1000, Fraction(1, 3))
        assert 999 * exp(-r / 3) / (1 + 999 * exp(-r / 3)) == pytest.approx(float(beta))
    assert compute_error_radius(Fraction(9, 10), 5, Fraction(1)) == 0
    assert compute_error_radius(Fraction(1, 2), 1, Fraction(1)) == 0


def test_columns_come_with_bounds_or_as_a_sample() -> None:
    column = parse_sample([3, 9, -4], 0, 5, None)
    assert column.values.tolist() == [0, 3, 5]
    assert parse_sample(column, None, None, None) is column
    assert len(parse_sample([], 0, 5, None)) == 0
    for arguments, name in (([1, None, 5], "lower"), ([1, 0, None], "upper")):
        with pytest.raises(
            InvalidArgument, match="must be declared: a bound read off the data is not private"
        ) as refusal:
            parse_sample(*arguments, None)  # type: ignore[call-arg]
        assert refusal.value.argument == name
    with pytest.raises(InvalidArgument, match="must be left out"):
        parse_sample(column, 0, None, None)
