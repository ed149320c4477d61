"""Functions of one variable with pieces c x^k e^((r x + a)/R), integers r, a and exact c: a class
closed under products, shifts and integrals, so that densities are handled without error.

    R      the common denominator of all rates, an integer
    term   {(k, r, a): c}      the sum of c x^k e^((r x + a)/R)
    piece  (low, high, term)   the term on low < x < high, with integer ends, None for infinity
    mass   {a: c}              the sum of c e^(a/R)

Outside all pieces the function is 0. The caller chooses the unit of length and R such that all ends
and rates are integers, which makes the keys cheap.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, perm
from typing import TypeAlias

__all__ = ["Mass", "Piece", "PiecewiseExponential", "Term"]

Term: TypeAlias = dict[tuple[int, int, int], Fraction]
Mass: TypeAlias = dict[int, Fraction]
"""{a: c}: the sum of c e^(a/R)."""
Piece: TypeAlias = tuple[int | None, int | None, Term]

_ONE: Term = {(0, 0, 0): Fraction(1)}


@dataclass(frozen=True, slots=True)
class PiecewiseExponential:
    """A function as sorted pieces without overlaps; ``rate`` is R."""

    pieces: tuple[Piece, ...]
    rate: int

    def restrict(self, low: int | None, high: int | None) -> PiecewiseExponential:
        """Return the function that is equal to this one between two ends, and 0 elsewhere."""
        return self.multiply(PiecewiseExponential(((low, high, _ONE),), self.rate))

    def multiply(self, other: PiecewiseExponential) -> PiecewiseExponential:
        """Return the product of two functions."""
        found, i, j = list[Piece](), 0, 0
        while i < len(self.pieces) and j < len(other.pieces):
            (a, b, f), (c, d, g) = self.pieces[i], other.pieces[j]
            low = c if a is None else a if c is None else max(a, c)
            high = d if b is None else b if d is None else min(b, d)
            if low is None or high is None or low < high:
                found.append((low, high, _multiply_terms(f, g)))
            if b is not None and (d is None or b <= d):
                i += 1
            else:
                j += 1
        return PiecewiseExponential(tuple(found), self.rate)

    def integrate(self) -> Mass:
        """Integrate over the real line."""
        mass: Mass = {}
        for low, high, term in self.pieces:
            primitive = _integrate_term(term, self.rate)
            _add_masses(mass, _evaluate_at(primitive, high, 1), 1)
            _add_masses(mass, _evaluate_at(primitive, low, -1), -1)
        return {a: c for a, c in mass.items() if c}

    def integrate_window(self, low: int | None, high: int | None) -> PiecewiseExponential:
        """Return v -> the integral over low <= v - x <= high, which eliminates a variable x that
        is tied to v.
        """
        upper = self._integrate_up_to()
        rest = (
            PiecewiseExponential(((None, None, _build_constant(self.integrate())),), self.rate)
            if low is None
            else upper._shift(low)
        )
        return rest if high is None else rest._subtract(upper._shift(high))

    def _integrate_up_to(self) -> PiecewiseExponential:
        """Return x -> the integral up to x, with pieces that cover the line."""
        found, mass, end = list[Piece](), dict[int, Fraction](), None
        for low, high, term in self.pieces:
            if low is not None and (end is None or end < low):
                found.append((end, low, _build_constant(mass)))
            primitive = _integrate_term(term, self.rate)
            _add_masses(mass, _evaluate_at(primitive, low, -1), -1)
            _add_terms(primitive, _build_constant(mass).items())
            found.append((low, high, _drop_zeros(primitive)))
            if high is None:
                return PiecewiseExponential(tuple(found), self.rate)
            mass, end = _evaluate_at(primitive, high, 1), high
        return PiecewiseExponential((*found, (end, None, _build_constant(mass))), self.rate)

    def _shift(self, by: int) -> PiecewiseExponential:
        """Return v -> the function at v - by."""
        moved = [
            (None if a is None else a + by, None if b is None else b + by, _shift_term(term, by))
            for a, b, term in self.pieces
        ]
        return PiecewiseExponential(tuple(moved), self.rate)

    def _subtract(self, other: PiecewiseExponential) -> PiecewiseExponential:
        """Subtract ``other``; both functions must cover the line."""
        negative = PiecewiseExponential(
            tuple((a, b, {key: -c for key, c in term.items()}) for a, b, term in other.pieces),
            self.rate,
        )
        found = []
        ones = (
            PiecewiseExponential(tuple((a, b, _ONE) for a, b, _ in side.pieces), self.rate)
            for side in (negative, self)
        )
        for (a, b, f), (_, _, g) in zip(
            self.multiply(next(ones)).pieces, negative.multiply(next(ones)).pieces, strict=True
        ):
            summed = dict(f)
            _add_terms(summed, g.items())
            found.append((a, b, _drop_zeros(summed)))
        return PiecewiseExponential(tuple(found), self.rate)


def _multiply_terms(one: Term, other: Term) -> Term:
    if one is _ONE:
        return other
    if other is _ONE:
        return one
    found: Term = {}
    for (k, r, a), c in one.items():
        for (m, s, b), d in other.items():
            key = (k + m, r + s, a + b)
            value = c * d
            found[key] = found[key] + value if key in found else value
    return _drop_zeros(found)


def _drop_zeros(term: Term) -> Term:
    return {key: c for key, c in term.items() if c}


def _add_terms(term: Term, more: Iterable[tuple[tuple[int, int, int], Fraction]]) -> None:
    for key, c in more:
        term[key] = term[key] + c if key in term else c


def _add_masses(mass: Mass, more: Mass, factor: int) -> None:
    for a, c in more.items():
        mass[a] = mass.get(a, Fraction(0)) + factor * c


def _build_constant(mass: Mass) -> Term:
    return {(0, 0, a): c for a, c in mass.items() if c}


def _integrate_term(term: Term, rate: int) -> Term:
    """Return a function whose derivative is the term: x^(k+1)/(k+1) if r = 0, else the
    exponential times the sum of (-1)^j k!/(k-j)! x^(k-j) (R/r)^(j+1).
    """
    found: Term = {}
    for (k, r, a), c in term.items():
        if not r:
            _add_terms(found, [((k + 1, 0, a), c / (k + 1))])
        else:
            step = Fraction(rate, r)
            _add_terms(
                found,
                [
                    ((k - j, r, a), c * (-1) ** j * perm(k, j) * step ** (j + 1))
                    for j in range(k + 1)
                ],
            )
    return found


def _evaluate_at(term: Term, x: int | None, side: int) -> Mass:
    """Evaluate at x; None is plus or minus infinity (``side``), where every part must vanish."""
    if x is None:
        if any(r * side >= 0 for _, r, _ in term):
            raise ArithmeticError("an integral that does not converge")
        return {}
    mass: Mass = {}
    for (k, r, a), c in term.items():
        value = c * x**k if k else c
        key = a + r * x
        mass[key] = mass[key] + value if key in mass else value
    return mass


def _shift_term(term: Term, by: int) -> Term:
    if not by:
        return term
    found: Term = {}
    for (k, r, a), c in term.items():
        _add_terms(
            found, [((j, r, a - r * by), c * comb(k, j) * (-by) ** (k - j)) for j in range(k + 1)]
        )
    return _drop_zeros(found)
