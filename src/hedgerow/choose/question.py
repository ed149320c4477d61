"""What a chooser is asked: public parameters, and the reference that they describe."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hedgerow.errors import InvalidArgument
from hedgerow.statistics.sample import Sample

__all__ = ["Question"]


@dataclass(frozen=True, slots=True)
class Question:
    """The public parameters, read and checked."""

    statistic: str
    epsilon: Fraction
    delta: Fraction | None
    n: int
    neighbours: str
    bounds: Sample | None  # of no values: bounds and grid
    p: Fraction

    @property
    def range(self) -> Sample:
        if self.bounds is None:
            raise InvalidArgument("lower", f"and upper must be declared for the {self.statistic}")
        return self.bounds

    @property
    def width(self) -> Fraction:
        """Of the declared range, in value."""
        return self.range.width * self.range.grid

    @property
    def rank(self) -> float:
        """The distance between two values of the reference, in value."""
        return float(self.width) / (2 * self.n)

    @property
    def tied(self) -> float:
        """How many rows of the reference share a grid point."""
        return 2 * self.n / (self.range.width + 1)
