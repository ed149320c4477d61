"""What answers say about the size of a group: bounds by linear programming, each with a proof that is checked in whole numbers.

Unknown are the numbers x of people in each atom, whole and not negative. An answer i says low_i <= a_i x <= high_i, a_i being 0 or 1 for
each atom. To show g x <= u for a group g, it is enough to have a **combination** c of the answers with

    c A >= g  (in every atom; x is not negative)      and then      g x <= c A x <= sum of c_i high_i (c_i > 0) and c_i low_i (c_i < 0).

HiGHS finds c in floating point; that is only a proposal. It is rounded to fractions, and both lines are computed again in exact numbers:
what does not pass is not claimed. Where whole numbers say more than fractions, a search splits on x_j <= f or x_j >= f + 1, and every leaf
has a combination of its own, with the splits as further answers.
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

__all__ = ["Combination", "System", "spread"]

_LARGEST: Final = 64.0  # coefficient of a combination: what needs larger ones nobody would find, or read
_DENOMINATOR: Final = 48
_SMALL: Final = 1e-6  # what a coefficient costs, so that of equal combinations the shorter one is taken
_NODES: Final = 60  # of a search among whole numbers
_SEARCHED: Final = 200  # atoms at most, for it
_WHOLE: Final = 1e-4  # nearer to a whole number than this is one, for the choice of where to search; proofs do not rest on it
_PASSES: Final = 12  # of the tightest bound
_TOO_MANY: Final = f"More than {_SEARCHED} groups are told apart: what follows only because people are whole was not searched for."
_TOO_LONG: Final = f"A search for what follows only because people are whole was cut off after {_NODES} cases."


@dataclass(frozen=True, slots=True)
class Combination:
    """Answers by their place, each with the coefficient that it is multiplied by; what it shows is ``at_most``."""

    terms: tuple[tuple[int, Fraction], ...]
    at_most: Fraction

    @property
    def exact(self) -> bool:
        """Whether its coefficients are whole numbers."""
        return all(coefficient.denominator == 1 for _, coefficient in self.terms)


@dataclass(frozen=True)
class System:
    """Answers about atoms: which atoms each counts (as bits), and between which ends it lies; None is no end."""

    atoms: int
    members: tuple[int, ...]
    low: tuple[Fraction | None, ...]
    high: tuple[Fraction | None, ...]

    def __post_init__(self) -> None:
        if not len(self.members) == len(self.low) == len(self.high):
            raise InvalidArgument("answers", "must have both ends each", (len(self.members), len(self.low), len(self.high)))

    @classmethod
    def exactly(cls, atoms: int, answers: Sequence[tuple[int, Fraction]]) -> System:
        """Of answers that were published as they are."""
        values = tuple(value for _, value in answers)
        return cls(atoms, tuple(bits for bits, _ in answers), values, values)

    @cached_property
    def stopped(self) -> set[str]:
        """Why searches among whole numbers were cut off, where they were: a note for people each."""
        return set()

    @cached_property
    def exact(self) -> tuple[int, ...]:
        """The answers of which both ends are the same."""
        return tuple(place for place, low in enumerate(self.low) if low is not None and low == self.high[place])

    @cached_property
    def matrix(self) -> Any:
        """A line for each answer, 1 for each atom that it counts."""
        found = np.zeros((len(self.members), self.atoms), dtype=np.int64)
        for place, bits in enumerate(self.members):
            found[place] = spread(bits, self.atoms)
        return found

    @cached_property
    def _bought(self) -> tuple[Any, Any, list[tuple[float, float]]]:
        """The linear program of all bounds: its lines, its prices, its ends. Plus a coefficient is bought at the upper end of an answer,
        minus at the lower end."""
        from scipy.sparse import csr_matrix

        price = [0.0 if end is None else float(end) for end in self.high] + [0.0 if end is None else -float(end) for end in self.low]
        ends = [(0.0, 0.0 if end is None else _LARGEST) for end in (*self.high, *self.low)]
        step = _SMALL * (1.0 + max(map(abs, price), default=0.0) * 1e-6)
        lines = csr_matrix(self.matrix.T.astype(np.float64))
        return _beside(-lines, lines), np.array(price) + step, ends

    def upper(self, group: Any) -> Combination | None:
        """The least upper bound on a sum of atoms that the linear program finds and exact numbers confirm; None where there is none."""
        proposal = self._proposal(group)
        return None if proposal is None else self._checked(proposal[0], group)

    def shows(self, combination: Combination, group: Any) -> bool:
        """Whether a combination is a proof that the group has at most so many: in exact numbers."""
        return self._price(combination.terms) == combination.at_most and self._covers(combination.terms, group)

    def at_most(self, bits: int) -> tuple[int, Combination] | None:
        """How many the group has at most: a whole number, and the combination that shows it (before it is rounded down)."""
        found = self.upper(spread(bits, self.atoms))
        return None if found is None else (math.floor(found.at_most), found)

    def at_least(self, bits: int) -> tuple[int, Combination | None]:
        """How many it has at least; without a combination where that is 0 anyway. The combination shows that minus the group is at most so
        many."""
        found = self.upper(-spread(bits, self.atoms))
        if found is None or found.at_most >= 0:
            return 0, None
        return math.ceil(-found.at_most), found

    def whole(self, bits: int, *, least: int = 0, met: list[Any] | None = None) -> tuple[int, int | None]:
        """Both ends for whole numbers, which may be closer than the combinations show. The search is limited: then the ends stay wider.
        Where there may be fewer than ``least``, the upper end is not looked for. Tables that the linear program meets go to ``met``."""
        group = spread(bits, self.atoms)
        end = self._end(-group, met)
        low = max(0, 0 if end is None else -end)
        return low, self._end(group, met) if low >= least else None

    def _end(self, group: Any, met: list[Any] | None) -> int | None:
        """The most that g x can be, for whole x, as far as it can be shown."""
        proposal = self._proposal(group)
        shown = None if proposal is None else self._checked(proposal[0], group)
        if proposal is None or shown is None:
            return None
        most = math.floor(shown.at_most)
        if met is not None:
            met.append(proposal[1])
        # Where the linear program met a table of whole numbers there is nothing to search for.
        if float(np.max(np.abs(proposal[1] - np.round(proposal[1])))) > _WHOLE and self._searchable():
            for _ in range(_PASSES):
                if not self._searched(group, most):
                    return most
                most -= 1
            self.stopped.add(_TOO_LONG)
        return most

    def _searchable(self) -> bool:
        if self.atoms > _SEARCHED:
            self.stopped.add(_TOO_MANY)
        return self.atoms <= _SEARCHED

    def _searched(self, group: Any, value: int) -> bool:
        """Whether a limited search shows that no table of whole numbers has g x >= value."""
        left = [_NODES]
        shown = self._impossible(group, value, left)
        if not shown and left[0] < 0:
            self.stopped.add(_TOO_LONG)
        return shown

    def empty(self) -> tuple[int, Combination | None]:
        """The atoms in which there can be nobody, as bits, and one combination that shows it of all of them together."""
        inner = self.inner
        likely = 0 if inner is None else sum(1 << place for place, size in enumerate(inner.tolist()) if size == 0)
        if not likely:
            return 0, None
        found = self.upper(spread(likely, self.atoms))
        if found is not None and found.at_most < 1:
            return likely, found
        kept = 0  # together they could not be confirmed; one by one some of them can
        for place in range(self.atoms if self._searchable() else 0):
            single = likely & 1 << place
            alone = self.at_most(single) if single else None
            kept |= single if alone is not None and alone[0] <= 0 else 0
        return kept, None

    def contradiction(self) -> Combination | None:
        """A combination that shows a sum of nobody to be below 0: then no table has these answers."""
        found = self.upper(np.zeros(self.atoms, dtype=np.int64))
        if found is None or found.at_most >= 0:
            return None
        least = min(abs(coefficient) for _, coefficient in found.terms)  # any multiple shows the same
        return Combination(tuple((place, coefficient / least) for place, coefficient in found.terms), found.at_most / least)

    def impossible(self) -> bool:
        """Whether no table of whole numbers has these answers, as far as a limited search shows it."""
        return self._searchable() and self._searched(np.zeros(self.atoms, dtype=np.int64), 0)

    def without(self, place: int) -> System:
        """All answers but one."""
        cut = [each[:place] + each[place + 1 :] for each in (self.members, self.low, self.high)]
        return System(self.atoms, *cut)  # type: ignore[arg-type]

    def equals(self, group: Any, among: int, places: Sequence[int]) -> tuple[tuple[int, Fraction], ...] | None:
        """The shortest combination with c A = g in the atoms ``among``, of the answers at ``places``, whatever they say; or None."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix

        usable = [place for place in places if self.members[place] & among]
        columns = np.flatnonzero(spread(among, self.atoms))
        if not usable or not columns.size:
            return None
        lines = self.matrix[usable][:, columns]
        both = csr_matrix(np.hstack([lines.T, -lines.T]).astype(np.float64))
        found = linprog(np.ones(2 * len(usable)), A_eq=both, b_eq=group[columns], bounds=(0, _LARGEST), method="highs")
        if found.status != 0:
            return None
        terms = _terms(found.x[: len(usable)] - found.x[len(usable) :], usable)
        scale = math.lcm(*(c.denominator for _, c in terms)) if terms else 1
        total = sum((int(c * scale) * lines[usable.index(place)] for place, c in terms), np.zeros(columns.size, dtype=np.int64))
        return terms if bool(np.all(total == scale * group[columns])) else None

    def _proposal(self, group: Any) -> tuple[Any, Any] | None:
        """Coefficients and sizes of atoms, in floating point."""
        from scipy.optimize import linprog

        if not self.members:
            return None
        lines, price, ends = self._bought
        found = linprog(price, A_ub=lines, b_ub=-group.astype(np.float64), bounds=ends, method="highs-ds")
        if found.status != 0:
            return None
        return found.x[: len(self.members)] - found.x[len(self.members) :], -found.ineqlin.marginals

    def _checked(self, coefficients: Any, group: Any) -> Combination | None:
        terms = _terms(coefficients, range(len(self.members)))
        price = self._price(terms)
        return Combination(terms, price) if price is not None and self._covers(terms, group) else None

    def _price(self, terms: Sequence[tuple[int, Fraction]]) -> Fraction | None:
        total = Fraction(0)
        for place, coefficient in terms:
            end = self.high[place] if coefficient > 0 else self.low[place]
            if end is None:
                return None
            total += coefficient * end
        return total

    def _covers(self, terms: Sequence[tuple[int, Fraction]], group: Any) -> bool:
        scale = math.lcm(*(c.denominator for _, c in terms)) if terms else 1
        total = np.zeros(self.atoms, dtype=np.int64)
        for place, coefficient in terms:
            total += int(coefficient * scale) * spread(self.members[place], self.atoms)
        return bool(np.all(total >= scale * group))

    @cached_property
    def inner(self) -> Any | None:
        """Sizes of atoms that fit the answers, in floating point, with somebody in every atom that can have anybody; or None."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix, identity, vstack

        lines, _, ends = self._bought
        used = [place for place, (_, most) in enumerate(ends) if most]
        if not used:
            return None
        # max of sum t, 0 <= t <= 1, t <= x, and x a solution for answers that are all multiplied by the same s >= 1
        limits = [end for each in (self.high, self.low) for end in each]
        sides = [-1.0] * len(self.high) + [1.0] * len(self.low)
        last = csr_matrix(np.array([[sides[place] * float(limits[place] or 0)] for place in used]))
        above = _beside(_beside(-lines.T.tocsr()[used], last), csr_matrix((len(used), self.atoms)))
        single = identity(self.atoms)
        below = _beside(_beside(-single, csr_matrix((self.atoms, 1))), single)
        found = linprog(
            np.append(np.zeros(self.atoms + 1), -np.ones(self.atoms)),
            A_ub=vstack([above, below], format="csr"),
            b_ub=np.zeros(len(used) + self.atoms),
            bounds=[(0, None)] * self.atoms + [(1, None)] + [(0, 1)] * self.atoms,
            method="highs",
        )
        if found.status != 0:
            return None
        sizes = np.where(found.x[self.atoms + 1 :] < 0.5, 0.0, found.x[: self.atoms])
        return sizes / found.x[self.atoms]

    def still(self, groups: Any, empty: int) -> Any:
        """Which groups (a line of 0 and 1 each) have the same size in all tables in fractions, as far as floating point shows: those on
        which no change that leaves every exact answer as it is has an effect. From a table with somebody in every other atom every such
        change is possible in both directions."""
        free = np.flatnonzero(1 - spread(empty, self.atoms))
        lines = self.matrix[list(self.exact)][:, free].astype(np.float64)
        # Any vectors in general position do; these are the same on every run.
        start = np.modf(np.outer(np.arange(1, free.size + 1), np.sqrt([2.0, 3.0, 5.0])))[0] - 0.5
        change = start - lines.T @ np.linalg.lstsq(lines.T, start, rcond=None)[0] if lines.size else start
        return np.all(np.abs(groups[:, free] @ change) < 1e-7 * math.sqrt(free.size + 1), axis=1)

    def _impossible(self, group: Any, value: int, left: list[int]) -> bool:
        """Whether no table of whole numbers has g x >= value: shown at every leaf by a combination."""
        left[0] -= 1
        proposal = self._proposal(group)
        if left[0] < 0 or proposal is None:
            return False
        shown = self._checked(proposal[0], group)
        if shown is not None and shown.at_most < value:
            return True
        sizes = proposal[1]
        apart = np.abs(sizes - np.round(sizes))
        place = int(np.argmax(apart))
        if apart[place] < _WHOLE:
            return False
        floor = math.floor(float(sizes[place]))
        return self._with(place, None, floor)._impossible(group, value, left) and self._with(place, floor + 1, None)._impossible(
            group, value, left
        )

    def _with(self, place: int, low: int | None, high: int | None) -> System:
        ends = (None if low is None else Fraction(low)), (None if high is None else Fraction(high))
        return System(self.atoms, (*self.members, 1 << place), (*self.low, ends[0]), (*self.high, ends[1]))


def _beside(left: Any, right: Any) -> Any:
    from scipy.sparse import hstack

    return hstack([left, right], format="csr")


def spread(bits: int, atoms: int) -> Any:
    """Bits as an array of 0 and 1."""
    raw = np.frombuffer(bits.to_bytes((atoms + 7) // 8 or 1, "little"), dtype=np.uint8)
    return np.unpackbits(raw, bitorder="little")[:atoms].astype(np.int64)


def _terms(coefficients: Any, places: Sequence[int]) -> tuple[tuple[int, Fraction], ...]:
    found = []
    for place, value in zip(places, coefficients.tolist(), strict=True):
        coefficient = Fraction(value).limit_denominator(_DENOMINATOR)
        if coefficient:
            found.append((place, coefficient))
    return tuple(found)
