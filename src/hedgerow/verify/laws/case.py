"""The input of a law, its finding, and its error."""

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
from hedgerow.verify.audit.confidence import parse_integer

__all__ = ["FALSE_ALARM_RATE", "LawBroken", "LawCase", "LawFinding", "make_case"]

FALSE_ALARM_RATE = 1e-9
"""The maximum probability that a law about random draws rejects a correct mechanism."""

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
    """The error of a mechanism that breaks a law: its name, the expectation and the observation."""

    def __init__(self, law: str, expected: str, found: str) -> None:
        self.law, self.expected, self.found = law, expected, found
        super().__init__(f"{law}: expected {expected}; found {found}.")


class LawFinding(NamedTuple):
    """A law that was kept, with its figures."""

    law: str
    figures: str

    def __str__(self) -> str:
        return f"{self.law:<30} {self.figures}"


@dataclass(frozen=True, slots=True, eq=False)
class LawCase:
    """A mechanism, its sensitivity, and the number of draws. ``claim`` is an (epsilon, delta) to
    check.
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
        """True for a mechanism that sees the data themselves, so that its sensitivity is a number
        of rows or units.
        """
        return self.shape in ("point", "smooth") or isinstance(
            self.mechanism, (ReleaseTest, ThresholdedHistogram)
        )

    @property
    def uses_neighbour_set(self) -> bool:
        """True for a mechanism that is tested on a small set of data sets
        (``neighbours.data_sets``).
        """
        return self.counts_units or self.shape == "tested"

    @property
    def units(self) -> int:
        """The number of rows or units that change."""
        return int(self.sensitivity.linf)

    @property
    def loss(self) -> Loss:
        """The loss that the mechanism states."""
        return self.cost(self.sensitivity)

    def cost(self, sensitivity: Sensitivity) -> Loss:
        """Return the loss that the mechanism states for another sensitivity."""
        loss: Loss = self.mechanism.loss(
            int(sensitivity.linf) if self.counts_units else sensitivity
        )
        return loss


def make_case(
    mechanism: Any,
    sensitivity: Number | Sensitivity,
    draws: int,
    claim: tuple[Number, Number] | None,
) -> LawCase:
    """Check the arguments and the members of the mechanism, and build the case."""
    protocols = _SHAPES.get(getattr(mechanism, "shape", ""))
    if protocols is None:
        raise InvalidArgument(
            "mechanism", f"must have a shape, one of {', '.join(_SHAPES)}", mechanism
        )
    if isinstance(mechanism, type):
        raise InvalidArgument("mechanism", "must be an instance, not a class", mechanism)
    if not isinstance(mechanism, protocols):
        names = " or ".join(protocol.__name__ for protocol in protocols)
        raise InvalidArgument(
            "mechanism",
            f"must have all members of hedgerow.mechanisms.interface.{names}",
            mechanism,
        )
    if protocols == (ResponseMechanism,) and mechanism.values > _MAX_CATEGORIES:
        raise InvalidArgument(
            "mechanism", "must have at most 2^20 categories, since all are tested", mechanism
        )
    if (
        isinstance(mechanism, ThresholdRun)
        and not hasattr(mechanism, "log_prob")
        and not hasattr(mechanism, "threshold_scale")
    ):
        raise InvalidArgument(
            "mechanism",
            "must have a log_prob, or a threshold_scale and an answer_scale",
            mechanism,
        )
    if getattr(mechanism, "threshold_scale", 0) > _MAX_THRESHOLD_SCALE:
        raise InvalidArgument(
            "mechanism",
            "must have a threshold_scale of at most 10,000, since all noise is enumerated",
            mechanism,
        )
    checked_claim = None
    if claim is not None:
        epsilon, delta = claim
        checked_claim = parse_epsilon(epsilon), parse_delta(delta)
    case = LawCase(
        mechanism,
        Sensitivity.of(sensitivity),
        parse_integer(draws, "draws", _MIN_DRAWS),
        checked_claim,
    )
    if case.counts_units and case.sensitivity != Sensitivity.of(case.units or 1):
        raise InvalidArgument(
            "sensitivity",
            "must be an integer number of units for a mechanism that sees the data",
            sensitivity,
        )
    return case
