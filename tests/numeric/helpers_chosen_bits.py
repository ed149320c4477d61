"""Chosen random bits for the samplers, and reference values of the same uniforms in 70 digits.

A chosen uniform starts with a word of 63 bits and continues with the same 64 bits over and over, so
that it is an exact rational: (word + more/(2^64 - 1)) / 2^63. The draw that a sampler makes of it,
in doubles or after refinement, can be computed beforehand.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest

from hedgerow.numeric.samplers import lazy_uniform as lazy

# How a uniform goes on: nearly all zeros, and nearly all ones. (All of either would be an end
# point, which has probability 0.)
LOW, HIGH = 1, (1 << 64) - 2
SCALES = [
    Fraction(1, 1000),
    Fraction(3, 10),
    Fraction(1),
    Fraction(15, 2),
    Fraction(1000),
    Fraction(10**6, 7),
    Fraction(10**9),
    Fraction(10**12),
]
SPECIAL = sorted(
    {0, 1, 2, 3, 5, (1 << 63) - 1, (1 << 63) - 2, (1 << 63) - 513}
    | {
        min(max((1 << bit) + step, 0), (1 << 63) - 1)
        for bit in (*range(2, 63, 5), 52, 53, 54, 61, 62)
        for step in (-1, 0, 1)
    }
)
_EXACT = Context(prec=70)


def uniform(word: int, more: int) -> Fraction:
    """Return the chosen uniform as a rational."""
    return (word + Fraction(more, (1 << 64) - 1)) / (1 << 63)


def some(count: int, seed: int) -> list[int]:
    """Return words that are the same in every run: half uniform, half of uniform length."""
    source = random.Random(seed)
    return [source.getrandbits(63 if i % 2 else source.randrange(1, 64)) for i in range(count)]


def near(u: Fraction) -> list[int]:
    """Return the words around a boundary at u."""
    word = int(u * (1 << 63))
    return [w for w in range(word - 2, word + 4) if 0 <= w < 1 << 63]


def exp(x: Fraction) -> Fraction:
    with localcontext(_EXACT):
        return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).exp())


def ln(x: Fraction) -> Fraction:
    with localcontext(_EXACT):
        return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).ln())


def feed(
    patch: pytest.MonkeyPatch, module: ModuleType, more: int, *columns: Iterable[int], sign: int = 0
) -> None:
    """Make ``draw_uniform_words`` of the module return these columns of words, call by call.

    Every refinement gives ``more``.
    """
    left = [np.array(list(column), dtype=np.int64) for column in columns]

    def draw_uniform_words(_: int) -> tuple[np.ndarray, np.ndarray]:
        word = left.pop(0)
        return word.copy(), np.full(word.size, sign, dtype=np.int64)

    patch.setattr(module, "draw_uniform_words", draw_uniform_words)
    continue_with(patch, more)


def continue_with(patch: pytest.MonkeyPatch, more: int) -> None:
    """Make every refinement give the same 64 bits."""
    patch.setattr(lazy, "draw_integer", lambda bits: more)


def giving(*columns: list[int]) -> Callable[[int], np.ndarray]:
    """Return a function that draws these columns of words, one after the other."""
    left = list(columns)
    return lambda count: np.array(left.pop(0), dtype=np.uint64)
