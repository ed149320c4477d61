from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.publish.synthetic import SyntheticTable, synthesize
from hedgerow.publish.synthetic.budget_steps import BudgetSpender, MeasuredTable
from hedgerow.publish.synthetic.quality import assess_quality, tabulate_bins
from publish.synthetic.helpers_tables import error, people, purse, rho

PRICE = rho(Fraction(1, 10))


def _made(many: int = 20_000, target: int | None = 3) -> SyntheticTable:
    return synthesize(
        purse(people(many), PRICE), PRICE, ordered=(0,), check=Fraction(1, 5), target=target
    )


def test_expected_errors_are_about_what_errors_are() -> None:
    codes = people(20_000)
    expected, found = [], []
    for _ in range(5):
        made = _made()
        expected += [pair.expected_error for pair in made.quality.pairs]
        found += [error(codes, made.codes, *pair.places) for pair in made.quality.pairs]
    assert np.mean(found) / 3 < np.mean(expected) < 3 * np.mean(found)


def test_all_attributes_and_pairs_are_reported() -> None:
    quality = _made().quality
    assert len(quality.attributes) == 4
    assert [pair.places for pair in quality.pairs] == list(itertools.combinations(range(4), 2))
    assert all(0 <= each <= 1 for each in quality.attributes)


def test_both_measures_of_dependence_agree() -> None:
    pairs = {pair.places: pair for pair in _made().quality.pairs}
    codes = people(20_000)
    table = np.zeros((3, 4))
    np.add.at(table, (codes[:, 1], codes[:, 3]), 1.0)
    independent = np.outer(table.sum(axis=1), table.sum(axis=0)) / 20_000
    exact = np.sqrt(((table - independent) ** 2 / independent).sum() / (20_000 * 2))
    assert pairs[1, 3].dependence == pytest.approx(exact, abs=0.05)
    assert pairs[1, 3].measured_dependence == pytest.approx(exact, abs=0.05)
    assert pairs[1, 2].dependence < 0.05
    assert pairs[1, 2].measured_dependence < 0.05


def test_a_check_sees_rows_that_are_wrong() -> None:
    """Rows whose columns were shuffled are held to fresh measurements, and found out; the good
    ones are not.
    """
    made = _made(target=None)
    assert made.quality.check is not None
    assert made.quality.check.error <= made.quality.check.at_most < 0.05
    rng = np.random.default_rng(4)
    wrong = np.stack([rng.permutation(made.codes[:, place]) for place in range(4)], axis=1)
    spending = BudgetSpender(purse(people(20_000), PRICE), PRICE)
    found = assess_quality(wrong, made.model, [], _tables(made), spending, Fraction(1), None).check
    assert found is not None
    assert found.error > 0.1
    assert len(found.pairs) == len(set(found.pairs)) == 6


def _tables(made: SyntheticTable) -> list[MeasuredTable]:
    return [MeasuredTable(places, pair.table, 1.0) for places, pair in made.model.pairs.items()]


def test_a_task_is_learnt_from_rows_and_tried_on_fresh_counts() -> None:
    """The town is the job four times of five, and one town for all the rest."""
    task = _made().quality.task
    assert task is not None
    assert task.target == 3
    assert 1 in task.by
    codes = people(20_000)
    rule = np.zeros((3, 4))
    np.add.at(rule, (codes[:, 1], codes[:, 3]), 1.0)
    best = rule.max(axis=1).sum() / 20_000
    assert task.synthetic == pytest.approx(best, abs=0.03)
    assert abs(task.exact - best) < 0.03 + 7 * task.standard_error
    assert task.commonest < best - 0.2


def test_nothing_is_checked_unless_it_is_paid_for() -> None:
    held = purse(people(500), PRICE)
    quality = synthesize(held, PRICE, target=3).quality
    assert quality.check is None
    assert quality.task is None


def test_a_target_that_depends_on_nothing_has_no_task_and_the_check_gets_all() -> None:
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, 2, 300) for _ in range(2)], axis=1)
    price = rho(Fraction(1, 1_000))
    held = purse(codes, price, (2, 2))
    tasks = [
        synthesize(purse(codes, price, (2, 2)), price, check=Fraction(1, 4), target=0).quality.task
        for _ in range(40)
    ]
    synthesize(held, price, check=Fraction(1, 4), target=0)
    assert None in tasks
    assert price.rho is not None
    assert held.spent.rho > price.rho * Fraction(99, 100)


def test_tables_of_rows_by_hand() -> None:
    made = _made(50)
    columns = [np.array([0, 1, 1]), np.array([2, 0, 0])]
    groups = made.model.bins
    found = tabulate_bins([*columns, *columns], made.model, (0, 1))
    assert found.shape == (int(groups[0].max()) + 1, 3)
    assert found[0, 2] == 1
    assert found[1, 0] == 2
    assert found.sum() == 3
