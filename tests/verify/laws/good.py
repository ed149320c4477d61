"""Every mechanism we ship, in several calibrations, with the move it hides."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hedgerow.mechanisms import (
    Exponential,
    Extreme,
    Gaussian,
    InverseSensitivity,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    ProposeTestRelease,
    Quantiles,
    RandomizedResponse,
    SmoothSensitivity,
    SparseVector,
    StabilityHistogram,
    Stable,
)
from hedgerow.privacy.sensitivity import Sensitivity

HALF = Fraction(1, 2)
STACKED = Sensitivity(3, 2, 5, 9)

GOOD: list[tuple[Any, Any]] = [
    (Laplace.calibrate(sensitivity=1, epsilon=1), 1),
    (Laplace.calibrate(sensitivity=1, epsilon=0.1), 1),
    (Laplace.calibrate(sensitivity=1, epsilon=4), 1),
    (Laplace.calibrate(sensitivity=Sensitivity.each(3, 2), epsilon=0.5), Sensitivity.each(3, 2)),
    (Laplace.calibrate(sensitivity=STACKED, rho=0.2), STACKED),
    (Laplace.calibrate(sensitivity=0.3, epsilon=1, grid=2**-10), 0.3),
    (Laplace.calibrate(sensitivity=STACKED, epsilon=1, grid=2**-10), STACKED),
    (Laplace.calibrate(sensitivity=0.3, epsilon=1), 0.3),
    (Laplace.calibrate(sensitivity=3, epsilon=1, grid=4), 3),
    (Gaussian.calibrate(sensitivity=1, epsilon=1, delta=1e-6), 1),
    (Gaussian.calibrate(sensitivity=1, epsilon=4, delta=1e-6), 1),
    (Gaussian.calibrate(sensitivity=Sensitivity.each(3, 2), rho=0.1), Sensitivity.each(3, 2)),
    (
        Gaussian.calibrate(sensitivity=Sensitivity.each(2, 1), epsilon=1, delta=1e-6),
        Sensitivity.each(2, 1),
    ),
    (Gaussian.calibrate(sensitivity=0.3, rho=0.5, grid=2**-10), 0.3),
    (Gaussian.classical(sensitivity=1, epsilon=1, delta=1e-6), 1),
    (Exponential.calibrate(sensitivity=1, epsilon=1), 1),
    (Exponential.calibrate(sensitivity=2, rho=0.5, monotone=True), 2),
    (PermuteAndFlip.calibrate(sensitivity=1, epsilon=1), 1),
    (PermuteAndFlip.calibrate(sensitivity=0.1, epsilon=3, monotone=True), 0.1),
    (NoisyMax.calibrate(sensitivity=1, epsilon=1), 1),
    (NoisyMax.calibrate(sensitivity=1, epsilon=3, monotone=True), 1),
    (RandomizedResponse(HALF), 1),
    (RandomizedResponse.calibrate(epsilon=1, values=10), Sensitivity.each(2, 1)),
    (RandomizedResponse.calibrate(epsilon=0.5, values=100), 1),
    (Quantiles.calibrate(at=HALF, neighbours="add-remove", epsilon=1), 1),
    (Quantiles.calibrate(at=Fraction(1, 5), neighbours="change-one", rho=0.5, rows=2), 2),
    (Quantiles.calibrate(at=[0.25, 0.75], neighbours="add-remove", epsilon=2), 1),
    (Extreme.calibrate(side="max", width=40, epsilon=2), 1),
    (Extreme.calibrate(side="min", width=3, rho=0.125), 1),
    (InverseSensitivity.calibrate(epsilon=1), 1),
    (SmoothSensitivity.calibrate(epsilon=1, bound=12), 1),
    (SmoothSensitivity.calibrate(epsilon=1, bound=1.5, gamma=3, dimension=2), 1),
    (SmoothSensitivity.calibrate(epsilon=1, delta=1e-3, bound=12, noise="laplace"), 1),
    (SmoothSensitivity.calibrate(epsilon=1, delta=1e-3, bound=12, noise="gaussian", grid=0.25), 2),
    (ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=1e-3), 1),
    (ProposeTestRelease.calibrate(bound=0.3, epsilon=2, delta=1e-6, group=2), 2),
    (Stable.calibrate(epsilon=1, delta=1e-3), 1),
    (Stable.calibrate(epsilon=0.5, delta=1e-6, group=3), 3),
    (StabilityHistogram.calibrate(epsilon=1, delta=1e-3, neighbours="add-remove"), 1),
    (
        StabilityHistogram.calibrate(
            epsilon=1, delta=1e-3, neighbours="change-one", max_keys=2, per_key=3
        ),
        1,
    ),
    (StabilityHistogram.calibrate(epsilon=2, delta=1e-3, neighbours="add-remove", group=2), 2),
    (StabilityHistogram.calibrate(epsilon=0.2, delta=1e-3, neighbours="add-remove", group=3), 3),
    (StabilityHistogram(Fraction(3), 30, "add-remove"), 1),
    (SparseVector.calibrate(sensitivity=1, epsilon=1), 1),
    (SparseVector.calibrate(sensitivity=2, epsilon=1, cutoff=3), 2),
    (SparseVector.calibrate(sensitivity=1, epsilon=1, cutoff=2, monotone=True), 1),
]
