"""Release of a stable value: the exact answer, if all nearby data sets have the same one.

Statement
    Let D >= 1 be the distance from the data to the nearest data set with another answer, in units.
    The answer is released if D + Z >= threshold, where Z is discrete Laplace noise; otherwise
    nothing is ("no release", None). With the scale 1/epsilon and the threshold of ``calibrate``
    this is (epsilon, delta)-DP. A unit that is a ``group`` of k moves D by k.

Proof
    D moves by at most k between neighbours, so "release or not" is epsilon-DP at the scale
    k/epsilon, with the rho of that noise. Neighbours with the same answer differ in nothing else.
    Neighbours with different answers both have D <= k, so each releases with probability at most
    Pr[k + Z >= threshold] <= delta: remove that part from both, and the rest ("no release") is
    equal. So the good pair of ``Loss`` is the noisy comparison, or never releases.

Accuracy
    ``release_probability(D)`` is q^(threshold-D)/(1+q) below the threshold and 1 -
    q^(D-threshold+1)/(1+q) from there on, q = e^(-1/scale). ``error(beta)`` is the smallest D, from
    the threshold on, that is released with probability at least 1 - beta. A released answer is
    exact.

Arithmetic
    Whole numbers and exact noise. The threshold is the smallest that the discrete tail allows,
    decided by rational bounds.

Edges
    D = 0 is impossible (an answer does not differ from itself) and refused; D may be infinite. Any
    D works that moves by at most 1 and is at most the true one. An answer of None looks like no
    release. The threshold must be k above that for D = 0: at ln(1/delta)/epsilon two disagreeing
    neighbours, at D = 1, are released with probability e^epsilon delta/2 each by continuous noise,
    a breach above epsilon = ln 2.

Source
    Dwork and Lei (STOC 2009); Thakurta and Smith (COLT 2013); Vadhan (2017), section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from hedgerow.numeric.exact_number import (
    Number,
    parse_delta,
    parse_epsilon,
    parse_positive,
    parse_probability,
    parse_whole,
)
from hedgerow.numeric.private_integers import parse_private_distance
from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from hedgerow.numeric.samplers.sample_pool import SamplePool
from hedgerow.numeric.tails.laplace import laplace_tail, laplace_tail_double, laplace_threshold
from hedgerow.numeric.vectorised import check_scale
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.zcdp import compute_laplace_rho

__all__ = ["Stable"]

_SAMPLES = SamplePool(discrete_laplace)


@dataclass(frozen=True, slots=True)
class Stable:
    """A noisy test that releases an exact answer at a distance of ``threshold`` units or more."""

    shape: ClassVar[str] = "tested"
    scale: Fraction
    threshold: int

    def __init__(self, scale: Number, threshold: int) -> None:
        object.__setattr__(self, "scale", check_scale(parse_positive(scale, "scale")))
        object.__setattr__(self, "threshold", parse_whole(threshold, "threshold"))

    @classmethod
    def calibrate(cls, *, epsilon: Number, delta: Number, group: int = 1) -> Stable:
        """Return the least noise and the lowest threshold for ``epsilon`` and ``delta`` towards a
        group.
        """
        k = parse_whole(group, "group")
        scale = check_scale(k / parse_epsilon(epsilon))
        return cls(scale, k + laplace_threshold(scale, parse_delta(delta)))

    def loss(self, group: int = 1) -> Loss:
        """Return the loss of one test, whether it releases or not.

        delta is the probability of a release where a group may disagree.
        """
        k = parse_whole(group, "group")
        return Loss(
            k / self.scale,
            laplace_tail(self.scale, self.threshold - k),
            compute_laplace_rho(1 / self.scale, k),
        )

    def sample(self, answer: Any, distance: Any) -> Any:
        """Return ``answer`` itself, or None: no release.

        ``distance`` is the number of units that must change before the answer does.
        """
        far = parse_private_distance(distance, 1)
        return answer if far + _SAMPLES.draw(self.scale) >= self.threshold else None

    def release_probability(self, distance: Any) -> float:
        """Return the probability of a release at this distance."""
        return laplace_tail_double(self.scale, self.threshold - parse_private_distance(distance, 1))

    def error(self, beta: Number) -> int:
        """Return the smallest distance, from the threshold on, released with probability 1 -
        ``beta``.
        """
        # no release at D: Z <= threshold - D - 1, as likely as Z >= D - threshold + 1
        return self.threshold - 1 + laplace_threshold(self.scale, parse_probability(beta, "beta"))
