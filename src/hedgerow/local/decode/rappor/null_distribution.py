"""The null distribution: the score of a candidate that no client holds.

A cell has an **influence**, its evidence in favour of the candidates that set it, and a candidate's
**score** is the sum of the influence of its cells. The hashes of an absent candidate are
independent of the reports, so its score is a sum over cohorts of the influence at some distinct
bits, where all choices are equally likely. This distribution is known exactly for any influence. It
needs neither the variance of a cell nor independence between cells: the correlated bits of a report
and the high cells of a frequent unlisted value are both part of the influence. With few cells it
has few outcomes, and no p-value is below the probability of drawing the same bits.

Arithmetic
    The distributions of the cohorts are convolved on a grid of 24 standard deviations, with
    influence rounded to grid steps. Up to 16 bits the score is lowered by the largest total
    rounding error; with more bits roundings cancel, and it is lowered by 2 steps, 0.006 standard
    deviations. The mass beyond the grid is added by Chernoff's bound, and below 10^-12 that bound
    is used alone. The bound takes bits as drawn with replacement, which raises it (Hoeffding).
    Beyond 512 cohorts the distribution is approximated by Pearson's type III, with the variance and
    about the skewness of the exact one.

Source
    W. Hoeffding, Probability inequalities for sums of bounded random variables (1963), section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, ndtr

from hedgerow.numeric.vectorised import Floats

__all__ = ["NullDistribution", "compute_upper_tail"]

_GRID_POINTS = 1 << 13
_GRID_DEVIATIONS = 12.0  # standard deviations on either side
# drawn bits that count as few, and steps by which the score is lowered if there are more
_FEW_BITS, _ROUNDING_STEPS = 16, 2.0
_TRANSFORM_ERROR = 1e-12  # largest error of a Fourier transform
_MAX_CONVOLVED_COHORTS = 512
_COHORT_BATCH = 32  # cohorts transformed at once
_CHERNOFF_SLOPES = np.geomspace(0.5, 60, 32)  # of Chernoff's bound, over the standard deviation
_NEGLIGIBLE_SKEWNESS = 1e-4  # smaller skewness is taken as 0: a normal distribution


@dataclass(frozen=True, slots=True, eq=False)
class NullDistribution:
    """The distribution of an absent candidate's score, with its moments. Built by
    ``NullDistribution.of``.
    """

    influence: Floats
    distinct_bit_shares: Floats
    mean: float
    variance: float
    extra_variance: float  # the part of the variance that the influence does not explain

    @classmethod
    def of(cls, influence: Floats, distinct: Floats, noise: float = 0.0) -> NullDistribution:
        """Build the distribution from ``influence``, one row per cohort, and the probabilities
        ``distinct[d]`` of d distinct bits in a cohort.

        ``noise`` is a known variance of the score: a normal error is added if the influence spreads
        less.
        """
        bits, counts, means = influence.shape[1], np.arange(distinct.size), influence.mean(axis=1)
        each, number = (
            float(distinct @ (counts * (bits - counts))) / (bits - 1),
            float(distinct @ counts),
        )
        uneven = float(distinct @ counts**2) - number**2
        measured = each * float(influence.var(axis=1).sum()) + uneven * float(means @ means)
        return cls(
            influence,
            distinct,
            number * float(means.sum()),
            max(measured, noise),
            max(0.0, noise - measured),
        )

    @property
    def skewness(self) -> float:
        """Approximate skewness of the distribution."""
        share = (
            float(self.distinct_bit_shares @ np.arange(self.distinct_bit_shares.size))
            / self.influence.shape[1]
        )
        middle = self.influence - self.influence.mean(axis=1, keepdims=True)
        third = share * (1 - share) * (1 - 2 * share) * float(np.sum(middle**3))
        return float(third / self.variance**1.5)

    def upper_tail(self, scores: Floats) -> Floats:
        """Return the probabilities that an absent candidate scores at least each score."""
        spread = self.variance**0.5
        if spread <= 0:
            return np.ones(scores.size)
        if self.influence.shape[0] > _MAX_CONVOLVED_COHORTS:
            return compute_upper_tail((scores - self.mean) / spread, self.skewness)
        step, slopes = 2 * _GRID_DEVIATIONS * spread / _GRID_POINTS, _CHERNOFF_SLOPES / spread
        logs = self._compute_log_moments(slopes)
        bound = np.zeros(scores.size)
        for slope, log in zip(slopes, logs, strict=True):
            bound = np.minimum(bound, log - slope * scores)
        beyond = float(np.exp(np.min(logs - slopes * (self.mean + _GRID_DEVIATIONS * spread))))
        tail, first = self._convolve_cohorts(step)
        drawn = self.influence.shape[0] * (self.distinct_bit_shares.size - 1)
        places = (
            np.floor(scores / step - (drawn / 2 if drawn <= _FEW_BITS else _ROUNDING_STEPS)) - first
        )
        inside = np.where(
            places < tail.size, tail[np.clip(places, 0, tail.size - 1).astype(np.int64)], 0.0
        )
        return np.asarray(
            np.minimum(np.minimum(inside + beyond + _TRANSFORM_ERROR, np.exp(bound)), 1.0)
        )

    def _convolve_cohorts(self, step: float) -> tuple[Floats, float]:
        """Return Pr[score >= grid point] for all grid points, and the first grid point in steps."""
        places = np.rint(self.influence / step).astype(np.int64) % _GRID_POINTS
        angles = 2 * np.pi * np.arange(_GRID_POINTS // 2 + 1) / _GRID_POINTS
        total = np.exp(-0.5 * self.extra_variance * (angles / step) ** 2).astype(np.complex128)
        for start in range(0, len(places), _COHORT_BATCH):
            rows = places[start : start + _COHORT_BATCH]
            flat = (rows + _GRID_POINTS * np.arange(len(rows))[:, None]).ravel()
            held = np.bincount(flat, minlength=_GRID_POINTS * len(rows)).reshape(
                len(rows), _GRID_POINTS
            )
            total *= self._mix_transforms(np.fft.rfft(held, axis=1)).prod(axis=0)
        first = int(np.rint(self.mean / step)) - _GRID_POINTS // 2
        masses = np.maximum(
            np.roll(np.fft.irfft(total, _GRID_POINTS), -(first % _GRID_POINTS)), 0.0
        )
        return np.cumsum(masses[::-1])[::-1], float(first)

    def _mix_transforms(self, ones: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Return the Fourier transform of each cohort's distribution from that of its influence, by
        Newton's identities for d distinct bits.
        """
        bits, powers = self.influence.shape[1], [ones]
        for times in range(
            2, self.distinct_bit_shares.size
        ):  # the influence multiplied by ``times``
            wanted = np.arange(_GRID_POINTS // 2 + 1) * times % _GRID_POINTS
            mirrored = wanted > _GRID_POINTS // 2
            power = ones[:, np.where(mirrored, _GRID_POINTS - wanted, wanted)]
            powers.append(np.where(mirrored, power.conj(), power))
        means = [np.ones_like(ones)]
        for count in range(1, self.distinct_bit_shares.size):
            total = np.zeros_like(ones)
            for times in range(1, count + 1):
                factor = (-1) ** (times - 1) * comb(bits, count - times) / comb(bits, count) / count
                total += factor * means[count - times] * powers[times - 1]
            means.append(total)
        return np.asarray(
            sum(
                probability * distribution
                for probability, distribution in zip(self.distinct_bit_shares, means, strict=True)
            )
        )

    def _compute_log_moments(self, slopes: Floats) -> Floats:
        """Return the log of E[exp(slope * score)] for each slope, with bits drawn with replacement,
        which gives an upper bound.
        """
        counts, largest = np.arange(self.distinct_bit_shares.size), self.influence.max(axis=1)
        below, found = self.influence - largest[:, None], 0.5 * self.extra_variance * slopes**2
        for place, slope in enumerate(slopes):
            one = slope * largest + np.log(np.exp(slope * below).mean(axis=1))
            top = np.maximum(one, 0.0) * counts[-1]
            found[place] += float(
                (
                    top
                    + np.log(
                        np.exp(one[:, None] * counts - top[:, None]) @ self.distinct_bit_shares
                    )
                ).sum()
            )
        return found


def compute_upper_tail(z: Floats, skewness: float) -> Floats:
    """Return Pr[Z >= z] for Z of mean 0, variance 1 and this skewness; a negative skewness is taken
    as 0.
    """
    if skewness <= _NEGLIGIBLE_SKEWNESS:
        return np.asarray(ndtr(-z))
    shape = 4 / skewness**2
    return np.asarray(gammaincc(shape, np.maximum(shape + z * np.sqrt(shape), 0.0)))
