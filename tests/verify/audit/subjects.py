"""Mechanisms to audit, honest and broken ones, each as ``mechanism(data, n)``. Seeded: only the
auditor's own coins differ between runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Subject = Callable[[Any, int], NDArray[Any]]


def discrete_laplace(epsilon: float, rng: np.random.Generator) -> Subject:
    """Integer answers; the loss between 0 and 1 is exactly epsilon, at every output below 1 and
    from 1 on.
    """
    p = -np.expm1(-epsilon)
    return lambda data, n: data + rng.geometric(p, n) - rng.geometric(p, n)


def gridded_laplace(epsilon: float, rng: np.random.Generator) -> Subject:
    """Real answers on a grid of 2^-20, the same one around 0 and around 1."""
    return lambda data, n: (np.rint(rng.laplace(0, 2**20 / epsilon, n)) + data * 2**20) / 2**20


def float_laplace(epsilon: float, rng: np.random.Generator) -> Subject:
    """The textbook recipe in floating point, whose low bits give the answer away."""
    return lambda data, n: rng.laplace(data, 1 / epsilon, n)


def gridded_gaussian(sigma: float, rng: np.random.Generator) -> Subject:
    return lambda data, n: (np.rint(rng.normal(0, sigma * 2**20, n)) + data * 2**20) / 2**20


def coin(epsilon: float, rng: np.random.Generator) -> Subject:
    """Randomised response on one bit: the loss is exactly epsilon at both outputs."""
    return lambda data, n: np.where(rng.random(n) < 1 / (1 + np.exp(-epsilon)), data, 1 - data)


def never_clears(rng: np.random.Generator) -> Subject:
    """A bit that is set stays set; only clear ones are randomised."""
    return lambda data, n: np.where(rng.random((n, len(data))) < 0.25, 1, np.asarray(data))
