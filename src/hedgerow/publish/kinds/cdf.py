"""Cumulative counts of an ordered attribute: a distribution function, or running totals by day.

Every range is the difference of two of them. The strategy is chosen by expected error, from public
numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument
from hedgerow.publish.domain import Domain
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.output.table import build_dense_table
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import (
    Accuracy,
    BuiltTable,
    Progress,
    Specification,
    ignore_progress,
    measure_all,
)
from hedgerow.publish.strategies.hierarchical_tree import RangeTree, RangeWorkload
from hedgerow.publish.strategies.prefix_sums import list_prefix_strategies
from hedgerow.publish.strategies.strategy import Floats, Strategy, choose_strategy, compute_errors
from hedgerow.release.private_table import PrivateTable

__all__ = ["SHARE_COLUMN", "specify_cdf", "specify_running_totals"]

SHARE_COLUMN: Final = "share"
_BETA: Final = Fraction(1, 20)
_MAX_TRIED_RANGES: Final = 2**15  # that a choice among trees looks at, and whose error is told
_MAX_WEIGHED_CODES: Final = 512  # codes up to which every weight of a design is computed


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
            "must be one column of numbers or dates: others have no order",
            ", ".join(domain.names),
        )
    (size,) = domain.sizes
    ways = list_prefix_strategies(size, terms)
    between = None
    if ranges:
        design, between = _choose_range_strategy(size, terms, choose_strategy(ways))
        ways = (design,)
    design = choose_strategy(ways)
    # the n-th total adds up n codes
    lost = np.minimum(
        terms.truncation_error(1) * np.arange(1, size + 1),
        terms.truncation_bounds[1] / terms.parts_per_row,
    )
    variances, radii, lacking = compute_errors(design, terms, _BETA, lost)
    prices = [terms.measurement_cost(block, law) for block, law in design.measurements]

    def build(purse: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        found = design.reconstruct(measure_all(purse, design.measurements, tell))
        neat = make_nondecreasing(found)
        table = build_dense_table(domain, found, radii, neat)
        if kind == "cdf":
            table = table.append_column(
                SHARE_COLUMN, [neat / neat[-1] if neat[-1] > 0 else np.full(size, np.nan)]
            )
        return BuiltTable(
            table,
            {"variances": {"mean": float(variances.mean()), "largest": float(variances.max())}}
            | terms.facts,
        )

    return Specification(
        kind,
        domain,
        design.name,
        sum(prices[1:], prices[0]),
        _list_accuracies(design, ways, (variances, radii), terms.parts_per_row, between),
        build,
        _list_notes(ways, design, between),
        design.measurements,
        lacking,
    )


def _choose_range_strategy(
    size: int, terms: PrivacyParameters, totals: Strategy
) -> tuple[Strategy, float]:
    """Return the best strategy for all ranges and the mean of their variances. The candidates are
    the tree planned for ranges (a range is a difference of its least-squares totals) and the best
    strategy for the totals.
    """
    tree = RangeTree.plan(0, RangeWorkload.all_ranges(size).subsample(_MAX_TRIED_RANGES), terms)
    found: tuple[Strategy, float] = (
        replace(tree, ranges=RangeWorkload.all_prefixes(size)),
        float(tree.variances().mean()),
    )
    if size > _MAX_WEIGHED_CODES:
        return found
    return min(found, (totals, _compute_mean_range_variance(totals, size)), key=lambda one: one[1])


def _compute_mean_range_variance(design: Strategy, size: int) -> float:
    """Return the mean variance of the differences e_j - e_i of the errors e_0 = 0, e_1 … e_n of the
    totals. If one draw has the weight w_i in e_i, its part of the sum over i < j of (w_j - w_i)^2
    is (n + 1) sum w^2 - (sum w)^2.
    """
    total = 0.0
    shapes = [(block.shape, compute_noise_variance(law)) for block, law in design.measurements]
    for index, (shape, variance) in enumerate(shapes):
        for cell in range(math.prod(shape)):
            noisy = [np.zeros(other) for other, _ in shapes]
            noisy[index].flat[cell] = 1.0
            weights = design.reconstruct(noisy)
            total += variance * ((size + 1) * float(weights @ weights) - float(weights.sum()) ** 2)
    return total / (size * (size + 1) / 2)


def make_nondecreasing(found: Floats) -> Floats:
    """Return running totals that never fall, with the same end: their steps are made non-negative.
    """
    steps = np.diff(found, prepend=0.0)
    return np.cumsum(project_nonnegative(steps))


def _list_accuracies(
    design: Strategy,
    ways: tuple[Strategy, ...],
    found: tuple[Floats, Floats],
    fine: int,
    between: float | None,
) -> tuple[Accuracy, ...]:
    variances, radii = found
    size = len(variances)
    own = Accuracy(
        "each running total", size, math.sqrt(float(variances.mean())), float(radii.max())
    )
    if between is not None:
        return (Accuracy("each range", size * (size + 1) // 2, math.sqrt(between) / fine), own)
    others = [
        Accuracy(f"the same by {way.name}", size, math.sqrt(float(way.variances().mean())) / fine)
        for way in ways
        if way is not design
    ]
    return (own, *others)


def _list_notes(
    ways: tuple[Strategy, ...], design: Strategy, between: float | None
) -> tuple[str, ...]:
    if between is not None:
        return (
            (
                "count is right on average; a range is the difference of two lines; count_clean is"
                " made afterwards: it never falls."
            ),
        )
    return (
        (
            f"Of {len(ways)} ways to measure running totals this one ({design.name}) is expected to"
            " be off least."
        ),
        "count is right on average; count_clean is made of it afterwards: it never falls.",
    )
