from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.synthetic.budget_steps import BudgetSpender
from hedgerow.publish.synthetic.pair_selection import (
    ANY_PAIR_NOISE,
    CHOSEN_PAIR_NOISE,
    count_affordable,
    count_choices,
    select_pairs,
)
from publish.synthetic.helpers_tables import SIZES, people, pure, purse, rho

PAIRS = list(itertools.combinations(range(4), 2))


def _spending(price: PrivacyParameters, many: int = 0) -> BudgetSpender:
    return BudgetSpender(purse(people(many), price), price)


@pytest.mark.parametrize("price", [rho(Fraction(1, 100)), pure(1)])
def test_the_affordable_tables_have_the_requested_noise(price: PrivacyParameters) -> None:
    spending = _spending(price)
    many = count_affordable(spending, Fraction(1, 2), 50_000, ANY_PAIR_NOISE)
    assert (
        spending.compute_deviation(Fraction(1, 2), many)
        <= 50_000 / 400
        < spending.compute_deviation(Fraction(1, 2), many + 1)
    )


def test_no_rows_afford_no_table_and_there_is_an_end() -> None:
    assert count_affordable(_spending(rho(1)), Fraction(1), -5, ANY_PAIR_NOISE) == 0
    assert count_affordable(_spending(rho(10**4)), Fraction(1), 1e15, CHOSEN_PAIR_NOISE) == 10**9


def test_choices_are_at_least_a_turn_each_and_at_most_six() -> None:
    pairs = list(itertools.combinations(range(20), 2))
    spending = _spending(rho(1))
    assert count_choices(spending, Fraction(1), 0, pairs) == 20
    assert count_choices(spending, Fraction(1), 1e9, pairs) == 120
    assert count_choices(spending, Fraction(1), 1e9, PAIRS) == len(PAIRS)
    assert count_choices(spending, Fraction(1), 0, [(0, 3)]) == 1


def _chosen(
    many: int, workload: list[tuple[int, int]], noise: float = 1.0
) -> tuple[list[tuple[int, int]], BudgetSpender]:
    codes = people(30_000)
    counts = [
        np.bincount(codes[:, place], minlength=size).astype(float)
        for place, size in enumerate(SIZES)
    ]
    spending = _spending(rho(100), 30_000)
    groups = [np.arange(size) for size in SIZES]
    return select_pairs(spending, Fraction(1, 2), workload, many, counts, groups, noise), spending


def test_attributes_choose_their_strongest_partners_in_turn() -> None:
    """Age chooses the job, the job chooses the town; the coin depends on nothing, so that the
    town has a choice of what is left.
    """
    found, spending = _chosen(4, PAIRS)
    assert found[:2] == [(0, 1), (1, 3)]
    assert 2 in found[2]
    assert found[3] == (0, 3)
    assert Fraction(49) <= spending.private_table.spent.rho <= 50


def test_all_of_a_workload_can_be_chosen_and_nothing_else() -> None:
    found, _ = _chosen(2, [(1, 2), (0, 1)])
    assert sorted(found) == [(0, 1), (1, 2)]


def test_a_table_whose_noise_is_more_than_it_shows_is_not_chosen() -> None:
    """Age and job have 36 cells and much to show, age and coin 24 and nothing: noise of 5,000 in
    each is too much for the former.
    """
    workload = [(0, 1), (0, 2)]
    assert _chosen(1, workload, 10.0)[0] == [(0, 1)]
    assert _chosen(1, workload, 5_000.0)[0] == [(0, 2)]
