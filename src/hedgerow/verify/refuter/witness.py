"""A refutation: two neighbouring inputs, an event, both probabilities. It can be replayed by anybody from the program alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.amount import Amount
from hedgerow.verify.language.program import Program
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.chances import Chances
from hedgerow.verify.refuter.circuits import circuit, only_bits
from hedgerow.verify.refuter.events import Event, regions
from hedgerow.verify.refuter.inputs import claimed, unit
from hedgerow.verify.refuter.neighbouring import are_neighbours
from hedgerow.verify.refuter.paths import Arguments, Limits, paths
from hedgerow.verify.refuter.quantity import Interval, Real, approximate, bounds, exponential, minus, plus, sign, times
from hedgerow.verify.refuter.values import Value, Word

__all__ = ["Witness", "measured", "violates"]


def violates(likely: Real, rare: Real, epsilon: Real, delta: Real) -> bool:
    """Whether likely > e^epsilon rare + delta for certain. Bounds that do not decide are no."""
    try:
        return sign(minus(likely, plus(times(exponential(epsilon), rare), delta))) > 0
    except Beyond:
        return False


def measured(program: Program, arguments: Arguments, events: Sequence[Event], limits: Limits | None = None) -> Real:
    """The probability that the outputs lie in one of the events: exact, or within rigorous bounds."""
    if only_bits(program) and len(events) == 1:
        try:
            return circuit(program, arguments).probability(events[0])
        except Beyond:
            pass  # a number among the outputs, or a condition on random bits: small words can also be enumerated
    keep = events[0].possible if len(events) == 1 else None
    return Chances().sum(regions(events, paths(program, arguments, limits, keep)))


@dataclass(frozen=True)
class Witness:
    """On ``one`` the event has a probability of ``likely``, on ``other`` of ``rare``.

    ``multiple`` times the claim is what it breaks: likely > e^(multiple epsilon) rare + delta. A lower bound that breaks no claim
    has multiple 0.
    """

    program: Program
    one: Arguments
    other: Arguments
    events: tuple[Event, ...]
    likely: Real
    rare: Real
    multiple: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not are_neighbours(self.program, self.one, self.other):
            raise InvalidArgument("witness", "must have two neighbouring inputs")
        try:
            claimed(self.program, self.one)
        except Beyond as beyond:
            raise InvalidArgument("witness", "must have public parameters for which something is claimed") from beyond
        if self.multiple and not violates(self.likely, self.rare, *self.allowed):
            raise InvalidArgument("witness", "must break the claim")

    @property
    def allowed(self) -> tuple[Real, Real]:
        """The epsilon, times multiple, and the delta that were claimed for these public parameters."""
        epsilon, delta = claimed(self.program, self.one)
        return times(self.multiple, epsilon), delta

    @property
    def ratio(self) -> float:
        """likely / rare, infinite where the event cannot happen on the other input."""
        rare = approximate(self.rare)
        return approximate(self.likely) / rare if rare else math.inf

    @property
    def exact_ratio(self) -> Fraction | None:
        """likely / rare where both are rational, and there is such a ratio."""
        if isinstance(self.likely, Fraction) and isinstance(self.rare, Fraction) and self.rare:
            return self.likely / self.rare
        return None

    @property
    def loss(self) -> float:
        """The least epsilon, in units of eps, that this event leaves possible; from rigorous bounds, rounded down."""
        delta = claimed(self.program, self.one)[1]
        least, most = bounds(minus(self.likely, delta))[0], bounds(self.rare)[1]
        if least <= 0:
            return 0.0
        if most <= 0:
            return math.inf
        return max(0.0, _log(least) - _log(most)) / float(unit(self.program, self.one)) * (1 - 1e-13)

    def replay(self) -> Witness:
        """Everything computed again from the program and the two inputs; raises where the claim is not broken."""
        likely, rare = (measured(self.program, side, self.events) for side in (self.one, self.other))
        return Witness(self.program, self.one, self.other, self.events, likely, rare, self.multiple)

    @property
    def event(self) -> str:
        """In words."""
        return ", or ".join(map(str, self.events))

    def as_dict(self) -> dict[str, Any]:
        """For JSON. Probabilities are exact texts where they are exact, and decimals."""
        return {
            "inputs": [_shown_arguments(self.one), _shown_arguments(self.other)],
            "event": self.event,
            "probabilities": [approximate(self.likely), approximate(self.rare)],
            "exact": [_shown_exactly(self.likely), _shown_exactly(self.rare)],
            "ratio": self.ratio if math.isfinite(self.ratio) else "infinite",
            "epsilon": self.loss if math.isfinite(self.loss) else "infinite",
        }

    def __str__(self) -> str:
        lines = [f"input 1: {_listed(self.one)}", f"input 2: {_listed(self.other)}", f"event: {self.event}"]
        lines += [f"probability {approximate(self.likely):.6g} against {approximate(self.rare):.6g}, ratio {self.ratio:.6g}"]
        return "\n".join(lines)


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def _listed(arguments: Arguments) -> str:
    return ", ".join(f"{name} = {value}" for name, value in _shown_arguments(arguments).items())


def _shown_arguments(arguments: Arguments) -> Mapping[str, object]:
    return {
        name: [_shown(entry) for entry in value] if isinstance(value, tuple) else _shown(value) for name, value in sorted(arguments.items())
    }


def _shown(value: Value) -> object:
    match value:
        case bool():
            return value
        case Fraction():
            return int(value) if value.denominator == 1 else float(value)
        case Word():
            return str(value)
        case _:
            return str(value)


def _shown_exactly(value: Real) -> str | list[str]:
    match value:
        case Interval():
            return [str(float(value.low)), str(float(value.high))]
        case Amount():
            return repr(value)
        case _:
            return str(value)
