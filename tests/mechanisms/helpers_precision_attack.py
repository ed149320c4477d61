"""The precision attack on real-valued releases: low bits of a double may distinguish x = 0 from x =
1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.verify.audit.confidence import certify_epsilon
from hedgerow.verify.laws.sampling import EXPONENTS, count_multiples

ALARM = 1e-9


def precision(mechanism: Any, releases: int, delta: float = 0.0) -> float:
    """Return the largest certain log-ratio (up to 10^-9) of the events "y is a multiple of 2^k".

    The complements count too; k = -60 … 60.
    """
    zero, one = (count_multiples(mechanism.sample(np.full(releases, x))) for x in (0.0, 1.0))
    found = -np.inf
    for a, b in (
        (zero, one),
        (one, zero),
        (releases - zero, releases - one),
        (releases - one, releases - zero),
    ):
        bounds = certify_epsilon(
            (a, releases), (b, releases), ALARM / len(EXPONENTS) / 4, delta, 0.5
        )
        found = max(found, float(bounds.max()))
    return found
