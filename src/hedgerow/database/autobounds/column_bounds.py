"""The private search for the bounds of a column.

The magnitude of a value is the least power of two, from a public list, that is not smaller than its
absolute value. Each unit contributes its largest magnitude, and whether any of its values is
negative (each row, where rows are units). The exponential mechanism
(``mechanisms.selection.extremes``) selects, with three quarters and one quarter of the price,

* the magnitude that c units reach, so fewer than c units have a larger value, which is clamped. The
  number c is public, a few times 1/epsilon;
* whether values are negative, in more than about c units.

The bounds are 0 and the magnitude, or plus and minus the magnitude. They always include 0: the
sensitivity of a sum is the distance of the farther bound from 0, and that of a mean is hardly more.

**Headroom.** The bound is the next larger magnitude, twice the selected one. With heavy tails, the
values of c clamped units cost far more accuracy than noise does, and one step avoids most of that.
With light tails the noise doubles at most.

**Room below.** A bound is final, so all magnitudes beyond the data together must be unlikely.
``extremes`` chooses c by the number of candidates. Many candidates are added below the least
magnitude, where there are no values. With more than c units none of them is selected, and the few
dozen magnitudes above the data have a joint probability of one in 30,000. With fewer units one of
them is selected, which is reported as too few units.
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
from hedgerow.policy.records import Noise
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
    "round_epsilon_down",
]

ColumnBounds = tuple[Fraction, Fraction]

SEARCH_SHARE: Final = Fraction(1, 4)  # of the epsilon of the question that needs the bounds first
# Shares of the search's epsilon, for the magnitude and for the sign.
BOUNDS_SHARES: Final = (Fraction(3, 4), Fraction(1, 4))
_MAGNITUDE_EXPONENTS: Final[dict[Type, range]] = {"integer": range(63), "real": range(-30, 63)}
_POINTS_BELOW: Final = 100_000
_EPSILON_STEPS: Final = 10**18  # epsilon is a whole number of steps this small


def list_magnitudes(type_: Type) -> tuple[Fraction, ...]:
    """Return the candidate bounds: powers of two, rising. Index 0 of a selection means 0."""
    return tuple(Fraction(2) ** power for power in _MAGNITUDE_EXPONENTS[type_])


def compute_search_epsilon(epsilon: Fraction, columns: int) -> Fraction:
    """Return the epsilon of each search of a question that needs ``columns`` searches."""
    return round_epsilon_down(epsilon * SEARCH_SHARE / columns)


def round_epsilon_down(epsilon: Fraction) -> Fraction:
    """Return the largest epsilon of whole steps that is not above this one."""
    return Fraction(epsilon * _EPSILON_STEPS // 1, _EPSILON_STEPS)


def build_bounds_plan(schema: Schema, column: Column) -> Aggregate:
    """Build the plan of the two selections. It only compares values, so it cannot fail on any
    data."""
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
    """Build the selection of one of these magnitudes, with room below them."""
    return OrderStatistic("greatest", column, ClampedGrid(Fraction(1), -_POINTS_BELOW, len(sizes)))


def find_magnitude(sizes: Sequence[Fraction], place: int, headroom: int = 1) -> Fraction | None:
    """Return the selected magnitude, ``headroom`` steps up; None where the selection fell below all
    of them."""
    return None if place < 0 else sizes[min(max(place + headroom, 1), len(sizes)) - 1]


def encode_magnitude(value: Expression, type_: Type, sizes: Sequence[Fraction]) -> Expression:
    """Build the expression for the index of a value's magnitude, from 1; 0 for the value 0."""
    return _bisect_magnitudes(value, type_, sizes, 0, len(sizes))


def _bisect_magnitudes(
    value: Expression, type_: Type, sizes: Sequence[Fraction], first: int, last: int
) -> Expression:
    """Build the expression by bisection: seven comparisons instead of a hundred."""
    if first == last:
        return _build_integer(first)
    middle = (first + last) // 2
    limit = Fraction(0) if middle == 0 else sizes[middle - 1]
    within = Call(
        "and",
        (
            Call("<=", (value, _build_number(limit, type_))),
            Call(">=", (value, _build_number(-limit, type_))),
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
    noise: Noise,
    parts: Sequence[Fraction] = BOUNDS_SHARES,
) -> ReleaseNoise:
    """Calibrate the selections of a search to cost ``epsilon`` together, split by ``parts``; under
    Gaussian noise they also stay within the rho of that epsilon."""
    reach, rho = plan.reach(unit), compute_pure_rho(epsilon) if noise == "gaussian" else None
    statistics = [one for one in plan.measures if isinstance(one, OrderStatistic)]
    try:
        selections = tuple(
            CalibratedSelection.calibrate(
                statistic,
                reach,
                members=unit.group,
                epsilon=epsilon * part,
                rho=None if rho is None else rho * part,
            )
            for statistic, part in zip(statistics, parts, strict=True)
        )
        for selection in selections:
            selection.loss()  # raises where the selection cannot be drawn
    except InvalidArgument as wrong:
        raise Unsupported(
            "This epsilon is too small for a search for bounds. Ask with a larger epsilon, or"
            " declare the bounds in the policy."
        ) from wrong
    return ReleaseNoise(selections)


def decode_bounds(type_: Type, numbers: Sequence[Sequence[int]]) -> ColumnBounds | None:
    """Return the bounds that two selections give; None where there were too few units."""
    (place,), (sign,) = numbers
    high = find_magnitude(list_magnitudes(type_), place)
    return None if high is None else ((Fraction(0) if sign else -high), high)
