"""Which pictures tell a publication: bars for a histogram, a line with its band for running totals, shades for two columns at a time.

A picture holds about sixty bars. More bins are added up with their neighbours, of more names the largest are shown; the picture says so.
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

from hedgerow.publish.derived import Histogram, fine_of, law_of, lost_of
from hedgerow.publish.designs import Floats
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.intervals import sum_radius
from hedgerow.publish.svg import Bar, across, bars, line, number, shades
from hedgerow.publish.table import CLEAN, COUNT, HIGH, LOW

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Figure", "figures"]

_BARS: Final = 60
_SHADES: Final = 40  # along each side
_FIGURES: Final = 6
_WRITTEN: Final = 24  # bins whose two ends fit under an axis
_LISTED: Final = 200
_BETA: Final = Fraction(1, 20)
_ENDS: Final = ("value", "low", "high", "noise_low", "noise_high")
_QUANTILES: Final = (("first quartile", Fraction(1, 4)), ("median", Fraction(1, 2)), ("third quartile", Fraction(3, 4)))


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption and the numbers it shows."""

    caption: str
    drawing: str
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: str = ""
    note: str = ""


def figures(kind: str, domain: Domain, table: pa.Table, facts: Mapping[str, Any]) -> list[Figure]:
    """The pictures of a publication."""
    if not table.num_rows:
        return []
    if kind == "histogram":
        return _histogram(domain, table, facts)
    if kind in ("cdf", "stream"):
        return [_running(domain.attributes[0], table, kind)]
    if kind == "marginals":
        return _marginals(domain, table)
    if kind == "queries":
        given = _given([str(name) for name in table.column("question").to_pylist()], table)
        return [_lying("How many rows each condition holds for", given, "condition")]
    if kind == "synthetic":
        return [_rows(attribute, table) for attribute in domain.attributes[:_FIGURES]]
    return [_lying("The largest counts", _largest(domain, table), "combination")]


def _given(labels: Sequence[str], table: pa.Table) -> list[Bar]:
    columns = (table.column(name).to_numpy().astype(np.float64).tolist() for name in (COUNT, LOW, HIGH))
    return [Bar(*each) for each in zip(labels, *columns, strict=True)]


def _histogram(domain: Domain, table: pa.Table, facts: Mapping[str, Any]) -> list[Figure]:
    cells = table.column(COUNT).to_numpy().reshape(domain.sizes)
    found = []
    if len(domain.sizes) == 2:
        found.append(_shaded(domain.attributes, table.column(CLEAN).to_numpy().reshape(domain.sizes)))
    for place, attribute in enumerate(domain.attributes[:_FIGURES]):
        others = tuple(axis for axis in range(cells.ndim) if axis != place)
        found.append(_one_way(attribute, cells.sum(axis=others), facts, domain.cells // domain.sizes[place]))
        if attribute.ordered:
            found.append(_said(Histogram.of(domain, table, facts, attribute.name)))
    return found


def _one_way(attribute: Attribute, counts: Any, facts: Mapping[str, Any], draws: int) -> Figure:
    """Bars of one attribute, each the sum of so many draws of the noise."""
    plain, lengths = _grouped(attribute, counts)
    law, group = law_of(facts), lengths[0]
    parts = {many: sum_radius(law, many * draws, _BETA) + lost_of(facts, many * draws) for many in set(lengths)}
    radii = {many: far / fine_of(facts) for many, far in parts.items()}
    given = [replace(bar, low=bar.value - radii[n], high=bar.value + radii[n]) for bar, n in zip(plain, lengths, strict=True)]
    caption = f"How many rows have each {attribute.name}"
    summed = f" Each bar adds up {group * draws:,} cells." if draws > 1 else ""
    if not attribute.ordered:
        return _lying(caption, given, attribute.name, summed)
    drawing = bars(given, f"Bars: {caption.lower()}, with 95 % intervals")
    return Figure(caption, drawing, *_listed(given, attribute.name), _whiskers(_neighbours(group) + summed))


def _grouped(attribute: Attribute, counts: Any) -> tuple[list[Bar], list[int]]:
    """A bar for each code, or for a few neighbouring ones if they are many and have an order; and how many codes each is."""
    group = math.ceil(attribute.size / _BARS) if attribute.ordered else 1
    starts = np.arange(0, attribute.size, group)
    sums = np.add.reduceat(np.asarray(counts, dtype=np.float64), starts).tolist()
    lengths = np.diff(np.append(starts, attribute.size)).tolist()
    each = zip(starts.tolist(), lengths, sums, strict=True)
    return [Bar(_range(attribute, at, at + n - 1), value, short=_short(attribute, at, len(sums))) for at, n, value in each], lengths


def _neighbours(group: int) -> str:
    return f" Each bar is {group} neighbouring codes." if group > 1 else ""


def _whiskers(more: str = "") -> str:
    return f"The whiskers are 95 % intervals of the exact count.{more}"


def _lying(caption: str, given: Sequence[Bar], name: str, more: str = "") -> Figure:
    shown = given if len(given) <= _BARS else sorted(given, key=lambda bar: -bar.value)[:_BARS]
    cut = f" Shown are the {_BARS} largest of {len(given):,}." if len(shown) < len(given) else ""
    titles, rows, left = _listed(given, name)
    drawing = across(shown, f"Bars: {caption.lower()}, with 95 % intervals")
    return Figure(caption, drawing, titles, rows, left, _whiskers(cut + more))


def _said(histogram: Histogram) -> Figure:
    """Mean, spread and quartiles, read off the histogram."""
    name = histogram.attribute.name
    told = [("mean", histogram.mean())]
    told += [(what, histogram.quantile(part)) for what, part in _QUANTILES]
    spread = histogram.variance()
    ends: dict[str, Any] = {name: None if getattr(spread, name) is None else math.sqrt(getattr(spread, name)) for name in _ENDS}
    told += [("standard deviation", replace(spread, **ends))]
    rows = tuple(
        (what, _text(it.value), f"{_text(it.low)} to {_text(it.high)}", f"{_text(it.noise_low)} to {_text(it.noise_high)}")
        for what, it in told
    )
    note = "The interval holds wherever in their bins the values are; that for the noise alone takes all values to be in the middle."
    return Figure(f"What it says about {name}", "", ("", "value", "95 % interval", "for the noise alone"), rows, note=note)


def _text(value: Any) -> str:
    return "–" if value is None else number(value) if isinstance(value, float) else str(value)


def _running(attribute: Attribute, table: pa.Table, kind: str) -> Figure:
    shorter = [_short(attribute, code, attribute.size, end=True) for code in range(attribute.size)]
    whole = [replace(bar, short=name) for bar, name in zip(_given(_names(attribute), table), shorter, strict=True)]
    every = math.ceil(len(whole) / 400)
    shown = [*whole[:-1:every], whole[-1]] if every > 1 else whole
    caption = f"How many rows up to each {attribute.name}" if kind == "cdf" else f"How many rows so far, by {attribute.name}"
    drawing = line(shown, f"Line: {caption.lower()}, with a band of 95 % intervals")
    cut = f" One of every {every} is drawn." if every > 1 else ""
    titles, rows, left = _listed(whole, attribute.name)
    return Figure(caption, drawing, titles, rows, left, f"The band holds each exact count with 95 %.{cut}")


def _marginals(domain: Domain, table: pa.Table) -> list[Figure]:
    """Single columns first, then the pairs with most cells that still can be seen."""
    import pyarrow.compute as pc

    sizes, found = domain.sizes, []
    places = [(place,) for place in range(len(sizes))][: _FIGURES // 2]
    pairs = sorted(itertools.combinations(range(len(sizes)), 2), key=lambda pair: -sizes[pair[0]] * sizes[pair[1]])
    for wanted in [*places, *pairs[: _FIGURES // 2 + 1]]:
        name = " x ".join(domain.names[place] for place in wanted)
        lines = table.filter(pc.equal(table.column("marginal"), name))
        if not lines.num_rows:
            continue
        attributes = [domain.attributes[place] for place in wanted]
        if len(wanted) == 2:
            cells = lines.column(CLEAN).to_numpy().reshape([attribute.size for attribute in attributes])
            figure = _shaded(attributes, cells)
        else:
            figure = _single(attributes[0], lines)
        found.append(replace(figure, caption=f"{figure.caption}, {domain.among}"))
    return found


def _single(attribute: Attribute, lines: pa.Table) -> Figure:
    given = _given(_names(attribute), lines)
    caption = f"How many rows have each {attribute.name}"
    if not attribute.ordered or len(given) > _BARS:
        return _lying(caption, given, attribute.name)
    return Figure(caption, bars(given, f"Bars: {caption.lower()}, with 95 % intervals"), *_listed(given, attribute.name), _whiskers())


def _shaded(attributes: Sequence[Attribute], cells: Any) -> Figure:
    """Two attributes, the shorter names below."""
    first, second = attributes
    groups = [math.ceil(attribute.size / _SHADES) if attribute.ordered else 1 for attribute in attributes]
    values: Any = np.asarray(cells, dtype=np.float64)
    names = []
    for axis, (attribute, group) in enumerate(zip(attributes, groups, strict=True)):
        starts = np.arange(0, attribute.size, group)
        values = np.add.reduceat(values, starts, axis=axis)
        labels = [_range(attribute, int(start), min(int(start) + group, attribute.size) - 1) for start in starts]
        keep = np.sort(np.argsort(-values.sum(axis=1 - axis), kind="stable")[:_SHADES])
        values, labels = np.take(values, keep, axis=axis), [labels[int(place)] for place in keep]
        names.append(labels)
    cut = values.size < np.size(cells)
    note = "More is darker; counts are clean ones." + (" Neighbouring codes are added up, or rare ones left out, to fit." if cut else "")
    drawing = shades(names[0], names[1], values.tolist(), f"Table in shades: {first.name} by {second.name}")
    rows = tuple((a, b, number(float(values[i, j]))) for i, a in enumerate(names[0]) for j, b in enumerate(names[1]))
    left = f"The first {_LISTED} of {len(rows):,}; all are in data.parquet." if len(rows) > _LISTED else ""
    return Figure(f"{first.name} (down) by {second.name} (across)", drawing, (first.name, second.name, CLEAN), rows[:_LISTED], left, note)


def _range(attribute: Attribute, first: int, last: int) -> str:
    """Several neighbouring codes in words."""
    if first == last:
        return attribute.label(first)
    if attribute.values is not None:
        return f"{attribute.label(first)} to {attribute.label(last)}"
    edges = attribute.edges or ()
    return Attribute(attribute.name, attribute.type, edges=(edges[first], edges[last + 1])).label(0)


def _names(attribute: Attribute) -> list[str]:
    return [attribute.label(code) for code in range(attribute.size)]


def _short(attribute: Attribute, code: int, many: int, *, end: bool = False) -> str:
    """Where a bin begins, or ends, if there are too many of them to write out both."""
    if attribute.edges is None or many <= _WRITTEN:
        return ""
    edge = attribute.edges[code + end]
    if attribute.type == "real":
        return number(float(edge))
    return Attribute(attribute.name, attribute.type, edges=(edge - end, edge - end + 1)).label(0)


def _listed(given: Sequence[Bar], name: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], str]:
    rows = tuple((bar.label, number(bar.value), _text(bar.low), _text(bar.high)) for bar in given[:_LISTED])
    left = f"The first {_LISTED} of {len(given):,}; all are in data.parquet." if len(given) > _LISTED else ""
    return (name, "count", "low", "high"), rows, left


def _largest(domain: Domain, table: pa.Table) -> list[Bar]:
    """Of combinations that were found: the largest counts."""
    top = table.take(np.argsort(-table.column(COUNT).to_numpy(), kind="stable")[:_BARS])
    parts = []
    for attribute in domain.attributes:
        first = next(iter(attribute.columns()))
        parts.append([attribute.label(attribute.find(value) or 0) for value in top.column(first).to_pylist()])
    return _given([", ".join(each) for each in zip(*parts, strict=True)], top)


def _rows(attribute: Attribute, table: pa.Table) -> Figure:
    """Rows of nobody, counted by one attribute."""
    given, lengths = _grouped(attribute, _tally(attribute, table.column(attribute.name)))
    caption = f"Synthetic rows by {attribute.name}"
    shown = sorted(given, key=lambda bar: -bar.value)[:_BARS] if len(given) > _BARS else given
    note = _neighbours(lengths[0]) + (f" Shown are the {_BARS} largest of {len(given):,}." if len(shown) < len(given) else "")
    rows = tuple((bar.label, number(bar.value)) for bar in given[:_LISTED])
    drawing = (bars if attribute.ordered else across)(shown, f"Bars: {caption.lower()}")
    return Figure(caption, drawing, (attribute.name, "rows"), rows, note=note.strip())


def _tally(attribute: Attribute, column: Any) -> Floats:
    """How many rows have each code."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if attribute.edges is None:
        found = {each["values"].as_py(): each["counts"].as_py() for each in pc.value_counts(column.combine_chunks())}
        return np.array([found.get(value, 0) for value in attribute.values or ()], dtype=np.float64)
    numbers = column.cast(pa.int32()).to_numpy() + date(1970, 1, 1).toordinal() if attribute.type == "date" else column.to_numpy()
    counts, _ = np.histogram(numbers, [float(edge) for edge in attribute.edges])
    return counts.astype(np.float64)
