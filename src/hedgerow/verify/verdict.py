"""What is known of a program after it was examined.

PROVED: there is a certificate, checked without search, and the refuter found nothing against it.
REFUTED: there is a witness, measured exactly. UNKNOWN: neither; the bounds say how much is known.
What was tested or audited is none of these, and never called so.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from hedgerow.errors import InvalidArgument

__all__ = ["NoiseCost", "Verdict", "VerdictKind"]


class VerdictKind(StrEnum):
    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class NoiseCost:
    """What a proof does with the noise of one line: it is moved in the second run, at ``price`` for
    each unit, or becomes ``move``. Coins that are compared by their law cost ``price`` when
    ``move`` holds.

    ``x<1>`` and ``x<2>`` are x in the first and in the second run.
    """

    line: int
    noise: str
    shift: str
    unit_cost: str = ""

    def __str__(self) -> str:
        return (
            f"line {self.line}: {_PHRASES.get(self.noise, f'{self.noise} noise is moved by')}"
            f" {self.shift}"
        )

    @property
    def with_unit_cost(self) -> str:
        """The same with its price, where it has one."""
        if not self.unit_cost:
            return str(self)
        return (
            f"{self}; {self.unit_cost} each time"
            if self.noise in _PHRASES
            else f"{self}; {self.unit_cost} for each unit"
        )


# A coin is turned, a bit string replaced, and coins in a proof by laws only counted; every other
# noise is a number that is moved.
_PHRASES: Final = {
    "bits": "bits noise becomes",
    "bernoulli": "bernoulli noise is turned when",
    "coins": "what the coins from here on say has other chances if",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Bounds are in units of ``unit``: the claim's eps, or the claim itself, or plain numbers where
    it is one; ``claim`` is that in words.

    The true epsilon is at least ``epsilon_lower`` and at most ``epsilon_upper``; None where nothing
    is known, or where it is no multiple of eps, as in size*eps. ``line`` is 0 where no line is to
    blame.
    """

    name: str
    verdict: VerdictKind
    claim: str = ""
    epsilon_lower: float | None = None
    epsilon_upper: float | None = None
    line: int = 0
    reason: str = ""
    witness: Any = None
    certificate: Any = None
    seconds: float = 0.0
    costs: tuple[NoiseCost, ...] = field(default=())
    unit: str = ""

    def __post_init__(self) -> None:
        if (self.verdict is VerdictKind.PROVED) != (self.certificate is not None):
            raise InvalidArgument(
                "certificate", "stands in a verdict of PROVED, and in no other", self.verdict
            )
        if self.verdict is VerdictKind.REFUTED and self.witness is None:
            raise InvalidArgument("witness", "must stand in a verdict of REFUTED")

    def __bool__(self) -> bool:
        return self.verdict is VerdictKind.PROVED

    def to_dict(self) -> dict[str, Any]:
        """For JSON. An epsilon that no number bounds is told as the largest float: that, too, it
        is at least.
        """
        lower = self.epsilon_lower
        return {
            "name": self.name,
            "verdict": self.verdict.value,
            "epsilon_lower": sys.float_info.max if lower == math.inf else lower,
            "epsilon_upper": self.epsilon_upper,
            "line": self.line or None,
            "witness": self.witness.as_dict() if self.witness is not None else None,
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line else ""
        told = f": {self.reason}" if self.reason else ""
        return f"{self.verdict.value} {self.name}{where}{told}"
