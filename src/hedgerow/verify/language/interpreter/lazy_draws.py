"""Draws of continuous noise as lazy reals, computed from lazy uniforms.

An exponential draw is -ln U. A normal draw b V/U is accepted if its square is at most -4 ln U
(``numeric.samplers.rounded_samplers`` has the proof). Both are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from hedgerow.numeric.bits import draw_integer
from hedgerow.numeric.samplers.lazy_uniform import (
    FIRST_BITS,
    LazyUniform,
    RationalInterval,
    refine_until_decided,
)
from hedgerow.verify.language.interpreter.lazy_reals import (
    Atom,
    LazyNumber,
    LazyReal,
    is_below,
    multiply,
    wrap_atom,
)

__all__ = ["draw_coin", "draw_exponential", "draw_normal", "draw_uniform"]

_NORMAL_BOUND: Final = Fraction(8577638849607069, 10**16)  # at least sqrt(2/e)


class _Draw(Atom):
    """Noise, enclosed by the intervals of the uniforms it is computed from."""

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
    """The absolute value of a normal draw."""

    __slots__ = ()

    def current_bounds(self) -> RationalInterval:
        (u_low, u_high), (v_low, v_high) = (one.bounds() for one in self.uniforms)
        return _NORMAL_BOUND * v_low / u_high, _NORMAL_BOUND * v_high / u_low


class _ScaledDraw(Atom):
    """A nonnegative draw times a positive number that is known by its enclosures."""

    __slots__ = ("draw", "scale")

    def __init__(self, draw: Atom, scale: Callable[[int], RationalInterval]) -> None:
        super().__init__()
        self.draw, self.scale = draw, scale

    def enclose(self, bits: int) -> RationalInterval:
        (low, high), (least, most) = self.draw.enclose(bits), self.scale(bits)
        return low * max(least, Fraction(0)), high * most


class _EnclosedNumber(Atom):
    """A number that is known by its enclosures."""

    __slots__ = ("enclosure",)

    def __init__(self, enclosure: Callable[[int], RationalInterval]) -> None:
        super().__init__()
        self.enclosure = enclosure

    def enclose(self, bits: int) -> RationalInterval:
        return self.enclosure(bits)


def _make_uniform() -> LazyUniform:
    return LazyUniform(draw_integer(FIRST_BITS))


def draw_uniform() -> LazyReal:
    """Draw from [0, 1]."""
    return wrap_atom(_Draw(_make_uniform()))


def draw_exponential(scale: Callable[[int], RationalInterval] | None = None) -> LazyReal:
    """Draw with density e^-x on [0, inf), times a scale known by its enclosures."""
    draw = _ExponentialDraw(_make_uniform())
    return wrap_atom(draw if scale is None else _ScaledDraw(draw, scale))


def draw_normal(scale: Callable[[int], RationalInterval] | None = None) -> LazyNumber:
    """Draw with density proportional to e^(-x^2/2), times a scale known by its enclosures."""
    while True:
        u, v = _make_uniform(), _make_uniform()
        draw = _NormalDraw(u, v)

        def accepts(u: LazyUniform = u, draw: _NormalDraw = draw) -> bool | None:
            (low, high), (least, most) = u.exponential_bounds(), draw.current_bounds()
            return True if most**2 <= 4 * low else False if least**2 > 4 * high else None

        if refine_until_decided(accepts, u, v):
            size = wrap_atom(draw if scale is None else _ScaledDraw(draw, scale))
            return size if draw_integer(1) else multiply(Fraction(-1), size)


def draw_coin(probability: Callable[[int], RationalInterval]) -> bool:
    """Return True with a probability known by its enclosures. With probability 1, a fresh uniform
    differs from that number.
    """
    return is_below(draw_uniform(), wrap_atom(_EnclosedNumber(probability)))
