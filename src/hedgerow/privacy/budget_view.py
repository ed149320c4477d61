"""A budget as people read it: total, spent, left.

The numbers are exact. The text has twelve decimals, and six digits of a total that is less than a
billionth (a small delta), rounded so that it never promises too much: totals and what is left down,
spending up, but not beyond a total that it is within. So what is written adds up, and a line that
is full looks full.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hedgerow.numeric.rounding import round_down, round_up
from hedgerow.privacy.loss import Bound, format_bound
from hedgerow.privacy.zcdp_conversion import convert_rho_to_epsilon

__all__ = ["Balance", "DualBalance", "format_decimals", "format_digits"]

_DECIMALS = 12
_SMALL_TOTAL = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True, repr=False)
class Balance:
    """One line of a budget. ``spent`` may be infinite: then this line is closed and nothing is left
    of it.

    ``parts`` has, where tables are partitioned, table -> part -> the account of whoever is in that
    part: its ``left`` is what may still be asked of that part alone.
    """

    total: Fraction
    spent: Fraction | float
    parts: Mapping[str, Mapping[str, Balance | DualBalance]] = field(
        default_factory=dict, hash=False
    )

    @property
    def left(self) -> Fraction:
        """What remains, and 0 when the line is overdrawn or closed."""
        return (
            Fraction(0)
            if isinstance(self.spent, float)
            else max(Fraction(0), self.total - self.spent)
        )

    def to_dict(self) -> dict[str, Any]:
        """The three numbers as decimal text, and those of the parts where there are any."""
        places = _count_decimals(self.total)
        total = round_down(self.total, 10**places)
        spent = self.spent if isinstance(self.spent, float) else round_up(self.spent, 10**places)
        spent = min(spent, total) if self.spent <= self.total else spent
        left = max(Fraction(0), total - spent)
        numbers = {"total": total, "spent": spent, "left": left}
        return {
            name: format_decimals(number, places=places) for name, number in numbers.items()
        } | _list_part_balances(self.parts)

    def __repr__(self) -> str:
        return (
            "total {total}, closed"
            if self.spent == math.inf
            else "total {total}, spent {spent}, left {left}"
        ).format(**self.to_dict())


@dataclass(frozen=True, slots=True, repr=False)
class DualBalance:
    """A budget with delta. A question goes through while epsilon *or* rho holds out, and delta (the
    share for thresholds) as well. Read at the delta ``at``, all of the rho is all of the epsilon.
    """

    epsilon: Balance
    rho: Balance
    delta: Balance
    parts: Mapping[str, Mapping[str, Balance | DualBalance]] = field(
        default_factory=dict, hash=False
    )
    conversion_delta: Fraction | None = None

    @property
    def converted_epsilon(self) -> Bound:
        """The epsilon that the rho which is spent comes to at the delta ``at``."""
        found = (
            math.inf
            if self.conversion_delta is None
            else convert_rho_to_epsilon(self.rho.spent, self.conversion_delta)
        )
        return min(found, self.epsilon.total) if self.rho.spent <= self.rho.total else found

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The nine numbers as decimal text, and those of the parts where there are any."""
        return {
            "epsilon": self.epsilon.to_dict(),
            "rho": self.rho.to_dict(),
            "delta": self.delta.to_dict(),
        } | _list_part_balances(self.parts)

    def __repr__(self) -> str:
        why = converted = ""
        if self.epsilon.spent == math.inf:
            why = ": Gaussian noise has no pure epsilon, so rho counts"
            converted = (
                ""
                if self.conversion_delta is None
                else (
                    f"\n         (spent rho is epsilon {format_bound(self.converted_epsilon)} at"
                    f" delta {format_bound(self.conversion_delta)})"
                )
            )
        return (
            f"epsilon: {self.epsilon}{why}\nrho:     {self.rho}{converted}\ndelta:   {self.delta}"
        )


def _list_part_balances(
    tables: Mapping[str, Mapping[str, Balance | DualBalance]],
) -> dict[str, dict[str, Any]]:
    found = {
        table: {name: account.to_dict() for name, account in parts.items()}
        for table, parts in tables.items()
    }
    return {"parts": found} if found else {}


def _count_decimals(total: Fraction) -> int:
    """So many decimals, that six digits of it are among them."""
    return _DECIMALS if total >= _SMALL_TOTAL or total == 0 else len(str(int(1 / total))) + 6


def format_digits(value: Fraction, *, up: bool = False) -> str:
    """``value`` as ``format_decimals`` has it, with six digits at least where it is less than a
    billionth (a small delta).
    """
    return format_decimals(value, up=up, places=_count_decimals(value))


def format_decimals(value: Fraction | float, *, up: bool = False, places: int = _DECIMALS) -> str:
    """``value`` with twelve decimals, or as 2.5e-14 where there are more, rounded up or down;
    "inf" for infinity.
    """
    if isinstance(value, float):
        return str(math.inf)
    steps = int((round_up if up else round_down)(value, 10**places) * 10**places)
    if places > _DECIMALS:
        return f"{Decimal(steps).scaleb(-places).normalize():e}" if steps else "0"
    whole, part = divmod(steps, 10**places)
    return f"{whole}.{part:0{places}d}"
