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
from hedgerow.accuracy.noise_sum import find_sum_radius
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_whole
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.strategy import (
    AdditiveNoise,
    Floats,
    Measurement,
    bound_unit_weight_radii,
    compute_least_squares_weights,
)
from hedgerow.publish.strategies.tree_nodes import TreeNodes, compute_range_variances
from hedgerow.release.linear_queries import BinSums, QueryBlock

__all__ = ["RangeTree", "RangeWorkload"]

_MAX_TRIED_RANGES: Final = 500  # for the choice among trees
_REFINED_TREES: Final = 6  # trees for which the price is divided in many iterations
_MIN_SHARE: Final = 1e-3  # of a level
_MAX_PROFILED_RANGES: Final = 256  # and codes, up to which the exact noise of sums is computed
_TRIED_FAN_OUTS: Final = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_FIRST_ITERATIONS: Final = 3  # for all candidate trees
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
                "ranges", "must have integer starts and as many integer stops, at least one"
            )
        if int(starts.min()) < 0 or bool((starts >= stops).any()) or int(stops.max()) > self.size:
            raise InvalidArgument(
                "ranges", f"must start before they stop, within {self.size:,} codes"
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

    def subsample(self, limit: int) -> RangeWorkload:
        """Return at most this many ranges, evenly spaced in order, with a stride that is prime to
        most periods.
        """
        stride = -(-len(self.starts) // limit)
        stride += stride > 1 and stride % 2 == 0
        if stride == 1:
            return self
        kept = slice(stride // 2, None, stride)
        return RangeWorkload(self.size, self.starts[kept], self.stops[kept])


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
            raise InvalidArgument(
                "widths", "must begin with 1 and have a noise mechanism each", self.widths
            )
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
        plans = [
            (widths, *_divide_budget(few, widths, place, terms, _ITERATIONS)) for widths in tried
        ]
        widths, shares, _ = min(plans, key=lambda plan: plan[2])
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
            terms.noise_factor(block) / part ** (0.5 if terms.is_gaussian else 1)
            for block, part in zip(blocks, parts.tolist(), strict=True)
        ]
        return cls(place, ranges, tuple(widths), terms.calibrate_all(blocks, spreads))

    @property
    def name(self) -> str:
        return "each cell" if len(self.widths) == 1 else f"tree of {self.widths[1]}"

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return tuple(
            (QueryBlock(((self.position, BinSums(self.ranges.size, width)),)), mechanism)
            for width, mechanism in zip(self.widths, self.mechanisms, strict=True)
        )

    def estimate_cells(self, noisy: Sequence[Any]) -> Floats:
        """Return the least-squares estimate of every code."""
        levels = [np.asarray(level, dtype=np.float64) for level in noisy]
        if len(levels) != len(self.widths) or any(
            len(level) != -(-self.ranges.size // width)
            for level, width in zip(levels, self.widths, strict=False)
        ):
            raise InvalidArgument("noisy", "must be one array of the level's length for each level")
        nodes = TreeNodes.from_variances(
            self.ranges.size,
            self.widths,
            [compute_noise_variance(mechanism) for mechanism in self.mechanisms],
        )
        best = [levels[0]]
        for level in range(1, len(levels)):
            share = nodes.variances(level) / nodes.own[level]
            best.append(share * levels[level] + (1 - share) * nodes.sum_children(level, best[-1]))
        found = best[-1]
        for level in range(len(levels) - 1, 0, -1):
            below = best[level - 1]
            missing = (found - nodes.sum_children(level, below)) / nodes.child_variances(level)
            found = below + nodes.variances(level - 1) * np.repeat(missing, nodes.fan_outs(level))
        return found

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        sums = np.concatenate([[0.0], np.cumsum(self.estimate_cells(noisy))])
        return np.asarray(sums[self.ranges.stops] - sums[self.ranges.starts])

    def variances(self) -> Floats:
        own = [compute_noise_variance(mechanism) for mechanism in self.mechanisms]
        nodes = TreeNodes.from_variances(self.ranges.size, self.widths, own)
        return compute_range_variances(nodes, self.ranges.starts, self.ranges.stops)

    def radii(self, beta: Number) -> Floats:
        """Return the radius of each range. If a measurement rises by 1, the estimates below it rise
        by at most 1 together and the others fall by as much, so no draw has a weight above 1.
        """
        lengths, which = np.unique(self.ranges.stops - self.ranges.starts, return_inverse=True)
        if len(self.mechanisms) == 1 and len(lengths) <= _MAX_PROFILED_RANGES:
            (mechanism,) = self.mechanisms
            radii = [float(find_sum_radius(mechanism, count, beta)) for count in lengths.tolist()]
            return np.array(radii)[which]
        if max(self.ranges.size, len(which)) <= _MAX_PROFILED_RANGES:
            known = compute_profile_radii(self._build_profiles(), beta)
            if known is not None:
                return known
        return bound_unit_weight_radii(self.variances(), self.mechanisms, beta)

    def _build_profiles(self) -> list[NoiseProfile]:
        codes = np.arange(self.ranges.size)
        wanted = (codes >= self.ranges.starts[:, None]) & (codes < self.ranges.stops[:, None])
        levels = [BinSums(self.ranges.size, width) for width in self.widths]
        counts = [level.rows for level in levels]
        measured = np.concatenate(
            [level.apply(np.eye(self.ranges.size, dtype=np.int64), 0) for level in levels]
        )
        noise = np.repeat(
            [compute_noise_variance(mechanism) for mechanism in self.mechanisms], counts
        )
        return build_profiles(
            compute_least_squares_weights(wanted, measured, noise, full=True),
            self.mechanisms,
            counts,
        )


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


def _compute_mean_errors(ranges: RangeWorkload, widths: Sequence[int], own: Floats) -> Floats:
    columns = [column[:, None] for column in np.atleast_2d(own).T]
    nodes = TreeNodes.from_variances(ranges.size, widths, columns)
    return np.asarray(compute_range_variances(nodes, ranges.starts, ranges.stops).mean(axis=-1))


def _divide_budget(
    ranges: RangeWorkload, widths: Sequence[int], place: int, terms: PrivacyParameters, rounds: int
) -> tuple[Floats, float]:
    """Return the best shares of the levels, and the mean expected error up to a factor common to
    all trees.
    """
    power = 1 if terms.is_gaussian else 2
    # the variances of the levels are proportional to these
    factors = np.array(
        [
            terms.noise_factor(QueryBlock(((place, BinSums(ranges.size, width)),))) ** 2
            for width in widths
        ]
    )
    nudges = 1 + 1e-4 * np.concatenate([np.zeros((1, len(widths))), np.eye(len(widths))])
    shares = np.full(len(widths), 1 / len(widths))
    best, least = shares, math.inf
    for _ in range(rounds):
        errors = _compute_mean_errors(ranges, widths, factors / shares**power * nudges)
        if errors[0] < least:
            best, before, least = shares, least, float(errors[0])
            if least > before * (1 - 1e-5):
                break
        parts = np.maximum(errors[1:] - errors[0], 0.0)
        shares = np.maximum(np.sqrt(shares * parts / parts.sum()), _MIN_SHARE)
        shares = shares / shares.sum()
    return best, least
