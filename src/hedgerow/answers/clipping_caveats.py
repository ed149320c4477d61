"""Notes on what contribution bounds cut off, where it was measured; a warning where it is much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isqrt
from typing import Final

from hedgerow.answers.clipping_bounds import ClippingHistogram
from hedgerow.answers.unit_noun import UnitNoun
from hedgerow.plan.canonical_plans import canonicalise
from hedgerow.plan.contribution_limits import (
    can_exceed_group_bound,
    can_exceed_row_bound,
    compute_max_rows_per_unit,
)
from hedgerow.plan.nodes import (
    Filter,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
)
from hedgerow.sql.question import Question

__all__ = [
    "NOTHING_TO_CUT",
    "NOT_MEASURED",
    "WARNING",
    "describe_clipping",
    "describe_own_clipping",
    "find_caps",
    "list_capped_tables",
]

WARNING: Final = "Warning: "  # notes that begin so are shown above the table
NOT_MEASURED: Final = "Clipping not measured: intervals leave out what these caps remove."
NOTHING_TO_CUT: Final = "No cap can cut anything here, so nothing was spent on measuring it."
_HEAVY: Final = Fraction(1, 20)  # of the rows of a table


def list_capped_tables(question: Question) -> list[tuple[str, int]] | None:
    """List tables with caps such that a unit from which the caps of a question cut something has
    more rows than the cap in one of them; none where that is not known (rows of several people
    meet), None where no cap can bite."""
    rows, groups = _find_biting_caps(question)
    if not rows and not groups:
        return None
    plan = question.plan
    if plan.truncations is not None or plan.population_join is not None:
        return []
    # Who is in more groups than count has more rows than that, too.
    caps = ((plan.bound.max_rows, rows), (plan.bound.max_groups, groups))
    safe = min(cap for cap, bites in caps if bites)
    found: dict[str, int] = {}
    for table, cap in _list_leaf_caps(canonicalise(plan).bound.source, safe) or ():
        found[table] = min(cap, found.get(table, cap))
    return list(found.items())


def _list_leaf_caps(rows: RelationNode, cap: int) -> list[tuple[str, int]] | None:
    """List the tables below some rows, each with a cap, so that a unit with more than ``cap`` of
    these rows has more rows than its cap in one of the tables; None if they tell nothing.

    Of two factors whose product is above the cap, one is above its root; of n summands, one is
    above the n-th part of it.
    """
    if isinstance(rows, Table):
        return [(rows.schema.table, cap)]
    if isinstance(rows, Filter | Project | UnitAggregation):
        return _list_leaf_caps(rows.source, cap)
    if isinstance(rows, Union):
        each = [_list_leaf_caps(source, cap // len(rows.sources)) for source in rows.sources]
    elif rows.other.unit is None:
        if rows.max_matches is None:
            return None
        return _list_leaf_caps(rows.source, cap // max(rows.max_matches, 1))
    else:
        factors = [compute_max_rows_per_unit(side) for side in (rows.source, rows.other)]
        if factors[1] is not None:
            return _list_leaf_caps(rows.source, cap // max(factors[1], 1))
        if factors[0] is not None:
            return _list_leaf_caps(rows.other, cap // max(factors[0], 1))
        each = [_list_leaf_caps(side, isqrt(cap)) for side in (rows.source, rows.other)]
    return None if None in each else [pair for pairs in each for pair in pairs or ()]


def describe_clipping(
    question: Question, noun: UnitNoun, measured: Mapping[str, ClippingHistogram]
) -> Iterator[str]:
    """Describe what the caps of a question cut off, from the measurements of its tables."""
    capped = list_capped_tables(question)
    if capped is None:
        return
    if not capped or not all(table in measured for table, _ in capped):
        yield NOT_MEASURED
        return
    if _reads_one_table(question):
        warning = _warn_of_removed_rows(question, noun, measured[capped[0][0]])
        if warning is not None:
            yield warning
            return
    most = sum(measured[table].bound_units_above(cap, len(capped)) for table, cap in capped)
    entries = " and ".join(str(measured[table].entry) for table, _ in capped)
    many = " or ".join(
        f"more than {cap:,} row{'s' * (cap != 1)} in the whole table"
        + f" {table}" * (not _reads_one_table(question))
        for table, cap in capped
    )
    yield (
        f"Clipping is measured (ledger entr{'ies' if len(capped) > 1 else 'y'} {entries}): at most"
        f" {most:,} {noun.plural} have {many}, so that caps can remove some. Intervals leave this"
        " out."
    )


def _warn_of_removed_rows(
    question: Question, noun: UnitNoun, measured: ClippingHistogram
) -> str | None:
    """Return a warning if caps remove a large share of the rows of the only table."""
    bound, (rows, _) = question.plan.bound, _find_biting_caps(question)
    kept = bound.max_rows * (bound.max_groups if bound.keys else 1)
    removed = measured.bound_rows_removed(kept) if rows else 0
    if removed <= _HEAVY * (removed + measured.estimate_rows_kept(kept)):
        return None
    share = 100 * removed // (removed + measured.estimate_rows_kept(kept))
    return (
        f"{WARNING}the caps cut off much. At least {measured.bound_units_below(kept):,}"
        f" {noun.plural} have more than {kept:,} row{'s' * (kept != 1)} in the whole table, and"
        f" at least {removed:,} of their rows (about {share} % of all rows, or more) cannot"
        f" count. Intervals leave this out. Measured once: ledger entry {measured.entry}."
    )


def _reads_one_table(question: Question) -> bool:
    """Return whether the rows of a question are rows of one table as they are."""
    rows: RelationNode = canonicalise(question.plan).bound.source
    while isinstance(rows, Filter | Project):
        rows = rows.source
    return isinstance(rows, Table)


def describe_own_clipping(question: Question, noun: UnitNoun, own: ClippingHistogram) -> str:
    """Describe what the caps of a question cut off, measured for this question alone."""
    bound, (counts_rows, _) = question.plan.bound, find_caps(question)
    things = "rows" if counts_rows else "groups"
    removed, least, most = (
        own.bound_rows_removed(0),
        own.bound_units_below(0),
        own.bound_units_above(0),
    )
    each = (bound.max_rows if counts_rows else 1) * (bound.max_groups if bound.keys else 1)
    kept = each * max(0, own.unaffected + sum(own.counts))
    if removed > _HEAVY * (removed + kept):
        return (
            f"{WARNING}the caps cut off much. In this question at least {least:,} {noun.plural}"
            f" have more {things} than count, and at least {removed:,} of their {things} (about"
            f" {100 * removed // (removed + kept)} % or more) do not count. Intervals leave this"
            f" out. Measured with this question: ledger entry {own.entry}."
        )
    lost = f", and at least {removed:,} of their {things} do not count" if removed else ""
    return (
        f"Clipping is measured for this question (ledger entry {own.entry}): at most {most:,}"
        f" {noun.plural} have more {things} than count{lost}. Intervals leave this out."
    )


def find_caps(question: Question) -> tuple[bool, bool]:
    """Return whether the cap on rows limits an answer, and whether any cap can change it."""
    rows, groups = _find_biting_caps(question)
    return rows, rows or groups


def _find_biting_caps(question: Question) -> tuple[bool, bool]:
    """Return whether the cap on rows, and the one on groups, can change an answer."""
    plan = question.plan
    if plan.bound.source.unit == "row":  # joined rows of different units are cut before they meet
        return plan.truncations is not None, False
    counts_rows = any(
        measure.kind != "units" and getattr(measure, "sum_bounds", None) is None
        for measure in plan.measures
    )
    return counts_rows and can_exceed_row_bound(plan), can_exceed_group_bound(plan)
