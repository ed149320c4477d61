"""Counterexamples to a claim: two neighbouring inputs, an event, and both of its probabilities,
which anybody can recompute from the program alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.language.assumptions import check_claim
from hedgerow.verify.language.claim_bounds import bound_expression
from hedgerow.verify.language.claim_units import THE_CLAIM, find_claim_unit, find_unit_parameter
from hedgerow.verify.language.program import Kind, Program
from hedgerow.verify.refute.circuits import build_circuit, has_only_bit_noise
from hedgerow.verify.refute.events import OutputEvent, relate_events, restrict_paths
from hedgerow.verify.refute.interval_arithmetic import (
    RealInterval,
    RealNumber,
    add_reals,
    approximate,
    compute_exp,
    decide_sign,
    enclose,
    multiply_reals,
    subtract_reals,
)
from hedgerow.verify.refute.neighbours import are_neighbours
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_probability import PathProbability
from hedgerow.verify.refute.path_values import PathValue, evaluate_public
from hedgerow.verify.refute.paths import Arguments, PathLimits, enumerate_paths

__all__ = [
    "Counterexample",
    "compute_event_probability",
    "evaluate_claim",
    "evaluate_unit",
    "find_epsilon_name",
    "is_violation",
]


def evaluate_claim(program: Program, arguments: Arguments) -> tuple[RealNumber, RealNumber]:
    """Return the epsilon and delta that the program claims for these public parameters, or raise
    ``OutOfScope`` if it claims nothing for them.
    """
    numbers = {name: value for name, value in arguments.items() if isinstance(value, Fraction)}
    try:
        check_claim(program, numbers)
    except Refused as refused:
        raise OutOfScope(str(refused)) from refused
    delta = program.claim.delta
    return (
        evaluate_public(program.claim.epsilon, arguments),
        Fraction(0) if delta is None else evaluate_public(delta, arguments),
    )


def find_epsilon_name(program: Program) -> str | None:
    """Return the public parameter whose multiple is claimed, or else one named eps or epsilon."""
    real = [
        one.name
        for one in program.parameters
        if not one.private and one.kind is Kind.REAL and not one.list
    ]
    return find_unit_parameter(program) or next(
        (name for name in real if name in ("eps", "epsilon")), None
    )


def evaluate_unit(program: Program, arguments: Arguments) -> Fraction:
    """Return the unit in which losses are reported: the epsilon parameter, the claim itself
    (rounded up), or 1 if the claim is a plain number.
    """
    name = find_epsilon_name(program)
    if name is None and find_claim_unit(program) == THE_CLAIM:
        numbers = {one: value for one, value in arguments.items() if isinstance(value, Fraction)}
        return bound_expression(program.claim.epsilon, numbers)[1] or Fraction(1)
    value = arguments[name] if name else Fraction(1)
    return value if isinstance(value, Fraction) else Fraction(1)


def is_violation(
    likely: RealNumber, rare: RealNumber, epsilon: RealNumber, delta: RealNumber
) -> bool:
    """Return True if likely > e^epsilon rare + delta for certain, and False if bounds do not decide
    it.
    """
    try:
        return (
            decide_sign(
                subtract_reals(likely, add_reals(multiply_reals(compute_exp(epsilon), rare), delta))
            )
            > 0
        )
    except OutOfScope:
        return False


def compute_event_probability(
    program: Program,
    arguments: Arguments,
    events: Sequence[OutputEvent],
    limits: PathLimits | None = None,
) -> RealNumber:
    """Return the probability that the outputs lie in one of the events, exactly or within rigorous
    bounds.
    """
    if has_only_bit_noise(program) and len(events) == 1:
        try:
            return build_circuit(program, arguments).probability(events[0])
        except OutOfScope:
            # numbers among the outputs, or a condition on random bits: enumerate the paths
            pass
    keep = events[0].is_possible if len(events) == 1 else None
    return PathProbability().compute_sum(
        restrict_paths(events, enumerate_paths(program, arguments, limits, keep))
    )


@dataclass(frozen=True)
class Counterexample:
    """An event with probability ``likely`` on the ``first`` input and ``rare`` on the ``second``.

    It breaks ``multiple`` times the claim: likely > e^(multiple epsilon) rare + delta. A lower
    bound that breaks no claim has multiple 0.
    """

    program: Program
    first: Arguments
    second: Arguments
    events: tuple[OutputEvent, ...]
    likely: RealNumber
    rare: RealNumber
    multiple: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not are_neighbours(self.program, self.first, self.second):
            raise InvalidArgument("counterexample", "must have two neighbouring inputs")
        try:
            evaluate_claim(self.program, self.first)
        except OutOfScope as beyond:
            raise InvalidArgument(
                "counterexample", "must have public parameters for which the program claims privacy"
            ) from beyond
        if self.multiple and not is_violation(self.likely, self.rare, *self.allowed):
            raise InvalidArgument("counterexample", "must break the claim")

    @property
    def allowed(self) -> tuple[RealNumber, RealNumber]:
        """The claimed epsilon times ``multiple``, and the claimed delta, at these parameters."""
        epsilon, delta = evaluate_claim(self.program, self.first)
        return multiply_reals(self.multiple, epsilon), delta

    @property
    def ratio(self) -> float:
        """The ratio likely / rare; infinite if the event is impossible on the second input."""
        rare = approximate(self.rare)
        return approximate(self.likely) / rare if rare else math.inf

    @property
    def exact_ratio(self) -> Fraction | None:
        """The ratio likely / rare if both are rational and it is finite, else None."""
        if isinstance(self.likely, Fraction) and isinstance(self.rare, Fraction) and self.rare:
            return self.likely / self.rare
        return None

    @property
    def loss(self) -> float:
        """The least epsilon that this event allows, in units of eps, rounded down."""
        delta = evaluate_claim(self.program, self.first)[1]
        least, most = enclose(subtract_reals(self.likely, delta))[0], enclose(self.rare)[1]
        if least <= 0:
            return 0.0
        if most <= 0:
            return math.inf
        return (
            max(0.0, _log(least) - _log(most))
            / float(evaluate_unit(self.program, self.first))
            * (1 - 1e-13)
        )

    def replay(self) -> Counterexample:
        """Recompute both probabilities from the program and the inputs, and raise
        ``InvalidArgument`` unless they break the claim.
        """
        likely, rare = (
            compute_event_probability(self.program, side, events)
            for side, events in ((self.first, self.events), (self.second, self.related_events))
        )
        return Counterexample(
            self.program, self.first, self.second, self.events, likely, rare, self.multiple
        )

    @property
    def related_events(self) -> tuple[OutputEvent, ...]:
        """The events of the second run that the claim relates to ``events``."""
        return relate_events(self.program, self.events)

    @property
    def event(self) -> str:
        """The event in words."""
        return ", or ".join(map(str, self.events))

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-compatible summary with decimal and exact probabilities."""
        return {
            "inputs": [_encode_arguments(self.first), _encode_arguments(self.second)],
            "event": self.event,
            "probabilities": [approximate(self.likely), approximate(self.rare)],
            "exact": [_encode_exact_value(self.likely), _encode_exact_value(self.rare)],
            "ratio": self.ratio if math.isfinite(self.ratio) else "infinite",
            "epsilon": self.loss if math.isfinite(self.loss) else "infinite",
        }

    def __str__(self) -> str:
        return (
            f"input 1: {_format_arguments(self.first)}\n"
            f"input 2: {_format_arguments(self.second)}\n"
            f"event: {self.event}\n"
            f"probability {approximate(self.likely):.6g} against {approximate(self.rare):.6g},"
            f" ratio {self.ratio:.6g}"
        )


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


def _format_arguments(arguments: Arguments) -> str:
    return ", ".join(f"{name} = {value}" for name, value in _encode_arguments(arguments).items())


def _encode_arguments(arguments: Arguments) -> Mapping[str, object]:
    return {
        name: (
            [_encode_value(entry) for entry in value]
            if isinstance(value, tuple)
            else _encode_value(value)
        )
        for name, value in sorted(arguments.items())
    }


def _encode_value(value: PathValue) -> object:
    match value:
        case bool():
            return value
        case Fraction():
            return int(value) if value.denominator == 1 else float(value)
        case _:
            return str(value)


def _encode_exact_value(value: RealNumber) -> str | list[str]:
    match value:
        case RealInterval():
            return [str(float(value.low)), str(float(value.high))]
        case ExponentialSum():
            return repr(value)
        case _:
            return str(value)
