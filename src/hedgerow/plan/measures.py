"""Measures: the sums of each group, in whole numbers, and the contribution of one unit to them.

A unit with c rows in a group, where at most m count, has each of them scaled by m/c if c > m: it
contributes S m/c, S being the sum over all of its rows. That is what a sum *means*. It is computed
in whole parts of 1/F step, F being the ``resolution`` of the measure: the unit really contributes
trunc(F S m/c) parts, or F S if c <= m. So nothing depends on the order of its rows, it never
contributes more than m rows can, and a number loses less than 1/F step for each unit that has too
many rows.

Sums are over values clamped to a grid: clamped to [low, high], divided by the step, rounded half
away from zero, and clamped *again* in steps. Sensitivity is computed from what the clamp lets
through: neither the declared bounds of a column nor the inferred ranges are trusted for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import parse_positive, parse_whole
from hedgerow.plan.values import Range, Type
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = [
    "MEASURE_KINDS",
    "ClampedGrid",
    "Measure",
    "MeasureKind",
    "SecondPopulation",
    "Truncation",
    "UnitReach",
    "UnitStatistic",
]

MeasureKind = Literal["units", "rows", "values", "distinct", "total", "moments"]
MEASURE_KINDS: Final = ("units", "rows", "values", "distinct", "total", "moments")
# of 2^36 rows, a sum then stays within the 127 bits of wide integers
_MAX_SCALED_VALUE: Final = 2**88


@dataclass(frozen=True, slots=True)
class ClampedGrid:
    """The grid and the clamp of a sum: values are ``low`` to ``high`` *steps* of size ``step``."""

    step: Fraction
    low: int
    high: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", parse_positive(self.step, "step"))
        if self.low > self.high or max(abs(self.low), abs(self.high)) > 2**53:
            raise InvalidArgument(
                "grid", "must have low <= high, within 2^53 steps", (self.low, self.high)
            )
        # Then the ends are doubles, and so are quotients by the step.
        if not Fraction(1, 2**900) <= self.step <= 2**900:
            raise InvalidArgument("step", "must lie between 2^-900 and 2^900", self.step)


@dataclass(frozen=True, slots=True)
class UnitReach:
    """The reach of one unit: the ``groups`` it may contribute to, the ``rows`` that count in each,
    the number of ``cells`` (None if unknown), and whether units are replaced (change-one) instead
    of added or removed.
    """

    groups: int
    rows: int
    cells: int | None
    is_change_one: bool


@dataclass(frozen=True, slots=True)
class SecondPopulation:
    """The reference from rows to units of a second population: ``id_column`` holds their ids.

    A reference is a combination of ``id_column`` and ``other_columns``. Of each unit the rows of at
    most ``max_references`` references count, those that come first by (rank of the unit and the
    reference, reference), before the join. Of each unit of the second population at most
    ``max_rows`` rows' worth count in a group.
    """

    id_column: str
    other_columns: tuple[str, ...]
    max_references: int
    max_rows: int

    def __post_init__(self) -> None:
        for name in ("max_references", "max_rows"):
            object.__setattr__(self, name, parse_whole(getattr(self, name), name))


@dataclass(frozen=True, slots=True)
class Truncation:
    """The caps of one side of a join across units: at most ``max_rows_per_unit`` rows of each unit,
    those that come first by (rank, row, copy), and then at most ``max_rows_per_key`` rows with one
    join key, those that come first by (rank, unit, row, copy).

    The rank is that of (unit, row, copy), where copy numbers a unit's equal rows.
    """

    max_rows_per_unit: int
    max_rows_per_key: int

    def __post_init__(self) -> None:
        for name in ("max_rows_per_unit", "max_rows_per_key"):
            object.__setattr__(self, name, parse_whole(getattr(self, name), name))


@dataclass(frozen=True, slots=True)
class UnitStatistic:
    """A statistic of the rows of one unit: the number of rows, of values or of distinct values,
    their total or mean on the ``grid``, or an extreme.

    Let s be the sum of the clamped and rounded values in steps, clamped to +-2^62, so that it does
    not depend on the order of the rows. A ``total`` of reals is s * a / b in doubles, left to
    right, for a step of a/b; a total of integers is s times the step, with s clamped to +-2^62 //
    step instead. The ``mean`` is s * a / b / (number of values), in doubles. Both are NULL if there
    is no value.
    """

    kind: Literal["rows", "values", "distinct", "total", "mean", "least", "greatest"]
    column: str | None = None
    grid: ClampedGrid | None = None

    def __post_init__(self) -> None:
        if (self.column is None) != (self.kind == "rows") or (self.grid is None) != (
            self.kind not in ("total", "mean")
        ):
            raise InvalidArgument(
                "statistic",
                "must have a column unless it counts rows, and a grid to sum",
                self.kind,
            )
        step = Fraction(1) if self.grid is None else self.grid.step
        if max(step.numerator, step.denominator) > 2**900:
            raise InvalidArgument(
                "grid", "must have a step whose numerator and denominator fit a double", self.grid
            )

    def check_type(self, type_: Type, name: str) -> None:
        """Refuse a column of a type that the output ``name`` cannot aggregate."""
        step = Fraction(1) if self.grid is None else self.grid.step
        if self.grid is not None and type_ not in ("integer", "real"):
            raise InvalidArgument("outputs", "must sum numbers only", name)
        if (
            self.kind == "total"
            and type_ == "integer"
            and not (step.denominator == 1 and step <= 2**62)
        ):
            raise InvalidArgument(
                "outputs", "must sum integers in whole steps of at most 2^62", name
            )
        if self.kind in ("least", "greatest") and type_ in ("text", "boolean"):
            raise InvalidArgument("outputs", "must compare numbers or dates only", name)

    def range(self, columns: Mapping[str, Range]) -> Range:
        """Return the range of the statistic. The number of rows of a unit is unknown, so a count
        has no upper bound, and a total none until it is clamped.
        """
        if self.column is None or self.kind in ("values", "distinct"):
            return Range("integer", Fraction(0), step=Fraction(1), nullable=False)
        known = columns[self.column]
        if self.kind in ("least", "greatest"):
            return known.with_changes(nullable=True)
        if self.kind == "total":
            assert self.grid is not None
            low = Fraction(0) if self.grid.low >= 0 else None
            high = Fraction(0) if self.grid.high <= 0 else None
            return Range(known.type, low, high, self.grid.step)
        return Range("real", known.low, known.high)


@dataclass(frozen=True, slots=True)
class Measure:
    """A sum over the rows of every group.

    * ``units``, ``rows``, ``values``: the number of units, of rows, or of values that are not NULL.
    * ``distinct``: the number of distinct values; of each unit only ``max_rows`` values count,
      those that come first by (rank, value). With a ``grid``, the sum of the different steps that
      these values are clamped and rounded to. A unit that leaves takes along those steps that no
      other unit has, at most ``max_rows``.
    * ``total``: the sum. With ``sum_bounds``, the contribution of a unit to a group is its whole
      sum there, clamped to them (in steps), and ``max_rows`` does not matter.
    * ``moments``: with y the steps of a value above ``low``, w the width and d the ``degree``, the
      sums of C(d, k) y^k (w - y)^(d - k), k = d … 0. They add up to w^d for each value, so one unit
      moves all of them together no further than one of them. With a ``second`` column, all products
      of its polynomials with those of the first, where neither value is NULL; those of the second
      run fastest. With ``has_null_sum`` there is one more number, w^d for each row whose value is
      NULL: then all of them add up to w^d for every row, and give the number of rows.

    ``resolution`` is the number of parts in which a step of a scaled sum is counted.
    ``counts_rows`` marks moments from which COUNT(*) is computed as well: they have a NULL sum, or
    no value is NULL. Neither changes the meaning of the question.
    """

    kind: MeasureKind
    column: str | None = None
    grid: ClampedGrid | None = None
    sum_bounds: tuple[int, int] | None = None
    degree: int = 1
    second: tuple[str, ClampedGrid] | None = None
    has_null_sum: bool = False
    resolution: int = 1
    counts_rows: bool = False

    def __post_init__(self) -> None:
        if self.kind not in MEASURE_KINDS:
            raise InvalidArgument("kind", f"must be one of {', '.join(MEASURE_KINDS)}", self.kind)
        if (self.column is None) != (self.kind in ("units", "rows")) or (
            self.kind != "distinct"
            and (self.grid is None) != (self.kind not in ("total", "moments"))
        ):
            raise InvalidArgument(
                "measure", "must have a column for values, and a grid for sums", self.kind
            )
        if self.sum_bounds is not None and (
            self.kind != "total"
            or self.sum_bounds[0] > self.sum_bounds[1]
            or max(map(abs, self.sum_bounds)) > 2**62
        ):
            raise InvalidArgument(
                "sum_bounds",
                "must belong to a total, lower bound first, within 2^62 steps",
                self.sum_bounds,
            )
        if (
            self.kind != "moments"
            and (self.degree, self.second, self.has_null_sum) != (1, None, False)
        ) or (self.has_null_sum and self.second):
            raise InvalidArgument(
                "degree",
                "must be 1, without a second column or a NULL sum, unless the measure is moments; a"
                " NULL sum goes with one column only",
                self.degree,
            )
        if self.degree not in (1, 2, 3, 4) or self.row_total >= 2**62:
            raise InvalidArgument(
                "degree",
                "must be 1 to 4, and the product of the widths to that power below 2^62",
                self.degree,
            )
        if self.counts_rows and self.kind != "moments":
            raise InvalidArgument("counts_rows", "must belong to moments", self.kind)
        object.__setattr__(self, "resolution", parse_whole(self.resolution, "resolution"))
        if self.resolution > 1 and (
            not self.is_scaled or self.resolution * self._max_row_value > _MAX_SCALED_VALUE
        ):
            raise InvalidArgument(
                "resolution",
                "must be 1 if rows are not scaled, and at most 2^88 divided by the largest value",
                self.resolution,
            )

    @property
    def is_scaled(self) -> bool:
        """True if all rows of a unit with too many rows are scaled down."""
        return self.kind in ("values", "total", "moments") and self.sum_bounds is None

    @property
    def _max_row_value(self) -> int:
        """The largest contribution of one row to one number, in steps."""
        return max(self.row_total, *map(abs, self._row_bounds))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return tuple(
            name for name in (self.column, self.second and self.second[0]) if name is not None
        )

    @property
    def width(self) -> int:
        """The number of whole numbers in each group."""
        if self.kind != "moments":
            return 1
        return math.prod(self.degree + 1 for _ in self.columns) + self.has_null_sum

    @property
    def row_total(self) -> int:
        """The sum of all moments of one row: the product of the widths, each to the degree."""
        if self.kind != "moments" or self.grid is None:
            return 1
        grids = [self.grid, *([] if self.second is None else [self.second[1]])]
        return math.prod((grid.high - grid.low) ** self.degree for grid in grids)

    def sensitivity(self, reach: UnitReach) -> Sensitivity:
        """Return how far one unit moves all numbers together.

        Let a unit contribute between a <= 0 and b >= 0 to one cell (0 if it is not there), w =
        max(-a, b). When it comes or goes it moves up to g cells by w each. When it is replaced, its
        old rows leave up to g cells and its new ones enter up to g: j cells that are both move by b
        - a, the other 2(g - j) by w. Every norm is linear in j, so its largest value is at an end:
        j as small as the number of cells allows, or j = g.
        """
        groups = reach.groups if reach.cells is None else min(reach.groups, reach.cells)
        if self.kind == "moments":
            return self._moments_sensitivity(groups, reach)
        return _compute_cell_sensitivity(*self.contribution(reach.rows), groups, reach)

    def second_population_sensitivity(self, reach: UnitReach) -> Sensitivity:
        """Return how far one unit of the second population moves all numbers together; each number
        is clamped to its ``number_bounds`` by itself.
        """
        each = _compute_cell_sensitivity(*self.number_bounds(reach.rows), reach.groups, reach)
        return sum([each] * (self.width - 1), each)

    def number_bounds(self, rows: int) -> tuple[int, int]:
        """Return the least and the largest contribution of ``rows`` rows of several units to one
        number, including 0.
        """
        if self.kind == "moments":
            return 0, rows * self.row_total * self.resolution
        low, high = self.contribution(1)
        return rows * low, rows * high

    def contribution(self, rows: int) -> tuple[int, int]:
        """Return the least and the largest contribution of one unit to a group, including 0."""
        if self.kind == "units":
            return 0, 1
        if self.sum_bounds is not None:
            return min(self.sum_bounds[0], 0), max(self.sum_bounds[1], 0)
        low, high = self._row_bounds
        return self.resolution * rows * low, self.resolution * rows * high

    @property
    def _row_bounds(self) -> tuple[int, int]:
        """The least and the largest contribution of one row to a sum, in steps, including 0."""
        return (0, 1) if self.grid is None else (min(self.grid.low, 0), max(self.grid.high, 0))

    def _moments_sensitivity(self, groups: int, reach: UnitReach) -> Sensitivity:
        """Return the sensitivity of moments.

        The numbers of a unit in a group are nonnegative and add up to at most t = resolution * rows
        * ``row_total``. When it comes or goes it moves them by t in l1 and, at worst when all is in
        one number, by t in l2. When it is replaced, by 2t in l1; and by sqrt(2) t in l2, whether it
        turns (t, 0 …) into (0, t …) in one group or leaves one group and enters another.
        """
        if self.row_total == 0:
            raise Refused(
                "The bounds of this value are equal, so its mean is that value. Leave it out of the"
                " question."
            )
        total = Fraction(self.resolution * reach.rows * self.row_total)
        times = 2 if reach.is_change_one else 1
        touched = times * groups if reach.cells is None else min(times * groups, reach.cells)
        return Sensitivity(
            self.width * touched, total, times * groups * total, times * groups * total**2
        )


def _compute_cell_sensitivity(low: int, high: int, groups: int, reach: UnitReach) -> Sensitivity:
    """Return the sensitivity of numbers between these bounds in ``groups`` cells (proof:
    ``Measure.sensitivity``).
    """
    largest, width = max(-low, high), high - low
    if largest == 0:
        raise Refused(
            "The values of this sum can only be 0, so no unit can change it. Leave it out of the"
            " question."
        )
    if not reach.is_change_one:
        return Sensitivity.each(groups, largest)
    both = 0 if reach.cells is None else max(0, 2 * groups - reach.cells)
    ends = [(j, groups - j) for j in (both, groups)]
    return Sensitivity(
        2 * groups - both,
        Fraction(width),
        Fraction(max(j * width + 2 * alone * largest for j, alone in ends)),
        Fraction(max(j * width**2 + 2 * alone * largest**2 for j, alone in ends)),
    )
