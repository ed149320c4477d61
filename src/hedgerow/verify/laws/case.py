"""What every law is given, what it says, and what it raises."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.shapes import Additive, Response, Selection
from hedgerow.numeric.number import Number, privacy_delta, privacy_epsilon
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.audit.confidence import whole

__all__ = ["ALARM", "Case", "Finding", "LawBroken", "make_case"]

ALARM = 1e-9
"""How often a law that looks at random draws accuses a good mechanism, at most."""

_FEWEST = 10_000
_MOST_CATEGORIES = 1 << 20
_SHAPES: dict[str, Any] = {"additive": Additive, "selection": Selection, "response": Response}


class LawBroken(AssertionError):
    """A mechanism does not keep a law: which, what was expected, and what was found."""

    def __init__(self, law: str, expected: str, found: str) -> None:
        self.law, self.expected, self.found = law, expected, found
        super().__init__(f"{law}: expected {expected}; found {found}.")


class Finding(NamedTuple):
    """A law that was kept, and the figures."""

    law: str
    figures: str

    def __str__(self) -> str:
        return f"{self.law:<30} {self.figures}"


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A mechanism, the move it is asked to hide, and how many draws to look at. ``claim`` is an (epsilon, delta) to be held to."""

    mechanism: Any
    move: Sensitivity
    draws: int
    claim: tuple[Fraction, Fraction] | None

    @property
    def shape(self) -> str:
        """ "additive", "selection" or "response"."""
        return str(self.mechanism.shape)

    @property
    def loss(self) -> Loss:
        """What the mechanism says the move costs."""
        loss: Loss = self.mechanism.loss(self.move)
        return loss


def make_case(mechanism: Any, sensitivity: Number | Sensitivity, draws: int, claim: tuple[Number, Number] | None) -> Case:
    """Checks the arguments and that the mechanism has the members of its shape."""
    protocol = _SHAPES.get(getattr(mechanism, "shape", ""))
    if protocol is None:
        raise InvalidArgument("mechanism", f"must have a shape, one of {', '.join(_SHAPES)}", mechanism)
    if isinstance(mechanism, type):
        raise InvalidArgument("mechanism", "must be made first, not just its class", mechanism)
    if not isinstance(mechanism, protocol):
        raise InvalidArgument("mechanism", f"must have all members of hedgerow.mechanisms.shapes.{protocol.__name__}", mechanism)
    if protocol is Response and mechanism.values > _MOST_CATEGORIES:
        raise InvalidArgument("mechanism", "must have at most 2^20 categories, since all are looked at", mechanism)
    held_to = None
    if claim is not None:
        epsilon, delta = claim
        held_to = privacy_epsilon(epsilon), privacy_delta(delta)
    return Case(mechanism, Sensitivity.of(sensitivity), whole(draws, "draws", _FEWEST), held_to)
