from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.linear import Bins, Block
from hedgerow.publish.designs import noise_variance
from hedgerow.publish.synthetic.spending import Spending, Step
from hedgerow.publish.terms import Terms
from hedgerow.purse import Candidate, Purse
from hedgerow.tabulated import Tabulated
from publish.synthetic.tables import SIZES, people, pure, purse, rho

BLOCKS = [Block(((place, Bins(size)),)) for place, size in enumerate(SIZES)]


@pytest.mark.parametrize("price", [rho(2), pure(2), Terms(rho=Fraction(2), rows=4), Terms(epsilon=Fraction(2), relation="change-one")])
def test_a_part_of_the_price_is_spent_on_measurements(price: Terms) -> None:
    held = purse(people(100), price)
    spending = Spending(held, price)
    spending.measure(BLOCKS, Fraction(1, 3), "attribute")
    spent = held.spent.epsilon if price.epsilon is not None else held.spent.rho
    assert Fraction(2, 3) * Fraction(9_999, 10_000) <= spent <= Fraction(2, 3)


@pytest.mark.parametrize(("price", "power"), [(rho(2), -1 / 3), (pure(2), -1 / 2)])
def test_large_tables_get_less_noise_and_no_split_is_better(price: Terms, power: float) -> None:
    spending = Spending(purse(people(100), price), price)
    spending.measure(BLOCKS, Fraction(1), "attribute")
    scales = [float(step.scale or 0) for step in spending.steps]
    assert np.allclose([scale / scales[0] for scale in scales], [(size / SIZES[0]) ** power for size in SIZES], rtol=1e-6)

    def off(scales: list[float]) -> float:
        return sum(size * scale for size, scale in zip(SIZES, scales, strict=True))

    def cost(scales: list[float]) -> float:
        return sum(scale ** (-2 if price.gaussian else -1) for scale in scales)

    for one, other in [(0, 1), (1, 0), (2, 3)]:
        moved = list(scales)
        moved[one] *= 1.05
        moved[other] *= 0.95
        size = (cost(moved) / cost(scales)) ** (0.5 if price.gaussian else 1)
        assert off([scale * size for scale in moved]) > off(scales)


def test_what_was_measured_is_told_with_its_noise() -> None:
    spending = Spending(purse(people(500), rho(10**4)), rho(10**4))
    (one,) = spending.measure([BLOCKS[1]], Fraction(1), "attribute")
    assert one.table.tolist() == np.bincount(people(500)[:, 1], minlength=3).tolist()  # the noise is next to none
    assert one.places == (1,)
    (step,) = spending.steps
    assert (step.what, step.places, step.cells) == ("attribute", (1,), 3)


def test_nothing_measured_is_nothing_spent() -> None:
    held = purse(people(10), rho(1))
    assert Spending(held, rho(1)).measure([], Fraction(1), "pair") == []
    assert held.spent.rho == 0


@pytest.mark.parametrize("price", [rho(1), pure(1)])
def test_a_choice_costs_its_part(price: Terms) -> None:
    held = purse(people(50_000), price)
    spending = Spending(held, price)
    far, near = np.zeros((3, 4), dtype=np.int64), np.bincount(people(50_000)[:, 2], minlength=2)
    assert spending.choose([Candidate((2,), near), Candidate((1, 3), far)], Fraction(1, 2)) == 1  # by fifty thousand rows
    assert spending.steps == [Step("chosen", (1, 3), 12)]
    spent = held.spent.epsilon if price.epsilon is not None else held.spent.rho
    assert Fraction(49, 100) <= spent <= Fraction(1, 2)


@pytest.mark.parametrize(("price", "more"), [(rho(1), math.sqrt(9)), (pure(1), 9)])
def test_the_spread_is_that_of_tables_that_share(price: Terms, more: float) -> None:
    spending = Spending(purse(people(0), price), price)
    (law,) = price.laws([BLOCKS[0]], [1.0])
    assert spending.spread(Fraction(1), 1) == pytest.approx(math.sqrt(noise_variance(law)))
    assert spending.spread(Fraction(1), 9) == pytest.approx(more * spending.spread(Fraction(1), 1))
    assert spending.purse.spent.rho == 0


@pytest.mark.parametrize("price", [rho(2), pure(2)])
def test_in_parts_all_is_told_in_rows(price: Terms) -> None:
    """The same scales, variances and spreads as in whole rows, but for what is discrete about the noise."""
    fine = replace(price, fine=2**20, losing=(100, 1000))
    table = Tabulated(SIZES, Tabulated.of(people(500), SIZES).words, np.full(500, 2**20))
    parts = Spending(Purse(table, fine.total, rows=1, relation="add-remove", fine=2**20), fine)
    whole = Spending(purse(people(500), price), price)
    found, beside = (spending.measure(BLOCKS, Fraction(1, 2), "attribute") for spending in (parts, whole))
    assert [step.scale for step in parts.steps] == [step.scale for step in whole.steps]
    assert [one.variance for one in found] == pytest.approx([one.variance for one in beside], rel=0.2)
    assert parts.spread(Fraction(1, 4), 3) == pytest.approx(whole.spread(Fraction(1, 4), 3), rel=0.1)
    for one in found:
        assert abs(one.table.sum() - 500) < 40 * (one.variance * one.table.size) ** 0.5
    assert (
        parts.choose(
            [Candidate((0,), np.bincount(people(500)[:, 0], minlength=SIZES[0])), Candidate((1,), np.zeros(SIZES[1], dtype=np.int64))],
            Fraction(1, 4),
        )
        == 1
    )
