"""The decision procedure of ``judge c1 ~ c2 : P ==> Q [epsilon, delta]`` for finite programs.

For each pair of inputs that P allows, the exact distributions of both programs are computed, and
Strassen's theorem (or its (epsilon, delta) form) decides: either there is a coupling (a lifting) of
the two inside Q, which is returned, or there is an event of the first program that is more likely
than everything Q relates to it, which is returned. Both check themselves; see
``verify.divergence``. Other judgements are decided in ``symbolic``.

With epsilon > 0 a judgement has a direction: from the first program to the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from time import process_time
from typing import Any, ClassVar

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.coupling import Coupling, Violation, coupling
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.exponential_sum import parse_probability
from hedgerow.verify.divergence.lifting import Lifting, lifting
from hedgerow.verify.judgement.final_states import FinalState, OutputSequence, compute_final_states
from hedgerow.verify.judgement.input_pairs import TaggedValues, evaluate, iterate_related_inputs
from hedgerow.verify.language.judgement import RESULT, Judgement, Undecided, tag_name
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Name,
    Number,
    Program,
    Truth,
    collect_names,
    map_children,
    substitute,
)
from hedgerow.verify.refute.path_values import PathValue
from hedgerow.verify.refute.paths import PathLimits

__all__ = ["CoupledInputs", "FiniteCounterexample", "FiniteProof", "decide_finite"]

_MAX_INPUT_PAIRS = 20_000


@dataclass(frozen=True)
class CoupledInputs:
    """A pair of inputs, and the coupling (for epsilon and delta 0) or lifting that proves the
    judgement for it.
    """

    first: Mapping[str, PathValue]
    second: Mapping[str, PathValue]
    coupling: Coupling | Lifting


@dataclass(frozen=True)
class FiniteProof:
    """A proof with one case for each pair of inputs that the precondition allows."""

    judgement: Judgement
    cases: tuple[CoupledInputs, ...]
    verdict: ClassVar[str] = "PROVED"

    def __str__(self) -> str:
        if not self.cases:
            return "holds: no two inputs satisfy the precondition"
        return f"holds: a coupling for each of {len(self.cases)} pairs of inputs"


@dataclass(frozen=True)
class FiniteCounterexample:
    """Two inputs for which the judgement fails, and the event that shows it."""

    judgement: Judgement
    first: Mapping[str, PathValue]
    second: Mapping[str, PathValue]
    violation: Violation
    verdict: ClassVar[str] = "REFUTED"

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        left, right = (_format_values(side) for side in (self.first, self.second))
        event = " or ".join(sorted(_format_values(dict(one)) for one in self.violation.event))
        likely, rare = self.violation.likely, self.violation.rare
        return (
            f"fails for {left} and {right}: {event} has probability {likely} in run 1, and the"
            f" outcomes related to it have {rare} in run 2"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the counterexample for JSON, as the refuter's counterexamples do."""
        inputs = [
            {name: str(value) for name, value in side.items()} for side in (self.first, self.second)
        ]
        probabilities = [float(self.violation.likely), float(self.violation.rare)]
        return {"inputs": inputs, "event": str(self), "probabilities": probabilities}


def _format_values(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(values.items())) or "no inputs"


def decide_finite(
    judgement: Judgement, *, seconds: float = 120
) -> FiniteProof | FiniteCounterexample | Undecided:
    """Decide the judgement exactly, or return ``Undecided`` with the reason."""
    try:
        return _FiniteDecision(judgement, process_time() + seconds).decide()
    except Undecided as undecided:
        return undecided
    except RecursionError:
        return Undecided("an expression is nested too deeply; split it", judgement.place)


class _FiniteDecision:
    def __init__(self, judgement: Judgement, deadline: float) -> None:
        self.judgement, self.deadline = judgement, deadline
        self.distributions: dict[object, Distribution] = {}

    def decide(self) -> FiniteProof | FiniteCounterexample:
        cases = []
        for state in self._iterate_inputs():
            left, right = self._select_arguments(state, 1), self._select_arguments(state, 2)
            first = self._compute_distribution(1, self.judgement.left, left)
            second = self._compute_distribution(2, self.judgement.right, right)
            related = {
                (a, b) for a in first for b in second if self._satisfies_postcondition(state, a, b)
            }
            epsilon, delta = self._evaluate_budget(state)
            if epsilon == 0 and not delta:
                result: Coupling | Lifting | Violation = coupling(first, second, related)
            else:
                result = lifting(first, second, related, epsilon, delta)
            if isinstance(result, Violation):
                return FiniteCounterexample(self.judgement, left, right, result)
            cases.append(CoupledInputs(left, right, result))
        return FiniteProof(self.judgement, tuple(cases))

    def _evaluate_budget(self, state: TaggedValues) -> tuple[Epsilon, Fraction]:
        """Evaluate epsilon and delta for these inputs."""
        known: dict[str, Expression] = {
            name: Number(value) for name, value in state.items() if isinstance(value, Fraction)
        }
        epsilon, delta = (
            None if one is None else substitute(one, known)
            for one in (self.judgement.epsilon, self.judgement.delta)
        )
        return (
            Epsilon() if epsilon is None else parse_epsilon(epsilon),
            Fraction(0) if delta is None else _evaluate_delta(delta),
        )

    def _iterate_inputs(self) -> Iterator[TaggedValues]:
        for number, state in enumerate(iterate_related_inputs(self.judgement)):
            if number >= _MAX_INPUT_PAIRS or process_time() > self.deadline:
                raise Undecided(
                    "the precondition allows too many pairs of inputs to enumerate; restrict it",
                    self.judgement.place,
                )
            yield state

    def _select_arguments(self, state: TaggedValues, run: int) -> dict[str, PathValue]:
        program = self.judgement.left if run == 1 else self.judgement.right
        return {one.name: state[tag_name(one.name, run)] for one in program.parameters}

    def _compute_distribution(
        self, run: int, program: Program, arguments: Mapping[str, PathValue]
    ) -> Distribution:
        wanted = frozenset(
            name[: -len("<1>")]
            for name in collect_names(self.judgement.postcondition)
            if name.endswith(f"<{run}>")
        )
        key = run, tuple(sorted((name, str(value)) for name, value in arguments.items()))
        if key not in self.distributions:
            limits = PathLimits(paths=50_000, steps=500_000, deadline=self.deadline)
            self.distributions[key] = compute_final_states(program, arguments, wanted, limits)
        return self.distributions[key]

    def _satisfies_postcondition(
        self, state: TaggedValues, left: FinalState, right: FinalState
    ) -> bool:
        final = dict(state)
        outputs: dict[str, PathValue | OutputSequence] = {}
        for run, ending in ((1, left), (2, right)):
            for name, value in ending:
                if isinstance(value, OutputSequence) or name == RESULT:
                    outputs[tag_name(name, run)] = value
                if not isinstance(value, OutputSequence):
                    final[tag_name(name, run)] = value
        after = _compare_sequences(self.judgement.postcondition, outputs)
        if not collect_names(after) <= final.keys():
            raise Undecided(
                "a program with several outputs returns a sequence; compare res<1> with res<2> as a"
                " whole",
                self.judgement.place,
            )
        value = evaluate(after, final)
        if not isinstance(value, bool):
            raise Undecided(
                "the postcondition is not a Boolean; write a comparison", self.judgement.place
            )
        return value


def _compare_sequences(
    expression: Expression, outputs: Mapping[str, PathValue | OutputSequence]
) -> Expression:
    """Replace comparisons of output sequences, which can only be compared as a whole, by their
    Boolean value.
    """
    if not any(isinstance(value, OutputSequence) for value in outputs.values()) or not isinstance(
        expression, Apply
    ):
        return expression
    left, *rest = expression.arguments
    if expression.operator in ("==", "!=") and all(
        isinstance(one, Name) and one.name in outputs for one in expression.arguments
    ):
        one, other = (outputs[side.name] for side in (left, rest[0]) if isinstance(side, Name))
        return Truth((one == other) is (expression.operator == "=="), expression.place)
    return map_children(expression, lambda one: _compare_sequences(one, outputs))


def parse_epsilon(expression: Expression) -> Epsilon:
    """Evaluate an epsilon: sums and integer multiples of numbers and of their logarithms."""
    try:
        return Epsilon.of(_evaluate_epsilon(expression))
    except InvalidArgument as error:
        raise Undecided(f"the epsilon of a judgement {error.args[0]}", expression.place) from None


def _evaluate_epsilon(expression: Expression) -> Epsilon:
    match expression:
        case Number():
            return Epsilon(expression.value)
        case Apply(operator="+", arguments=(one, other)):
            return _evaluate_epsilon(one) + _evaluate_epsilon(other)
        case Apply(operator="*", arguments=(Number(value=times), other)) if times.denominator == 1:
            return int(times) * _evaluate_epsilon(other)
        case Apply(operator="ln", arguments=(one,)):
            ratio = evaluate(one, {})
            if isinstance(ratio, Fraction) and ratio > 0:
                return ln(ratio)
    value = evaluate(expression, {})
    if not isinstance(value, Fraction):
        raise Undecided(
            "the epsilon of a judgement must be a rational number, a logarithm of one, or a sum of"
            " these",
            expression.place,
        )
    return Epsilon(value)


def _evaluate_delta(expression: Expression) -> Fraction:
    value = evaluate(expression, {})
    if not isinstance(value, Fraction) or not 0 <= value <= 1:
        raise Undecided("the delta of a judgement must be a number from 0 to 1", expression.place)
    return parse_probability(value, "delta")
