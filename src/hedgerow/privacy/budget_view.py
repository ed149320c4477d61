"""A budget as people read it: total, spent, left.

The numbers are exact. The text has up to twelve decimals, all of them in JSON, or six digits for a
total below a billionth (a small delta). It never promises too much: totals and remainders are
rounded down, spending is rounded up, but not beyond a total that it is within. So the written
numbers add up, and an exhausted line looks exhausted.
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
    """One line of a budget. An infinite ``spent`` closes the line: nothing is left of it.

    ``parts``, where tables are partitioned, maps table -> part -> the balance of a unit in that
    part: its ``left`` is what may still be asked of that part alone.
    """

    total: Fraction
    spent: Fraction | float
    parts: Mapping[str, Mapping[str, Balance | DualBalance]] = field(
        default_factory=dict, hash=False
    )

    @property
    def left(self) -> Fraction:
        """The remainder, or 0 if the line is overdrawn or closed."""
        spent = self.total if isinstance(self.spent, float) else self.spent
        return max(Fraction(0), self.total - spent)

    def format_numbers(self, *, padded: bool = False) -> dict[str, str]:
        """Format total, spent and left as decimal text, ``padded`` to all decimals for JSON."""
        places = _count_decimals(self.total)
        total = round_down(self.total, 10**places)
        spent = self.spent if isinstance(self.spent, float) else round_up(self.spent, 10**places)
        spent = min(spent, total) if self.spent <= self.total else spent
        left = max(Fraction(0), total - spent)
        numbers = {"total": total, "spent": spent, "left": left}
        return {
            name: format_decimals(number, places=places, padded=padded)
            for name, number in numbers.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the three numbers as decimal text, with those of the parts if there are any."""
        return self.format_numbers(padded=True) | _list_part_balances(self.parts)

    def __repr__(self) -> str:
        open_or_closed = "closed" if self.spent == math.inf else "spent {spent}, left {left}"
        return f"total {{total}}, {open_or_closed}".format(**self.format_numbers())


@dataclass(frozen=True, slots=True, repr=False)
class DualBalance:
    """A budget with delta. A question is covered while epsilon *or* rho suffices, and delta as
    well.

    The delta line is the share for thresholds. Converted at ``conversion_delta``, the whole rho
    amounts to the whole epsilon.
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
        """The epsilon that the spent rho amounts to at ``conversion_delta``."""
        delta = self.conversion_delta
        epsilon = math.inf if delta is None else convert_rho_to_epsilon(self.rho.spent, delta)
        return min(epsilon, self.epsilon.total) if self.rho.spent <= self.rho.total else epsilon

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the nine numbers as decimal text, with those of the parts if there are any."""
        return {
            "epsilon": self.epsilon.to_dict(),
            "rho": self.rho.to_dict(),
            "delta": self.delta.to_dict(),
        } | _list_part_balances(self.parts)

    def __repr__(self) -> str:
        why = converted = ""
        if self.epsilon.spent == math.inf:
            why = ": Gaussian noise has no pure epsilon, so rho counts"
            if self.conversion_delta is not None:
                epsilon, delta = map(format_bound, (self.converted_epsilon, self.conversion_delta))
                converted = f"\n         (spent rho is epsilon {epsilon} at delta {delta})"
        return (
            f"epsilon: {self.epsilon}{why}\nrho:     {self.rho}{converted}\ndelta:   {self.delta}"
        )


def _list_part_balances(
    tables: Mapping[str, Mapping[str, Balance | DualBalance]],
) -> dict[str, dict[str, Any]]:
    balances = {
        table: {name: balance.to_dict() for name, balance in parts.items()}
        for table, parts in tables.items()
    }
    return {"parts": balances} if balances else {}


def _count_decimals(total: Fraction) -> int:
    """Return the number of decimals that shows at least six digits of ``total``."""
    return _DECIMALS if total >= _SMALL_TOTAL or total == 0 else len(str(int(1 / total))) + 6


def format_digits(value: Fraction, *, up: bool = False) -> str:
    """Format ``value`` like ``format_decimals``, with at least six digits below a billionth."""
    return format_decimals(value, up=up, places=_count_decimals(value))


def format_decimals(
    value: Fraction | float, *, up: bool = False, places: int = _DECIMALS, padded: bool = False
) -> str:
    """Format ``value`` with up to twelve decimals, ``padded`` with all of them, or like 2.5e-14 if
    it needs more, or as "inf"."""
    if isinstance(value, float):
        return str(math.inf)
    steps = int((round_up if up else round_down)(value, 10**places) * 10**places)
    if places > _DECIMALS:
        return f"{Decimal(steps).scaleb(-places).normalize():e}" if steps else "0"
    whole, part = divmod(steps, 10**places)
    text = f"{whole}.{part:0{places}d}"
    return text if padded else text.rstrip("0").rstrip(".")
