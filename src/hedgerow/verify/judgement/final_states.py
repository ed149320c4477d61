"""Final states of a finite program: the exact distribution of its outputs and of the variables that
a relation mentions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.language.judgement import RESULT, Undecided
from hedgerow.verify.language.program import Program
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord, PathValue
from hedgerow.verify.refute.paths import PathLimits, ProgramPath, enumerate_paths

__all__ = ["FinalState", "OutputSequence", "compute_final_states"]


@dataclass(frozen=True, slots=True)
class OutputSequence:
    """The outputs of a run that has none or several."""

    values: tuple[PathValue, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.values))}]"


FinalState: TypeAlias = tuple[tuple[str, PathValue | OutputSequence], ...]
"""Final values by name, sorted."""


def compute_final_states(
    program: Program, arguments: Mapping[str, PathValue], wanted: frozenset[str], limits: PathLimits
) -> Distribution:
    """Return the distribution of final states; raise ``Undecided`` if it is not finite or not
    rational.
    """
    try:
        found = enumerate_paths(program, arguments, limits)
    except OutOfScope as beyond:
        raise Undecided(f"{program.name}: {beyond}", program.place) from None
    weights: defaultdict[FinalState, Fraction] = defaultdict(Fraction)
    for path in found:
        if path.condition.distributions:
            raise Undecided(
                f"{program.name} draws from an infinite set; only finite noise can be enumerated",
                program.place,
            )
        if not isinstance(path.condition.weight, Fraction):
            raise Undecided(
                f"{program.name} draws with an irrational probability; use a rational one",
                program.place,
            )
        state = tuple(sorted((name, _read_final_value(program, path, name)) for name in wanted))
        weights[state] += path.condition.weight
    return Distribution(weights)


def _read_final_value(program: Program, path: ProgramPath, name: str) -> PathValue | OutputSequence:
    if name in path.variables:
        return _require_rational(program, path.variables[name])
    if name != RESULT:
        raise Undecided(
            f"{name} may be unassigned at the end of {program.name}; assign it on every path",
            program.place,
        )
    values = tuple(_require_rational(program, value) for value in path.outputs)
    return values[0] if len(values) == 1 else OutputSequence(values)


def _require_rational(program: Program, value: PathValue) -> PathValue:
    if not isinstance(value, (bool, Fraction, BitWord)):
        raise Undecided(
            f"{program.name} ends with an irrational number; use rational numbers", program.place
        )
    return value
