"""What is added up in each group, in whole numbers, and what one unit can put into it.

A unit with c rows in a group, where at most m count, has each of them counted m/c when c > m: it
puts in S m/c, S being the sum over all of its rows. That is what a sum *means*. It is taken in
whole parts of 1/F step, F being the ``fine`` of the measure: what a unit really puts in is trunc(F
S m/c) such parts, or F S where c <= m. So nothing depends on an order of its rows, it never puts in
more than m rows can, and a number loses less than 1/F step for each unit that has too many rows.

Sums are taken over values snapped to a grid: clamped to [low, high], divided by the step, rounded
half away from zero, and clamped *again* in steps. What the clamp lets through is what sensitivity
is computed from: neither the declared bounds of a column nor the arithmetic of ranges is trusted
for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import parse_positive, parse_whole
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = [
    "MEASURE_KINDS",
    "ClampedGrid",
    "Measure",
    "MeasureKind",
    "SecondPopulation",
    "UnitReach",
]

MeasureKind = Literal["units", "rows", "values", "distinct", "total", "moments"]
MEASURE_KINDS: Final = ("units", "rows", "values", "distinct", "total", "moments")
# of 2^36 rows, a sum then stays within the 127 bits of wide integers
_MAX_SCALED_VALUE: Final = 2**88


@dataclass(frozen=True, slots=True)
class ClampedGrid:
    """The grid and the clamp of a sum: values are ``low`` to ``high`` *steps* of the size
    ``step``.
    """

    step: Fraction
    low: int
    high: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", parse_positive(self.step, "step"))
        if self.low > self.high or max(abs(self.low), abs(self.high)) > 2**53:
            raise InvalidArgument(
                "snap", "must have low <= high, within 2^53 steps", (self.low, self.high)
            )
        # so that the ends are doubles, and so is what is divided
        if not Fraction(1, 2**900) <= self.step <= 2**900:
            raise InvalidArgument("step", "must lie between 2^-900 and 2^900", self.step)


@dataclass(frozen=True, slots=True)
class UnitReach:
    """How far one unit reaches: ``groups`` it may be in, ``rows`` that count in each, ``cells``
    there are (None: no telling), and whether a replaced unit leaves some groups and enters others
    (change-one)."""

    groups: int
    rows: int
    cells: int | None
    is_change_one: bool


@dataclass(frozen=True, slots=True)
class SecondPopulation:
    """How rows meet people of another population: by the column ``by``, which holds their ids.

    Of each unit the rows of at most ``max_groups`` bonds count, combinations of ``by`` and
    ``also``: those that come first by (rank of the unit and the bond, bond), before anybody is met.
    Of each of the others at most ``max_rows`` rows' worth counts in a group.
    """

    id_column: str
    other_columns: tuple[str, ...]
    max_references: int
    max_rows: int

    def __post_init__(self) -> None:
        for name in ("max_references", "max_rows"):
            object.__setattr__(self, name, parse_whole(getattr(self, name), name))


@dataclass(frozen=True, slots=True)
class Measure:
    """What is added up in every group:

    * ``units``, ``rows``, ``values`` that are not NULL: how many there are;
    * ``distinct``: how many different values, of which those of each unit that come first by (rank,
      value) count, ``max_rows`` of them;
    * ``total``: the sum; with ``limits``, what one unit puts into a group is its whole sum there,
      moved into them (in steps), and ``max_rows`` does not matter;
    * ``moments``: with y the steps of a value above ``low`` and w the width, the sums of C(d, k)
      y^k (w - y)^(d - k), k = d … 0, d the ``degree``. They add up to w^d for each value, which is
      why one unit moves all of them together no further than one of them. With a ``second`` column,
      of all products of its polynomials with those of the first, where neither value is NULL; the
      ones of the second run fastest. With a ``rest`` there is one number more, w^d for each row
      whose value is NULL: then all of them add up to w^d for every row, and tell how many rows
      there are.

    ``fine`` is how many parts the steps of a scaled sum are counted in. ``counts_rows`` marks
    moments off which COUNT(*) is read as well: they have a rest, or no value is NULL. Neither
    changes what is asked.
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
        if (self.column is None) != (self.kind in ("units", "rows")) or (self.grid is None) != (
            self.kind not in ("total", "moments")
        ):
            raise InvalidArgument(
                "measure", "must have a column for values, and a snap for sums of them", self.kind
            )
        if self.sum_bounds is not None and (
            self.kind != "total"
            or self.sum_bounds[0] > self.sum_bounds[1]
            or max(map(abs, self.sum_bounds)) > 2**62
        ):
            raise InvalidArgument(
                "limits",
                "must be of a total, the lower one first, within 2^62 steps",
                self.sum_bounds,
            )
        if (
            self.kind != "moments"
            and (self.degree, self.second, self.has_null_sum) != (1, None, False)
        ) or (self.has_null_sum and self.second):
            raise InvalidArgument(
                "degree",
                "must be 1, without a second column or a rest, but for moments, which have one",
                self.degree,
            )
        if self.degree not in (1, 2) or self.row_total >= 2**62:
            raise InvalidArgument(
                "degree",
                "must be 1 or 2, and the widths to that power below 2^62 together",
                self.degree,
            )
        if self.counts_rows and self.kind != "moments":
            raise InvalidArgument("counts_rows", "must be of moments", self.kind)
        object.__setattr__(self, "resolution", parse_whole(self.resolution, "resolution"))
        if self.resolution > 1 and (
            not self.is_scaled or self.resolution * self._max_row_value > _MAX_SCALED_VALUE
        ):
            raise InvalidArgument(
                "resolution",
                "must be 1 where rows are not scaled, and times the largest value at most 2^88",
                self.resolution,
            )

    @property
    def is_scaled(self) -> bool:
        """Return whether all rows of a unit with too many of them count in part."""
        return self.kind in ("values", "total", "moments") and self.sum_bounds is None

    @property
    def _max_row_value(self) -> int:
        """The most that one row puts into one of its numbers, in steps."""
        return max(self.row_total, *map(abs, self._row_bounds))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is of."""
        return tuple(
            name for name in (self.column, self.second and self.second[0]) if name is not None
        )

    @property
    def width(self) -> int:
        """How many whole numbers it has in each group."""
        return (
            1
            if self.kind != "moments"
            else (self.degree + 1) ** len(self.columns) + self.has_null_sum
        )

    @property
    def row_total(self) -> int:
        """What the numbers of moments add up to for each row: the product of the widths to their
        degree.
        """
        if self.kind != "moments" or self.grid is None:
            return 1
        together = (self.grid.high - self.grid.low) * (
            1 if self.second is None else self.second[1].high - self.second[1].low
        )
        return int(together**self.degree)

    def sensitivity(self, reach: UnitReach) -> Sensitivity:
        """How far one unit moves all of its numbers together.

        Let a unit put numbers between a <= 0 and b >= 0 into one cell (0 when it is not there), w =
        max(-a, b). Coming or going it moves up to g cells by w each. Replaced, its old rows leave
        up to g cells and its new ones enter up to g: j cells that are both move by b - a, the other
        2(g - j) by w. Every norm is linear in j, so its largest value is at an end: j as small as
        the number of cells allows, or j = g.
        """
        groups = reach.groups if reach.cells is None else min(reach.groups, reach.cells)
        if self.kind == "moments":
            return self._moments_sensitivity(groups, reach)
        return _compute_cell_sensitivity(*self.contribution(reach.rows), groups, reach)

    def second_population_sensitivity(self, reach: UnitReach) -> Sensitivity:
        """How far one of the others moves all of its numbers together, each of which is clamped
        to its ``ends`` by itself.
        """
        each = _compute_cell_sensitivity(*self.number_bounds(reach.rows), reach.groups, reach)
        return sum([each] * (self.width - 1), each)

    def number_bounds(self, rows: int) -> tuple[int, int]:
        """What so many rows of several units put into one of its numbers at least and at most, 0
        included.
        """
        low, high = (
            (0, self.row_total * self.resolution)
            if self.kind == "moments"
            else self.contribution(1)
        )
        return rows * low, rows * high

    def contribution(self, rows: int) -> tuple[int, int]:
        """The least and the most that a unit puts into one group, 0 included."""
        if self.kind == "units":
            return 0, 1
        if self.sum_bounds is not None:
            return min(self.sum_bounds[0], 0), max(self.sum_bounds[1], 0)
        low, high = self._row_bounds
        return self.resolution * rows * low, self.resolution * rows * high

    @property
    def _row_bounds(self) -> tuple[int, int]:
        """The least and the most that one row puts into a sum, in steps, 0 included."""
        return (0, 1) if self.grid is None else (min(self.grid.low, 0), max(self.grid.high, 0))

    def _moments_sensitivity(self, groups: int, reach: UnitReach) -> Sensitivity:
        """The numbers of a unit in a group are at least 0 and together at most fine * rows *
        ``most`` = t. Coming or going it moves them by t in l1 and, at worst when all is in one, by
        t in l2. Replaced: twice t in l1; and sqrt(2) t in l2, whether it turns (t, 0 …) into (0, t
        …) in one group or leaves one group and enters another.
        """
        if self.row_total == 0:
            raise Refused(
                "The mean of a value whose bounds are equal is that value: there is nothing to ask."
            )
        total = Fraction(self.resolution * reach.rows * self.row_total)
        times = 2 if reach.is_change_one else 1
        touched = times * groups if reach.cells is None else min(times * groups, reach.cells)
        return Sensitivity(
            self.width * touched, total, times * groups * total, times * groups * total**2
        )


def _compute_cell_sensitivity(low: int, high: int, groups: int, reach: UnitReach) -> Sensitivity:
    """Of numbers between these ends in so many cells, as ``Measure.sensitivity`` says."""
    far, wide = max(-low, high), high - low
    if far == 0:
        raise Refused(
            "Nobody can move this sum, since its values can only be 0: there is nothing to protect"
            " and nothing to ask."
        )
    if not reach.is_change_one:
        return Sensitivity.each(groups, far)
    both = 0 if reach.cells is None else max(0, 2 * groups - reach.cells)
    ends = [(j, groups - j) for j in (both, groups)]
    return Sensitivity(
        2 * groups - both,
        Fraction(wide),
        Fraction(max(j * wide + 2 * alone * far for j, alone in ends)),
        Fraction(max(j * wide**2 + 2 * alone * far**2 for j, alone in ends)),
    )
