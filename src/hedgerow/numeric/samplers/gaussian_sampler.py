"""An exact sampler of the discrete Gaussian, by the ratio of uniforms.

**Statement.** ``discrete_gaussian(sigma, n)`` returns n independent integers with Pr[Z = z]
proportional to exp(-z^2 / 2 sigma^2).

**Symbols.**

| symbol | meaning |
|---|---|
| g(z) | exp(-z^2 / 4 sigma^2) |
| b | a bound on (abs(z) + 1/2) g(z) for every integer z |
| U, V | uniform on [0, 1] and on [-b, b] |
| E | -ln U |
| k | the binary exponent of U: 2^-k <= U < 2^(1-k) |

**Proof.** Let z be the integer nearest to V/U, and accept z if U <= g(z). For a fixed z, V must lie
in an interval of length U, which is inside [-b, b] because U (|z| + 1/2) <= g(z) (|z| + 1/2) <= b.
So Pr[accept z] = (1/2b) int_0^{g(z)} u du = g(z)^2 / 4b. QED.

U <= g(z) is the same as E >= z^2 / 4 sigma^2: one logarithm and one division per candidate. Between
a half and three quarters of the candidates are accepted, for any sigma. The number of attempts is
independent of the value accepted.

**Arithmetic.** Doubles with error bounds decide nearly all candidates; the rest are resolved with
more bits of the same U and V. The error bounds hold for k <= 10 (U >= 2^-10). Smaller U are checked
again, since nearly all of them are certain rejections.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor, isqrt, nextafter

import numpy as np

from hedgerow.numeric.logarithm import EXPONENTIAL_ERROR, standard_exponential
from hedgerow.numeric.rounding import exp_bounds
from hedgerow.numeric.samplers.lazy_uniform import LazyUniform, refine_floor, refine_until_decided
from hedgerow.numeric.vectorised import (
    CHUNK_SIZE,
    Floats,
    Integers,
    Mask,
    check_scale,
    check_size,
    draw_uniform_words,
)

__all__ = ["RatioCandidates", "discrete_gaussian", "draw_ratio_candidates"]

_ULP = 2.0**-52
_MAX_FAST_EXPONENT = 10  # U >= 2^-10


@dataclass(frozen=True, slots=True)
class RatioCandidates:
    """Candidates of the ratio of uniforms.

    Fields: the words of U and V, a sign, U in doubles, E = -ln U with its exponent k, and V/U.
    """

    u_word: Integers
    v_word: Integers
    sign: Integers
    u: Floats
    e: Floats
    k: Integers
    value: Floats

    def uniforms(self, place: int) -> tuple[LazyUniform, LazyUniform]:
        """Return U and V of one candidate, for refinement."""
        return LazyUniform(int(self.u_word[place])), LazyUniform(int(self.v_word[place]))


def draw_ratio_candidates(count: int) -> RatioCandidates:
    """Draw ``count`` candidates with U and V uniform on [0, 1].

    The error of ``value`` is at most value (1.5 2^-52 + 2^(k-62)) + 2^(k-62): two conversions and a
    division each round by a relative 2^-53, the unseen bits of V move it by 2^-63/U and those of U
    by a relative 2^-63/U, and 1/U <= 2^k, unless U was rounded up to 2^-k. (Where the word of U is
    0, nothing is known.)
    """
    u_word, sign = draw_uniform_words(count)
    v_word, _ = draw_uniform_words(count)
    e, k = standard_exponential(u_word)
    u = np.maximum(u_word, 1).astype(np.float64)
    value = v_word.astype(np.float64)
    value /= u
    return RatioCandidates(u_word, v_word, sign, u, e, k, value)


@lru_cache(maxsize=1024)
def _compute_ratio_bound(sigma: Fraction) -> float:
    """Return a double b >= (z + 1/2) exp(-z^2 / 4 sigma^2) for all integers z >= 0.

    The right side rises while z^2 + z/2 < 2 sigma^2 and falls after it, so the maximum is next to
    that root.
    """
    root = isqrt(floor(2 * sigma**2 + Fraction(1, 16)))
    best = max(
        (z + Fraction(1, 2)) * exp_bounds(-Fraction(z * z) / (4 * sigma**2))[1]
        for z in range(max(0, root - 1), root + 2)
    )
    return nextafter(float(best), np.inf)


def discrete_gaussian(sigma: Fraction, size: int) -> Integers:
    """Draw ``size`` independent integers with Pr[Z = z] proportional to exp(-z^2 / 2 sigma^2)."""
    bound = _compute_ratio_bound(check_scale(sigma, "sigma"))
    result = np.empty(check_size(size), dtype=np.int64)
    filled = 0
    while filled < result.size:
        missing = result.size - filled
        # more than half of the candidates are accepted
        candidates = draw_ratio_candidates(min(CHUNK_SIZE, 2 * missing + 16))
        whole, keep = _decide_candidates(candidates, sigma, bound)
        kept = np.flatnonzero(keep)[:missing]
        sign, part = -candidates.sign.take(kept), slice(filled, filled + kept.size)
        np.bitwise_xor(whole.take(kept), sign, out=result[part])
        result[part] -= sign  # 0 or -1: negates in two's complement where it is -1
        filled += kept.size
    return result


def _decide_candidates(
    candidates: RatioCandidates, sigma: Fraction, bound: float
) -> tuple[Integers, Mask]:
    """Return the integer nearest to b V/U of each candidate, and whether to accept it."""
    value = candidates.value * bound
    slope = float(1 / (2 * sigma))
    error = value * (4 * _ULP)
    error += (
        (bound + 1) * 4 * _ULP
    )  # for k <= 10; the product with b and adding 1/2 round twice more
    value += 0.5
    whole = np.floor(value)
    value -= whole
    value -= 0.5
    np.abs(value, out=value)
    value += error
    need = whole * slope
    need *= need
    margin = candidates.e - need
    need *= 4 * _ULP  # rounding of slope, product and square: 2.5 ulp
    need += EXPONENTIAL_ERROR[_MAX_FAST_EXPONENT]
    keep = margin > 0
    np.abs(margin, out=margin)
    unsure = ~((value < 0.5) & (margin > need) & (candidates.k <= _MAX_FAST_EXPONENT))
    # values this large are rejected, or resolved below
    nearest = np.minimum(whole, 2.0**62).astype(np.int64)
    places = np.flatnonzero(unsure)
    if places.size:
        _recheck_candidates(candidates, sigma, bound, places, nearest, keep)
    return nearest, keep


def _recheck_candidates(
    candidates: RatioCandidates,
    sigma: Fraction,
    bound: float,
    places: Integers,
    nearest: Integers,
    keep: Mask,
) -> None:
    """Reject candidates that fail even at their smallest possible z; resolve the others exactly."""
    k = candidates.k[places]
    unseen = np.ldexp(1.0, k - 62)
    value = bound * candidates.value[places]
    lowest = np.maximum(value * (1 - 8 * _ULP - unseen) - bound * unseen - 0.5, 0)
    lowest *= float(1 / (2 * sigma))
    rejected = lowest * lowest * (1 - 8 * _ULP) > candidates.e[places] + EXPONENTIAL_ERROR.take(k)
    keep[places[rejected]] = False
    for place in places[~rejected]:
        nearest[place], keep[place] = _resolve_candidate(
            *candidates.uniforms(place), sigma, Fraction(bound)
        )


def _resolve_candidate(
    u: LazyUniform, v: LazyUniform, sigma: Fraction, bound: Fraction
) -> tuple[int, bool]:
    def ratio() -> tuple[Fraction, Fraction]:
        (u_low, u_high), (v_low, v_high) = u.bounds(), v.bounds()
        return bound * v_low / u_high + Fraction(1, 2), bound * v_high / u_low + Fraction(1, 2)

    z = refine_floor(ratio, u, v)
    need = Fraction(z * z) / (4 * sigma**2)

    def enough() -> bool | None:
        low, high = u.exponential_bounds()
        return True if low >= need else False if high < need else None

    # a rejected z may be too large for 64 bits
    return (z, True) if refine_until_decided(enough, u) else (0, False)
