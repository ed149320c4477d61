"""Measured clipping of a table for its page: how many people have more rows than each cap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from hedgerow.answers.clipping_bounds import CAP_GRID, ClippingHistogram
from hedgerow.charts.number_text import count_items
from hedgerow.charts.plots import Bar, draw_column_chart
from hedgerow.charts.svg import draw_for_screens

__all__ = ["ClippingRow", "ClippingView", "build_clipping_view"]


@dataclass(frozen=True, slots=True)
class ClippingRow:
    """A cap with its bounds, each of which holds with probability 95 %."""

    cap: int
    is_declared: bool
    least_units: int  # that have more rows than the cap
    most_units: int
    least_rows: int  # beyond the cap


@dataclass(frozen=True, slots=True)
class ClippingView:
    """The measurement of a table; without one there is no ledger entry and nothing else."""

    table: str
    kept: str  # the declared caps in words
    entry: int | None = None
    chart: str = ""
    rows: tuple[ClippingRow, ...] = ()


def build_clipping_view(
    name: str, histogram: ClippingHistogram | None, table: Mapping[str, Any]
) -> ClippingView:
    """Build the parts of a table's measured clipping."""
    rows, groups = table["max_rows_per_group"], table["max_groups"]
    kept = f"{_count_cap(rows, 'row')} in {_count_cap(groups, 'group')}"
    if histogram is None:
        return ClippingView(name, kept)
    declared = {rows, groups, rows * groups if rows and groups else None}
    caps = sorted({cap for cap in declared if cap is not None} | set(CAP_GRID))
    found = [
        ClippingRow(
            cap,
            cap in declared,
            histogram.bound_units_below(cap),
            histogram.bound_units_above(cap),
            histogram.bound_rows_removed(cap),
        )
        for cap in caps
    ]
    # From the first cap on that nobody need exceed, all further ones say the same.
    last = next((place for place, row in enumerate(found) if not row.least_units), len(found))
    last = max([last, *(place for place, row in enumerate(found) if row.is_declared)])
    shown = tuple(found[: last + 1])
    return ClippingView(name, kept, histogram.entry, _draw(histogram, shown[-1].cap), shown)


def _count_cap(cap: int | None, noun: str) -> str:
    return f"any number of {noun}s" if cap is None else f"at most {count_items(cap, noun)}"


def _draw(histogram: ClippingHistogram, last: int) -> str:
    """Draw the buckets up to a cap, and one for all beyond it."""
    counts, bars, low = histogram.counts, [], 1
    for high, count in zip(CAP_GRID, counts, strict=False):
        if low > last:
            break
        bars.append(Bar(f"{low:,}" if low == high else f"{low:,} to {high:,}", float(count)))
        low = high + 1
    bars.append(Bar(f"over {low - 1:,}", float(sum(counts[len(bars) :]))))
    description = "Noisy number of people by their number of rows"
    return draw_for_screens(partial(draw_column_chart, bars, description))
