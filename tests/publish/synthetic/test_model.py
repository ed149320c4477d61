from __future__ import annotations

import numpy as np
import pytest

from hedgerow.publish.synthetic.budget_steps import MeasuredTable
from hedgerow.publish.synthetic.model import (
    SyntheticModel,
    estimate_total,
    fit_model,
    rake_table,
    shrink_table,
)

GROUPS = [np.array([0, 0, 1]), np.array([0, 1])]


def _ones(variance: float = 1.0) -> list[MeasuredTable]:
    return [
        MeasuredTable((0,), np.array([30.0, 10.0, 60.0]), variance),
        MeasuredTable((1,), np.array([50.0, 50.0]), variance),
    ]


def test_the_total_weighs_attributes_by_the_noise_of_their_sums() -> None:
    ones = [
        MeasuredTable((0,), np.array([10.0, 10.0]), 1.0),
        MeasuredTable((1,), np.array([10.0, 10.0, 10.0, 10.0, 10.0, 10.0]), 3.0),
    ]
    assert estimate_total(ones) == pytest.approx((20 / 2 + 60 / 18) / (1 / 2 + 1 / 18))


def test_without_noise_the_total_is_exact() -> None:
    assert estimate_total(_ones(0.0)) == pytest.approx(100)


def test_tables_of_pairs_sharpen_the_counts_of_groups() -> None:
    """The group of the first two codes has 40 by itself (variance 2), and 46 by the table with
    the other attribute (variance 2).
    """
    pair = MeasuredTable((0, 1), np.array([[40.0, 6.0], [14.0, 40.0]]), 1.0)
    model = fit_model(_ones(), GROUPS, [pair], 100.0)
    # 43 and 40 + 20 = (60/1 + 54/2) / (1 + 1/2) = 58; then 1/3 less for each of three codes to make
    # 100.
    assert model.counts[0] == pytest.approx([31.5 - 1 / 3, 11.5 - 1 / 3, 58 - 1 / 3])


def test_tables_agree_with_counts_in_both_orders() -> None:
    pair = MeasuredTable((0, 1), np.array([[40.0, 0.0], [10.0, 50.0]]), 1.0)
    model = fit_model(_ones(), GROUPS, [pair], 100.0)
    assert model.sizes == (3, 2)
    assert np.allclose(model.table(0, 1).sum(axis=1), model.count_bins(0))
    assert np.allclose(model.table(1, 0), model.table(0, 1).T)
    assert model.dependence()[0, 1] == model.dependence()[1, 0] > 0.3


def test_unmeasured_pairs_are_independent() -> None:
    model = fit_model(_ones(), GROUPS, [], 100.0)
    assert np.allclose(model.table(0, 1), [[20, 20], [30, 30]])
    assert not model.dependence().any()


def test_no_rows_are_a_model_too() -> None:
    pair = MeasuredTable((0, 1), np.array([[4.0, 0.0], [-1.0, 5.0]]), 1.0)
    model = fit_model(_ones(), GROUPS, [pair], -3.0)
    assert isinstance(model, SyntheticModel)
    assert not any(counts.any() for counts in model.counts)
    assert np.isfinite(model.dependence()).all()


def test_a_negative_total_means_no_rows() -> None:
    model = fit_model([MeasuredTable((0,), np.array([3.0, -1.0]), 1.0)], [np.arange(2)], [], -7.0)
    assert model.counts[0].tolist() == [0.0, 0.0]


def test_raking_gives_the_sums_and_keeps_the_odds() -> None:
    table = np.array([[4.0, 1.0], [1.0, 4.0]])
    found = rake_table(table, np.array([30.0, 70.0]), np.array([60.0, 40.0]))
    assert np.allclose(found.sum(axis=1), [30, 70])
    assert np.allclose(found.sum(axis=0), [60, 40])
    assert found[0, 0] * found[1, 1] / (found[0, 1] * found[1, 0]) == pytest.approx(16)


def test_raking_leaves_empty_lines_empty() -> None:
    found = rake_table(
        np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([5.0, 2.0]), np.array([3.0, 4.0])
    )
    assert np.isfinite(found).all()
    assert found[1].tolist() == [0.0, 0.0]


ROWS, COLUMNS = np.array([400.0, 300.0, 200.0, 100.0]), np.array([500.0, 300.0, 200.0])


def _tables(dependence: float, variance: float, many: int) -> list[np.ndarray]:
    independent = np.outer(ROWS, COLUMNS) / 1_000
    exact = independent + dependence * np.outer([1, 1, -1, -1], [1, -1, 0])
    rng = np.random.default_rng(3)
    return [exact, *(exact + rng.normal(0, np.sqrt(variance), exact.shape) for _ in range(many))]


def test_noise_alone_is_nearly_always_seen_as_independence() -> None:
    _, *noisy = _tables(0.0, 25.0, 400)
    found = [shrink_table(table, 25.0, ROWS, COLUMNS) for table in noisy]
    alone = [each for each in found if each.rank == 0]
    assert len(alone) > 240
    assert all(np.allclose(each.table, np.outer(ROWS, COLUMNS) / 1_000) for each in alone)


def test_dependence_that_stands_out_is_kept_with_less_error_than_was_measured() -> None:
    exact, *noisy = _tables(30.0, 25.0, 400)
    found = [shrink_table(table, 25.0, ROWS, COLUMNS) for table in noisy]
    assert all(each.rank >= 1 for each in found)
    assert all(
        np.allclose(each.table.sum(axis=1), ROWS)
        and np.allclose(each.table.sum(axis=0), COLUMNS, rtol=1e-3)
        for each in found
    )
    errors = [float(((each.table - exact) ** 2).sum()) for each in found]
    assert np.mean(errors) < 0.8 * 12 * 25.0
    # What it says of itself is about right, and rather too much.
    assert (
        np.mean(errors) * 0.9
        < np.mean([each.squared_error for each in found])
        < np.mean(errors) * 3
    )


def test_without_noise_the_table_comes_back() -> None:
    exact = _tables(30.0, 0.0, 0)[0]
    found = shrink_table(exact, 0.0, ROWS, COLUMNS)
    assert np.allclose(found.table, exact)
    assert found.squared_error == pytest.approx(0, abs=1e-6)


def test_no_rows_have_no_table() -> None:
    found = shrink_table(np.array([[3.0, -2.0], [1.0, 0.0]]), 4.0, np.zeros(2), np.zeros(2))
    assert np.isfinite(found.table).all()
    assert found.squared_error >= 0
