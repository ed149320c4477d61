from __future__ import annotations

import numpy as np
import pytest

from hedgerow.local.decode.rappor.constrained_least_squares import (
    project_to_capped_simplex,
    solve_least_squares,
)


@pytest.mark.parametrize("seed", range(8))
def test_meets_the_conditions_of_an_optimum(seed: int) -> None:
    """Karush, Kuhn and Tucker: where a share can move both ways the slope is one number, that of
    the total; at 0 more, at a cap less.
    """
    rng = np.random.default_rng(seed)
    design = rng.normal(size=(40, 6)) + 0.5
    target = design @ np.array([0.6, 0.5, -0.2, 0.0, 0.1, 0.3]) * (
        0.5 if seed % 2 else 1.0
    ) + 0.05 * rng.normal(size=40)
    caps = np.array([0.4, 1.0, 1.0, 1.0, 1.0, 0.2])
    gram, pull = design.T @ design, design.T @ target
    found = solve_least_squares(gram, pull, caps)
    assert (found >= 0).all()
    assert (found <= caps).all()
    assert found.sum() <= 1 + 1e-12
    slope = pull - gram @ found  # what the loss gains from a little more of each
    free = (found > 1e-9) & (found < caps - 1e-9)
    price = float(slope[free].mean())
    np.testing.assert_allclose(slope[free], price, atol=1e-6)
    assert (slope[found <= 1e-9] <= price + 1e-6).all()
    assert (slope[found >= caps - 1e-9] >= price - 1e-6).all()
    assert price > 1e-3 if found.sum() > 1 - 1e-9 else abs(price) < 1e-6


def test_projection() -> None:
    caps = np.array([0.5, 1.0, 1.0])
    np.testing.assert_allclose(
        project_to_capped_simplex(np.array([0.2, -0.3, 0.1]), caps), [0.2, 0.0, 0.1]
    )
    np.testing.assert_allclose(
        project_to_capped_simplex(np.array([2.0, 0.7, 0.1]), caps), [0.5, 0.5, 0.0], atol=1e-12
    )


def test_nothing_to_fit() -> None:
    assert solve_least_squares(np.zeros((0, 0)), np.zeros(0), np.zeros(0)).size == 0
