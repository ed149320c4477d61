"""What every law is given, what it says, and what it raises."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.interface import (
    AdditiveMechanism,
    PointMechanism,
    ReleaseTest,
    ResponseMechanism,
    SelectionMechanism,
    SmoothMechanism,
    ThresholdedHistogram,
    ThresholdRun,
)
from hedgerow.numeric.exact_number import Number, parse_delta, parse_epsilon
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.audit.confidence import parse_whole

__all__ = ["FALSE_ALARM_RATE", "LawBroken", "LawCase", "LawFinding", "make_case"]

FALSE_ALARM_RATE = 1e-9
"""How often a law that looks at random draws accuses a good mechanism, at most."""

_MIN_DRAWS = 10_000
_MAX_CATEGORIES = 1 << 20
_MAX_THRESHOLD_SCALE = 10_000
_SHAPES: dict[str, tuple[Any, ...]] = {
    "additive": (AdditiveMechanism,),
    "selection": (SelectionMechanism,),
    "response": (ResponseMechanism,),
    "point": (PointMechanism,),
    "smooth": (SmoothMechanism,),
    "tested": (ReleaseTest, ThresholdedHistogram, ThresholdRun),
}


class LawBroken(AssertionError):
    """A mechanism does not keep a law: which, what was expected, and what was found."""

    def __init__(self, law: str, expected: str, found: str) -> None:
        self.law, self.expected, self.found = law, expected, found
        super().__init__(f"{law}: expected {expected}; found {found}.")


class LawFinding(NamedTuple):
    """A law that was kept, and the figures."""

    law: str
    figures: str

    def __str__(self) -> str:
        return f"{self.law:<30} {self.figures}"


@dataclass(frozen=True, slots=True, eq=False)
class LawCase:
    """A mechanism, the move it is asked to hide, and how many draws to look at. ``claim`` is an
    (epsilon, delta) to be held to.
    """

    mechanism: Any
    sensitivity: Sensitivity
    draws: int
    claim: tuple[Fraction, Fraction] | None

    @property
    def shape(self) -> str:
        """ "additive", "selection", "response", "point", "smooth" or "tested"."""
        return str(self.mechanism.shape)

    @property
    def counts_units(self) -> bool:
        """Whether the mechanism sees the data themselves, so that a move is a number of rows or
        units.
        """
        return self.shape in ("point", "smooth") or isinstance(
            self.mechanism, (ReleaseTest, ThresholdedHistogram)
        )

    @property
    def uses_neighbour_set(self) -> bool:
        """Whether it is looked at in a small world of data sets (``worlds``)."""
        return self.counts_units or self.shape == "tested"

    @property
    def units(self) -> int:
        """How many rows or units move."""
        return int(self.sensitivity.linf)

    @property
    def loss(self) -> Loss:
        """What the mechanism says the move costs."""
        return self.cost(self.sensitivity)

    def cost(self, move: Sensitivity) -> Loss:
        """What the mechanism says another move costs."""
        loss: Loss = self.mechanism.loss(int(move.linf) if self.counts_units else move)
        return loss


def make_case(
    mechanism: Any,
    sensitivity: Number | Sensitivity,
    draws: int,
    claim: tuple[Number, Number] | None,
) -> LawCase:
    """Checks the arguments and that the mechanism has the members of its shape."""
    protocols = _SHAPES.get(getattr(mechanism, "shape", ""))
    if protocols is None:
        raise InvalidArgument(
            "mechanism", f"must have a shape, one of {', '.join(_SHAPES)}", mechanism
        )
    if isinstance(mechanism, type):
        raise InvalidArgument("mechanism", "must be made first, not just its class", mechanism)
    if not isinstance(mechanism, protocols):
        names = " or ".join(protocol.__name__ for protocol in protocols)
        raise InvalidArgument(
            "mechanism",
            f"must have all members of hedgerow.mechanisms.interface.{names}",
            mechanism,
        )
    if protocols == (ResponseMechanism,) and mechanism.values > _MAX_CATEGORIES:
        raise InvalidArgument(
            "mechanism", "must have at most 2^20 categories, since all are looked at", mechanism
        )
    if (
        isinstance(mechanism, ThresholdRun)
        and not hasattr(mechanism, "log_prob")
        and not hasattr(mechanism, "threshold_scale")
    ):
        raise InvalidArgument(
            "mechanism",
            "must have a log_prob, or a threshold_scale and an answer_scale to sum over",
            mechanism,
        )
    if getattr(mechanism, "threshold_scale", 0) > _MAX_THRESHOLD_SCALE:
        raise InvalidArgument(
            "mechanism",
            "must have a threshold_scale of at most 10,000, since all noise is looked at",
            mechanism,
        )
    held_to = None
    if claim is not None:
        epsilon, delta = claim
        held_to = parse_epsilon(epsilon), parse_delta(delta)
    case = LawCase(
        mechanism, Sensitivity.of(sensitivity), parse_whole(draws, "draws", _MIN_DRAWS), held_to
    )
    if case.counts_units and case.sensitivity != Sensitivity.of(case.units or 1):
        raise InvalidArgument(
            "sensitivity",
            "must be a whole number of units for a mechanism that sees the data",
            sensitivity,
        )
    return case
