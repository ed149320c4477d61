"""Notes on what contribution bounds cut off, where it was measured; a warning where it is much."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from hedgerow.answers.clipping_bounds import ClippingHistogram
from hedgerow.answers.unit_noun import UnitNoun
from hedgerow.plan.canonical_plans import canonicalise
from hedgerow.plan.contribution_limits import can_exceed_group_bound, can_exceed_row_bound
from hedgerow.plan.nodes import Filter, Project, RelationNode, Table
from hedgerow.sql.question import Question

__all__ = ["NOT_MEASURED", "WARNING", "describe_clipping", "find_capped_table"]

WARNING: Final = "Warning: "  # notes that begin so are shown above the table
NOT_MEASURED: Final = "Clipping not measured: intervals leave out what these caps remove."
_HEAVY: Final = Fraction(1, 20)  # of the rows of a table


def find_capped_table(question: Question) -> str | None:
    """Return the table whose measured clipping describes a question: "" for a question whose caps
    may bite elsewhere (joins, per-unit subqueries), None where no cap can bite."""
    if not any(_find_biting_caps(question)):
        return None
    rows: RelationNode = canonicalise(question.plan).bound.source
    while isinstance(rows, Filter | Project):
        rows = rows.source
    return rows.schema.table if isinstance(rows, Table) else ""


def describe_clipping(
    question: Question, noun: UnitNoun, measured: ClippingHistogram | None
) -> Iterator[str]:
    """Describe what the caps of a question cut off, for one whose caps can bite."""
    if measured is None:
        yield NOT_MEASURED
        return
    bound, (rows, groups) = question.plan.bound, _find_biting_caps(question)
    safe = min(cap for cap, bites in ((bound.max_rows, rows), (bound.max_groups, groups)) if bites)
    kept = bound.max_rows * (bound.max_groups if bound.keys else 1)
    removed = measured.bound_rows_removed(kept) if rows else 0
    if removed > _HEAVY * (removed + measured.estimate_rows_kept(kept)):
        share = 100 * removed // (removed + measured.estimate_rows_kept(kept))
        yield (
            f"{WARNING}the caps cut off much. At least {measured.bound_units_below(kept):,}"
            f" {noun.plural} have more than {kept:,} row{'s' * (kept != 1)} in the whole table, and"
            f" at least {removed:,} of their rows (about {share} % of all rows, or more) cannot"
            f" count. Intervals leave this out. Measured once: ledger entry {measured.entry}."
        )
        return
    yield (
        f"Clipping is measured (ledger entry {measured.entry}): at most"
        f" {measured.bound_units_above(safe):,} {noun.plural} have more than {safe:,}"
        f" row{'s' * (safe != 1)} in the whole table, so that caps can remove some. Intervals leave"
        " this out."
    )


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
