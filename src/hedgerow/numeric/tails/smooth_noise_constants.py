"""The admissible constants of smooth sensitivity: the largest alpha and beta, with proofs.

**Symbols.**

| symbol | meaning |
|---|---|
| Z, d | noise with independent coordinates of one distribution in R^d |
| S, S' | the smooth sensitivities of two neighbouring data sets |
| alpha, beta | noise is scaled to S/alpha; ln S moves by at most beta between neighbours |
| a, b | the actual shift and log-dilation between neighbours, a <= alpha, b <= beta |
| e, t | epsilon and delta of one step |
| g | the exponent gamma of power noise |
| s, m | (g-1)^((g-1)/g), and max(1, g-1) |
| N, W | the narrower and the wider of two noise distributions |
| F(x, y) | (e^x - 1)^(1/g) (1 - e^-y)^(1-1/g) |

**Setting.** *Sliding* moves Z by a vector of l1 norm at most alpha; *dilation* scales it by e^l,
|l| <= beta. A step costs (e, t) if Pr[before] <= e^e Pr[after] + t for every event, and likewise
from after to before.

**Power**, density h ~ 1/(1+|z|^g). |d ln h/dz| = g z^(g-1)/(1+z^g) is largest where z^g = g-1, with
the value s; and d ln(e^l h(e^l z))/dl = 1 - g |z|^g/(1+|z|^g) lies in (1-g, 1]. So sliding costs (s
alpha, 0), and dilation (d m beta, 0).

**Laplace.** Sliding costs (alpha, 0). **Dilation, Laplace and Gaussian**: let n = |Z|_1, k = 1
(Laplace) or n = |Z|_2^2/2, k = 2 (Gaussian). The density is proportional to e^-n, so scaling Z by
e^l multiplies it by e^(-d l + n (1 - e^(-k l))) at an outcome n, a function that rises with n for l
> 0. So from the wider distribution to the narrower, the worst event is a half-line n > c; and for a
fixed c its probability under the wider one grows with l: the largest l is the worst. There c = (e +
d l)/(1 - e^(-k l)), which in units of the wider distribution is c e^(-k l) = c - (e + d l). n has
the gamma distribution of shape d (Laplace) or d/2 (Gaussian) with upper tail G, so

    t = G((e + d l)/(e^(k l) - 1)) - e^e G((e + d l)/(1 - e^(-k l))).

From the narrower to the wider, the ratio of densities is at most e^(d l): t = 0 while d l <= e.

**Gaussian sliding.** By symmetry along one axis, the l2 norm being at most the l1 norm: t = Phi(a/2
- e/a) - e^e Phi(-a/2 - e/a) (Balle and Wang 2018), growing with a.

**Jointly, one number.** The answers of neighbours lie within min(S, S') of each other, since each S
bounds the local sensitivity on its side. In units of the narrower noise (the wider is e^b times as
wide, 0 <= b <= beta) they are therefore at most a <= alpha apart, whichever side is narrow. Two
distributions remain, N around 0 and W around a, and two directions, from N to W and from W to N;
each must keep (epsilon, delta) for all such a and b. a = alpha will be the worst throughout.

*Power.* ln N/W is b + ln(1 + e^(-gb) |z-a|^g) - ln(1 + |z|^g), no larger at z than at -|z| = -x,
where it grows with a and is convex in b. ln W/N, with z = a + e^b y, is ln(1 + |a + e^b y|^g) - b -
ln(1 + |y|^g), no larger at y than at |y|, where it grows with a and is convex in b as well: a
logarithm of a sum of exponentials. So b = 0 and b = beta are the worst. N <= e^epsilon W for all x
>= 0 means that e^-b (x + a) is at most the g-norm of ((C-1)^(1/g), C^(1/g) x), C = e^(epsilon-b).
By Hoelder's inequality this norm is at least p (C-1)^(1/g) + e^-b x for the p that makes (p, e^-b
C^(-1/g)) a unit of the dual norm (b < epsilon), with equality at some x. So the condition is

    a <= e^b F(epsilon - b, epsilon/(g-1) + b).

In the same way W <= e^epsilon N, with C = e^(epsilon+b), and y and a + e^b y in the place of x and
e^-b (x + a), b < epsilon/(g-1), is the condition

    a <= F(epsilon + b, epsilon/(g-1) - b).

alpha is the least of the two at b = beta and of F(epsilon, epsilon/(g-1)), the case b = 0; no
larger alpha is admissible. For g = 2 both are alpha^2 <= 2 e^beta (cosh epsilon - cosh beta), a
disc of hyperbolic geometry; for small epsilon, alpha^2 + beta^2 <= epsilon^2.

*Laplace.* ln N/W = b - |z| + e^-b |z-a| is largest at 0, where it is b + e^-b a, convex in b: from
N to W, t = 0 while alpha <= epsilon and beta + e^-beta alpha <= epsilon. ln W/N falls up to 0 and
rises from there. With a <= epsilon it exceeds epsilon beyond two points, which in units of the
wider noise lie (epsilon + b - a)/(e^b - 1) above a and (epsilon + b + a)/(e^b - 1) below; at each,
W = e^epsilon N. So

    t = (1 - e^-b)/2 (e^(-(epsilon + b - a)/(e^b - 1)) + e^(-(epsilon + b + a)/(e^b - 1))).

The probability of a fixed pair of such tails under W grows with b, and with a: the upper tail is
the nearer one.

*Gaussian.* ln W/N is a parabola that exceeds epsilon outside an interval whose middle is below 0.
While a^2 <= 2 epsilon, a is inside it and the upper end is nearer: again the probability under W of
a fixed pair of such tails grows with b and with a, and t is W - e^epsilon N of it. From N to W,
dilate and slide: e^b t_slide(epsilon - b, e^-b a), which is at most e^beta t_slide(epsilon - beta,
alpha).

**Constants.** *One number:* every pair that satisfies these inequalities is admissible. A large
alpha beta makes the noise small where data are dense, since there S is roughly proportional to
1/beta. Power: beta is the multiple of min(epsilon, epsilon/(g-1))/64 that makes alpha beta largest.
Laplace: alpha = epsilon/2, and the largest beta. Gaussian: the largest multiple of the pair for
several numbers.

*Several numbers:* two steps, first dilate from S to S', then slide by at most S', with half of
epsilon for each. P <= e^(epsilon/2) M + t_dilate and M <= e^(epsilon/2) Q + t_slide imply P <=
e^epsilon Q + t_dilate + e^(epsilon/2) t_slide; the reverse direction is the same with S and S'
exchanged. Power: alpha = epsilon/2s, beta = epsilon/2dm. Laplace: alpha = epsilon/2, beta the
largest with t_dilate <= delta. Gaussian: beta the largest with t_dilate <= delta/2, alpha the
largest with e^(epsilon/2) t_slide <= delta/2.

The *classical* constants are those of Nissim, Raskhodnikova and Smith (2007) for d = 1: power alpha
= beta = epsilon/2(g+1); Laplace beta = epsilon/2 ln(2/delta); Gaussian alpha = epsilon/5 sqrt(2
ln(2/delta)), beta = epsilon/4(1 + ln(2/delta)). They satisfy the inequalities of the two steps:
power always, since s + m <= 2(g+1), the others up to epsilon = 8 and delta = 1/20. Beyond, Laplace
is the first to violate them.

**Arithmetic.** F is rounded down by ``numeric.rounding``. The rest is in doubles: tails are sums of
positive terms; the larger side is raised by a relative 10^-9 and the smaller lowered, far more than
their errors (arguments are known to a few 2^-53, which a tail of e^-700 magnifies to 10^-12).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import erfc, exp, expm1, lgamma, log, sqrt
from typing import NamedTuple

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import (
    Number,
    parse_delta,
    parse_epsilon,
    parse_exact,
    parse_positive,
    parse_whole,
)
from hedgerow.numeric.rounding import exp_down, exp_up, log_down, log_up, round_down, sqrt_up
from hedgerow.numeric.samplers.rounded_samplers import rounded_power
from hedgerow.numeric.tails.smooth_noise import SMOOTH_NOISES

__all__ = [
    "NoiseConstants",
    "compute_constants",
    "dilation_delta",
    "find_largest",
    "gamma_tail",
    "joint_delta",
    "power_shift",
    "power_slope",
    "sliding_delta",
]

_UP, _DOWN = 1 + 1e-9, 1 - 1e-9
_ROUND_DOWN = 1 - 2.0**-50  # a double times this is below the rational it was rounded from
_MAX_SHIFT = 100.0  # in standard deviations; no admissible shift is larger
_BETA_STEPS = 64


class NoiseConstants(NamedTuple):
    """The requested parameters as exact values, and the resulting alpha and beta, rounded down."""

    epsilon: Fraction
    delta: Fraction
    gamma: Fraction
    dimension: int
    alpha: Fraction
    beta: Fraction


def compute_constants(
    noise: object,
    epsilon: Number,
    delta: Number | None,
    gamma: Number,
    dimension: int,
    classical: bool,
) -> NoiseConstants:
    """Compute alpha and beta, after checking the parameters.

    delta applies to Laplace and Gaussian noise only, gamma to power noise only.
    """
    if noise not in SMOOTH_NOISES:
        raise InvalidArgument("noise", 'must be "power", "laplace" or "gaussian"', noise)
    if not isinstance(classical, bool):
        raise InvalidArgument("classical", "must be True or False", classical)
    exact_epsilon, d = parse_epsilon(epsilon), parse_whole(dimension, "dimension")
    exact_gamma = parse_positive(gamma, "gamma")
    if exact_epsilon > 100:
        raise InvalidArgument("epsilon", "must be at most 100 for smooth sensitivity", epsilon)
    if d > (1 if classical else 1000):
        raise InvalidArgument(
            "dimension", "must be at most 1000, and 1 for the classical constants", dimension
        )
    if noise == "power" and delta is not None and parse_exact(delta, "delta"):
        raise InvalidArgument(
            "delta", "must be left out for power noise, which is pure epsilon-DP", delta
        )
    exact_delta = Fraction(0) if noise == "power" else parse_delta(delta)
    # an empty draw refuses a gamma that the sampler does not support
    rounded_power(np.empty(0), Fraction(1), exact_gamma)
    compute = _compute_classical if classical else _compute_joint if d == 1 else _compute_two_step
    alpha, beta = compute(str(noise), exact_epsilon, exact_delta, exact_gamma, d)
    return NoiseConstants(exact_epsilon, exact_delta, exact_gamma, d, alpha, beta)


@lru_cache(maxsize=256)
def _compute_joint(
    noise: str, epsilon: Fraction, delta: Fraction, gamma: Fraction, dimension: int
) -> tuple[Fraction, Fraction]:
    if noise == "power":
        step = min(epsilon, epsilon / (gamma - 1)) / _BETA_STEPS
        betas = (i * step for i in range(1, _BETA_STEPS))
        pairs = ((power_shift(epsilon, gamma, beta), beta) for beta in betas)
        return max(pairs, key=lambda pair: pair[0] * pair[1])
    alpha, beta = _compute_two_step(noise, epsilon, delta, gamma, dimension)
    if not alpha * beta:  # epsilon too small for doubles; the caller refuses this beta
        return alpha, beta
    shift, stretch = float(alpha) / _ROUND_DOWN, float(beta)
    e, t = float(epsilon) * _ROUND_DOWN, float(delta) * _ROUND_DOWN
    limit, grows = e / stretch, 0  # Laplace noise keeps its alpha
    if noise == "gaussian":
        limit, grows = min(limit, sqrt(2 * e) / shift) * _ROUND_DOWN, 1
    largest = find_largest(
        lambda x: joint_delta(noise, e, x**grows * shift, x * stretch) <= t, limit
    )
    multiple = max(Fraction(1), largest)
    return multiple**grows * alpha, multiple * beta


def _compute_two_step(
    noise: str, epsilon: Fraction, delta: Fraction, gamma: Fraction, dimension: int
) -> tuple[Fraction, Fraction]:
    half = epsilon / 2
    if noise == "power":
        m = max(Fraction(1), gamma - 1)
        return round_down(half / power_slope(gamma)), round_down(half / (dimension * m))
    e, t = float(half) * _ROUND_DOWN, float(delta) * _ROUND_DOWN
    t /= 1 if noise == "laplace" else 2
    beta = find_largest(lambda x: dilation_delta(noise, dimension, e, x) <= t, e / dimension)
    if noise == "laplace":
        return half, beta
    return find_largest(lambda x: exp(e) * sliding_delta(e, x) <= t, _MAX_SHIFT), beta


def _compute_classical(
    noise: str, epsilon: Fraction, delta: Fraction, gamma: Fraction, _: int
) -> tuple[Fraction, Fraction]:
    if noise == "power":
        return round_down(epsilon / (2 * (gamma + 1))), round_down(epsilon / (2 * (gamma + 1)))
    if epsilon > 8:
        raise InvalidArgument(
            "epsilon",
            "must be at most 8 for the classical constants; leave classical out",
            float(epsilon),
        )
    if delta > Fraction(1, 20):
        raise InvalidArgument(
            "delta",
            "must be at most 1/20 for the classical constants; leave classical out",
            float(delta),
        )
    log_term = log_up(2 / delta)
    if noise == "laplace":
        return epsilon / 2, round_down(epsilon / (2 * log_term))
    return round_down(epsilon / (5 * sqrt_up(2 * log_term))), round_down(
        epsilon / (4 * (1 + log_term))
    )


def power_slope(gamma: Fraction) -> Fraction:
    """Return an upper bound of s = (gamma-1)^((gamma-1)/gamma); exactly 1 for gamma = 2.

    It is the steepest slope of the logarithm of the power density.
    """
    return Fraction(1) if gamma == 2 else exp_up((gamma - 1) / gamma * log_up(gamma - 1))


def power_shift(epsilon: Fraction, gamma: Fraction, stretch: Fraction) -> Fraction:
    """Return the largest alpha, rounded down, that power noise allows one number at this beta.

    ``stretch``, the beta, must be below epsilon and epsilon/(gamma-1).
    """
    rest, zero = epsilon / (gamma - 1), Fraction(0)
    cases = (
        (zero, epsilon, rest),
        (stretch, epsilon - stretch, rest + stretch),
        (zero, epsilon + stretch, rest - stretch),
    )
    logs = (
        b + log_down(exp_down(x) - 1) / gamma + (1 - 1 / gamma) * log_down(1 - exp_up(-y))
        for b, x, y in cases
    )
    return round_down(exp_down(min(logs)))


def joint_delta(noise: str, epsilon: float, shift: float, stretch: float) -> float:
    """Return an upper bound of t for one number, in the worse direction.

    Laplace noise needs shift <= epsilon, Gaussian noise shift^2 <= 2 epsilon.
    """
    more, wide, over = expm1(2 * stretch), exp(stretch), 2 * (stretch + epsilon)
    if noise == "laplace":
        tails = sum(exp(-(over / 2 + side * shift) / expm1(stretch)) for side in (-1, 1)) / 2
        return 1.0 if stretch + shift / wide > epsilon else -expm1(-stretch) * tails * _UP
    root = sqrt(shift**2 + more * over)
    near = (over - shift**2) / (root + shift * wide), (root + shift * wide) / more
    far = (shift**2 + wide**2 * over) / (wide * root + shift), (shift + wide * root) / more
    widely, narrowly = (sum(erfc(end / sqrt(2)) for end in ends) / 2 for ends in (near, far))
    return max(_excess(widely, epsilon, narrowly), wide * sliding_delta(epsilon - stretch, shift))


def gamma_tail(halves: int, y: float) -> float:
    """Return Pr[G > y] for the gamma distribution of shape halves/2, y > 0.

    It is erfc(sqrt y) for shape 1/2 and e^-y for shape 1, and grows by y^a e^-y/Gamma(a+1) from
    shape a to a + 1.
    """
    first = 2 - halves % 2
    tail = erfc(sqrt(y)) if first == 1 else exp(-y)
    return tail + sum(exp(a / 2 * log(y) - y - lgamma(a / 2 + 1)) for a in range(first, halves, 2))


def dilation_delta(noise: str, dimension: int, epsilon: float, stretch: float) -> float:
    """Return an upper bound of t for Laplace or Gaussian noise dilated by e^±stretch.

    0 < dimension * stretch <= epsilon must hold.
    """
    halves, k = (2 * dimension, 1) if noise == "laplace" else (dimension, 2)
    over = epsilon + dimension * stretch
    near = over / expm1(k * stretch)
    return _excess(gamma_tail(halves, near), epsilon, gamma_tail(halves, near + over))


def sliding_delta(epsilon: float, shift: float) -> float:
    """Return an upper bound of t for Gaussian noise that slides by ``shift``."""
    above, below = (erfc((epsilon / shift + side * shift / 2) / sqrt(2)) / 2 for side in (-1, 1))
    return _excess(above, epsilon, below)


def _excess(above: float, epsilon: float, below: float) -> float:
    return max(above * _UP - exp(epsilon) * below * _DOWN, 0.0)


def find_largest(holds: Callable[[float], bool], limit: float) -> Fraction:
    """Return the largest number up to ``limit`` for which ``holds`` is true, to twelve digits.

    ``holds`` falls from true to false. The result is 0 if there is none.
    """
    if holds(limit):
        return Fraction(limit)
    low, high = 0.0, limit
    while high - low > 1e-12 * high and high > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return Fraction(low)
