"""What it costs to slide and to dilate noise: the largest alpha and beta that smooth sensitivity
may use, with proofs.

**Setting.** Z has independent coordinates of one law in R^d. *Sliding* moves Z by a vector of l1
norm at most alpha, *dilation* scales it by e^l, |l| <= beta. A step costs (e, t) if Pr[before] <=
e^e Pr[after] + t for every event, and likewise from after to before.

**Power**, density h ~ 1/(1+|z|^g). |d ln h/dz| = g z^(g-1)/(1+z^g) is largest where z^g = g-1, with
the value s = (g-1)^((g-1)/g); and d ln(e^l h(e^l z))/dl = 1 - g |z|^g/(1+|z|^g) lies in (1-g, 1].
So sliding costs (s alpha, 0), dilation (d m beta, 0), m = max(1, g-1).

**Laplace.** Sliding costs (alpha, 0). **Dilation, Laplace and Gaussian**: put n = |Z|_1, k = 1 or n
= |Z|_2^2/2, k = 2. The density is proportional to e^-n, so scaling Z by e^l multiplies it by e^(-d
l + n (1 - e^(-k l))) at an outcome n, a function that rises with n for l > 0. From the wider law to
the narrower, therefore, the best event is a half-line n > c, and for a fixed c its probability
under the wider one grows with l: the largest l is the worst. There c = (e + d l)/(1 - e^(-k l)),
and in units of the wider law it is c e^(-k l) = c - (e + d l). n has the gamma law of shape d
(Laplace) or d/2 (Gaussian) with upper tail G, so

    t = G((e + d l)/(e^(k l) - 1)) - e^e G((e + d l)/(1 - e^(-k l))).

From the narrower to the wider the ratio of densities is at most e^(d l): no t while d l <= e.

**Gaussian sliding.** By symmetry along one axis, the l2 norm being at most the l1 norm: t = Phi(a/2
- e/a) - e^e Phi(-a/2 - e/a) (Balle and Wang 2018), growing with a.

**Jointly, one number.** Neighbours' answers lie within min(S, S') of each other: each S bounds the
local sensitivity on its side. In units of the narrower noise (wide = e^b times as wide, 0 <= b <=
beta) they are therefore at most a <= alpha apart, whichever side is narrow. Two laws remain, N
around 0 and W around a, and two directions, from N to W and from W to N; each must keep (epsilon,
delta) for all such a and b. a = alpha will be the worst throughout.

*Power.* ln N/W is b + ln(1 + e^(-gb) |z-a|^g) - ln(1 + |z|^g), no larger at z than at -|z| = -x,
where it grows with a and is convex in b. ln W/N, with z = a + e^b y, is ln(1 + |a + e^b y|^g) - b -
ln(1 + |y|^g), no larger at y than at |y|, where it grows with a and is convex in b as well: a
logarithm of a sum of exponentials. So b = 0 and b = beta are the worst. N <= e^epsilon W for all x
>= 0 says that e^-b (x + a) is at most the g-norm of ((C-1)^(1/g), C^(1/g) x), C = e^(epsilon-b),
which by Hoelder's inequality is at least p (C-1)^(1/g) + e^-b x for the p that makes (p, e^-b
C^(-1/g)) a unit of the dual norm (b < epsilon), and equal to it at some x. So it says

    a <= e^b F(epsilon - b, epsilon/(g-1) + b),      F(x, y) = (e^x - 1)^(1/g) (1 - e^-y)^(1-1/g),

and W <= e^epsilon N in the same way, with C = e^(epsilon+b), y and a + e^b y in the place of x and
e^-b (x + a), b < epsilon/(g-1), that

    a <= F(epsilon + b, epsilon/(g-1) - b).

alpha is the least of the two at b = beta and of F(epsilon, epsilon/(g-1)), the case b = 0: no
larger one would do. For g = 2 both are alpha^2 <= 2 e^beta (cosh epsilon - cosh beta), a disc of
hyperbolic geometry; for small epsilon, alpha^2 + beta^2 <= epsilon^2.

*Laplace.* ln N/W = b - |z| + e^-b |z-a| is largest at 0, where it is b + e^-b a, convex in b: no t
from N to W while alpha <= epsilon and beta + e^-beta alpha <= epsilon. ln W/N falls up to 0 and
rises from there. With a <= epsilon it is above epsilon beyond two points, which in units of the
wider noise lie (epsilon + b - a)/(e^b - 1) above a and (epsilon + b + a)/(e^b - 1) below; at each,
W = e^epsilon N. So

    t = (1 - e^-b)/2 (e^(-(epsilon + b - a)/(e^b - 1)) + e^(-(epsilon + b + a)/(e^b - 1))).

The probability of a fixed such pair of tails under W grows with b, and with a: the tail above is
the nearer one.

*Gaussian.* ln W/N is a parabola that is above epsilon outside an interval, whose middle is below 0.
While a^2 <= 2 epsilon, a is inside it, the upper end nearer: again the probability under W of a
fixed such pair of tails grows with b and with a, and t is W - e^epsilon N of it. From N to W,
dilate and slide: e^b t_slide(epsilon - b, e^-b a), which is at most e^beta t_slide(epsilon - beta,
alpha).

**Constants.** *One number:* any pair that keeps these inequalities will do, and alpha beta large is
what makes noise small where data are dense, since there S is about as 1/beta. Power: beta is the
multiple of a 64th of min(epsilon, epsilon/(g-1)) that makes alpha beta largest. Laplace: alpha =
epsilon/2, and the largest beta. Gaussian: the largest multiple of the pair for several numbers.
*Several:* in two steps, first dilate from S to S', then slide by at most S', and half of epsilon
for each. From P <= e^(epsilon/2) M + t_dilate and M <= e^(epsilon/2) Q + t_slide follows P <=
e^epsilon Q + t_dilate + e^(epsilon/2) t_slide; the way back is the same with S and S' exchanged.
Power: alpha = epsilon/2s, beta = epsilon/2dm. Laplace: alpha = epsilon/2, beta the largest with
t_dilate <= delta. Gaussian: beta the largest with t_dilate <= delta/2, alpha the largest with
e^(epsilon/2) t_slide <= delta/2. The *classical* constants are those of Nissim, Raskhodnikova and
Smith (2007) for d = 1: power alpha = beta = epsilon/2(g+1); Laplace beta = epsilon/2 ln(2/delta);
Gaussian alpha = epsilon/5 sqrt(2 ln(2/delta)), beta = epsilon/4(1 + ln(2/delta)). They keep the
inequalities of the two steps: power always, since s + m <= 2(g+1), the others up to epsilon = 8 and
delta = 1/20. Beyond, Laplace is the first to break them.

**Arithmetic.** F is rounded down by ``numeric.rounding``. All else is in doubles: tails are sums of
positive terms; the larger side is raised by 10^-9 of itself and the smaller lowered, far more than
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
_ROUND_DOWN = 1 - 2.0**-50  # a double times this is below the rational that it was made from
_MAX_SHIFT = 100.0  # no shift so far is cheap enough
_BETA_STEPS = 64


class NoiseConstants(NamedTuple):
    """What was asked for, as exact values, and the alpha and beta that follow from it, rounded
    down.
    """

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
    """Checks what is asked for; delta is for Laplace and Gaussian noise only, gamma for power
    noise only.
    """
    if noise not in SMOOTH_NOISES:
        raise InvalidArgument("noise", 'must be "power", "laplace" or "gaussian"', noise)
    if not isinstance(classical, bool):
        raise InvalidArgument("classical", "must be True or False", classical)
    spend, d, exponent = (
        parse_epsilon(epsilon),
        parse_whole(dimension, "dimension"),
        parse_positive(gamma, "gamma"),
    )
    if spend > 100:
        raise InvalidArgument("epsilon", "must be at most 100 for smooth sensitivity", epsilon)
    if d > (1 if classical else 1000):
        raise InvalidArgument(
            "dimension", "must be at most 1000, and 1 in the classical form", dimension
        )
    if noise == "power" and delta is not None and parse_exact(delta, "delta"):
        raise InvalidArgument("delta", "must be left out: the power noise is pure", delta)
    chance = Fraction(0) if noise == "power" else parse_delta(delta)
    # draws nothing, and refuses a gamma that it cannot draw
    rounded_power(np.empty(0), Fraction(1), exponent)
    alpha, beta = (
        _compute_classical if classical else _compute_joint if d == 1 else _compute_two_step
    )(str(noise), spend, chance, exponent, d)
    return NoiseConstants(spend, chance, exponent, d, alpha, beta)


@lru_cache(maxsize=256)
def _compute_joint(
    noise: str, epsilon: Fraction, delta: Fraction, gamma: Fraction, one: int
) -> tuple[Fraction, Fraction]:
    if noise == "power":
        least = min(epsilon, epsilon / (gamma - 1)) / _BETA_STEPS
        pairs = (
            (power_shift(epsilon, gamma, part * least), part * least)
            for part in range(1, _BETA_STEPS)
        )
        return max(pairs, key=lambda pair: pair[0] * pair[1])
    alpha, beta = _compute_two_step(noise, epsilon, delta, gamma, one)
    if not alpha * beta:  # epsilon too small for doubles: whoever asked refuses this beta
        return alpha, beta
    shift, stretch, e, share = (
        float(alpha) / _ROUND_DOWN,
        float(beta),
        float(epsilon) * _ROUND_DOWN,
        float(delta) * _ROUND_DOWN,
    )
    most = (
        e / stretch if noise == "laplace" else min(e / stretch, sqrt(2 * e) / shift) * _ROUND_DOWN
    )
    slides = 0 if noise == "laplace" else 1  # Laplace noise keeps its alpha
    times = max(
        Fraction(1),
        find_largest(
            lambda more: joint_delta(noise, e, more**slides * shift, more * stretch) <= share, most
        ),
    )
    return times**slides * alpha, times * beta


def _compute_two_step(
    noise: str, epsilon: Fraction, delta: Fraction, gamma: Fraction, dimension: int
) -> tuple[Fraction, Fraction]:
    half = epsilon / 2
    if noise == "power":
        return round_down(half / power_slope(gamma)), round_down(
            half / (dimension * max(Fraction(1), gamma - 1))
        )
    e, share = (
        float(half) * _ROUND_DOWN,
        float(delta) * _ROUND_DOWN / (1 if noise == "laplace" else 2),
    )
    beta = find_largest(
        lambda stretch: dilation_delta(noise, dimension, e, stretch) <= share, e / dimension
    )
    if noise == "laplace":
        return half, beta
    return find_largest(lambda shift: exp(e) * sliding_delta(e, shift) <= share, _MAX_SHIFT), beta


def _compute_classical(
    noise: str, epsilon: Fraction, delta: Fraction, gamma: Fraction, _: int
) -> tuple[Fraction, Fraction]:
    if noise == "power":
        return round_down(epsilon / (2 * (gamma + 1))), round_down(epsilon / (2 * (gamma + 1)))
    if epsilon > 8:
        raise InvalidArgument(
            "epsilon",
            "must be at most 8 in the classical form; leave classical out",
            float(epsilon),
        )
    if delta > Fraction(1, 20):
        raise InvalidArgument(
            "delta", "must be at most 1/20 in the classical form; leave classical out", float(delta)
        )
    far = log_up(2 / delta)
    if noise == "laplace":
        return epsilon / 2, round_down(epsilon / (2 * far))
    return round_down(epsilon / (5 * sqrt_up(2 * far))), round_down(epsilon / (4 * (1 + far)))


def power_slope(gamma: Fraction) -> Fraction:
    """At least s = (gamma-1)^((gamma-1)/gamma), the steepest slope of the logarithm of the power
    density; exactly 1 for gamma = 2.
    """
    return Fraction(1) if gamma == 2 else exp_up((gamma - 1) / gamma * log_up(gamma - 1))


def power_shift(epsilon: Fraction, gamma: Fraction, stretch: Fraction) -> Fraction:
    """Return the largest alpha, rounded down, that power noise allows one number beside this
    beta, below epsilon and epsilon/(gamma-1).
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
    """Return at least the t of one number in the worse direction; for Laplace noise shift <=
    epsilon, for Gaussian shift^2 <= 2 epsilon.
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
    """Pr[G > y] for the gamma law of shape halves/2, y > 0.

    erfc(sqrt y) for 1/2, e^-y for 1, and y^a e^-y/Gamma(a+1) more from shape a to a + 1.
    """
    first = 2 - halves % 2
    tail = erfc(sqrt(y)) if first == 1 else exp(-y)
    return tail + sum(exp(a / 2 * log(y) - y - lgamma(a / 2 + 1)) for a in range(first, halves, 2))


def dilation_delta(noise: str, dimension: int, epsilon: float, stretch: float) -> float:
    """At least the t of Laplace or Gaussian noise that is dilated by e^±stretch, with 0 <
    dimension * stretch <= epsilon.
    """
    halves, k = (2 * dimension, 1) if noise == "laplace" else (dimension, 2)
    over = epsilon + dimension * stretch
    near = over / expm1(k * stretch)
    return _excess(gamma_tail(halves, near), epsilon, gamma_tail(halves, near + over))


def sliding_delta(epsilon: float, shift: float) -> float:
    """At least the t of Gaussian noise that is slid by ``shift``."""
    above, below = (erfc((epsilon / shift + side * shift / 2) / sqrt(2)) / 2 for side in (-1, 1))
    return _excess(above, epsilon, below)


def _excess(likely: float, epsilon: float, rare: float) -> float:
    return max(likely * _UP - exp(epsilon) * rare * _DOWN, 0.0)


def find_largest(within: Callable[[float], bool], most: float) -> Fraction:
    """The largest number up to ``most``, to twelve digits, for which ``within`` holds; it falls
    from true to false. 0 if there is none.
    """
    if within(most):
        return Fraction(most)
    low, high = 0.0, most
    while high - low > 1e-12 * high and high > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return Fraction(low)
