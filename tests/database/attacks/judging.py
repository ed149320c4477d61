"""Two neighbours compared: what moved, against what was declared and charged."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from database.attacks.seam import EPSILON, Asked
from hedgerow.engines.data_source import Cells
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection

MOST_DELTA = Fraction(1, 10_000)  # the default of a budget of 0.1
Group = tuple[Any, ...]


def groups(cells: Cells) -> dict[Group, int]:
    """The place of each group."""
    keys = list(zip(*cells.keys, strict=True)) if cells.keys else [()] * len(cells)
    return {key: place for place, key in enumerate(keys)}


def columns(measures: Sequence[Measure | OrderStatistic]) -> Iterator[tuple[int, range]]:
    """Each measure with the columns of its numbers; a pick has one, of samples."""
    start = 0
    for index, measure in enumerate(measures):
        width = 1 if isinstance(measure, OrderStatistic) else measure.width
        yield index, range(start, start + width)
        start += width


@dataclass(frozen=True)
class Distance:
    """How far the numbers of one measure moved."""

    l0: int
    linf: int
    l1: int
    l2_squared: int

    @classmethod
    def of(cls, one: Cells, other: Cells, places: range) -> Distance:
        a, b = groups(one), groups(other)
        moves = [
            (int(one.numbers[i][a[key]]) if key in a else 0)
            - (int(other.numbers[i][b[key]]) if key in b else 0)
            for key in {**a, **b}
            for i in places
        ]
        sizes = [abs(move) for move in moves if move]
        return cls(
            len(sizes), max(sizes, default=0), sum(sizes), sum(size * size for size in sizes)
        )

    def within(self, declared: Sensitivity) -> bool:
        pairs = [
            (self.l0, declared.l0),
            (self.linf, declared.linf),
            (self.l1, declared.l1),
            (self.l2_squared, declared.l2_squared),
        ]
        return all(mine <= most for mine, most in pairs)


@dataclass(frozen=True)
class Shift:
    """How the samples of a pick changed: in how many groups, and how many values left and
    entered, in one group and in all.
    """

    groups: int
    left: int
    entered: int
    all_left: int
    all_entered: int

    @classmethod
    def of(cls, one: Cells, other: Cells, place: int) -> Shift:
        a, b = groups(one), groups(other)
        each = []
        for key in {**a, **b}:
            mine, theirs = (
                Counter(cells.numbers[place][at[key]].tolist() if key in at else ())
                for cells, at in ((one, a), (other, b))
            )
            each.append(((mine - theirs).total(), (theirs - mine).total()))
        left, entered = [left for left, _ in each], [entered for _, entered in each]
        touched = sum(pair != (0, 0) for pair in each)
        return cls(touched, max(left, default=0), max(entered, default=0), sum(left), sum(entered))

    def within(self, declared: Sensitivity, *, moves: bool, most: int) -> bool:
        """``most`` is what one unit has in all samples together. Who comes takes nothing away."""
        alone = moves or min(self.all_left, self.all_entered) == 0
        together = max(self.all_left, self.all_entered) <= most
        return (
            alone
            and together
            and self.groups <= declared.l0
            and max(self.left, self.entered) <= declared.linf
        )


def middle(cells: Cells, plan: Aggregate, centre: Sequence[Any] | None) -> Cells:
    """The numbers that get noise: counts may be measured from the middle, 2 x - b p for x out of
    0 … b, p the count of units.
    """
    numbers, places = list(cells.numbers), dict(columns(plan.measures))
    for index, most in () if centre is None else centre[1]:
        numbers[places[index][0]] = (
            2 * cells.numbers[places[index][0]] - most * cells.numbers[places[centre[0]][0]]
        )  # type: ignore[index]
    return Cells(cells.keys, tuple(numbers))


def moved(
    plan: Aggregate, unit: Unit, one: Cells, other: Cells, centre: Sequence[Any] | None = None
) -> Iterator[str]:
    """Whatever moved further than declared, and whatever shape told the two apart."""
    yield from _moved(plan, unit, one, other)
    if centre is not None:
        yield from _moved(plan, unit, middle(one, plan, centre), middle(other, plan, centre))


def _moved(plan: Aggregate, unit: Unit, one: Cells, other: Cells) -> Iterator[str]:
    declared, reach = plan.sensitivity(unit), plan.reach(unit)
    if [column.dtype for column in one.numbers] != [column.dtype for column in other.numbers]:
        yield "shape: the numbers are of other types"
    for index, places in columns(plan.measures):
        if isinstance(plan.measures[index], OrderStatistic):
            shift = Shift.of(one, other, places[0])
            if not shift.within(
                declared[index], moves=reach.is_change_one, most=reach.groups * reach.rows
            ):
                yield f"distance: a sample changed by {shift}, declared {declared[index]}"
            continue
        distance = Distance.of(one, other, places)
        if not distance.within(declared[index]):
            yield (
                f"distance: {plan.measures[index].kind} moved by {distance}, declared"
                f" {declared[index]}"
            )
    if plan.source.domain is not None:
        listed = list(itertools.product(*plan.source.domain))
        for cells in (one, other):
            if list(groups(cells)) != listed or len(cells) != len(listed):
                yield "shape: the groups are not those declared"
    else:
        yield from lone(plan, one, other)


def lone(plan: Aggregate, one: Cells, other: Cells) -> Iterator[str]:
    """Groups that only one of the two has: few, and nearly empty."""
    decisive, most = threshold_count(plan)
    for mine, theirs in ((one, other), (other, one)):
        there, place = groups(theirs), groups(mine)
        alone = [key for key in place if key not in there]
        if len(alone) > plan.bound.max_groups:
            yield f"lone groups: {len(alone)}, and a unit may be in {plan.bound.max_groups}"
        if any(int(mine.numbers[decisive][place[key]]) > most for key in alone):
            yield f"lone groups: one holds more than {most}"


def threshold_count(plan: Aggregate) -> tuple[int, int]:
    """The column of the count that decides which groups are shown, and the most that one unit
    puts into it.
    """
    kinds = [measure.kind for measure in plan.measures]
    index = kinds.index("units" if "units" in kinds else "rows")
    places = dict(columns(plan.measures))[index]
    return places[0], 1 if kinds[index] == "units" else plan.bound.max_rows


def tail(law: str, scale: float, least: int, cut: int | None = None) -> float:
    """Pr[Z >= least] of discrete noise, from its definition; of noise up to the cut, where it
    has one.
    """
    far = int(60 * scale) + 60 + abs(least) if cut is None else cut
    reach = np.arange(-far, far + 1, dtype=np.float64)
    weight = (
        np.exp(-np.abs(reach) / scale) if law == "laplace" else np.exp(-(reach**2) / (2 * scale**2))
    )
    return float(weight[reach >= least].sum() / weight.sum())


def covers(picking: CalibratedSelection, plan: Aggregate, unit: Unit) -> bool:
    """Whether a choice is priced for all that one unit does to the samples."""
    reach = plan.reach(unit)
    cells = reach.cells or reach.groups
    values = reach.rows * min(reach.groups, cells)  # that a unit has there
    if not reach.is_change_one:
        enough = picking.neighbours == "add-remove" and picking.rows >= reach.rows
    elif picking.neighbours == "change-one":  # one sample, in which values are exchanged
        enough = reach.cells == 1 and picking.rows >= reach.rows
    else:  # values go and come
        enough, values = picking.rows >= 2 * reach.rows, 2 * values
    touched = min((1 + reach.is_change_one) * reach.groups, reach.cells or 2 * reach.groups)
    return enough and picking.rows * picking.groups >= values and picking.touched >= touched


def priced(asked: Asked, unit: Unit) -> Iterator[str]:
    """Whatever costs more than was charged, or was looked at before."""
    assert asked.plan is not None
    if not asked.paid:
        yield "order: the data were read before the question was charged"
    laws, loss, declared = asked.released["laws"], asked.loss, asked.plan.sensitivity(unit)
    if len(laws) != len(declared):
        yield "price: a measure has no noise of its own"
        return
    picks = [CalibratedSelection.from_dict(held) for law, held in laws if law == "pick"]
    if not all(covers(picking, asked.plan, unit) for picking in picks):
        yield "price: a choice is priced for less than a unit moves"
    added = [
        (law, Fraction(held), move)
        for (law, held), move in zip(laws, declared, strict=True)
        if law != "pick"
    ]
    if all(law == "laplace" for law, _, _ in added) and all(
        picking.rho is None for picking in picks
    ):
        spent = sum((move.l1 / scale for _, scale, move in added), Fraction(0))
        spent += sum((picking.loss().epsilon or 0 for picking in picks), Fraction(0))
        if loss.epsilon is None or loss.epsilon < spent or spent > EPSILON:
            yield f"price: {loss.epsilon} charged, {EPSILON} asked for, {spent} spent"
    else:
        rho = sum((move.l2_squared / (2 * scale**2) for _, scale, move in added), Fraction(0))
        rho += sum((picking.loss().rho for picking in picks), Fraction(0))
        if loss.rho < rho or rho > EPSILON * Fraction(math.tanh(float(EPSILON) / 2)) * Fraction(
            1_000_001, 1_000_000
        ):
            yield f"price: rho {float(loss.rho)} charged, {float(rho)} spent"
    delta = sum((picking.loss().delta for picking in picks), Fraction(0))
    if max(loss.delta, delta) > MOST_DELTA or delta > loss.delta:
        yield f"price: delta {float(loss.delta)} charged, {float(delta)} spent on choices"
    if asked.plan.source.domain is None:
        yield from _threshold(asked, asked.plan, unit, float(delta))


def _threshold(asked: Asked, plan: Aggregate, unit: Unit, elsewhere: float) -> Iterator[str]:
    """``elsewhere`` is the delta that choices spend: none of it is spent twice."""
    index, least, _, edge, _, cut = asked.released["threshold"]
    law, scale = asked.released["laws"][index]
    decisive, most = threshold_count(plan)
    if decisive not in dict(columns(plan.measures))[index]:
        yield "threshold: another measure decides"
    here, below = (tail(law, float(Fraction(scale)), least - most - step, cut) for step in (0, 1))
    passed = elsewhere + plan.bound.max_groups * (here + float(Fraction(edge)) * (below - here))
    if cut is not None:  # and what a unit moves may end up where it could not have been
        passed = max(
            passed,
            elsewhere
            + plan.sensitivity(unit)[index].l0
            * tail(law, float(Fraction(scale)), cut + 1 - most, cut),
        )
    if passed > float(asked.loss.delta) * (1 + 1e-6):
        yield f"threshold: {passed} comes through, {float(asked.loss.delta)} charged"


def shared_noise(asked: Asked) -> Iterator[str]:
    """Noise that all cells have in common. At a scale of 10 a draw is what it is with a chance of
    at most 0.05, so that a dozen are equal with a chance below 1e-14."""
    assert asked.cells is not None
    assert asked.plan is not None
    if asked.released.get("threshold") or len(asked.cells) < 12:
        return
    start, cells = 0, middle(asked.cells, asked.plan, asked.released.get("centre"))
    for index, places in columns(asked.plan.measures):
        measure, first, start = (
            asked.plan.measures[index],
            start,
            start + asked.plan.measures[index].width,
        )
        if isinstance(measure, OrderStatistic):
            continue
        for noisy, exact in zip(
            asked.released["numbers"][first:start],
            [cells.numbers[place] for place in places],
            strict=True,
        ):
            yield from _alike(noisy, exact)


def _alike(noisy: Sequence[int], exact: Sequence[int]) -> Iterator[str]:
    if len({int(a) - int(b) for a, b in zip(noisy, exact, strict=True)}) == 1:
        yield "noise: all groups got the same"


def told_apart(one: Asked, other: Asked, unit: Unit) -> list[str]:
    """Everything wrong between two neighbours."""
    if (one.status, one.text) != (other.status, other.text):
        return [f"status: {one.status} and {other.status}"]
    if one.status != "answered":
        return [] if one.charge == other.charge else ["charge: refusals differ"]
    assert one.plan is not None
    assert one.cells is not None
    assert other.cells is not None
    found = []
    if one.plan != other.plan:
        found.append("plan: it depends on the data")
    if one.charge != other.charge:
        found.append("charge: it depends on the data")
    if any(
        one.released.get(part) != other.released.get(part)
        for part in ("laws", "threshold", "centre")
    ):
        found.append("noise: it depends on the data")
    for asked in (one, other):
        found += [*priced(asked, unit), *shared_noise(asked)]
    return found + list(moved(one.plan, unit, one.cells, other.cells, one.released.get("centre")))
