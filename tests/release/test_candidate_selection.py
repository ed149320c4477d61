"""Choosing in groups: the price is kept, the laws hold together over groups, and every method
gives what it should.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from typing import Any

import numpy as np
import pytest

from doorway import DAYS, MEDIANS, UNIT, Cells, Plain, Sampled, charge, ledger, picking, plan
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.mechanisms import Laplace
from hedgerow.plan.measures import ClampedGrid, Measure, UnitReach
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import (
    SELECTION_METHODS,
    OrderStatistic,
    OrderStatisticKind,
    SelectionMethod,
)
from hedgerow.privacy.loss import Loss
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.payload import Release
from hedgerow.release.release import release

EPSILON, DELTA, RHO = Fraction(2), Fraction(1, 10**4), Fraction(1, 2)
REACHES = [
    UnitReach(g, m, cells, moves)
    for g, m, cells, moves in product((1, 3), (1, 2), (1, 4, None), (False, True))
]
EVERY = [(kind, method) for kind, methods in SELECTION_METHODS.items() for method in methods]
ALONE = UnitReach(1, 1, 1, False)
VALUES = np.sort(np.random.default_rng(5).integers(300, 700, 5000))


def pick(kind: OrderStatisticKind, method: SelectionMethod, *at: Fraction) -> OrderStatistic:
    if kind == "mode":
        return OrderStatistic(kind, "v0", values=tuple("abcde"), method=method)
    shares = at or ((Fraction(1, 4), Fraction(1, 2)) if kind == "quantiles" else ())
    return OrderStatistic(
        kind,
        "v0",
        ClampedGrid(Fraction(1), 0, 1000),
        quantiles=shares,
        method=method,
        bound=20 if method == "propose" else None,
    )


@pytest.mark.parametrize(("kind", "method"), EVERY)
def test_a_selection_costs_its_price_and_survives_storing(
    kind: OrderStatisticKind, method: SelectionMethod
) -> None:
    for reach, members in product(REACHES, (1, 2)):
        made = CalibratedSelection.calibrate(
            pick(kind, method), reach, members=members, epsilon=EPSILON, delta=DELTA
        )
        loss = made.loss()
        assert Fraction(99, 100) * EPSILON <= loss.epsilon <= EPSILON
        assert loss.delta <= DELTA
        assert CalibratedSelection.from_dict(made.to_dict()) == made
        if method in ("exponential", "inverse"):
            cheap = CalibratedSelection.calibrate(
                pick(kind, method), reach, members=members, epsilon=EPSILON, rho=RHO
            )
            assert Fraction(9, 10) * RHO <= cheap.loss().rho <= RHO
            assert CalibratedSelection.from_dict(cheap.to_dict()) == cheap


def test_a_smooth_choice_stored_under_earlier_constants_means_what_it_did() -> None:
    """As it is written since there are such choices: what was paid, and no alpha or beta, which
    have grown since.
    """
    stored = {
        "kind": "quantiles",
        "method": "smooth",
        "at": ["1/2"],
        "low": 0,
        "high": 1000,
        "neighbours": "add-remove",
        "rows": 1,
        "groups": 1,
        "touched": 1,
        "epsilon": "2",
    }
    made = CalibratedSelection.calibrate(
        pick("quantiles", "smooth", Fraction(1, 2)), ALONE, epsilon=EPSILON
    )
    assert made.to_dict() == stored
    assert CalibratedSelection.from_dict(stored).loss() == Loss(2)


@pytest.mark.parametrize(("kind", "method"), EVERY)
def test_every_method_answers_within_the_range(
    kind: OrderStatisticKind, method: SelectionMethod
) -> None:
    for reach in (ALONE, UnitReach(2, 2, None, True)):
        made = CalibratedSelection.calibrate(
            pick(kind, method), reach, epsilon=EPSILON, delta=DELTA
        )
        for values in (np.array([], dtype=np.int64), VALUES if kind != "mode" else VALUES % 5):
            found = made.sample(np.sort(values))
            assert len(found) == made.values_per_group
            for value in found:
                assert (
                    value is None and method in ("propose", "stable")
                ) or 0 <= value <= made.high  # type: ignore[operator]


@pytest.mark.parametrize("method", ["exponential", "inverse", "smooth", "propose"])
def test_medians_are_near_where_data_are_dense(method: SelectionMethod) -> None:
    made = CalibratedSelection.calibrate(
        pick("quantiles", method, Fraction(1, 2)), ALONE, epsilon=Fraction(20), delta=DELTA
    )
    (found,) = made.sample(VALUES)
    assert found is not None
    assert abs(found - 500) < 60  # thirty times the scale of the widest noise


def test_ends_and_modes_are_found_where_they_are_clear() -> None:
    for kind, low, high in (("least", 295, 320), ("greatest", 680, 705)):
        # At this epsilon anything beyond the outermost values has a chance below 1000 e^-50.
        (found,) = CalibratedSelection.calibrate(
            pick(kind, "exponential"), ALONE, epsilon=Fraction(100)
        ).sample(VALUES)  # type: ignore[arg-type]
        assert low <= found <= high  # type: ignore[operator]
    clear = np.sort(np.array([3] * 500 + [1] * 20))
    for method in SELECTION_METHODS["mode"]:
        assert CalibratedSelection.calibrate(
            pick("mode", method), ALONE, epsilon=EPSILON, delta=DELTA
        ).sample(clear) == (3,)
    cheap = CalibratedSelection.calibrate(
        pick("mode", "exponential"), ALONE, epsilon=EPSILON, rho=RHO
    )
    assert cheap.sample(clear) == (3,)


def test_smooth_noise_needs_no_delta_but_a_test_does() -> None:
    made = CalibratedSelection.calibrate(
        pick("quantiles", "smooth"), UnitReach(1, 2, 1, False), epsilon=EPSILON
    )
    assert made.loss().delta == 0
    for kind, method in (("quantiles", "propose"), ("mode", "stable")):
        with pytest.raises(Unsupported, match="needs a delta"):
            CalibratedSelection.calibrate(
                pick(kind, method),  # type: ignore[arg-type]
                ALONE,
                epsilon=EPSILON,
            )


@pytest.mark.parametrize(("kind", "method"), EVERY)
def test_rank_errors_are_stated_where_they_do_not_depend_on_data(
    kind: OrderStatisticKind, method: SelectionMethod
) -> None:
    made = CalibratedSelection.calibrate(pick(kind, method), ALONE, epsilon=EPSILON, delta=DELTA)
    said = made.rank_error(Fraction(1, 20))
    assert (said is None) == (
        method not in ("exponential",) and (kind, method) != ("mode", "laplace")
    )
    if kind == "quantiles" and said is not None:
        off = [
            abs(np.searchsorted(VALUES, z) - p * len(VALUES))
            for _ in range(30)
            for z, p in zip(made.sample(VALUES), made.at, strict=True)
        ]
        assert max(off) < 3 * said + 50


# Two worlds of two groups; one unit, of up to two values in each of up to two groups, is in one of
# them and not in the other, or replaced.
WORLDS: list[tuple[str, list[list[int]], list[list[int]]]] = [
    ("add-remove", [[0, 1], [1]], [[0, 0, 0, 1], [0, 0, 1]]),
    ("change-one", [[0, 0, 1], [1]], [[1, 1, 1], [1]]),
    ("change-one", [[0, 0, 0, 1], [1]], [[0, 1], [0, 0, 1]]),
]


@pytest.mark.parametrize("method", ["exponential", "inverse"])
@pytest.mark.parametrize("kind", ["quantiles", "least", "greatest", "mode"])
@pytest.mark.parametrize(("relation", "before", "after"), WORLDS)
def test_over_all_groups_the_loss_is_at_most_what_it_says(
    kind: OrderStatisticKind,
    method: SelectionMethod,
    relation: str,
    before: list[list[int]],
    after: list[list[int]],
) -> None:
    """Exactly, by the probabilities of the mechanism: over two groups, the largest ratio of all
    pairs of answers.
    """
    grid = ClampedGrid(Fraction(1), 0, 2)
    made = CalibratedSelection.calibrate(
        (
            OrderStatistic(kind, "v0", values=(0, 1, 2), method=method)
            if kind == "mode"
            else OrderStatistic(
                kind,
                "v0",
                grid,
                quantiles=(Fraction(1, 2),) if kind == "quantiles" else (),
                method=method,
            )
        ),
        UnitReach(2, 2, 2, relation == "change-one"),
        epsilon=EPSILON,
    )
    worst = sum(
        max(abs(a - b) for a, b in zip(logs(made, x), logs(made, y), strict=True))
        for x, y in zip(before, after, strict=True)
    )
    assert worst <= float(made.loss().epsilon) + 1e-9


def logs(made: CalibratedSelection, values: list[int]) -> list[float]:
    """The logarithm of the probability of each answer."""
    from hedgerow.mechanisms import InverseSensitivity
    from hedgerow.sensitivity.mode import Mode, ValueCounts
    from hedgerow.sensitivity.order_statistics import Quantile
    from hedgerow.sensitivity.sample import SortedSample

    mechanism: Any = made.mechanism
    if made.kind == "mode":
        tally = ValueCounts.from_values(values, (0, 1, 2))
        scores = (
            Mode(made.neighbours).inverse_lengths(tally)
            if isinstance(mechanism, InverseSensitivity)
            else tally.counts
        )
        return [mechanism.log_prob(z, scores) for z in range(3)]
    sample = SortedSample(np.sort(np.array(values)), 0, 2)
    if isinstance(mechanism, InverseSensitivity):
        return [
            mechanism.quantile_log_prob(z, Quantile(made.at[0], made.neighbours), sample)
            for z in range(3)
        ]
    return [mechanism.log_prob(z, sample) for z in range(3)]


# Through the door.


def test_picks_stand_beside_a_threshold_and_are_made_in_the_groups_that_are_shown() -> None:
    asked, book = plan(MEDIANS, Measure("rows")), ledger()
    law = Laplace.calibrate(sensitivity=asked.sensitivity(UNIT)[1], epsilon=Fraction(1, 2))
    threshold = Threshold.calibrate(1, law, max_count=3, groups=2, delta=Fraction(1, 10**7))
    noise = ReleaseNoise((picking(MEDIANS, asked), law), threshold)
    found = release(asked, Sampled(), book, noise, charge())
    assert found.keys == ((DAYS[0][0],),)
    quarter, half, count = (numbers[0] for numbers in found.numbers)
    assert 0 <= quarter <= half <= 6
    assert abs(count - 700) < 600
    assert found.loss.epsilon <= 1
    assert [Release.from_payload(entry, payload) for entry, payload in book.answers("q", "1")] == [
        found
    ]


def test_no_release_is_stored_as_none() -> None:
    pick = replace(MEDIANS, quantiles=(Fraction(1, 2),), method="propose", bound=1)
    asked, book = plan(pick, domain=(), keys=()), ledger()

    class Wide(Plain):
        def run(self, plan: Aggregate) -> Cells:
            samples = np.empty(1, dtype=object)
            samples[0] = np.array([0, 6])
            return Cells([], [samples])

    made = CalibratedSelection.calibrate(
        pick, asked.reach(UNIT), epsilon=Fraction(1, 2), delta=Fraction(1, 10**12)
    )
    found = release(asked, Wide(), book, ReleaseNoise((made,)), charge())
    assert found.numbers == ((None,),)
    assert [Release.from_payload(entry, payload) for entry, payload in book.answers("q", "1")] == [
        found
    ]


def test_picks_have_pickings_and_nothing_else_has() -> None:
    asked = plan(MEDIANS, Measure("rows"), domain=DAYS)
    law, other = picking(MEDIANS, asked), Laplace(Fraction(20))
    for laws in ((other, other), (law, law), (other, law), (law,)):
        with pytest.raises(InvalidArgument, match="one mechanism for each measure"):
            release(asked, Plain(), ledger(), ReleaseNoise(laws), charge())


def splits(rows: int, groups: int, touched: int) -> list[tuple[int, ...]]:
    """All ways to change values in groups: so many in each at most, so many times as many in
    all, in so many groups at most.
    """
    found = combinations_with_replacement(range(rows + 1), touched)
    return [split for split in found if any(split) and sum(split) <= groups * rows]


@pytest.mark.long
@pytest.mark.parametrize("priced", ["epsilon", "rho"])
@pytest.mark.parametrize(("kind", "method"), EVERY)
def test_no_spread_of_a_units_values_costs_more(
    kind: OrderStatisticKind, method: SelectionMethod, priced: str
) -> None:
    """The key step of the proof, for each mechanism: loss(k)/k does not fall, and every split of
    the values costs what is charged or less. Losses are rounded up to 10^-30."""
    tiny = Fraction(1, 10**27)
    for epsilon, reach in product(
        (Fraction(1, 5), Fraction(40)),
        (UnitReach(1, 3, 1, False), UnitReach(2, 3, None, True), UnitReach(3, 2, 4, False)),
    ):
        price = {"epsilon": epsilon} | ({"rho": epsilon} if priced == "rho" else {})
        made = CalibratedSelection.calibrate(pick(kind, method), reach, **price, delta=DELTA)
        mechanism: Any = made.mechanism
        if isinstance(mechanism, Laplace):  # as wide as the range: it does not count values
            continue
        each = [mechanism.loss(k) for k in range(1, made.rows + 1)]
        for k, (one, more) in enumerate(pairwise(each), 1):
            assert one.epsilon * (k + 1) == more.epsilon * k
            assert one.rho * (k + 1) <= more.rho * k + tiny
            assert one.delta <= more.delta
        whole = made.loss()
        for split in splits(made.rows, made.groups, made.touched):
            spent = [made.choices_per_group * each[k - 1] for k in split if k]
            assert sum(loss.epsilon for loss in spent) <= whole.epsilon
            assert sum(loss.rho for loss in spent) <= whole.rho + tiny
            assert sum(loss.delta for loss in spent) <= whole.delta


def test_the_delta_of_a_test_does_not_shrink_with_the_values() -> None:
    """Why it is paid in every group that is touched: two groups of one value have more of it
    than one group of two.
    """
    made = CalibratedSelection.calibrate(
        pick("mode", "stable"), UnitReach(2, 1, None, True), epsilon=Fraction(1, 5), delta=DELTA
    )
    one, two = (made.mechanism.loss(k).delta for k in (1, 2))
    assert (made.rows, made.groups, made.touched) == (2, 2, 4)
    assert 4 * one > 2 * two
    assert made.loss().delta == 4 * two
