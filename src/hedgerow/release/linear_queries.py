"""Linear questions about a table of counts, in whole numbers, and how far one unit moves their
answers.

A ``Factor`` is a matrix of whole numbers with a column for every code of one attribute; a
``QueryBlock`` is the Kronecker product of several, one for each attribute it names, with all other
attributes summed out. What a block measures is that matrix times the counts.

**Statement.** ``Block.sensitivity(rows, relation)`` bounds the move of the answers when one unit,
of at most so many rows, comes or goes (add-remove), or gives way to another of at most as many
(change-one). Where the table counts parts of 1/F of a row, of which one unit has at most F m in all
(``plan.crossing``), it bounds the move of the answers in parts for ``rows`` = F m.

**Proof.** Each row adds one column of the matrix to the answers. Columns of a Kronecker product are
products of columns: its number of entries other than 0, its largest entry and its norms are the
products of theirs. By the triangle inequality, so many rows move the answers at most so many times
as far as the longest column, in every norm, and they do where all rows are alike. Replaced, some
rows leave and as many enter, or fewer: each pair moves the answers by a column, or by the
difference of two, whose l1 is at most the sum of theirs and whose l2 squared is |a|^2 + |b|^2 -
2ab. The least inner product ab over all pairs is that of a product of numbers from known intervals.
Nothing here asks what a row is: it is whatever adds 1 to one cell of the table. The parts of a unit
are whole numbers of at least 0, one for each cell, that add up to at most F m: as many times 1 in
one cell, each a row in this sense, and no more than F m of them. So all of it holds of parts, with
F m for the number of rows. []
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import Any, Final, Protocol

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.plan.contingency_table import ContingencyTable, Integers
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import RELATIONS

__all__ = [
    "BinSums",
    "ColumnNorms",
    "Factor",
    "PrefixSums",
    "QueryBlock",
    "QueryMatrix",
    "ResidualQueries",
]

_MAX_SUM: Final = 2**62


@dataclass(frozen=True, slots=True)
class ColumnNorms:
    """Of the columns of a matrix: the most entries that are not 0, the largest entry, the largest
    sums of sizes and of squares, and between which numbers the inner products of two different
    columns lie (None where there is one column only)."""

    l0: int
    linf: int
    l1: int
    l2_squared: int
    inner_products: tuple[int, int] | None


class Factor(Protocol):
    """A matrix of whole numbers over the codes of one attribute."""

    @property
    def size(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def norms(self) -> ColumnNorms: ...
    def apply(self, counts: Integers, axis: int) -> Integers: ...


@dataclass(frozen=True, slots=True)
class BinSums:
    """Sums of ``width`` neighbouring codes; the last may be of fewer. A width of 1 tells every
    code, one of ``size`` their total.
    """

    size: int
    width: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", parse_whole(self.size, "size"))
        object.__setattr__(self, "width", min(parse_whole(self.width, "width"), self.size))

    @property
    def rows(self) -> int:
        """How many bins there are."""
        return -(-self.size // self.width)

    @property
    def norms(self) -> ColumnNorms:
        """Every code is in one bin. Two codes share theirs, or not."""
        inner = None if self.size == 1 else (int(self.rows == 1), int(self.width > 1))
        return ColumnNorms(1, 1, 1, 1, inner)

    def apply(self, counts: Integers, axis: int) -> Integers:
        """The sums along ``axis``."""
        return (
            counts
            if self.width == 1
            else np.add.reduceat(counts, np.arange(0, self.size, self.width), axis=axis)
        )


@dataclass(frozen=True, slots=True)
class ResidualQueries:
    """What the codes have beyond their mean: ``size`` times each count, less the total. The
    answers add up to 0.
    """

    size: int

    def __post_init__(self) -> None:
        if parse_whole(self.size, "size") < 2:
            raise InvalidArgument(
                "size", "must be at least 2: one code alone has no rest", self.size
            )

    @property
    def rows(self) -> int:
        """One for every code."""
        return self.size

    @property
    def norms(self) -> ColumnNorms:
        """A column has m - 1 once and -1 elsewhere; two of them have the product -2(m - 1) + (m
        - 2).
        """
        m = self.size
        return ColumnNorms(m, m - 1, 2 * (m - 1), m * (m - 1), (-m, -m))

    def apply(self, counts: Integers, axis: int) -> Integers:
        """The rests along ``axis``."""
        rest: Integers = self.size * counts - counts.sum(axis=axis, keepdims=True)
        return rest


@dataclass(frozen=True, slots=True, eq=False)
class QueryMatrix:
    """Any matrix of whole numbers, one question a row. Small: all pairs of columns are looked
    at.
    """

    matrix: Integers
    norms: ColumnNorms = field(init=False)

    def __post_init__(self) -> None:
        given = np.asarray(self.matrix)
        if given.ndim != 2 or given.size == 0 or given.dtype.kind not in "iu":
            raise InvalidArgument("matrix", "must have rows and columns of whole numbers")
        matrix = given.astype(np.int64)
        if (
            (matrix != given).any()
            or int(np.abs(matrix.astype(object)).max()) > 2**31
            or not matrix.any()
        ):
            raise InvalidArgument("matrix", "must have numbers within 2^31, not all of them 0")
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "norms", _compute_norms(matrix))

    @property
    def size(self) -> int:
        """How many codes there are."""
        return int(self.matrix.shape[1])

    @property
    def rows(self) -> int:
        """How many questions."""
        return int(self.matrix.shape[0])

    def apply(self, counts: Integers, axis: int) -> Integers:
        """The answers along ``axis``."""
        return np.moveaxis(np.tensordot(self.matrix, counts, axes=(1, axis)), 0, axis)


@dataclass(frozen=True, slots=True)
class PrefixSums:
    """Sums of the codes so far: entry (i, j) is kernel[i - j] times weights[j], 0 above the
    diagonal. Later columns are shorter; weighted, they are measured the more precisely for it, and
    the longest column is no longer than before."""

    kernel: tuple[int, ...]
    weights: tuple[int, ...]
    norms: ColumnNorms = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.kernel or len(self.kernel) != len(self.weights):
            raise InvalidArgument(
                "weights",
                "must be as many as the kernel has entries, at least one",
                len(self.weights),
            )
        numbers = (*self.kernel, *self.weights)
        if (
            not all(type(number) is int and 0 <= number <= 2**32 for number in numbers)
            or not self.kernel[0]
            or not all(self.weights)
        ):
            raise InvalidArgument(
                "kernel",
                "and weights must be whole numbers from 0 to 2^32, the first entry and all weights"
                " above 0",
            )
        object.__setattr__(self, "norms", self._compute_norms())

    @classmethod
    def unweighted(cls, size: int) -> PrefixSums:
        """All sums of the first so many codes."""
        return cls((1,) * parse_whole(size, "size"), (1,) * size)

    def _compute_norms(self) -> ColumnNorms:
        """Column j has the first n - j entries of the kernel. None is negative, so no inner product
        is, and none is above the largest square."""
        weights = self.weights[::-1]  # of the column that has so many entries
        l0 = sum(map(bool, self.kernel))
        linf = max(
            high * weight
            for high, weight in zip(accumulate(self.kernel, max), weights, strict=True)
        )
        l1 = max(
            total * weight for total, weight in zip(accumulate(self.kernel), weights, strict=True)
        )
        squares = accumulate(entry**2 for entry in self.kernel)
        l2_squared = max(total * weight**2 for total, weight in zip(squares, weights, strict=True))
        return ColumnNorms(l0, linf, l1, l2_squared, None if self.size == 1 else (0, l2_squared))

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.weights)

    @property
    def rows(self) -> int:
        """One for every code."""
        return self.size

    def apply(self, counts: Integers, axis: int) -> Integers:
        """The weighted sums along ``axis``. numpy convolves whole numbers in whole numbers."""
        kernel, weights = (
            np.asarray(self.kernel, dtype=np.int64),
            np.asarray(self.weights, dtype=np.int64),
        )
        found: Integers = np.apply_along_axis(
            lambda line: np.convolve(line * weights, kernel)[: self.size], axis, counts
        )
        return found


@dataclass(frozen=True, slots=True)
class QueryBlock:
    """The product of ``factors``, each with the place of its attribute; the other attributes are
    summed out.
    """

    factors: tuple[tuple[int, Factor], ...]

    def __post_init__(self) -> None:
        places = [place for place, _ in self.factors]
        if len(set(places)) != len(places):
            raise InvalidArgument("factors", "must be of different attributes", places)

    @property
    def places(self) -> tuple[int, ...]:
        """The attributes that are not summed out."""
        return tuple(place for place, _ in self.factors)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many answers there are along each of them."""
        return tuple(factor.rows for _, factor in self.factors)

    @property
    def cells(self) -> int:
        """How many answers there are."""
        return math.prod(self.shape)

    @property
    def norms(self) -> ColumnNorms:
        """Those of the product. Two of its columns differ in some attributes and may agree in
        others.
        """
        each = [factor.norms for _, factor in self.factors]
        l0, linf, l1, l2_squared = (
            math.prod(getattr(one, name) for one in each)
            for name in ("l0", "linf", "l1", "l2_squared")
        )
        ends = (1, 1)
        for one in each:
            # Columns that agree here have the product of one with itself: between 0 (the empty
            # column) and the largest.
            low, high = (0, 0) if one.inner_products is None else one.inner_products
            products = [a * b for a in ends for b in (min(low, 0), low, max(high, one.l2_squared))]
            ends = (min(products), max(products))
        return ColumnNorms(l0, linf, l1, l2_squared, ends)

    def sensitivity(self, rows: int, relation: str) -> Sensitivity:
        """How far one unit of at most ``rows`` rows moves the answers."""
        if relation not in RELATIONS:
            raise InvalidArgument("relation", 'must be "add-remove" or "change-one"', relation)
        many, norms = parse_whole(rows, "rows"), self.norms
        l0, linf, l1, far = norms.l0, norms.linf, norms.l1, norms.l2_squared
        if relation == "change-one":
            least = max(norms.inner_products[0], -far) if norms.inner_products is not None else 0
            far = max(far, 2 * far - 2 * least)
            l0, l1 = 2 * l0, 2 * l1
            linf = (
                min(2 * linf, math.isqrt(far))
                if any(map(_has_negative_entries, self.factors))
                else linf
            )
        # What holds for every vector holds for the bounds: no more cells than there are, l1 <= l0
        # linf, l2^2 <= l1 linf, l1^2 <= l0 l2^2, linf^2 <= l2^2. Each may lower the next, so as
        # often as one of them does.
        l0, linf, l1, far, before = (
            min(l0 * many, self.cells),
            linf * many,
            l1 * many,
            far * many**2,
            None,
        )
        while before != (before := (linf, l1, far)):
            linf, l1 = min(linf, math.isqrt(far)), min(l1, l0 * linf, math.isqrt(l0 * far))
            far = min(far, l1 * linf)
        return Sensitivity(l0, Fraction(linf), Fraction(l1), Fraction(far))

    @property
    def gain(self) -> int:
        """Return a bound on every number on the way to an answer, in totals of the table."""
        return math.prod(
            max(1, factor.norms.linf) * _get_gain(factor) for _, factor in self.factors
        )

    def evaluate(self, table: ContingencyTable) -> Integers:
        """The exact answers, clamped to 2^62 on both sides, which moves none farther than before.
        Where whole numbers of 64 bits might not hold what comes on the way they are Python's,
        however slow: to refuse would tell how many rows there are."""
        if any(table.sizes[place] != factor.size for place, factor in self.factors):
            raise InvalidArgument(
                "factors", "must have as many columns as their attributes have codes", self.places
            )
        found = table.marginal(self.places)
        wide = table.total * self.gain >= _MAX_SUM
        exact: Any = found.astype(object) if wide else found
        for axis, (_, factor) in enumerate(self.factors):
            exact = factor.apply(exact, axis)
        answers: Integers = np.clip(exact, -_MAX_SUM, _MAX_SUM).astype(np.int64) if wide else exact
        return answers


def _get_gain(factor: Factor) -> int:
    """A rest is a difference of two numbers, each up to the size times the count."""
    return 2 if isinstance(factor, ResidualQueries) else 1


def _has_negative_entries(named: tuple[int, Factor]) -> bool:
    """Whether some entries may be negative: then two columns may differ by twice the largest."""
    _, factor = named
    return isinstance(factor, ResidualQueries) or (
        isinstance(factor, QueryMatrix) and bool((factor.matrix < 0).any())
    )


def _compute_norms(matrix: Any) -> ColumnNorms:
    sizes, columns = np.abs(matrix), matrix.shape[1]
    if len(matrix) * int(sizes.max()) ** 2 >= _MAX_SUM:
        matrix = matrix.astype(object)  # beyond 64 bits in Python's whole numbers
    products = matrix.T @ matrix
    pairs = products[~np.eye(columns, dtype=bool)]
    return ColumnNorms(
        int((sizes > 0).sum(axis=0).max()),
        int(sizes.max()),
        int(sizes.sum(axis=0).max()),
        int(max(products.diagonal())),
        (int(pairs.min()), int(pairs.max())) if columns > 1 else None,
    )
