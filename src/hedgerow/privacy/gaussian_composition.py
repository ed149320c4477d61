"""The joint loss of many Gaussian cells in one release: rho, and epsilon with delta.

**Statement.** Cells with independent discrete Gaussian noise cost Loss(epsilon, delta, rho) for
*every* epsilon, with rho = sum of s_i^2/2 sigma_i^2, delta the joint delta of all cells at that
epsilon, and s the largest move that one unit causes. So one release has its tight epsilon and delta
without giving up its rho: either branch of a budget may count it.

**Symbols.**

| symbol | meaning |
|---|---|
| P, Q | the output distributions of two neighbouring data sets |
| L | the privacy loss ln(P/Q) |
| d | the delta at eps, sup_S P(S) - e^eps Q(S) |
| M, N | min(P, e^eps Q) and min(Q, e^eps P), each of mass 1 - d |
| P', Q' | the good pair M/(1-d), N/(1-d) |
| alpha, t | the Renyi order, and t = alpha - 1/2 |

**Proof.** rho is proved in ``mechanisms.gaussian``, delta in ``numeric.tails.gaussian``, for one
move; both grow with it. It remains to show that *one* good pair has all three (``Loss``). Mirroring
the noise swaps P and Q (z -> x + x' - z), so d is the same in both directions. P >= (1-d) P', Q >=
(1-d) Q', and |ln P'/Q'| <= eps. Claim: D_alpha(P' || Q') <= D_alpha(P || Q).

ln(M/N) = K(L) truncates L at ±eps. sum P^alpha Q^(1-alpha) = sum sqrt(PQ) e^(tL), where L may be
replaced by |L| and e^(tL) by cosh, by symmetry; the same holds with M, N, K. Let g(x) = cosh(t
x)/cosh(x/2), which grows in x >= 0, as t > 1/2. Then the first sum is the mean of g(|L|) under
(P+Q)/2, and the second the mean of g(min(|L|, eps)) under (P'+Q')/2. The latter distribution has
the density (M+N)/(P+Q)/(1-d) against (P+Q)/2: a constant while |L| <= eps, and beyond it (1 +
e^eps)/(1 + e^|L|) times that constant, falling. So under it |L| is stochastically smaller, and
g(min(., eps)) <= g, which proves the claim. []

**Lone groups.** Where groups are published by a threshold, a group is *lone* if only one of two
neighbours has it.

| symbol | meaning |
|---|---|
| g | the number of groups that a unit may be in |
| i, k, j | the lone groups of either side, i, k <= g, and j = max(i, k) |
| p | a bound on the probability that a lone group is published |
| n | ``slots``: g under add-remove, 2 g under change-one |
| o | the common groups that the old and the new unit are both in |
| a, b, w | bounds of a number, a <= 0 <= b, and w = max(-a, b) |

No lone group of either side is published with probability at least 1 - i p or 1 - k p, both at
least 1 - j p, independently of all other groups. Given that, the output is a function of the common
groups: these are the P and Q from above, with delta(j) at epsilon, and their good pair is one of
the whole, for (1 - j p)(1 - delta(j)) >= 1 - j p - delta(j) (``threshold_delta``). It remains to
show that the sum of s_i^2 over the common groups is at most (n-j)/n times its value without lone
groups.

A unit that is added or removed (n = g) has lone groups on one side only, and moves the g - j
others. A unit that is replaced (n = 2 g) leaves at most g - i common groups, and enters at most g -
k. It does both in o of them, o <= g - j; so it only leaves or only enters 2g - i - k - 2o, which is
at most 2g - j - 2o. For a number between a and b, the sum is at most o (b-a)^2 + (2g - j - 2o) w^2.
The sensitivity is M = max(2g w^2, g (b-a)^2), so w^2 <= M/2g and (b-a)^2 <= M/g, and the sum is at
most (2o + 2g - j - 2o) M/2g = (2g-j)/2g M. For moments, which are at least 0 and add up to at most
t, replace (b-a)^2 by 2 t^2, and w by t. []

So delta is the largest of j p + delta(j), and not g p + delta(0): a unit that is alone in all its
groups moves nothing else. ``bound_lone_group_deltas`` bounds delta(j) for j from 1, 2, 4, … on.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, nextafter

from hedgerow.numeric.rounding import round_digits_up
from hedgerow.numeric.tails.gaussian import gaussian_delta, gaussian_vector_delta
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.zcdp_conversion import convert_rho_to_delta

__all__ = ["GaussianCells", "bound_lone_group_deltas", "compute_gaussian_loss"]

GaussianCells = tuple[Fraction, Sensitivity]
"""The noise scale of some cells, in steps, and their sensitivity."""


def compute_gaussian_loss(parts: Sequence[GaussianCells], epsilon: Fraction | None = None) -> Loss:
    """Return the joint loss of all parts: their rho, and with an ``epsilon`` their delta there."""
    return Loss(
        inf if epsilon is None else epsilon,
        Fraction(0) if epsilon is None else _bound_delta(parts, epsilon),
        _compute_rho(parts),
    )


def bound_lone_group_deltas(
    parts: Sequence[GaussianCells], epsilon: Fraction, groups: int, slots: int
) -> list[tuple[int, Fraction]]:
    """Return pairs (j, d) for the ranges of j that end at 0, 1, 3, 7, …

    A unit that is alone in at most j groups, and in more than half of j, has delta at most d in the
    others.
    """
    starts = [0, *(1 << i for i in range(groups.bit_length()))]
    return [
        (min(max(2 * j - 1, 0), groups), _bound_delta(parts, epsilon, Fraction(slots - j, slots)))
        for j in starts
    ]


def _compute_rho(parts: Sequence[GaussianCells], share: Fraction = Fraction(1)) -> Fraction:
    return sum((share * move.l2_squared / (2 * scale**2) for scale, move in parts), Fraction(0))


def _bound_delta(
    parts: Sequence[GaussianCells], epsilon: Fraction, share: Fraction = Fraction(1)
) -> Fraction:
    """Return an upper bound of the joint delta if squared moves shrink to this share of their
    bounds.

    It has 12 digits, rounded up.
    """
    if share == 0:
        return Fraction(0)
    cells = sum(move.l0 for _, move in parts)
    if cells == 1:
        delta = gaussian_delta(float(parts[0][0]), float(parts[0][1].linf), float(epsilon))
    else:
        squares = [(float(scale), float(share * move.l2_squared)) for scale, move in parts]
        delta = gaussian_vector_delta(squares, cells, float(epsilon))
        if min(scale for scale, _ in parts) < 8:  # smoothing is loose for narrow noise
            converted = convert_rho_to_delta(_compute_rho(parts, share), epsilon)
            delta = min(delta, nextafter(float(converted), inf))
    return min(round_digits_up(Fraction(delta), 12), Fraction(1))
