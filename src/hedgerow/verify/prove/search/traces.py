"""Traces: small concrete inputs and noises that shifts must survive.

They come from coarse grids, with neighbours mostly at the extremes of the relation, where wrong
shifts fail first; and in a fixed order, so that a search always gives the same result.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hedgerow.verify.language.assumptions import is_epsilon_name
from hedgerow.verify.language.program import Kind, Noise, Program, Relation
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.related_inputs import RelatedInputs
from hedgerow.verify.prove.search.evaluate import TraceAbandoned, Value

__all__ = ["FixedChoices", "Trace"]

_ADDED_ROW = -1  # the key of the added row

GRID_VALUES = [n / 2 for n in range(-6, 7)]
NEIGHBOUR_MOVES = [1.0, -1.0, 1.0, -1.0, 0.0, 0.5, -0.5]


@dataclass
class FixedChoices:
    """Deterministic choices, the same for every search and unrelated to noise."""

    name: str
    _count: int = 0

    def below(self, bound: int) -> int:
        self._count += 1
        return (
            int.from_bytes(
                hashlib.blake2b(f"{self.name}/{self._count}".encode(), digest_size=6).digest()
            )
            % bound
        )

    def pick(self, several: Sequence[Any]) -> Any:
        return several[self.below(len(several))]


@dataclass
class Trace:
    """Inputs and noises of one pair of runs, generated on demand."""

    program: Program
    choices: FixedChoices
    positive: frozenset[str] = frozenset()  # public parameters in positive scales
    length: int = 0
    related: RelatedInputs | None = None  # of a judgement
    entries: dict[tuple[str, int], tuple[Value, Value]] = field(default_factory=dict)
    scalars: dict[str, tuple[Value, Value]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._is_row_relation = self.program.claim.neighbours.relation is Relation.ROW
        self._draws: list[Value] = []
        if not self.length:  # a cost may add up over the entries
            self.length = 4 if self._is_row_relation else self.choices.pick([4, 4, 9])
        # Some sites draw large noise throughout, others small: loops then run long or end at once.
        self._bias = {one.site: 5 * (self.choices.below(3) - 1) for one in self.program.samples}
        self._distance_left = float(self.program.claim.neighbours.k)
        secret = [
            one
            for one in self.program.parameters
            if one.private
            and (one.list if self._is_row_relation else one.kind in (Kind.INT, Kind.REAL))
        ]
        self._changed_entry = (
            (self.choices.pick(secret).name, self.choices.below(3)) if secret else ("", 0)
        )
        if self.related is not None:
            self._find_related_scalars(self.related)
            return
        for one in self.program.parameters:
            if one.list:
                continue
            if one.private:
                self.scalars[one.name] = self._make_pair(one.kind, one.name, self._changed_entry[1])
            else:
                same = self._make_public(one.name, one.kind)
                self.scalars[one.name] = (same, same)

    def _find_related_scalars(self, related: RelatedInputs) -> None:
        def pick() -> list[Fraction]:
            return [Fraction(self.choices.pick(GRID_VALUES)) for _ in range(3)]

        found = related.find_pair(pick)
        if found is None:
            raise UnsupportedProgram("no inputs were found that satisfy the precondition")
        for name, pair in found.items():
            first, second = (
                one if isinstance(one, bool) else int(one) if one.denominator == 1 else float(one)
                for one in pair
            )
            self.scalars[name] = (first, second)

    def _make_public(self, name: str, kind: Kind) -> Value:
        if is_epsilon_name(name):
            return 1
        if name == "delta":
            return 0.01
        if kind is Kind.BOOL:
            return bool(self.choices.below(2))
        if kind is Kind.INT:
            return self.choices.pick([1, 1, 2, 3, 12, 12])
        return self.choices.pick(GRID_VALUES[7:11] if name in self.positive else GRID_VALUES[4:10])

    def _make_pair(self, kind: Kind, name: str, index: int) -> tuple[Value, Value]:
        if kind is Kind.BOOL:
            first = bool(self.choices.below(2))
            return first, (
                bool(self.choices.below(2))
                if self.program.claim.neighbours.relation is Relation.SECRET
                else first
            )
        base = self.choices.pick(GRID_VALUES)
        move = self._make_move(name, index)
        return (
            (math.floor(base), math.floor(base) + round(move))
            if kind is Kind.INT
            else (base, base + move)
        )

    def _make_move(self, name: str, index: int) -> float:
        move: float = self.choices.pick(NEIGHBOUR_MOVES)
        match self.program.claim.neighbours.relation:
            case Relation.ROW:
                return 0.0
            case Relation.ONE:
                return move if (name, index) == self._changed_entry else 0.0
            case Relation.INCREASING:
                return abs(move)
            case Relation.DECREASING:
                return -abs(move)
            case Relation.SECRET:
                return move * 3
            case Relation.L1 | Relation.GROUP:
                move = move * min(self._distance_left, 1.0)
                self._distance_left -= (
                    1
                    if move and self.program.claim.neighbours.relation is Relation.GROUP
                    else abs(move)
                )
                return move
            case _:
                return move

    def length_in_run(self, name: str, run: int) -> int:
        """Return the length in one run; under "row" one list has one more entry in the second."""
        return self.length + (
            run if self._is_row_relation and name == self._changed_entry[0] else 0
        )

    def read_entry(self, name: str, run: int, index: int) -> Value:
        parameter = self.program.find_parameter(name)
        assert parameter is not None
        if self._is_row_relation and run == 1 and name == self._changed_entry[0]:
            where = self._changed_entry[1]
            return self.read_entry(
                name, 0, index if index < where else _ADDED_ROW if index == where else index - 1
            )
        if (name, index) not in self.entries:
            pair = self._make_pair(parameter.kind, name, index)
            self.entries[name, index] = pair if parameter.private else (pair[0], pair[0])
        return self.entries[name, index][run]

    def draw_noise(
        self, number: int, site: int, noise: Noise, parameters: Sequence[Value]
    ) -> Value:
        """Return the draw with this number, the same on every call."""
        while len(self._draws) <= number:
            drawn = self.choices.pick(GRID_VALUES) + self._bias[site]
            match noise:
                case Noise.BERNOULLI:
                    drawn = bool(self.choices.below(2))
                case Noise.GEOMETRIC:
                    drawn = math.floor(drawn)
                case Noise.EXPONENTIAL:
                    drawn = self.choices.pick([0, 0.5, abs(drawn), abs(drawn)])
                case Noise.UNIFORM:
                    drawn = (
                        parameters[0] + (parameters[1] - parameters[0]) * self.choices.below(9) / 8
                    )
                case Noise.BITS:
                    raise TraceAbandoned
                case _:
                    pass
            self._draws.append(drawn)
        return self._draws[number]
