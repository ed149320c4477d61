"""Real numbers as exact polynomials in the draws of a run.

A ``LazyReal`` is a polynomial with rational coefficients in *atoms*: draws of continuous noise, and
at most one irrational constant. Addition, scaling and multiplication act on the coefficients, so
that x / 10^98 * 10^98 is x again and x - x is the number 0: nothing is ever rounded.

| symbol | meaning |
|---|---|
| r | a rational at which the step function jumps |
| t | the irrational constant in the value |
| n, c | the number of draws in a linear form, and its largest coefficient |
| b | the number of bits to which the atoms are known |

**Theorem.** The sign, the floor or any other step function of a value is computed with probability
1, and the result is that of the real number itself.

**Proof.** *Correct:* ``evaluate_step`` takes a nondecreasing step function and returns when it
agrees at both ends of an interval that contains the value. The interval is computed in integers,
without rounding, from intervals that contain the atoms; the loop has no other exit. *With
probability 1:* the intervals of atoms shrink to 0 as bits grow, so the loop ends unless the value
lies on a jump, one of countably many rationals r. A value without atoms is rational and is compared
as such. Otherwise value - r is not the zero polynomial. If noise occurs in it, its coefficients,
which are polynomials in the constant, do not all vanish, as is shown next; and the zeros of a
nonzero polynomial have Lebesgue measure 0, while draws are independent and have densities. Without
noise it is a polynomial in one constant t. If t is transcendental, the polynomial does not vanish
at t: ln and exp of a rational are transcendental (Lindemann), unless they are 0 and 1; so are roots
and inverses of a nonconstant polynomial in such a t. If t is the root of a rational that is no
square, t^2 is replaced by that rational, and a + bt is 0 only if a = b = 0. Two constants in one
value are refused (``MixedConstants``): it is not known in general whether a polynomial in two of
them is 0.

The number of bits hardly depends on the size of the coefficients: b bits leave |value - r|
undecided only up to n c 2^-b, and the draw with coefficient c, given the others, falls there with
probability at most 2 n 2^-b. (Floors of numbers much larger than 1 also need the bits before the
point; ``work_bounds`` bounds these.)
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, gcd, lcm
from typing import Final, TypeAlias, TypeVar

from hedgerow.errors import Refused
from hedgerow.numeric.rounding import exp_bounds, log_bounds, sqrt_down, sqrt_up
from hedgerow.numeric.samplers.lazy_uniform import RationalInterval

__all__ = [
    "Atom",
    "LazyNumber",
    "LazyReal",
    "MixedConstants",
    "add",
    "apply_function",
    "divide",
    "evaluate_step",
    "is_below",
    "multiply",
    "sign",
    "wrap_atom",
]

T = TypeVar("T")
_FIRST_BITS: Final = 64  # of the first enclosure; doubled until it decides
_MAX_EXPONENT: Final = 10**4
_serials = itertools.count()


class MixedConstants(Refused):
    """A number with two irrational constants."""


class Atom(ABC):
    """A real that is known only by its enclosures. ``square`` is its square if that is rational."""

    __slots__ = ("_cached", "constant", "serial", "square")

    def __init__(self, *, constant: bool = False, square: Fraction | None = None) -> None:
        self.serial, self.constant, self.square = next(_serials), constant, square
        self._cached = -1, (0, 0)

    def integer_bounds(self, bits: int) -> tuple[int, int]:
        """Return integers l and h such that the real lies in [l, h] * 2^-bits."""
        known, (least, most) = self._cached  # one read: threads share constants
        if known < bits:
            low, high = self.enclose(bits)
            known, least, most = bits, floor(low * (1 << bits)), ceil(high * (1 << bits))
            self._cached = known, (least, most)
        return least >> known - bits, -(-most >> known - bits)

    @abstractmethod
    def enclose(self, bits: int) -> RationalInterval:
        """Return an interval that contains the real and shrinks to a point as bits grow."""


class _IrrationalConstant(Atom):
    """An irrational constant: ln, exp or the root of a rational, or the root or inverse of a number
    that contains such a constant.
    """

    __slots__ = ("argument", "operator")

    def __init__(self, word: str, argument: LazyNumber) -> None:
        square = argument if word == "sqrt" and isinstance(argument, Fraction) else None
        super().__init__(constant=True, square=square)
        self.operator, self.argument = word, argument

    def enclose(self, bits: int) -> RationalInterval:
        argument, digits = self.argument, 20 + bits // 3
        if isinstance(argument, Fraction):
            match self.operator:
                case "sqrt":
                    return sqrt_down(argument, 1 << bits), sqrt_up(argument, 1 << bits)
                case "exp":
                    return exp_bounds(argument, digits + max(0, int(argument) // 2))  # e < 10^(1/2)
                case _:
                    return log_bounds(argument, digits)
        low, high = argument.enclose(bits)
        if self.operator == "sqrt":
            return sqrt_down(max(low, Fraction(0)), 1 << bits), sqrt_up(high, 1 << bits)
        while low <= 0 <= high:  # ends, since a number with a constant in it is not 0
            bits *= 2
            low, high = argument.enclose(bits)
        return 1 / high, 1 / low


Monomial: TypeAlias = tuple[Atom, ...]  # sorted by serial; () is the rational part


class LazyReal:
    """The sum of ``terms``, integers times monomials, over ``denominator``. Some monomial is not
    ().
    """

    __slots__ = ("constant", "denominator", "terms")

    def __init__(self, terms: dict[Monomial, int], unit: int, constant: Atom | None) -> None:
        self.terms, self.denominator, self.constant = terms, unit, constant

    def enclose(self, bits: int) -> RationalInterval:
        """Return an interval that contains the real, computed without rounding from those of its
        atoms.
        """
        degree = max(map(len, self.terms))
        low = high = 0
        for monomial, factor in self.terms.items():
            least, most = 1, 1
            for atom in monomial:
                corners = [
                    end * bound for end in (least, most) for bound in atom.integer_bounds(bits)
                ]
                least, most = min(corners), max(corners)
            least, most = sorted((least * factor, most * factor))
            missing = bits * (degree - len(monomial))
            low += least << missing
            high += most << missing
        denominator = self.denominator << bits * degree
        return Fraction(low, denominator), Fraction(high, denominator)


LazyNumber: TypeAlias = Fraction | LazyReal


def _simplify(terms: dict[Monomial, int], unit: int, constant: Atom | None) -> LazyNumber:
    """Return the polynomial, or a Fraction if it is constant."""
    found = {monomial: factor for monomial, factor in terms.items() if factor}
    if found.keys() <= {()}:
        return Fraction(found.get((), 0), unit)
    return LazyReal(found, unit, constant)


def _merge_constants(left: LazyReal, right: LazyReal) -> Atom | None:
    if left.constant is not None and right.constant not in (None, left.constant):
        raise MixedConstants(
            "A number contains two irrational constants, so that it cannot be compared with 0. Use"
            " one ln, exp or sqrt in it, or a rational number for the other."
        )
    return left.constant or right.constant


def _convert_to_real(value: LazyNumber) -> LazyReal:
    if isinstance(value, LazyReal):
        return value
    return LazyReal({(): value.numerator}, value.denominator, None)


def add(left: LazyNumber, right: LazyNumber) -> LazyNumber:
    """Return left + right."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left + right
    a, b = _convert_to_real(left), _convert_to_real(right)
    unit = lcm(a.denominator, b.denominator)
    wide, narrow = unit // a.denominator, unit // b.denominator
    terms = dict(a.terms) if wide == 1 else {key: wide * n for key, n in a.terms.items()}
    for monomial, factor in b.terms.items():
        terms[monomial] = terms.get(monomial, 0) + narrow * factor
    return _simplify(terms, unit, _merge_constants(a, b))


def _scale(factor: Fraction, value: LazyReal) -> LazyNumber:
    if not factor:
        return Fraction(0)
    numbers = [factor.numerator * number for number in value.terms.values()]
    unit = value.denominator * factor.denominator
    common = gcd(unit, *numbers)
    terms = {key: number // common for key, number in zip(value.terms, numbers, strict=True)}
    return LazyReal(terms, unit // common, value.constant)


def multiply(left: LazyNumber, right: LazyNumber) -> LazyNumber:
    """Return left * right."""
    if isinstance(left, Fraction):
        return left * right if isinstance(right, Fraction) else _scale(left, right)
    if isinstance(right, Fraction):
        return _scale(right, left)
    constant = _merge_constants(left, right)
    found: dict[Monomial, Fraction] = {}
    for (a, m), (b, n) in itertools.product(left.terms.items(), right.terms.items()):
        monomial, factor = _reduce_square(tuple(sorted(a + b, key=_get_serial)), constant)
        found[monomial] = found.get(monomial, Fraction(0)) + factor * m * n
    unit = lcm(*(number.denominator for number in found.values()))
    terms = {key: int(number * unit) for key, number in found.items()}
    value = _simplify(terms, unit, constant)
    return multiply(Fraction(1, left.denominator * right.denominator), value)


def _get_serial(atom: Atom) -> int:
    return atom.serial


def _reduce_square(monomial: Monomial, constant: Atom | None) -> tuple[Monomial, Fraction]:
    """Return the monomial with the square of a root replaced by its rational."""
    if constant is None or constant.square is None or monomial.count(constant) < 2:
        return monomial, Fraction(1)
    rest = tuple(atom for atom in monomial if atom is not constant)
    return rest, constant.square


def divide(left: LazyNumber, right: LazyNumber) -> LazyNumber:
    """Return left / right, and 0 if right is 0."""
    if isinstance(right, Fraction):
        return multiply(1 / right, left) if right else Fraction(0)
    if _has_noise(right):
        raise Refused("A number is divided by noise. Divide by public numbers or integers.")
    constant = right.constant
    assert constant is not None
    if constant.square is None:
        return multiply(left, wrap_atom(_make_constant("inverse", _build_cache_key(right))))
    a, b = (Fraction(right.terms.get(key, 0), right.denominator) for key in ((), (constant,)))
    conjugate = add(a, multiply(-b, wrap_atom(constant)))
    return multiply(left, multiply(1 / (a * a - b * b * constant.square), conjugate))


def apply_function(word: str, argument: LazyNumber) -> LazyNumber:
    """Return ln, exp or sqrt of a constant, as a Fraction if it is rational."""
    if isinstance(argument, LazyReal) and _has_noise(argument):
        raise Refused(f"{word} is applied to noise. Apply it to public numbers.")
    if word == "ln" and sign(argument) <= 0:
        raise Refused("ln is applied to a number that is not above 0. Pass other arguments.")
    if word == "sqrt" and sign(argument) < 0:
        raise Refused("sqrt is applied to a negative number. Pass other arguments.")
    if word == "exp" and abs(evaluate_step(argument, floor)) > _MAX_EXPONENT:
        raise Refused("exp is applied to a number above 10,000. Pass other arguments.")
    if isinstance(argument, LazyReal):
        return _apply_to_irrational(word, argument)
    if word in ("ln", "exp") and argument == (1 if word == "ln" else 0):
        return Fraction(0 if word == "ln" else 1)
    if word == "sqrt":
        root = sqrt_down(argument, argument.denominator)
        if root * root == argument:
            return root
    return wrap_atom(_make_constant(word, argument))


def _apply_to_irrational(word: str, argument: LazyReal) -> LazyNumber:
    """Return the root of a number with a transcendental constant, or e^(a + k ln b) = b^k e^a."""
    constant = argument.constant
    assert isinstance(constant, _IrrationalConstant)
    if word == "sqrt" and constant.square is None:
        return wrap_atom(_make_constant("sqrt", _build_cache_key(argument)))
    factor = Fraction(argument.terms.get((constant,), 0), argument.denominator)
    linear = argument.terms.keys() <= {(), (constant,)}
    if word == "exp" and constant.operator == "ln" and linear and factor.denominator == 1:
        assert isinstance(constant.argument, Fraction)
        rest = Fraction(argument.terms.get((), 0), argument.denominator)
        return multiply(constant.argument ** int(factor), apply_function("exp", rest))
    raise MixedConstants(
        f"{word} is applied to a number with another irrational constant, so that the result cannot"
        " be compared with 0. Apply it to rational numbers."
    )


def _has_noise(value: LazyReal) -> bool:
    return any(not atom.constant for monomial in value.terms for atom in monomial)


def _build_cache_key(value: LazyReal) -> tuple[frozenset[tuple[Monomial, Fraction]], Atom | None]:
    terms = frozenset(
        (key, Fraction(number, value.denominator)) for key, number in value.terms.items()
    )
    return terms, value.constant


@lru_cache(maxsize=1024)
def _make_constant(
    word: str, argument: Fraction | tuple[frozenset[tuple[Monomial, Fraction]], Atom | None]
) -> Atom:
    """Return the constant; equal numbers get the same atom, so that they cancel."""
    if isinstance(argument, Fraction):
        return _IrrationalConstant(word, argument)
    terms = dict(argument[0])
    unit = lcm(*(number.denominator for number in terms.values()))
    whole = {key: int(number * unit) for key, number in terms.items()}
    return _IrrationalConstant(word, LazyReal(whole, unit, argument[1]))


def wrap_atom(atom: Atom) -> LazyReal:
    return LazyReal({(atom,): 1}, 1, atom if atom.constant else None)


def evaluate_step(value: LazyNumber, step: Callable[[Fraction], T]) -> T:
    """Return a nondecreasing step function of the value."""
    if isinstance(value, Fraction):
        return step(value)
    bits = _FIRST_BITS
    while (found := step((ends := value.enclose(bits))[0])) != step(ends[1]):
        bits *= 2
    return found


def sign(value: LazyNumber) -> int:
    """Return -1, 0 or 1."""
    return evaluate_step(value, lambda number: (number > 0) - (number < 0))


def is_below(left: LazyNumber, right: LazyNumber) -> bool:
    """Return whether left < right."""
    return sign(add(left, multiply(Fraction(-1), right))) < 0
