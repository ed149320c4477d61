"""What a user writes who has strict types: numbers as they are, no fractions. mypy reads this
file with the sources.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np

import hedgerow as hr
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
    SparseVector,
    StabilityHistogram,
    Stable,
)


def budgets() -> list[hr.Budget]:
    return [
        hr.Budget(epsilon=1),
        hr.Budget(0.5, delta=1e-9),
        hr.Budget(Decimal("0.5"), Fraction(1, 10**9), conversion=0.25),
    ]


def losses() -> list[hr.Loss]:
    one = hr.Loss(0.5, 1e-9)
    return [
        one,
        hr.Loss(1),
        hr.Loss(np.float64(0.5), rho=0.01),
        3 * one + hr.Loss(0.1, delta=Decimal("1e-12")),
    ]


def sensitivities() -> list[hr.Sensitivity]:
    return [
        hr.Sensitivity(2, 1, 2, 2),
        hr.Sensitivity(1, 0.5, 0.5, 0.25),
        hr.Sensitivity.of(1),
        hr.Sensitivity.each(3, 0.5),
    ]


def mechanisms() -> list[object]:
    return [
        Laplace(scale=362),
        Laplace(0.5, grid=2**-10),
        Gaussian(scale=np.int64(3)),
        Exponential(0.5, monotone=True),
        PermuteAndFlip(1),
        NoisyMax(0.25, grid=0.5),
        Extreme("max", 3, 0.5),
        InverseSensitivity(0.5),
        ProposeTestRelease(5, Laplace(2), 1.5, 10),
        Quantiles([0.25, 0.5], "add-remove", 0.1),
        RandomizedResponse(0.75, values=4),
        SparseVector(2, 4.5, cutoff=3),
        StabilityHistogram(2, 20, "change-one"),
        Stable(2.5, 20),
    ]
