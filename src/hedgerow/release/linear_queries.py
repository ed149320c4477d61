"""Linear queries over a table of counts, in whole numbers, and their sensitivities.

A ``Factor`` is a matrix of whole numbers with a column for every code of one attribute. A
``QueryBlock`` is the Kronecker product of several factors, one for each attribute it names; all
other attributes are summed out. The answers of a block are that matrix times the counts.

**Statement.** ``QueryBlock.sensitivity(rows, relation)`` bounds the move of the answers when one
unit of at most ``rows`` rows comes or goes (add-remove), or gives way to another of at most as many
rows (change-one). Where the table counts parts of 1/F of a row, and one unit has at most F m parts
in all (``plan.contingency``), it bounds the move of the answers in parts for ``rows`` = F m.

**Proof.** Each row adds one column of the matrix to the answers. Columns of a Kronecker product are
products of columns: its number of nonzero entries, its largest entry and its norms are the products
of theirs. By the triangle inequality, k rows move the answers at most k times as far as the longest
column, in every norm, and they do so where all rows are alike. When a unit is replaced, some rows
leave and as many enter, or fewer: each pair moves the answers by a column, or by the difference of
two columns a and b, whose l1 is at most the sum of theirs and whose l2 squared is |a|^2 + |b|^2 -
2ab. The least inner product ab over all pairs is that of a product of numbers from known intervals.
Nothing here depends on what a row is: it is whatever adds 1 to one cell of the table. The parts of
a unit are nonnegative whole numbers, one for each cell, that add up to at most F m: as many times 1
in one cell, each a row in this sense, and no more than F m of them. So all of it holds for parts,
with F m as the number of rows. []
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
    """Norms of the columns of a matrix: the largest number of nonzero entries, the largest entry,
    the largest sums of absolute values and of squares.

    ``inner_products`` bounds the inner products of two different columns; None if there is one
    column only.
    """

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
    """Sums of ``width`` neighbouring codes; the last sum may have fewer. Width 1 gives every code,
    width ``size`` the total.
    """

    size: int
    width: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", parse_whole(self.size, "size"))
        object.__setattr__(self, "width", min(parse_whole(self.width, "width"), self.size))

    @property
    def rows(self) -> int:
        """The number of bins."""
        return -(-self.size // self.width)

    @property
    def norms(self) -> ColumnNorms:
        """The norms of columns with one entry of 1; two codes share their bin, or not."""
        inner = None if self.size == 1 else (int(self.rows == 1), int(self.width > 1))
        return ColumnNorms(1, 1, 1, 1, inner)

    def apply(self, counts: Integers, axis: int) -> Integers:
        """Return the sums along ``axis``."""
        return (
            counts
            if self.width == 1
            else np.add.reduceat(counts, np.arange(0, self.size, self.width), axis=axis)
        )


@dataclass(frozen=True, slots=True)
class ResidualQueries:
    """Residuals of the codes from their mean: ``size`` times each count, less the total. The
    answers add up to 0.
    """

    size: int

    def __post_init__(self) -> None:
        if parse_whole(self.size, "size") < 2:
            raise InvalidArgument(
                "size", "must be at least 2, since a single code has no residual", self.size
            )

    @property
    def rows(self) -> int:
        """The number of queries, one for every code."""
        return self.size

    @property
    def norms(self) -> ColumnNorms:
        """The norms of columns with m - 1 once and -1 elsewhere; the inner product of two is -2(m -
        1) + (m - 2).
        """
        m = self.size
        return ColumnNorms(m, m - 1, 2 * (m - 1), m * (m - 1), (-m, -m))

    def apply(self, counts: Integers, axis: int) -> Integers:
        """Return the residuals along ``axis``."""
        rest: Integers = self.size * counts - counts.sum(axis=axis, keepdims=True)
        return rest


@dataclass(frozen=True, slots=True, eq=False)
class QueryMatrix:
    """An arbitrary matrix of whole numbers, one query a row. It should be small: all pairs of
    columns are compared.
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
            raise InvalidArgument("matrix", "must have numbers within 2^31, and one other than 0")
        matrix.setflags(write=False)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "norms", _compute_norms(matrix))

    @property
    def size(self) -> int:
        """The number of codes."""
        return int(self.matrix.shape[1])

    @property
    def rows(self) -> int:
        """The number of queries."""
        return int(self.matrix.shape[0])

    def apply(self, counts: Integers, axis: int) -> Integers:
        """Return the answers along ``axis``."""
        return np.moveaxis(np.tensordot(self.matrix, counts, axes=(1, axis)), 0, axis)


@dataclass(frozen=True, slots=True)
class PrefixSums:
    """Weighted prefix sums: entry (i, j) is kernel[i - j] times weights[j], and 0 above the
    diagonal.

    Later columns are shorter. With larger weights they are measured more precisely, and the longest
    column is no longer than before.
    """

    kernel: tuple[int, ...]
    weights: tuple[int, ...]
    norms: ColumnNorms = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.kernel or len(self.kernel) != len(self.weights):
            raise InvalidArgument(
                "weights",
                "must be as many as the kernel has entries, and not empty",
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
        """Build all sums of the first codes."""
        return cls((1,) * parse_whole(size, "size"), (1,) * size)

    def _compute_norms(self) -> ColumnNorms:
        """Compute the norms: column j has the first n - j entries of the kernel.

        No entry is negative, so no inner product is, and none is above the largest square.
        """
        weights = self.weights[::-1]  # weights[n - 1] is that of the column with n entries
        l0 = sum(map(bool, self.kernel))
        largest, sums = accumulate(self.kernel, max), accumulate(self.kernel)
        squares = accumulate(entry**2 for entry in self.kernel)
        linf = max(a * weight for a, weight in zip(largest, weights, strict=True))
        l1 = max(a * weight for a, weight in zip(sums, weights, strict=True))
        l2_squared = max(a * weight**2 for a, weight in zip(squares, weights, strict=True))
        return ColumnNorms(l0, linf, l1, l2_squared, None if self.size == 1 else (0, l2_squared))

    @property
    def size(self) -> int:
        """The number of codes."""
        return len(self.weights)

    @property
    def rows(self) -> int:
        """The number of sums, one for every code."""
        return self.size

    def apply(self, counts: Integers, axis: int) -> Integers:
        """Return the weighted sums along ``axis``; numpy convolves whole numbers exactly."""
        kernel = np.asarray(self.kernel, dtype=np.int64)
        weights = np.asarray(self.weights, dtype=np.int64)
        sums: Integers = np.apply_along_axis(
            lambda line: np.convolve(line * weights, kernel)[: self.size], axis, counts
        )
        return sums


@dataclass(frozen=True, slots=True)
class QueryBlock:
    """The product of ``factors``, each with the index of its attribute; the other attributes are
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
        """The number of answers along each attribute."""
        return tuple(factor.rows for _, factor in self.factors)

    @property
    def cells(self) -> int:
        """The number of answers."""
        return math.prod(self.shape)

    @property
    def norms(self) -> ColumnNorms:
        """The norms of the product. Two of its columns differ in some attributes and may agree in
        others.
        """
        each = [factor.norms for _, factor in self.factors]
        l0, linf, l1, l2_squared = (
            math.prod(getattr(norms, name) for norms in each)
            for name in ("l0", "linf", "l1", "l2_squared")
        )
        ends = (1, 1)
        for norms in each:
            # Columns that agree here have the inner product of a column with itself: between 0 (the
            # empty column) and the largest square.
            low, high = (0, 0) if norms.inner_products is None else norms.inner_products
            factors = (min(low, 0), low, max(high, norms.l2_squared))
            products = [a * b for a in ends for b in factors]
            ends = (min(products), max(products))
        return ColumnNorms(l0, linf, l1, l2_squared, ends)

    def sensitivity(self, rows: int, relation: str) -> Sensitivity:
        """Return how far one unit of at most ``rows`` rows moves the answers."""
        if relation not in RELATIONS:
            raise InvalidArgument("relation", 'must be "add-remove" or "change-one"', relation)
        count, norms = parse_whole(rows, "rows"), self.norms
        l0, linf, l1, l2_squared = norms.l0, norms.linf, norms.l1, norms.l2_squared
        if relation == "change-one":
            products = norms.inner_products
            least = 0 if products is None else max(products[0], -l2_squared)
            l2_squared = max(l2_squared, 2 * l2_squared - 2 * least)
            l0, l1 = 2 * l0, 2 * l1
            if any(_has_negative_entries(factor) for _, factor in self.factors):
                linf = min(2 * linf, math.isqrt(l2_squared))
        l0, linf, l1 = min(l0 * count, self.cells), linf * count, l1 * count
        l2_squared, before = l2_squared * count**2, None
        # Inequalities of all vectors hold for the bounds too: l1 <= l0 linf, l2^2 <= l1 linf, l1^2
        # <= l0 l2^2, linf^2 <= l2^2. Each may lower the next: repeat until none does.
        while before != (before := (linf, l1, l2_squared)):
            linf = min(linf, math.isqrt(l2_squared))
            l1 = min(l1, l0 * before[0], math.isqrt(l0 * l2_squared))
            l2_squared = min(l2_squared, l1 * linf)
        return Sensitivity(l0, Fraction(linf), Fraction(l1), Fraction(l2_squared))

    @property
    def gain(self) -> int:
        """A bound on every intermediate number of an answer, in totals of the table."""
        return math.prod(
            max(1, factor.norms.linf) * _get_gain(factor) for _, factor in self.factors
        )

    def evaluate(self, table: ContingencyTable) -> Integers:
        """Return the exact answers, clamped to 2^62 on both sides, which moves none farther than
        before.

        Where an intermediate number might not fit 64 bits, Python integers are used, however slow:
        a refusal would reveal how many rows there are.
        """
        if any(table.sizes[place] != factor.size for place, factor in self.factors):
            raise InvalidArgument(
                "factors", "must have as many columns as their attributes have codes", self.places
            )
        counts = table.marginal(self.places)
        wide = table.total * self.gain >= _MAX_SUM
        exact: Any = counts.astype(object) if wide else counts
        for axis, (_, factor) in enumerate(self.factors):
            exact = factor.apply(exact, axis)
        answers: Integers = np.clip(exact, -_MAX_SUM, _MAX_SUM).astype(np.int64) if wide else exact
        return answers


def _get_gain(factor: Factor) -> int:
    """Return the gain of a factor: a residual is a difference of two numbers, each up to size times
    the count.
    """
    return 2 if isinstance(factor, ResidualQueries) else 1


def _has_negative_entries(factor: Factor) -> bool:
    """Return whether entries may be negative: then two columns may differ by twice the largest
    entry.
    """
    return isinstance(factor, ResidualQueries) or (
        isinstance(factor, QueryMatrix) and bool((factor.matrix < 0).any())
    )


def _compute_norms(matrix: Any) -> ColumnNorms:
    sizes, columns = np.abs(matrix), matrix.shape[1]
    if len(matrix) * int(sizes.max()) ** 2 >= _MAX_SUM:
        matrix = matrix.astype(object)  # Python integers, beyond 64 bits
    products = matrix.T @ matrix
    pairs = products[~np.eye(columns, dtype=bool)]
    return ColumnNorms(
        int((sizes > 0).sum(axis=0).max()),
        int(sizes.max()),
        int(sizes.sum(axis=0).max()),
        int(max(products.diagonal())),
        (int(pairs.min()), int(pairs.max())) if columns > 1 else None,
    )
