"""Exact fractions of polynomials in public parameters, for the last step of a proof.

The costs of the sites are divided by their scales and added up: sum of cost_j / scale_j <= claim.
Multiplied out, that is a polynomial inequality in which eps usually cancels, so it is shown for
every eps at once. A logarithm, root or exponential becomes a symbol of its own, named by its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.language.program import Apply, Expression, Name, Number, format_expression
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import Term, z3

__all__ = ["RationalFunction", "constant_function", "symbol_function", "to_rational_function"]

Monomial: TypeAlias = tuple[tuple[str, int], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]


def _drop_zeros(polynomial: Mapping[Monomial, Fraction]) -> Polynomial:
    return {monomial: value for monomial, value in polynomial.items() if value}


def _add_polynomials(left: Polynomial, right: Polynomial) -> Polynomial:
    total = dict(left)
    for monomial, value in right.items():
        total[monomial] = total.get(monomial, Fraction(0)) + value
    return _drop_zeros(total)


def _multiply_polynomials(left: Polynomial, right: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for first, a in left.items():
        for second, b in right.items():
            powers = dict(first)
            for name, power in second:
                powers[name] = powers.get(name, 0) + power
            monomial = tuple(sorted(powers.items()))
            total[monomial] = total.get(monomial, Fraction(0)) + a * b
    return _drop_zeros(total)


def _common_monomial(polynomials: Iterable[Polynomial]) -> dict[str, int]:
    """Return the largest monomial that divides all the polynomials."""
    shared: dict[str, int] | None = None
    for polynomial in polynomials:
        for monomial in polynomial:
            powers = dict(monomial)
            shared = (
                powers
                if shared is None
                else {
                    name: min(power, powers[name])
                    for name, power in shared.items()
                    if name in powers
                }
            )
    return shared or {}


def _divide_by_monomial(polynomial: Polynomial, by: Mapping[str, int]) -> Polynomial:
    return {
        tuple(
            (name, power - by.get(name, 0)) for name, power in monomial if power > by.get(name, 0)
        ): value
        for monomial, value in polynomial.items()
    }


@dataclass(frozen=True, slots=True)
class RationalFunction:
    """The fraction ``numerator / denominator`` of two polynomials."""

    numerator: Polynomial
    denominator: Polynomial

    def __add__(self, other: RationalFunction) -> RationalFunction:
        if self.denominator == other.denominator:
            return _reduce(_add_polynomials(self.numerator, other.numerator), self.denominator)
        return _reduce(
            _add_polynomials(
                _multiply_polynomials(self.numerator, other.denominator),
                _multiply_polynomials(other.numerator, self.denominator),
            ),
            _multiply_polynomials(self.denominator, other.denominator),
        )

    def __neg__(self) -> RationalFunction:
        return RationalFunction(
            {monomial: -value for monomial, value in self.numerator.items()}, self.denominator
        )

    def __sub__(self, other: RationalFunction) -> RationalFunction:
        return self + -other

    def __mul__(self, other: RationalFunction) -> RationalFunction:
        return _reduce(
            _multiply_polynomials(self.numerator, other.numerator),
            _multiply_polynomials(self.denominator, other.denominator),
        )

    def __truediv__(self, other: RationalFunction) -> RationalFunction:
        if not other.numerator:
            raise UnsupportedProgram(
                "a scale or a claim is divided by 0; divide by a positive number."
            )
        return _reduce(
            _multiply_polynomials(self.numerator, other.denominator),
            _multiply_polynomials(self.denominator, other.numerator),
        )

    @property
    def constant_value(self) -> Fraction | None:
        """The value of a constant function; None for any other."""
        if not self.numerator:
            return Fraction(0)
        if set(self.numerator) == {()} and set(self.denominator) == {()}:
            return self.numerator[()] / self.denominator[()]
        # Numerator and denominator may be the same polynomial up to a factor.
        if set(self.numerator) == set(self.denominator):
            ratios = {self.numerator[one] / self.denominator[one] for one in self.numerator}
            return ratios.pop() if len(ratios) == 1 else None
        return None

    @property
    def symbols(self) -> frozenset[str]:
        return frozenset(
            name
            for side in (self.numerator, self.denominator)
            for monomial in side
            for name, _ in monomial
        )

    @property
    def key(self) -> object:
        """A hashable form: equal for fractions with the same numerator and denominator."""
        return tuple(sorted(self.numerator.items())), tuple(sorted(self.denominator.items()))


def _reduce(above: Polynomial, below: Polynomial) -> RationalFunction:
    """Cancel the monomial and the number that both polynomials have in common."""
    if not above:
        return RationalFunction({}, {(): Fraction(1)})
    shared = _common_monomial([above, below])
    above, below = _divide_by_monomial(above, shared), _divide_by_monomial(below, shared)
    if len(below) == 1:
        (scale,) = below.values()
        above, below = (
            {one: value / scale for one, value in above.items()},
            {one: Fraction(1) for one in below},
        )
    return RationalFunction(above, below)


def constant_function(value: Fraction | int) -> RationalFunction:
    return RationalFunction(_drop_zeros({(): Fraction(value)}), {(): Fraction(1)})


def symbol_function(name: str) -> RationalFunction:
    return RationalFunction({((name, 1),): Fraction(1)}, {(): Fraction(1)})


def to_rational_function(expression: Expression, opaque: dict[str, Expression]) -> RationalFunction:
    """Convert the expression to a fraction; ``opaque`` receives every subexpression that became a
    symbol.
    """
    if isinstance(expression, Number):
        return constant_function(expression.value)
    if isinstance(expression, Name):
        return symbol_function(expression.name)
    if isinstance(expression, Apply) and expression.operator in ("+", "-", "*", "/", "negate"):
        values = [to_rational_function(one, opaque) for one in expression.arguments]
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
        raise UnsupportedProgram(
            f"{format_expression(expression)} is not allowed in a scale or a claim; use"
            " +, -, *, /, ln, exp and sqrt of public parameters.",
            expression.place,
        )
    opaque[format_expression(expression)] = expression
    return symbol_function(format_expression(expression))


def polynomial_term(polynomial: Polynomial, value: Callable[[str], Term]) -> Term:
    """Convert the polynomial to a z3 term."""
    summands = []
    for monomial, factor in sorted(polynomial.items()):
        product = z3.RealVal(f"{factor.numerator}/{factor.denominator}")
        for name, power in monomial:
            for _ in range(power):
                product = product * value(name)
        summands.append(product)
    return z3.Sum(summands) if summands else z3.RealVal(0)


def divide_by_positive(polynomial: Polynomial, positive: frozenset[str]) -> Polynomial:
    """Divide by the positive symbols that all monomials share; this keeps the sign."""
    return _divide_by_monomial(
        polynomial,
        {name: power for name, power in _common_monomial([polynomial]).items() if name in positive},
    )


def scale_positively(one: RationalFunction) -> RationalFunction:
    """Divide by a positive number, so that goals of the same sign are shown once."""
    above, below = (
        abs(side[max(side)]) if side else Fraction(1) for side in (one.numerator, one.denominator)
    )
    return RationalFunction(
        {of: value / above for of, value in one.numerator.items()},
        {of: value / below for of, value in one.denominator.items()},
    )


def infer_positive_symbols(
    quotients: Iterable[RationalFunction], known: frozenset[str]
) -> frozenset[str]:
    """Return the symbols that must be positive when these fractions are: the last factor of a
    positive product whose other factors are positive.
    """
    known = frozenset(known)
    while True:
        found = set(known)
        for one in quotients:
            if (
                len(one.numerator) == 1
                and len(one.denominator) == 1
                and next(iter(one.numerator.values())) > 0
            ):
                odd = {
                    name
                    for side in (one.numerator, one.denominator)
                    for name, power in next(iter(side))
                    if power % 2 and name not in found
                }
                if len(odd) == 1:
                    found |= odd
        if found == known:
            return known
        known = frozenset(found)
