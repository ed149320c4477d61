"""Statistics of a published histogram at no further cost: mean, variance, quantiles and density,
each with an interval.

| symbol | meaning |
|---|---|
| beta | the probability with which an interval may fail |
| g, h | a grid point of the range, and the grid's step |
| p | the order of a quantile |
| D_j | (rows up to bin j) - p (all rows) |
| r_j | the radius of the noise in D_j |
| L | the parts that a bin may lack |

Two things are unknown: the noise, and the position of a value within its bin. Every interval
therefore comes twice: for the noise alone, as if all values were in the middle of their bins, and
for all positions within the bins. The second contains the exact statistic of the table at its
level; the first contains that of the middles.

**Means, densities.** ``accuracy.histogram_mean``, with the ends of the bins as points, or 1 in one
bin and 0 in the others.

**Variances.** A grid of points g over the range is fixed beforehand. One of them is nearest to the
exact mean, at most h/2 away, and the mean of (x - g)^2 is the variance plus the square of that
distance. With probability 1 - 9/10 beta it lies within its interval, and with 1 - beta/10 this g is
among the points near the interval of the mean. The interval of the variance covers all of these,
extended downwards by h^2/4. The right g depends on the data and not on the noise, so no union bound
is needed.

**Quantiles.** The p-quantile is the least value that at least p of all rows do not exceed. If it is
in bin j, then D_j >= 0 and D_(j-1) < 0. Bin j is excluded if the noisy D_j is below -r_j or the
noisy D_(j-1) above r_(j-1). The right bin is excluded with probability at most beta/2 each, and
only the right bin must pass.

**Lost parts.** Where rows count in parts (``plan.contingency``), each bin lacks at most L parts. A
weighted sum of bins is then off by at most L times the sum of the absolute weights, in addition to
the noise. This much is added to every radius.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.accuracy.histogram_mean import BinNoise, BinPoints, compute_bin_mean_intervals
from hedgerow.accuracy.noise_sum import bound_sum_radii, find_sum_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.numeric.exact_number import Number, parse_probability, parse_whole
from hedgerow.numeric.vectorised import Floats
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.output.table import COUNT_COLUMN
from hedgerow.publish.privacy_parameters import NOISE_NAMES, AdditiveNoise

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DerivedStatistic",
    "Histogram",
    "read_noise_mechanism",
    "read_parts_per_row",
    "read_truncation_error",
]

_MEAN_CANDIDATES: Final = 4096  # grid points for the mean, over the range
_CHUNK_CELLS: Final = 2**22
_MEAN_BETA_SHARE: Final = Fraction(1, 10)  # of beta, for the mean within a variance
_MECHANISMS: Final = {name.lower(): mechanism for mechanism, name in NOISE_NAMES.items()}


@dataclass(frozen=True, slots=True)
class DerivedStatistic:
    """A statistic of a histogram with its interval at ``level``; ``noise_low`` and ``noise_high``
    are for the noise alone. The value is None if there is nothing but noise.
    """

    value: Any
    low: Any
    high: Any
    noise_low: Any
    noise_high: Any
    level: float


def read_noise_mechanism(facts: Mapping[str, Any]) -> AdditiveNoise:
    """Return the noise of a receipt, in the parts of a row in which it was drawn."""
    return _MECHANISMS[facts["noise"]](Fraction(facts["scale"]) * read_parts_per_row(facts))


def read_parts_per_row(facts: Mapping[str, Any]) -> int:
    """Return the parts of a row in a receipt; 1 in receipts from before rows counted in parts."""
    return int(facts.get("fine", 1))


def read_truncation_error(facts: Mapping[str, Any], combinations: int) -> int:
    """Return the parts that a sum of this many cells of a receipt may lack at most."""
    units, rows = facts.get("losing", (0, 0))
    return int(min(units * combinations, rows))


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Noisy ``counts`` of the bins of one numeric attribute. Each has the noise of ``draws`` draws
    of ``mechanism`` and is at most ``truncation_error`` too low. All are in the parts of a row in
    which the noise was drawn; every statistic is a ratio of them.
    """

    attribute: Attribute
    counts: Floats
    mechanism: AdditiveNoise
    draws: int = 1
    truncation_error: float = 0.0

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts, dtype=np.float64)
        if counts.shape != (self.attribute.size,) or not np.isfinite(counts).all():
            raise InvalidArgument("counts", "must be one finite number for each bin", counts.shape)
        if not self.attribute.is_ordered or self.attribute.type not in ("integer", "real", "date"):
            raise Unsupported(
                f"{self.attribute.name} is not numeric: means and quantiles exist only for numbers"
                " and dates. Name another column."
            )
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "draws", parse_whole(self.draws, "draws"))

    @classmethod
    def from_publication(
        cls, domain: Domain, table: pa.Table, facts: Mapping[str, Any], name: str | None = None
    ) -> Histogram:
        """Build the histogram of one attribute from a published one; other attributes are summed
        out.
        """
        if "threshold" in facts or "draws" not in facts or table.num_rows != domain.cell_count:
            raise Unsupported(
                "Statistics need a histogram of all cells, and this publication leaves some out."
                " Publish a histogram without sparse."
            )
        place = (
            0 if name is None and len(domain.attributes) == 1 else domain.find_position(name or "")
        )
        cells = table.column(COUNT_COLUMN).to_numpy().reshape(domain.sizes)
        others = tuple(axis for axis in range(len(domain.sizes)) if axis != place)
        inside = domain.cell_count // domain.sizes[place]
        counts = cells.sum(axis=others) * read_parts_per_row(facts)
        return cls(
            domain.attributes[place],
            counts,
            read_noise_mechanism(facts),
            facts["draws"] * inside,
            float(read_truncation_error(facts, inside)),
        )

    def mean(self, level: Number = Fraction(19, 20)) -> DerivedStatistic:
        """Return the mean of all values."""
        low, middle, high = self._compute_bin_bounds()
        noise = self._build_bin_noise(level)
        total = self.counts.sum()
        mean = float(middle @ self.counts / total) if total > 0 else None
        noise_low, noise_high = self._compute_mean_interval(middle, middle, noise)
        bins_low, bins_high = self._compute_mean_interval(low, high, noise)
        value = None if mean is None else min(max(mean, noise_low), noise_high)
        return self._build_statistic((value, bins_low, bins_high, noise_low, noise_high), level)

    def variance(self, level: Number = Fraction(19, 20)) -> DerivedStatistic:
        """Return the variance of all values around their mean (for dates, in squared days)."""
        low, middle, high = self._compute_bin_bounds()
        total = self.counts.sum()
        noise_low, noise_high = self._compute_variance_interval(middle, middle, level)
        value = None
        if total > 0:
            mean = float(middle @ self.counts / total)
            variance = float(np.square(middle - mean) @ self.counts / total)
            value = min(max(variance, noise_low), noise_high)
        return DerivedStatistic(
            value,
            *self._compute_variance_interval(low, high, level),
            noise_low,
            noise_high,
            float(level),
        )

    def quantile(self, part: Number, level: Number = Fraction(19, 20)) -> DerivedStatistic:
        """Return the least value that at least this ``part`` of all values do not exceed."""
        p = parse_probability(part, "part")
        low, middle, high = self._compute_bin_bounds()
        first, last = self._find_quantile_bins(p, self._build_bin_noise(level))
        value = self._interpolate_quantile(float(p), low[first], high[last])
        return self._build_statistic(
            (value, low[first], high[last], middle[first], middle[last]), level
        )

    def density(self, level: Number = Fraction(19, 20)) -> pa.Table:
        """Return for each bin its share of all values per unit of its width (for integers and
        dates, per value).
        """
        import pyarrow as pa

        low, _, high = self._compute_bin_bounds()
        width = high - low + (0 if self.attribute.type == "real" else 1)
        ones, bins = np.ones(len(low)), len(low)
        share = BinPoints(self.counts, ones, ones, np.abs(self.counts), np.zeros(bins), ones, bins)
        least, most = compute_bin_mean_intervals(
            share, share, self.counts, self._build_bin_noise(level)
        )
        total = float(self.counts.sum())
        density = np.full(bins, np.nan)
        if total > 0:
            density = np.clip(self.counts / total, least, most) / width
        ends = {"density_low": least / width, "density_high": most / width}
        return pa.table(self.attribute.columns() | {"density": density} | ends)

    def _build_bin_noise(self, level: Number, part: Fraction = Fraction(1)) -> BinNoise:
        return BinNoise(
            self.mechanism,
            self.draws,
            (1 - parse_probability(level, "level")) * part,
            self.truncation_error,
        )

    def _compute_bin_bounds(self) -> tuple[Floats, Floats, Floats]:
        """Return the least number, the middle and the largest number of each bin."""
        if self.attribute.values is not None:
            each = np.array(
                [
                    float(v.toordinal() if isinstance(v, date) else v)  # type: ignore[arg-type]
                    for v in self.attribute.values
                ]
            )
            return each, each, each
        edges = self.attribute.edges or ()
        if self.attribute.type == "real":
            found = np.array([float(edge) for edge in edges])
            return found[:-1], (found[:-1] + found[1:]) / 2, found[1:]
        steps = np.array([float(math.ceil(edge)) for edge in edges])
        top = np.maximum(steps[1:] - 1, steps[:-1])
        return steps[:-1], (steps[:-1] + top) / 2, top

    def _compute_mean_interval(
        self, low: Floats, high: Floats, noise: BinNoise
    ) -> tuple[float, float]:
        """Return the interval of the mean, computed from the middle of the range and in units of
        half the range, so that sums of squares keep their digits.
        """
        centre, half = _compute_centre_and_half(low, high)
        below, above = (
            BinPoints.from_points((points - centre) / half, self.counts) for points in (low, high)
        )
        found = compute_bin_mean_intervals(below, above, self.counts, noise)
        start, stop = (float(end[0]) * half + centre for end in found)
        return start, stop

    def _compute_variance_interval(
        self, low: Floats, high: Floats, level: Number
    ) -> tuple[float, float]:
        centre, half = _compute_centre_and_half(low, high)
        start, stop = (
            (end - centre) / half
            for end in self._compute_mean_interval(
                low, high, self._build_bin_noise(level, _MEAN_BETA_SHARE)
            )
        )
        grid = np.linspace(-1, 1, min(_MEAN_CANDIDATES, max(_CHUNK_CELLS // len(low), 64)) + 1)
        step = float(grid[1] - grid[0])
        near = grid[(grid >= start - step) & (grid <= stop + step)]
        noise, least, most = self._build_bin_noise(level, 1 - _MEAN_BETA_SHARE), math.inf, 0.0
        a, b = (low - centre) / half, (high - centre) / half
        for some in np.array_split(near, -(-near.size * len(low) // _CHUNK_CELLS)):
            below, above = a - some[:, None], b - some[:, None]
            farthest = np.maximum(np.square(below), np.square(above))
            nearest = np.where(
                (below < 0) & (above > 0), 0.0, np.minimum(np.square(below), np.square(above))
            )
            found = compute_bin_mean_intervals(
                BinPoints.from_points(nearest, self.counts),
                BinPoints.from_points(farthest, self.counts),
                self.counts,
                noise,
            )
            least, most = min(least, float(found[0].min())), max(most, float(found[1].max()))
        # No variance is above that of two halves at the ends of the range.
        return max(least - step**2 / 4, 0.0) * half**2, min(most, 1.0) * half**2

    def _find_quantile_bins(self, p: Fraction, noise: BinNoise) -> tuple[int, int]:
        bins, part = len(self.counts), float(p)
        # all weights are 1/2: the discrete noise gives the smallest radius
        if p == Fraction(1, 2):
            far: Any = find_sum_radius(self.mechanism, bins * self.draws, noise.beta) / 2
        else:
            upto = np.arange(1, bins)
            single = compute_noise_variance(self.mechanism)
            variances = single * self.draws * (upto * (1 - part) ** 2 + (bins - upto) * part**2)
            far = bound_sum_radii(
                variances, [self.mechanism], single * max(part, 1 - part) ** 2, noise.beta
            )
        above = (np.cumsum(self.counts) - part * self.counts.sum())[:-1]
        lost = 1e-12 * float(np.abs(self.counts).sum()) + self.truncation_error * bins * max(
            part, 1 - part
        )
        possible = np.append(above + far + lost >= 0, True) & np.append(
            True, above - far - lost <= 0
        )
        # The first bin that passes the upper test also passes the lower one: there is one.
        kept = np.flatnonzero(possible)
        return int(kept[0]), int(kept[-1])

    def _interpolate_quantile(self, p: float, least: float, most: float) -> float | None:
        """Return the point where the clean counts reach p of their total, with values spread evenly
        within bins.
        """
        counts = project_nonnegative(self.counts)
        total = float(counts.sum())
        if total <= 0:
            return None
        low, _, high = self._compute_bin_bounds()
        place = min(int(np.searchsorted(np.cumsum(counts), p * total)), len(counts) - 1)
        before = float(counts[:place].sum())
        inside = (p * total - before) / counts[place] if counts[place] > 0 else 0.0
        point = float(low[place] + (high[place] - low[place]) * min(max(inside, 0.0), 1.0))
        return min(max(point, float(least)), float(most))

    def _build_statistic(self, numbers: Sequence[float | None], level: Number) -> DerivedStatistic:
        """Build a statistic in the type of the attribute: dates for days, with interval ends
        rounded outwards.
        """
        values: list[Any] = [None if number is None else float(number) for number in numbers]
        if self.attribute.type == "date":
            outwards: tuple[Callable[[float], int], ...] = (math.floor, math.ceil)
            roundings: tuple[Callable[[float], int], ...] = (round, *outwards, *outwards)
            values = [
                None if day is None else date.fromordinal(to_whole(day))
                for day, to_whole in zip(values, roundings, strict=True)
            ]
        value, low, high, noise_low, noise_high = values
        return DerivedStatistic(value, low, high, noise_low, noise_high, float(level))


def _compute_centre_and_half(low: Floats, high: Floats) -> tuple[float, float]:
    start, stop = float(low.min()), float(high.max())
    return (start + stop) / 2, (stop - start) / 2 or 1.0
