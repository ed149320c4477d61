"""The choice of groups to publish where none are declared: a noisy count against a threshold.

| symbol | meaning |
|---|---|
| P, Q | distributions of the published output on two neighbouring data sets |
| P', Q' | the same, of the groups that both data sets have |
| m | bound on what one unit adds to the count of a group |
| g, h | bounds on the groups that only one unit is in, and on those whose count it moves |
| Z, k | the noise of the count, and where it is truncated |
| p | probability that a group of one unit alone is published |

**Statement.** A unit moves the count of a group by at most m, in at most h groups; in at most g of
them it may be alone. Publishing the chosen groups then costs ``delta``, beside the epsilon and the
rho that the noise of the count costs anyway.

**Proof.** It is to be shown what a ``Loss`` states: P >= (1 - delta) P' and Q >= (1 - delta) Q' for
*one* good pair P', Q' that has the epsilon and the rho of the noise. Call a group lone if one data
set has it and the other has not: there are at most g on either side, under change-one too. A lone
group holds at most m in the count, and is published with probability at most p = (1 - edge) Pr[m +
Z >= minimum] + edge Pr[m + Z >= minimum - 1], where edge is the probability to publish a group one
below the minimum. Noise is drawn for each group by itself: so in the first data set, with
probability c >= 1 - g p, no lone group is published, and the rest is published by the distribution
P', whatever the noise of the lone groups was: P >= c P' >= (1 - g p) P'. Likewise Q >= (1 - g p)
Q', with another c, that of the lone groups of the other side. And delta >= g p.

P' and Q' are functions of the noisy counts of the groups that both have, of a coin for each, and of
the other noisy numbers and selections in the published groups; all of these move by no more than
the sensitivities (the count in at most h groups, h = 2g under change-one). So they have the losses
of the noise, added up. Where these have a delta of their own, P' >= (1 - delta') P'', then P >= (1
- delta)(1 - delta') P'' >= (1 - delta - delta') P'': the deltas are added. [] (Korolova et al.
2009.)

The noise of the count may be truncated at k, drawn again until |Z| <= k, with the threshold k + 1
(docs/decisions/0013). A group that holds at most m of one unit is published because of that unit
alone with probability at most c = Pr[Z > k - m]; in a group that both have, the count of one data
set has at most m values that the other has not, of probability at most c in either. Outside all
these events the distributions are those of Laplace noise on values that both have: its epsilon and
its rho hold. In the h groups where the count moves, these events have probability h c <= delta.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.rounding import round_up
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.numeric.tails.gaussian import gaussian_radius, gaussian_tail
from hedgerow.numeric.tails.laplace import (
    laplace_tail,
    laplace_threshold,
    laplace_truncation,
    truncated_end_mass,
)

__all__ = ["Threshold"]

_EDGE_DENOMINATOR, _DELTA_DENOMINATOR, _ONE = 10**9, 10**160, Fraction(1)
_MIN_TAIL = Fraction(1, _DELTA_DENOMINATOR)  # no tail is stated finer


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold that decides which groups are published, by the noisy count of one measure.

    A group is published if its noisy count is at least ``minimum_count``, and with probability
    ``edge_probability`` if it is one below: so all of delta is used, where whole numbers alone
    would leave some of it. A unit is alone in at most ``groups`` groups, of which one is published
    with probability at most ``delta``. Noise beyond the ``truncation`` is drawn again.
    """

    measure_index: int
    minimum_count: int
    delta: Fraction
    edge_probability: Fraction = Fraction(0)
    groups: int = 1
    truncation: int | None = None

    @classmethod
    def calibrate(
        cls,
        index: int,
        mechanism: Laplace | Gaussian,
        *,
        max_count: int,
        groups: int,
        delta: Fraction,
        touched: int | None = None,
    ) -> Threshold:
        """Return the lowest threshold for a delta, where one unit adds at most ``max_count`` to a
        count.

        Of ``groups`` groups that hold one unit only, one is published with probability at most
        ``delta``. If the number of ``touched`` groups is given, in which a unit moves the count,
        Laplace noise is truncated where that gives a lower threshold.
        """
        share = delta / groups
        if isinstance(mechanism, Laplace):
            above = laplace_threshold(mechanism.scale, share)
        else:  # Pr[Z >= r + 1] is half of Pr[|Z| > r]
            above = gaussian_radius(float(mechanism.scale), float(2 * share)) + 1
        above += _bound_tail(mechanism, above) > share  # doubles added up in another order
        tail, more = _bound_tail(mechanism, above), _bound_tail(mechanism, above - 1)
        # (1 - edge) tail + edge more <= share
        edge = Fraction(
            max(
                (share - tail) * _EDGE_DENOMINATOR // max(more - tail, share - tail, _MIN_TAIL) - 1,
                0,
            ),
            _EDGE_DENOMINATOR,
        )
        candidates = [cls(index, max_count + above, delta, edge, groups)]
        if touched is not None and isinstance(mechanism, Laplace):
            truncation = laplace_truncation(mechanism.scale, max_count, delta / touched)
            candidates.append(
                cls(index, truncation + 1, delta, groups=groups, truncation=truncation)
            )
        best = min(candidates, key=lambda one: one.minimum_count - one.edge_probability)
        return replace(
            best,
            delta=best.failure_probability(
                mechanism, max_count=max_count, touched=touched or groups
            ),
        )

    def failure_probability(
        self, mechanism: Laplace | Gaussian, *, max_count: int, touched: int
    ) -> Fraction:
        """Return an upper bound on the delta of this threshold with this noise; 1 if nothing is
        proved.

        One unit adds at most ``max_count`` to the count of a group, and moves the count in
        ``touched`` groups.
        """
        if (
            mechanism.grid != 1
            or self.minimum_count <= max_count
            or not 0 <= self.edge_probability <= 1
        ):
            return _ONE
        if self.truncation is None:
            tail, more = (
                _bound_tail(mechanism, self.minimum_count - max_count),
                _bound_tail(mechanism, self.minimum_count - max_count - 1),
            )
            return round_up(
                self.groups * ((1 - self.edge_probability) * tail + self.edge_probability * more),
                _DELTA_DENOMINATOR,
            )
        if self.edge_probability or not max_count <= self.truncation == self.minimum_count - 1:
            return _ONE
        return round_up(
            touched * truncated_end_mass(mechanism.scale, self.truncation, max_count),
            _DELTA_DENOMINATOR,
        )

    def admits(self, count: int) -> bool:
        """Return whether a group with this noisy count is published."""
        if count != self.minimum_count - 1 or not self.edge_probability:
            return count >= self.minimum_count
        return (
            int(uniform_integers(self.edge_probability.denominator, 1)[0])
            < self.edge_probability.numerator
        )


def _bound_tail(mechanism: Laplace | Gaussian, m: int) -> Fraction:
    """Return an upper bound on Pr[Z >= m], m >= 0."""
    return (
        laplace_tail(mechanism.scale, m)
        if isinstance(mechanism, Laplace)
        else Fraction(gaussian_tail(float(mechanism.scale), m))
    )
