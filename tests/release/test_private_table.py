"""What a purse hands out, what it charges for it, and that it never hands out more than was paid
for.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms import Exponential, Gaussian, Laplace, StabilityHistogram
from hedgerow.numeric.tails.laplace import laplace_threshold
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.release.linear_queries import BinSums, QueryBlock, ResidualQueries
from hedgerow.release.private_table import (
    MarginalCandidate,
    PrivateTable,
    calibrate_discovery,
    compute_measurement_loss,
)

TABLE = ContingencyTable.from_codes([[0, 1]] * 300 + [[1, 0]] * 500 + [[2, 1]] * 200, (3, 2))
EACH = QueryBlock(((0, BinSums(3)),))


def purse(total: Loss, relation: str = "add-remove", rows: int = 1, group: int = 1) -> PrivateTable:
    return PrivateTable(TABLE, total, rows=rows, relation=relation, group=group)


def test_a_measurement_is_the_exact_answers_with_noise_and_costs_what_the_mechanism_says() -> None:
    held = purse(Loss(Fraction(1)))
    law = Laplace(Fraction(2))
    noisy = held.measure(EACH, law)
    assert noisy.shape == (3,)
    assert np.abs(noisy - [300, 500, 200]).max() < 100
    assert (
        held.spent
        == law.loss(1)
        == held.price(EACH, law)
        == compute_measurement_loss(EACH, law, rows=1, relation="add-remove")
    )


def test_the_price_grows_with_rows_with_replacement_and_with_groups() -> None:
    law = Laplace(Fraction(2))
    assert compute_measurement_loss(EACH, law, rows=3, relation="add-remove").epsilon == Fraction(
        3, 2
    )
    assert compute_measurement_loss(EACH, law, rows=3, relation="change-one").epsilon == 3
    assert compute_measurement_loss(EACH, law, rows=3, relation="change-one", group=2).epsilon == 6
    assert (
        compute_measurement_loss(
            QueryBlock(((0, ResidualQueries(3)),)),
            Gaussian(Fraction(1)),
            rows=1,
            relation="add-remove",
        ).rho
        == 3
    )


def test_parts_of_a_row_are_paid_for_one_by_one() -> None:
    """The worst that a unit of two rows does, of which each is eight parts: 16 parts come, or go
    and as many come.
    """
    law, parts = (
        Laplace(Fraction(2)),
        ContingencyTable((3,), (np.arange(3),), np.array([2400, 4000, 1607])),
    )
    for relation, both in (("add-remove", 1), ("change-one", 2)):
        held = PrivateTable(parts, Loss(Fraction(100)), rows=2, relation=relation, parts_per_row=8)
        assert held.price(EACH, law) == compute_measurement_loss(
            EACH, law, rows=16, relation=relation
        )
        assert held.price(EACH, law).epsilon == both * 16 / law.scale
        assert np.abs(held.measure(EACH, law) - [2400, 4000, 1607]).max() < 100
        assert held.parts_per_row == 8


@pytest.mark.parametrize("law", [Laplace(Fraction(12)), Gaussian(Fraction(16))])
def test_parts_are_discovered_as_if_they_were_rows(law: Laplace | Gaussian) -> None:
    """A unit of one row, in parts of a quarter, may have four combinations of a part each, or
    one of four.
    """
    delta, counts = Fraction(1, 1000), np.array([4 * 300, 0, 3])
    total = Loss(Fraction(9) if isinstance(law, Laplace) else float("inf"), delta, Fraction(9))
    held = PrivateTable(
        ContingencyTable((3,), (np.arange(3),), counts),
        total,
        rows=1,
        relation="add-remove",
        parts_per_row=4,
    )
    codes, noisy = held.discover((0,), law, delta=delta)
    least, price, cut = calibrate_discovery((3,), law, delta=delta, rows=4, relation="add-remove")
    assert held.spent == price
    assert worst_split(law, least, 4, cut) <= float(price.delta) * (1 + 1e-9)
    assert worst_split(law, least - 1, 4, None if cut is None else cut - 1) > 1e-3
    assert codes.tolist()[0] == [0]
    assert abs(int(noisy[0]) - 1200) < 500
    # Planted: the threshold for one row, in parts, is too low for four parts that go apart.
    few, _, alone = calibrate_discovery((3,), law, delta=delta, rows=1, relation="add-remove")
    assert worst_split(law, few, 4, alone) > 2e-3


def test_counts_beyond_2_62_are_discovered_clamped() -> None:
    table = ContingencyTable((2, 2), (np.arange(4),), np.array([2**62, 2**62, 5, 2**61]))
    held = PrivateTable(table, Loss(Fraction(9), Fraction(1, 10)), rows=1, relation="add-remove")
    codes, noisy = held.discover((0,), Laplace(Fraction(2)), delta=Fraction(1, 100))
    assert codes.tolist() == [[0], [1]]
    assert np.abs(noisy - [2**62, 2**61 + 5]).max() < 100


@pytest.mark.parametrize(("relation", "both"), [("add-remove", 1), ("change-one", 2)])
def test_a_choice_among_parts_is_that_among_rows(
    relation: str, both: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores and how far one unit moves them are as many times larger as a row has parts."""
    asked: list[int] = []
    honest = Exponential.calibrate
    monkeypatch.setattr(
        Exponential,
        "calibrate",
        lambda **given: asked.append(given["sensitivity"]) or honest(**given),
    )
    counts = np.array([2400, 4000, 1607])
    held = PrivateTable(
        ContingencyTable((3,), (np.arange(3),), counts),
        Loss(Fraction(9)),
        rows=2,
        relation=relation,
        parts_per_row=8,
    )
    candidate = MarginalCandidate((0,), np.array([300, 499, 200]), offset=5)
    assert held._compute_misfit(candidate) == 8 + 7 - 5 * 8
    # What one unit of two rows can do at most: 16 parts, or 16 that go and as many that come.
    for before, after in (([0, 0, 0], [16, 0, 0]), ([16, 0, 0], [0, 0, 16])):
        tables = [
            ContingencyTable((3,), (np.arange(3),), counts + np.array(put))
            for put in (before, after)
        ]
        worlds = [PrivateTable(table, Loss(1), rows=2, relation=relation) for table in tables]
        far = MarginalCandidate((0,), np.array([8 * 300, 9000, 0]))
        assert abs(worlds[0]._compute_misfit(far) - worlds[1]._compute_misfit(far)) <= 32
    assert (
        held.select([candidate, MarginalCandidate((0,), np.array([0, 0, 0]))], epsilon=Fraction(8))
        == 1
    )
    assert asked == [both * 16]
    assert held.spent.epsilon == 8


def test_misfits_beyond_all_room_are_clamped() -> None:
    table = ContingencyTable((3,), (np.arange(3),), np.array([2**62, 2**62, 5]))
    held = PrivateTable(
        table, Loss(Fraction(9)), rows=1, relation="add-remove", parts_per_row=2**30
    )
    light, heavy = (
        MarginalCandidate((0,), np.full(3, 2**40)),
        MarginalCandidate((0,), np.zeros(3, dtype=np.int64), Fraction(2**20)),
    )
    assert held._compute_misfit(heavy) == 2**63 + 5
    # What is expected is moved to where sums of it still fit: 2^61/3, in whole rows.
    assert held._compute_misfit(light) == 2 * 2**62 - 2 * _far(3) + abs(5 - _far(3))
    assert held.select([light, heavy], epsilon=Fraction(1)) in (0, 1)


def _far(cells: int) -> int:
    return 2**61 // 2**30 // cells * 2**30


def test_steps_add_up_and_the_one_too_many_is_refused_before_the_data_are_looked_at() -> None:
    held = purse(Loss(Fraction(1)))
    held.measure(EACH, Laplace(Fraction(2)))
    held.select([MarginalCandidate((0,), np.array([0, 0, 0]))], epsilon=Fraction(1, 4))
    before = held.spent
    with pytest.raises(Refused, match="exceeds the"):
        held.measure(EACH, Laplace(Fraction(3)))
    assert held.spent == before
    assert before.epsilon == Fraction(3, 4)
    held.measure(EACH, Laplace(Fraction(4)))
    assert held.spent.epsilon == 1


def test_rho_is_counted_where_there_is_no_epsilon() -> None:
    held = purse(Loss(float("inf"), rho=Fraction(1, 2)))
    held.measure(EACH, Gaussian(Fraction(2)))  # rho 1/8
    held.select([MarginalCandidate((0,), np.array([0, 0, 0]))], rho=Fraction(1, 4))
    assert Fraction(3, 8) - Fraction(1, 10**9) < held.spent.rho <= Fraction(3, 8)
    with pytest.raises(Refused, match="exceeds the"):
        held.measure(EACH, Gaussian(Fraction(1)))
    held.measure(EACH, Gaussian(Fraction(2)))


def test_a_total_with_its_own_rho_is_kept_in_both() -> None:
    law = Laplace(Fraction(2))
    held = purse(law.loss(1))
    held.measure(EACH, law)
    with pytest.raises(Refused, match="exceeds the"):
        held.measure(EACH, Laplace(Fraction(10**6)))


def test_a_gaussian_step_exceeds_a_pure_total() -> None:
    with pytest.raises(Refused, match="exceeds the"):
        purse(Loss(Fraction(5))).measure(EACH, Gaussian(Fraction(1000)))


def test_the_marginal_that_fits_worst_is_chosen() -> None:
    held = purse(Loss(Fraction(100)))
    fits, does_not = (
        MarginalCandidate((0,), np.array([300, 500, 200])),
        MarginalCandidate((1,), np.array([0, 0])),
    )
    assert [held.select([fits, does_not, fits], epsilon=1) for _ in range(5)] == [1] * 5
    # The misfit of 1,000 counts little where its weight is small, or where so much was to be
    # expected.
    light, expected = (
        MarginalCandidate((1,), np.array([0, 0]), weight=Fraction(1, 1000)),
        MarginalCandidate((1,), np.array([0, 0]), offset=1000),
    )
    off = MarginalCandidate((0,), np.array([0, 500, 200]))
    assert [held.select([other, off], epsilon=1) for other in (light, expected)] == [1, 1]


@pytest.mark.parametrize(("relation", "both"), [("add-remove", 1), ("change-one", 2)])
def test_a_choice_is_calibrated_to_how_far_one_unit_moves_a_misfit(
    relation: str, both: int
) -> None:
    """By brute force: rows of one unit come, go or change; no score moves further than the
    mechanism was told.
    """
    base = [[0, 1], [1, 0], [2, 1]]
    expected = np.array([[1, 0], [0, 0], [2, 2]])

    def misfit(rows: list[list[int]]) -> int:
        return int(
            np.abs(ContingencyTable.from_codes(rows, (3, 2)).marginal((0, 1)) - expected).sum()
        )

    cells = [[a, b] for a in range(3) for b in range(2)]
    leave = (
        [[*base, a] for a in cells] if relation == "add-remove" else [[*base[1:], a] for a in cells]
    )
    assert max(abs(misfit(rows) - misfit(base)) for rows in leave) == both


def test_invalid_totals_and_candidates_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="below 1"):
        purse(Loss(Fraction(1), Fraction(1)))
    held = purse(Loss(Fraction(1)))
    with pytest.raises(InvalidArgument, match="grid of 1"):
        held.measure(EACH, Laplace(Fraction(1), Fraction(1, 2)))
    with pytest.raises(InvalidArgument, match="must not be empty"):
        held.select([], epsilon=1)
    with pytest.raises(InvalidArgument, match="round them first"):
        MarginalCandidate((0,), np.array([0.5, 0, 0]))
    with pytest.raises(InvalidArgument, match="offset"):
        MarginalCandidate((0,), np.array([1, 0, 0]), offset=2**41)
    with pytest.raises(InvalidArgument, match="each cell"):
        held.select([MarginalCandidate((0,), np.array([0, 0]))], epsilon=Fraction(1, 2))
    with pytest.raises(InvalidArgument, match="whole multiples"):
        held.select(
            [
                MarginalCandidate((0,), np.zeros(3, int), weight=Fraction(1, p))
                for p in (1009, 1013, 1019, 1021)
            ],
            epsilon=Fraction(1, 2),
        )
    assert held.spent.epsilon == Fraction(1, 2)  # what fails after it was paid stays paid


def test_nothing_exact_is_printed() -> None:
    assert "300" not in repr(purse(Loss(Fraction(1)))) + repr(TABLE)


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


def worst_split(law: Laplace | Gaussian, least: int, rows: int, cut: int | None = None) -> float:
    """By brute force over all ways to spread rows over lone combinations: how likely some is
    told, at most.
    """
    reach = np.arange(-3000, 3001) if cut is None else np.arange(-cut, cut + 1)
    mass = np.exp(np.asarray(law.log_prob(reach, np.zeros_like(reach)), dtype=float))
    mass /= mass.sum()

    def told(count: int) -> float:
        return float(mass[reach >= least - count].sum())

    best = [0.0] * (rows + 1)
    for many in range(1, rows + 1):
        best[many] = max(told(part) + best[many - part] for part in range(1, many + 1))
    return best[rows]


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


def test_no_misfit_wraps_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expectations beyond all counts are moved to where sums over all cells still fit into 64
    bits.
    """
    wide = ContingencyTable.from_codes([[0], [0]], (2**12,))
    monkeypatch.setattr("hedgerow.release.private_table._MAX_EXPECTED", 2**62)
    candidate = MarginalCandidate((0,), np.full(2**12, -(2**62), dtype=np.int64))
    held = PrivateTable(wide, Loss(Fraction(1)), rows=1, relation="add-remove")
    assert held._compute_misfit(candidate) == 2**61 + 2
