"""The quality of synthetic rows, from noisy measurements, so that it can be published with them.

There are two kinds of figures. ``PairQuality`` follows from the measurements behind the rows and
costs nothing more; it includes the noise, but not what binning hides. ``FreshCheck`` and
``PredictionTask`` compare the rows with fresh measurements, paid for by a share of the price, to
which the rows cannot have been fitted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from hedgerow.numeric.vectorised import Floats, Integers
from hedgerow.publish.synthetic.binning import build_bin_sums
from hedgerow.publish.synthetic.budget_steps import BudgetSpender, MeasuredTable
from hedgerow.publish.synthetic.model import SyntheticModel
from hedgerow.release.linear_queries import QueryBlock

__all__ = [
    "FreshCheck",
    "PairQuality",
    "PredictionTask",
    "SyntheticQuality",
    "assess_quality",
    "tabulate_bins",
]

_MAX_CHECKED_PAIRS: Final = 8  # with more, each would have too much noise
_MAX_PREDICTORS: Final = 8  # candidates for predicting a target
_MEAN_ABSOLUTE_NORMAL: Final = math.sqrt(2 / math.pi)  # of a standard normal variable


@dataclass(frozen=True, slots=True)
class PairQuality:
    """Two attributes: the share of rows expected to be misplaced in their table of bins, and their
    dependence (Cramér's V, 0 to 1) in the rows and in the noisy measurement, corrected for noise.
    """

    places: tuple[int, int]
    expected_error: float
    dependence: float
    measured_dependence: float


@dataclass(frozen=True, slots=True)
class FreshCheck:
    """The mean share of misplaced rows over freshly measured tables of ``pairs``, good and bad ones
    by expectation; it is below ``at_most`` in about 19 of 20 cases.
    """

    pairs: tuple[tuple[int, int], ...]
    error: float
    at_most: float


@dataclass(frozen=True, slots=True)
class PredictionTask:
    """Predicting the bin of ``target`` from those of ``by`` with a rule learnt from the synthetic
    rows: the share predicted correctly in the synthetic rows, in the exact rows by a fresh noisy
    table, and in these by always taking the commonest bin.
    """

    target: int
    by: tuple[int, ...]
    synthetic: float
    exact: float
    commonest: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class SyntheticQuality:
    """The expected error of the counts of each attribute, of the measured pairs, and the results of
    fresh measurements.
    """

    attributes: tuple[float, ...]
    pairs: tuple[PairQuality, ...]
    check: FreshCheck | None = None
    task: PredictionTask | None = None


def assess_quality(
    codes: Integers,
    model: SyntheticModel,
    ones: Sequence[MeasuredTable],
    tables: Sequence[MeasuredTable],
    spending: BudgetSpender,
    part: Fraction,
    target: int | None,
) -> SyntheticQuality:
    """Assess these rows; fresh measurements take a share of the price."""
    columns = [groups[codes[:, place]] for place, groups in enumerate(model.bins)]
    rows = max(len(codes), 1)
    attributes = tuple(
        min(1.0, _MEAN_ABSOLUTE_NORMAL * one.table.size * math.sqrt(one.variance) / (2 * rows))
        for one in ones
    )
    pairs = tuple(_assess_pair(columns, model, measured, rows) for measured in tables)
    check = task = None
    by = _choose_predictors(columns, model, target) if target is not None and part else ()
    if part and tables:
        check = _check_pairs(
            columns,
            model,
            [measured.positions for measured in tables],
            spending,
            part / 2 if by else part,
        )
    if by and target is not None:
        task = _check_prediction(columns, model, target, by, spending, part / 2 if check else part)
    return SyntheticQuality(attributes, pairs, check, task)


def tabulate_bins(
    columns: Sequence[Integers], model: SyntheticModel, places: Sequence[int]
) -> Floats:
    """Return how often each combination of bins occurs in the rows."""
    shape = tuple(int(model.bins[place].max()) + 1 for place in places)
    index = np.ravel_multi_index(tuple(columns[place] for place in places), shape)
    return np.bincount(index, minlength=math.prod(shape)).reshape(shape).astype(np.float64)


def _assess_pair(
    columns: Sequence[Integers], model: SyntheticModel, measured: MeasuredTable, rows: int
) -> PairQuality:
    a, b = measured.positions
    # Errors are treated as normal: their mean absolute value then follows from their squares.
    error = (
        _MEAN_ABSOLUTE_NORMAL
        * math.sqrt(model.pairs[a, b].squared_error * measured.table.size)
        / (2 * rows)
    )
    table, noise = tabulate_bins(columns, model, (a, b)), measured.variance
    in_rows = _compute_cramers_v(table, 0.0, noise, model, a, b)
    in_noisy = _compute_cramers_v(measured.table, noise, noise, model, a, b)
    return PairQuality((a, b), min(1.0, error), in_rows, in_noisy)


def _compute_cramers_v(
    table: Floats, variance: float, noise: float, model: SyntheticModel, a: int, b: int
) -> float:
    """Return Cramér's V over the cells with more rows than ``noise``. For a noisy table the
    expected squares of its noise are subtracted.
    """
    total, least = model.total, min(table.shape) - 1
    if total <= 0 or least < 1:
        return 0.0
    independent = np.outer(model.count_bins(a), model.count_bins(b)) / total
    # in other cells the noise, divided by almost 0, would dominate
    seen = independent > max(1.0, 3 * math.sqrt(noise))
    squares = float(
        ((((table - independent) ** 2 - variance) / np.maximum(independent, 1.0))[seen]).sum()
    )
    return math.sqrt(min(max(squares, 0.0) / (total * least), 1.0))


def _measure_fresh(
    model: SyntheticModel,
    places: Sequence[tuple[int, ...]],
    spending: BudgetSpender,
    part: Fraction,
) -> list[MeasuredTable]:
    blocks = [
        QueryBlock(tuple((place, build_bin_sums(model.bins[place])) for place in each))
        for each in places
    ]
    return spending.measure(blocks, part, "check")


def _check_pairs(
    columns: Sequence[Integers],
    model: SyntheticModel,
    places: Sequence[tuple[int, ...]],
    spending: BudgetSpender,
    part: Fraction,
) -> FreshCheck:
    """Measure pairs afresh: |rows - fresh|^2 is on average |rows - exact|^2 plus the variance of
    the noise in every cell.
    """
    by_error = sorted(places, key=lambda pair: model.pairs[pair[0], pair[1]].squared_error)
    count = min(_MAX_CHECKED_PAIRS, len(places))
    checked = [by_error[(2 * at + 1) * len(places) // (2 * count)] for at in range(count)]
    rows, errors, spreads = max(len(columns[0]), 1), [], []
    for fresh in _measure_fresh(model, checked, spending, part):
        cells, noise = fresh.table.size, fresh.variance
        squared = (
            float(((tabulate_bins(columns, model, fresh.positions) - fresh.table) ** 2).sum())
            - cells * noise
        )
        off = _MEAN_ABSOLUTE_NORMAL * math.sqrt(cells) / (2 * rows)
        errors.append(squared * off**2)
        spreads.append((2 * cells * noise**2 + 4 * max(squared, 0.0) * noise) * off**4)
    mean, spread = float(np.mean(errors)), math.sqrt(sum(spreads)) / len(errors)
    return FreshCheck(
        tuple((a, b) for a, b in checked),
        math.sqrt(max(mean, 0.0)),
        min(1.0, math.sqrt(max(mean, 0.0) + 1.645 * spread)),
    )


def _choose_predictors(
    columns: Sequence[Integers], model: SyntheticModel, target: int
) -> tuple[int, ...]:
    """Return the two attributes that best predict the target in the synthetic rows among those that
    depend on it, or the only one.
    """
    dependence = model.dependence()[target]
    near = [
        int(place)
        for place in np.argsort(-dependence, kind="stable")[:_MAX_PREDICTORS]
        if dependence[place] > 0
    ]
    several = list(itertools.combinations(sorted(near), min(2, len(near))))
    return max(
        several,
        key=lambda by: float(tabulate_bins(columns, model, (*by, target)).max(axis=-1).sum()),
    )


def _check_prediction(
    columns: Sequence[Integers],
    model: SyntheticModel,
    target: int,
    by: tuple[int, ...],
    spending: BudgetSpender,
    part: Fraction,
) -> PredictionTask:
    (fresh,) = _measure_fresh(model, [(*by, target)], spending, part)
    learnt = tabulate_bins(columns, model, (*by, target))
    groups = learnt.shape[-1]
    learnt, noisy = learnt.reshape(-1, groups), fresh.table.reshape(-1, groups)
    rule = learnt.argmax(axis=1)
    total = max(model.total, 1.0)
    right = [
        float(np.clip(each[np.arange(len(rule)), rule].sum() / total, 0.0, 1.0))
        for each in (learnt, noisy)
    ]
    commonest = float(np.clip(noisy[:, learnt.sum(axis=0).argmax()].sum() / total, 0.0, 1.0))
    return PredictionTask(
        target, by, right[0], right[1], commonest, math.sqrt(len(rule) * fresh.variance) / total
    )
