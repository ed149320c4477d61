"""What one release of many Gaussian numbers costs: rho, and epsilon with delta besides.

**Statement.** Cells with independent discrete Gaussian noise cost Loss(epsilon, delta, rho) for
*every* epsilon, with rho = sum of s_i^2/2 sigma_i^2 and delta the one of the whole vector at that
epsilon, s the farthest that one unit moves the cells. So one release has its tight epsilon and
delta without giving up its rho: either branch of a budget may count it.

**Proof.** rho is in ``mechanisms.gaussian``, delta in ``numeric.tail``, for one move; both grow
with it. What is left to show is that *one* good pair has all three (``Loss``). Let P, Q be the laws
in the two worlds. Mirroring the noise swaps them (z -> x + x' - z), so d = sup P(S) - e^eps Q(S) is
the same both ways round. Let M = min(P, e^eps Q) and N = min(Q, e^eps P), each of mass 1 - d <= 1,
and P' = M/(1-d), Q' = N/(1-d). Then P >= (1-d) P', Q >= (1-d) Q', and |ln P'/Q'| <= eps. Claim:
D_alpha(P' || Q') <= D_alpha(P || Q).

Let L = ln(P/Q), so ln(M/N) = K(L) cuts L off at ±eps. With t = alpha - 1/2, sum P^alpha Q^(1-alpha)
= sum sqrt(PQ) e^(tL), where L may be replaced by |L| and e^(tL) by cosh, by symmetry; the same with
M, N, K. Put g(x) = cosh(t x)/cosh(x/2), which grows in x >= 0, as t > 1/2. Then the one is the mean
of g(|L|) under (P+Q)/2 and the other the mean of g(min(|L|, eps)) under (P'+Q')/2. That law has the
density (M+N)/(P+Q)/(1-d) against (P+Q)/2: a constant while |L| <= eps, beyond it (1 + e^eps)/(1 +
e^|L|) times that, falling. So under it |L| is stochastically smaller, and g(min(., eps)) <= g: the
claim. []

**Lone groups.** Where groups are published by a threshold, call lone those that one of two
neighbours has and the other has not: i on the one side, k on the other, each i, k <= g, the groups
that a unit may be in; j the larger of the two. A lone group comes through with probability at most
p, so none of its side does with at least 1 - i p or 1 - k p, both at least 1 - j p, independently
of all other groups. Given that, what is published is a function of the groups that both have: these
are the P and Q from above, of delta(j) at epsilon, and their good pair is one of the whole, for (1
- j p)(1 - delta(j)) >= 1 - j p - delta(j) (``threshold``). What is left to show is that the sum of
s_i^2 over the groups that both have is at most the (n-j)/n-th part of what it is without lone ones,
n = ``slots``.

A unit that comes or goes (n = g) is lone on one side alone, and moves the g - j others. One that is
replaced (n = 2 g) leaves at most g - i groups that both have, and enters at most g - k. Let it do
both in o of them, o <= g - j; so it only comes or goes in 2g - i - k - 2o, which is at most 2g - j
- 2o. For a number between a <= 0 and b >= 0, w the larger size, the sum is at most o (b-a)^2 + (2g
- j - 2o) w^2. The sensitivity says M = max(2g w^2, g (b-a)^2), so w^2 <= M/2g and (b-a)^2 <= M/g,
and that is at most (2o + 2g - j - 2o) M/2g = (2g-j)/2g M. For moments, which are at least 0 and add
up to t at most, twice t^2 takes the place of (b-a)^2, and t of w. []

So delta is the largest of j p + delta(j), and not g p + delta(0): who is alone everywhere moves
nothing else. ``bound_lone_group_deltas`` bounds delta(j) for j from 1, 2, 4, … on.
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
"""The scale of the noise of some cells, in steps, and how far one unit moves them."""


def compute_gaussian_loss(parts: Sequence[GaussianCells], epsilon: Fraction | None = None) -> Loss:
    """What all parts together cost: their rho; read at an ``epsilon``, with the delta that they
    have there.
    """
    return Loss(
        inf if epsilon is None else epsilon,
        Fraction(0) if epsilon is None else _bound_delta(parts, epsilon),
        _compute_rho(parts),
    )


def bound_lone_group_deltas(
    parts: Sequence[GaussianCells], epsilon: Fraction, groups: int, slots: int
) -> list[tuple[int, Fraction]]:
    """Pairs (j, d): whoever is alone in at most j groups, and in more than half of j, has at
    most the delta d in the others.
    """
    starts = [0, *(1 << i for i in range(groups.bit_length()))]
    return [
        (min(max(2 * j - 1, 0), groups), _bound_delta(parts, epsilon, Fraction(slots - j, slots)))
        for j in starts
    ]


def _compute_rho(parts: Sequence[GaussianCells], part: Fraction = Fraction(1)) -> Fraction:
    return sum((part * move.l2_squared / (2 * scale**2) for scale, move in parts), Fraction(0))


def _bound_delta(
    parts: Sequence[GaussianCells], epsilon: Fraction, part: Fraction = Fraction(1)
) -> Fraction:
    """At least the delta of the parts where the squares of their moves are such a part of what
    they are at most. 12 digits, rounded up.
    """
    if part == 0:
        return Fraction(0)
    cells = sum(move.l0 for _, move in parts)
    if cells == 1:
        found = gaussian_delta(float(parts[0][0]), float(parts[0][1].linf), float(epsilon))
    else:
        squares = [(float(scale), float(part * move.l2_squared)) for scale, move in parts]
        found = gaussian_vector_delta(squares, cells, float(epsilon))
        if min(scale for scale, _ in parts) < 8:  # the narrower the noise, the more smoothing takes
            found = min(
                found,
                nextafter(float(convert_rho_to_delta(_compute_rho(parts, part), epsilon)), inf),
            )
    return min(round_digits_up(Fraction(found), 12), Fraction(1))
