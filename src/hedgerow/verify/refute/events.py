"""Events: sets of output sequences with a finite description and a computable probability.

An event fixes the number of outputs and the values of booleans and words, and bounds combinations
of numbers, such as ``output 2 - output 1`` at least 3. Anything computed from the outputs is as
public as they are, so an adversary may use such combinations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.language.judgement import RESULT, tag_name
from hedgerow.verify.language.program import Apply, Expression, Number, Program
from hedgerow.verify.language.rewriting import split_conjuncts
from hedgerow.verify.refute.interval_arithmetic import RealNumber, decide_sign, subtract_reals
from hedgerow.verify.refute.linear_noise import LinearForm, PathCondition, add, scale
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord, PathValue, evaluate_public
from hedgerow.verify.refute.paths import ProgramPath

__all__ = ["Combination", "OutputEvent", "OutputRange", "relate_events", "restrict_paths"]

_FIRST, _SECOND = tag_name(RESULT, 1), tag_name(RESULT, 2)
_ONLY = ((0, Fraction(1)),)
Combination: TypeAlias = tuple[tuple[int, Fraction], ...]
"""Places of outputs, counted from 0, with factors."""


@dataclass(frozen=True, slots=True)
class OutputRange:
    """The range low <= combination of outputs <= high, without the numbers in ``excluded``."""

    combination: Combination
    low: Fraction | None = None
    high: Fraction | None = None
    excluded: frozenset[Fraction] = frozenset()

    def restrict(self, outputs: Sequence[PathValue], store: PathCondition) -> PathCondition | None:
        """Restrict the path to the range; return None if that has probability 0."""
        form: LinearForm | RealNumber = Fraction(0)
        for number, (place, factor) in enumerate(self.combination):
            value = outputs[place]
            if isinstance(value, (bool, BitWord)):
                return None
            value = value if factor == 1 else scale(value, factor)
            form = add(form, value) if number else value
        if isinstance(form, LinearForm):
            if self.low is not None and self.low == self.high and not store.is_discrete(form.terms):
                return None
            if self.excluded and store.is_discrete(form.terms):
                raise OutOfScope("integer noise that must avoid single numbers")
            return store.restrict_between(form, self.low, self.high)
        return store if self._contains(form) else None

    def admits(self, output: PathValue, store: PathCondition) -> bool:
        """Return False if a range over this output alone excludes it; continuous noise never hits a
        single number.
        """
        if isinstance(output, LinearForm):
            return self.low is None or self.low != self.high or store.is_discrete(output.terms)
        return (
            self._contains(output)
            if isinstance(output, Fraction)
            else not isinstance(output, (bool, BitWord))
        )

    def _contains(self, value: RealNumber) -> bool:
        if isinstance(value, Fraction):
            return (
                (self.low is None or value >= self.low)
                and (self.high is None or value <= self.high)
                and value not in self.excluded
            )
        if self.low is not None and decide_sign(subtract_reals(value, self.low)) < 0:
            return False
        if self.high is not None and decide_sign(subtract_reals(value, self.high)) > 0:
            return False
        return all(decide_sign(subtract_reals(value, one)) != 0 for one in self.excluded)

    def __str__(self) -> str:
        name = " + ".join(
            _format_term(place, factor) for place, factor in self.combination
        ).replace("+ -", "- ")
        if self.low is not None and self.low == self.high:
            return f"{name} = {self.low}"
        if self.low is not None and self.high is not None:
            return f"{self.low} <= {name} <= {self.high}"
        if self.low is not None:
            return f"{name} >= {self.low}"
        if self.high is not None:
            return f"{name} <= {self.high}"
        return (
            f"{name} is not {' or '.join(map(str, sorted(self.excluded)))}"
            if self.excluded
            else f"{name} is any number"
        )


def _format_term(place: int, factor: Fraction) -> str:
    return f"{'' if factor == 1 else '-' if factor == -1 else f'{factor} '}output {place + 1}"


@dataclass(frozen=True, slots=True)
class OutputEvent:
    """An event on ``length`` outputs: ``values`` are (output, boolean or word), ``bits`` are
    (output, bit counted from the last, value).
    """

    length: int
    values: tuple[tuple[int, bool | BitWord], ...] = ()
    ranges: tuple[OutputRange, ...] = ()
    bits: tuple[tuple[int, int, bool], ...] = ()

    def restrict(self, path: ProgramPath) -> PathCondition | None:
        """Restrict the path to the event; return None if that has probability 0."""
        if len(path.outputs) != self.length:
            return None
        if not all(
            self._admits(place, value, path.condition) for place, value in enumerate(path.outputs)
        ):
            return None
        store: PathCondition | None = path.condition
        for one in self.ranges:
            if store is None:
                return None
            store = one.restrict(path.outputs, store)
        return store

    def is_possible(self, outputs: Sequence[PathValue], store: PathCondition) -> bool:
        """Return True if a run with these outputs so far may still end in the event, given that it
        could before the last output.
        """
        return len(outputs) <= self.length and self._admits(len(outputs) - 1, outputs[-1], store)

    def _admits(self, place: int, output: PathValue, store: PathCondition) -> bool:
        for here, value in self.values:
            if here == place and (type(output) is not type(value) or output != value):
                return False
        for one in self.ranges:
            if one.combination == ((place, Fraction(1)),) and not one.admits(output, store):
                return False
        for here, bit, value in self.bits:
            if here == place and not (
                isinstance(output, BitWord)
                and bit < output.width
                and bool(output.value >> bit & 1) is value
            ):
                return False
        return True

    def __str__(self) -> str:
        if not self.length:
            return "no output at all"
        if not self.ranges and not self.bits and len(self.values) == self.length:
            return f"the outputs are {', '.join(str(value) for _, value in self.values)}"
        words = [f"output {place + 1} is {value}" for place, value in self.values] + [
            str(one) for one in self.ranges
        ]
        words += [
            f"bit {bit} of output {place + 1} is {int(value)}" for place, bit, value in self.bits
        ]
        return f"{self.length} output{'s' if self.length > 1 else ''}: {', '.join(words)}"


def restrict_paths(
    events: Sequence[OutputEvent], paths: Iterable[ProgramPath]
) -> Iterator[PathCondition]:
    """Restrict every path to the union of the events."""
    for path in paths:
        found = [store for event in events if (store := event.restrict(path)) is not None]
        whole = [store for store in found if store is path.condition]
        if len(found) > 1 and not whole:
            raise OutOfScope("events that overlap")
        yield from whole[:1] or found


@dataclass(frozen=True, slots=True)
class _Difference:
    """Bounds on the second result minus the first."""

    low: Fraction | None = None
    high: Fraction | None = None


def relate_events(program: Program, events: Sequence[OutputEvent]) -> tuple[OutputEvent, ...]:
    """Return the events that contain every result that a judgement relates to one in ``events``.

    Supported are equal results, and bounds on their difference such as ``res<1> <= res<2> + 1``.
    """
    after = program.claim.neighbours.after
    if after is None:
        return tuple(events)
    difference = _bound_difference(after)
    return tuple(_widen(one, difference) for one in events)


def _widen(event: OutputEvent, difference: _Difference) -> OutputEvent:
    ranges = event.ranges
    if event.length != 1 or event.values or event.bits or len(ranges) > 1:
        raise OutOfScope("an event whose related results are not an interval")
    if not ranges:
        return event
    (one,) = ranges
    if one.combination != _ONLY or one.excluded:
        raise OutOfScope("an event whose related results are not an interval")
    low = _add_ends(one.low, difference.low)
    high = _add_ends(one.high, difference.high)
    return replace(event, ranges=(OutputRange(_ONLY, low, high),))


def _add_ends(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one + other


def _bound_difference(after: Expression) -> _Difference:
    low, high = None, None
    for one in _split_bounds(after):
        slope, constant = _read_line(one)  # slope * (second - first) + constant <= 0
        end = -constant / slope
        if slope > 0:
            high = end if high is None else min(high, end)
        else:
            low = end if low is None else max(low, end)
    return _Difference(low, high)


def _split_bounds(after: Expression) -> list[Expression]:
    """Return expressions that are at most 0 exactly where the postcondition holds; < counts as <=,
    which relates more.
    """
    found: list[Expression] = []
    for one in split_conjuncts(after):
        match one:
            case Apply("<=" | "<", (Apply("abs", (inner,)), limit)):
                found += [Apply("-", (inner, limit))]
                found += [Apply("-", (Apply("negate", (inner,)), limit))]
            case Apply("<=" | "<", (left, right)):
                found.append(Apply("-", (left, right)))
            case Apply("==", (left, right)):
                found += [Apply("-", (left, right)), Apply("-", (right, left))]
            case _:
                raise OutOfScope("a relation of results that is not a bound on their difference")
    return found


def _read_line(expression: Expression) -> tuple[Fraction, Fraction]:
    def at(first: int, second: int) -> Fraction:
        values = {_FIRST: Fraction(first), _SECOND: Fraction(second)}
        value = evaluate_public(expression, values)
        if not isinstance(value, Fraction):
            raise OutOfScope("a relation of results with irrational numbers")
        return value

    constant = at(0, 0)
    slope = at(0, 1) - constant
    is_linear = all(
        at(a, b) == slope * (b - a) + constant for a, b in ((1, 0), (1, 1), (5, 2), (-3, 11))
    )
    if not slope or not is_linear or not _is_sum(expression):
        raise OutOfScope("a relation of results that is not a bound on their difference")
    return slope, constant


def _is_sum(expression: Expression) -> bool:
    """Return whether the expression is built by linear operators only."""
    if not isinstance(expression, Apply):
        return True
    if expression.operator in ("*", "/") and not any(
        isinstance(one, Number) for one in expression.arguments
    ):
        return False
    return expression.operator in ("+", "-", "negate", "*", "/") and all(
        map(_is_sum, expression.arguments)
    )
