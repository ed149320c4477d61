"""How good synthetic rows are: told from noisy measurements, so that it can be published with them.

Two kinds of figures. Those of ``Pair`` come from what the rows were made of and cost nothing more; they know the noise, and not what groups
of codes hide. ``Check`` and ``Task`` hold the rows to fresh measurements, paid for by a part of the price, which the rows cannot have been
fitted to.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from hedgerow.linear import Block
from hedgerow.publish.designs import Floats
from hedgerow.publish.synthetic.groups import summing
from hedgerow.publish.synthetic.model import Model
from hedgerow.publish.synthetic.spending import Measured, Spending
from hedgerow.tabulated import Whole

__all__ = ["Check", "Pair", "Quality", "Task", "quality_of", "tabled"]

_CHECKED: Final = 8  # pairs that are measured afresh: of more, each would have too much noise
_NEAR: Final = 8  # attributes that may tell a target
_OFF: Final = math.sqrt(2 / math.pi)  # the mean size of a normal number


@dataclass(frozen=True, slots=True)
class Pair:
    """Two attributes: the part of all rows expected to be out of place in their table of groups, and how strongly they depend on each
    other (Cramér's V, 0 to 1) by the rows and by the noisy measurement, freed of what noise adds."""

    places: tuple[int, int]
    expected_error: float
    dependence: float
    measured_dependence: float


@dataclass(frozen=True, slots=True)
class Check:
    """The part of rows out of place on average, over tables of ``pairs``, good ones and bad ones by what was expected, measured afresh; it
    lies below ``at_most`` in about nineteen of twenty cases."""

    pairs: tuple[tuple[int, int], ...]
    error: float
    at_most: float


@dataclass(frozen=True, slots=True)
class Task:
    """Telling the group of ``target`` from those of ``by``, by a rule learnt from the synthetic rows: the part of rows told rightly, of
    the synthetic ones and of the exact ones by a fresh noisy table, and of these with the commonest group for all."""

    target: int
    by: tuple[int, ...]
    synthetic: float
    exact: float
    commonest: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class Quality:
    """The expected error of the counts of each attribute, of the pairs that were measured, and what fresh measurements said."""

    attributes: tuple[float, ...]
    pairs: tuple[Pair, ...]
    check: Check | None = None
    task: Task | None = None


def quality_of(
    codes: Whole, model: Model, ones: Sequence[Measured], tables: Sequence[Measured], spending: Spending, part: Fraction, target: int | None
) -> Quality:
    """What can be said of these rows; fresh measurements take a part of the price."""
    columns = [groups[codes[:, place]] for place, groups in enumerate(model.groups)]
    rows = max(len(codes), 1)
    attributes = tuple(min(1.0, _OFF * one.table.size * math.sqrt(one.variance) / (2 * rows)) for one in ones)
    pairs = tuple(_pair(columns, model, measured, rows) for measured in tables)
    check = task = None
    by = _telling(columns, model, target) if target is not None and part else ()
    if part and tables:
        check = _check(columns, model, [measured.places for measured in tables], spending, part / 2 if by else part)
    if by and target is not None:
        task = _task(columns, model, target, by, spending, part / 2 if check else part)
    return Quality(attributes, pairs, check, task)


def tabled(columns: Sequence[Whole], model: Model, places: Sequence[int]) -> Floats:
    """How often combinations of groups are in the rows."""
    shape = tuple(int(model.groups[place].max()) + 1 for place in places)
    index = np.ravel_multi_index(tuple(columns[place] for place in places), shape)
    return np.bincount(index, minlength=math.prod(shape)).reshape(shape).astype(np.float64)


def _pair(columns: Sequence[Whole], model: Model, measured: Measured, rows: int) -> Pair:
    a, b = measured.places
    # Errors are taken to be as if normal: then their mean size follows from their squares.
    error = _OFF * math.sqrt(model.pairs[a, b].squared_error * measured.table.size) / (2 * rows)
    found, noise = tabled(columns, model, (a, b)), measured.variance
    by_rows, by_noisy = _strength(found, 0.0, noise, model, a, b), _strength(measured.table, noise, noise, model, a, b)
    return Pair((a, b), min(1.0, error), by_rows, by_noisy)


def _strength(table: Floats, variance: float, noise: float, model: Model, a: int, b: int) -> float:
    """Cramér's V over the cells that have more rows than ``noise``. Of a noisy table the squares of its noise, on average, are taken
    off."""
    total, least = model.total, min(table.shape) - 1
    if total <= 0 or least < 1:
        return 0.0
    independent = np.outer(model.grouped(a), model.grouped(b)) / total
    seen = independent > max(1.0, 3 * math.sqrt(noise))  # elsewhere noise, divided by next to nothing, would be all there is
    squares = float(((((table - independent) ** 2 - variance) / np.maximum(independent, 1.0))[seen]).sum())
    return math.sqrt(min(max(squares, 0.0) / (total * least), 1.0))


def _fresh(model: Model, places: Sequence[tuple[int, ...]], spending: Spending, part: Fraction) -> list[Measured]:
    blocks = [Block(tuple((place, summing(model.groups[place])) for place in each)) for each in places]
    return spending.measure(blocks, part, "check")


def _check(columns: Sequence[Whole], model: Model, places: Sequence[tuple[int, ...]], spending: Spending, part: Fraction) -> Check:
    """|rows - fresh|^2 is on average |rows - exact|^2 plus the variance of the noise in every cell."""
    by_error = sorted(places, key=lambda pair: model.pairs[pair[0], pair[1]].squared_error)
    many = min(_CHECKED, len(places))
    picked = [by_error[(2 * at + 1) * len(places) // (2 * many)] for at in range(many)]
    rows, errors, spreads = max(len(columns[0]), 1), [], []
    for fresh in _fresh(model, picked, spending, part):
        cells, noise = fresh.table.size, fresh.variance
        squared = float(((tabled(columns, model, fresh.places) - fresh.table) ** 2).sum()) - cells * noise
        off = _OFF * math.sqrt(cells) / (2 * rows)
        errors.append(squared * off**2)
        spreads.append((2 * cells * noise**2 + 4 * max(squared, 0.0) * noise) * off**4)
    mean, spread = float(np.mean(errors)), math.sqrt(sum(spreads)) / len(errors)
    return Check(tuple((a, b) for a, b in picked), math.sqrt(max(mean, 0.0)), min(1.0, math.sqrt(max(mean, 0.0) + 1.645 * spread)))


def _telling(columns: Sequence[Whole], model: Model, target: int) -> tuple[int, ...]:
    """The two attributes that tell the target best in the synthetic rows, of those that depend on it; the one, where it is alone."""
    dependence = model.dependence()[target]
    near = [int(place) for place in np.argsort(-dependence, kind="stable")[:_NEAR] if dependence[place] > 0]
    several = list(itertools.combinations(sorted(near), min(2, len(near))))
    return max(several, key=lambda by: float(tabled(columns, model, (*by, target)).max(axis=-1).sum()))


def _task(columns: Sequence[Whole], model: Model, target: int, by: tuple[int, ...], spending: Spending, part: Fraction) -> Task:
    (fresh,) = _fresh(model, [(*by, target)], spending, part)
    learnt = tabled(columns, model, (*by, target))
    groups = learnt.shape[-1]
    learnt, noisy = learnt.reshape(-1, groups), fresh.table.reshape(-1, groups)
    rule = learnt.argmax(axis=1)
    total = max(model.total, 1.0)
    right = [float(np.clip(each[np.arange(len(rule)), rule].sum() / total, 0.0, 1.0)) for each in (learnt, noisy)]
    commonest = float(np.clip(noisy[:, learnt.sum(axis=0).argmax()].sum() / total, 0.0, 1.0))
    return Task(target, by, right[0], right[1], commonest, math.sqrt(len(rule) * fresh.variance) / total)
