"""Draws of continuous noise as lazy reals, computed from lazy uniforms.

An exponential draw is -ln U. A normal draw b V/U is accepted if its square is at most -4 ln U
(``numeric.samplers.rounded_samplers`` has the proof). Both are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

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

__all__ = ["Enclosure", "draw_coin", "draw_exponential", "draw_normal", "draw_uniform"]

# the interval that contains a number, for a number of bits
Enclosure: TypeAlias = Callable[[int], RationalInterval]
_NORMAL_BOUND: Final = Fraction(8577638849607069, 10**16)  # at least sqrt(2/e)


class _EnclosedNumber(Atom):
    """A number that is known by its enclosures."""

    __slots__ = ("enclosure",)

    def __init__(self, enclosure: Enclosure) -> None:
        super().__init__()
        self.enclosure = enclosure

    def enclose(self, bits: int) -> RationalInterval:
        return self.enclosure(bits)


def _make_uniform() -> LazyUniform:
    return LazyUniform(draw_integer(FIRST_BITS))


def _enclose_draw(
    current_bounds: Callable[[], RationalInterval], *uniforms: LazyUniform
) -> Enclosure:
    """Return the enclosures of noise, from its bounds by the uniforms it is computed from."""

    def enclose(bits: int) -> RationalInterval:
        while True:
            low, high = current_bounds()
            if (high - low) * (1 << bits) <= 1:
                return low, high
            for one in uniforms:
                one.refine()

    return enclose


def _wrap_scaled(draw: Enclosure, scale: Enclosure | None) -> LazyReal:
    """Return a nonnegative draw, times a positive scale if there is one."""
    if scale is None:
        return wrap_atom(_EnclosedNumber(draw))

    def enclose(bits: int) -> RationalInterval:
        (low, high), (least, most) = draw(bits), scale(bits)
        return low * max(least, Fraction(0)), high * most

    return wrap_atom(_EnclosedNumber(enclose))


def draw_uniform() -> LazyReal:
    """Draw from [0, 1]."""
    uniform = _make_uniform()
    return _wrap_scaled(_enclose_draw(uniform.bounds, uniform), None)


def draw_exponential(scale: Enclosure | None = None) -> LazyReal:
    """Draw with density e^-x on [0, inf), times a scale known by its enclosures."""
    uniform = _make_uniform()
    return _wrap_scaled(_enclose_draw(uniform.exponential_bounds, uniform), scale)


def draw_normal(scale: Enclosure | None = None) -> LazyNumber:
    """Draw with density proportional to e^(-x^2/2), times a scale known by its enclosures."""
    while True:
        u, v = _make_uniform(), _make_uniform()

        def bound_size(u: LazyUniform = u, v: LazyUniform = v) -> RationalInterval:
            (u_low, u_high), (v_low, v_high) = u.bounds(), v.bounds()
            return _NORMAL_BOUND * v_low / u_high, _NORMAL_BOUND * v_high / u_low

        def accepts(
            u: LazyUniform = u, bound_size: Callable[[], RationalInterval] = bound_size
        ) -> bool | None:
            (low, high), (least, most) = u.exponential_bounds(), bound_size()
            return True if most**2 <= 4 * low else False if least**2 > 4 * high else None

        if refine_until_decided(accepts, u, v):
            size = _wrap_scaled(_enclose_draw(bound_size, u, v), scale)
            return size if draw_integer(1) else multiply(Fraction(-1), size)


def draw_coin(probability: Enclosure) -> bool:
    """Return True with a probability known by its enclosures. With probability 1, a fresh uniform
    differs from that number.
    """
    return is_below(draw_uniform(), wrap_atom(_EnclosedNumber(probability)))
