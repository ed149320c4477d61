"""All sums of the first so many cells: a cumulative distribution, or the partial sums of a list, published at once.

Five ways, each with its error told beforehand:

* **each prefix**: noise on every sum. One row is in up to n of them.
* **each element**: noise on every cell, and add up: the error grows with the root of the number of cells.
* **plain tree**: noise on sums of 1, 2, 4, … cells; a prefix is made of at most one of each size.
* **tree**: sums of 1, b, b^2, … cells, and least squares over all of them: much better, and the best where noise is Laplace.
* **square root**: of the matrix of all sums; the best known under Gaussian noise, see ``streaming.buffers``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy.signal import lfilter

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.linear import Bins, Block, Triangle
from hedgerow.numeric.number import Number, whole
from hedgerow.publish.designs import Design, Floats, Law, Measurement, expected_error, noise_variance
from hedgerow.publish.intervals import single_radius, sum_radii
from hedgerow.publish.profile import Profile, equal_radii, profiles_of, radii
from hedgerow.publish.streaming.buffers import Buffers
from hedgerow.publish.terms import Terms

__all__ = ["EachElement", "EachPrefix", "PlainTree", "SquareRoot", "SumTree", "prefix_designs"]

_BRANCHINGS = (2, 3, 4, 6, 8, 10, 12, 16, 24, 32)
_TRIANGLE = 2**16  # cells up to which a triangle is multiplied out
_EACH = 2**12  # and up to which noise on every sum is a way at all
_WEIGHED = 128  # cells up to which every weight of a tree is computed


def prefix_designs(size: int, terms: Terms, place: int = 0) -> tuple[Design, ...]:
    """Ways to publish all prefix sums of the ``size`` codes of an attribute, the one of least expected squared error first."""
    n = whole(size, "size")
    found: list[Design] = [EachElement(n, place, terms.laws([_block(place, Bins(n))], [1.0])[0])]
    if n <= _EACH:
        found.append(EachPrefix.plan(n, terms, place))
    if n > 1:
        found.append(PlainTree(n, place, _tree_laws(n, 2, n.bit_length(), terms, place)))
        found.append(min((SumTree(n, place, b, _tree_laws(n, b, deep, terms, place)) for b, deep in _shapes(n)), key=expected_error))
    if n <= _TRIANGLE and terms.gaussian:
        with suppress(Refused):
            found.append(SquareRoot.plan(n, terms, place))
    return tuple(sorted(found, key=expected_error))


def _shapes(n: int) -> list[tuple[int, int]]:
    """Branchings and numbers of levels: with or without the sum of all, or one level less."""
    found = {(b, deep) for b in _BRANCHINGS for full in [_levels(n, b)] for deep in (full - 2, full - 1, full) if deep > 1}
    return sorted(found | {(2, 2)})


def _levels(n: int, branching: int) -> int:
    """How many levels there are up to one sum of all."""
    levels, wide = 1, 1
    while wide < n:
        levels, wide = levels + 1, wide * branching
    return levels


def _block(place: int, factor: Any) -> Block:
    return Block(((place, factor),))


def _tree_laws(n: int, branching: int, levels: int, terms: Terms, place: int) -> tuple[Law, ...]:
    return terms.laws([_block(place, Bins(n, branching**level)) for level in range(levels)], [1.0] * levels)


@dataclass(frozen=True, slots=True)
class EachPrefix:
    """Noise on every sum."""

    name = "each prefix"
    size: int
    place: int
    law: Law

    @classmethod
    def plan(cls, size: int, terms: Terms, place: int = 0) -> EachPrefix:
        """With all that may be spent."""
        return cls(size, place, terms.laws([_block(place, Triangle.sums(size))], [1.0])[0])

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block."""
        return ((_block(self.place, Triangle.sums(self.size)), self.law),)

    def answers(self, noisy: Sequence[Any]) -> Floats:
        """As they are."""
        (sums,) = noisy
        return np.asarray(sums, dtype=np.float64)

    def variances(self) -> Floats:
        """The same everywhere."""
        return np.full(self.size, noise_variance(self.law))

    def radii(self, beta: Number) -> Floats:
        """The smallest that the discrete law allows."""
        return np.full(self.size, float(single_radius(self.law, beta)))


@dataclass(frozen=True, slots=True)
class EachElement:
    """Noise on every cell."""

    name = "each element"
    size: int
    place: int
    law: Law

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block."""
        return ((_block(self.place, Bins(self.size)), self.law),)

    def answers(self, noisy: Sequence[Any]) -> Floats:
        """Added up."""
        (cells,) = noisy
        return np.asarray(np.cumsum(cells), dtype=np.float64)

    def variances(self) -> Floats:
        """One more for every cell."""
        return noise_variance(self.law) * np.arange(1.0, self.size + 1)

    def radii(self, beta: Number) -> Floats:
        """The smallest that the discrete law allows, or nearly."""
        return equal_radii(self.law, np.arange(1, self.size + 1), beta)


@dataclass(frozen=True)
class PlainTree:
    """Noise on sums of 1, 2, 4, … cells, and each prefix from as few of them as possible."""

    size: int
    place: int
    laws: tuple[Law, ...]

    @property
    def name(self) -> str:
        """By its levels."""
        return f"plain tree of 2, {len(self.laws)} levels"

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block for each level."""
        return tuple((_block(self.place, Bins(self.size, 2**level)), law) for level, law in enumerate(self.laws))

    def answers(self, noisy: Sequence[Any]) -> Floats:
        """The binary digits of a number say which sums make up that prefix: the one of level l ends where the lower digits begin."""
        counts, found = np.arange(1, self.size + 1), np.zeros(self.size)
        for level, sums in enumerate(noisy):
            parts = counts >> level
            found += np.where(parts & 1, np.asarray(sums, dtype=np.float64)[np.maximum(parts - 1, 0)], 0.0)
        return found

    def variances(self) -> Floats:
        """One for every digit."""
        counts, found = np.arange(1, self.size + 1), np.zeros(self.size)
        for level, law in enumerate(self.laws):
            found += noise_variance(law) * (counts >> level & 1)
        return found

    def radii(self, beta: Number) -> Floats:
        """All weights are 1, and as a rule all laws are the same."""
        if len(set(self.laws)) == 1:
            digits = np.arange(1, self.size + 1)[:, None] >> np.arange(len(self.laws)) & 1
            return equal_radii(self.laws[0], digits.sum(axis=1), beta)
        return sum_radii(self.variances(), self.laws, max(map(noise_variance, self.laws)), beta)


@dataclass(frozen=True)
class SumTree:
    """Noise on sums of 1, b, b^2, … cells; each prefix by least squares over all of them.

    Going up, keep for every sum its best estimate from what is below, and for every cell the best estimate of the prefix within the sum
    that it is in now, with the variance of each and their covariance. Neighbours join: totals and earlier prefixes add up. Then the sum's
    own measurement corrects both: the total by its share, the prefix by its covariance. At the top nothing was left out: this is least
    squares.
    """

    size: int
    place: int
    branching: int
    laws: tuple[Law, ...]

    @property
    def name(self) -> str:
        """By its branching and levels."""
        return f"tree of {self.branching}, {len(self.laws)} levels, least squares"

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block for each level."""
        return tuple((_block(self.place, Bins(self.size, self.branching**level)), law) for level, law in enumerate(self.laws))

    @cached_property
    def _gains(self) -> tuple[tuple[tuple[Floats, Floats], ...], Floats]:
        """For each level above the lowest, by how much a correction moves each total and each prefix; and the variances of all prefixes."""
        noise = [noise_variance(law) for law in self.laws]
        total = np.full(self.size, noise[0])
        prefix, shared = total.copy(), total.copy()
        where, gains = np.arange(self.size), []
        for level in range(1, len(noise)):
            before, joined, parents = _joined(total, self.branching)
            prefix, shared = prefix + before[where], shared + before[where]
            where, total = parents[where], joined
            share = total / (total + noise[level])
            moves = shared / (total + noise[level])[where]
            prefix, shared, total = prefix - moves * shared, shared - moves * total[where], noise[level] * share
            gains.append((share, moves))
        return tuple(gains), prefix + (np.cumsum(total) - total)[where]

    def answers(self, noisy: Sequence[Any]) -> Floats:
        """One way up."""
        arrays = [np.asarray(level, dtype=np.float64) for level in noisy]
        total = arrays[0]
        prefix, where = total.copy(), np.arange(self.size)
        for own, (share, moves) in zip(arrays[1:], self._gains[0], strict=True):
            before, joined, parents = _joined(total, self.branching)
            prefix, where = prefix + before[where], parents[where]
            off = own - joined
            prefix, total = prefix + moves * off[where], joined + share * off
        return prefix + (np.cumsum(total) - total)[where]

    def variances(self) -> Floats:
        """Those of least squares."""
        return self._gains[1].copy()

    def radii(self, beta: Number) -> Floats:
        """The weight of a measurement is the covariance, given all measurements, of its sum and the prefix, over its variance of noise. If
        the sum were one larger, what is in it would be larger by 0 to 1, and all else smaller by 0 to 1: no weight is beyond 1. Up to 128
        cells all weights are computed, and radii follow from the laws."""
        bound = sum_radii(self.variances(), self.laws, max(map(noise_variance, self.laws)), beta)
        known = radii(self._profiles(), beta) if self.size <= _WEIGHED else None
        return bound if known is None else np.minimum(known, bound)

    def _profiles(self) -> list[Profile]:
        """One draw of noise at a time, which shows every weight."""
        counts = [block.shape[0] for block, _ in self.measurements]
        cuts = np.cumsum(counts)[:-1]
        weights = np.stack([self.answers(np.split(one, cuts)) for one in np.eye(sum(counts))], axis=1)
        return profiles_of(weights, self.laws, counts)


def _joined(values: Floats, branching: int) -> tuple[Floats, Floats, Any]:
    """So many neighbours joined: what comes before each within its new sum, the new sums, and in which one each is."""
    starts = np.arange(0, len(values), branching)
    parents = np.arange(len(values)) // branching
    first = np.cumsum(values) - values
    return first - first[starts][parents], np.add.reduceat(values, starts), parents


@dataclass(frozen=True)
class SquareRoot:
    """Gaussian noise on a square root of all sums, in multiples of 2^-bits; every column is nearly as long as the first, by its weight."""

    name = "square root of sums"
    size: int
    place: int
    bits: int
    law: Law

    @classmethod
    def plan(cls, size: int, terms: Terms, place: int = 0) -> SquareRoot:
        """With all that may be spent, which must be a rho: under Laplace noise a tree is far better. As fine as noise can be drawn for."""
        if not terms.gaussian:
            raise InvalidArgument("terms", "must be a rho: the square root is for Gaussian noise")
        far = float(terms.reach(_block(place, _root(size, _BITS)[1])).l2) / math.sqrt(2 * float(terms.rho or 0))
        bits = min(_BITS, _BITS + _FINEST - math.ceil(math.log2(far)))
        if bits < _COARSEST:
            raise Refused("This takes more noise than can be drawn for a square root of sums: spend more, or take another way.")
        return cls(size, place, bits, terms.laws([_block(place, _root(size, bits)[1])], [1.0])[0])

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block."""
        return ((_block(self.place, _root(self.size, self.bits)[1]), self.law),)

    def answers(self, noisy: Sequence[Any]) -> Floats:
        """Solved for the cells from the first to the last, without their weights, and added up."""
        (values,) = noisy
        _, triangle = _root(self.size, self.bits)
        kernel = np.asarray(triangle.kernel, dtype=np.float64)
        cells = lfilter([1.0], kernel / kernel[0], np.asarray(values, dtype=np.float64) / kernel[0])
        return np.asarray(np.cumsum(cells / np.asarray(triangle.weights)))

    @property
    def _scales(self) -> Floats:
        _, triangle = _root(self.size, self.bits)
        return 1 / (triangle.kernel[0] * np.asarray(triangle.weights, dtype=np.float64))

    def variances(self) -> Floats:
        """Those of the kernel before it was rounded: the same but for about sqrt(n) 2^-bits of them."""
        return noise_variance(self.law) * _root(self.size, self.bits)[0].variances(self._scales)

    def radii(self, beta: Number) -> Floats:
        """The largest weight is that of the first measurement: weights of cells rise, and the inverse is 1 and then negative."""
        return sum_radii(self.variances(), [self.law], noise_variance(self.law) * self._scales[0] ** 2, beta)


_BITS, _COARSEST, _FINEST = 20, 12, 38
_WEIGHT = 2**8  # of the first cell; the last has its square root of c_0^2 + … + c_(n-1)^2 times that, rounded down


@lru_cache(maxsize=8)
def _root(size: int, bits: int) -> tuple[Buffers, Triangle]:
    """The kernel before and after rounding. Coefficients are below 2^(bits + 10), which leaves room for tables of 2^32 rows and more."""
    buffers = Buffers.suiting(size)
    kernel = tuple(np.rint(buffers.kernel * 2**bits).astype(np.int64).tolist())
    weights = tuple((_WEIGHT * buffers.weights / buffers.weights[0]).astype(np.int64).tolist())
    return buffers, Triangle(kernel, weights)
