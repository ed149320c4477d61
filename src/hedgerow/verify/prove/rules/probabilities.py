"""Probabilities as exact fractions of polynomials, converted from z3 terms.

An exponential is a power of one unknown: with u = e^(eps/2), exp(eps) is u*u. The only facts about
u are that it exceeds 1 where eps exceeds 0 and, for a numeric exponent, the rationals that enclose
it; so z3 gets questions about polynomials only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Final, TypeAlias

from hedgerow.numeric.rounding import exp_bounds
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import (
    Monomial,
    Polynomial,
    RationalFunction,
    constant_function,
    polynomial_term,
    symbol_function,
)
from hedgerow.verify.prove.solver import Term, z3
from hedgerow.verify.prove.terms import to_real

__all__ = ["Condition", "ProbabilityReader"]

_MAX_POWER: Final = 24  # the highest power in a query to z3
# A larger power of e has too many digits to be written down; only a lower bound is used.
_MAX_EXPONENT: Final = Fraction(1000)
Condition: TypeAlias = tuple[str, RationalFunction]  # "<=", ">" or "!=" 0
# The unit of an exponent: numerator and denominator.
ExponentUnit: TypeAlias = tuple[Monomial, Monomial]
_UNITLESS: Final[ExponentUnit] = ((), ())


@dataclass
class ProbabilityReader:
    """A converter of terms. ``decide`` chooses a branch of a conditional term; ``conditions`` must
    hold for the result to be right.
    """

    decide: Callable[[Term], bool]
    conditions: list[Condition] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._terms: dict[str, Term] = {}
        self._logarithms: dict[str, RationalFunction] = {}
        self._powers: dict[str, tuple[ExponentUnit, Fraction]] = {}

    def read(self, given: Term) -> RationalFunction:
        """Convert the term to a fraction."""
        if z3.is_int_value(given) or z3.is_rational_value(given):
            return constant_function(
                Fraction(
                    str(given.as_fraction() if z3.is_rational_value(given) else given.as_long())
                )
            )
        kind, children = given.decl().kind(), given.children()
        match kind:
            case z3.Z3_OP_ITE:
                return self.read(children[1] if self.decide(children[0]) else children[2])
            case z3.Z3_OP_TO_REAL:
                return self.read(children[0])
            case z3.Z3_OP_ADD | z3.Z3_OP_SUB | z3.Z3_OP_MUL | z3.Z3_OP_UMINUS | z3.Z3_OP_DIV:
                return self._read_arithmetic(kind, [self.read(one) for one in children])
            case z3.Z3_OP_UNINTERPRETED if children:
                return self._read_application(given, children)
        return self._make_symbol(given)

    def _read_arithmetic(self, kind: int, values: list[RationalFunction]) -> RationalFunction:
        total = values[0]
        if kind == z3.Z3_OP_UMINUS:
            return -total
        for one in values[1:]:
            match kind:
                case z3.Z3_OP_ADD:
                    total += one
                case z3.Z3_OP_SUB:
                    total -= one
                case z3.Z3_OP_MUL:
                    total *= one
                case _:
                    self.conditions.append(("!=", one))
                    total /= one
        return total

    def _read_application(self, given: Term, children: list[Term]) -> RationalFunction:
        match given.decl().name():
            case "reciprocal":
                below = self.read(children[0])
                self.conditions.append(("!=", below))
                return constant_function(1) / below
            case "exp":
                return self.exponential(self.read(children[0]))
            case "ln":
                found = self._make_symbol(given)
                (name,) = found.symbols
                self._logarithms[name] = self.read(children[0])
                self.conditions.append((">", self._logarithms[name]))
                return found
        return self._make_symbol(given)

    def _make_symbol(self, given: Term) -> RationalFunction:
        name = given.sexpr()
        self._terms[name] = to_real(given)
        return symbol_function(name)

    def exponential(self, exponent: RationalFunction) -> RationalFunction:
        """Return e to the exponent."""
        if len(exponent.denominator) != 1:
            raise UnsupportedProgram(
                "an exponent has a sum in its denominator; use a single product"
            )
        ((below, divisor),) = exponent.denominator.items()
        result = constant_function(1)
        for above, factor in exponent.numerator.items():
            times = factor / divisor
            base = (
                self._logarithms.get(above[0][0])
                if len(above) == 1 and above[0][1] == 1 and not below
                else None
            )
            if base is not None and times.denominator == 1 and abs(times) <= _MAX_POWER:
                for _ in range(abs(int(times))):
                    result = result * base if times > 0 else result / base
                continue
            own = RationalFunction({above: Fraction(1)}, {below: Fraction(1)}) * constant_function(
                1
            )
            unit = next(iter(own.numerator)), next(iter(own.denominator))
            name = f"e^({abs(times)} {unit})"
            self._powers[name] = unit, abs(times)
            result = result * symbol_function(name) if times > 0 else result / symbol_function(name)
        return result

    def list_power_facts(self, entails: Callable[[Term], bool]) -> list[Term]:
        """List the facts about the powers of e."""
        found = []
        for unit in dict.fromkeys(unit for unit, _ in self._powers.values()):
            base = self._base(unit)
            if unit == _UNITLESS:
                cut = (
                    [Fraction(1, self._common_denominator(unit))]
                    if self._has_small_powers(unit)
                    else [times for of, times in self._powers.values() if of == unit]
                )
                for times in cut:
                    low, high = exp_bounds(min(times, _MAX_EXPONENT))
                    found.append(_power_of_e(times) >= _rational_term(low))
                    found += (
                        [_power_of_e(times) <= _rational_term(high)]
                        if times <= _MAX_EXPONENT
                        else []
                    )
            elif entails(
                polynomial_term({unit[0]: Fraction(1)}, self._symbol_term)
                * polynomial_term({unit[1]: Fraction(1)}, self._symbol_term)
                > 0
            ):
                found.append(base > 1)
            else:
                found.append(base > 0)
        return found

    def _base(self, unit: ExponentUnit) -> Term:
        if unit == _UNITLESS:
            return _power_of_e(Fraction(1, self._common_denominator(unit)))
        return z3.Real(f"@power {unit} / {self._common_denominator(unit)}")

    def _common_denominator(self, unit: ExponentUnit) -> int:
        """Return the number of equal parts of the exponent that makes all its powers whole."""
        return lcm(*(times.denominator for other, times in self._powers.values() if other == unit))

    def _has_small_powers(self, unit: ExponentUnit) -> bool:
        """Return True if no power of the unit exceeds the limit."""
        return all(
            times * self._common_denominator(unit) <= _MAX_POWER
            for other, times in self._powers.values()
            if other == unit
        )

    def _symbol_term(self, name: str) -> Term:
        if name not in self._powers:
            return self._terms[name]
        unit, times = self._powers[name]
        if self._has_small_powers(unit):
            return z3.Product([self._base(unit)] * int(times * self._common_denominator(unit)))
        if unit == _UNITLESS:  # each power has its own bounds
            return _power_of_e(times)
        raise UnsupportedProgram(
            "the exponents here have no small common unit; use simpler fractions"
        )

    def compare_to_zero(self, operator: str, left: RationalFunction) -> Term:
        """Build left <= 0, left > 0 or left != 0 as a term; ``conditions`` has the non-zero
        denominators.
        """
        value = left.constant_value
        if value is not None:
            return z3.BoolVal({"<=": value <= 0, ">": value > 0, "!=": value != 0}[operator])
        above, below = (
            self._polynomial_term(left.numerator),
            self._polynomial_term(left.denominator),
        )
        if operator == "!=":
            return above != 0
        if set(left.denominator) == {()}:
            sign = above if left.denominator[()] > 0 else -above
            return sign > 0 if operator == ">" else sign <= 0
        if operator == ">":
            return z3.Or(z3.And(above > 0, below > 0), z3.And(above < 0, below < 0))
        return z3.Or(z3.And(above <= 0, below > 0), z3.And(above >= 0, below < 0))

    def _polynomial_term(self, polynomial: Polynomial) -> Term:
        return polynomial_term(polynomial, self._symbol_term)


def _power_of_e(times: Fraction) -> Term:
    return z3.Real(f"@power {times}")


def _rational_term(value: Fraction) -> Term:
    return z3.RealVal(f"{value.numerator}/{value.denominator}")
