"""What answers say about the size of a group: bounds by linear programming, each with a proof that
is checked in whole numbers.

Unknown are the numbers x of people in each atom, whole and not negative. An answer i says low_i <=
a_i x <= high_i, a_i being 0 or 1 for each atom. To show g x <= u for a group g, it is enough to
have a **combination** c of the answers with

    c A >= g  (in every atom; x is not negative)      and then      g x <= c A x <= sum of c_i
    high_i (c_i > 0) and c_i low_i (c_i < 0).

HiGHS finds c in floating point; that is only a proposal. It is rounded to fractions, and both lines
are computed again in exact numbers: what does not pass is not claimed. Where whole numbers say more
than fractions, a search splits on x_j <= f or x_j >= f + 1, and every leaf has a combination of its
own, with the splits as further answers.
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

__all__ = ["AnswerSystem", "Combination", "unpack_bits"]

# coefficient of a combination: what needs larger ones nobody would find, or read
_MAX_COEFFICIENT: Final = 64.0
_MAX_DENOMINATOR: Final = 48
# what a coefficient costs, so that of equal combinations the shorter one is taken
_COEFFICIENT_COST: Final = 1e-6
_MAX_SEARCH_NODES: Final = 60  # of a search among whole numbers
_MAX_SEARCHED_ATOMS: Final = 200  # atoms at most, for it
# nearer to a whole number than this is one, for the choice of where to search; proofs do not rest
# on it
_INTEGER_TOLERANCE: Final = 1e-4
_MAX_PASSES: Final = 12  # of the tightest bound
_TOO_MANY: Final = (
    f"More than {_MAX_SEARCHED_ATOMS} groups are told apart: what follows only because people are"
    " whole was not searched for."
)
_TOO_LONG: Final = (
    f"A search for what follows only because people are whole was cut off after {_MAX_SEARCH_NODES}"
    " cases."
)


@dataclass(frozen=True, slots=True)
class Combination:
    """Answers by their place, each with the coefficient that it is multiplied by; what it shows
    is ``at_most``.
    """

    terms: tuple[tuple[int, Fraction], ...]
    upper_bound: Fraction

    @property
    def has_integer_coefficients(self) -> bool:
        """Whether its coefficients are whole numbers."""
        return all(coefficient.denominator == 1 for _, coefficient in self.terms)


@dataclass(frozen=True)
class AnswerSystem:
    """Answers about atoms: which atoms each counts (as bits), and between which ends it lies;
    None is no end.
    """

    atom_count: int
    members: tuple[int, ...]
    low: tuple[Fraction | None, ...]
    high: tuple[Fraction | None, ...]

    def __post_init__(self) -> None:
        if not len(self.members) == len(self.low) == len(self.high):
            raise InvalidArgument(
                "answers",
                "must have both ends each",
                (len(self.members), len(self.low), len(self.high)),
            )

    @classmethod
    def from_exact_answers(
        cls, atoms: int, answers: Sequence[tuple[int, Fraction]]
    ) -> AnswerSystem:
        """Of answers that were published as they are."""
        values = tuple(value for _, value in answers)
        return cls(atoms, tuple(bits for bits, _ in answers), values, values)

    @cached_property
    def search_notes(self) -> set[str]:
        """Why searches among whole numbers were cut off, where they were: a note for people
        each.
        """
        return set()

    @cached_property
    def exact_answers(self) -> tuple[int, ...]:
        """The answers of which both ends are the same."""
        return tuple(
            place
            for place, low in enumerate(self.low)
            if low is not None and low == self.high[place]
        )

    @cached_property
    def membership_matrix(self) -> Any:
        """A line for each answer, 1 for each atom that it counts."""
        found = np.zeros((len(self.members), self.atom_count), dtype=np.int64)
        for place, bits in enumerate(self.members):
            found[place] = unpack_bits(bits, self.atom_count)
        return found

    @cached_property
    def _bound_program(self) -> tuple[Any, Any, list[tuple[float, float]]]:
        """The linear program of all bounds: its lines, its prices, its ends. Plus a coefficient is
        bought at the upper end of an answer, minus at the lower end."""
        from scipy.sparse import csr_matrix

        price = [0.0 if end is None else float(end) for end in self.high] + [
            0.0 if end is None else -float(end) for end in self.low
        ]
        ends = [(0.0, 0.0 if end is None else _MAX_COEFFICIENT) for end in (*self.high, *self.low)]
        step = _COEFFICIENT_COST * (1.0 + max(map(abs, price), default=0.0) * 1e-6)
        lines = csr_matrix(self.membership_matrix.T.astype(np.float64))
        return _stack_columns(-lines, lines), np.array(price) + step, ends

    def find_upper_bound(self, group: Any) -> Combination | None:
        """The least upper bound on a sum of atoms that the linear program finds and exact
        numbers confirm; None where there is none.
        """
        proposal = self._propose_combination(group)
        return None if proposal is None else self._verify_combination(proposal[0], group)

    def is_proof(self, combination: Combination, group: Any) -> bool:
        """Whether a combination is a proof that the group has at most so many: in exact numbers."""
        return self._compute_bound(
            combination.terms
        ) == combination.upper_bound and self._covers_group(combination.terms, group)

    def bound_above(self, bits: int) -> tuple[int, Combination] | None:
        """How many the group has at most: a whole number, and the combination that shows it
        (before it is rounded down).
        """
        found = self.find_upper_bound(unpack_bits(bits, self.atom_count))
        return None if found is None else (math.floor(found.upper_bound), found)

    def bound_below(self, bits: int) -> tuple[int, Combination | None]:
        """How many it has at least; without a combination where that is 0 anyway. The combination
        shows that minus the group is at most so many."""
        found = self.find_upper_bound(-unpack_bits(bits, self.atom_count))
        if found is None or found.upper_bound >= 0:
            return 0, None
        return math.ceil(-found.upper_bound), found

    def bound_integers(
        self, bits: int, *, least: int = 0, met: list[Any] | None = None
    ) -> tuple[int, int | None]:
        """Both ends for whole numbers, which may be closer than the combinations show. The search
        is limited: then the ends stay wider. Where there may be fewer than ``least``, the upper end
        is not looked for. Tables that the linear program meets go to ``met``."""
        group = unpack_bits(bits, self.atom_count)
        end = self._find_integer_maximum(-group, met)
        low = max(0, 0 if end is None else -end)
        return low, self._find_integer_maximum(group, met) if low >= least else None

    def _find_integer_maximum(self, group: Any, met: list[Any] | None) -> int | None:
        """The most that g x can be, for whole x, as far as it can be shown."""
        proposal = self._propose_combination(group)
        shown = None if proposal is None else self._verify_combination(proposal[0], group)
        if proposal is None or shown is None:
            return None
        most = math.floor(shown.upper_bound)
        if met is not None:
            met.append(proposal[1])
        # Where the linear program met a table of whole numbers there is nothing to search for.
        if (
            float(np.max(np.abs(proposal[1] - np.round(proposal[1])))) > _INTEGER_TOLERANCE
            and self._can_search()
        ):
            for _ in range(_MAX_PASSES):
                if not self._is_excluded(group, most):
                    return most
                most -= 1
            self.search_notes.add(_TOO_LONG)
        return most

    def _can_search(self) -> bool:
        if self.atom_count > _MAX_SEARCHED_ATOMS:
            self.search_notes.add(_TOO_MANY)
        return self.atom_count <= _MAX_SEARCHED_ATOMS

    def _is_excluded(self, group: Any, value: int) -> bool:
        """Whether a limited search shows that no table of whole numbers has g x >= value."""
        left = [_MAX_SEARCH_NODES]
        shown = self._search_impossibility(group, value, left)
        if not shown and left[0] < 0:
            self.search_notes.add(_TOO_LONG)
        return shown

    def find_empty_atoms(self) -> tuple[int, Combination | None]:
        """The atoms in which there can be nobody, as bits, and one combination that shows it of
        all of them together.
        """
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
        kept = 0  # together they could not be confirmed; one by one some of them can
        for place in range(self.atom_count if self._can_search() else 0):
            single = likely & 1 << place
            alone = self.bound_above(single) if single else None
            kept |= single if alone is not None and alone[0] <= 0 else 0
        return kept, None

    def find_contradiction(self) -> Combination | None:
        """A combination that shows a sum of nobody to be below 0: then no table has these
        answers.
        """
        found = self.find_upper_bound(np.zeros(self.atom_count, dtype=np.int64))
        if found is None or found.upper_bound >= 0:
            return None
        # any multiple shows the same
        least = min(abs(coefficient) for _, coefficient in found.terms)
        return Combination(
            tuple((place, coefficient / least) for place, coefficient in found.terms),
            found.upper_bound / least,
        )

    def is_impossible(self) -> bool:
        """Whether no table of whole numbers has these answers, as far as a limited search shows
        it.
        """
        return self._can_search() and self._is_excluded(
            np.zeros(self.atom_count, dtype=np.int64), 0
        )

    def drop_answer(self, place: int) -> AnswerSystem:
        """All answers but one."""
        cut = [each[:place] + each[place + 1 :] for each in (self.members, self.low, self.high)]
        return AnswerSystem(self.atom_count, *cut)  # type: ignore[arg-type]

    def find_equal_combination(
        self, group: Any, among: int, places: Sequence[int]
    ) -> tuple[tuple[int, Fraction], ...] | None:
        """The shortest combination with c A = g in the atoms ``among``, of the answers at
        ``places``, whatever they say; or None.
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
        terms = _round_coefficients(found.x[: len(usable)] - found.x[len(usable) :], usable)
        scale = math.lcm(*(c.denominator for _, c in terms)) if terms else 1
        total = sum(
            (int(c * scale) * lines[usable.index(place)] for place, c in terms),
            np.zeros(columns.size, dtype=np.int64),
        )
        return terms if bool(np.all(total == scale * group[columns])) else None

    def _propose_combination(self, group: Any) -> tuple[Any, Any] | None:
        """Coefficients and sizes of atoms, in floating point."""
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
        terms = _round_coefficients(coefficients, range(len(self.members)))
        price = self._compute_bound(terms)
        return (
            Combination(terms, price)
            if price is not None and self._covers_group(terms, group)
            else None
        )

    def _compute_bound(self, terms: Sequence[tuple[int, Fraction]]) -> Fraction | None:
        total = Fraction(0)
        for place, coefficient in terms:
            end = self.high[place] if coefficient > 0 else self.low[place]
            if end is None:
                return None
            total += coefficient * end
        return total

    def _covers_group(self, terms: Sequence[tuple[int, Fraction]], group: Any) -> bool:
        scale = math.lcm(*(c.denominator for _, c in terms)) if terms else 1
        total = np.zeros(self.atom_count, dtype=np.int64)
        for place, coefficient in terms:
            total += int(coefficient * scale) * unpack_bits(self.members[place], self.atom_count)
        return bool(np.all(total >= scale * group))

    @cached_property
    def interior_sizes(self) -> Any | None:
        """Sizes of atoms that fit the answers, in floating point, with somebody in every atom
        that can have anybody; or None.
        """
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix, identity, vstack

        lines, _, ends = self._bound_program
        used = [place for place, (_, most) in enumerate(ends) if most]
        if not used:
            return None
        # max of sum t, 0 <= t <= 1, t <= x, and x a solution for answers that are all multiplied by
        # the same s >= 1
        limits = [end for each in (self.high, self.low) for end in each]
        sides = [-1.0] * len(self.high) + [1.0] * len(self.low)
        last = csr_matrix(np.array([[sides[place] * float(limits[place] or 0)] for place in used]))
        above = _stack_columns(
            _stack_columns(-lines.T.tocsr()[used], last), csr_matrix((len(used), self.atom_count))
        )
        single = identity(self.atom_count)
        below = _stack_columns(_stack_columns(-single, csr_matrix((self.atom_count, 1))), single)
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
        """Which groups (a line of 0 and 1 each) have the same size in all tables in fractions, as
        far as floating point shows: those on which no change that leaves every exact answer as it
        is has an effect. From a table with somebody in every other atom every such change is
        possible in both directions."""
        free = np.flatnonzero(1 - unpack_bits(empty, self.atom_count))
        lines = self.membership_matrix[list(self.exact_answers)][:, free].astype(np.float64)
        # Any vectors in general position do; these are the same on every run.
        start = np.modf(np.outer(np.arange(1, free.size + 1), np.sqrt([2.0, 3.0, 5.0])))[0] - 0.5
        change = (
            start - lines.T @ np.linalg.lstsq(lines.T, start, rcond=None)[0]
            if lines.size
            else start
        )
        return np.all(np.abs(groups[:, free] @ change) < 1e-7 * math.sqrt(free.size + 1), axis=1)

    def _search_impossibility(self, group: Any, value: int, left: list[int]) -> bool:
        """Whether no table of whole numbers has g x >= value: shown at every leaf by a
        combination.
        """
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
        return self._add_atom_bounds(place, None, floor)._search_impossibility(
            group, value, left
        ) and self._add_atom_bounds(place, floor + 1, None)._search_impossibility(
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


def _stack_columns(left: Any, right: Any) -> Any:
    from scipy.sparse import hstack

    return hstack([left, right], format="csr")


def unpack_bits(bits: int, atoms: int) -> Any:
    """Bits as an array of 0 and 1."""
    raw = np.frombuffer(bits.to_bytes((atoms + 7) // 8 or 1, "little"), dtype=np.uint8)
    return np.unpackbits(raw, bitorder="little")[:atoms].astype(np.int64)


def _round_coefficients(
    coefficients: Any, places: Sequence[int]
) -> tuple[tuple[int, Fraction], ...]:
    found = []
    for place, value in zip(places, coefficients.tolist(), strict=True):
        coefficient = Fraction(value).limit_denominator(_MAX_DENOMINATOR)
        if coefficient:
            found.append((place, coefficient))
    return tuple(found)
