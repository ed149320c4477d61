"""What a purse hands out, what it charges for it, and that it never hands out more than was paid
for.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms import Exponential, Gaussian, Laplace
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.release.linear_queries import QueryBlock, ResidualQueries
from hedgerow.release.private_table import (
    MarginalCandidate,
    PrivateTable,
    calibrate_discovery,
    compute_measurement_loss,
)
from release.helpers_private_tables import EACH, TABLE, purse, worst_split


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


def test_no_misfit_wraps_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expectations beyond all counts are moved to where sums over all cells still fit into 64
    bits.
    """
    wide = ContingencyTable.from_codes([[0], [0]], (2**12,))
    monkeypatch.setattr("hedgerow.release.private_table._MAX_EXPECTED", 2**62)
    candidate = MarginalCandidate((0,), np.full(2**12, -(2**62), dtype=np.int64))
    held = PrivateTable(wide, Loss(Fraction(1)), rows=1, relation="add-remove")
    assert held._compute_misfit(candidate) == 2**61 + 2
