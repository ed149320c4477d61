"""Weighted least squares for shares that are at least 0, at most their caps, and sum to at most 1.

The solver uses accelerated projected gradients on the normal equations, and restarts whenever a
step goes uphill. Each step ends with the exact projection onto the constraints, so the answer
satisfies them exactly after any number of steps.
"""

from __future__ import annotations

import numpy as np

from hedgerow.numeric.vectorised import Floats

__all__ = ["project_to_capped_simplex", "solve_least_squares"]

_MAX_STEPS = 5000
_TOLERANCE = 1e-9


def project_to_capped_simplex(point: Floats, caps: Floats, total: float = 1.0) -> Floats:
    """Return the nearest point with 0 <= x <= caps and a sum of at most ``total``: subtract one
    number everywhere and clip.
    """
    inside = np.clip(point, 0.0, caps)
    if inside.sum() <= total:
        return inside
    low, high = 0.0, float(point.max())
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if np.clip(point - middle, 0.0, caps).sum() > total else (low, middle)
        )
    return np.clip(point - high, 0.0, caps)


def solve_least_squares(gram: Floats, target: Floats, caps: Floats) -> Floats:
    """Minimise x'Gx/2 - t'x under the constraints, with G = ``gram`` and t = ``target``."""
    if not target.size:
        return np.zeros(0)
    step = 1 / max(float(np.linalg.eigvalsh(gram)[-1]), 1e-300)
    here = ahead = project_to_capped_simplex(np.zeros(target.size), caps)
    speed = 1.0
    for _ in range(_MAX_STEPS):
        after = project_to_capped_simplex(ahead - step * (gram @ ahead - target), caps)
        moved = after - here
        if (ahead - after) @ moved > 0:  # uphill: restart
            speed = 1.0
        faster = (1 + np.sqrt(1 + 4 * speed * speed)) / 2
        ahead = after + (speed - 1) / faster * moved
        here, speed = after, faster
        if np.abs(moved).max() < _TOLERANCE * max(float(here.max()), 1e-6):
            break
    return here
