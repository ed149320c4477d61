"""A budget as people read it: total, spent, left.

The numbers are exact. The text has twelve decimals, and six digits of a total that is less than a billionth (a small delta), rounded so
that it never promises too much: totals and what is left down, spending up, but not beyond a total that it is within. So what is written
adds up, and a line that is full looks full.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hedgerow.numeric.rounding import round_down, round_up
from hedgerow.privacy.conversion import epsilon_of
from hedgerow.privacy.loss import Bound, brief

__all__ = ["Account", "DualAccount", "decimals", "digits"]

_PLACES = 12
_SMALL = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True, repr=False)
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
        places = _places(self.total)
        total = round_down(self.total, 10**places)
        spent = self.spent if isinstance(self.spent, float) else round_up(self.spent, 10**places)
        spent = min(spent, total) if self.spent <= self.total else spent
        left = max(Fraction(0), total - spent)
        numbers = {"total": total, "spent": spent, "left": left}
        return {name: decimals(number, places=places) for name, number in numbers.items()} | _parts(self.parts)

    def __repr__(self) -> str:
        return ("total {total}, closed" if self.spent == math.inf else "total {total}, spent {spent}, left {left}").format(**self.to_dict())


@dataclass(frozen=True, slots=True, repr=False)
class DualAccount:
    """A budget with delta. A question goes through while epsilon *or* rho holds out, and delta (the share for thresholds) as well. Read at
    the delta ``at``, all of the rho is all of the epsilon."""

    epsilon: Account
    rho: Account
    delta: Account
    parts: Mapping[str, Mapping[str, Account | DualAccount]] = field(default_factory=dict, hash=False)
    at: Fraction | None = None

    @property
    def converted(self) -> Bound:
        """The epsilon that the rho which is spent comes to at the delta ``at``."""
        found = math.inf if self.at is None else epsilon_of(self.rho.spent, self.at)
        return min(found, self.epsilon.total) if self.rho.spent <= self.rho.total else found

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The nine numbers as decimal text, and those of the parts where there are any."""
        return {"epsilon": self.epsilon.to_dict(), "rho": self.rho.to_dict(), "delta": self.delta.to_dict()} | _parts(self.parts)

    def __repr__(self) -> str:
        why = converted = ""
        if self.epsilon.spent == math.inf:
            why = ": Gaussian noise has no pure epsilon, so rho counts"
            converted = "" if self.at is None else f"\n         (spent rho is epsilon {brief(self.converted)} at delta {brief(self.at)})"
        return f"epsilon: {self.epsilon}{why}\nrho:     {self.rho}{converted}\ndelta:   {self.delta}"


def _parts(tables: Mapping[str, Mapping[str, Account | DualAccount]]) -> dict[str, dict[str, Any]]:
    found = {table: {name: account.to_dict() for name, account in parts.items()} for table, parts in tables.items()}
    return {"parts": found} if found else {}


def _places(total: Fraction) -> int:
    """So many decimals, that six digits of it are among them."""
    return _PLACES if total >= _SMALL or total == 0 else len(str(int(1 / total))) + 6


def digits(value: Fraction, *, up: bool = False) -> str:
    """``value`` as ``decimals`` has it, with six digits at least where it is less than a billionth (a small delta)."""
    return decimals(value, up=up, places=_places(value))


def decimals(value: Fraction | float, *, up: bool = False, places: int = _PLACES) -> str:
    """``value`` with twelve decimals, or as 2.5e-14 where there are more, rounded up or down; "inf" for infinity."""
    if isinstance(value, float):
        return str(math.inf)
    steps = int((round_up if up else round_down)(value, 10**places) * 10**places)
    if places > _PLACES:
        return f"{Decimal(steps).scaleb(-places).normalize():e}" if steps else "0"
    whole, part = divmod(steps, 10**places)
    return f"{whole}.{part:0{places}d}"
