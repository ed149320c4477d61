"""Bounds of a column, found privately.

Every value has a magnitude: the least power of two, out of a public list, that is not smaller. Of each unit its largest magnitude counts,
and whether one of its values is below 0; where rows are units, those of each row. Two choices by the exponential mechanism
(``mechanisms.extremes``), with three quarters and one quarter of the price:

* the magnitude that c units reach. So fewer than c have a larger value, which will be moved to the bound. c is public, a few over epsilon;
* whether values are below 0, or only those of a few units, c again.

The bounds are 0 and the magnitude, or the magnitude with both signs. 0 is always between them: a sum is as sensitive as the farther bound
is from 0, and a mean hardly more.

**Headroom.** The bound is the next magnitude up, twice the one chosen. With heavy tails what c units lose costs far more than noise, and
one step takes most of it away; with light ones noise doubles, and no more.

**Room below.** A bound stands for good, so magnitudes beyond the data must be unlikely all together. ``extremes`` takes c from the number
of points in the range; many points are added below the least magnitude, where no value is. With more than c units none of them is chosen,
and the few dozen magnitudes above the data share one chance in 30,000. With fewer units the choice falls there: too few to find bounds,
which is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.picking import Picking
from hedgerow.plan.expressions import Call, Constant, Expression, Read
from hedgerow.plan.measures import Snap
from hedgerow.plan.nodes import Aggregate, Bound, Fold, Folded, Group, Project, Rows, Table
from hedgerow.plan.picks import Pick
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Type
from hedgerow.policy.rules import Noise as LawName
from hedgerow.privacy.loss import rho_of_pure
from hedgerow.privacy.unit import Unit
from hedgerow.release import Noise

__all__ = ["PARTS", "SHARE", "Ends", "bounds_plan", "ends_of", "magnitudes", "part_of", "place_of", "search_noise", "size_at", "sizes_pick"]

Ends = tuple[Fraction, Fraction]

SHARE: Final = Fraction(1, 4)  # of the epsilon of the question that needs them first
PARTS: Final = (Fraction(3, 4), Fraction(1, 4))  # of that, for the magnitude and for the sign
_POWERS: Final[dict[Type, range]] = {"integer": range(63), "real": range(-30, 63)}
_ROOM: Final = 100_000
_STEPS: Final = 10**18  # epsilon is a whole number of steps this small


def magnitudes(type_: Type) -> tuple[Fraction, ...]:
    """The powers of two among which a bound is chosen, rising; before the first stands 0."""
    return tuple(Fraction(2) ** power for power in _POWERS[type_])


def part_of(epsilon: Fraction, columns: int) -> Fraction:
    """What the bounds of each of so many columns get of the epsilon of a question."""
    return Fraction(epsilon * SHARE / columns * _STEPS // 1, _STEPS)


def bounds_plan(schema: Schema, column: Column) -> Aggregate:
    """The two choices. Whatever the data hold, every value has a place: only comparisons are made."""
    sizes, value = magnitudes(column.type), Read(column.name)
    below = _case(Call("<", (value, _number(Fraction(0), column.type))), _whole(0), _whole(1))
    nothing, null = Call("is null", (value,)), Constant(None, "integer")
    outputs = (("v0", _case(nothing, null, place_of(value, column.type, sizes))), ("v1", _case(nothing, null, below)))
    rows: Rows = Project(Table(schema), outputs)
    if schema.unit != "row":
        rows = Fold(rows, (), (("v0", Folded("greatest", "v0")), ("v1", Folded("least", "v1"))))
    return Aggregate(Group(Bound(rows, (), 1, 1)), (sizes_pick("v0", sizes), Pick("least", "v1", Snap(Fraction(1), 0, 1))))


def sizes_pick(column: str, sizes: Sequence[Fraction]) -> Pick:
    """The choice of one of these magnitudes, with room below them."""
    return Pick("greatest", column, Snap(Fraction(1), -_ROOM, len(sizes)))


def size_at(sizes: Sequence[Fraction], place: int, headroom: int = 1) -> Fraction | None:
    """The magnitude that a choice means, so many steps up; None where it fell below them all."""
    return None if place < 0 else sizes[min(max(place + headroom, 1), len(sizes)) - 1]


def place_of(value: Expression, type_: Type, sizes: Sequence[Fraction]) -> Expression:
    """Which of the magnitudes a value has, counted from 1; 0 is that of 0."""
    return _place(value, type_, sizes, 0, len(sizes))


def _place(value: Expression, type_: Type, sizes: Sequence[Fraction], first: int, last: int) -> Expression:
    """By halves: a value is compared seven times, not a hundred."""
    if first == last:
        return _whole(first)
    middle = (first + last) // 2
    most = Fraction(0) if middle == 0 else sizes[middle - 1]
    within = Call("and", (Call("<=", (value, _number(most, type_))), Call(">=", (value, _number(-most, type_)))))
    return _case(within, _place(value, type_, sizes, first, middle), _place(value, type_, sizes, middle + 1, last))


def _case(condition: Expression, value: Expression, otherwise: Expression) -> Expression:
    return Call("case", (condition, value, otherwise))


def _whole(number: int) -> Constant:
    return Constant(number, "integer")


def _number(number: Fraction, type_: Type) -> Constant:
    return Constant(float(number) if type_ == "real" else int(number), type_)


def search_noise(plan: Aggregate, unit: Unit, epsilon: Fraction, law: LawName, parts: Sequence[Fraction] = PARTS) -> Noise:
    """The choices within ``epsilon``, each with its part; where Gaussian noise is the law, within the rho of the dearest question of that
    epsilon."""
    reach, rho = plan.reach(unit), rho_of_pure(epsilon) if law == "gaussian" else None
    picks = [pick for pick in plan.measures if isinstance(pick, Pick)]
    try:
        laws = tuple(
            Picking.calibrate(pick, reach, members=unit.group, epsilon=epsilon * part, rho=None if rho is None else rho * part)
            for pick, part in zip(picks, parts, strict=True)
        )
        for choice in laws:
            choice.loss()  # what cannot be drawn shows here
    except InvalidArgument as wrong:
        raise Unsupported("This epsilon is too small to find bounds with: ask with a larger one.") from wrong
    return Noise(laws)


def ends_of(type_: Type, numbers: Sequence[Sequence[int]]) -> Ends | None:
    """The bounds that two choices mean; None where there were too few units to find any."""
    ((place,), (sign,)) = numbers
    high = size_at(magnitudes(type_), place)
    return None if high is None else ((Fraction(0) if sign else -high), high)
