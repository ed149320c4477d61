"""The independent check of a counterexample: REFUTED is reported only after it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.program import Expression, Program
from hedgerow.verify.language.pseudocode import parse_document
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.refute.counterexample import Counterexample
from hedgerow.verify.refute.events import OutputEvent
from hedgerow.verify.refute.interval_arithmetic import approximate
from hedgerow.verify.refute.neighbours import are_neighbours
from hedgerow.verify.refute.paths import Arguments
from hedgerow.verify.validation.boxed_values import CannotEvaluate, require_sum
from hedgerow.verify.validation.event_probability import (
    Precision,
    bound_event_probability,
    evaluate_plainly,
)
from hedgerow.verify.validation.noise_boxes import MARGIN

__all__ = [
    "Excess",
    "MeasuredEvents",
    "describe_excess",
    "evaluate_amount",
    "find_confirmed_witness",
]

# The number of cells of a draw, and the statements that may be run on them.
_LEVELS: Final = ((16, 20_000), (64, 40_000), (256, 100_000))
_NEGLIGIBLE: Final = 1e-6  # of the smaller probability


@dataclass(frozen=True, slots=True)
class MeasuredEvents:
    """Events of one program on one input, and their probability as the refuter found it."""

    program: Program
    arguments: Arguments
    events: tuple[OutputEvent, ...]
    probability: float

    def bound(self, precision: Precision, *, upper: bool) -> float:
        return bound_event_probability(
            self.program, self.arguments, self.events, precision, upper=upper
        )


@dataclass(frozen=True, slots=True)
class Excess:
    """The statement that one event is more likely than e^epsilon times another, plus delta."""

    likely: MeasuredEvents
    rare: MeasuredEvents
    epsilon: float
    delta: float

    def is_confirmed(self, cells: int, steps: int) -> bool:
        """Return whether bounds from this many cells show it."""
        factor = math.exp(min(self.epsilon, 700.0)) * (1 + MARGIN)
        scaled = factor * self.rare.probability or math.inf
        few = _NEGLIGIBLE * min(self.likely.probability, scaled)
        try:
            most = self.rare.bound(Precision(cells, steps, few / factor), upper=True)
            if self.likely.probability <= factor * most + self.delta:
                return False  # as far as the refuter knows
            least = self.likely.bound(Precision(cells, steps, few), upper=False)
        except CannotEvaluate:
            return False
        return least > factor * most + self.delta * (1 + MARGIN)


def find_confirmed_witness(
    witnesses: Iterable[Counterexample | None],
    describe: Callable[[Counterexample], Excess] | None = None,
) -> Counterexample | None:
    """Return the first counterexample that bounds confirm, with coarse cells before fine ones.

    ``describe`` states what a counterexample of another program means for the claim as written.
    """
    found: list[tuple[Counterexample, Excess]] = []
    for one in witnesses:
        try:
            if one is not None:
                # one with multiple 0 is refused here if it breaks no claim
                full = replace(one, multiple=one.multiple or Fraction(1))
                found.append((full, (describe or describe_excess)(full)))
        except (CannotEvaluate, InvalidArgument):
            continue
    for cells, steps in _LEVELS:
        for one, excess in found:
            if excess.is_confirmed(cells, steps):
                return one
    return None


def describe_excess(witness: Counterexample) -> Excess:
    """Describe a counterexample in terms of the program's text, which is parsed again."""
    program = _parse_again(witness.program)
    if not are_neighbours(program, witness.first, witness.second):
        raise CannotEvaluate("the inputs are not neighbours")
    return Excess(
        MeasuredEvents(program, witness.first, witness.events, approximate(witness.likely)),
        MeasuredEvents(program, witness.second, witness.events, approximate(witness.rare)),
        evaluate_amount(program.claim.epsilon, witness.first),
        evaluate_amount(program.claim.delta, witness.first),
    )


def _parse_again(program: Program) -> Program:
    """Return the program that its text states, or the given one if it has no text of its own."""
    text = textwrap.dedent(program.source)
    for one in (*read_programs(text), *parse_document(text).programs):
        if isinstance(one, Program) and one.name == program.name:
            return one
    return program


def evaluate_amount(expression: Expression | None, arguments: Arguments) -> float:
    """Evaluate an epsilon or a delta, rounded up; a missing one is 0."""
    if expression is None:
        return 0.0
    value = require_sum(evaluate_plainly(expression, arguments))
    if value.terms or value.low < 0:
        raise CannotEvaluate("a claim that is negative")
    return float(value.high) * (1 + MARGIN)
