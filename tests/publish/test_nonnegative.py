"""Clean counts are the nearest that are not negative and have the total."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from hedgerow.errors import InvalidArgument
from hedgerow.publish.nonnegative import project_nonnegative

NUMBERS = st.lists(st.integers(-50, 50), min_size=1, max_size=12)


def offences(counts: np.ndarray, total: float, found: np.ndarray) -> list[str]:
    """What is wrong with a projection: the conditions of Karush, Kuhn and Tucker."""
    wrong = []
    if (found < 0).any() or abs(found.sum() - total) > 1e-6:
        wrong.append("not in the set")
    kept = found > 1e-9
    level = (counts - found)[kept].mean() if kept.any() else np.inf
    if kept.any() and np.abs((counts - found)[kept] - level).max() > 1e-6:
        wrong.append("moved unevenly")
    if (~kept).any() and counts[~kept].max() > level + 1e-6:
        wrong.append("removed what should stay")
    return wrong


@settings(derandomize=True, max_examples=100)
@given(NUMBERS, st.integers(0, 200))
def test_the_projection_is_the_nearest_point(counts: list[int], total: int) -> None:
    found = project_nonnegative(np.array(counts), total)
    assert offences(np.array(counts, dtype=float), total, found) == []


def test_the_nearest_counts_by_hand() -> None:
    assert project_nonnegative(np.array([5.0, 3.0, -4.0]), 6.0).tolist() == [4.0, 2.0, 0.0]
    assert project_nonnegative(np.array([1.0, 1.0]), 4.0).tolist() == [2.0, 2.0]
    assert project_nonnegative(np.array([3.0, -1.0]), 0.0).tolist() == [0.0, 0.0]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=12),
    st.floats(1e-2, 1e5),
    st.integers(0, 2**30),
)
def test_no_other_counts_of_that_total_are_nearer(
    counts: list[float], total: float, seed: int
) -> None:
    noisy = np.array(counts)
    found = project_nonnegative(noisy, total)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(total, rel=1e-6)
    other = np.random.default_rng(seed).dirichlet(np.ones(len(counts))) * total
    assert ((found - noisy) ** 2).sum() <= ((other - noisy) ** 2).sum() * (1 + 1e-9) + 1e-6


def test_against_a_general_solver() -> None:
    counts = np.array([5.0, -3.0, 0.5, 2.0, -1.0])
    solved = minimize(
        lambda x: ((x - counts) ** 2).sum(),
        np.full(5, 0.7),
        bounds=[(0, None)] * 5,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 3.5},
    )
    assert np.abs(project_nonnegative(counts) - solved.x).max() < 1e-3


@pytest.mark.parametrize("planted", ["clip", "clip and scale", "spread the rest over all"])
def test_clipping_and_scaling_are_not_the_projection(planted: str) -> None:
    counts, total = np.array([10.0, 4.0, -6.0, 0.0]), 8.0
    clipped = np.maximum(counts, 0)
    other = {
        "clip": clipped,
        "clip and scale": clipped * total / clipped.sum(),
        "spread the rest over all": clipped + (total - clipped.sum()) / 4,
    }[planted]
    assert offences(counts, total, other) != []
    assert offences(counts, total, project_nonnegative(counts, total)) == []


@settings(derandomize=True, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(-20, 20)), min_size=1, max_size=10))
def test_clean_counts_are_never_farther_from_exact_counts_of_that_total(
    pairs: list[tuple[int, int]],
) -> None:
    exact = np.array([count for count, _ in pairs], dtype=float)
    noisy = exact + [noise for _, noise in pairs]
    assert ((project_nonnegative(noisy, exact.sum()) - exact) ** 2).sum() <= (
        (noisy - exact) ** 2
    ).sum() + 1e-6


def test_shapes_totals_and_nothing_at_all() -> None:
    assert project_nonnegative([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert project_nonnegative([-3, -4]).tolist() == [0, 0]
    assert project_nonnegative([2, 5], 0).tolist() == [0, 0]
    assert project_nonnegative([-100, 0], 10).tolist() == [0, 10]
    many = np.where(np.arange(100_000) % 3, -1, 2)
    assert project_nonnegative(many).sum() == pytest.approx(many.sum())


@pytest.mark.parametrize(
    ("counts", "total", "about"),
    [([], None, "counts"), ([np.nan], None, "counts"), ([1], -1, "total"), ([1], np.inf, "total")],
)
def test_empty_infinite_or_negative_input_is_refused(
    counts: list[float], total: float | None, about: str
) -> None:
    with pytest.raises(InvalidArgument, match=about):
        project_nonnegative(counts, total)
