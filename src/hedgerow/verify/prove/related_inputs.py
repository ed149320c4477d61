"""Concrete inputs that a judgement's precondition relates, found by z3.

Values come in order of preference: each is taken if the precondition still holds with it. So the
inputs are small and readable, or at the corners of the relation, where wrong claims fail first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hedgerow.verify.language.program import Kind, Program
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import to_rational_function
from hedgerow.verify.prove.rules.scale_facts import find_positive_parameters, find_scales
from hedgerow.verify.prove.solver import Term, make_solver, z3
from hedgerow.verify.prove.sorts import infer_sorts
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs

__all__ = ["RelatedInputs", "ScalarPairs"]

ScalarPairs = dict[str, tuple[Fraction | bool, Fraction | bool]]
_WORK = 200_000
_LARGEST = 64
_BASES = (
    ("0", "1", "2", "1/2", "-1"),
    ("1", "2", "1/2", "0", "-1"),
    ("-1", "0", "1", "2", "1/2"),
    ("1/2", "3/2", "1", "1/4", "3"),
    ("10", "4", "2", "1", "0"),
)
_EXTENTS = (32, 8, 2, 1, Fraction(1, 2), Fraction(1, 4), Fraction(1, 16))


@dataclass
class RelatedInputs:
    """The scalar inputs that the precondition of a judgement's program allows."""

    program: Program

    def __post_init__(self) -> None:
        inputs = SymbolicInputs(self.program, infer_sorts(self.program))
        self._pairs = {name: pair for name, pair in inputs.scalars.items() if not z3.is_bv(pair[0])}
        self._solver = make_solver(_WORK)
        self._solver.add(*inputs.facts)
        try:
            scales = find_scales(self.program).values()
            known = find_positive_parameters(
                self.program, [to_rational_function(one, {}) for one in scales]
            )
        except UnsupportedProgram:  # a scale that differs between the runs, say
            known = frozenset()
        self._solver.add(*[self._pairs[name][0] > 0 for name in sorted(known & set(self._pairs))])
        numbers = [one for pair in self._pairs.values() for one in pair if not z3.is_bool(one)]
        self._solver.add(*[z3.And(one >= -_LARGEST, one <= _LARGEST) for one in numbers])

    @property
    def _moves(self) -> list[Term]:
        """The private numbers' differences between the runs."""
        names = [
            one.name
            for one in self.program.parameters
            if one.private and one.name in self._pairs and one.kind in (Kind.INT, Kind.REAL)
        ]
        return [self._pairs[name][1] - self._pairs[name][0] for name in names]

    def find_pair(self, pick: Callable[[], Iterable[Fraction]]) -> ScalarPairs | None:
        """Return one pair of inputs whose values are the first possible ones that ``pick`` lists;
        None if z3 finds none.
        """
        self._solver.push()
        try:
            if self._solver.check() != z3.sat:
                return None
            return {
                name: (self._settle(pair[0], pick()), self._settle(pair[1], pick()))
                for name, pair in self._pairs.items()
            }
        finally:
            self._solver.pop()

    def iterate_corners(self) -> Iterator[ScalarPairs]:
        """Yield pairs of inputs that are as far apart as the precondition allows, in each
        direction, at several levels.
        """
        moves = self._moves
        signs = [one for one in product((1, -1, 0), repeat=min(3, len(moves))) if any(one)] or [()]
        for base in _BASES:
            for sign in signs:
                self._solver.push()
                for factor, move in zip(sign, moves, strict=False):
                    self._keep_extreme(factor, move)
                found = self.find_pair(lambda base=base: map(Fraction, base))  # type: ignore[misc]
                self._solver.pop()
                if found is not None:
                    yield found

    def _keep_extreme(self, factor: int, move: Term) -> None:
        """Require the largest extent of a move in this direction that is possible."""
        wanted: Sequence[Term] = (
            [factor * move >= _to_term(one) for one in _EXTENTS] if factor else [move == 0]
        )
        for condition in wanted:
            if self._solver.check(condition) == z3.sat:
                self._solver.add(condition)
                return

    def _settle(self, term: Term, values: Iterable[Fraction]) -> Fraction | bool:
        """Return a term's value: the first value that is possible, or one that z3 proposes."""
        options = [_to_term(one) for one in values]
        if z3.is_bool(term):
            options = [z3.BoolVal(bool(one.as_fraction() > 0)) for one in options]
        elif z3.is_int(term):
            options = [z3.ToInt(one) for one in options]
        for one in options:
            if self._solver.check(term == one) == z3.sat:
                self._solver.add(term == one)
                break
        self._solver.check()
        value = self._solver.model().eval(term, model_completion=True)
        self._solver.add(term == value)
        if z3.is_bool(term):
            return bool(z3.is_true(value))
        return Fraction(str(value.as_fraction() if not z3.is_int(value) else value.as_long()))


def _to_term(value: Fraction | int) -> Term:
    return z3.RealVal(str(Fraction(value)))
