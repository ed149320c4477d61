"""The fit is the maximum of the penalised likelihood, and wild values do not upset it."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from hedgerow.verify.audit.logistic import Logistic


def test_gradient_vanishes_at_the_fit() -> None:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(500, 3))
    labels = (rng.random(500) < expit(features @ np.array([1.0, -2.0, 0.0]))).astype(float)
    model = Logistic.fit(features, labels, ridge=2.0)
    standard = np.clip((features - model.centre) / model.spread, -model.cut, model.cut)
    residual = labels - expit(model.log_odds(features))
    assert np.abs(standard.T @ residual - 2.0 * model.weights).max() < 1e-3
    assert abs(residual.sum()) < 1e-3


def test_direction_is_found() -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat([0.0, 1.0], 2_000)
    features = np.column_stack([rng.normal(size=4_000), rng.normal(size=4_000) + labels])
    model = Logistic.fit(features, labels)
    assert abs(model.weights[0]) < 0.2 < 0.8 < model.weights[1]
    assert model.log_odds(np.array([[0.0, 3.0]])) > 0 > model.log_odds(np.array([[0.0, -3.0]]))


def test_separable_classes_give_finite_weights() -> None:
    labels = np.repeat([0.0, 1.0], 50)
    model = Logistic.fit(labels[:, None] * 10, labels)
    assert np.isfinite(model.weights).all()
    assert model.weights[0] > 0


def test_flat_infinite_and_huge_columns() -> None:
    labels = np.repeat([0.0, 1.0], 50)
    features = np.column_stack(
        [np.full(100, 7.0), np.full(100, -math.inf), np.where(labels > 0, 1e308, -1e308), labels]
    )
    features[3, 3] = math.inf
    model = Logistic.fit(features, labels)
    assert np.isfinite(model.log_odds(features)).all()
    assert (
        model.log_odds(features)[labels > 0].min() > model.log_odds(features)[labels == 0].max() - 6
    )
