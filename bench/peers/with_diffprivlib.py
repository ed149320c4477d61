"""diffprivlib: pure Python, a call a draw, floating point."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from diffprivlib.mechanisms import GaussianDiscrete, Geometric
from diffprivlib.tools import median as private_median

VERSION = version("diffprivlib")


def _mechanism(law, scale):
    if law == "laplace":
        return Geometric(epsilon=1 / scale, sensitivity=1)
    mechanism = GaussianDiscrete(epsilon=1, delta=1e-6, sensitivity=1)
    # it finds its own from epsilon and delta; the cost of a draw is what counts here
    mechanism._compute_scale = float(scale)
    return mechanism


def scalar(law, scale, calls):
    mechanism = _mechanism(law, scale)

    def work():
        for _ in range(calls):
            mechanism.randomise(42)

    return work


noise = scalar


def median(path, epsilon, lower, upper):
    values = np.load(path)
    return lambda: float(private_median(values, epsilon=epsilon, bounds=(lower, upper)))
