"""Cumulative counts of an ordered attribute: a distribution function, or running totals by day.

Every range is the difference of two of them. The strategy is chosen by expected error, from public
numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument
from hedgerow.publish.domain import Domain
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.output.table import build_dense_table
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import (
    INTERVAL_BETA,
    Accuracy,
    BuiltTable,
    Progress,
    Specification,
    ignore_progress,
    measure_all,
)
from hedgerow.publish.strategies.hierarchical_tree import RangeTree, RangeWorkload
from hedgerow.publish.strategies.prefix_sums import list_prefix_strategies
from hedgerow.publish.strategies.strategy import (
    Floats,
    Strategy,
    StrategyErrors,
    choose_strategy,
    compute_errors,
)
from hedgerow.release.private_table import PrivateTable

__all__ = ["SHARE_COLUMN", "specify_cdf", "specify_running_totals"]

SHARE_COLUMN: Final = "share"
_MAX_TRIED_RANGES: Final = 2**15  # for the choice among trees, and for the reported error
_MAX_WEIGHED_CODES: Final = 512  # codes up to which every weight of a strategy is computed


def specify_cdf(terms: PrivacyParameters, domain: Domain, *, ranges: bool = False) -> Specification:
    """Specify the number of rows at or below each value, and their share of all rows. With
    ``ranges`` the strategy minimises the error of all ranges instead of that of the totals.
    """
    return _specify_cumulative("cdf", terms, domain, ranges=ranges)


def specify_running_totals(terms: PrivacyParameters, domain: Domain) -> Specification:
    """Specify the number of rows so far, code by code."""
    return _specify_cumulative("stream", terms, domain)


def _specify_cumulative(
    kind: str, terms: PrivacyParameters, domain: Domain, *, ranges: bool = False
) -> Specification:
    if len(domain.attributes) != 1 or not domain.attributes[0].is_ordered:
        raise InvalidArgument(
            "column",
            "must be one column of numbers or dates, whose values have an order",
            ", ".join(domain.names),
        )
    (size,) = domain.sizes
    candidates = list_prefix_strategies(size, terms)
    range_variance = None
    if ranges:
        strategy, range_variance = _choose_range_strategy(size, terms, choose_strategy(candidates))
        candidates = (strategy,)
    strategy = choose_strategy(candidates)
    # the n-th total sums n codes
    lost = np.minimum(
        terms.truncation_error(1) * np.arange(1, size + 1),
        terms.truncation_bounds[1] / terms.parts_per_row,
    )
    errors = compute_errors(strategy, terms, INTERVAL_BETA, lost)

    def build(private_table: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        totals = strategy.reconstruct(measure_all(private_table, strategy.measurements, tell))
        clean = make_nondecreasing(totals)
        table = build_dense_table(domain, totals, errors.radii, clean)
        if kind == "cdf":
            table = table.append_column(
                SHARE_COLUMN, [clean / clean[-1] if clean[-1] > 0 else np.full(size, np.nan)]
            )
        variances = errors.variances
        summary = {"mean": float(variances.mean()), "largest": float(variances.max())}
        return BuiltTable(table, {"variances": summary} | terms.facts)

    return Specification(
        kind,
        domain,
        strategy.name,
        terms.total_cost(strategy.measurements),
        _list_accuracies(strategy, candidates, errors, terms.parts_per_row, range_variance),
        build,
        _list_notes(candidates, strategy, range_variance),
        strategy.measurements,
        errors.relative_truncation,
    )


def _choose_range_strategy(
    size: int, terms: PrivacyParameters, totals: Strategy
) -> tuple[Strategy, float]:
    """Return the best strategy for all ranges and the mean of their variances. The candidates are
    the tree planned for ranges (a range is a difference of its least-squares totals) and the best
    strategy for the totals.
    """
    tree = RangeTree.plan(0, RangeWorkload.all_ranges(size).subsample(_MAX_TRIED_RANGES), terms)
    mean = float(tree.variances().mean())
    if size <= _MAX_WEIGHED_CODES:
        other = _compute_mean_range_variance(totals, size)
        if other < mean:
            return totals, other
    return replace(tree, ranges=RangeWorkload.all_prefixes(size)), mean


def _compute_mean_range_variance(strategy: Strategy, size: int) -> float:
    """Return the mean variance of the differences e_j - e_i of the errors e_0 = 0, e_1 … e_n of the
    totals. If one draw has the weight w_i in e_i, its part of the sum over i < j of (w_j - w_i)^2
    is (n + 1) sum w^2 - (sum w)^2.
    """
    total = 0.0
    shapes = [
        (block.shape, compute_noise_variance(mechanism))
        for block, mechanism in strategy.measurements
    ]
    for index, (shape, variance) in enumerate(shapes):
        for cell in range(math.prod(shape)):
            noisy = [np.zeros(block_shape) for block_shape, _ in shapes]
            noisy[index].flat[cell] = 1.0
            weights = strategy.reconstruct(noisy)
            total += variance * ((size + 1) * float(weights @ weights) - float(weights.sum()) ** 2)
    return total / (size * (size + 1) / 2)


def make_nondecreasing(totals: Floats) -> Floats:
    """Return running totals that never fall, with the same end; their steps become non-negative."""
    steps = np.diff(totals, prepend=0.0)
    return np.cumsum(project_nonnegative(steps))


def _list_accuracies(
    strategy: Strategy,
    candidates: tuple[Strategy, ...],
    errors: StrategyErrors,
    parts_per_row: int,
    range_variance: float | None,
) -> tuple[Accuracy, ...]:
    size = len(errors.variances)
    own = Accuracy("each running total", size, errors.rms, float(errors.radii.max()))
    if range_variance is not None:
        return (
            Accuracy(
                "each range", size * (size + 1) // 2, math.sqrt(range_variance) / parts_per_row
            ),
            own,
        )
    others = [
        Accuracy(
            f"the same by {candidate.name}",
            size,
            math.sqrt(float(candidate.variances().mean())) / parts_per_row,
        )
        for candidate in candidates
        if candidate is not strategy
    ]
    return (own, *others)


def _list_notes(
    candidates: tuple[Strategy, ...], strategy: Strategy, range_variance: float | None
) -> tuple[str, ...]:
    if range_variance is not None:
        return (
            "count is unbiased, and a range is the difference of two rows; count_clean is"
            " post-processed so that it never falls.",
        )
    return (
        f"Of {len(candidates)} strategies for running totals, this one ({strategy.name}) has the"
        " least expected error.",
        "count is unbiased; count_clean is post-processed so that it never falls.",
    )
