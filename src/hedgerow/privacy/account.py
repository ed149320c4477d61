"""A budget as people read it: total, spent, left.

The numbers are exact. The text has twelve decimals, rounded so that it never promises too much: totals and what is left
down, spending up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hedgerow.numeric.rounding import round_down, round_up

__all__ = ["Account", "DualAccount", "decimals"]

_PLACES = 12


@dataclass(frozen=True, slots=True)
class Account:
    """One line of a budget. ``spent`` may be infinite: then this line is closed and nothing is left of it.

    ``parts`` has, where tables are partitioned, table -> part -> the account of whoever is in that part: its ``left`` is what may still be
    asked of that part alone.
    """

    total: Fraction
    spent: Fraction | float
    parts: Mapping[str, Mapping[str, Account | DualAccount]] = field(default_factory=dict, hash=False)

    @property
    def left(self) -> Fraction:
        """What remains, and 0 when the line is overdrawn or closed."""
        return Fraction(0) if isinstance(self.spent, float) else max(Fraction(0), self.total - self.spent)

    def to_dict(self) -> dict[str, Any]:
        """The three numbers as decimal text, and those of the parts where there are any."""
        line = {"total": decimals(self.total), "spent": decimals(self.spent, up=True), "left": decimals(self.left)}
        return line | _parts(self.parts)

    def __str__(self) -> str:
        return "total {total}, spent {spent}, left {left}".format(**self.to_dict())


@dataclass(frozen=True, slots=True)
class DualAccount:
    """A budget with delta. A question goes through while epsilon *or* rho holds out, and delta (the share for thresholds) as well."""

    epsilon: Account
    rho: Account
    delta: Account
    parts: Mapping[str, Mapping[str, Account | DualAccount]] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The nine numbers as decimal text, and those of the parts where there are any."""
        return {"epsilon": self.epsilon.to_dict(), "rho": self.rho.to_dict(), "delta": self.delta.to_dict()} | _parts(self.parts)

    def __str__(self) -> str:
        return f"epsilon: {self.epsilon}\nrho:     {self.rho}\ndelta:   {self.delta}"


def _parts(tables: Mapping[str, Mapping[str, Account | DualAccount]]) -> dict[str, dict[str, Any]]:
    found = {table: {name: account.to_dict() for name, account in parts.items()} for table, parts in tables.items()}
    return {"parts": found} if found else {}


def decimals(value: Fraction | float, *, up: bool = False) -> str:
    """``value`` with twelve decimals, rounded up or down; "inf" for infinity."""
    if isinstance(value, float):
        return str(math.inf)
    grid = 10**_PLACES
    whole, part = divmod(int((round_up if up else round_down)(value, grid) * grid), grid)
    return f"{whole}.{part:0{_PLACES}d}"
