"""Trees that grow with a stream: noise on sums of neighbouring elements, drawn when a sum is
complete.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from hedgerow.accuracy.noise_profile import NoiseProfile, compute_equal_radii, compute_sum_radii
from hedgerow.accuracy.noise_sum import bound_sum_radii
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.privacy_parameters import AdditiveNoise, calibrate_noise
from hedgerow.publish.streaming.mechanism import StreamReach, StreamState

__all__ = ["TreeMechanism"]


@dataclass(frozen=True)
class TreeMechanism:
    """Noise on sums of 1, b, b^2, … neighbouring elements, each once it is complete. With one level
    this is noise on each element.

    A running total is made of the largest complete sums. Each of those is measured itself and is
    also the sum of its b parts; the two are averaged by inverse variance, from below. This is the
    best estimate before more elements arrive (Honaker, 2015): no measurement outside such a sum
    contains information about it.
    """

    reach: StreamReach
    branching: int
    levels: int
    noise: AdditiveNoise
    averaged: bool = True

    @classmethod
    def plan(
        cls,
        reach: StreamReach,
        epsilon: Fraction | None,
        rho: Fraction | None,
        branching: int = 2,
        levels: int = 1,
        averaged: bool = True,
    ) -> TreeMechanism:
        """Plan the noise with the whole price. Without ``averaged`` it is the plain tree."""
        return cls(
            reach,
            branching,
            levels,
            calibrate_noise(cls._compute_sensitivity(reach, branching, levels), epsilon, rho),
            averaged,
        )

    @staticmethod
    def _compute_sensitivity(reach: StreamReach, branching: int, levels: int) -> Sensitivity:
        """Return the sensitivity of all measurements. An element is in one sum of each level. The
        squares of a unit's elements per sum add up to most if as few sums as possible are filled.
        """
        k, width = reach.touched, reach.width
        squares = 0
        for level in range(levels):
            full, rest = divmod(k, branching**level)
            squares += full * branching ** (2 * level) + rest**2
        largest = min(k, branching ** (levels - 1))
        return Sensitivity(
            k * levels,
            Fraction(largest * width),
            Fraction(k * levels * width),
            Fraction(squares * width**2),
        )

    @property
    def name(self) -> str:
        if self.levels == 1:
            return "each element"
        return f"{'' if self.averaged else 'plain '}tree of {self.branching}, {self.levels} levels"

    @property
    def sensitivity(self) -> Sensitivity:
        return self._compute_sensitivity(self.reach, self.branching, self.levels)

    @cached_property
    def _level_weights(self) -> tuple[tuple[float, float], ...]:
        """The weight of a level's own measurement and the variance of the average, in variances of
        the noise, for each level.
        """
        found = [(1.0, 1.0)]
        for _ in range(1, self.levels):
            parts = self.branching * found[-1][1] if self.averaged else math.inf
            left = 1 / (1 + 1 / parts)
            found.append((left, left))
        return tuple(found)

    def initial_state(self) -> StreamState:
        """Return the state before the first element: for each level, the open sum and the estimate
        from its parts.
        """
        return StreamState((0,) * self.levels, (0.0,) * self.levels)

    def measure_element(
        self, private: tuple[int, ...], place: int, element: int
    ) -> tuple[tuple[int, ...], list[int]]:
        """Return the sums that this element completes, the smallest first."""
        complete = sum((place + 1) % self.branching**level == 0 for level in range(self.levels))
        sums = [held + element for held in private]
        return (*(0,) * complete, *sums[complete:]), sums[:complete]

    def estimate_sum(
        self, public: tuple[int | float, ...], _place: int, noisy: list[int]
    ) -> tuple[tuple[int | float, ...], float]:
        """Average upwards, then add up."""
        held, best = list(public), 0.0
        for level, value in enumerate(noisy):
            own = self._level_weights[level][0]
            best = value if level == 0 else own * value + (1 - own) * held[level - 1]
            if level:
                held[level - 1] = 0.0
            held[level] += best
        return tuple(held), math.fsum(held)

    @cached_property
    def _level_counts(self) -> Integers:
        """The number of complete sums of each level in each running total."""
        counts = np.arange(1, self.reach.horizon + 1)
        parts = [counts // self.branching**level for level in range(self.levels)]
        return np.stack([*(part % self.branching for part in parts[:-1]), parts[-1]], axis=1)

    def variances(self) -> Floats:
        return np.asarray(
            compute_noise_variance(self.noise)
            * (self._level_counts @ np.array([left for _, left in self._level_weights]))
        )

    def total_variance(self) -> float:
        """Return the sum of all variances, from the digits of 1, …, n."""
        ends, found = self.reach.horizon + 1, 0.0
        for level, (_, left) in enumerate(self._level_weights):
            step = self.branching**level
            turns, ends_left = (
                divmod(ends, step * self.branching) if level < self.levels - 1 else (0, ends)
            )
            digit, rest = divmod(ends_left, step)
            digits = (
                turns * step * self.branching * (self.branching - 1) // 2
                + step * digit * (digit - 1) // 2
                + digit * rest
            )
            found += left * digits
        return compute_noise_variance(self.noise) * found

    def _build_profiles(self) -> list[NoiseProfile]:
        """Return the weights of the draws in a complete sum of each level: its own measurement by
        its share, those of its parts by the remainder.
        """
        found: list[list[tuple[AdditiveNoise, float, int]]] = []
        for own, _ in self._level_weights:
            below = (
                [
                    (mechanism, weight * (1 - own), count * self.branching)
                    for mechanism, weight, count in found[-1]
                ]
                if found
                else []
            )
            found.append([(self.noise, own, 1), *below])
        return [NoiseProfile.from_parts(parts) for parts in found]

    def radii(self, beta: Number) -> Floats:
        """Return the radii from the exact weights for streams of up to 4,096 elements; beyond that,
        from the bound that no measurement has a weight above 1.
        """
        if not self.averaged or self.levels == 1:
            return compute_equal_radii(self.noise, self._level_counts.sum(axis=1), beta)
        variances = self.variances()
        bound = bound_sum_radii(
            variances, [self.noise], np.minimum(compute_noise_variance(self.noise), variances), beta
        )
        known = compute_sum_radii(self._build_profiles(), self._level_counts, beta)
        return bound if known is None else np.minimum(known, bound)
