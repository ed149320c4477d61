"""How a finite program ends: the exact distribution of the variables that a relation speaks of, and of what the program told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.judgement.undecided import Undecided
from hedgerow.verify.language.judgements import RESULT
from hedgerow.verify.language.program import Program
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.paths import Limits, Path, paths
from hedgerow.verify.refuter.values import Value, Word

__all__ = ["Ending", "Told", "endings"]


@dataclass(frozen=True, slots=True)
class Told:
    """What a program told that has not told exactly one value: nothing, or several."""

    values: tuple[Value, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.values))}]"


Ending: TypeAlias = tuple[tuple[str, "Value | Told"], ...]
"""Final values by name, sorted."""


def endings(program: Program, arguments: Mapping[str, Value], wanted: frozenset[str], limits: Limits) -> Distribution:
    """The law of the endings. Raises ``Undecided`` where it is not finite or not rational."""
    try:
        found = paths(program, arguments, limits)
    except Beyond as beyond:
        raise Undecided(f"{program.name}: {beyond}", program.place) from None
    weights: defaultdict[Ending, Fraction] = defaultdict(Fraction)
    for path in found:
        if path.store.laws:
            raise Undecided(f"{program.name} draws a number of infinitely many values", program.place)
        if not isinstance(path.store.weight, Fraction):
            raise Undecided(f"{program.name} throws a coin whose chance is not rational", program.place)
        weights[tuple(sorted((name, _final(program, path, name)) for name in wanted))] += path.store.weight
    return Distribution(weights)


def _final(program: Program, path: Path, name: str) -> Value | Told:
    if name == RESULT and RESULT not in path.names:
        if len(path.outputs) != 1:
            return Told(tuple(_finite(program, value) for value in path.outputs))
        return _finite(program, path.outputs[0])
    if name not in path.names:
        raise Undecided(f"{name} has no value at some end of {program.name}", program.place)
    return _finite(program, path.names[name])


def _finite(program: Program, value: Value) -> Value:
    if not isinstance(value, (bool, Fraction, Word)):
        raise Undecided(f"{program.name} ends with a number that is not rational", program.place)
    return value
