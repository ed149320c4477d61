"""Real numbers as exact polynomials in what was drawn.

A ``Real`` is a polynomial with rational coefficients in *atoms*: draws of continuous noise, and at
most one irrational constant. Adding, scaling and multiplying are done on the coefficients, so that
x / 10^98 * 10^98 is x again and x - x is the number 0: nothing is rounded, ever.

**Theorem.** Whatever is asked of a value, its sign, its floor, or any other step function of it, is
answered with probability 1, and the answer is that of the real number itself.

**Proof.** *Right:* ``settled`` takes a step function that never falls, and answers when it is the same at
both ends of an interval that holds the value. That interval is computed in whole numbers, without
rounding, from intervals that hold the atoms; there is no other way out of its loop. *With probability 1:*
intervals of atoms close as bits grow, so the loop ends unless the value lies where the function
steps, at one of countably many rationals r. A value without atoms is rational and compared as
such. Otherwise value - r is not the zero polynomial. Where noise occurs in it, its coefficients,
polynomials in the constant, do not all vanish, as is shown next; and the zeros of a polynomial that
is not 0 have Lebesgue measure 0, while draws are independent and have densities. Without noise it
is a polynomial in one constant t. If t is transcendental it is not 0 there: ln and exp of a rational are
(Lindemann), where they are not 0 and 1; so are roots and inverses of what is not constant in such
a t. If t is the root of a rational that is no square, t^2 is replaced by that rational, and a + bt is 0
only if a = b = 0. Two constants in one value are refused (``Mixed``): nobody knows in general whether
a polynomial in two of them is 0.

How many bits that takes hardly depends on the size of the coefficients: with n draws of a linear form
and its largest coefficient c, b bits leave |value - r| open only up to n c 2^-b, and the draw at c, the
others given, falls there with a chance of at most 2 n 2^-b. (Floors of numbers that are large
against 1 need the bits before the point as well; ``work`` bounds these.)

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
from hedgerow.numeric.bits import integer
from hedgerow.numeric.lazy import FIRST, Interval, Uniform, settle
from hedgerow.numeric.rounding import exp_bounds, log_bounds, sqrt_down, sqrt_up

__all__ = [
    "Atom",
    "Mixed",
    "Real",
    "Value",
    "added",
    "below",
    "drawn_coin",
    "drawn_exponential",
    "drawn_normal",
    "drawn_uniform",
    "function",
    "product",
    "quotient",
    "settled",
    "sign",
]

T = TypeVar("T")
_START: Final = 64  # bits that are asked for first; then twice as many
_NORMAL: Final = Fraction(8577638849607069, 10**16)  # at least sqrt(2/e)
_POWER: Final = 10**4  # of e
_serial = itertools.count()


class Mixed(Refused):
    """Two irrational constants in one number."""


class Atom(ABC):
    """A real that nothing simpler is known about. ``square`` is its square where that is a rational."""

    __slots__ = ("_held", "constant", "serial", "square")

    def __init__(self, *, constant: bool = False, square: Fraction | None = None) -> None:
        self.serial, self.constant, self.square = next(_serial), constant, square
        self._held = -1, (0, 0)

    def ends(self, bits: int) -> tuple[int, int]:
        """Return two whole numbers, in steps of 2^-bits, with the real between them."""
        known, (least, most) = self._held  # one object: threads share constants
        if known < bits:
            low, high = self.interval(bits)
            known, least, most = bits, floor(low * (1 << bits)), ceil(high * (1 << bits))
            self._held = known, (least, most)
        return least >> known - bits, -(-most >> known - bits)

    @abstractmethod
    def interval(self, bits: int) -> Interval:
        """Return an interval that holds the real, and closes as bits grow."""


class _Drawn(Atom):
    """Noise, as an interval of the uniforms that it is made of."""

    __slots__ = ("uniforms",)

    def __init__(self, *uniforms: Uniform) -> None:
        super().__init__()
        self.uniforms = uniforms

    def now(self) -> Interval:
        return self.uniforms[0].bounds()

    def interval(self, bits: int) -> Interval:
        while True:
            low, high = self.now()
            if (high - low) * (1 << bits) <= 1:
                return low, high
            for one in self.uniforms:
                one.refine()


class _Exponential(_Drawn):
    __slots__ = ()

    def now(self) -> Interval:
        return self.uniforms[0].exponential()


class _Normal(_Drawn):
    """The size of a normal draw."""

    __slots__ = ()

    def now(self) -> Interval:
        (u_low, u_high), (v_low, v_high) = (one.bounds() for one in self.uniforms)
        return _NORMAL * v_low / u_high, _NORMAL * v_high / u_low


class _Scaled(Atom):
    """A draw that is not negative, times a positive number that is known by intervals."""

    __slots__ = ("draw", "scale")

    def __init__(self, draw: Atom, scale: Callable[[int], Interval]) -> None:
        super().__init__()
        self.draw, self.scale = draw, scale

    def interval(self, bits: int) -> Interval:
        (low, high), (least, most) = self.draw.interval(bits), self.scale(bits)
        return low * max(least, Fraction(0)), high * most


class _Enclosed(Atom):
    """A number that is known by intervals alone."""

    __slots__ = ("known",)

    def __init__(self, known: Callable[[int], Interval]) -> None:
        super().__init__()
        self.known = known

    def interval(self, bits: int) -> Interval:
        return self.known(bits)


class _Function(Atom):
    """An irrational constant: ln, exp or the root of a rational, or the root or inverse of a number
    with such a constant in it."""

    __slots__ = ("argument", "word")

    def __init__(self, word: str, argument: Value) -> None:
        square = argument if word == "sqrt" and isinstance(argument, Fraction) else None
        super().__init__(constant=True, square=square)
        self.word, self.argument = word, argument

    def interval(self, bits: int) -> Interval:
        argument, digits = self.argument, 20 + bits // 3
        if isinstance(argument, Fraction):
            match self.word:
                case "sqrt":
                    return sqrt_down(argument, 1 << bits), sqrt_up(argument, 1 << bits)
                case "exp":
                    return exp_bounds(argument, digits + max(0, int(argument) // 2))  # e < 10^(1/2)
                case _:
                    return log_bounds(argument, digits)
        low, high = argument.between(bits)
        if self.word == "sqrt":
            return sqrt_down(max(low, Fraction(0)), 1 << bits), sqrt_up(high, 1 << bits)
        while low <= 0 <= high:  # it is not 0, as every number with a constant in it
            bits *= 2
            low, high = argument.between(bits)
        return 1 / high, 1 / low


Monomial: TypeAlias = tuple[Atom, ...]  # sorted by serial; () is the rational part


class Real:
    """The sum of ``terms``, whole numbers times monomials, over ``unit``. Some monomial is not ()."""

    __slots__ = ("constant", "terms", "unit")

    def __init__(self, terms: dict[Monomial, int], unit: int, constant: Atom | None) -> None:
        self.terms, self.unit, self.constant = terms, unit, constant

    def between(self, bits: int) -> Interval:
        """Return an interval that holds the real, computed without rounding from those of its atoms."""
        degree = max(map(len, self.terms))
        low = high = 0
        for monomial, factor in self.terms.items():
            one, other = 1, 1
            for atom in monomial:
                least, most = atom.ends(bits)
                corners = (one * least, one * most, other * least, other * most)
                one, other = min(corners), max(corners)
            one, other = one * factor, other * factor
            missing = bits * (degree - len(monomial))
            low += min(one, other) << missing
            high += max(one, other) << missing
        whole = self.unit << bits * degree
        return Fraction(low, whole), Fraction(high, whole)


Value: TypeAlias = Fraction | Real


def _value(terms: dict[Monomial, int], unit: int, constant: Atom | None) -> Value:
    """Return the polynomial, or the rational that it is."""
    found = {monomial: factor for monomial, factor in terms.items() if factor}
    if found.keys() <= {()}:
        return Fraction(found.get((), 0), unit)
    return Real(found, unit, constant)


def _constant(one: Real, other: Real) -> Atom | None:
    if one.constant is not None and other.constant not in (None, one.constant):
        raise Mixed(
            "A number is made of two irrational constants, and nobody can tell in general whether "
            "such a number is 0. Use one ln, exp or sqrt there, or a rational number for the other."
        )
    return one.constant or other.constant


def _real(value: Value) -> Real:
    if isinstance(value, Real):
        return value
    return Real({(): value.numerator}, value.denominator, None)


def added(one: Value, other: Value) -> Value:
    """Return one + other."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one + other
    a, b = _real(one), _real(other)
    unit = lcm(a.unit, b.unit)
    wide, narrow = unit // a.unit, unit // b.unit
    terms = dict(a.terms) if wide == 1 else {key: wide * n for key, n in a.terms.items()}
    for monomial, factor in b.terms.items():
        terms[monomial] = terms.get(monomial, 0) + narrow * factor
    return _value(terms, unit, _constant(a, b))


def _scaled(factor: Fraction, value: Real) -> Value:
    if not factor:
        return Fraction(0)
    numbers = [factor.numerator * number for number in value.terms.values()]
    unit = value.unit * factor.denominator
    common = gcd(unit, *numbers)
    terms = {key: number // common for key, number in zip(value.terms, numbers, strict=True)}
    return Real(terms, unit // common, value.constant)


def product(one: Value, other: Value) -> Value:
    """Return one * other."""
    if isinstance(one, Fraction):
        return one * other if isinstance(other, Fraction) else _scaled(one, other)
    if isinstance(other, Fraction):
        return _scaled(other, one)
    constant = _constant(one, other)
    found: dict[Monomial, Fraction] = {}
    for (a, m), (b, n) in itertools.product(one.terms.items(), other.terms.items()):
        monomial, factor = _simplified(tuple(sorted(a + b, key=_serial_of)), constant)
        found[monomial] = found.get(monomial, Fraction(0)) + factor * m * n
    unit = lcm(*(number.denominator for number in found.values()))
    terms = {key: int(number * unit) for key, number in found.items()}
    value = _value(terms, unit, constant)
    return product(Fraction(1, one.unit * other.unit), value)


def _serial_of(atom: Atom) -> int:
    return atom.serial


def _simplified(monomial: Monomial, constant: Atom | None) -> tuple[Monomial, Fraction]:
    """Return the monomial with the square of a root replaced by the rational that it is."""
    if constant is None or constant.square is None or monomial.count(constant) < 2:
        return monomial, Fraction(1)
    rest = tuple(atom for atom in monomial if atom is not constant)
    return rest, constant.square


def quotient(one: Value, other: Value) -> Value:
    """Return one / other, and 0 where other is 0."""
    if isinstance(other, Fraction):
        return product(1 / other, one) if other else Fraction(0)
    if _noisy(other):
        raise Refused("A number was divided by noise. Divide by public or by whole numbers.")
    constant = other.constant
    assert constant is not None
    if constant.square is None:
        return product(one, _atom(_made("inverse", _key(other))))
    a, b = (Fraction(other.terms.get(key, 0), other.unit) for key in ((), (constant,)))
    conjugate = added(a, product(-b, _atom(constant)))
    return product(one, product(1 / (a * a - b * b * constant.square), conjugate))


def function(word: str, argument: Value) -> Value:
    """Return ln, exp or sqrt of a constant, exactly where that is rational."""
    if isinstance(argument, Real) and _noisy(argument):
        raise Refused(f"{word} was taken of noise. Take it of public numbers.")
    if word == "ln" and sign(argument) <= 0:
        raise Refused("a logarithm was taken of a number that is not above 0.")
    if word == "sqrt" and sign(argument) < 0:
        raise Refused("a square root was taken of a number below 0.")
    if word == "exp" and abs(settled(argument, floor)) > _POWER:
        raise Refused("e was raised to a power of more than 10,000.")
    if isinstance(argument, Real):
        return _nested(word, argument)
    if word in ("ln", "exp") and argument == (1 if word == "ln" else 0):
        return Fraction(0 if word == "ln" else 1)
    if word == "sqrt":
        root = sqrt_down(argument, argument.denominator)
        if root * root == argument:
            return root
    return _atom(_made(word, argument))


def _nested(word: str, argument: Real) -> Value:
    """Return the root of what has a transcendental constant in it, or e^(a + k ln b) = b^k e^a."""
    constant = argument.constant
    assert isinstance(constant, _Function)
    if word == "sqrt" and constant.square is None:
        return _atom(_made("sqrt", _key(argument)))
    factor = Fraction(argument.terms.get((constant,), 0), argument.unit)
    linear = argument.terms.keys() <= {(), (constant,)}
    if word == "exp" and constant.word == "ln" and linear and factor.denominator == 1:
        assert isinstance(constant.argument, Fraction)
        rest = Fraction(argument.terms.get((), 0), argument.unit)
        return product(constant.argument ** int(factor), function("exp", rest))
    raise Mixed(
        f"{word} was taken of a number with another irrational constant in it, and nobody can tell "
        "in general whether numbers made of that are 0. Take it of rational numbers."
    )


def _noisy(value: Real) -> bool:
    return any(not atom.constant for monomial in value.terms for atom in monomial)


def _key(value: Real) -> tuple[frozenset[tuple[Monomial, Fraction]], Atom | None]:
    terms = frozenset((key, Fraction(number, value.unit)) for key, number in value.terms.items())
    return terms, value.constant


@lru_cache(maxsize=1024)
def _made(word: str, argument: Fraction | tuple[frozenset[tuple[Monomial, Fraction]], Atom | None]) -> Atom:
    """Return the constant: the same atom for the same number, so that it cancels."""
    if isinstance(argument, Fraction):
        return _Function(word, argument)
    terms = dict(argument[0])
    unit = lcm(*(number.denominator for number in terms.values()))
    whole = {key: int(number * unit) for key, number in terms.items()}
    return _Function(word, Real(whole, unit, argument[1]))


def _atom(atom: Atom) -> Real:
    return Real({(atom,): 1}, 1, atom if atom.constant else None)


def _fresh() -> Uniform:
    return Uniform(integer(FIRST))


def drawn_uniform() -> Real:
    """Return a draw from [0, 1]."""
    return _atom(_Drawn(_fresh()))


def drawn_exponential(scale: Callable[[int], Interval] | None = None) -> Real:
    """Return a draw with density e^-x from 0 up, times a scale that is known by intervals."""
    draw = _Exponential(_fresh())
    return _atom(draw if scale is None else _Scaled(draw, scale))


def drawn_normal(scale: Callable[[int], Interval] | None = None) -> Value:
    """Return a draw with density proportional to e^(-x^2/2), times such a scale."""
    while True:
        u, v = _fresh(), _fresh()
        draw = _Normal(u, v)

        def kept(u: Uniform = u, draw: _Normal = draw) -> bool | None:
            (low, high), (least, most) = u.exponential(), draw.now()
            return True if most**2 <= 4 * low else False if least**2 > 4 * high else None

        if settle(kept, u, v):
            size = _atom(draw if scale is None else _Scaled(draw, scale))
            return size if integer(1) else product(Fraction(-1), size)


def drawn_coin(chance: Callable[[int], Interval]) -> bool:
    """Return True with a chance that is known by intervals: a fresh uniform differs from any number."""
    return below(drawn_uniform(), _atom(_Enclosed(chance)))


def settled(value: Value, step: Callable[[Fraction], T]) -> T:
    """Return what a function that never falls, and moves in steps, is at the value."""
    if isinstance(value, Fraction):
        return step(value)
    bits = _START
    while (found := step((ends := value.between(bits))[0])) != step(ends[1]):
        bits *= 2
    return found


def sign(value: Value) -> int:
    """Return -1, 0 or 1."""
    return settled(value, lambda number: (number > 0) - (number < 0))


def below(one: Value, other: Value) -> bool:
    """Return whether one < other."""
    return sign(added(one, product(Fraction(-1), other))) < 0
