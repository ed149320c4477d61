"""Events: sets of output sequences with a finite description and a computable probability.

An event fixes the number of outputs and the values of booleans and words, and bounds combinations
of numbers, such as ``output 2 - output 1`` at least 3. Anything computed from the outputs is as
public as they are, so an adversary may use such combinations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.refute.interval_arithmetic import RealNumber, decide_sign, subtract_reals
from hedgerow.verify.refute.linear_noise import LinearForm, PathCondition, add, scale
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord, PathValue
from hedgerow.verify.refute.paths import ProgramPath

__all__ = ["Combination", "OutputEvent", "OutputRange", "restrict_paths"]

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
