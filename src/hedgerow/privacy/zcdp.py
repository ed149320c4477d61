"""The rho (zCDP) of pure mechanisms and of discrete Laplace noise, exact up to a final rounding
upwards.

**Meaning.** rho bounds D_alpha(P || Q) <= rho * alpha for every alpha > 1 and both orders of the
pair: zero-concentrated differential privacy. So the best rho is the supremum of D_alpha / alpha.

**Symbols.**

| symbol | meaning |
|---|---|
| P, Q | discrete Laplace noise, and the same noise shifted by s steps |
| a | the rate 1/scale; the mass of P is proportional to q^abs(x), q = e^-a |
| L | the privacy loss ln(P/Q) |
| M | the distribution proportional to sqrt(P Q) |
| t | alpha - 1/2 |
| A | 1/(1-q) |
| z | e^(2 t a) |

**Statement.** The supremum of D_alpha / alpha over alpha > 1 is the limit at alpha -> 1, the
Kullback-Leibler divergence

    h_a(s) = a s - (1 - e^(-a s)) * a / sinh a.

At s = 1 (every count) this is a tanh(a/2), the same as randomised response. Continuous Laplace
noise has eps + e^-eps - 1 instead, which would undercharge integer noise by up to a third.

**Proof.** The sum of P^alpha Q^(1-alpha) is the sum of sqrt(P Q) e^(t L), which is 1 at t = 1/2,
and L is symmetric under M, so

    (alpha - 1) D_alpha = ln E_M cosh(t L) - ln E_M cosh(L / 2),      alpha (alpha - 1) = t^2 - 1/4.

So D_alpha / alpha is the slope of a chord of u -> ln E_M cosh(sqrt(u) L), from u = 1/4 to u = t^2.
If that function is concave, no chord is steeper than the derivative at 1/4, which is the limit at
alpha -> 1. It is concave: L is a s on x <= 0, -a s on x >= s and a (s - 2 x) between, where M has
masses in the ratio A : 1 : … : 1 : A, and A > 1. Up to a constant and a power of z, the expectation
is the polynomial

    p(z) = A (1 + z^s) + z + … + z^(s-1),      (z - 1) p(z) = z^s (A z - (A-1)) - (A - (A-1) z).

For |z| < 1, |A z - (A-1)|^2 - |A - (A-1) z|^2 = (2A - 1)(|z|^2 - 1) < 0, so the second term is the
larger and p has no zero there; p is its own mirror image (z -> 1/z), so it has none outside the
circle either, and p(1) > 0. All zeros lie on the unit circle, that is at imaginary t, hence E_M
cosh(t L) = c * prod(1 + t^2 / theta_k^2), whose logarithm is a sum of concave functions of t^2. []

**Any pure mechanism.** A pair with |ln(P/Q)| <= eps is post-processed randomised response at eps
(Kairouz, Oh, Viswanath 2015), and randomised response is the case s = 1: rho = eps tanh(eps/2).

**Vectors.** Independent cells add up, and each supremum is at the same end. h_a is convex with
h_a(0) = 0 and grows, so over all moves of at most l0 cells, each by at most linf and together by at
most l1, the sum is largest at a corner: as many cells at linf as l1 allows, and one with the
remainder.
"""

from __future__ import annotations

from fractions import Fraction

from hedgerow.numeric.exact_number import Number, parse_nonnegative, parse_positive
from hedgerow.numeric.rounding import DIGITS, exp_down, exp_up, round_up
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["compute_laplace_rho", "compute_pure_rho"]

# e^-100 is below 10^-43: beyond it the result no longer moves on its grid of 10^-30, and rationals
# would only grow longer
_MAX_EXPONENT = Fraction(100)


def compute_pure_rho(epsilon: Number) -> Fraction:
    """Return the rho of any pure mechanism, eps tanh(eps/2), rounded up to a multiple of 10^-30."""
    eps = parse_nonnegative(epsilon, "epsilon")
    # tanh(eps/2) = (1 - q) / (1 + q) with q = e^-eps falls in q, so q is rounded down
    q = exp_down(-eps) if eps <= _MAX_EXPONENT else Fraction(0)
    return round_up(eps * (1 - q) / (1 + q))


def compute_laplace_rho(rate: Number, sensitivity: Number | Sensitivity) -> Fraction:
    """Return the rho of discrete Laplace noise, rounded up to a multiple of 10^-30.

    ``rate`` is 1/scale and ``sensitivity`` the move of the answers, both in grid steps. The epsilon
    is rate * l1.
    """
    a, move = parse_positive(rate, "rate"), Sensitivity.of(sensitivity)
    full = move.l1 // move.linf
    rest = move.l1 - full * move.linf
    return round_up(full * _compute_shift_rho(a, move.linf) + _compute_shift_rho(a, rest))


def _compute_shift_rho(a: Fraction, s: Fraction) -> Fraction:
    """Return an upper bound of h_a(s), s >= 0, which need not be whole since h_a grows."""
    if s == 0 or a > _MAX_EXPONENT:
        return a * s
    # h = a s - (1 - Q) * 2 a q / (1 - q^2) with Q = e^(-a s), q = e^-a; the fraction grows in q. At
    # small rates 1 - q^2 loses as many digits as the rate has leading zeros, so that many are added
    digits = DIGITS + max(0, a.denominator.bit_length() - a.numerator.bit_length()) // 3
    q = exp_down(-a, digits)
    far = exp_up(-min(a * s, _MAX_EXPONENT), digits)
    return a * s - (1 - far) * 2 * a * q / (1 - q**2)
