from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from hedgerow.local.constrained import least_squares, project


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_a_general_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    design = rng.normal(size=(40, 6)) + 0.5
    target = design @ np.array([0.6, 0.5, -0.2, 0.0, 0.1, 0.3]) + 0.05 * rng.normal(size=40)
    caps = np.array([0.4, 1.0, 1.0, 1.0, 1.0, 0.2])
    gram, pull = design.T @ design, design.T @ target

    def loss(x: np.ndarray) -> float:
        return float(x @ gram @ x / 2 - pull @ x)

    found = least_squares(gram, pull, caps)
    assert (found >= 0).all()
    assert (found <= caps).all()
    assert found.sum() <= 1 + 1e-12
    other = minimize(
        loss,
        np.full(6, 0.1),
        jac=lambda x: gram @ x - pull,
        bounds=[(0, cap) for cap in caps],
        constraints={"type": "ineq", "fun": lambda x: 1 - x.sum()},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert loss(found) <= other.fun + 1e-8
    np.testing.assert_allclose(found, other.x, atol=1e-4)


def test_projection() -> None:
    caps = np.array([0.5, 1.0, 1.0])
    np.testing.assert_allclose(project(np.array([0.2, -0.3, 0.1]), caps), [0.2, 0.0, 0.1])
    np.testing.assert_allclose(project(np.array([2.0, 0.7, 0.1]), caps), [0.5, 0.5, 0.0], atol=1e-12)


def test_nothing_to_fit() -> None:
    assert least_squares(np.zeros((0, 0)), np.zeros(0), np.zeros(0)).size == 0
