"""Verdicts about programs.

PROVED: a certificate was checked without search, and the refuter found no counterexample. REFUTED:
a counterexample was measured exactly. UNKNOWN: neither; the bounds say how much is known. Results
of tests and audits are never called by these names.
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
    """The use that a proof makes of the noise of one line: it is shifted by ``shift`` in the second
    run, at ``unit_cost`` for each unit, or becomes ``shift``. Coins that are compared by their
    distributions cost ``unit_cost`` when ``shift`` holds.

    ``x<1>`` and ``x<2>`` are x in the first and in the second run.
    """

    line: int
    noise: str
    shift: str
    unit_cost: str = ""

    def __str__(self) -> str:
        return (
            f"line {self.line}: {_PHRASES.get(self.noise, f'{self.noise} noise is shifted by')}"
            f" {self.shift}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the cost for JSON."""
        return {
            "line": self.line,
            "noise": self.noise,
            "shift": self.shift,
            "unit_cost": self.unit_cost or None,
        }

    @property
    def with_unit_cost(self) -> str:
        """The text with its cost, if it has one."""
        if not self.unit_cost:
            return str(self)
        return f"{self}; {self.unit_cost} {'each time' if self.noise in _PHRASES else 'per unit'}"


# A coin is flipped, a bit string replaced, and coins that are compared by their distributions are
# only counted; all other noise is a number that is shifted.
_PHRASES: Final = {
    "bits": "bits noise becomes",
    "bernoulli": "bernoulli noise is flipped when",
    "coins": "the coins from here on have other probabilities if",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on one program. Bounds are in units of ``unit``: the claim's eps, the claim itself,
    or plain numbers; ``claim`` is the claim as text.

    The true epsilon is at least ``epsilon_lower`` and at most ``epsilon_upper``. A bound is None if
    it is unknown or no multiple of eps, as in size*eps. ``line`` is 0 if no line is to blame.
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
                "certificate", "must be given for PROVED and for no other verdict", self.verdict
            )
        if self.verdict is VerdictKind.REFUTED and self.witness is None:
            raise InvalidArgument("witness", "must be given for REFUTED")

    def __bool__(self) -> bool:
        return self.verdict is VerdictKind.PROVED

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict for JSON. An infinite lower bound is written as the largest float,
        which is a valid lower bound too.
        """
        lower = self.epsilon_lower
        return {
            "name": self.name,
            "verdict": self.verdict.value,
            "claim": self.claim or None,
            "reason": self.reason or None,
            "costs": [one.to_dict() for one in self.costs],
            "unit": self.unit or None,
            "epsilon_lower": sys.float_info.max if lower == math.inf else lower,
            "epsilon_upper": self.epsilon_upper,
            "line": self.line or None,
            "witness": self.witness.as_dict() if self.witness is not None else None,
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line else ""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.verdict.value} {self.name}{where}{reason}"
