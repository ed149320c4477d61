"""Ranges of one ordered attribute, from noisy sums over bins of widths 1, b, b^2, …: a tree.

| symbol | meaning |
|---|---|
| x_v, y_v | the exact and the measured sum at node v |
| u | the variance of the measurement at a node |
| z_v, U_v | the best estimate from v and below, and its variance |
| c, V | the sum of the children's z, and its variance |
| t_v | the best estimate from everything |
| a_v, B_v | the weight of v's error in a range, and the variance that is independent of it |
| q | the share of the price of one level |

Statement
    Every level is measured with noise of one variance. ``RangeTree.reconstruct`` returns the
    least-squares answers given all measurements, and ``RangeTree.variances`` their exact variances.

Proof
    *Upwards.* At a leaf, z is the measurement. Above, the children give c, of variance V = sum of
    their U, and v itself gives y, of variance u. These are independent, so z = (y/u + c/V) U with
    1/U = 1/u + 1/V. *Downwards.* What lies above v informs its children only through t_v, so they
    are moved to it in proportion to their variances: t_c = z_c + (U_c/V)(t_v - c). At the top
    t = z. Both passes touch each node once.

    *Variance of a range.* Below a node the error of a range is a e_v plus a part independent of
    e_v = t_v - x_v, where a = 1 for a covered node, 0 for a node outside, and a_v = sum of a_c
    U_c/V. The independent part has the variance B_v = sum of B_c + sum of a_c^2 U_c - V a_v^2. On
    each level at most two nodes are partly covered, so a range costs a few operations a level; at
    the top the variance is the sum of a^2 U + B. []

Division of the price among levels. A level with the share q of the price has noise of a variance
proportional to q^-1 (rho) or q^-2 (epsilon). Because the answers are least squares, the total error
changes with it by its direct part alone. At the optimum each level's part of the error is
proportional to its share of the price. A few steps towards that are taken, and the best division
met is kept. The widths are the best of the candidates, by expected error.

Source
    Hay, Rastogi, Miklau, Suciu (VLDB 2010); Qardaji, Yang, Li (VLDB 2013) for wide trees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hedgerow.accuracy.noise_profile import NoiseProfile, build_profiles, compute_profile_radii
from hedgerow.accuracy.noise_sum import bound_sum_radii, find_sum_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_whole
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.strategy import (
    AdditiveNoise,
    Floats,
    Measurement,
    compute_least_squares_weights,
)
from hedgerow.release.linear_queries import BinSums, QueryBlock

__all__ = ["RangeTree", "RangeWorkload"]

_MAX_TRIED_RANGES: Final = 500  # ranges that a choice among trees looks at
_REFINED_TREES: Final = 6  # trees for which the price is divided with care
_MIN_SHARE: Final = 1e-3  # share of a level
_MAX_PROFILED_RANGES: Final = 256  # of ranges, and codes, for which the laws of sums are computed
_TRIED_FAN_OUTS: Final = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_FIRST_ITERATIONS: Final = 3  # steps of dividing the price in all trees, and in those few
_ITERATIONS: Final = 15


@dataclass(frozen=True, slots=True, eq=False)
class RangeWorkload:
    """Sums over the codes from ``starts`` to before ``stops`` of an attribute of ``size`` codes."""

    size: int
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", parse_whole(self.size, "size"))
        starts, stops = np.asarray(self.starts), np.asarray(self.stops)
        if (
            starts.ndim != 1
            or starts.shape != stops.shape
            or not starts.size
            or not (starts.dtype.kind == stops.dtype.kind == "i")
        ):
            raise InvalidArgument(
                "ranges", "must be starts and stops, whole numbers, as many of each"
            )
        if int(starts.min()) < 0 or bool((starts >= stops).any()) or int(stops.max()) > self.size:
            raise InvalidArgument(
                "ranges", "must begin before they end, and lie within the codes", self.size
            )

    @classmethod
    def all_prefixes(cls, size: int) -> RangeWorkload:
        """Return all sums from the first code on: the cumulative distribution."""
        stops = np.arange(1, parse_whole(size, "size") + 1)
        return cls(size, np.zeros_like(stops), stops)

    @classmethod
    def all_ranges(cls, size: int) -> RangeWorkload:
        """Return all ranges, by start and then by stop."""
        starts, stops = np.triu_indices(parse_whole(size, "size"))
        return cls(size, starts.astype(np.int64), stops.astype(np.int64) + 1)

    def subsample(self, most: int) -> RangeWorkload:
        """Return at most this many ranges, evenly spaced in order, with a stride that is prime to
        most periods.
        """
        stride = -(-len(self.starts) // most)
        stride += stride > 1 and stride % 2 == 0
        return (
            self
            if stride == 1
            else RangeWorkload(
                self.size, self.starts[stride // 2 :: stride], self.stops[stride // 2 :: stride]
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class RangeTree:
    """The levels of a tree over the attribute at ``position``: bins of ``widths``, the first 1,
    each a multiple of the one before.
    """

    position: int
    ranges: RangeWorkload
    widths: tuple[int, ...]
    mechanisms: tuple[AdditiveNoise, ...]

    def __post_init__(self) -> None:
        if not self.widths or self.widths[0] != 1 or len(self.mechanisms) != len(self.widths):
            raise InvalidArgument("widths", "must begin with 1, with noise for each", self.widths)
        if any(
            wide % narrow or wide <= narrow
            for narrow, wide in zip(self.widths, self.widths[1:], strict=False)
        ):
            raise InvalidArgument(
                "widths", "must each be a larger multiple of the one before", self.widths
            )

    @classmethod
    def plan(cls, place: int, ranges: RangeWorkload, terms: PrivacyParameters) -> RangeTree:
        """Return the best of several trees, the flat one among them."""
        few = ranges.subsample(_MAX_TRIED_RANGES)
        tried = sorted(
            _list_candidate_widths(ranges.size),
            key=lambda widths: _divide_budget(few, widths, place, terms, _FIRST_ITERATIONS)[1],
        )[:_REFINED_TREES]
        found = [
            (widths, *_divide_budget(few, widths, place, terms, _ITERATIONS)) for widths in tried
        ]
        widths, shares, _ = min(found, key=lambda one: one[2])
        return cls.from_widths(place, ranges, widths, terms, shares)

    @classmethod
    def from_widths(
        cls,
        place: int,
        ranges: RangeWorkload,
        widths: Sequence[int],
        terms: PrivacyParameters,
        shares: Sequence[float] | Floats | None = None,
    ) -> RangeTree:
        """Build a tree of these widths; its levels share the price equally unless ``shares`` are
        given.
        """
        blocks = [QueryBlock(((place, BinSums(ranges.size, width)),)) for width in widths]
        parts = np.ones(len(blocks)) if shares is None else np.asarray(shares)
        spreads = [
            _compute_noise_factor(terms, block) / part ** (0.5 if terms.is_gaussian else 1)
            for block, part in zip(blocks, parts.tolist(), strict=True)
        ]
        return cls(place, ranges, tuple(widths), terms.calibrate_all(blocks, spreads))

    @property
    def name(self) -> str:
        """The branching of the tree."""
        return "each cell" if len(self.widths) == 1 else f"tree of {self.widths[1]}"

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block for each level."""
        return tuple(
            (QueryBlock(((self.position, BinSums(self.ranges.size, width)),)), law)
            for width, law in zip(self.widths, self.mechanisms, strict=True)
        )

    def estimate_cells(self, noisy: Sequence[Any]) -> Floats:
        """Return the least-squares estimate of every code."""
        levels = [np.asarray(one, dtype=np.float64) for one in noisy]
        if len(levels) != len(self.widths) or any(
            len(one) != -(-self.ranges.size // width)
            for one, width in zip(levels, self.widths, strict=False)
        ):
            raise InvalidArgument("noisy", "must be one line of numbers for each level")
        nodes = _TreeNodes.from_variances(
            self.ranges.size, self.widths, [compute_noise_variance(law) for law in self.mechanisms]
        )
        best = [levels[0]]
        for level in range(1, len(levels)):
            share = nodes.own_share(level)
            best.append(share * levels[level] + (1 - share) * nodes.sum_children(level, best[-1]))
        found = best[-1]
        for level in range(len(levels) - 1, 0, -1):
            below = best[level - 1]
            missing = (found - nodes.sum_children(level, below)) / nodes.child_variances(level)
            found = below + nodes.variances(level - 1) * np.repeat(missing, nodes.fan_outs(level))
        return found

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        """Return the sums over all ranges."""
        sums = np.concatenate([[0.0], np.cumsum(self.estimate_cells(noisy))])
        return np.asarray(sums[self.ranges.stops] - sums[self.ranges.starts])

    def variances(self) -> Floats:
        """Return the variance of each range."""
        return _compute_range_variances(
            self.ranges, self.widths, [compute_noise_variance(law) for law in self.mechanisms]
        )

    def radii(self, beta: Number) -> Floats:
        """Return the radius of each range. If a measurement rises by 1, the estimates below it rise
        by at most 1 together and the others fall by as much, so no draw has a weight above 1.
        """
        lengths, which = np.unique(self.ranges.stops - self.ranges.starts, return_inverse=True)
        if len(self.mechanisms) == 1 and len(lengths) <= _MAX_PROFILED_RANGES:
            return np.array(
                [
                    float(find_sum_radius(self.mechanisms[0], many, beta))
                    for many in lengths.tolist()
                ]
            )[which]
        found = (
            compute_profile_radii(self._build_profiles(), beta)
            if max(self.ranges.size, len(which)) <= _MAX_PROFILED_RANGES
            else None
        )
        return (
            bound_sum_radii(
                self.variances(),
                self.mechanisms,
                max(map(compute_noise_variance, self.mechanisms)),
                beta,
            )
            if found is None
            else found
        )

    def _build_profiles(self) -> list[NoiseProfile]:
        codes = np.arange(self.ranges.size)
        asked = (codes >= self.ranges.starts[:, None]) & (codes < self.ranges.stops[:, None])
        levels = [BinSums(self.ranges.size, width) for width in self.widths]
        counts = [level.rows for level in levels]
        seen = np.concatenate(
            [level.apply(np.eye(self.ranges.size, dtype=np.int64), 0) for level in levels]
        )
        noise = np.repeat([compute_noise_variance(law) for law in self.mechanisms], counts)
        return build_profiles(
            compute_least_squares_weights(asked, seen, noise, full=True), self.mechanisms, counts
        )


def _compute_noise_factor(terms: PrivacyParameters, block: QueryBlock) -> float:
    move = terms.sensitivity(block)
    return math.sqrt(float(move.l2_squared)) if terms.is_gaussian else float(move.l1)


def _list_candidate_widths(size: int) -> list[tuple[int, ...]]:
    """Return trees of equal branching, with and without the total on top; the flat one first."""
    found: list[tuple[int, ...]] = [(1,)]
    for fan in (*_TRIED_FAN_OUTS, max(2, math.isqrt(size))):
        widths = [1]
        while widths[-1] * fan < size:
            widths.append(widths[-1] * fan)
            if widths[-1] * 2 < size:
                found.append(tuple(widths))
        found.append((*widths, widths[-1] * fan))
    return list(dict.fromkeys(widths for widths in found if widths[-1] == 1 or widths[-2] < size))


@dataclass(frozen=True, slots=True)
class _TreeNodes:
    """The variances of the nodes of each level. All nodes but the last are alike, so two numbers
    describe a level.
    """

    size: int
    widths: tuple[int, ...]
    counts: tuple[int, ...]
    own: tuple[Any, ...]
    full: tuple[Any, ...]  # U of a node that is not the last of its level
    last: tuple[Any, ...]  # U of the last

    @classmethod
    def from_variances(cls, size: int, widths: Sequence[int], own: Sequence[Any]) -> _TreeNodes:
        """Build the nodes from the variances of the levels, or from columns of them."""
        counts = tuple(-(-size // width) for width in widths)
        own = [np.maximum(one, 1e-200) for one in own]
        full, last = [own[0]], [own[0]]
        for level in range(1, len(widths)):
            fan = widths[level] // widths[level - 1]
            rest = counts[level - 1] - (counts[level] - 1) * fan
            full.append(1 / (1 / own[level] + 1 / (fan * full[-1])))
            last.append(1 / (1 / own[level] + 1 / ((rest - 1) * full[level - 1] + last[-1])))
        return cls(size, tuple(widths), counts, tuple(own), tuple(full), tuple(last))

    def fan_out(self, level: int) -> int:
        return self.widths[level] // self.widths[level - 1]

    def fan_outs(self, level: int) -> npt.NDArray[np.int64]:
        """Return the number of children of each node."""
        found = np.full(self.counts[level], self.fan_out(level))
        found[-1] = self.counts[level - 1] - (self.counts[level] - 1) * self.fan_out(level)
        return found

    def variances(self, level: int) -> Floats:
        found = np.full(self.counts[level], self.full[level])
        found[-1] = self.last[level]
        return found

    def child_variances(self, level: int) -> Floats:
        """Return the variance V of the children's sum."""
        found = np.full(self.counts[level], self.fan_out(level) * self.full[level - 1])
        found[-1] = self.sum_variances(
            level - 1, (self.counts[level] - 1) * self.fan_out(level), self.counts[level - 1]
        )
        return found

    def own_share(self, level: int) -> Floats:
        """Return the weight of a node's own measurement."""
        return np.asarray(self.variances(level) / self.own[level])

    def sum_children(self, level: int, below: Floats) -> Floats:
        return np.add.reduceat(below, np.arange(0, self.counts[level - 1], self.fan_out(level)))

    def node_variances(self, level: int, node: Any) -> Any:
        """Return U of these nodes."""
        return np.where(node == self.counts[level] - 1, self.last[level], self.full[level])

    def sum_variances(self, level: int, start: Any, stop: Any) -> Any:
        """Return the sum of U over the nodes from start to before stop."""
        many = np.maximum(stop - start, 0)
        return many * self.full[level] + ((many > 0) & (stop == self.counts[level])) * (
            self.last[level] - self.full[level]
        )


def _compute_range_variances(
    ranges: RangeWorkload, widths: Sequence[int], own: Sequence[Any]
) -> Floats:
    """Compute the recursion of the module's proof for all ranges at a time; ``left`` and ``right``
    are the nodes in which a range begins and ends. With columns of variances, return a row for each
    of them.
    """
    nodes = _TreeNodes.from_variances(ranges.size, widths, own)
    left, right = ranges.starts, ranges.stops - 1
    a_left, a_right = np.ones(len(left)), np.ones(len(left))
    rest: Any = 0.0
    for level in range(1, len(widths)):
        fan, below, count = nodes.fan_out(level), level - 1, nodes.counts[level - 1]
        up_left, up_right = left // fan, right // fan
        one, met = left == right, up_left == up_right
        u_left, u_right = nodes.node_variances(below, left), nodes.node_variances(below, right)
        inside = nodes.sum_variances(
            below, left + 1, np.where(met, right, np.minimum((up_left + 1) * fan, count))
        )
        first, second = a_left * u_left + inside, a_left**2 * u_left + inside
        both = met & ~one
        first, second = first + both * a_right * u_right, second + both * a_right**2 * u_right
        all_left = nodes.sum_variances(below, up_left * fan, np.minimum((up_left + 1) * fan, count))
        rest = rest + second - first**2 / all_left
        # Where the ends have not met, the right one has its own sum.
        before = nodes.sum_variances(below, up_right * fan, right)
        third, fourth = before + a_right * u_right, before + a_right**2 * u_right
        all_right = nodes.sum_variances(
            below, up_right * fan, np.minimum((up_right + 1) * fan, count)
        )
        rest = rest + np.where(met, 0.0, fourth - third**2 / all_right)
        a_left, a_right = first / all_left, np.where(met, 0.0, third / all_right)
        left, right = up_left, up_right
    top = len(widths) - 1
    ends = a_left**2 * nodes.node_variances(top, left) + np.where(
        left == right, 0.0, a_right**2 * nodes.node_variances(top, right)
    )
    return np.asarray(ends + nodes.sum_variances(top, left + 1, right) + rest)


def _list_squared_factors(
    ranges: RangeWorkload, widths: Sequence[int], place: int, terms: PrivacyParameters
) -> Floats:
    """Return the factors to which the variances of the levels are proportional."""
    return np.array(
        [
            _compute_noise_factor(terms, QueryBlock(((place, BinSums(ranges.size, width)),))) ** 2
            for width in widths
        ]
    )


def _compute_mean_errors(ranges: RangeWorkload, widths: Sequence[int], own: Floats) -> Floats:
    """Return the mean variance of the ranges for each row of level variances."""
    return np.asarray(
        _compute_range_variances(
            ranges, widths, [column[:, None] for column in np.atleast_2d(own).T]
        ).mean(axis=-1)
    )


def _divide_budget(
    ranges: RangeWorkload, widths: Sequence[int], place: int, terms: PrivacyParameters, rounds: int
) -> tuple[Floats, float]:
    """Return the best shares of the levels, and the mean expected error up to a factor common to
    all trees.
    """
    power = 1 if terms.is_gaussian else 2
    moves = _list_squared_factors(ranges, widths, place, terms)
    nudges = 1 + 1e-4 * np.concatenate([np.zeros((1, len(widths))), np.eye(len(widths))])
    shares = np.full(len(widths), 1 / len(widths))
    best, least = shares, math.inf
    for _ in range(rounds):
        errors = _compute_mean_errors(ranges, widths, moves / shares**power * nudges)
        if errors[0] < least:
            best, before, least = shares, least, float(errors[0])
            if least > before * (1 - 1e-5):
                break
        parts = np.maximum(errors[1:] - errors[0], 0.0)
        shares = np.maximum(np.sqrt(shares * parts / parts.sum()), _MIN_SHARE)
        shares = shares / shares.sum()
    return best, least
