"""The synthetic table: measure privately, fit a model, generate rows that agree with the model.

| measured | share of the price | result |
|---|---|---|
| every attribute | a quarter | the counts of its codes, the number of rows |
| pairs of attributes | the rest | tables of two attributes in bins of codes |
| check | as requested | fresh measurements to compare the rows with |

If there are too few rows for that many tables, all attributes are measured once more, with as much,
and an eighth of the price selects the pairs that matter.

The rows follow from these noisy numbers and the public domain alone, and so do their number, the
bins and the report on quality.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.numeric.vectorised import Integers
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import Progress, ignore_progress
from hedgerow.publish.synthetic.binning import bin_codes, build_bin_sums, choose_bin_count
from hedgerow.publish.synthetic.budget_steps import BudgetSpender, BudgetStep, MeasuredTable
from hedgerow.publish.synthetic.model import SyntheticModel, estimate_total, fit_model
from hedgerow.publish.synthetic.pair_selection import (
    ANY_PAIR_NOISE,
    AttributePair,
    count_affordable,
    count_choices,
    select_pairs,
)
from hedgerow.publish.synthetic.quality import SyntheticQuality, assess_quality
from hedgerow.publish.synthetic.sampling import generate_rows
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import PrivateTable

__all__ = [
    "ATTRIBUTE_SHARE",
    "SyntheticTable",
    "check_code_counts",
    "parse_check_share",
    "synthesize",
]

ATTRIBUTE_SHARE: Final = Fraction(1, 4)  # of the price, for single attributes
_SELECTION_SHARE: Final = Fraction(1, 8)
_MAX_CODES: Final = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticTable:
    """Rows of ``codes``, a column for each attribute, as many as the noisy ``total``. All of it may
    be published.
    """

    codes: Integers
    total: float
    model: SyntheticModel
    steps: tuple[BudgetStep, ...]
    quality: SyntheticQuality


def synthesize(
    private_table: PrivateTable,
    terms: PrivacyParameters,
    *,
    ordered: Collection[int] = (),
    workload: Sequence[AttributePair] | None = None,
    check: Number = 0,
    target: int | None = None,
    tell: Progress = ignore_progress,
) -> SyntheticTable:
    """Build a synthetic table from a private table for the price of ``terms``.

    ``ordered`` are the positions of attributes whose codes rise with their values: neighbouring
    codes are merged there, if there are too many. ``workload`` are the pairs of attributes that
    should agree, by default all. ``check`` is the share of the price for fresh measurements of the
    rows' quality and, with a ``target``, of how well that attribute is predicted from two others.
    ``tell`` is called with the number of measurements done.
    """
    sizes = private_table.sizes
    check_code_counts(sizes)
    pairs = _normalise_workload(workload, sizes)
    part = parse_check_share(check) if pairs else Fraction(0)
    if target is not None and not 0 <= target < len(sizes):
        raise InvalidArgument("target", "must be the position of an attribute", target)
    if not all(0 <= place < len(sizes) for place in ordered):
        raise InvalidArgument("ordered", "must be positions of attributes", sorted(ordered))
    spending = BudgetSpender(private_table, terms, tell, len(sizes) + len(pairs))
    ones, groups, tables = _measure_tables(spending, pairs, 1 - part, frozenset(ordered))
    total = estimate_total(ones)
    model = fit_model(ones, groups, tables, total)
    codes = generate_rows(model, max(0, round(total)))
    quality = assess_quality(codes, model, ones, tables, spending, part, target)
    return SyntheticTable(codes, total, model, tuple(spending.steps), quality)


def _measure_tables(
    spending: BudgetSpender, pairs: Sequence[AttributePair], rest: Fraction, ordered: frozenset[int]
) -> tuple[list[MeasuredTable], list[Integers], list[MeasuredTable]]:
    """Return noisy counts of each attribute, the bins of its codes, and noisy tables of pairs."""
    singles = [
        QueryBlock(((place, BinSums(size)),))
        for place, size in enumerate(spending.private_table.sizes)
    ]
    part = rest * ATTRIBUTE_SHARE if pairs else rest
    ones = spending.measure(singles, part, "attribute")
    part = rest - part
    count = len(pairs)
    if pairs and count_affordable(spending, part, estimate_total(ones), ANY_PAIR_NOISE) < count:
        again = spending.measure(singles, rest * ATTRIBUTE_SHARE, "attribute")
        ones = [
            MeasuredTable(a.positions, (a.table + b.table) / 2, a.variance / 2)
            for a, b in zip(ones, again, strict=True)
        ]
        part -= rest * ATTRIBUTE_SHARE
        count = count_choices(spending, part - rest * _SELECTION_SHARE, estimate_total(ones), pairs)
        part -= rest * _SELECTION_SHARE if count < len(pairs) else 0
    total = estimate_total(ones)
    counts = [project_nonnegative(one.table, max(total, 0.0)) for one in ones]
    noise = spending.compute_deviation(part, count) if pairs else 1.0
    wanted = choose_bin_count(total, noise)
    groups = [
        bin_codes(each, wanted, ordered=place in ordered) for place, each in enumerate(counts)
    ]
    if count < len(pairs):
        pairs = select_pairs(spending, rest * _SELECTION_SHARE, pairs, count, counts, groups, noise)
    factors = {place: build_bin_sums(groups[place]) for pair in pairs for place in pair}
    blocks = [QueryBlock(((a, factors[a]), (b, factors[b]))) for a, b in pairs]
    return ones, groups, spending.measure(blocks, part, "pair")


def _normalise_workload(
    workload: Sequence[AttributePair] | None, sizes: Sequence[int]
) -> list[AttributePair]:
    """Return the pairs in ascending order, without attributes of a single code."""
    requested = (
        list(itertools.combinations(range(len(sizes)), 2))
        if workload is None
        else [tuple(pair) for pair in workload]
    )
    if not all(len(pair) == 2 and 0 <= min(pair) < max(pair) < len(sizes) for pair in requested):
        raise InvalidArgument(
            "workload", "must be pairs of positions of different attributes", requested
        )
    several = {(min(pair), max(pair)) for pair in requested}
    return sorted((a, b) for a, b in several if sizes[a] > 1 and sizes[b] > 1)


def check_code_counts(sizes: Sequence[int]) -> None:
    """Refuse attributes with too many codes."""
    if max(sizes) > _MAX_CODES:
        raise Refused(
            f"A column has {max(sizes):,} codes; synthetic rows can have at most {_MAX_CODES:,}."
            " Give it fewer bins."
        )


def parse_check_share(check: Number) -> Fraction:
    """Return the exact share of the price for the check."""
    part = parse_exact(check, "check")
    if not 0 <= part <= Fraction(1, 2):
        raise InvalidArgument("check", "must be a share of the price, from 0 to 1/2", check)
    return part
