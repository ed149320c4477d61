"""Samplers built on a standard exponential: coins, geometric, discrete Laplace, rounded Laplace.

**Symbols.**

| symbol | meaning |
|---|---|
| U, E | a uniform of [0, 1], and E = -ln U, a standard exponential |
| t | the scale, in grid steps |
| q | e^(-1/t) |
| c | the centre, in grid steps |
| d | -t ln((1+q)/2) |

Each is one affine function of E, followed by a floor or a comparison:

- **coin** with Pr[True] = e^-x: E > x.
- **geometric** with Pr[G >= k] = e^(-k/t): G = floor(t E).
- **discrete Laplace** with Pr[Z = z] = (1-q)/(1+q) q^|z|: a fair sign and |Z| = floor(t E + d). For
  k >= 1, t E + d >= k means U (1+q)/2 <= q^k, which has probability 2 q^k/(1+q) = Pr[|Z| >= k]. At
  0 the sign has no effect. Each draw takes one logarithm and no rejection, so that the work does
  not depend on the outcome.
- **rounded Laplace**: floor(c + 1/2 ± t E), the value c + Lap(t) rounded to the nearest grid step,
  as if c, t and E were reals.

The doubles carry an error bound; where it does not decide a draw, ``lazy_uniform`` resolves it with
more bits of the same U.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.logarithm import EXPONENTIAL_ERROR, standard_exponential
from hedgerow.numeric.rounding import DIGITS, exp_bounds, log_down, log_up
from hedgerow.numeric.samplers.lazy_uniform import (
    LazyUniform,
    RationalInterval,
    refine_floor,
    refine_until_decided,
)
from hedgerow.numeric.vectorised import (
    MAX_CENTRE,
    Floats,
    Integers,
    Mask,
    check_scale,
    check_size,
    compute_floors,
    draw_uniform_words,
    iterate_chunks,
)

__all__ = ["bernoulli_exp", "discrete_laplace", "geometric", "rounded_laplace"]

_ULP = 2.0**-52


def _compute_error_table(scale: Fraction) -> tuple[float, Floats]:
    """Return t, and the error bound of t E + d in doubles by k.

    Since d <= 1/2 and E <= 0.7 (k + 1), rounding t, the product, d and the sum adds at most (1.1 t
    (k + 1) + 2) 2^-52. The total is doubled, which covers the rounding in this computation.
    """
    t = float(scale)
    k = np.arange(len(EXPONENTIAL_ERROR))
    return t, 2 * (t * EXPONENTIAL_ERROR + (1.1 * t * (k + 1) + 2) * _ULP)


@lru_cache(maxsize=1024)
def _compute_affine_parameters(scale: Fraction) -> tuple[float, Floats, float]:
    """Return t, its error table and d; cached, since scales of discrete noise are public."""
    return *_compute_error_table(scale), float(_compute_offset(scale, DIGITS)[0])


@lru_cache(maxsize=4096)
def _compute_offset(scale: Fraction, digits: int) -> RationalInterval:
    """Return bounds of d = -t ln((1 + e^(-1/t))/2)."""
    low, high = exp_bounds(-1 / scale, digits)
    return -scale * log_up((1 + high) / 2, digits), -scale * log_down((1 + low) / 2, digits)


def bernoulli_exp(x: Fraction, size: int) -> Mask:
    """Draw ``size`` independent coins, each True with probability exactly e^-x, x >= 0."""
    if x < 0:
        raise InvalidArgument("x", "must be 0 or more", x)
    coins = np.empty(check_size(size), dtype=np.bool_)
    near = float(min(x, Fraction(100)))  # doubles decide no E above 44
    for part in iterate_chunks(coins.size):
        word, _ = draw_uniform_words(part.stop - part.start)
        value, k = standard_exponential(word)
        value -= near
        coins[part] = value > 0
        error = EXPONENTIAL_ERROR.take(k)
        error += 2 * _ULP * (near + 64)
        for place in np.flatnonzero(~(np.abs(value) > error)):
            coins[part.start + place] = _resolve_comparison(LazyUniform(int(word[place])), x)
    return coins


def _resolve_comparison(uniform: LazyUniform, x: Fraction) -> bool:
    def decide() -> bool | None:
        low, high = uniform.exponential_bounds()
        return True if low > x else False if high < x else None

    return refine_until_decided(decide, uniform)


def geometric(scale: Fraction, size: int) -> Integers:
    """Draw ``size`` independent integers with Pr[G >= k] = e^(-k/scale), k = 0, 1, 2, …"""
    return _draw_floors(check_scale(scale), size, two_sided=False)


def discrete_laplace(scale: Fraction, size: int) -> Integers:
    """Draw ``size`` independent integers with Pr[Z = z] proportional to e^(-|z|/scale)."""
    return _draw_floors(check_scale(scale), size, two_sided=True)


def _draw_floors(scale: Fraction, size: int, *, two_sided: bool) -> Integers:
    """Draw floor(t E), or with ``two_sided`` a signed floor(t E + d)."""
    t, error, d = _compute_affine_parameters(scale)
    result = np.empty(check_size(size), dtype=np.int64)
    for part in iterate_chunks(result.size):
        word, sign = draw_uniform_words(part.stop - part.start)
        value, k = standard_exponential(word)
        value *= t
        if two_sided:
            value += d
        whole, undecided = compute_floors(value, error.take(k))
        for place in undecided:
            whole[place] = _resolve_floor(scale, LazyUniform(int(word[place])), two_sided)
        if two_sided:  # 0 or -1: negates in two's complement where it is -1
            np.negative(sign, out=sign)
            whole ^= sign
            whole -= sign
        result[part] = whole
    return result


def _resolve_floor(scale: Fraction, uniform: LazyUniform, two_sided: bool) -> int:
    def value() -> RationalInterval:
        low, high = uniform.exponential_bounds()
        d = _compute_offset(scale, uniform.digits) if two_sided else (Fraction(0), Fraction(0))
        return scale * low + d[0], scale * high + d[1]

    return refine_floor(value, uniform)


def rounded_laplace(centre: Floats, scale: Fraction) -> Integers:
    """Draw c + Lap(scale) for each centre c, in grid steps, rounded to the nearest, halves up."""
    # not cached: the scale may be private (smooth sensitivity), and a cache hit would show in time
    t, table = _compute_error_table(check_scale(scale))
    middle = np.clip(centre, -MAX_CENTRE, MAX_CENTRE).ravel()
    result = np.empty(middle.size, dtype=np.int64)
    for part in iterate_chunks(result.size):
        word, sign = draw_uniform_words(part.stop - part.start)
        value, k = standard_exponential(word)
        value *= t
        value *= 1 - 2 * sign
        error = table.take(k)
        value += middle[part]
        value += 0.5
        error += 2 * _ULP * (np.abs(value) + np.abs(middle[part]) + 1)
        whole, undecided = compute_floors(value, error)
        for place in undecided:
            whole[place] = _resolve_rounding(
                Fraction(middle[part][place]),
                (1 - 2 * int(sign[place])) * scale,
                LazyUniform(int(word[place])),
            )
        result[part] = whole
    return result.reshape(centre.shape)


def _resolve_rounding(centre: Fraction, scale: Fraction, uniform: LazyUniform) -> int:
    def value() -> RationalInterval:
        ends = sorted(scale * x for x in uniform.exponential_bounds())
        return centre + Fraction(1, 2) + ends[0], centre + Fraction(1, 2) + ends[1]

    return refine_floor(value, uniform)
