"""Bounds of a column, found privately.

Every value has a magnitude: the least power of two, out of a public list, that is not smaller. Of
each unit its largest magnitude counts, and whether one of its values is below 0; where rows are
units, those of each row. Two choices by the exponential mechanism (``mechanisms.extremes``), with
three quarters and one quarter of the price:

* the magnitude that c units reach. So fewer than c have a larger value, which will be moved to the
  bound. c is public, a few over epsilon;
* whether values are below 0, or only those of a few units, c again.

The bounds are 0 and the magnitude, or the magnitude with both signs. 0 is always between them: a
sum is as sensitive as the farther bound is from 0, and a mean hardly more.

**Headroom.** The bound is the next magnitude up, twice the one chosen. With heavy tails what c
units lose costs far more than noise, and one step takes most of it away; with light ones noise
doubles, and no more.

**Room below.** A bound stands for good, so magnitudes beyond the data must be unlikely all
together. ``extremes`` takes c from the number of points in the range; many points are added below
the least magnitude, where no value is. With more than c units none of them is chosen, and the few
dozen magnitudes above the data share one chance in 30,000. With fewer units the choice falls there:
too few to find bounds, which is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.plan.measures import ClampedGrid
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Group,
    Project,
    RelationNode,
    Table,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Type
from hedgerow.policy.records import Noise as LawName
from hedgerow.privacy.loss import compute_pure_rho
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import ReleaseNoise

__all__ = [
    "BOUNDS_SHARES",
    "SEARCH_SHARE",
    "ColumnBounds",
    "build_bounds_plan",
    "build_magnitude_statistic",
    "calibrate_search_noise",
    "compute_search_epsilon",
    "decode_bounds",
    "encode_magnitude",
    "find_magnitude",
    "list_magnitudes",
]

ColumnBounds = tuple[Fraction, Fraction]

SEARCH_SHARE: Final = Fraction(1, 4)  # of the epsilon of the question that needs them first
# of that, for the magnitude and for the sign
BOUNDS_SHARES: Final = (Fraction(3, 4), Fraction(1, 4))
_MAGNITUDE_EXPONENTS: Final[dict[Type, range]] = {"integer": range(63), "real": range(-30, 63)}
_POINTS_BELOW: Final = 100_000
_EPSILON_STEPS: Final = 10**18  # epsilon is a whole number of steps this small


def list_magnitudes(type_: Type) -> tuple[Fraction, ...]:
    """The powers of two among which a bound is chosen, rising; before the first stands 0."""
    return tuple(Fraction(2) ** power for power in _MAGNITUDE_EXPONENTS[type_])


def compute_search_epsilon(epsilon: Fraction, columns: int) -> Fraction:
    """What the bounds of each of so many columns get of the epsilon of a question."""
    return Fraction(epsilon * SEARCH_SHARE / columns * _EPSILON_STEPS // 1, _EPSILON_STEPS)


def build_bounds_plan(schema: Schema, column: Column) -> Aggregate:
    """The two choices. Whatever the data hold, every value has a place: only comparisons are
    made.
    """
    sizes, value = list_magnitudes(column.type), ColumnRef(column.name)
    below = _build_case(
        Call("<", (value, _build_number(Fraction(0), column.type))),
        _build_integer(0),
        _build_integer(1),
    )
    nothing, null = Call("is null", (value,)), Constant(None, "integer")
    outputs = (
        ("v0", _build_case(nothing, null, encode_magnitude(value, column.type, sizes))),
        ("v1", _build_case(nothing, null, below)),
    )
    rows: RelationNode = Project(Table(schema), outputs)
    if schema.unit != "row":
        rows = UnitAggregation(
            rows,
            (),
            (("v0", UnitStatistic("greatest", "v0")), ("v1", UnitStatistic("least", "v1"))),
        )
    return Aggregate(
        Group(Bound(rows, (), 1, 1)),
        (
            build_magnitude_statistic("v0", sizes),
            OrderStatistic("least", "v1", ClampedGrid(Fraction(1), 0, 1)),
        ),
    )


def build_magnitude_statistic(column: str, sizes: Sequence[Fraction]) -> OrderStatistic:
    """The choice of one of these magnitudes, with room below them."""
    return OrderStatistic("greatest", column, ClampedGrid(Fraction(1), -_POINTS_BELOW, len(sizes)))


def find_magnitude(sizes: Sequence[Fraction], place: int, headroom: int = 1) -> Fraction | None:
    """The magnitude that a choice means, so many steps up; None where it fell below them all."""
    return None if place < 0 else sizes[min(max(place + headroom, 1), len(sizes)) - 1]


def encode_magnitude(value: Expression, type_: Type, sizes: Sequence[Fraction]) -> Expression:
    """Which of the magnitudes a value has, counted from 1; 0 is that of 0."""
    return _bisect_magnitudes(value, type_, sizes, 0, len(sizes))


def _bisect_magnitudes(
    value: Expression, type_: Type, sizes: Sequence[Fraction], first: int, last: int
) -> Expression:
    """By halves: a value is compared seven times, not a hundred."""
    if first == last:
        return _build_integer(first)
    middle = (first + last) // 2
    most = Fraction(0) if middle == 0 else sizes[middle - 1]
    within = Call(
        "and",
        (
            Call("<=", (value, _build_number(most, type_))),
            Call(">=", (value, _build_number(-most, type_))),
        ),
    )
    return _build_case(
        within,
        _bisect_magnitudes(value, type_, sizes, first, middle),
        _bisect_magnitudes(value, type_, sizes, middle + 1, last),
    )


def _build_case(condition: Expression, value: Expression, otherwise: Expression) -> Expression:
    return Call("case", (condition, value, otherwise))


def _build_integer(number: int) -> Constant:
    return Constant(number, "integer")


def _build_number(number: Fraction, type_: Type) -> Constant:
    return Constant(float(number) if type_ == "real" else int(number), type_)


def calibrate_search_noise(
    plan: Aggregate,
    unit: Unit,
    epsilon: Fraction,
    law: LawName,
    parts: Sequence[Fraction] = BOUNDS_SHARES,
) -> ReleaseNoise:
    """The choices within ``epsilon``, each with its part; where Gaussian noise is the law, within
    the rho of the dearest question of that epsilon."""
    reach, rho = plan.reach(unit), compute_pure_rho(epsilon) if law == "gaussian" else None
    picks = [pick for pick in plan.measures if isinstance(pick, OrderStatistic)]
    try:
        laws = tuple(
            CalibratedSelection.calibrate(
                pick,
                reach,
                members=unit.group,
                epsilon=epsilon * part,
                rho=None if rho is None else rho * part,
            )
            for pick, part in zip(picks, parts, strict=True)
        )
        for choice in laws:
            choice.loss()  # what cannot be drawn shows here
    except InvalidArgument as wrong:
        raise Unsupported(
            "This epsilon is too small to find bounds with: ask with a larger one."
        ) from wrong
    return ReleaseNoise(laws)


def decode_bounds(type_: Type, numbers: Sequence[Sequence[int]]) -> ColumnBounds | None:
    """The bounds that two choices mean; None where there were too few units to find any."""
    (place,), (sign,) = numbers
    high = find_magnitude(list_magnitudes(type_), place)
    return None if high is None else ((Fraction(0) if sign else -high), high)
