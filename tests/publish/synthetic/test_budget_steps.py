from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.synthetic.budget_steps import BudgetSpender, BudgetStep
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import MarginalCandidate, PrivateTable
from publish.synthetic.helpers_tables import SIZES, people, pure, purse, rho

BLOCKS = [QueryBlock(((place, BinSums(size)),)) for place, size in enumerate(SIZES)]


@pytest.mark.parametrize(
    "price",
    [
        rho(2),
        pure(2),
        PrivacyParameters(rho=Fraction(2), rows=4),
        PrivacyParameters(epsilon=Fraction(2), relation="change-one"),
    ],
)
def test_a_part_of_the_price_is_spent_on_measurements(price: PrivacyParameters) -> None:
    held = purse(people(100), price)
    spending = BudgetSpender(held, price)
    spending.measure(BLOCKS, Fraction(1, 3), "attribute")
    spent = held.spent.epsilon if price.epsilon is not None else held.spent.rho
    assert Fraction(2, 3) * Fraction(9_999, 10_000) <= spent <= Fraction(2, 3)


@pytest.mark.parametrize(("price", "power"), [(rho(2), -1 / 3), (pure(2), -1 / 2)])
def test_large_tables_get_less_noise_and_no_split_is_better(
    price: PrivacyParameters, power: float
) -> None:
    spending = BudgetSpender(purse(people(100), price), price)
    spending.measure(BLOCKS, Fraction(1), "attribute")
    scales = [float(step.scale or 0) for step in spending.steps]
    assert np.allclose(
        [scale / scales[0] for scale in scales],
        [(size / SIZES[0]) ** power for size in SIZES],
        rtol=1e-6,
    )

    def off(scales: list[float]) -> float:
        return sum(size * scale for size, scale in zip(SIZES, scales, strict=True))

    def cost(scales: list[float]) -> float:
        return sum(scale ** (-2 if price.is_gaussian else -1) for scale in scales)

    for one, other in [(0, 1), (1, 0), (2, 3)]:
        moved = list(scales)
        moved[one] *= 1.05
        moved[other] *= 0.95
        size = (cost(moved) / cost(scales)) ** (0.5 if price.is_gaussian else 1)
        assert off([scale * size for scale in moved]) > off(scales)


def test_measurements_come_with_their_noise() -> None:
    spending = BudgetSpender(purse(people(500), rho(10**4)), rho(10**4))
    (one,) = spending.measure([BLOCKS[1]], Fraction(1), "attribute")
    # the noise is next to none
    assert one.table.tolist() == np.bincount(people(500)[:, 1], minlength=3).tolist()
    assert one.positions == (1,)
    (step,) = spending.steps
    assert (step.kind, step.positions, step.cells) == ("attribute", (1,), 3)


def test_nothing_measured_is_nothing_spent() -> None:
    held = purse(people(10), rho(1))
    assert BudgetSpender(held, rho(1)).measure([], Fraction(1), "pair") == []
    assert held.spent.rho == 0


@pytest.mark.parametrize("price", [rho(1), pure(1)])
def test_a_choice_costs_its_part(price: PrivacyParameters) -> None:
    held = purse(people(50_000), price)
    spending = BudgetSpender(held, price)
    far, near = np.zeros((3, 4), dtype=np.int64), np.bincount(people(50_000)[:, 2], minlength=2)
    # by fifty thousand rows
    assert (
        spending.choose(
            [MarginalCandidate((2,), near), MarginalCandidate((1, 3), far)], Fraction(1, 2)
        )
        == 1
    )
    assert spending.steps == [BudgetStep("chosen", (1, 3), 12)]
    spent = held.spent.epsilon if price.epsilon is not None else held.spent.rho
    assert Fraction(49, 100) <= spent <= Fraction(1, 2)


@pytest.mark.parametrize(("price", "more"), [(rho(1), math.sqrt(9)), (pure(1), 9)])
def test_the_spread_is_that_of_tables_that_share(price: PrivacyParameters, more: float) -> None:
    spending = BudgetSpender(purse(people(0), price), price)
    (law,) = price.calibrate_all([BLOCKS[0]], [1.0])
    assert spending.compute_deviation(Fraction(1), 1) == pytest.approx(
        math.sqrt(compute_noise_variance(law))
    )
    assert spending.compute_deviation(Fraction(1), 9) == pytest.approx(
        more * spending.compute_deviation(Fraction(1), 1)
    )
    assert spending.private_table.spent.rho == 0


@pytest.mark.parametrize("price", [rho(2), pure(2)])
def test_scales_and_variances_of_row_parts_are_stated_in_rows(price: PrivacyParameters) -> None:
    """The same scales, variances and spreads as in whole rows, but for what is discrete about
    the noise.
    """
    fine = replace(price, parts_per_row=2**20, truncation_bounds=(100, 1000))
    table = ContingencyTable(
        SIZES, ContingencyTable.from_codes(people(500), SIZES).words, np.full(500, 2**20)
    )
    parts = BudgetSpender(
        PrivateTable(table, fine.total, rows=1, relation="add-remove", parts_per_row=2**20), fine
    )
    whole = BudgetSpender(purse(people(500), price), price)
    found, beside = (
        spending.measure(BLOCKS, Fraction(1, 2), "attribute") for spending in (parts, whole)
    )
    assert [step.scale for step in parts.steps] == [step.scale for step in whole.steps]
    assert [one.variance for one in found] == pytest.approx(
        [one.variance for one in beside], rel=0.2
    )
    assert parts.compute_deviation(Fraction(1, 4), 3) == pytest.approx(
        whole.compute_deviation(Fraction(1, 4), 3), rel=0.1
    )
    for one in found:
        assert abs(one.table.sum() - 500) < 40 * (one.variance * one.table.size) ** 0.5
    assert (
        parts.choose(
            [
                MarginalCandidate((0,), np.bincount(people(500)[:, 0], minlength=SIZES[0])),
                MarginalCandidate((1,), np.zeros(SIZES[1], dtype=np.int64)),
            ],
            Fraction(1, 4),
        )
        == 1
    )
