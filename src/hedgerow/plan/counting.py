"""What a unit puts into a group, and what becomes of it there: for ``reference``, a value at a time.

Sums are added up. Of different values and of samples, a unit puts in the values themselves, at most ``max_rows`` of them: those that
come first by (rank of the unit, the group and the value; value), where each copy of a value in a sample has a rank of its own. A group
then has the number of different ones, or all of them, sorted. Of combinations it puts in rows, packed, in the same way, and how often
each is there is counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any, Final

from hedgerow.plan.crossing import Cross
from hedgerow.plan.functions import half_away
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Folded, Measured
from hedgerow.plan.picks import Pick
from hedgerow.plan.values import Type, Value

__all__ = ["Group", "Number", "Rank", "Row", "entry", "folded", "merged", "put_in", "snapped"]

Row = Mapping[str, Value]
Group = tuple[Value, ...]
Rank = Callable[[Value, Group], int]
Number = int | tuple[int, ...] | dict[tuple[int, ...], int]  # a sum, a sample, or how often each combination of codes is there
_MOST: Final = 2**62  # steps that a unit's own sum has at most


def entry(
    measure: Measured, unit: Value, group: Group, together: Sequence[Row], max_rows: int, rank: Rank, *, exact: bool = False
) -> tuple[Any, ...]:
    """What a unit with these rows in a group puts in there: numbers to be added up, values, or the codes of its rows."""
    if isinstance(measure, Cross):
        return _crossed(measure, together, max_rows, exact=exact)
    if isinstance(measure, Measure) and measure.kind != "distinct":
        return put_in(measure, together, max_rows, exact=exact)
    values = _values(together, str(measure.column))
    if isinstance(measure, Measure):
        values = list(set(values))
        return tuple(sorted(values, key=lambda value: (rank(unit, (*group, value)), value))[:max_rows])
    if measure.values is not None:
        values = [value for value in values if value in measure.values]
    return tuple(value for value, _ in sorted(_number_copies(values), key=lambda pair: (rank(unit, (*group, *pair)), pair))[:max_rows])


def _number_copies(values: Iterable[Any]) -> list[tuple[Any, int]]:
    """Return each value with how many equal ones have come up to it: each copy has a rank of its own."""
    seen: Counter[Any] = Counter()
    pairs = []
    for value in values:
        seen[value] += 1
        pairs.append((value, seen[value]))
    return pairs


def _crossed(cross: Cross, together: Sequence[Row], max_rows: int, *, exact: bool) -> tuple[tuple[tuple[int, ...], Any], ...]:
    """Return what a unit puts into each combination: in whole parts, or with ``exact`` in rows and as fractions."""
    codes = _codes(cross, together)
    share = min(Fraction(max_rows, len(codes) or 1), Fraction(1))
    put = {row: share * many if exact else int(cross.fine * share * many) for row, many in Counter(codes).items()}
    return tuple((row, parts) for row, parts in put.items() if parts)


def _codes(cross: Cross, together: Iterable[Row]) -> list[tuple[int, ...]]:
    """Those of the rows that have one for every attribute."""
    every: list[tuple[Any, ...]] = [tuple(row[name] for name in cross.columns) for row in together]
    return [row for row in every if all(code is not None and 0 <= code < size for code, size in zip(row, cross.sizes, strict=True))]


def merged(measure: Measured, entries: Sequence[tuple[Any, ...]]) -> tuple[Number, ...]:
    """The numbers of a group, from what all units put in."""
    if isinstance(measure, Cross):
        found: dict[tuple[int, ...], Any] = {}
        for codes, parts in (one for put in entries for one in put):
            found[codes] = found.get(codes, 0) + parts
        return (found,)
    if isinstance(measure, Pick):
        return (tuple(sorted(_place(measure, value) for values in entries for value in values)),)
    if measure.kind == "distinct":
        return (len({value for values in entries for value in values}),)
    return tuple(sum(numbers) for numbers in zip((0,) * measure.width, *entries, strict=True))


def _place(pick: Pick, value: Any) -> int:
    """In steps, or for a mode the place in the list. Dates are their ordinals."""
    if pick.snap is None or pick.values is not None:
        return (pick.values or ()).index(value)
    return snapped(value.toordinal() if isinstance(value, date) else value, pick.snap)


def put_in(measure: Measure, together: Sequence[Row], max_rows: int, *, exact: bool = False) -> tuple[Any, ...]:
    """Return what a unit with these rows in a group puts into the sums of a measure there.

    In whole parts of 1/``fine`` step, as engines do; with ``exact``, in steps and as fractions: that is what the sums mean.
    """
    if measure.kind == "units":
        return (1,)
    if measure.limits is not None and measure.snap is not None:
        steps = [snapped(value, measure.snap) for value in _values(together, str(measure.column))]
        return (min(max(sum(steps), measure.limits[0]), measure.limits[1]) if steps else 0,)
    share = min(Fraction(max_rows, len(together) or 1), Fraction(1)) if measure.scaled else Fraction(1)
    sums = [Fraction(min(len(together), max_rows))] if measure.kind == "rows" else _sums(measure, together)
    return tuple(share * number if exact else int(measure.fine * share * number) for number in sums)  # int cuts towards zero


def _sums(measure: Measure, together: Sequence[Row]) -> list[int]:
    """Over all rows of a unit, before they are scaled down to what counts."""
    column = str(measure.column)
    snap, values = measure.snap, _values(together, column)
    if snap is None:
        return [len(values)]
    if measure.kind == "total":
        return [sum(snapped(value, snap) for value in values)]
    if measure.second is None:
        missing = [[0] * (measure.degree + 1) + [measure.most]] * (len(together) - len(values) if measure.rest else 0)
        each = [_polynomials(value, snap, measure.degree) + [0] * measure.rest for value in values] + missing
    else:
        other, its = measure.second
        pairs = [(row[column], row[other]) for row in together if row[column] is not None and row[other] is not None]
        each = [[a * b for a in _polynomials(x, snap, measure.degree) for b in _polynomials(y, its, measure.degree)] for x, y in pairs]
    return [sum(numbers) for numbers in zip([0] * measure.width, *each, strict=True)]


def _polynomials(value: Any, snap: Snap, degree: int) -> list[int]:
    """C(d, k) y^k (w - y)^(d - k), k = d … 0."""
    above, wide = snapped(value, snap) - snap.low, snap.high - snap.low
    return [math.comb(degree, k) * above**k * (wide - above) ** (degree - k) for k in range(degree, -1, -1)]


def _values(together: Iterable[Row], column: str) -> list[Any]:
    return [row[column] for row in together if row[column] is not None]


def snapped(value: Any, snap: Snap) -> int:
    """A value in steps: clamped, divided, rounded half away from zero, clamped again. Reals are divided as doubles."""
    if isinstance(value, int) and snap.step == 1:
        return min(max(value, snap.low), snap.high)
    clamped = min(max(float(value), float(snap.low * snap.step)), float(snap.high * snap.step))
    return min(max(half_away(clamped / float(snap.step)), snap.low), snap.high)


def folded(fold: Folded, type_: Type, together: Sequence[Row]) -> Value:
    """What becomes of the rows of a unit; ``type_`` is that of the column."""
    if fold.column is None:
        return len(together)
    values = _values(together, fold.column)
    if fold.kind in ("values", "distinct"):
        return len(values) if fold.kind == "values" else len(set(values))
    if not values:
        return None
    if fold.snap is None:
        found: Value = min(values) if fold.kind == "least" else max(values)
        return found
    step, whole = fold.snap.step, fold.kind == "total" and type_ == "integer"
    most = _MOST // step if whole else _MOST
    steps = min(max(sum(snapped(value, fold.snap) for value in values), -most), most)
    if whole:
        return int(steps * step)
    total = float(steps) * float(step.numerator) / float(step.denominator)
    return total if fold.kind == "total" else total / float(len(values))
