"""Real numbers as exact polynomials in what was drawn.

A ``LazyReal`` is a polynomial with rational coefficients in *atoms*: draws of continuous noise, and
at most one irrational constant. Adding, scaling and multiplying are done on the coefficients, so
that x / 10^98 * 10^98 is x again and x - x is the number 0: nothing is rounded, ever.

**Theorem.** Whatever is asked of a value, its sign, its floor, or any other step function of it, is
answered with probability 1, and the answer is that of the real number itself.

**Proof.** *Right:* ``evaluate_step`` takes a step function that never falls, and answers when it is
the same at both ends of an interval that holds the value. That interval is computed in whole
numbers, without rounding, from intervals that hold the atoms; there is no other way out of its
loop. *With probability 1:* intervals of atoms close as bits grow, so the loop ends unless the value
lies where the function steps, at one of countably many rationals r. A value without atoms is
rational and compared as such. Otherwise value - r is not the zero polynomial. Where noise occurs in
it, its coefficients, polynomials in the constant, do not all vanish, as is shown next; and the
zeros of a polynomial that is not 0 have Lebesgue measure 0, while draws are independent and have
densities. Without noise it is a polynomial in one constant t. If t is transcendental it is not 0
there: ln and exp of a rational are (Lindemann), where they are not 0 and 1; so are roots and
inverses of what is not constant in such a t. If t is the root of a rational that is no square, t^2
is replaced by that rational, and a + bt is 0 only if a = b = 0. Two constants in one value are
refused (``MixedConstants``): nobody knows in general whether a polynomial in two of them is 0.

How many bits that takes hardly depends on the size of the coefficients: with n draws of a linear
form and its largest coefficient c, b bits leave |value - r| open only up to n c 2^-b, and the draw
at c, the others given, falls there with a chance of at most 2 n 2^-b. (Floors of numbers that are
large against 1 need the bits before the point as well; ``work`` bounds these.)

Noise is made of uniforms from ``numeric.lazy``: an exponential is -ln U, a normal b V/U is kept
when its square is at most -4 ln U (``numeric.rounded`` has the proof), each exactly.
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
from hedgerow.numeric.bits import draw_integer
from hedgerow.numeric.rounding import exp_bounds, log_bounds, sqrt_down, sqrt_up
from hedgerow.numeric.samplers.lazy_uniform import (
    FIRST_BITS,
    LazyUniform,
    RationalInterval,
    refine_until_decided,
)

__all__ = [
    "Atom",
    "LazyNumber",
    "LazyReal",
    "MixedConstants",
    "add",
    "apply_function",
    "divide",
    "draw_coin",
    "draw_exponential",
    "draw_normal",
    "draw_uniform",
    "evaluate_step",
    "is_below",
    "multiply",
    "sign",
]

T = TypeVar("T")
_FIRST_BITS: Final = 64  # bits that are asked for first; then twice as many
_NORMAL_BOUND: Final = Fraction(8577638849607069, 10**16)  # at least sqrt(2/e)
_MAX_EXPONENT: Final = 10**4  # of e
_serials = itertools.count()


class MixedConstants(Refused):
    """Two irrational constants in one number."""


class Atom(ABC):
    """A real that nothing simpler is known about. ``square`` is its square where that is a
    rational.
    """

    __slots__ = ("_cached", "constant", "serial", "square")

    def __init__(self, *, constant: bool = False, square: Fraction | None = None) -> None:
        self.serial, self.constant, self.square = next(_serials), constant, square
        self._cached = -1, (0, 0)

    def integer_bounds(self, bits: int) -> tuple[int, int]:
        """Return two whole numbers, in steps of 2^-bits, with the real between them."""
        known, (least, most) = self._cached  # one object: threads share constants
        if known < bits:
            low, high = self.enclose(bits)
            known, least, most = bits, floor(low * (1 << bits)), ceil(high * (1 << bits))
            self._cached = known, (least, most)
        return least >> known - bits, -(-most >> known - bits)

    @abstractmethod
    def enclose(self, bits: int) -> RationalInterval:
        """Return an interval that holds the real, and closes as bits grow."""


class _Draw(Atom):
    """Noise, as an interval of the uniforms that it is made of."""

    __slots__ = ("uniforms",)

    def __init__(self, *uniforms: LazyUniform) -> None:
        super().__init__()
        self.uniforms = uniforms

    def current_bounds(self) -> RationalInterval:
        return self.uniforms[0].bounds()

    def enclose(self, bits: int) -> RationalInterval:
        while True:
            low, high = self.current_bounds()
            if (high - low) * (1 << bits) <= 1:
                return low, high
            for one in self.uniforms:
                one.refine()


class _ExponentialDraw(_Draw):
    __slots__ = ()

    def current_bounds(self) -> RationalInterval:
        return self.uniforms[0].exponential_bounds()


class _NormalDraw(_Draw):
    """The size of a normal draw."""

    __slots__ = ()

    def current_bounds(self) -> RationalInterval:
        (u_low, u_high), (v_low, v_high) = (one.bounds() for one in self.uniforms)
        return _NORMAL_BOUND * v_low / u_high, _NORMAL_BOUND * v_high / u_low


class _ScaledDraw(Atom):
    """A draw that is not negative, times a positive number that is known by intervals."""

    __slots__ = ("draw", "scale")

    def __init__(self, draw: Atom, scale: Callable[[int], RationalInterval]) -> None:
        super().__init__()
        self.draw, self.scale = draw, scale

    def enclose(self, bits: int) -> RationalInterval:
        (low, high), (least, most) = self.draw.enclose(bits), self.scale(bits)
        return low * max(least, Fraction(0)), high * most


class _EnclosedNumber(Atom):
    """A number that is known by intervals alone."""

    __slots__ = ("enclosure",)

    def __init__(self, known: Callable[[int], RationalInterval]) -> None:
        super().__init__()
        self.enclosure = known

    def enclose(self, bits: int) -> RationalInterval:
        return self.enclosure(bits)


class _IrrationalConstant(Atom):
    """An irrational constant: ln, exp or the root of a rational, or the root or inverse of a number
    with such a constant in it."""

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
        while low <= 0 <= high:  # it is not 0, as every number with a constant in it
            bits *= 2
            low, high = argument.enclose(bits)
        return 1 / high, 1 / low


Monomial: TypeAlias = tuple[Atom, ...]  # sorted by serial; () is the rational part


class LazyReal:
    """The sum of ``terms``, whole numbers times monomials, over ``unit``. Some monomial is not
    ().
    """

    __slots__ = ("constant", "denominator", "terms")

    def __init__(self, terms: dict[Monomial, int], unit: int, constant: Atom | None) -> None:
        self.terms, self.denominator, self.constant = terms, unit, constant

    def enclose(self, bits: int) -> RationalInterval:
        """Return an interval that holds the real, computed without rounding from those of its
        atoms.
        """
        degree = max(map(len, self.terms))
        low = high = 0
        for monomial, factor in self.terms.items():
            one, other = 1, 1
            for atom in monomial:
                least, most = atom.integer_bounds(bits)
                corners = (one * least, one * most, other * least, other * most)
                one, other = min(corners), max(corners)
            one, other = one * factor, other * factor
            missing = bits * (degree - len(monomial))
            low += min(one, other) << missing
            high += max(one, other) << missing
        whole = self.denominator << bits * degree
        return Fraction(low, whole), Fraction(high, whole)


LazyNumber: TypeAlias = Fraction | LazyReal


def _simplify(terms: dict[Monomial, int], unit: int, constant: Atom | None) -> LazyNumber:
    """Return the polynomial, or the rational that it is."""
    found = {monomial: factor for monomial, factor in terms.items() if factor}
    if found.keys() <= {()}:
        return Fraction(found.get((), 0), unit)
    return LazyReal(found, unit, constant)


def _merge_constants(one: LazyReal, other: LazyReal) -> Atom | None:
    if one.constant is not None and other.constant not in (None, one.constant):
        raise MixedConstants(
            "A number is made of two irrational constants, and nobody can tell in general whether "
            "such a number is 0. Use one ln, exp or sqrt there, or a rational number for the other."
        )
    return one.constant or other.constant


def _convert_to_real(value: LazyNumber) -> LazyReal:
    if isinstance(value, LazyReal):
        return value
    return LazyReal({(): value.numerator}, value.denominator, None)


def add(one: LazyNumber, other: LazyNumber) -> LazyNumber:
    """Return one + other."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one + other
    a, b = _convert_to_real(one), _convert_to_real(other)
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


def multiply(one: LazyNumber, other: LazyNumber) -> LazyNumber:
    """Return one * other."""
    if isinstance(one, Fraction):
        return one * other if isinstance(other, Fraction) else _scale(one, other)
    if isinstance(other, Fraction):
        return _scale(other, one)
    constant = _merge_constants(one, other)
    found: dict[Monomial, Fraction] = {}
    for (a, m), (b, n) in itertools.product(one.terms.items(), other.terms.items()):
        monomial, factor = _reduce_square(tuple(sorted(a + b, key=_get_serial)), constant)
        found[monomial] = found.get(monomial, Fraction(0)) + factor * m * n
    unit = lcm(*(number.denominator for number in found.values()))
    terms = {key: int(number * unit) for key, number in found.items()}
    value = _simplify(terms, unit, constant)
    return multiply(Fraction(1, one.denominator * other.denominator), value)


def _get_serial(atom: Atom) -> int:
    return atom.serial


def _reduce_square(monomial: Monomial, constant: Atom | None) -> tuple[Monomial, Fraction]:
    """Return the monomial with the square of a root replaced by the rational that it is."""
    if constant is None or constant.square is None or monomial.count(constant) < 2:
        return monomial, Fraction(1)
    rest = tuple(atom for atom in monomial if atom is not constant)
    return rest, constant.square


def divide(one: LazyNumber, other: LazyNumber) -> LazyNumber:
    """Return one / other, and 0 where other is 0."""
    if isinstance(other, Fraction):
        return multiply(1 / other, one) if other else Fraction(0)
    if _has_noise(other):
        raise Refused("A number was divided by noise. Divide by public or by whole numbers.")
    constant = other.constant
    assert constant is not None
    if constant.square is None:
        return multiply(one, _wrap_atom(_make_constant("inverse", _build_cache_key(other))))
    a, b = (Fraction(other.terms.get(key, 0), other.denominator) for key in ((), (constant,)))
    conjugate = add(a, multiply(-b, _wrap_atom(constant)))
    return multiply(one, multiply(1 / (a * a - b * b * constant.square), conjugate))


def apply_function(word: str, argument: LazyNumber) -> LazyNumber:
    """Return ln, exp or sqrt of a constant, exactly where that is rational."""
    if isinstance(argument, LazyReal) and _has_noise(argument):
        raise Refused(f"{word} was taken of noise. Take it of public numbers.")
    if word == "ln" and sign(argument) <= 0:
        raise Refused("a logarithm was taken of a number that is not above 0.")
    if word == "sqrt" and sign(argument) < 0:
        raise Refused("a square root was taken of a number below 0.")
    if word == "exp" and abs(evaluate_step(argument, floor)) > _MAX_EXPONENT:
        raise Refused("e was raised to a power of more than 10,000.")
    if isinstance(argument, LazyReal):
        return _apply_to_irrational(word, argument)
    if word in ("ln", "exp") and argument == (1 if word == "ln" else 0):
        return Fraction(0 if word == "ln" else 1)
    if word == "sqrt":
        root = sqrt_down(argument, argument.denominator)
        if root * root == argument:
            return root
    return _wrap_atom(_make_constant(word, argument))


def _apply_to_irrational(word: str, argument: LazyReal) -> LazyNumber:
    """Return the root of what has a transcendental constant in it, or e^(a + k ln b) = b^k e^a."""
    constant = argument.constant
    assert isinstance(constant, _IrrationalConstant)
    if word == "sqrt" and constant.square is None:
        return _wrap_atom(_make_constant("sqrt", _build_cache_key(argument)))
    factor = Fraction(argument.terms.get((constant,), 0), argument.denominator)
    linear = argument.terms.keys() <= {(), (constant,)}
    if word == "exp" and constant.operator == "ln" and linear and factor.denominator == 1:
        assert isinstance(constant.argument, Fraction)
        rest = Fraction(argument.terms.get((), 0), argument.denominator)
        return multiply(constant.argument ** int(factor), apply_function("exp", rest))
    raise MixedConstants(
        f"{word} was taken of a number with another irrational constant in it, and nobody can tell "
        "in general whether numbers made of that are 0. Take it of rational numbers."
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
    """Return the constant: the same atom for the same number, so that it cancels."""
    if isinstance(argument, Fraction):
        return _IrrationalConstant(word, argument)
    terms = dict(argument[0])
    unit = lcm(*(number.denominator for number in terms.values()))
    whole = {key: int(number * unit) for key, number in terms.items()}
    return _IrrationalConstant(word, LazyReal(whole, unit, argument[1]))


def _wrap_atom(atom: Atom) -> LazyReal:
    return LazyReal({(atom,): 1}, 1, atom if atom.constant else None)


def _make_uniform() -> LazyUniform:
    return LazyUniform(draw_integer(FIRST_BITS))


def draw_uniform() -> LazyReal:
    """Return a draw from [0, 1]."""
    return _wrap_atom(_Draw(_make_uniform()))


def draw_exponential(scale: Callable[[int], RationalInterval] | None = None) -> LazyReal:
    """Return a draw with density e^-x from 0 up, times a scale that is known by intervals."""
    draw = _ExponentialDraw(_make_uniform())
    return _wrap_atom(draw if scale is None else _ScaledDraw(draw, scale))


def draw_normal(scale: Callable[[int], RationalInterval] | None = None) -> LazyNumber:
    """Return a draw with density proportional to e^(-x^2/2), times such a scale."""
    while True:
        u, v = _make_uniform(), _make_uniform()
        draw = _NormalDraw(u, v)

        def kept(u: LazyUniform = u, draw: _NormalDraw = draw) -> bool | None:
            (low, high), (least, most) = u.exponential_bounds(), draw.current_bounds()
            return True if most**2 <= 4 * low else False if least**2 > 4 * high else None

        if refine_until_decided(kept, u, v):
            size = _wrap_atom(draw if scale is None else _ScaledDraw(draw, scale))
            return size if draw_integer(1) else multiply(Fraction(-1), size)


def draw_coin(chance: Callable[[int], RationalInterval]) -> bool:
    """Return True with a chance that is known by intervals: a fresh uniform differs from any
    number.
    """
    return is_below(draw_uniform(), _wrap_atom(_EnclosedNumber(chance)))


def evaluate_step(value: LazyNumber, step: Callable[[Fraction], T]) -> T:
    """Return what a function that never falls, and moves in steps, is at the value."""
    if isinstance(value, Fraction):
        return step(value)
    bits = _FIRST_BITS
    while (found := step((ends := value.enclose(bits))[0])) != step(ends[1]):
        bits *= 2
    return found


def sign(value: LazyNumber) -> int:
    """Return -1, 0 or 1."""
    return evaluate_step(value, lambda number: (number > 0) - (number < 0))


def is_below(one: LazyNumber, other: LazyNumber) -> bool:
    """Return whether one < other."""
    return sign(add(one, multiply(Fraction(-1), other))) < 0
