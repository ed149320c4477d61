"""The request for a recommendation: public parameters, and the reference that they describe."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hedgerow.errors import InvalidArgument
from hedgerow.sensitivity.sample import SortedSample

__all__ = ["RecommendationRequest"]


@dataclass(frozen=True, slots=True)
class RecommendationRequest:
    """The public parameters of a recommendation, parsed and checked."""

    statistic: str
    epsilon: Fraction
    delta: Fraction | None
    n: int
    neighbours: str
    bounds: SortedSample | None  # an empty sample, for its bounds and grid
    p: Fraction

    @property
    def declared_range(self) -> SortedSample:
        """The declared range; refused if there is none."""
        if self.bounds is None:
            raise InvalidArgument("lower", f"and upper must be given for the {self.statistic}")
        return self.bounds

    @property
    def width(self) -> Fraction:
        """The width of the declared range, in value."""
        return self.declared_range.width * self.declared_range.grid

    @property
    def rank_width(self) -> float:
        """The distance between two values of the reference, in value."""
        return float(self.width) / (2 * self.n)

    @property
    def rows_per_point(self) -> float:
        """The number of reference rows at one grid point."""
        return 2 * self.n / (self.declared_range.width + 1)
