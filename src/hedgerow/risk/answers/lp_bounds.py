"""Bounds on the size of a group, by linear programming, each with a proof checked in whole
numbers.

| symbol | meaning |
|---|---|
| x | the numbers of people in each atom, unknown, whole and not negative |
| a_i | the atoms that answer i counts, 0 or 1 each; A has a row for each answer |
| low_i, high_i | the bounds of answer i: low_i <= a_i x <= high_i |
| g | the atoms of a group, 0 or 1 each |
| c | a **combination**: a coefficient c_i for each answer |

To prove g x <= u for a group g, it is enough to have a combination c of the answers with

    c A >= g  (in every atom; x is not negative)      and then
    g x <= c A x <= sum of c_i high_i (c_i > 0) and c_i low_i (c_i < 0).

HiGHS finds c in floating point; that is only a proposal. It is rounded to fractions, and both lines
are computed again in exact numbers: nothing is claimed that does not pass. Where whole numbers
allow less than fractions, a search splits on x_j <= f or x_j >= f + 1; every leaf has a combination
of its own, with the splits as further answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.linear_combinations import (
    Combination,
    Terms,
    round_coefficients,
    stack_columns,
    unpack_bits,
)

__all__ = ["AnswerSystem"]

# larger coefficients nobody would find, or read
_MAX_COEFFICIENT: Final = 64.0
# a price on coefficients, so that the shorter of two equal combinations is taken
_COEFFICIENT_COST: Final = 1e-6
_MAX_SEARCH_NODES: Final = 60  # of a search over whole numbers
_MAX_SEARCHED_ATOMS: Final = 200  # more are not searched
# Numbers this close to a whole one count as whole when the search chooses where to split; proofs do
# not depend on it.
_INTEGER_TOLERANCE: Final = 1e-4
_MAX_PASSES: Final = 12  # in search of the tightest bound
_TOO_MANY: Final = (
    f"There are more than {_MAX_SEARCHED_ATOMS} groups: conclusions that need whole people were not"
    " searched for."
)
_TOO_LONG: Final = (
    f"A search for conclusions that need whole people was cut off after {_MAX_SEARCH_NODES} cases."
)


@dataclass(frozen=True)
class AnswerSystem:
    """Answers about atoms: the atoms that each counts, as bits, and its bounds; None is no
    bound.
    """

    atom_count: int
    members: tuple[int, ...]
    low: tuple[Fraction | None, ...]
    high: tuple[Fraction | None, ...]

    def __post_init__(self) -> None:
        if not len(self.members) == len(self.low) == len(self.high):
            sizes = len(self.members), len(self.low), len(self.high)
            raise InvalidArgument("answers", "must have both bounds each", sizes)

    @classmethod
    def from_exact_answers(
        cls, atoms: int, answers: Sequence[tuple[int, Fraction]]
    ) -> AnswerSystem:
        """Build a system of answers that were published exactly."""
        values = tuple(value for _, value in answers)
        return cls(atoms, tuple(bits for bits, _ in answers), values, values)

    @cached_property
    def search_notes(self) -> set[str]:
        """Notes on searches over whole numbers that were cut off."""
        return set()

    @cached_property
    def exact_answers(self) -> tuple[int, ...]:
        """The places of answers whose bounds are equal."""
        return tuple(
            place
            for place, low in enumerate(self.low)
            if low is not None and low == self.high[place]
        )

    @cached_property
    def membership_matrix(self) -> Any:
        """The matrix A: a row for each answer, 1 for each atom that it counts."""
        matrix = np.zeros((len(self.members), self.atom_count), dtype=np.int64)
        for place, bits in enumerate(self.members):
            matrix[place] = unpack_bits(bits, self.atom_count)
        return matrix

    @cached_property
    def _bound_program(self) -> tuple[Any, Any, list[tuple[float, float]]]:
        """The linear program of all bounds: constraints, prices and limits.

        A positive coefficient costs the upper bound of its answer, a negative one the lower bound.
        """
        from scipy.sparse import csr_matrix

        price = [0.0 if end is None else float(end) for end in self.high] + [
            0.0 if end is None else -float(end) for end in self.low
        ]
        ends = [(0.0, 0.0 if end is None else _MAX_COEFFICIENT) for end in (*self.high, *self.low)]
        step = _COEFFICIENT_COST * (1.0 + max(map(abs, price), default=0.0) * 1e-6)
        lines = csr_matrix(self.membership_matrix.T.astype(np.float64))
        return stack_columns(-lines, lines), np.array(price) + step, ends

    def find_upper_bound(self, group: Any) -> Combination | None:
        """Return the least upper bound on a sum of atoms that is proved in exact numbers, or
        None.
        """
        proposal = self._propose_combination(group)
        return None if proposal is None else self._verify_combination(proposal[0], group)

    def is_proof(self, combination: Combination, group: Any) -> bool:
        """Return whether a combination proves its upper bound for the group, in exact numbers."""
        bound = self._compute_bound(combination.terms)
        return bound == combination.upper_bound and self._covers_group(combination.terms, group)

    def bound_above(self, bits: int) -> tuple[int, Combination] | None:
        """Return the largest size of a group, with its proof (before rounding down); None if
        unbounded.
        """
        found = self.find_upper_bound(unpack_bits(bits, self.atom_count))
        return None if found is None else (math.floor(found.upper_bound), found)

    def bound_below(self, bits: int) -> tuple[int, Combination | None]:
        """Return the smallest size of a group, with its proof if it is above 0.

        The proof bounds minus the group from above.
        """
        found = self.find_upper_bound(-unpack_bits(bits, self.atom_count))
        if found is None or found.upper_bound >= 0:
            return 0, None
        return math.ceil(-found.upper_bound), found

    def bound_integers(
        self, bits: int, *, least: int = 0, met: list[Any] | None = None
    ) -> tuple[int, int | None]:
        """Return both bounds for whole numbers, which may be tighter than the combinations
        prove.

        The search is limited; when it is cut off, the bounds stay wider. If the lower bound is
        below ``least``, the upper one is not searched for. Solutions of the linear program are
        appended to ``met``.
        """
        group = unpack_bits(bits, self.atom_count)
        end = self._find_integer_maximum(-group, met)
        low = max(0, 0 if end is None else -end)
        return low, self._find_integer_maximum(group, met) if low >= least else None

    def _find_integer_maximum(self, group: Any, met: list[Any] | None) -> int | None:
        """Return the largest g x for whole x, as far as it can be proved."""
        proposal = self._propose_combination(group)
        shown = None if proposal is None else self._verify_combination(proposal[0], group)
        if proposal is None or shown is None:
            return None
        maximum, sizes = math.floor(shown.upper_bound), proposal[1]
        if met is not None:
            met.append(sizes)
        # A solution in whole numbers cannot be improved by a search.
        is_whole = float(np.max(np.abs(sizes - np.round(sizes)))) <= _INTEGER_TOLERANCE
        if not is_whole and self._can_search():
            for _ in range(_MAX_PASSES):
                if not self._is_excluded(group, maximum):
                    return maximum
                maximum -= 1
            self.search_notes.add(_TOO_LONG)
        return maximum

    def _can_search(self) -> bool:
        if self.atom_count > _MAX_SEARCHED_ATOMS:
            self.search_notes.add(_TOO_MANY)
        return self.atom_count <= _MAX_SEARCHED_ATOMS

    def _is_excluded(self, group: Any, value: int) -> bool:
        """Return whether a limited search proves that no table of whole numbers has g x >=
        value.
        """
        left = [_MAX_SEARCH_NODES]
        shown = self._search_impossibility(group, value, left)
        if not shown and left[0] < 0:
            self.search_notes.add(_TOO_LONG)
        return shown

    def find_empty_atoms(self) -> tuple[int, Combination | None]:
        """Return the atoms that must be empty, as bits, and a proof for all of them together."""
        inner = self.interior_sizes
        likely = (
            0
            if inner is None
            else sum(1 << place for place, size in enumerate(inner.tolist()) if size == 0)
        )
        if not likely:
            return 0, None
        found = self.find_upper_bound(unpack_bits(likely, self.atom_count))
        if found is not None and found.upper_bound < 1:
            return likely, found
        kept = 0  # not confirmed together; some may be confirmed one by one
        for place in range(self.atom_count if self._can_search() else 0):
            single = likely & 1 << place
            alone = self.bound_above(single) if single else None
            kept |= single if alone is not None and alone[0] <= 0 else 0
        return kept, None

    def find_contradiction(self) -> Combination | None:
        """Return a combination that makes a sum over nobody negative: then no table has these
        answers.
        """
        found = self.find_upper_bound(np.zeros(self.atom_count, dtype=np.int64))
        if found is None or found.upper_bound >= 0:
            return None
        # Any multiple proves the same; take the one whose smallest coefficient is 1.
        smallest = min(abs(coefficient) for _, coefficient in found.terms)
        return Combination(
            tuple((place, coefficient / smallest) for place, coefficient in found.terms),
            found.upper_bound / smallest,
        )

    def is_impossible(self) -> bool:
        """Return whether a limited search proves that no table of whole numbers has these
        answers.
        """
        nobody = np.zeros(self.atom_count, dtype=np.int64)
        return self._can_search() and self._is_excluded(nobody, 0)

    def drop_answer(self, place: int) -> AnswerSystem:
        """Return the system without one answer."""
        cut = [each[:place] + each[place + 1 :] for each in (self.members, self.low, self.high)]
        return AnswerSystem(self.atom_count, *cut)  # type: ignore[arg-type]

    def find_equal_combination(self, group: Any, among: int, places: Sequence[int]) -> Terms | None:
        """Return the shortest combination with c A = g in the atoms ``among``, or None.

        It uses the answers at ``places``, whatever their values.
        """
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix

        usable = [place for place in places if self.members[place] & among]
        columns = np.flatnonzero(unpack_bits(among, self.atom_count))
        if not usable or not columns.size:
            return None
        lines = self.membership_matrix[usable][:, columns]
        both = csr_matrix(np.hstack([lines.T, -lines.T]).astype(np.float64))
        found = linprog(
            np.ones(2 * len(usable)),
            A_eq=both,
            b_eq=group[columns],
            bounds=(0, _MAX_COEFFICIENT),
            method="highs",
        )
        if found.status != 0:
            return None
        terms = round_coefficients(found.x[: len(usable)] - found.x[len(usable) :], usable)
        scale = math.lcm(*(c.denominator for _, c in terms)) if terms else 1
        total = sum(
            (int(c * scale) * lines[usable.index(place)] for place, c in terms),
            np.zeros(columns.size, dtype=np.int64),
        )
        return terms if bool(np.all(total == scale * group[columns])) else None

    def _propose_combination(self, group: Any) -> tuple[Any, Any] | None:
        """Return coefficients and sizes of atoms, in floating point."""
        from scipy.optimize import linprog

        if not self.members:
            return None
        lines, price, ends = self._bound_program
        found = linprog(
            price, A_ub=lines, b_ub=-group.astype(np.float64), bounds=ends, method="highs-ds"
        )
        if found.status != 0:
            return None
        return found.x[: len(self.members)] - found.x[len(self.members) :], -found.ineqlin.marginals

    def _verify_combination(self, coefficients: Any, group: Any) -> Combination | None:
        terms = round_coefficients(coefficients, range(len(self.members)))
        price = self._compute_bound(terms)
        if price is None or not self._covers_group(terms, group):
            return None
        return Combination(terms, price)

    def _compute_bound(self, terms: Terms) -> Fraction | None:
        total = Fraction(0)
        for place, coefficient in terms:
            end = self.high[place] if coefficient > 0 else self.low[place]
            if end is None:
                return None
            total += coefficient * end
        return total

    def _covers_group(self, terms: Terms, group: Any) -> bool:
        scale = math.lcm(*(c.denominator for _, c in terms)) if terms else 1
        total = np.zeros(self.atom_count, dtype=np.int64)
        for place, coefficient in terms:
            total += int(coefficient * scale) * unpack_bits(self.members[place], self.atom_count)
        return bool(np.all(total >= scale * group))

    @cached_property
    def interior_sizes(self) -> Any | None:
        """Sizes of atoms that fit the answers, above 0 in every atom that can be; or None.

        They are in floating point.
        """
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix, identity, vstack

        lines, _, ends = self._bound_program
        used = [place for place, (_, limit) in enumerate(ends) if limit]
        if not used:
            return None
        # Maximise sum t with 0 <= t <= 1, t <= x, where x solves the answers multiplied by a common
        # s >= 1.
        limits = [end for each in (self.high, self.low) for end in each]
        sides = [-1.0] * len(self.high) + [1.0] * len(self.low)
        last = csr_matrix(np.array([[sides[place] * float(limits[place] or 0)] for place in used]))
        above = stack_columns(
            stack_columns(-lines.T.tocsr()[used], last), csr_matrix((len(used), self.atom_count))
        )
        single = identity(self.atom_count)
        below = stack_columns(stack_columns(-single, csr_matrix((self.atom_count, 1))), single)
        found = linprog(
            np.append(np.zeros(self.atom_count + 1), -np.ones(self.atom_count)),
            A_ub=vstack([above, below], format="csr"),
            b_ub=np.zeros(len(used) + self.atom_count),
            bounds=[(0, None)] * self.atom_count + [(1, None)] + [(0, 1)] * self.atom_count,
            method="highs",
        )
        if found.status != 0:
            return None
        sizes = np.where(found.x[self.atom_count + 1 :] < 0.5, 0.0, found.x[: self.atom_count])
        return sizes / found.x[self.atom_count]

    def find_fixed_groups(self, groups: Any, empty: int) -> Any:
        """Return which groups (rows of 0 and 1) have the same size in all fractional tables.

        These are the groups unaffected by every change that leaves all exact answers unchanged, as
        far as floating point shows. From a table without empty atoms other than ``empty``, every
        such change is possible in both directions.
        """
        free = np.flatnonzero(1 - unpack_bits(empty, self.atom_count))
        lines = self.membership_matrix[list(self.exact_answers)][:, free].astype(np.float64)
        # Any vectors in general position will do; these are the same on every run.
        start = np.modf(np.outer(np.arange(1, free.size + 1), np.sqrt([2.0, 3.0, 5.0])))[0] - 0.5
        change = (
            start - lines.T @ np.linalg.lstsq(lines.T, start, rcond=None)[0]
            if lines.size
            else start
        )
        return np.all(np.abs(groups[:, free] @ change) < 1e-7 * math.sqrt(free.size + 1), axis=1)

    def _search_impossibility(self, group: Any, value: int, left: list[int]) -> bool:
        """Return whether no table of whole numbers has g x >= value, proved at every leaf."""
        left[0] -= 1
        proposal = self._propose_combination(group)
        if left[0] < 0 or proposal is None:
            return False
        shown = self._verify_combination(proposal[0], group)
        if shown is not None and shown.upper_bound < value:
            return True
        sizes = proposal[1]
        apart = np.abs(sizes - np.round(sizes))
        place = int(np.argmax(apart))
        if apart[place] < _INTEGER_TOLERANCE:
            return False
        floor = math.floor(float(sizes[place]))
        below = self._add_atom_bounds(place, None, floor)
        above = self._add_atom_bounds(place, floor + 1, None)
        return below._search_impossibility(group, value, left) and above._search_impossibility(
            group, value, left
        )

    def _add_atom_bounds(self, place: int, low: int | None, high: int | None) -> AnswerSystem:
        ends = (None if low is None else Fraction(low)), (None if high is None else Fraction(high))
        return AnswerSystem(
            self.atom_count,
            (*self.members, 1 << place),
            (*self.low, ends[0]),
            (*self.high, ends[1]),
        )
