"""Deciding ``judge c1 ~ c2 : P ==> Q [epsilon, delta]``.

**Finite programs.** For every pair of inputs that P allows, both programs are run to their exact distributions, and Strassen's theorem (or
its (epsilon, delta) form) decides: either there is a coupling (a lifting) of the two inside Q, and it is returned, or there is an event
of the first that is likelier than all that Q relates to it, and that is returned. Both check themselves; see ``verify.divergence``.

**Others** are handed to the prover and the refuter where the judgement says that a program is private; see ``general``.

With epsilon > 0 a judgement has a direction: of the first program towards the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import Any, ClassVar

from hedgerow.errors import InvalidArgument
from hedgerow.verify.divergence.amount import chance
from hedgerow.verify.divergence.coupling import Coupling, Violation, coupling
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.lifting import Lifting, lifting
from hedgerow.verify.judgement.outcomes import Ending, Told, endings
from hedgerow.verify.judgement.states import State, evaluated, pairs_before
from hedgerow.verify.judgement.undecided import Undecided
from hedgerow.verify.language.judgements import RESULT, Judgement, tagged
from hedgerow.verify.language.program import Apply, Expression, Name, Number, Program, Truth, names
from hedgerow.verify.refuter.paths import Limits
from hedgerow.verify.refuter.values import Value

__all__ = ["Case", "Invalid", "Valid", "decide_finite"]

_MOST_PAIRS = 20_000


@dataclass(frozen=True)
class Case:
    """One pair of inputs, and the coupling (for epsilon and delta 0) or lifting that shows the judgement for it."""

    one: Mapping[str, Value]
    other: Mapping[str, Value]
    shown: Coupling | Lifting


@dataclass(frozen=True)
class Valid:
    """Holds for every pair of inputs that the precondition allows: one case each. None where it allows no pair at all."""

    judgement: Judgement
    cases: tuple[Case, ...]
    verdict: ClassVar[str] = "PROVED"

    def __str__(self) -> str:
        if not self.cases:
            return "holds, since no two inputs are as the precondition says"
        return f"holds: a coupling for each of {len(self.cases)} pairs of inputs"


@dataclass(frozen=True)
class Invalid:
    """Two inputs for which it fails, and the event that shows it."""

    judgement: Judgement
    one: Mapping[str, Value]
    other: Mapping[str, Value]
    violation: Violation
    verdict: ClassVar[str] = "REFUTED"

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        left, right = (_listed(side) for side in (self.one, self.other))
        event = " or ".join(sorted(_listed(dict(one)) for one in self.violation.event))
        likely, rare = self.violation.likely, self.violation.rare
        return f"fails for {left} and {right}: {event} has probability {likely} in run 1, what is related to it {rare} in run 2"


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(values.items())) or "no inputs"


def decide_finite(judgement: Judgement, *, seconds: float = 120) -> Valid | Invalid | Undecided:
    """Exactly, or ``Undecided`` with the reason."""
    try:
        return _Decision(judgement, monotonic() + seconds).decided()
    except Undecided as undecided:
        return undecided
    except RecursionError:
        return Undecided("an expression is nested too deeply", judgement.place)


class _Decision:
    def __init__(self, judgement: Judgement, until: float) -> None:
        self.judgement, self.until = judgement, until
        self.epsilon = Epsilon() if judgement.epsilon is None else exact_epsilon(judgement.epsilon)
        self.delta = Fraction(0) if judgement.delta is None else _delta(judgement.delta)
        self.laws: dict[object, Distribution] = {}

    def decided(self) -> Valid | Invalid:
        cases = []
        for state in self._states():
            one, other = self._side(state, 1), self._side(state, 2)
            first, second = self._law(1, self.judgement.left, one), self._law(2, self.judgement.right, other)
            related = {(a, b) for a in first for b in second if self._after(state, a, b)}
            if self.epsilon == 0 and not self.delta:
                shown: Coupling | Lifting | Violation = coupling(first, second, related)
            else:
                shown = lifting(first, second, related, self.epsilon, self.delta)
            if isinstance(shown, Violation):
                return Invalid(self.judgement, one, other, shown)
            cases.append(Case(one, other, shown))
        return Valid(self.judgement, tuple(cases))

    def _states(self) -> Iterator[State]:
        for number, state in enumerate(pairs_before(self.judgement)):
            if number >= _MOST_PAIRS or monotonic() > self.until:
                raise Undecided("the precondition allows too many pairs of inputs to go through", self.judgement.place)
            yield state

    def _side(self, state: State, run: int) -> dict[str, Value]:
        program = self.judgement.left if run == 1 else self.judgement.right
        return {one.name: state[tagged(one.name, run)] for one in program.parameters}

    def _law(self, run: int, program: Program, arguments: Mapping[str, Value]) -> Distribution:
        wanted = frozenset(name[: -len("<1>")] for name in names(self.judgement.after) if name.endswith(f"<{run}>"))
        key = run, tuple(sorted((name, str(value)) for name, value in arguments.items()))
        if key not in self.laws:
            self.laws[key] = endings(program, arguments, wanted, Limits(paths=50_000, steps=500_000, until=self.until))
        return self.laws[key]

    def _after(self, state: State, one: Ending, other: Ending) -> bool:
        final = dict(state)
        told: dict[str, Value | Told] = {}
        for run, ending in ((1, one), (2, other)):
            for name, value in ending:
                if isinstance(value, Told) or name == RESULT:
                    told[tagged(name, run)] = value
                if not isinstance(value, Told):
                    final[tagged(name, run)] = value
        after = _compared(self.judgement.after, told)
        if not names(after) <= final.keys():
            raise Undecided(
                "a program that tells several values tells a sequence: compare res<1> with res<2> as a whole", self.judgement.place
            )
        value = evaluated(after, final)
        if not isinstance(value, bool):
            raise Undecided("the postcondition is no truth", self.judgement.place)
        return value


def _compared(expression: Expression, told: Mapping[str, Value | Told]) -> Expression:
    """Sequences that were told can only be compared with each other as a whole; that is done here, where one of them is no single value."""
    if not any(isinstance(value, Told) for value in told.values()) or not isinstance(expression, Apply):
        return expression
    left, *rest = expression.arguments
    if expression.operator in ("==", "!=") and all(isinstance(one, Name) and one.name in told for one in expression.arguments):
        one, other = (told[side.name] for side in (left, rest[0]) if isinstance(side, Name))
        return Truth((one == other) is (expression.operator == "=="), expression.place)
    return Apply(expression.operator, tuple(_compared(one, told) for one in expression.arguments), expression.place)


def exact_epsilon(expression: Expression) -> Epsilon:
    """Sums and whole multiples of numbers and of logarithms of numbers."""
    try:
        return Epsilon.of(_epsilon(expression))
    except InvalidArgument as error:
        raise Undecided(f"the epsilon of a judgement {error.args[0]}", expression.place) from None


def _epsilon(expression: Expression) -> Epsilon:
    match expression:
        case Number():
            return Epsilon(expression.value)
        case Apply(operator="+", arguments=(one, other)):
            return _epsilon(one) + _epsilon(other)
        case Apply(operator="*", arguments=(Number(value=times), other)) if times.denominator == 1:
            return int(times) * _epsilon(other)
        case Apply(operator="ln", arguments=(one,)):
            ratio = evaluated(one, {})
            if isinstance(ratio, Fraction) and ratio > 0:
                return ln(ratio)
    value = evaluated(expression, {})
    if not isinstance(value, Fraction):
        raise Undecided("the epsilon of a judgement must be a rational number, a logarithm of one, or a sum of these", expression.place)
    return Epsilon(value)


def _delta(expression: Expression) -> Fraction:
    value = evaluated(expression, {})
    if not isinstance(value, Fraction) or not 0 <= value <= 1:
        raise Undecided("the delta of a judgement must be a number from 0 to 1", expression.place)
    return chance(value, "delta")
