"""Samplers of continuous noise rounded exactly onto a grid: normal, and heavy-tailed 1/(1 +
|z|^gamma).

``rounded_*(centre, scale)`` returns the integer nearest to c + scale Z (halves up) for each centre
c, in grid steps, as if c, the scale and Z were real numbers. It is the rounding of the ideal
continuous release, so every guarantee of that release holds for the integers, by post-processing.
(``laplace_sampler.rounded_laplace`` is the third such distribution.)

**Symbols.**

| symbol | meaning |
|---|---|
| f | the unnormalised density of Z |
| U, V, E | uniforms of [0, 1], and E = -ln U |
| r, b | exponent and factor of the ratio z = b V / U^r |
| p, q | numerator and denominator of gamma |

**Statement and proof.** Both distributions come from a ratio of uniforms. Accept z = b V / U^r,
with a fair sign, if U^(r+1) <= f(z). If b >= |z| f(z)^(r/(r+1)) for all z, the density of accepted
values is proportional to int_0^{f^(1/(r+1))} u^r du ~ f(z).

- Normal: f = exp(-z^2/2), r = 1, b = sqrt(2/e) rounded up; U^2 <= f is z^2 <= 4 E.
- Heavy tail: f = 1/(1 + z^gamma), gamma > 1, r = ceil(1/(gamma - 1)); b = 1 suffices: this is clear
  for z <= 1, and for z > 1 f^(r/(r+1)) < z^(-gamma r/(r+1)) <= 1/z. U^(r+1) <= f is z^p <=
  (U^-(r+1) - 1)^q: whole powers only.

**Edges.** Results beyond ±2^62 steps are clamped, which is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.logarithm import EXPONENTIAL_ERROR
from hedgerow.numeric.samplers.gaussian_sampler import RatioCandidates, draw_ratio_candidates
from hedgerow.numeric.samplers.lazy_uniform import (
    LazyUniform,
    RationalInterval,
    refine_floor,
    refine_until_decided,
)
from hedgerow.numeric.vectorised import CHUNK_SIZE, MAX_CENTRE, Floats, Integers, check_scale

__all__ = ["rounded_gaussian", "rounded_power"]

_ULP = 2.0**-52
_MAX_STEPS = 1 << 62
_NORMAL_BOUND = 0.8577638849607069  # the double above sqrt(2/e) = 0.857763884960706796…
_MAX_GAMMA_NUMERATOR = 16


@dataclass(frozen=True, slots=True)
class _Normal:
    """The normal distribution: z = b V/U is accepted when z^2 <= 4 E."""

    root = 1
    bound = _NORMAL_BOUND

    def acceptance_margin(
        self, candidates: RatioCandidates, z: Floats, error: Floats
    ) -> tuple[Floats, Floats]:
        """Return a number that is positive if the candidate is accepted, and its error bound."""
        need = z * z
        tolerance = 4 * EXPONENTIAL_ERROR.take(candidates.k) + 3 * (z + error) * error
        return 4 * candidates.e - need, tolerance + need * (4 * _ULP)

    def accepts(self, u: LazyUniform, z: RationalInterval) -> bool | None:
        low, high = u.exponential_bounds()
        return True if z[1] ** 2 <= 4 * low else False if z[0] ** 2 > 4 * high else None


@dataclass(frozen=True, slots=True)
class _Power:
    """The heavy-tailed distribution: z = V/U^r is accepted when z^p <= (U^-(r+1) - 1)^q."""

    p: int
    q: int
    bound = 1.0

    @property
    def root(self) -> int:
        return ceil(Fraction(self.q, self.p - self.q))

    def acceptance_margin(
        self, candidates: RatioCandidates, z: Floats, error: Floats
    ) -> tuple[Floats, Floats]:
        """Return the difference of both sides, and its error bound.

        A relative error of d grows to at most 1.1 n d in an n-th power while n d < 0.1.
        """
        r, unseen = self.root, np.ldexp(1.0, candidates.k - 62)
        power = _raise_to(candidates.u * 2.0**-63, r + 1)
        rest = 1 / power - 1
        relative = (unseen + 2 * (r + 3) * _ULP) * 2 * (r + 1) / (1 - power)
        left, right = _raise_to(z, self.p), _raise_to(rest, self.q)
        near_one = np.where(relative * self.q + error / z * self.p < 0.05, 1.0, np.inf)
        tolerance = near_one * (
            left * (1.2 * self.p * error / z + 4 * self.p * _ULP)
            + right * (1.2 * self.q * relative + 4 * self.q * _ULP)
        )
        return right - left, tolerance

    def accepts(self, u: LazyUniform, z: RationalInterval) -> bool | None:
        u_low, u_high = u.bounds()
        low, high = ((u ** -(self.root + 1) - 1) ** self.q for u in (u_high, u_low))
        return True if z[1] ** self.p <= low else False if z[0] ** self.p > high else None


_Distribution = _Normal | _Power


def _raise_to(x: Floats, n: int) -> Floats:
    """Return x^n with a relative error of at most n 2^-53.

    Multiplications round correctly; numpy's power promises nothing.
    """
    result = np.ones_like(x)
    for _ in range(n):
        result *= x
    return result


def rounded_gaussian(centre: Floats, scale: Fraction) -> Integers:
    """Draw c + scale N(0, 1) for each centre c, in steps, rounded to the nearest, halves up."""
    return _draw_rounded(_Normal(), centre, check_scale(scale))


def rounded_power(centre: Floats, scale: Fraction, gamma: Fraction) -> Integers:
    """Draw c + scale Z for each centre c, in steps, rounded to the nearest, halves up.

    The density of Z is proportional to 1/(1 + |z|^gamma).
    """
    if not (gamma > 1 and gamma.numerator <= _MAX_GAMMA_NUMERATOR):
        raise InvalidArgument(
            "gamma", "must be a fraction above 1 with a numerator of at most 16", gamma
        )
    return _draw_rounded(_Power(gamma.numerator, gamma.denominator), centre, check_scale(scale))


def _draw_rounded(distribution: _Distribution, centre: Floats, scale: Fraction) -> Integers:
    middle = np.clip(centre, -MAX_CENTRE, MAX_CENTRE).ravel()
    result = np.empty(middle.size, dtype=np.int64)
    filled = 0
    while filled < result.size:
        here = middle[filled : filled + CHUNK_SIZE // 2]
        drawn = _draw_accepted(distribution, here, scale)
        result[filled : filled + drawn.size] = drawn
        filled += drawn.size
    return result.reshape(centre.shape)


@np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore")
def _draw_accepted(distribution: _Distribution, middle: Floats, scale: Fraction) -> Integers:
    """Draw one round of candidates; return the accepted ones for the first centres, in order."""
    candidates = draw_ratio_candidates(min(CHUNK_SIZE, 2 * middle.size + 8))
    z, error = _compute_ratio(distribution, candidates)
    margin, tolerance = distribution.acceptance_margin(candidates, z, error)
    keep = margin > 0
    refined: dict[int, tuple[LazyUniform, LazyUniform]] = {}
    for place in np.flatnonzero(~(np.abs(margin) > tolerance)).tolist():
        u, v = refined[place] = candidates.uniforms(place)
        keep[place] = _resolve_acceptance(distribution, u, v)
    places = np.flatnonzero(keep)[: middle.size]
    c, sign = middle[: places.size], 1 - 2 * candidates.sign[places]
    t = float(scale)
    moved = sign * (t * z[places])
    value = c + moved + 0.5
    slack = t * error[places] + 4 * _ULP * (np.abs(moved) + np.abs(c) + 1)
    whole = np.floor(value)
    far = np.abs(value) - slack > _MAX_STEPS
    unsure = ~((np.abs(value - whole - 0.5) + slack < 0.5) | far)
    clamped = np.where(far, np.sign(value) * _MAX_STEPS, np.where(unsure, 0.0, whole))
    result = clamped.astype(np.int64)
    for i in np.flatnonzero(unsure).tolist():
        u, v = refined.get(int(places[i])) or candidates.uniforms(int(places[i]))
        result[i] = _resolve_rounding(
            distribution, u, v, Fraction(float(c[i])), int(sign[i]) * scale
        )
    return result


def _compute_ratio(
    distribution: _Distribution, candidates: RatioCandidates
) -> tuple[Floats, Floats]:
    """Return z = b V/U^r and its error bound.

    Each factor U contributes an ulp and its unseen bits, each product and division half an ulp.
    """
    unseen = np.ldexp(1.0, candidates.k - 62)
    z = candidates.value * distribution.bound
    z /= _raise_to(candidates.u * 2.0**-63, distribution.root - 1)
    absolute = (
        distribution.bound * unseen / _raise_to(candidates.u * 2.0**-63, distribution.root - 1)
    )
    error = 1.5 * (z * distribution.root * (unseen + 4 * _ULP) + absolute)
    error[candidates.k > 30] = np.inf  # too few bits of U for the first-order bound
    return z, error


def _compute_ratio_interval(
    distribution: _Distribution, u: LazyUniform, v: LazyUniform
) -> RationalInterval:
    (u_low, u_high), (v_low, v_high) = u.bounds(), v.bounds()
    bound = Fraction(distribution.bound)
    return bound * v_low / u_high**distribution.root, bound * v_high / u_low**distribution.root


def _resolve_acceptance(distribution: _Distribution, u: LazyUniform, v: LazyUniform) -> bool:
    return refine_until_decided(
        lambda: distribution.accepts(u, _compute_ratio_interval(distribution, u, v)), u, v
    )


def _resolve_rounding(
    distribution: _Distribution, u: LazyUniform, v: LazyUniform, centre: Fraction, scale: Fraction
) -> int:
    def value() -> RationalInterval:
        ends = sorted(scale * x for x in _compute_ratio_interval(distribution, u, v))
        limit = Fraction(_MAX_STEPS)
        low, high = (max(min(centre + Fraction(1, 2) + x, limit), -limit) for x in ends)
        return low, high

    return refine_floor(value, u, v)
