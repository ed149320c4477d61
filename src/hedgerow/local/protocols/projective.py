"""Projective geometry response: as accurate as optimised unary encoding, in two or three bytes.

Statement
    Take the prime field of F elements and its vectors of length t up to a factor: K = (F^t - 1)/(F
    - 1) points, of which S = (F^(t-1) - 1)/(F - 1) are orthogonal to any given one, and (F^(t-2) -
    1)/(F - 1) to any two. Values are points. With probability a = truth/65536 the report is a
    uniform point orthogonal to the client's value, else a uniform one of the others. One report is
    pure epsilon-DP with epsilon = |ln a(K-S)/((1-a)S)|.

Proof
    Any report has probability a/S or (1-a)/(K-S), whatever the value.

Accuracy
    A report supports the values that it is orthogonal to: p = a, and q = a I/S + (1-a)(S-I)/(K-S)
    with I points orthogonal to two. The variance is least where F is near e^eps + 1; then it is
    that of OUE, 4 e^eps/(e^eps - 1)^2 for each client of a rare value.

Arithmetic
    A point is written as its vector whose first entry other than 0 is 1, and counted in the order
    of these vectors read as numbers in base F. Let j be the place of that 1 in the value. For an
    orthogonal point, all entries but the one at j are those of a uniform point of length t-1, and
    the entry at j makes the product 0; for another, they are a uniform vector and the product is 1.
    Both maps are one to one up to a factor, hence exact. One draw u < truth, then one uniform
    number below S, or below F^(t-1), drawn as in ``k_ary``. Decoding: reports whose leading 1
    stands at place j are counted by their lower entries w, c(w) of them. Such a report is
    orthogonal to v where v_j + w·v = 0, the product over the places below j. So with the Fourier
    transform C of c, the support of v among them is the mean over all multiples s in the field of
    C(s v) turned by -s v_j/F of a circle; s and -s have the same real part. The largest transform
    has F^(t-1) entries. It is computed in doubles and rounded: its error is below n 10^-12.

Edges
    K is at least the number of values, and F^t at most 2^24: the table by which reports are made.

Source
    Feldman, Nelson, Nguyen, Talwar (ICML 2022). Written from the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, isqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.fft import fftn

from hedgerow.errors import InvalidArgument
from hedgerow.local.bit_rows import Records, byte_width, check_codes, count_numbers, pack_numbers
from hedgerow.local.fixed_point import (
    SCALE,
    check_domain,
    check_epsilon,
    check_integer,
    check_threshold,
    compute_epsilon,
    find_largest_threshold,
    flip_coins,
)
from hedgerow.local.protocols.pure_frequency import PureFrequencyProtocol
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.numeric.vectorised import Integers, iterate_chunks

__all__ = ["Projective"]

_MAX_TABLE_SIZE = 1 << 24


@dataclass(frozen=True, slots=True)
class Projective(PureFrequencyProtocol):
    """``field``: a prime; ``dimension``: the length of vectors; ``truth``: how likely a report
    is orthogonal, in 1/65536.
    """

    name: ClassVar[str] = "projective"
    domain: int
    field: int
    dimension: int
    truth: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", check_domain(self.domain))
        object.__setattr__(
            self, "field", check_integer(self.field, "field", 2, isqrt(_MAX_TABLE_SIZE))
        )
        object.__setattr__(self, "dimension", check_integer(self.dimension, "dimension", 2, 24))
        object.__setattr__(self, "truth", check_threshold(self.truth, "truth"))
        if not _is_prime(self.field):
            raise InvalidArgument("field", "must be a prime", self.field)
        if self.field**self.dimension > _MAX_TABLE_SIZE:
            raise InvalidArgument(
                "dimension", f"must keep field^dimension within {_MAX_TABLE_SIZE}", self.dimension
            )
        if self.point_count < self.domain:
            raise InvalidArgument(
                "dimension",
                f"must be larger: there are {self.point_count} points for {self.domain} values",
                self.dimension,
            )
        if self.own_support <= self.other_support:
            raise InvalidArgument(
                "truth",
                "must be larger: a report must be likelier orthogonal to its own value than to"
                " others",
                self.truth,
            )

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Projective:
        """The field with the least variance for a rare value; of two that are as good as each
        other, the smaller table.
        """
        size, limit = check_domain(domain), check_epsilon(epsilon)
        ratio = exp(float(limit))
        shapes = [
            shape
            for field in range(2, min(int(3 * ratio) + 8, 4097))
            if _is_prime(field)
            for shape in _find_shapes(field, size)
        ]
        if not shapes:
            raise InvalidArgument("domain", "is too large for this protocol; take hadamard", domain)
        field, dimension = min(
            shapes,
            key=lambda shape: (round(_compute_variance(shape, ratio), 6), shape[0] ** shape[1]),
        )
        points, orthogonal = _count_points(field, dimension), _count_points(field, dimension - 1)

        def epsilon_at(truth: int) -> Fraction:
            # Below the share of orthogonal points a report would speak against its own value: that
            # is not what is looked for.
            odds = Fraction(truth * (points - orthogonal), (SCALE - truth) * orthogonal)
            return compute_epsilon(odds) if odds > 1 else Fraction(0)

        return cls(size, field, dimension, find_largest_threshold(epsilon_at, limit, 1, SCALE - 1))

    @property
    def point_count(self) -> int:
        """How many points there are."""
        return _count_points(self.field, self.dimension)

    @property
    def orthogonal_count(self) -> int:
        """How many of them are orthogonal to a given one."""
        return _count_points(self.field, self.dimension - 1)

    @property
    def record_size(self) -> int:
        """Bytes of a report."""
        return byte_width(self.point_count)

    @property
    def counter_count(self) -> int:
        """One for each point, and the number of reports."""
        return self.point_count + 1

    @property
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""
        return compute_epsilon(
            self.own_support
            * (self.point_count - self.orthogonal_count)
            / ((1 - self.own_support) * self.orthogonal_count)
        )

    @property
    def own_support(self) -> Fraction:
        """How likely a report is orthogonal to its owner's value."""
        return Fraction(self.truth, SCALE)

    @property
    def other_support(self) -> Fraction:
        """How likely a report is orthogonal to another value."""
        both = _count_points(self.field, self.dimension - 2)
        return self.own_support * both / self.orthogonal_count + (1 - self.own_support) * (
            self.orthogonal_count - both
        ) / (self.point_count - self.orthogonal_count)

    @property
    def total_variation(self) -> Fraction:
        """The total variation distance between the reports of two values."""
        return self.own_support - self.other_support

    def encode(self, values: Any) -> Records:
        """A fresh report for each value."""
        codes = check_codes(values, self.domain)
        reports = np.empty(codes.size, dtype=np.int64)
        for piece in iterate_chunks(codes.size):
            reports[piece] = self._sample_reports(codes[piece])
        return pack_numbers(reports, self.record_size)

    def _sample_reports(self, codes: Integers) -> Integers:
        honest, rest = flip_coins(self.truth, codes.size), np.empty(codes.size, dtype=np.int64)
        hits = int(np.count_nonzero(honest))
        rest[honest] = _list_vectors(self.field, self.dimension - 1)[
            uniform_integers(self.orthogonal_count, hits)
        ]
        rest[~honest] = uniform_integers(self.field ** (self.dimension - 1), codes.size - hits)
        numbers = _list_vectors(self.field, self.dimension)[codes]
        # F to the power of the places after the leading 1
        weight = _list_leading_weights(self.field, self.dimension)[codes]
        above = rest // weight
        below = rest - above * weight
        entry = (
            ~honest - _compute_inner_products(numbers - weight, below, self.field, self.dimension)
        ) % self.field
        points: Integers = _build_point_index(self.field, self.dimension)[
            (above * self.field + entry) * weight + below
        ].astype(np.int64)
        return points

    def aggregate(self, records: Any) -> Integers:
        """How often each point was reported, then the number of reports."""
        found = count_numbers(records, self.record_size, self.point_count)
        return np.append(found, found.sum())

    def count_support(self, counters: Integers) -> Integers:
        """How many reports are orthogonal to each value."""
        field, numbers = self.field, _list_vectors(self.field, self.dimension)[: self.domain]
        entries = [numbers // field**place % field for place in range(self.dimension)]
        tables = [
            _fourier_transform(
                counters[_count_points(field, place) : _count_points(field, place + 1)],
                field,
                place,
            )
            for place in range(self.dimension)
        ]
        turns = np.exp(-2j * np.pi * np.arange(field) / field)
        total = np.full(self.domain, float(counters[-1]))  # the multiple by 0
        for factor in range(1, field // 2 + 1):
            sides = 1 if 2 * factor == field else 2
            below = np.zeros(self.domain, dtype=np.int64)
            for place, (entry, table) in enumerate(zip(entries, tables, strict=True)):
                turned = entry * factor % field
                total += sides * (turns[turned] * table[below]).real
                below += turned * field**place
        support: Integers = np.rint(total / field).astype(np.int64)
        return support


def _fourier_transform(counts: Integers, field: int, places: int) -> NDArray[np.complex128]:
    """The Fourier transform of counts by vectors of so many places."""
    table = counts.reshape((field,) * places).astype(np.complex128)
    return np.asarray(
        fftn(table, overwrite_x=True) if places else table, dtype=np.complex128
    ).ravel()


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


def _count_points(field: int, dimension: int) -> int:
    return (int(field**dimension) - 1) // (field - 1)


def _find_shapes(field: int, domain: int) -> list[tuple[int, int]]:
    """The least dimension with enough points, if its table is small enough."""
    dimension = next(length for length in range(2, 26) if _count_points(field, length) >= domain)
    return [(field, dimension)] if field**dimension <= _MAX_TABLE_SIZE else []


def _compute_variance(shape: tuple[int, int], ratio: float) -> float:
    """For each client of a rare value, at the exact e^epsilon."""
    field, dimension = shape
    points, orthogonal, both = (_count_points(field, dimension - less) for less in range(3))
    unit = 1 / (orthogonal * ratio + points - orthogonal)
    own, other = ratio * orthogonal * unit, (ratio * both + orthogonal - both) * unit
    return other * (1 - other) / (own - other) ** 2


def _compute_inner_products(
    left: Integers, right: Integers, field: int, dimension: int
) -> Integers:
    """Inner products of vectors of length dimension-1 that are given as numbers; multiples of
    the field may be missing or added.
    """
    total = np.zeros(left.size, dtype=np.int64)
    a, b = left.astype(np.int32), right.astype(np.int32)
    for _ in range(dimension - 1):
        next_a, next_b = a // field, b // field
        total += (a - next_a * field) * (b - next_b * field)
        a, b = next_a, next_b
    return total


@lru_cache(maxsize=8)
def _list_vectors(field: int, dimension: int) -> Integers:
    """The vector of each point, as a number in base ``field``."""
    return np.concatenate([np.arange(field**place, 2 * field**place) for place in range(dimension)])


@lru_cache(maxsize=8)
def _list_leading_weights(field: int, dimension: int) -> Integers:
    """For each point the value of the place where its leading 1 stands."""
    return np.concatenate([np.full(field**place, field**place) for place in range(dimension)])


@lru_cache(maxsize=4)
def _build_point_index(field: int, dimension: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The point of each vector; the zero vector, which is none, gets 0."""
    table, numbers = np.zeros(field**dimension, dtype=np.int32), _list_vectors(field, dimension)
    points = np.arange(numbers.size, dtype=np.int32)
    places = [numbers // field**place % field for place in range(dimension)]
    for factor in range(1, field):
        multiple = sum(
            (entry * factor % field * field**place for place, entry in enumerate(places)),
            np.zeros_like(numbers),
        )
        table[multiple] = points
    return table
