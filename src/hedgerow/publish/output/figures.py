"""Which pictures tell a publication: bars for a histogram, a line with its band for running totals,
shades for two columns at a time.

A picture holds about sixty bars. More bins are added up with their neighbours, of more names the
largest are shown; the picture says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.accuracy.noise_sum import find_sum_radius
from hedgerow.charts.svg import (
    Bar,
    draw_bar_chart,
    draw_column_chart,
    draw_heatmap,
    draw_line_chart,
    format_number,
)
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.histogram_statistics import (
    Histogram,
    read_noise_mechanism,
    read_parts_per_row,
    read_truncation_error,
)
from hedgerow.publish.output.table import CLEAN_COLUMN, COUNT_COLUMN, HIGH_COLUMN, LOW_COLUMN
from hedgerow.publish.strategies.strategy import Floats

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Figure", "build_figures"]

_MAX_BARS: Final = 60
_MAX_HEATMAP_SIDE: Final = 40  # along each side
_MAX_FIGURES: Final = 6
_MAX_FULL_LABELS: Final = 24  # bins whose two ends fit under an axis
_MAX_LISTED_ROWS: Final = 200
_BETA: Final = Fraction(1, 20)
_STATISTIC_FIELDS: Final = ("value", "low", "high", "noise_low", "noise_high")
_QUANTILES: Final = (
    ("first quartile", Fraction(1, 4)),
    ("median", Fraction(1, 2)),
    ("third quartile", Fraction(3, 4)),
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption and the numbers it shows."""

    caption: str
    drawing: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    truncation_note: str = ""
    note: str = ""


def build_figures(
    kind: str, domain: Domain, table: pa.Table, facts: Mapping[str, Any]
) -> list[Figure]:
    """The pictures of a publication."""
    if not table.num_rows:
        return []
    if kind == "histogram":
        return _draw_histogram(domain, table, facts)
    if kind in ("cdf", "stream"):
        return [_draw_running_totals(domain.attributes[0], table, kind)]
    if kind == "marginals":
        return _draw_marginals(domain, table)
    if kind == "queries":
        given = _build_bars([str(name) for name in table.column("question").to_pylist()], table)
        return [_draw_ranking("How many rows each condition holds for", given, "condition")]
    if kind == "synthetic":
        return [
            _draw_synthetic_rows(attribute, table) for attribute in domain.attributes[:_MAX_FIGURES]
        ]
    return [_draw_ranking("The largest counts", _find_largest(domain, table), "combination")]


def _build_bars(labels: Sequence[str], table: pa.Table) -> list[Bar]:
    columns = (
        table.column(name).to_numpy().astype(np.float64).tolist()
        for name in (COUNT_COLUMN, LOW_COLUMN, HIGH_COLUMN)
    )
    return [Bar(*each) for each in zip(labels, *columns, strict=True)]


def _draw_histogram(domain: Domain, table: pa.Table, facts: Mapping[str, Any]) -> list[Figure]:
    cells = table.column(COUNT_COLUMN).to_numpy().reshape(domain.sizes)
    found = []
    if len(domain.sizes) == 2:
        found.append(
            _draw_pair(
                domain.attributes, table.column(CLEAN_COLUMN).to_numpy().reshape(domain.sizes)
            )
        )
    for place, attribute in enumerate(domain.attributes[:_MAX_FIGURES]):
        others = tuple(axis for axis in range(cells.ndim) if axis != place)
        found.append(
            _draw_attribute(
                attribute, cells.sum(axis=others), facts, domain.cell_count // domain.sizes[place]
            )
        )
        if attribute.is_ordered:
            found.append(
                _tabulate_statistics(
                    Histogram.from_publication(domain, table, facts, attribute.name)
                )
            )
    return found


def _draw_attribute(
    attribute: Attribute, counts: Any, facts: Mapping[str, Any], draws: int
) -> Figure:
    """Bars of one attribute, each the sum of so many draws of the noise."""
    plain, lengths = _merge_codes(attribute, counts)
    law, group = read_noise_mechanism(facts), lengths[0]
    parts = {
        many: find_sum_radius(law, many * draws, _BETA) + read_truncation_error(facts, many * draws)
        for many in set(lengths)
    }
    radii = {many: far / read_parts_per_row(facts) for many, far in parts.items()}
    given = [
        replace(bar, low=bar.value - radii[n], high=bar.value + radii[n])
        for bar, n in zip(plain, lengths, strict=True)
    ]
    caption = f"How many rows have each {attribute.name}"
    summed = f" Each bar adds up {group * draws:,} cells." if draws > 1 else ""
    if not attribute.is_ordered:
        return _draw_ranking(caption, given, attribute.name, summed)
    drawing = draw_column_chart(given, f"Bars: {caption.lower()}, with 95 % intervals")
    return Figure(
        caption,
        drawing,
        *_list_rows(given, attribute.name),
        _describe_whiskers(_describe_merging(group) + summed),
    )


def _merge_codes(attribute: Attribute, counts: Any) -> tuple[list[Bar], list[int]]:
    """A bar for each code, or for a few neighbouring ones if they are many and have an order;
    and how many codes each is.
    """
    group = math.ceil(attribute.size / _MAX_BARS) if attribute.is_ordered else 1
    starts = np.arange(0, attribute.size, group)
    sums = np.add.reduceat(np.asarray(counts, dtype=np.float64), starts).tolist()
    lengths = np.diff(np.append(starts, attribute.size)).tolist()
    each = zip(starts.tolist(), lengths, sums, strict=True)
    return [
        Bar(
            _format_range(attribute, at, at + n - 1),
            value,
            short_label=_shorten_bin(attribute, at, len(sums)),
        )
        for at, n, value in each
    ], lengths


def _describe_merging(group: int) -> str:
    return f" Each bar is {group} neighbouring codes." if group > 1 else ""


def _describe_whiskers(more: str = "") -> str:
    return f"The whiskers are 95 % intervals of the exact count.{more}"


def _draw_ranking(caption: str, given: Sequence[Bar], name: str, more: str = "") -> Figure:
    shown = (
        given if len(given) <= _MAX_BARS else sorted(given, key=lambda bar: -bar.value)[:_MAX_BARS]
    )
    cut = (
        f" Shown are the {_MAX_BARS} largest of {len(given):,}." if len(shown) < len(given) else ""
    )
    titles, rows, left = _list_rows(given, name)
    drawing = draw_bar_chart(shown, f"Bars: {caption.lower()}, with 95 % intervals")
    return Figure(caption, drawing, titles, rows, left, _describe_whiskers(cut + more))


def _tabulate_statistics(histogram: Histogram) -> Figure:
    """Mean, spread and quartiles, read off the histogram."""
    name = histogram.attribute.name
    told = [("mean", histogram.mean())]
    told += [(what, histogram.quantile(part)) for what, part in _QUANTILES]
    spread = histogram.variance()
    ends: dict[str, Any] = {
        name: None if getattr(spread, name) is None else math.sqrt(getattr(spread, name))
        for name in _STATISTIC_FIELDS
    }
    told += [("standard deviation", replace(spread, **ends))]
    rows = tuple(
        (
            what,
            _format_value(it.value),
            f"{_format_value(it.low)} to {_format_value(it.high)}",
            f"{_format_value(it.noise_low)} to {_format_value(it.noise_high)}",
        )
        for what, it in told
    )
    note = (
        "The interval holds wherever in their bins the values are; that for the noise alone takes"
        " all values to be in the middle."
    )
    return Figure(
        f"What it says about {name}",
        "",
        ("", "value", "95 % interval", "for the noise alone"),
        rows,
        note=note,
    )


def _format_value(value: Any) -> str:
    return (
        "–" if value is None else format_number(value) if isinstance(value, float) else str(value)
    )


def _draw_running_totals(attribute: Attribute, table: pa.Table, kind: str) -> Figure:
    shorter = [
        _shorten_bin(attribute, code, attribute.size, end=True) for code in range(attribute.size)
    ]
    whole = [
        replace(bar, short_label=name)
        for bar, name in zip(_build_bars(_list_labels(attribute), table), shorter, strict=True)
    ]
    every = math.ceil(len(whole) / 400)
    shown = [*whole[:-1:every], whole[-1]] if every > 1 else whole
    caption = (
        f"How many rows up to each {attribute.name}"
        if kind == "cdf"
        else f"How many rows so far, by {attribute.name}"
    )
    drawing = draw_line_chart(shown, f"Line: {caption.lower()}, with a band of 95 % intervals")
    cut = f" One of every {every} is drawn." if every > 1 else ""
    titles, rows, left = _list_rows(whole, attribute.name)
    return Figure(
        caption, drawing, titles, rows, left, f"The band holds each exact count with 95 %.{cut}"
    )


def _draw_marginals(domain: Domain, table: pa.Table) -> list[Figure]:
    """Single columns first, then the pairs with most cells that still can be seen."""
    import pyarrow.compute as pc

    sizes, found = domain.sizes, []
    places = [(place,) for place in range(len(sizes))][: _MAX_FIGURES // 2]
    pairs = sorted(
        itertools.combinations(range(len(sizes)), 2),
        key=lambda pair: -sizes[pair[0]] * sizes[pair[1]],
    )
    for wanted in [*places, *pairs[: _MAX_FIGURES // 2 + 1]]:
        name = " x ".join(domain.names[place] for place in wanted)
        lines = table.filter(pc.equal(table.column("marginal"), name))
        if not lines.num_rows:
            continue
        attributes = [domain.attributes[place] for place in wanted]
        if len(wanted) == 2:
            cells = (
                lines.column(CLEAN_COLUMN)
                .to_numpy()
                .reshape([attribute.size for attribute in attributes])
            )
            figure = _draw_pair(attributes, cells)
        else:
            figure = _draw_single_marginal(attributes[0], lines)
        found.append(replace(figure, caption=f"{figure.caption}, {domain.row_scope}"))
    return found


def _draw_single_marginal(attribute: Attribute, lines: pa.Table) -> Figure:
    given = _build_bars(_list_labels(attribute), lines)
    caption = f"How many rows have each {attribute.name}"
    if not attribute.is_ordered or len(given) > _MAX_BARS:
        return _draw_ranking(caption, given, attribute.name)
    return Figure(
        caption,
        draw_column_chart(given, f"Bars: {caption.lower()}, with 95 % intervals"),
        *_list_rows(given, attribute.name),
        _describe_whiskers(),
    )


def _draw_pair(attributes: Sequence[Attribute], cells: Any) -> Figure:
    """Two attributes, the shorter names below."""
    first, second = attributes
    groups = [
        math.ceil(attribute.size / _MAX_HEATMAP_SIDE) if attribute.is_ordered else 1
        for attribute in attributes
    ]
    values: Any = np.asarray(cells, dtype=np.float64)
    names = []
    for axis, (attribute, group) in enumerate(zip(attributes, groups, strict=True)):
        starts = np.arange(0, attribute.size, group)
        values = np.add.reduceat(values, starts, axis=axis)
        labels = [
            _format_range(attribute, int(start), min(int(start) + group, attribute.size) - 1)
            for start in starts
        ]
        keep = np.sort(np.argsort(-values.sum(axis=1 - axis), kind="stable")[:_MAX_HEATMAP_SIDE])
        values, labels = np.take(values, keep, axis=axis), [labels[int(place)] for place in keep]
        names.append(labels)
    cut = values.size < np.size(cells)
    note = "More is darker; counts are clean ones." + (
        " Neighbouring codes are added up, or rare ones left out, to fit." if cut else ""
    )
    drawing = draw_heatmap(
        names[0], names[1], values.tolist(), f"Table in shades: {first.name} by {second.name}"
    )
    rows = tuple(
        (a, b, format_number(float(values[i, j])))
        for i, a in enumerate(names[0])
        for j, b in enumerate(names[1])
    )
    left = (
        f"The first {_MAX_LISTED_ROWS} of {len(rows):,}; all are in data.parquet."
        if len(rows) > _MAX_LISTED_ROWS
        else ""
    )
    return Figure(
        f"{first.name} (down) by {second.name} (across)",
        drawing,
        (first.name, second.name, CLEAN_COLUMN),
        rows[:_MAX_LISTED_ROWS],
        left,
        note,
    )


def _format_range(attribute: Attribute, first: int, last: int) -> str:
    """Several neighbouring codes in words."""
    if first == last:
        return attribute.label(first)
    if attribute.values is not None:
        return f"{attribute.label(first)} to {attribute.label(last)}"
    edges = attribute.edges or ()
    return Attribute(attribute.name, attribute.type, edges=(edges[first], edges[last + 1])).label(0)


def _list_labels(attribute: Attribute) -> list[str]:
    return [attribute.label(code) for code in range(attribute.size)]


def _shorten_bin(attribute: Attribute, code: int, many: int, *, end: bool = False) -> str:
    """Where a bin begins, or ends, if there are too many of them to write out both."""
    if attribute.edges is None or many <= _MAX_FULL_LABELS:
        return ""
    edge = attribute.edges[code + end]
    if attribute.type == "real":
        return format_number(float(edge))
    return Attribute(attribute.name, attribute.type, edges=(edge - end, edge - end + 1)).label(0)


def _list_rows(
    given: Sequence[Bar], name: str
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], str]:
    rows = tuple(
        (bar.label, format_number(bar.value), _format_value(bar.low), _format_value(bar.high))
        for bar in given[:_MAX_LISTED_ROWS]
    )
    left = (
        f"The first {_MAX_LISTED_ROWS} of {len(given):,}; all are in data.parquet."
        if len(given) > _MAX_LISTED_ROWS
        else ""
    )
    return (name, "count", "low", "high"), rows, left


def _find_largest(domain: Domain, table: pa.Table) -> list[Bar]:
    """Of combinations that were found: the largest counts."""
    top = table.take(np.argsort(-table.column(COUNT_COLUMN).to_numpy(), kind="stable")[:_MAX_BARS])
    parts = []
    for attribute in domain.attributes:
        first = next(iter(attribute.columns()))
        parts.append(
            [
                attribute.label(attribute.find_code(value) or 0)
                for value in top.column(first).to_pylist()
            ]
        )
    return _build_bars([", ".join(each) for each in zip(*parts, strict=True)], top)


def _draw_synthetic_rows(attribute: Attribute, table: pa.Table) -> Figure:
    """Rows of nobody, counted by one attribute."""
    given, lengths = _merge_codes(attribute, _count_codes(attribute, table.column(attribute.name)))
    caption = f"Synthetic rows by {attribute.name}"
    shown = (
        sorted(given, key=lambda bar: -bar.value)[:_MAX_BARS] if len(given) > _MAX_BARS else given
    )
    note = _describe_merging(lengths[0]) + (
        f" Shown are the {_MAX_BARS} largest of {len(given):,}." if len(shown) < len(given) else ""
    )
    rows = tuple((bar.label, format_number(bar.value)) for bar in given[:_MAX_LISTED_ROWS])
    drawing = (draw_column_chart if attribute.is_ordered else draw_bar_chart)(
        shown, f"Bars: {caption.lower()}"
    )
    return Figure(caption, drawing, (attribute.name, "rows"), rows, note=note.strip())


def _count_codes(attribute: Attribute, column: Any) -> Floats:
    """How many rows have each code."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if attribute.edges is None:
        found = {
            each["values"].as_py(): each["counts"].as_py()
            for each in pc.value_counts(column.combine_chunks())
        }
        return np.array([found.get(value, 0) for value in attribute.values or ()], dtype=np.float64)
    numbers = (
        column.cast(pa.int32()).to_numpy() + date(1970, 1, 1).toordinal()
        if attribute.type == "date"
        else column.to_numpy()
    )
    counts, _ = np.histogram(numbers, [float(edge) for edge in attribute.edges])
    return counts.astype(np.float64)
