"""The figures of a publication's report: bars for histograms, a line with its band for running
totals, heat maps for pairs of columns.

A figure has about sixty bars. Further bins are merged with their neighbours; of further names only
the largest are drawn. The figure says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.accuracy.noise_sum import find_sum_radius
from hedgerow.charts.html_page import Figure
from hedgerow.charts.plots import (
    Bar,
    draw_bar_chart,
    draw_column_chart,
    draw_heatmap,
    draw_line_chart,
)
from hedgerow.charts.svg import format_number
from hedgerow.numeric.vectorised import Floats
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.histogram_statistics import (
    Histogram,
    read_noise_mechanism,
    read_parts_per_row,
    read_truncation_error,
)
from hedgerow.publish.output.table import CLEAN_COLUMN, COUNT_COLUMN, HIGH_COLUMN, LOW_COLUMN
from hedgerow.publish.specification import INTERVAL_BETA

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["build_figures"]

_MAX_BARS: Final = 60
_MAX_LINE_POINTS: Final = 400
_MAX_HEATMAP_SIDE: Final = 40
_MAX_FIGURES: Final = 6
_MAX_FULL_LABELS: Final = 24  # bins whose two ends fit under an axis
_MAX_LISTED_ROWS: Final = 200
_STATISTIC_FIELDS: Final = ("value", "low", "high", "noise_low", "noise_high")
_QUANTILES: Final = (
    ("first quartile", Fraction(1, 4)),
    ("median", Fraction(1, 2)),
    ("third quartile", Fraction(3, 4)),
)
_WHISKERS: Final = "The whiskers are 95 % intervals of the exact count."
_WHOLE_NOTE: Final = (
    " Counts are shown as whole rows, 0 or more; the column count in data.parquet has them as they"
    " were measured."
)


def build_figures(
    kind: str, domain: Domain, table: pa.Table, facts: Mapping[str, Any]
) -> list[Figure]:
    """Build the figures of a publication."""
    if not table.num_rows:
        return []
    match kind:
        case "histogram":
            return _draw_histogram(domain, table, facts)
        case "cdf" | "stream":
            return [_draw_running_totals(domain.attributes[0], table, kind)]
        case "marginals":
            return _draw_marginals(domain, table)
        case "queries":
            bars = _build_bars([str(name) for name in table.column("question").to_pylist()], table)
            return [_draw_ranking("Rows for which each condition holds", bars, "condition")]
        case "synthetic":
            return [
                _draw_synthetic_rows(attribute, table)
                for attribute in domain.attributes[:_MAX_FIGURES]
            ]
        case _:
            bars = _find_largest(domain, table)
            return [_draw_ranking("The largest counts", bars, "combination")]


def _build_bars(labels: Sequence[str], table: pa.Table) -> list[Bar]:
    columns = (
        table.column(name).to_numpy().astype(np.float64).tolist()
        for name in (COUNT_COLUMN, LOW_COLUMN, HIGH_COLUMN)
    )
    return [Bar(*cells) for cells in zip(labels, *columns, strict=True)]


def _draw_histogram(domain: Domain, table: pa.Table, facts: Mapping[str, Any]) -> list[Figure]:
    cells = table.column(COUNT_COLUMN).to_numpy().reshape(domain.sizes)
    figures = []
    if len(domain.sizes) == 2:
        clean = table.column(CLEAN_COLUMN).to_numpy().reshape(domain.sizes)
        figures.append(_draw_pair(domain.attributes, clean))
    for place, attribute in enumerate(domain.attributes[:_MAX_FIGURES]):
        counts = cells.sum(axis=tuple(axis for axis in range(cells.ndim) if axis != place))
        draws = domain.cell_count // domain.sizes[place]
        figures.append(_draw_attribute(attribute, counts, facts, draws))
        if attribute.is_ordered:
            histogram = Histogram.from_publication(domain, table, facts, attribute.name)
            figures.append(_tabulate_statistics(histogram))
    return figures


def _draw_attribute(
    attribute: Attribute, counts: Any, facts: Mapping[str, Any], draws: int
) -> Figure:
    """Draw the bars of one attribute, each code of which sums ``draws`` draws of the noise."""
    plain, lengths = _merge_codes(attribute, counts)
    mechanism, parts_per_row = read_noise_mechanism(facts), read_parts_per_row(facts)
    radii = {}
    for length in set(lengths):
        radius = find_sum_radius(mechanism, length * draws, INTERVAL_BETA)
        radii[length] = (radius + read_truncation_error(facts, length * draws)) / parts_per_row
    bars = [
        replace(bar, low=bar.value - radii[length], high=bar.value + radii[length])
        for bar, length in zip(plain, lengths, strict=True)
    ]
    summed = f" Each bar sums {lengths[0] * draws:,} cells." if draws > 1 else ""
    return _draw_attribute_bars(attribute, bars, _describe_merging(lengths[0]) + summed)


def _draw_attribute_bars(attribute: Attribute, bars: Sequence[Bar], more: str = "") -> Figure:
    """Draw columns for ordered codes, and a ranking for others or for too many."""
    caption, bars = f"Rows by {attribute.name}", _round_bars(bars)
    if not attribute.is_ordered or len(bars) > _MAX_BARS:
        return _draw_ranking(caption, bars, attribute.name, more)
    drawing = draw_column_chart(bars, f"Bars: {caption.lower()}, with 95 % intervals")
    return _build_count_figure(caption, drawing, bars, attribute.name, _WHISKERS + more)


def _round_bars(bars: Sequence[Bar]) -> list[Bar]:
    """Round counts to whole rows, and their intervals outward; no count is below 0."""
    return [
        replace(
            bar,
            value=float(max(0, round(bar.value))),
            low=None if bar.low is None else float(max(0, math.floor(bar.low))),
            high=None if bar.high is None else float(max(0, math.ceil(bar.high))),
        )
        for bar in bars
    ]


def _merge_codes(attribute: Attribute, counts: Any) -> tuple[list[Bar], list[int]]:
    """Return a bar for each code, or for several neighbouring ones if they are many and ordered;
    and the number of codes of each bar.
    """
    group = math.ceil(attribute.size / _MAX_BARS) if attribute.is_ordered else 1
    starts = np.arange(0, attribute.size, group)
    sums = np.add.reduceat(np.asarray(counts, dtype=np.float64), starts).tolist()
    lengths = np.diff(np.append(starts, attribute.size)).tolist()
    return [
        Bar(
            _format_range(attribute, start, start + length - 1),
            value,
            short_label=_shorten_bin(attribute, start, len(sums)),
        )
        for start, length, value in zip(starts.tolist(), lengths, sums, strict=True)
    ], lengths


def _describe_merging(group: int) -> str:
    return f" Each bar is {group} neighbouring codes." if group > 1 else ""


def _draw_ranking(caption: str, bars: Sequence[Bar], name: str, more: str = "") -> Figure:
    bars = _round_bars(bars)
    shown, cut = _take_largest(bars)
    drawing = draw_bar_chart(shown, f"Bars: {caption.lower()}, with 95 % intervals")
    return _build_count_figure(caption, drawing, bars, name, _WHISKERS + cut + more)


def _take_largest(bars: Sequence[Bar]) -> tuple[Sequence[Bar], str]:
    """Return the bars to draw, and a note if they are not all."""
    if len(bars) <= _MAX_BARS:
        return bars, ""
    largest = sorted(bars, key=lambda bar: -bar.value)[:_MAX_BARS]
    return largest, f" The {_MAX_BARS} largest of {len(bars):,} are shown."


def _tabulate_statistics(histogram: Histogram) -> Figure:
    variance = histogram.variance()
    roots: dict[str, Any] = {
        field: None if getattr(variance, field) is None else math.sqrt(getattr(variance, field))
        for field in _STATISTIC_FIELDS
    }
    statistics = [
        ("mean", histogram.mean()),
        *((name, histogram.quantile(part)) for name, part in _QUANTILES),
        ("standard deviation", replace(variance, **roots)),
    ]
    rows = tuple(
        (
            name,
            _format_value(it.value),
            f"{_format_value(it.low)} to {_format_value(it.high)}",
            f"{_format_value(it.noise_low)} to {_format_value(it.noise_high)}",
        )
        for name, it in statistics
    )
    return Figure(
        f"Statistics of {histogram.attribute.name}",
        "",
        ("", "value", "95 % interval", "for the noise alone"),
        rows,
        note=(
            "The interval holds for all positions of the values within their bins. The one for the"
            " noise alone puts all values in the middle of their bins."
        ),
    )


def _format_value(value: Any) -> str:
    if value is None:
        return "–"
    return format_number(value) if isinstance(value, float) else str(value)


def _draw_running_totals(attribute: Attribute, table: pa.Table, kind: str) -> Figure:
    codes = range(attribute.size)
    bars = [
        replace(bar, short_label=_shorten_bin(attribute, code, attribute.size, end=True))
        for code, bar in zip(codes, _build_bars(_list_labels(attribute), table), strict=True)
    ]
    bars = _round_bars(bars)
    every = math.ceil(len(bars) / _MAX_LINE_POINTS)
    shown = [*bars[:-1:every], bars[-1]] if every > 1 else bars
    name = attribute.name
    caption = f"Rows at or below each {name}" if kind == "cdf" else f"Rows so far, by {name}"
    drawing = draw_line_chart(shown, f"Line: {caption.lower()}, with a band of 95 % intervals")
    cut = f" One of every {every} is drawn." if every > 1 else ""
    note = f"The band is a 95 % interval of each exact count.{cut}"
    return _build_count_figure(caption, drawing, bars, attribute.name, note)


def _draw_marginals(domain: Domain, table: pa.Table) -> list[Figure]:
    """Draw single columns first, then the pairs with the most cells."""
    import pyarrow.compute as pc

    sizes, figures = domain.sizes, []
    singles = [(place,) for place in range(len(sizes))][: _MAX_FIGURES // 2]
    pairs = sorted(
        itertools.combinations(range(len(sizes)), 2),
        key=lambda pair: -sizes[pair[0]] * sizes[pair[1]],
    )
    for places in [*singles, *pairs[: _MAX_FIGURES // 2 + 1]]:
        name = " x ".join(domain.names[place] for place in places)
        lines = table.filter(pc.equal(table.column("marginal"), name))
        if not lines.num_rows:
            continue
        attributes = [domain.attributes[place] for place in places]
        if len(places) == 2:
            shape = [attribute.size for attribute in attributes]
            figure = _draw_pair(attributes, lines.column(CLEAN_COLUMN).to_numpy().reshape(shape))
        else:
            bars = _build_bars(_list_labels(attributes[0]), lines)
            figure = _draw_attribute_bars(attributes[0], bars)
        figures.append(replace(figure, caption=f"{figure.caption}, {domain.row_scope}"))
    return figures


def _draw_pair(attributes: Sequence[Attribute], cells: Any) -> Figure:
    """Draw the heat map of two attributes, merged or cut to fit."""
    first, second = attributes
    values: Any = np.asarray(cells, dtype=np.float64)
    names = []
    for axis, attribute in enumerate(attributes):
        group = math.ceil(attribute.size / _MAX_HEATMAP_SIDE) if attribute.is_ordered else 1
        starts = np.arange(0, attribute.size, group)
        values = np.add.reduceat(values, starts, axis=axis)
        labels = [
            _format_range(attribute, start, min(start + group, attribute.size) - 1)
            for start in starts.tolist()
        ]
        kept = np.sort(np.argsort(-values.sum(axis=1 - axis), kind="stable")[:_MAX_HEATMAP_SIDE])
        values = np.take(values, kept, axis=axis)
        names.append([labels[place] for place in kept.tolist()])
    values = np.rint(values)
    is_cut = values.size < np.size(cells)
    cut = " Neighbouring codes are merged, or rare ones left out, to fit." if is_cut else ""
    rows = tuple(
        (a, b, format_number(float(values[i, j])))
        for i, a in enumerate(names[0])
        for j, b in enumerate(names[1])
    )
    return Figure(
        f"{first.name} (down) by {second.name} (across)",
        draw_heatmap(
            names[0], names[1], values.tolist(), f"Heat map: {first.name} by {second.name}"
        ),
        (first.name, second.name, CLEAN_COLUMN),
        rows[:_MAX_LISTED_ROWS],
        _describe_cut(len(rows)),
        f"Darker means more; the counts are clean counts, rounded to whole rows.{cut}",
    )


def _format_range(attribute: Attribute, first: int, last: int) -> str:
    """Return one label for several neighbouring codes."""
    if first == last:
        return attribute.label(first)
    if attribute.values is not None:
        return f"{attribute.label(first)} to {attribute.label(last)}"
    edges = attribute.edges or ()
    return Attribute(attribute.name, attribute.type, edges=(edges[first], edges[last + 1])).label(0)


def _list_labels(attribute: Attribute) -> list[str]:
    return [attribute.label(code) for code in range(attribute.size)]


def _shorten_bin(attribute: Attribute, code: int, count: int, *, end: bool = False) -> str:
    """Return the start or the end of a bin as its label, if there are too many for both."""
    if attribute.edges is None or count <= _MAX_FULL_LABELS:
        return ""
    edge = attribute.edges[code + end]
    if attribute.type == "real":
        return format_number(float(edge))
    return Attribute(attribute.name, attribute.type, edges=(edge - end, edge - end + 1)).label(0)


def _build_count_figure(
    caption: str, drawing: str, bars: Sequence[Bar], name: str, note: str
) -> Figure:
    rows = tuple(
        (bar.label, format_number(bar.value), _format_value(bar.low), _format_value(bar.high))
        for bar in bars[:_MAX_LISTED_ROWS]
    )
    headers = (name, "count", "low", "high")
    return Figure(caption, drawing, headers, rows, _describe_cut(len(bars)), note + _WHOLE_NOTE)


def _describe_cut(rows: int) -> str:
    if rows <= _MAX_LISTED_ROWS:
        return ""
    return f"The first {_MAX_LISTED_ROWS} of {rows:,}; all are in data.parquet."


def _find_largest(domain: Domain, table: pa.Table) -> list[Bar]:
    top = table.take(np.argsort(-table.column(COUNT_COLUMN).to_numpy(), kind="stable")[:_MAX_BARS])
    labels = []
    for attribute in domain.attributes:
        first = next(iter(attribute.columns()))
        codes = (attribute.find_code(value) or 0 for value in top.column(first).to_pylist())
        labels.append([attribute.label(code) for code in codes])
    return _build_bars([", ".join(combination) for combination in zip(*labels, strict=True)], top)


def _draw_synthetic_rows(attribute: Attribute, table: pa.Table) -> Figure:
    bars, lengths = _merge_codes(attribute, _count_codes(attribute, table.column(attribute.name)))
    caption = f"Synthetic rows by {attribute.name}"
    shown, cut = _take_largest(bars)
    draw = draw_column_chart if attribute.is_ordered else draw_bar_chart
    rows = tuple((bar.label, format_number(bar.value)) for bar in bars[:_MAX_LISTED_ROWS])
    note = (_describe_merging(lengths[0]) + cut).strip()
    drawing = draw(shown, f"Bars: {caption.lower()}")
    return Figure(caption, drawing, (attribute.name, "rows"), rows, note=note)


def _count_codes(attribute: Attribute, column: Any) -> Floats:
    import pyarrow as pa
    import pyarrow.compute as pc

    if attribute.edges is None:
        counts = {
            each["values"].as_py(): each["counts"].as_py()
            for each in pc.value_counts(column.combine_chunks())
        }
        return np.array([counts.get(value, 0) for value in attribute.values or ()], np.float64)
    numbers = (
        column.cast(pa.int32()).to_numpy() + date(1970, 1, 1).toordinal()
        if attribute.type == "date"
        else column.to_numpy()
    )
    binned, _ = np.histogram(numbers, [float(edge) for edge in attribute.edges])
    return binned.astype(np.float64)
