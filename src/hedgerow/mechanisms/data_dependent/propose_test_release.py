"""Propose-test-release: a proposed bound on the local sensitivity, tested before it is used.

Statement
    The analyst proposes a bound b, from public knowledge only. D is the distance from the data to
    the nearest data set whose local sensitivity exceeds b (0 if it does here). If D + Z >=
    threshold, where Z is discrete Laplace noise of scale 1/e, the answer is released with Laplace
    noise of scale b/e; otherwise nothing is (None). With the threshold of ``calibrate`` this is (2
    e, delta)-DP. ``calibrate(epsilon=…)`` uses e = epsilon/2, so that the release costs the
    requested epsilon.

Proof
    D moves by at most 1 between neighbours, so the test is e-DP. If one of two neighbours has D >
    0, its local sensitivity is at most b: the answers lie within b of each other, and the noisy
    answer is e-DP. Together 2 e. If both have D = 0, each releases with probability at most Pr[Z >=
    threshold] <= delta: remove that part from both, and the rest ("no release") is equal. For a
    ``group`` of k units, with D still counted in single ones, the scales are k times as large. If
    one of the two has D >= k, every data set on the path to the other, except the last, has D > 0,
    so the answers lie within k b. Otherwise both have D < k and release with probability at most
    Pr[k - 1 + Z >= threshold] <= delta.

Accuracy
    Given a release, the error is that of ``laplace`` at scale b/e. ``release_probability(D)`` is
    exact, as in ``stable_value``.

Arithmetic
    As ``stable_value`` and ``laplace``; b is rounded up to whole grid steps.

Edges
    Any D works that moves by at most 1 and is 0 wherever the local sensitivity exceeds b, such as
    ``Quantile.distance``, under a filter as well. With b at least the global sensitivity, D is
    infinite and the test passes; the cost stays. A bound read off the data is not private, and this
    cannot be detected here. The threshold ln(2/delta)/(2 epsilon), sometimes claimed to be
    (epsilon, delta)-DP, is wrong: from D = 0 it releases with probability sqrt(delta/2)/2, above
    delta for all delta < 1/8. The noise is drawn whether it is needed or not.

Source
    Dwork and Lei (STOC 2009); Dwork and Roth (2014), section 7.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.exact_number import (
    Number,
    parse_delta,
    parse_epsilon,
    parse_positive,
    parse_whole,
)
from hedgerow.numeric.private_integers import parse_private_distance
from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from hedgerow.numeric.samplers.sample_pool import SamplePool
from hedgerow.numeric.tails.laplace import laplace_tail, laplace_tail_double, laplace_threshold
from hedgerow.numeric.vectorised import check_scale
from hedgerow.privacy.grid import get_grid
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.zcdp import compute_laplace_rho

__all__ = ["ProposeTestRelease"]

_SAMPLES = SamplePool(discrete_laplace)


@dataclass(frozen=True, slots=True)
class ProposeTestRelease:
    """A noisy ``test`` of the proposed ``bound``, then Laplace ``noise`` on the answer."""

    shape: ClassVar[str] = "tested"
    bound: Fraction
    noise: Laplace
    test: Fraction
    threshold: int

    def __init__(self, bound: Number, noise: Laplace, test: Number, threshold: int) -> None:
        object.__setattr__(self, "bound", parse_positive(bound, "bound"))
        object.__setattr__(self, "test", check_scale(parse_positive(test, "test"), "test"))
        object.__setattr__(self, "threshold", parse_whole(threshold, "threshold"))
        if not isinstance(noise, Laplace):
            raise InvalidArgument("noise", "must be a Laplace mechanism", noise)
        object.__setattr__(self, "noise", noise)

    @classmethod
    def calibrate(
        cls,
        *,
        bound: Number,
        epsilon: Number,
        delta: Number,
        grid: Number | None = None,
        group: int = 1,
    ) -> ProposeTestRelease:
        """Split ``epsilon`` in half between test and noise.

        ``delta`` is for a test that passes although the bound does not hold.
        """
        proposed, half = parse_positive(bound, "bound"), parse_epsilon(epsilon) / 2
        k = parse_whole(group, "group")
        # raises Refused for a LocalSensitivity, which was read off the data
        Sensitivity.of(bound)
        limit, test = parse_delta(delta), check_scale(k / half, "test")
        noise = Laplace.calibrate(sensitivity=k * proposed, epsilon=half, grid=grid)
        return cls(proposed, noise, test, k - 1 + laplace_threshold(test, limit))

    def loss(self, group: int = 1) -> Loss:
        """Return the loss of one question, released or not, towards a group of this many units."""
        k = parse_whole(group, "group")
        tested = Loss(
            k / self.test,
            laplace_tail(self.test, self.threshold - k + 1),
            compute_laplace_rho(1 / self.test, k),
        )
        return tested + self.noise.loss(k * self.bound)

    def sample(self, exact: Any, distance: Any) -> Any:
        """Return ``exact`` with noise, or None: no release. ``distance`` is D, 0 or more."""
        if not isinstance(get_grid(self.noise.grid).snap(exact), int):
            raise InvalidArgument("exact", "must be one number")
        far = parse_private_distance(distance, 0)
        passed, noisy = far + _SAMPLES.draw(self.test) >= self.threshold, self.noise.sample(exact)
        return noisy if passed else None

    def release_probability(self, distance: Any) -> float:
        """Return the probability that the test passes at this distance."""
        return laplace_tail_double(self.test, self.threshold - parse_private_distance(distance, 0))

    def error(self, beta: Number) -> Any:
        """Return the radius that a released answer exceeds with probability at most ``beta``."""
        return self.noise.error(beta)
