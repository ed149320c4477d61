"""A budget as people read it: total, spent, left.

The numbers are exact. The text has twelve decimals, rounded so that it never promises too much: totals and what is left
down, spending up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.numeric.rounding import round_down, round_up

__all__ = ["Account", "DualAccount", "decimals"]

_PLACES = 12


@dataclass(frozen=True, slots=True)
class Account:
    """One line of a budget. ``spent`` may be infinite: then this line is closed and nothing is left of it."""

    total: Fraction
    spent: Fraction | float

    @property
    def left(self) -> Fraction:
        """What remains, and 0 when the line is overdrawn or closed."""
        return Fraction(0) if isinstance(self.spent, float) else max(Fraction(0), self.total - self.spent)

    def to_dict(self) -> dict[str, str]:
        """The three numbers as decimal text."""
        return {"total": decimals(self.total), "spent": decimals(self.spent, up=True), "left": decimals(self.left)}

    def __str__(self) -> str:
        return "total {total}, spent {spent}, left {left}".format(**self.to_dict())


@dataclass(frozen=True, slots=True)
class DualAccount:
    """A budget with delta. A question goes through while epsilon *or* rho holds out, and delta (the share for thresholds) as well."""

    epsilon: Account
    rho: Account
    delta: Account

    def to_dict(self) -> dict[str, dict[str, str]]:
        """The nine numbers as decimal text."""
        return {"epsilon": self.epsilon.to_dict(), "rho": self.rho.to_dict(), "delta": self.delta.to_dict()}

    def __str__(self) -> str:
        return f"epsilon: {self.epsilon}\nrho:     {self.rho}\ndelta:   {self.delta}"


def decimals(value: Fraction | float, *, up: bool = False) -> str:
    """``value`` with twelve decimals, rounded up or down; "inf" for infinity."""
    if isinstance(value, float):
        return str(math.inf)
    grid = 10**_PLACES
    whole, part = divmod(int((round_up if up else round_down)(value, grid) * grid), grid)
    return f"{whole}.{part:0{_PLACES}d}"
