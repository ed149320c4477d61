"""Trees that grow with a stream: noise on sums of neighbouring elements, each drawn once, when the sum is complete."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from hedgerow.numeric.chunk import Integers
from hedgerow.numeric.number import Number
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.publish.designs import Floats, Law, noise_variance
from hedgerow.publish.intervals import sum_radii
from hedgerow.publish.profile import Profile, equal_radii, radii_of_sums
from hedgerow.publish.streaming.ways import Reach, State, calibrated

__all__ = ["Forest"]


@dataclass(frozen=True)
class Forest:
    """Noise on sums of 1, b, b^2, … neighbouring elements, each once it is complete. With one level this is noise on each element.

    A sum so far is made of the largest complete sums. Each of those is measured itself and is also the sum of its b parts; the two are
    averaged by how much noise they have, from below, which is the best that can be told before more elements arrive (Honaker, 2015): no
    measurement outside such a sum says anything about it.
    """

    reach: Reach
    branching: int
    levels: int
    law: Law
    averaged: bool = True

    @classmethod
    def plan(
        cls, reach: Reach, epsilon: Fraction | None, rho: Fraction | None, branching: int = 2, levels: int = 1, averaged: bool = True
    ) -> Forest:
        """With all that may be spent. Not ``averaged``, it is the plain tree."""
        return cls(reach, branching, levels, calibrated(cls._move(reach, branching, levels), epsilon, rho), averaged)

    @staticmethod
    def _move(reach: Reach, branching: int, levels: int) -> Sensitivity:
        """An element is in one sum of each level. Spread the elements of a unit over sums that hold so many each: the squares of their
        numbers add up to most where as few sums as possible are filled."""
        k, width = reach.touched, reach.width
        squares = 0
        for level in range(levels):
            full, rest = divmod(k, branching**level)
            squares += full * branching ** (2 * level) + rest**2
        most = min(k, branching ** (levels - 1))
        return Sensitivity(k * levels, Fraction(most * width), Fraction(k * levels * width), Fraction(squares * width**2))

    @property
    def name(self) -> str:
        """By its branching."""
        if self.levels == 1:
            return "each element"
        return f"{'' if self.averaged else 'plain '}tree of {self.branching}, {self.levels} levels"

    @property
    def sensitivity(self) -> Sensitivity:
        """See ``_move``."""
        return self._move(self.reach, self.branching, self.levels)

    @cached_property
    def _shares(self) -> tuple[tuple[float, float], ...]:
        """For each level, the weight of its own measurement and the variance of the average, in variances of the noise."""
        found = [(1.0, 1.0)]
        for _ in range(1, self.levels):
            parts = self.branching * found[-1][1] if self.averaged else math.inf
            left = 1 / (1 + 1 / parts)
            found.append((left, left))
        return tuple(found)

    def start(self) -> State:
        """For each level, the sum under way, and what its parts are said to be."""
        return State((0,) * self.levels, (0.0,) * self.levels)

    def measured(self, private: tuple[int, ...], place: int, element: int) -> tuple[tuple[int, ...], list[int]]:
        """The sums that are complete now, the smallest first."""
        complete = self._complete(place)
        sums = [held + element for held in private]
        return (*(0,) * complete, *sums[complete:]), sums[:complete]

    def told(self, public: tuple[int | float, ...], _place: int, noisy: list[int]) -> tuple[tuple[int | float, ...], float]:
        """Average upwards, then add up."""
        held, best = list(public), 0.0
        for level, value in enumerate(noisy):
            own = self._shares[level][0]
            best = value if level == 0 else own * value + (1 - own) * held[level - 1]
            if level:
                held[level - 1] = 0.0
            held[level] += best
        return tuple(held), math.fsum(held)

    def _complete(self, place: int) -> int:
        """How many levels have a sum that ends here."""
        count, complete = place + 1, 1
        while complete < self.levels and count % self.branching**complete == 0:
            complete += 1
        return complete

    @cached_property
    def _digits(self) -> Integers:
        """For each sum so far, how many complete sums of each level it is made of."""
        counts = np.arange(1, self.reach.horizon + 1)
        parts = [counts // self.branching**level for level in range(self.levels)]
        return np.stack([*(part % self.branching for part in parts[:-1]), parts[-1]], axis=1)

    def variances(self) -> Floats:
        """Those of the complete sums that each sum so far is made of, added up."""
        return np.asarray(noise_variance(self.law) * (self._digits @ np.array([left for _, left in self._shares])))

    def total(self) -> float:
        """The same, summed over the whole stream: what the digits of 1, …, n add up to."""
        ends, found = self.reach.horizon + 1, 0.0
        for level, (_, left) in enumerate(self._shares):
            step = self.branching**level
            turns, ends_left = divmod(ends, step * self.branching) if level < self.levels - 1 else (0, ends)
            digit, rest = divmod(ends_left, step)
            digits = turns * step * self.branching * (self.branching - 1) // 2 + step * digit * (digit - 1) // 2 + digit * rest
            found += left * digits
        return noise_variance(self.law) * found

    def _profiles(self) -> list[Profile]:
        """The law of a complete sum of each level: its own measurement by its share, those of its parts by what is left."""
        found: list[list[tuple[Law, float, int]]] = []
        for own, _ in self._shares:
            below = [(law, weight * (1 - own), many * self.branching) for law, weight, many in found[-1]] if found else []
            found.append([(self.law, own, 1), *below])
        return [Profile.of(parts) for parts in found]

    def radii(self, beta: Number) -> Floats:
        """By the law of each sum so far, while there are up to 4,096 of them. Beyond, no measurement has a weight above 1."""
        if not self.averaged or self.levels == 1:
            return equal_radii(self.law, self._digits.sum(axis=1), beta)
        variances = self.variances()
        bound = sum_radii(variances, [self.law], np.minimum(noise_variance(self.law), variances), beta)
        known = radii_of_sums(self._profiles(), self._digits, beta)
        return bound if known is None else np.minimum(known, bound)
