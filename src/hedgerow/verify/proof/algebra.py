"""Exact fractions of polynomials in public parameters, for the last step of a proof.

The costs of the sites are divided by their scales and added up: sum of cost_j / scale_j <= claim. Multiplied out, that is a polynomial
inequality in which eps usually cancels, so that it is shown for every eps at once. What is not a polynomial (logarithms, roots,
exponentials) is a symbol of its own, named by how it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Apply, Expression, Name, Number, written
from hedgerow.verify.proof.solver import Term, z3

__all__ = ["Quotient", "constant", "quotient", "symbol"]

Monomial: TypeAlias = tuple[tuple[str, int], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]


def _cleaned(polynomial: Mapping[Monomial, Fraction]) -> Polynomial:
    return {monomial: value for monomial, value in polynomial.items() if value}


def _plus(left: Polynomial, right: Polynomial) -> Polynomial:
    total = dict(left)
    for monomial, value in right.items():
        total[monomial] = total.get(monomial, Fraction(0)) + value
    return _cleaned(total)


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for first, a in left.items():
        for second, b in right.items():
            powers = dict(first)
            for name, power in second:
                powers[name] = powers.get(name, 0) + power
            monomial = tuple(sorted(powers.items()))
            total[monomial] = total.get(monomial, Fraction(0)) + a * b
    return _cleaned(total)


def _common(polynomials: Iterable[Polynomial]) -> dict[str, int]:
    """The largest monomial that divides all of them."""
    shared: dict[str, int] | None = None
    for polynomial in polynomials:
        for monomial in polynomial:
            powers = dict(monomial)
            shared = powers if shared is None else {name: min(power, powers[name]) for name, power in shared.items() if name in powers}
    return shared or {}


def _divided(polynomial: Polynomial, by: Mapping[str, int]) -> Polynomial:
    return {
        tuple((name, power - by.get(name, 0)) for name, power in monomial if power > by.get(name, 0)): value
        for monomial, value in polynomial.items()
    }


@dataclass(frozen=True, slots=True)
class Quotient:
    """``above / below``."""

    above: Polynomial
    below: Polynomial

    def __add__(self, other: Quotient) -> Quotient:
        if self.below == other.below:
            return _lowest(_plus(self.above, other.above), self.below)
        return _lowest(_plus(_times(self.above, other.below), _times(other.above, self.below)), _times(self.below, other.below))

    def __neg__(self) -> Quotient:
        return Quotient({monomial: -value for monomial, value in self.above.items()}, self.below)

    def __sub__(self, other: Quotient) -> Quotient:
        return self + -other

    def __mul__(self, other: Quotient) -> Quotient:
        return _lowest(_times(self.above, other.above), _times(self.below, other.below))

    def __truediv__(self, other: Quotient) -> Quotient:
        if not other.above:
            raise Outside("something is divided by 0.")
        return _lowest(_times(self.above, other.below), _times(self.below, other.above))

    @property
    def number(self) -> Fraction | None:
        """Its value, if it is a number."""
        if not self.above:
            return Fraction(0)
        if set(self.above) == {()} and set(self.below) == {()}:
            return self.above[()] / self.below[()]
        # The same polynomial above and below, up to a factor.
        if set(self.above) == set(self.below):
            ratios = {self.above[one] / self.below[one] for one in self.above}
            return ratios.pop() if len(ratios) == 1 else None
        return None

    @property
    def symbols(self) -> frozenset[str]:
        return frozenset(name for side in (self.above, self.below) for monomial in side for name, _ in monomial)


def _lowest(above: Polynomial, below: Polynomial) -> Quotient:
    """Without the monomial and the number that both sides have in common."""
    if not above:
        return Quotient({}, {(): Fraction(1)})
    shared = _common([above, below])
    above, below = _divided(above, shared), _divided(below, shared)
    if len(below) == 1:
        (scale,) = below.values()
        above, below = {one: value / scale for one, value in above.items()}, {one: Fraction(1) for one in below}
    return Quotient(above, below)


def constant(value: Fraction | int) -> Quotient:
    return Quotient(_cleaned({(): Fraction(value)}), {(): Fraction(1)})


def symbol(name: str) -> Quotient:
    return Quotient({((name, 1),): Fraction(1)}, {(): Fraction(1)})


def quotient(expression: Expression, opaque: dict[str, Expression]) -> Quotient:
    """The expression as a quotient; ``opaque`` receives what became a symbol without being a name."""
    if isinstance(expression, Number):
        return constant(expression.value)
    if isinstance(expression, Name):
        return symbol(expression.name)
    if isinstance(expression, Apply) and expression.operator in ("+", "-", "*", "/", "negate"):
        values = [quotient(one, opaque) for one in expression.arguments]
        match expression.operator:
            case "+":
                return values[0] + values[1]
            case "-":
                return values[0] - values[1]
            case "*":
                return values[0] * values[1]
            case "/":
                return values[0] / values[1]
            case _:
                return -values[0]
    if not (isinstance(expression, Apply) and expression.operator in ("ln", "exp", "sqrt")):
        raise Outside(f"{written(expression)} cannot stand in a scale or a claim.", expression.place)
    opaque[written(expression)] = expression
    return symbol(written(expression))


def term(polynomial: Polynomial, value: Callable[[str], Term]) -> Term:
    """The polynomial as a z3 term."""
    summands = []
    for monomial, factor in sorted(polynomial.items()):
        product = z3.RealVal(f"{factor.numerator}/{factor.denominator}")
        for name, power in monomial:
            for _ in range(power):
                product = product * value(name)
        summands.append(product)
    return z3.Sum(summands) if summands else z3.RealVal(0)


def without_positive(polynomial: Polynomial, positive: frozenset[str]) -> Polynomial:
    """Divided by the positive symbols that all its monomials have in common: its sign stays."""
    return _divided(polynomial, {name: power for name, power in _common([polynomial]).items() if name in positive})


def positive_symbols(quotients: Iterable[Quotient], known: frozenset[str]) -> frozenset[str]:
    """What must be positive when these quotients are: a product whose other factors are known to be positive has a positive last one."""
    known = frozenset(known)
    while True:
        found = set(known)
        for one in quotients:
            if len(one.above) == 1 and len(one.below) == 1 and next(iter(one.above.values())) > 0:
                odd = {name for side in (one.above, one.below) for name, power in next(iter(side)) if power % 2 and name not in found}
                if len(odd) == 1:
                    found |= odd
        if found == known:
            return known
        known = frozenset(found)
