"""Projective geometry response: as accurate as optimised unary encoding, in two or three bytes.

Symbols
    F       number of elements of the field, a prime
    t       length of the vectors
    K       number of points, (F^t - 1)/(F - 1): vectors other than 0, up to a factor
    S       number of points orthogonal to a given one, (F^(t-1) - 1)/(F - 1)
    I       number of points orthogonal to two given ones, (F^(t-2) - 1)/(F - 1)
    a       truth/65536, the probability of a report orthogonal to the client's value

Statement
    Each value is a point. With probability a the report is a uniform point orthogonal to the
    client's value, else a uniform one of the other points. One report is pure epsilon-DP with
    epsilon = |ln(a(K-S)/((1-a)S))|.

Proof
    Any report has probability a/S or (1-a)/(K-S), whatever the value.

Accuracy
    A report supports the values that it is orthogonal to: p = a, and q = a I/S + (1-a)(S-I)/(K-S).
    The variance is least if F is near e^eps + 1. It is then that of OUE: 4 e^eps/(e^eps - 1)^2 per
    client, for a rare value.

Arithmetic
    A point is represented by its vector whose first nonzero entry is 1. Points are numbered in the
    order of these vectors, read as numbers in base F.

    *Encoding*. Let j be the place of the leading 1 of the value. For an orthogonal report, the
    entries other than j are those of a uniform point of length t-1, and the entry at j makes the
    inner product 0. For another report, they are a uniform vector, and the inner product is 1. Both
    maps are one to one up to a factor, hence exact. The draws are one u (orthogonal if u < truth),
    then a uniform number below S, or below F^(t-1), drawn as in ``k_ary``.

    *Decoding*. Let c(w) be the number of reports with the leading 1 at place j and the lower
    entries w. Such a report is orthogonal to v if v_j + w·v = 0, the product taken over the places
    below j. With the Fourier transform C of c, the support of v among these reports is the mean of
    exp(-2 pi i s v_j/F) C(s v) over all s in the field; s and -s have the same real part. The
    largest transform has F^(t-1) entries. It is computed in doubles and rounded: its error is below
    n 10^-12.

Edges
    K is at least the number of values. F^t is at most 2^24, the size of the encoder's table.

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
from hedgerow.local.bit_rows import Records, check_codes, count_numbers, pack_numbers
from hedgerow.local.fixed_point import (
    DOMAIN_ENDS,
    SCALE,
    THRESHOLD_ENDS,
    check_domain,
    check_epsilon,
    check_fields,
    check_rules,
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
    """Projective geometry response.

    ``field`` is a prime, ``dimension`` the length of the vectors, and ``truth`` the probability, in
    1/65536, of a report orthogonal to the client's value.
    """

    name: ClassVar[str] = "projective"
    domain: int
    field: int
    dimension: int
    truth: int

    def __post_init__(self) -> None:
        check_fields(
            self,
            domain=DOMAIN_ENDS,
            field=(2, isqrt(_MAX_TABLE_SIZE)),
            dimension=(2, 24),
            truth=THRESHOLD_ENDS,
        )
        check_rules(
            self,
            ("field", _is_prime(self.field), "must be a prime"),
            (
                "dimension",
                self.field**self.dimension <= _MAX_TABLE_SIZE,
                f"must keep field^dimension within {_MAX_TABLE_SIZE}",
            ),
            (
                "dimension",
                self.point_count >= self.domain,
                f"must be larger: {self.domain} values do not fit into {self.point_count} points",
            ),
            (
                "truth",
                self.own_support > self.other_support,
                "must be larger: a report must be more likely orthogonal to its owner's value than"
                " to others",
            ),
        )

    @classmethod
    def calibrate(cls, *, domain: int, epsilon: Number) -> Projective:
        """Return the protocol with the least variance for a rare value, then the least table."""
        size, limit = check_domain(domain), check_epsilon(epsilon)
        ratio = exp(float(limit))
        shapes = [
            shape
            for field in range(2, min(int(3 * ratio) + 8, 4097))
            if _is_prime(field)
            for shape in _find_shapes(field, size)
        ]
        if not shapes:
            raise InvalidArgument(
                "domain", "is too large for projective response; use hadamard instead", domain
            )
        field, dimension = min(
            shapes,
            key=lambda shape: (round(_compute_variance(shape, ratio), 6), shape[0] ** shape[1]),
        )
        points, orthogonal = _count_points(field, dimension), _count_points(field, dimension - 1)
        odds = Fraction(points - orthogonal, orthogonal)
        # At odds below 1 a report would be evidence against its owner's value: search on.
        truth = find_largest_threshold(
            lambda truth: compute_epsilon(max(Fraction(1), odds * truth / (SCALE - truth))),
            limit,
            1,
            SCALE - 1,
        )
        return cls(size, field, dimension, truth)

    @property
    def point_count(self) -> int:
        """The number of points."""
        return _count_points(self.field, self.dimension)

    @property
    def orthogonal_count(self) -> int:
        """The number of points orthogonal to a given one."""
        return _count_points(self.field, self.dimension - 1)

    @property
    def counter_count(self) -> int:
        """The number of counters: one for each point, and the number of reports."""
        return self.point_count + 1

    @property
    def epsilon(self) -> Fraction:
        return compute_epsilon(
            self.own_support
            * (self.point_count - self.orthogonal_count)
            / ((1 - self.own_support) * self.orthogonal_count)
        )

    @property
    def own_support(self) -> Fraction:
        """The probability that a report is orthogonal to its owner's value."""
        return Fraction(self.truth, SCALE)

    @property
    def other_support(self) -> Fraction:
        """The probability that a report is orthogonal to another value."""
        both = _count_points(self.field, self.dimension - 2)
        return self.own_support * both / self.orthogonal_count + (1 - self.own_support) * (
            self.orthogonal_count - both
        ) / (self.point_count - self.orthogonal_count)

    def encode(self, values: Any) -> Records:
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
        # F to the power of the number of places below the leading 1.
        weight = _list_leading_weights(self.field, self.dimension)[codes]
        above, below = np.divmod(rest, weight)
        entry = (
            ~honest - _compute_inner_products(numbers - weight, below, self.field, self.dimension)
        ) % self.field
        points = _build_point_index(self.field, self.dimension)
        return np.asarray(points[(above * self.field + entry) * weight + below], dtype=np.int64)

    def aggregate(self, records: Any) -> Integers:
        """Count the reports of each point, then all reports."""
        found = count_numbers(records, self.record_size, self.point_count)
        return np.append(found, found.sum())

    def count_support(self, counters: Integers) -> Integers:
        """Return the number of reports that are orthogonal to each value."""
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
        total = np.full(self.domain, float(counters[-1]))  # the term of s = 0
        for factor in range(1, field // 2 + 1):
            sides = 1 if 2 * factor == field else 2
            below = np.zeros(self.domain, dtype=np.int64)
            for place, (entry, table) in enumerate(zip(entries, tables, strict=True)):
                turned = entry * factor % field
                total += sides * (turns[turned] * table[below]).real
                below += turned * field**place
        return np.rint(total / field).astype(np.int64)


def _fourier_transform(counts: Integers, field: int, places: int) -> NDArray[np.complex128]:
    """Return the Fourier transform of counts that are indexed by vectors of this length."""
    table = counts.reshape((field,) * places).astype(np.complex128)
    return np.asarray(
        fftn(table, overwrite_x=True) if places else table, dtype=np.complex128
    ).ravel()


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


def _count_points(field: int, dimension: int) -> int:
    return (int(field**dimension) - 1) // (field - 1)


def _find_shapes(field: int, domain: int) -> list[tuple[int, int]]:
    """Return the field with the least dimension that holds the domain, if its table fits."""
    dimension = next(length for length in range(2, 26) if _count_points(field, length) >= domain)
    return [(field, dimension)] if field**dimension <= _MAX_TABLE_SIZE else []


def _compute_variance(shape: tuple[int, int], ratio: float) -> float:
    """Return the variance per client for a rare value, at the exact ratio e^epsilon."""
    field, dimension = shape
    points, orthogonal, both = (_count_points(field, dimension - less) for less in range(3))
    unit = 1 / (orthogonal * ratio + points - orthogonal)
    own, other = ratio * orthogonal * unit, (ratio * both + orthogonal - both) * unit
    return other * (1 - other) / (own - other) ** 2


def _compute_inner_products(
    left: Integers, right: Integers, field: int, dimension: int
) -> Integers:
    """Return inner products, modulo ``field``, of vectors of length dimension-1 given as numbers.

    The results are not reduced to the range of the field.
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
    """Return the vector of each point as a number in base ``field``."""
    return np.concatenate([np.arange(field**place, 2 * field**place) for place in range(dimension)])


@lru_cache(maxsize=8)
def _list_leading_weights(field: int, dimension: int) -> Integers:
    """Return for each point the weight of its leading 1 in base ``field``."""
    return np.concatenate([np.full(field**place, field**place) for place in range(dimension)])


@lru_cache(maxsize=4)
def _build_point_index(field: int, dimension: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return the point of each vector; the zero vector is not a point and gets 0."""
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
