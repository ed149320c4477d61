"""Combinations that a private table discovers: sorted, frequent, and lone ones within delta."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms import Gaussian, Laplace, StabilityHistogram
from hedgerow.numeric.tails.laplace import laplace_threshold
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import (
    PrivateTable,
    calibrate_discovery,
    compute_measurement_loss,
)
from release.helpers_private_tables import EACH, purse, worst_split


@pytest.mark.parametrize("law", [Laplace(Fraction(3)), Gaussian(Fraction(4))])
def test_frequent_combinations_are_discovered_sorted_with_their_counts(
    law: Laplace | Gaussian,
) -> None:
    _, price, _ = calibrate_discovery(
        (2, 3), law, delta=Fraction(1, 10**6), rows=1, relation="add-remove"
    )
    held = purse(price)
    codes, counts = held.discover((1, 0), law, delta=Fraction(1, 10**6))
    assert codes.tolist() == [[0, 1], [1, 0], [1, 2]]
    assert np.abs(counts - [500, 300, 200]).max() < 100
    assert held.spent == price
    assert (price.epsilon, price.rho) == (law.loss(1).epsilon, law.loss(1).rho)
    assert 0 < price.delta <= Fraction(1, 10**6)
    with pytest.raises(Refused, match="exceeds the"):
        held.discover((0,), Laplace(Fraction(10**9)), delta=Fraction(1, 10**6))


def test_absent_combinations_are_never_discovered_and_rare_ones_hardly_ever() -> None:
    rows = np.repeat([[10**17, 3, 2**61], [5, 3, 7], [10**17, 2, 2**61]], [400, 5, 600], axis=0)
    table = ContingencyTable.from_codes(rows, (2**60, 4, 2**62))
    # One line of the table counts nothing, and two lines are of one combination.
    table = ContingencyTable(
        table.sizes, table.words, np.where(np.arange(1005) == 0, 0, table.counts)
    )
    law = Laplace(Fraction(1))
    held = PrivateTable(table, Loss(Fraction(10), Fraction(1, 100)), rows=1, relation="change-one")
    codes, counts = held.discover((0, 1, 2), law, delta=Fraction(1, 10**9))
    assert codes.tolist() == [[10**17, 2, 2**61], [10**17, 3, 2**61]]
    assert np.abs(counts - [600, 399]).max() < 60
    codes, _ = held.discover((1,), law, delta=Fraction(1, 10**9))
    assert codes.tolist() == [[2], [3]]


def test_an_empty_table_has_nothing_to_discover_and_costs_the_same() -> None:
    held = PrivateTable(
        ContingencyTable.from_codes([], (3, 2)),
        Loss(Fraction(1), Fraction(1, 100)),
        rows=1,
        relation="add-remove",
    )
    codes, counts = held.discover((0, 1), Laplace(Fraction(1)), delta=Fraction(1, 100))
    assert (codes.shape, counts.shape, held.spent.epsilon) == ((0, 2), (0,), 1)


@pytest.mark.parametrize(
    "law",
    [
        Laplace(Fraction(3)),
        Laplace(Fraction(1, 2)),
        Gaussian(Fraction(4)),
        Gaussian(Fraction(3, 2)),
    ],
)
@pytest.mark.parametrize(("rows", "group"), [(1, 1), (5, 1), (4, 3), (30, 1)])
def test_the_threshold_is_the_lowest_that_keeps_every_split_of_the_rows_within_delta(
    law: Laplace | Gaussian, rows: int, group: int
) -> None:
    for relation in ("add-remove", "change-one"):
        least, price, cut = calibrate_discovery(
            (9,), law, delta=Fraction(1, 1000), rows=rows, relation=relation, group=group
        )
        # Where noise is cut, combinations that both have count as well: those that lose rows, and
        # those that get some.
        sides = 2 if cut is not None and relation == "change-one" else 1
        assert (
            sides * worst_split(law, least, rows * group, cut)
            <= float(price.delta) * (1 + 1e-9)
            <= 1e-3 * (1 + 2e-9)
        )
        assert (
            sides * worst_split(law, least - 1, rows * group, None if cut is None else cut - 1)
            > 1e-3
        )
        assert cut in (None, least - 1)
        assert (
            price.epsilon
            == compute_measurement_loss(
                QueryBlock(((0, BinSums(9)),)), law, rows=rows, relation=relation, group=group
            ).epsilon
        )


def test_a_threshold_for_rows_that_all_go_apart_would_break_the_promise() -> None:
    """Planted: each of 30 rows in a combination of its own is not the worst, where one
    combination of all 30 is told far sooner.
    """
    law, rows, delta = Laplace(Fraction(3)), 30, 1e-3
    alone = 1 + laplace_threshold(law.scale, Fraction(1, 1000) / rows)
    assert worst_split(law, alone, rows) > 100 * delta
    # And the other way round: one combination of two rows is not the worst where the noise is wide.
    wide = Laplace(Fraction(30))
    assert worst_split(wide, 2 + laplace_threshold(wide.scale, Fraction(1, 1000)), 2) > 1.5 * delta


@pytest.mark.parametrize(("rows", "uncut", "least"), [(1, 133, 110), (5, 739, 545)])
def test_noise_is_cut_where_that_shows_more(rows: int, uncut: int, least: int) -> None:
    """At epsilon 0.1 and delta 10^-6, a threshold as low as that of a stability histogram for a
    group of so many.
    """
    law, delta = Laplace(Fraction(10 * rows)), Fraction(1, 10**6)
    found, price, cut = calibrate_discovery(
        (9,), law, delta=delta, rows=rows, relation="add-remove"
    )
    assert (found, cut) == (least, least - 1)
    assert (
        max(
            1 + laplace_threshold(law.scale, delta / rows),
            rows + laplace_threshold(law.scale, delta),
        )
        == uncut
    )
    assert (
        StabilityHistogram.calibrate(
            epsilon=Fraction(1, 10), delta=delta, neighbours="add-remove", group=rows
        ).threshold
        == least
    )
    assert (price.epsilon, price.rho) == (law.loss(rows).epsilon, law.loss(rows).rho)
    # a step is much
    assert (
        calibrate_discovery(
            (9,), Laplace(Fraction(1, 2)), delta=delta, rows=1, relation="add-remove"
        )[2]
        is None
    )


@pytest.mark.parametrize("rows", [1, 3])
def test_truncated_noise_of_common_combinations_is_paid_for(rows: int) -> None:
    """All outcomes of two large combinations, between which the rows of a unit move. Planted: a
    delta for one of them is too little.
    """
    law, delta = Laplace(Fraction(5)), Fraction(1, 1000)
    _, price, cut = calibrate_discovery((2,), law, delta=delta, rows=rows, relation="change-one")
    assert cut is not None
    places = np.arange(-cut, cut + rows + 1)
    mass = np.exp(-np.abs(places) / 5.0) * (places <= cut)
    here, there = mass / mass.sum(), np.roll(mass, rows) / mass.sum()
    one, other = np.outer(here, there), np.outer(there, here)
    lost = np.maximum(one - np.exp(float(price.epsilon)) * (1 + 1e-12) * other, 0).sum()
    assert lost <= float(price.delta) * (1 + 1e-9)
    assert lost > 0.99 * float(price.delta)


def test_noise_that_is_cut_stays_within() -> None:
    law, exact = Laplace(Fraction(5)), np.repeat(np.arange(400), 50)
    held = PrivateTable(
        ContingencyTable.from_codes(exact[:, None], (400,)),
        Loss(Fraction(1), Fraction(1, 10)),
        rows=1,
        relation="add-remove",
    )
    codes, counts = held.discover((0,), law, delta=Fraction(1, 10))
    _, _, cut = calibrate_discovery(
        (400,), law, delta=Fraction(1, 10), rows=1, relation="add-remove"
    )
    assert cut == 4
    assert len(codes) == 400
    assert set((counts - 50).tolist()) == set(range(-4, 5))  # some is missing with less than 10^-12


def test_lone_combinations_are_released_with_probability_at_most_delta() -> None:
    """Live: 3 x 10^5 combinations of one row each. Alarm below 1e-9: six standard deviations and
    a half.
    """
    many, law, delta = 300_000, Laplace(Fraction(2)), Fraction(1, 100)
    least, price, cut = calibrate_discovery(
        (many,), law, delta=delta, rows=1, relation="add-remove"
    )
    held = PrivateTable(
        ContingencyTable.from_codes(np.arange(many)[:, None], (many,)),
        price,
        rows=1,
        relation="add-remove",
    )
    codes, counts = held.discover((0,), law, delta=delta)
    spread = (many * float(price.delta)) ** 0.5
    assert abs(len(codes) - many * float(price.delta)) < 6.5 * spread
    assert int(counts.min()) == least
    assert cut == least - 1


def test_invalid_discoveries_are_refused() -> None:
    held = purse(Loss(Fraction(1), Fraction(1, 10)))
    for places in ((), (0, 0), (2,)):
        with pytest.raises(InvalidArgument, match="places"):
            held.discover(places, Laplace(Fraction(2)), delta=Fraction(1, 100))
    with pytest.raises(InvalidArgument, match="grid of 1"):
        held.discover((0,), Laplace(Fraction(1), Fraction(1, 2)), delta=Fraction(1, 100))
    with pytest.raises(InvalidArgument, match="delta"):
        held.discover((0,), Laplace(Fraction(2)), delta=0)
    with pytest.raises(Refused, match="exceeds the"):
        held.discover((0,), Laplace(Fraction(2)), delta=Fraction(1, 2))
    assert held.spent.epsilon == 0


def test_discovery_needs_a_delta_and_deltas_add_up() -> None:
    with pytest.raises(Refused, match="exceeds the"):
        purse(Loss(Fraction(5))).discover((0,), Laplace(Fraction(2)), delta=Fraction(1, 10**9))
    law, delta = Laplace(Fraction(2)), Fraction(1, 100)
    _, price, _ = calibrate_discovery((3,), law, delta=delta, rows=1, relation="add-remove")
    held = purse(Loss(Fraction(5), 2 * price.delta))
    held.discover((0,), law, delta=delta)
    held.discover((0,), law, delta=delta)
    assert held.spent == 2 * price
    with pytest.raises(Refused, match="exceeds the"):
        held.discover((0,), law, delta=delta)
    held.measure(EACH, law)
