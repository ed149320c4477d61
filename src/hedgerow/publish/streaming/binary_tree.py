"""Trees that grow with a stream: noise on sums of neighbouring elements, each drawn once, when
the sum is complete.
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
from hedgerow.numeric.vectorised import Integers
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.strategies.strategy import AdditiveNoise, Floats
from hedgerow.publish.streaming.mechanism import StreamReach, StreamState, calibrate_noise

__all__ = ["TreeMechanism"]


@dataclass(frozen=True)
class TreeMechanism:
    """Noise on sums of 1, b, b^2, … neighbouring elements, each once it is complete. With one level
    this is noise on each element.

    A sum so far is made of the largest complete sums. Each of those is measured itself and is also
    the sum of its b parts; the two are averaged by how much noise they have, from below, which is
    the best that can be told before more elements arrive (Honaker, 2015): no measurement outside
    such a sum says anything about it.
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
        """With all that may be spent. Not ``averaged``, it is the plain tree."""
        return cls(
            reach,
            branching,
            levels,
            calibrate_noise(cls._compute_sensitivity(reach, branching, levels), epsilon, rho),
            averaged,
        )

    @staticmethod
    def _compute_sensitivity(reach: StreamReach, branching: int, levels: int) -> Sensitivity:
        """An element is in one sum of each level. Spread the elements of a unit over sums that hold
        so many each: the squares of their numbers add up to most where as few sums as possible are
        filled."""
        k, width = reach.touched, reach.width
        squares = 0
        for level in range(levels):
            full, rest = divmod(k, branching**level)
            squares += full * branching ** (2 * level) + rest**2
        most = min(k, branching ** (levels - 1))
        return Sensitivity(
            k * levels,
            Fraction(most * width),
            Fraction(k * levels * width),
            Fraction(squares * width**2),
        )

    @property
    def name(self) -> str:
        """By its branching."""
        if self.levels == 1:
            return "each element"
        return f"{'' if self.averaged else 'plain '}tree of {self.branching}, {self.levels} levels"

    @property
    def sensitivity(self) -> Sensitivity:
        """See ``_move``."""
        return self._compute_sensitivity(self.reach, self.branching, self.levels)

    @cached_property
    def _level_weights(self) -> tuple[tuple[float, float], ...]:
        """For each level, the weight of its own measurement and the variance of the average, in
        variances of the noise.
        """
        found = [(1.0, 1.0)]
        for _ in range(1, self.levels):
            parts = self.branching * found[-1][1] if self.averaged else math.inf
            left = 1 / (1 + 1 / parts)
            found.append((left, left))
        return tuple(found)

    def initial_state(self) -> StreamState:
        """For each level, the sum under way, and what its parts are said to be."""
        return StreamState((0,) * self.levels, (0.0,) * self.levels)

    def measure_element(
        self, private: tuple[int, ...], place: int, element: int
    ) -> tuple[tuple[int, ...], list[int]]:
        """The sums that are complete now, the smallest first."""
        complete = self._count_complete_levels(place)
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

    def _count_complete_levels(self, place: int) -> int:
        """How many levels have a sum that ends here."""
        count, complete = place + 1, 1
        while complete < self.levels and count % self.branching**complete == 0:
            complete += 1
        return complete

    @cached_property
    def _level_counts(self) -> Integers:
        """For each sum so far, how many complete sums of each level it is made of."""
        counts = np.arange(1, self.reach.horizon + 1)
        parts = [counts // self.branching**level for level in range(self.levels)]
        return np.stack([*(part % self.branching for part in parts[:-1]), parts[-1]], axis=1)

    def variances(self) -> Floats:
        """Those of the complete sums that each sum so far is made of, added up."""
        return np.asarray(
            compute_noise_variance(self.noise)
            * (self._level_counts @ np.array([left for _, left in self._level_weights]))
        )

    def total_variance(self) -> float:
        """The same, summed over the whole stream: what the digits of 1, …, n add up to."""
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
        """The law of a complete sum of each level: its own measurement by its share, those of
        its parts by what is left.
        """
        found: list[list[tuple[AdditiveNoise, float, int]]] = []
        for own, _ in self._level_weights:
            below = (
                [
                    (law, weight * (1 - own), many * self.branching)
                    for law, weight, many in found[-1]
                ]
                if found
                else []
            )
            found.append([(self.noise, own, 1), *below])
        return [NoiseProfile.from_parts(parts) for parts in found]

    def radii(self, beta: Number) -> Floats:
        """By the law of each sum so far, while there are up to 4,096 of them. Beyond, no
        measurement has a weight above 1.
        """
        if not self.averaged or self.levels == 1:
            return compute_equal_radii(self.noise, self._level_counts.sum(axis=1), beta)
        variances = self.variances()
        bound = bound_sum_radii(
            variances, [self.noise], np.minimum(compute_noise_variance(self.noise), variances), beta
        )
        known = compute_sum_radii(self._build_profiles(), self._level_counts, beta)
        return bound if known is None else np.minimum(known, bound)
