"""Real numbers whose digits are drawn only as far as somebody asks.

A ``Real`` is a leaf (noise, or a public constant such as ln 3) or made of others by arithmetic. It is known by intervals: ``bounds(bits)``
are two whole numbers, in steps of 2^-bits, with the real between them, and they close as bits grow. Whatever has to be decided about it,
its sign or its floor, is decided by asking for more bits of the *same* draws until the interval lies on one side. So a program that runs on
these is the program over the reals that a proof speaks of, not one that is close to it.

Noise is made of uniforms from ``numeric.lazy``: an exponential is -ln U, a normal b V/U is kept when its square is at most -4 ln U
(``numeric.rounded`` has the proof), each exactly.

Two reals that noise made are equal with probability 0, unless they are the same by construction, as in x - x: that is seen from the linear
form. What is then still undecided after two thousand bits counts as equal: for noise that is as likely as guessing all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from math import ceil, floor
from typing import Final, TypeAlias

from hedgerow.errors import Refused
from hedgerow.numeric.bits import integer
from hedgerow.numeric.lazy import FIRST, Interval, Uniform, settle
from hedgerow.numeric.rounding import exp_bounds, log_bounds, sqrt_down, sqrt_up

__all__ = [
    "Real",
    "Value",
    "below",
    "exponential",
    "function",
    "linear",
    "normal",
    "product",
    "quotient",
    "rounded_down",
    "sign",
    "uniform",
]

_LADDER: Final = (32, 64, 128, 256, 512, 1024, 2048)
_SAME: Final = 512  # from here on it is asked whether the value is a constant in disguise
_NORMAL: Final = Fraction(8577638849607069, 10**16)  # at least sqrt(2/e)


class Real(ABC):
    """``terms`` are what it is made of. The finest interval that was computed is kept: ``low`` and ``high`` in steps of 2^-known."""

    __slots__ = ("high", "known", "low", "terms")

    def __init__(self, *terms: Real) -> None:
        self.terms = terms
        self.known, self.low, self.high = -1, 0, 0

    def bounds(self, bits: int) -> tuple[int, int]:
        """The real in steps of 2^-bits. By a stack, since a sum of thousands of draws is thousands of reals deep."""
        stack: list[Real] = [self]
        while stack:
            last = stack[-1]
            missing = [one for one in last.terms if one.known < bits] if last.known < bits else []
            if missing:
                stack += missing
            else:
                if last.known < bits:
                    last.low, last.high = last.interval(bits)
                    last.known = bits
                stack.pop()
        return self.ends(bits)

    @abstractmethod
    def interval(self, bits: int) -> tuple[int, int]:
        """``bounds``, from those of the terms."""

    def ends(self, bits: int) -> tuple[int, int]:
        """What is known, in coarser steps."""
        finer = self.known - bits
        return self.low >> finer, -(-self.high >> finer)

    def between(self) -> Interval:
        """What is known, as it is."""
        return Fraction(self.low, 1 << self.known), Fraction(self.high, 1 << self.known)


Value: TypeAlias = Fraction | Real


class _Drawn(Real):
    """A leaf: noise, as an interval of the uniforms it is made of."""

    __slots__ = ("uniforms",)

    def __init__(self, *uniforms: Uniform) -> None:
        super().__init__()
        self.uniforms = uniforms

    def now(self) -> Interval:
        return self.uniforms[0].bounds()

    def interval(self, bits: int) -> tuple[int, int]:
        while any(one.bits < bits for one in self.uniforms):  # fewer cannot suffice
            for one in self.uniforms:
                one.refine()
        while True:
            low, high = self.now()
            if (high - low) * (1 << bits) <= 1:
                return floor(low * (1 << bits)), ceil(high * (1 << bits))
            for one in self.uniforms:
                one.refine()


class _Exponential(_Drawn):
    __slots__ = ()

    def now(self) -> Interval:
        return self.uniforms[0].exponential()


class _Normal(_Drawn):
    __slots__ = ()

    def now(self) -> Interval:
        (u_low, u_high), (v_low, v_high) = (one.bounds() for one in self.uniforms)
        return _NORMAL * v_low / u_high, _NORMAL * v_high / u_low


class _Linear(Real):
    """constant + the sum of factor * term."""

    __slots__ = ("constant", "factors")

    def __init__(self, constant: Fraction, factors: tuple[Fraction, ...], terms: tuple[Real, ...]) -> None:
        super().__init__(*terms)
        self.constant, self.factors = constant, factors

    def interval(self, bits: int) -> tuple[int, int]:
        low = high = self.constant * (1 << bits)
        for factor, term in zip(self.factors, self.terms, strict=True):
            one, other = (factor * end for end in term.ends(bits))
            low, high = low + min(one, other), high + max(one, other)
        return floor(low), ceil(high)


class _Product(Real):
    __slots__ = ()

    def interval(self, bits: int) -> tuple[int, int]:
        ends = [one * other for one in self.terms[0].ends(bits) for other in self.terms[1].ends(bits)]
        return min(ends) >> bits, -(-max(ends) >> bits)


class _Inverse(Real):
    """1 over a real that is known not to be 0: whoever asked for its sign has an interval on one side."""

    __slots__ = ()

    def interval(self, bits: int) -> tuple[int, int]:
        low, high = self.terms[0].between()
        return floor((1 << bits) / high), ceil((1 << bits) / low)


class _Function(Real):
    """ln, exp or the square root of a real in the range of the function."""

    __slots__ = ("constant", "word")

    def __init__(self, word: str, argument: Value) -> None:
        super().__init__(*([argument] if isinstance(argument, Real) else []))
        self.word, self.constant = word, argument if isinstance(argument, Fraction) else Fraction(0)

    def interval(self, bits: int) -> tuple[int, int]:
        low, high = self.terms[0].between() if self.terms else (self.constant, self.constant)
        step, digits = 1 << bits, 20 + bits // 3 + (int(abs(high)) if self.word == "exp" else 0)
        match self.word:
            case "sqrt":
                found = sqrt_down(max(low, Fraction(0)), step), sqrt_up(high, step)
            case "exp":
                found = exp_bounds(low, digits)[0], exp_bounds(high, digits)[1]
            case _:
                found = log_bounds(low, digits)[0], log_bounds(high, digits)[1]
        return floor(found[0] * step), ceil(found[1] * step)


def _fresh() -> Uniform:
    return Uniform(integer(FIRST))


def uniform() -> Real:
    """A draw from [0, 1]."""
    return _Drawn(_fresh())


def exponential() -> Real:
    """A draw with density e^-x from 0 up."""
    return _Exponential(_fresh())


def normal() -> Real:
    """A draw with density proportional to e^(-x^2/2)."""
    while True:
        u, v = _fresh(), _fresh()
        drawn = _Normal(u, v)

        def kept(u: Uniform = u, drawn: _Normal = drawn) -> bool | None:
            (low, high), (least, most) = u.exponential(), drawn.now()
            return True if most**2 <= 4 * low else False if least**2 > 4 * high else None

        if settle(kept, u, v):
            return drawn if integer(1) else linear(Fraction(0), (Fraction(-1), drawn))


def linear(constant: Fraction, *parts: tuple[Fraction, Value]) -> Real:
    """constant + the sum of factor * value."""
    terms = [(factor, value) for factor, value in parts if isinstance(value, Real) and factor]
    constant += sum((factor * value for factor, value in parts if isinstance(value, Fraction)), Fraction(0))
    return _Linear(constant, tuple(factor for factor, _ in terms), tuple(value for _, value in terms))


def product(one: Value, other: Value) -> Value:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one * other
    if isinstance(one, Fraction):
        return linear(Fraction(0), (one, other)) if one else Fraction(0)
    if isinstance(other, Fraction):
        return product(other, one)
    return _Product(one, other)


def quotient(one: Value, other: Value) -> Value:
    """0 where the divisor is 0."""
    if not sign(other):
        return Fraction(0)
    if isinstance(other, Fraction):
        return product(1 / other, one)
    return product(one, _Inverse(other))


def function(word: str, argument: Value) -> Value:
    """ln, exp or sqrt; exact where that is rational."""
    if word == "ln" and sign(argument) <= 0:
        raise Refused("a logarithm was taken of a number that is not above 0.")
    if word == "sqrt" and sign(argument) < 0:
        raise Refused("a square root was taken of a number below 0.")
    if word == "exp" and abs(rounded_down(argument)) > 10**4:
        raise Refused("e was raised to a power of more than 10,000.")
    if isinstance(argument, Fraction):
        if word in ("ln", "exp") and argument == (1 if word == "ln" else 0):
            return Fraction(0 if word == "ln" else 1)
        if word == "sqrt":
            root = sqrt_down(argument, argument.denominator)
            if root * root == argument:
                return root
    return _Function(word, argument)


def _constant(value: Real) -> Fraction | None:
    """What the value is if all that was drawn cancels, as in x - x."""
    total, weights, leaves = Fraction(0), dict[int, Fraction](), dict[int, Real]()
    order, indegree = list[Real](), dict[int, int]()
    stack, seen = [value], {id(value)}
    while stack:  # count how often each is used, so that each is opened once, after all that use it
        node = stack.pop()
        order.append(node)
        if isinstance(node, _Linear):
            for term in node.terms:
                indegree[id(term)] = indegree.get(id(term), 0) + 1
                if id(term) not in seen:
                    seen.add(id(term))
                    stack.append(term)
    weights[id(value)], ready = Fraction(1), [value]
    while ready:
        node = ready.pop()
        weight = weights[id(node)]
        if not isinstance(node, _Linear):
            leaves[id(node)] = node
            continue
        total += weight * node.constant
        for factor, term in zip(node.factors, node.terms, strict=True):
            weights[id(term)] = weights.get(id(term), Fraction(0)) + weight * factor
            indegree[id(term)] -= 1
            if not indegree[id(term)]:
                ready.append(term)
    return None if any(weights[name] for name in leaves) else total


def sign(value: Value) -> int:
    """-1, 0 or 1."""
    if isinstance(value, Fraction):
        return (value > 0) - (value < 0)
    for bits in _LADDER:
        low, high = value.bounds(bits)
        if low > 0 or high < 0 or low == high:
            return (low > 0) - (high < 0)
        if bits == _SAME and (same := _constant(value)) is not None:
            return (same > 0) - (same < 0)
    return 0


def below(one: Value, other: Value) -> bool:
    """one < other."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one < other
    return sign(linear(Fraction(0), (Fraction(1), one), (Fraction(-1), other))) < 0


def rounded_down(value: Value) -> int:
    """The floor."""
    if isinstance(value, Fraction):
        return floor(value)
    for bits in _LADDER[1:]:
        low, high = value.bounds(bits)
        if low >> bits == high >> bits:
            return low >> bits
        if bits == _SAME and (same := _constant(value)) is not None:
            return floor(same)
    return high >> bits
