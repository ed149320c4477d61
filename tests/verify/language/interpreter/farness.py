"""How far draws are from their law, and when that is too far."""

from __future__ import annotations

import math
from collections.abc import Callable


def farthest(draws: list[float], law: Callable[[float], float]) -> float:
    """The largest distance between the distribution that was drawn and the one that should have
    been.
    """
    draws = sorted(draws)
    n = len(draws)
    return max(max(abs(law(x) - k / n), abs(law(x) - (k + 1) / n)) for k, x in enumerate(draws))


N = 800
# passed once in 10^9 runs, by the bound of Dvoretzky, Kiefer and Wolfowitz
ALARM = math.sqrt(math.log(2 / 1e-9) / (2 * N))
