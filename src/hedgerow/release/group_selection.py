"""Which groups are shown where nobody declared them: those whose noisy count reaches a threshold.

**Statement.** A unit moves the count of a group by at most m, in at most h groups; in at most g of
them it may be alone. Whether groups are shown then costs ``delta``, beside the epsilon and the rho
that the noise of the count costs anyway.

**Proof.** Let P, Q be the laws of what is published in two neighbouring worlds. To be shown is what
a ``Loss`` says: P >= (1 - delta) P' and Q >= (1 - delta) Q' for *one* good pair P', Q' that has the
epsilon and the rho of the noise. Call lone the groups that one world has and the other has not: at
most g on either side, under change-one too. Such a group holds at most m in the count, and comes
through with at most p = (1 - edge) Pr[m + Z >= least] + edge Pr[m + Z >= least - 1], edge being the
chance of those one below. Let P' be the law of what is published of the groups that both have, in
the first world, and Q' in the second. Noise is drawn for each group by itself: so in the first
world, with the probability c >= 1 - g p that no lone group comes through, the rest is published by
the law P', whatever the lone ones did: P >= c P' >= (1 - g p) P'. Likewise Q >= (1 - g p) Q', where
another c may be meant, of the other side's lone groups. And delta >= g p.

P' and Q' are functions of the noisy counts of the groups that both have, of a coin for each, and of
the other noisy numbers and choices in the groups that are shown; all of these move by no more than
the sensitivities say (the count in h groups at most, h = 2g under change-one). So they have the
losses of the noise, added up. Where these have a delta of their own, P' >= (1 - delta') P'', then P
>= (1 - delta)(1 - delta') P'' >= (1 - delta - delta') P'': the deltas are added. [] (Korolova et
al. 2009.)

The noise of that count may be cut at k, drawn again until |Z| <= k, and the threshold be k + 1
(docs/decisions/0013). A group that holds at most m of one unit comes through for it alone with at
most c = Pr[Z > k - m]; in a group that both have, the one count has at most m values that the other
has not, of probability c at most in either world. Outside all these events the laws are those of
Laplace noise on values that both have: its epsilon and its rho hold. In the h groups where the
count moves these events have probability h c <= delta.
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
    """Groups are published from ``least`` on in the noisy numbers of the measure at ``index``, and
    with probability ``edge`` those that are one below: so all of delta is used, where whole numbers
    alone would leave some of it. A unit is alone in at most ``groups`` groups, of which one comes
    through with probability at most ``delta``. Noise with a ``cut`` is drawn again while it is
    larger."""

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
        law: Laplace | Gaussian,
        *,
        most: int,
        groups: int,
        delta: Fraction,
        moved: int | None = None,
    ) -> Threshold:
        """The lowest threshold such that, of ``groups`` groups that hold at most ``most``, one
        comes through with at most ``delta``. Where it is said in how many groups a unit has
        ``moved`` the count, Laplace noise is cut if that is lower."""
        share = delta / groups
        if isinstance(law, Laplace):
            above = laplace_threshold(law.scale, share)
        else:  # Pr[Z >= r + 1] is half of Pr[|Z| > r]
            above = gaussian_radius(float(law.scale), float(2 * share)) + 1
        above += _bound_tail(law, above) > share  # doubles that were added up in another order
        tail, more = _bound_tail(law, above), _bound_tail(law, above - 1)
        # (1 - edge) tail + edge more <= share
        edge = Fraction(
            max(
                (share - tail) * _EDGE_DENOMINATOR // max(more - tail, share - tail, _MIN_TAIL) - 1,
                0,
            ),
            _EDGE_DENOMINATOR,
        )
        found = [cls(index, most + above, delta, edge, groups)]
        if moved is not None and isinstance(law, Laplace):
            cut = laplace_truncation(law.scale, most, delta / moved)
            found.append(cls(index, cut + 1, delta, groups=groups, truncation=cut))
        best = min(found, key=lambda one: one.minimum_count - one.edge_probability)
        return replace(best, delta=best.failure_probability(law, most=most, moved=moved or groups))

    def failure_probability(self, law: Laplace | Gaussian, *, most: int, moved: int) -> Fraction:
        """At least the delta that it has with this noise, where a unit puts at most ``most`` into
        the count of a group, and has ``moved`` it in so many; 1 where nothing is proved."""
        if law.grid != 1 or self.minimum_count <= most or not 0 <= self.edge_probability <= 1:
            return _ONE
        if self.truncation is None:
            tail, more = (
                _bound_tail(law, self.minimum_count - most),
                _bound_tail(law, self.minimum_count - most - 1),
            )
            return round_up(
                self.groups * ((1 - self.edge_probability) * tail + self.edge_probability * more),
                _DELTA_DENOMINATOR,
            )
        if self.edge_probability or not most <= self.truncation == self.minimum_count - 1:
            return _ONE
        return round_up(
            moved * truncated_end_mass(law.scale, self.truncation, most), _DELTA_DENOMINATOR
        )

    def admits(self, count: int) -> bool:
        """Whether a group with this noisy count is published."""
        if count != self.minimum_count - 1 or not self.edge_probability:
            return count >= self.minimum_count
        return (
            int(uniform_integers(self.edge_probability.denominator, 1)[0])
            < self.edge_probability.numerator
        )


def _bound_tail(law: Laplace | Gaussian, m: int) -> Fraction:
    """At least Pr[Z >= m], m >= 0."""
    return (
        laplace_tail(law.scale, m)
        if isinstance(law, Laplace)
        else Fraction(gaussian_tail(float(law.scale), m))
    )
