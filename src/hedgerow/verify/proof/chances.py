"""Chances as exact fractions of polynomials, read from z3's terms.

e to a multiple of something is a power of one unknown: with u = e^(eps/2), exp(eps) is u*u. That u is above 1 where eps is above 0, and for
numbers between which rationals it lies, is all that is said of it; so what z3 is asked is about polynomials only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Final, TypeAlias

from hedgerow.numeric.rounding import exp_bounds
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.proof.algebra import Monomial, Polynomial, Quotient, constant, symbol, term
from hedgerow.verify.proof.solver import Term, z3
from hedgerow.verify.proof.terms import real

__all__ = ["Chances", "Need"]

_HIGHEST: Final = 24  # powers that z3 is asked about
_LARGEST: Final = Fraction(1000)  # e to more than that has too many digits to be written down; that it is larger must suffice
Need: TypeAlias = tuple[str, Quotient]  # "<=", ">" or "!=" 0
Unit: TypeAlias = tuple[Monomial, Monomial]  # what the exponent is a multiple of: the one over the other
_NUMBERS: Final[Unit] = ((), ())


@dataclass
class Chances:
    """``decide`` says which way a choice inside of a term goes. ``needs`` are conditions under which what was read is right."""

    decide: Callable[[Term], bool]
    needs: list[Need] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._terms: dict[str, Term] = {}
        self._logarithms: dict[str, Quotient] = {}
        self._powers: dict[str, tuple[Unit, Fraction]] = {}

    def read(self, given: Term) -> Quotient:
        """The term as a fraction."""
        if z3.is_int_value(given) or z3.is_rational_value(given):
            return constant(Fraction(str(given.as_fraction() if z3.is_rational_value(given) else given.as_long())))
        kind, children = given.decl().kind(), given.children()
        match kind:
            case z3.Z3_OP_ITE:
                return self.read(children[1] if self.decide(children[0]) else children[2])
            case z3.Z3_OP_TO_REAL:
                return self.read(children[0])
            case z3.Z3_OP_ADD | z3.Z3_OP_SUB | z3.Z3_OP_MUL | z3.Z3_OP_UMINUS | z3.Z3_OP_DIV:
                return self._combined(kind, [self.read(one) for one in children])
            case z3.Z3_OP_UNINTERPRETED if children:
                return self._applied(given, children)
        return self._symbol(given)

    def _combined(self, kind: int, values: list[Quotient]) -> Quotient:
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
                    self.needs.append(("!=", one))
                    total /= one
        return total

    def _applied(self, given: Term, children: list[Term]) -> Quotient:
        match given.decl().name():
            case "reciprocal":
                below = self.read(children[0])
                self.needs.append(("!=", below))
                return constant(1) / below
            case "exp":
                return self.power(self.read(children[0]))
            case "ln":
                found = self._symbol(given)
                (name,) = found.symbols
                self._logarithms[name] = self.read(children[0])
                self.needs.append((">", self._logarithms[name]))
                return found
        return self._symbol(given)

    def _symbol(self, given: Term) -> Quotient:
        name = given.sexpr()
        self._terms[name] = real(given)
        return symbol(name)

    def power(self, exponent: Quotient) -> Quotient:
        """e to the exponent."""
        if len(exponent.below) != 1:
            raise Outside("e to a fraction of sums cannot be compared here")
        ((below, divisor),) = exponent.below.items()
        result = constant(1)
        for above, factor in exponent.above.items():
            times = factor / divisor
            base = self._logarithms.get(above[0][0]) if len(above) == 1 and above[0][1] == 1 and not below else None
            if base is not None and times.denominator == 1 and abs(times) <= _HIGHEST:
                for _ in range(abs(int(times))):
                    result = result * base if times > 0 else result / base
                continue
            own = Quotient({above: Fraction(1)}, {below: Fraction(1)}) * constant(1)
            unit = next(iter(own.above)), next(iter(own.below))
            name = f"e^({abs(times)} {unit})"
            self._powers[name] = unit, abs(times)
            result = result * symbol(name) if times > 0 else result / symbol(name)
        return result

    def facts(self, entails: Callable[[Term], bool]) -> list[Term]:
        """What is known of the powers."""
        found = []
        for unit in dict.fromkeys(unit for unit, _ in self._powers.values()):
            base = self._base(unit)
            if unit == _NUMBERS:
                cut = (
                    [Fraction(1, self._parts(unit))] if self._small(unit) else [times for of, times in self._powers.values() if of == unit]
                )
                for times in cut:
                    low, high = exp_bounds(min(times, _LARGEST))
                    found.append(_of_number(times) >= _number(low))
                    found += [_of_number(times) <= _number(high)] if times <= _LARGEST else []
            elif entails(term({unit[0]: Fraction(1)}, self._value) * term({unit[1]: Fraction(1)}, self._value) > 0):
                found.append(base > 1)
            else:
                found.append(base > 0)
        return found

    def _base(self, unit: Unit) -> Term:
        if unit == _NUMBERS:
            return _of_number(Fraction(1, self._parts(unit)))
        return z3.Real(f"@power {unit} / {self._parts(unit)}")

    def _parts(self, unit: Unit) -> int:
        """Into how many equal parts the exponent is cut, so that all powers of it are whole."""
        return lcm(*(times.denominator for other, times in self._powers.values() if other == unit))

    def _small(self, unit: Unit) -> bool:
        """Whether all powers of it are low ones."""
        return all(times * self._parts(unit) <= _HIGHEST for other, times in self._powers.values() if other == unit)

    def _value(self, name: str) -> Term:
        if name not in self._powers:
            return self._terms[name]
        unit, times = self._powers[name]
        if self._small(unit):
            return z3.Product([self._base(unit)] * int(times * self._parts(unit)))
        if unit == _NUMBERS:  # each is enclosed by itself
            return _of_number(times)
        raise Outside("the exponents here have no small common part")

    def holds(self, operator: str, left: Quotient) -> Term:
        """left <= 0, left > 0 or left != 0 as z3 has it. That nothing is divided by 0 stands among ``needs``."""
        value = left.number
        if value is not None:
            return z3.BoolVal({"<=": value <= 0, ">": value > 0, "!=": value != 0}[operator])
        above, below = self._term(left.above), self._term(left.below)
        if operator == "!=":
            return above != 0
        if set(left.below) == {()}:
            sign = above if left.below[()] > 0 else -above
            return sign > 0 if operator == ">" else sign <= 0
        if operator == ">":
            return z3.Or(z3.And(above > 0, below > 0), z3.And(above < 0, below < 0))
        return z3.Or(z3.And(above <= 0, below > 0), z3.And(above >= 0, below < 0))

    def _term(self, polynomial: Polynomial) -> Term:
        return term(polynomial, self._value)


def _of_number(times: Fraction) -> Term:
    """e to a number."""
    return z3.Real(f"@power {times}")


def _number(value: Fraction) -> Term:
    return z3.RealVal(f"{value.numerator}/{value.denominator}")
