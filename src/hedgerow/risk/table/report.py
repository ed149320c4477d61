"""The report on a table's re-identification risk as an HTML page: uniqueness, the contribution of
each column, identifying column sets, attackers, and linkage with another file.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hedgerow.charts.html_page import Figure, PageSection
from hedgerow.charts.number_text import list_first
from hedgerow.charts.plots import Bar, draw_bar_chart, draw_column_chart
from hedgerow.charts.svg import format_number
from hedgerow.risk.report_page import build_risk_page
from hedgerow.risk.table.equivalence_classes import SizeBand
from hedgerow.risk.table.linkage import Linkage
from hedgerow.risk.table.uniqueness import Uniqueness

__all__ = ["build_table_page", "format_percent"]

_MAX_LISTED_SETS: Final = 20
_MAX_DRAWN_COLUMNS: Final = 40
_UNIQUENESS_TEXT: Final = (
    "Every row is taken to be one person. A person is unique on some columns if nobody else in the"
    " table has the same values in all of them. Whoever knows these values finds the row and can"
    " read everything else in it."
)
_GUESSING_TEXT: Final = (
    "An attacker who knows that a person is in the table, and knows these columns, guesses among"
    " the rows that agree. The risk is the probability that the guess is right, averaged over all"
    " rows."
)
_LINKAGE_TEXT: Final = (
    "The possible matches of a row are the rows of the other file that agree with it. If exactly"
    " one row here and one row there agree, they are the same person, provided that the person is"
    " in both files."
)


def format_percent(part: Fraction | float) -> str:
    """Format a share in percent, without rounding anything else to 0 % or 100 %."""
    value = 100 * float(part)
    if 0 < value < 0.1 or 99.9 < value < 100:
        return "under 0.1 %" if value < 1 else "over 99.9 %"
    return f"{value:.1f} %" if value % 1 else f"{value:.0f} %"


def build_table_page(
    name: str, result: Uniqueness, linked: Linkage | None = None, other: str = ""
) -> str:
    """Build the HTML report on the table ``name``, linked with the file ``other`` if there is
    one.
    """
    whole = result.classes
    facts = [
        ("Rows", f"{result.rows:,}"),
        ("Columns", list_first(result.columns, _MAX_LISTED_SETS)),
        ("Unique", f"{whole.unique:,} rows, {format_percent(whole.unique_fraction)}"),
        ("k-anonymity", f"k = {whole.smallest:,}"),
        ("Mean risk", format_percent(whole.mean_risk)),
        ("In classes under 5", format_percent(whole.fraction_below(5))),
    ]
    classes = _build_band_figure(
        "Rows by the size of their class (rows with the same values, themselves included)",
        whole.count_bands(),
        "class size",
        result.rows,
    )
    sections = [
        PageSection("Unique rows", (_UNIQUENESS_TEXT, *result.notes), figures=(classes,)),
        _build_steps_section(result),
        _build_sets_section(result),
        *_build_attacker_sections(result),
    ]
    if linked is not None:
        sections.append(_build_linkage_section(linked, other))
    return build_risk_page(f"Re-identification: {name}", facts, sections)


def _build_band_figure(caption: str, bands: Sequence[SizeBand], header: str, total: int) -> Figure:
    bars = [Bar(str(band), float(band.rows)) for band in bands]
    rows = tuple(
        (str(band), f"{band.rows:,}", format_percent(Fraction(band.rows, total))) for band in bands
    )
    drawing = draw_column_chart(bars, f"Bars: {caption.lower()}")
    return Figure(caption, drawing, (header, "rows", "of all"), rows)


def _build_percent_bar(label: str, share: Fraction | float) -> Bar:
    return Bar(label, float(100 * share), written=format_percent(share))


def _build_steps_section(result: Uniqueness) -> PageSection:
    bars: list[Bar] = []
    rows: list[tuple[str, ...]] = []
    before = Fraction(0)
    for step in result.steps[:_MAX_DRAWN_COLUMNS]:
        label, share = f"{'+ ' if bars else ''}{step.columns[-1]}", step.unique_fraction
        bars.append(_build_percent_bar(label, share))
        added = format_percent(share - before)
        rows.append((label, f"{step.unique:,}", format_percent(share), added))
        before = share
    cut = len(result.steps) > _MAX_DRAWN_COLUMNS
    caption = "Percentage of unique rows as each further column becomes known"
    figure = Figure(
        caption,
        draw_bar_chart(bars, f"Bars: {caption.lower()}"),
        ("column", "unique", "of all", "added"),
        tuple(rows),
        f"The first {_MAX_DRAWN_COLUMNS} of {len(result.steps):,} columns." if cut else "",
    )
    return PageSection("Contribution of each column", figures=(figure,))


def _build_sets_section(result: Uniqueness) -> PageSection:
    share = (
        f"at least {format_percent(result.share)} of the rows" if result.share < 1 else "every row"
    )
    sets = result.identifying
    search = (
        "one set, extended by the best column each time"
        if result.searched == "greedy"
        else f"{result.searched} columns"
    )
    text = f"Searched: {search}."
    if sets:
        verb = "makes" if len(sets) == 1 else "make"
        text += f" {len(sets):,} of them {verb} {share} unique and can spare no column."
    else:
        text += f" None makes {share} unique; the most identifying set of each size is shown."
    if len(sets) > _MAX_LISTED_SETS:
        text += f" The first {_MAX_LISTED_SETS} are listed; --json has all."
    rows = tuple(
        (
            ", ".join(subset.columns),
            f"{subset.unique:,}",
            format_percent(Fraction(subset.unique, result.rows)),
        )
        for subset in sets[:_MAX_LISTED_SETS] or result.most_identifying
    )
    return PageSection(
        "Smallest identifying column sets", (text,), ("columns", "unique", "of all"), rows
    )


def _build_attacker_sections(result: Uniqueness) -> list[PageSection]:
    if not result.attackers:
        return []
    rows, bars = [], []
    for attacker in result.attackers:
        shares = (attacker.unique, attacker.worst_unique, attacker.risk, attacker.worst_risk)
        rows.append(
            (f"any {attacker.knows}", *map(format_percent, shares), ", ".join(attacker.worst))
        )
        for name, share in (("average", attacker.unique), ("worst", attacker.worst_unique)):
            bars.append(_build_percent_bar(f"{attacker.knows} known, {name}", share))
    headers = ("knows", "unique", "worst case", "risk", "worst case", "worst columns")
    caption = "Percentage of unique rows, by the number of columns an attacker knows"
    drawing = draw_bar_chart(bars, f"Bars: {caption.lower()}")
    figure = Figure(caption, drawing, headers, tuple(rows))
    return [PageSection("Attackers who know some columns", (_GUESSING_TEXT,), figures=(figure,))]


def _build_linkage_section(linked: Linkage, other: str) -> PageSection:
    texts = [
        _LINKAGE_TEXT,
        f"On {', '.join(linked.on)}: {linked.certain_count:,} of {linked.rows[0]:,} rows match"
        f" {other} for certain, and {linked.linked_count:,} have a possible match there. About"
        f" {format_number(linked.expected_correct)} one-to-one guesses are right if everybody who"
        " can be in both files is.",
    ]
    if any(linked.incomplete):
        here, there = linked.incomplete
        texts.append(f"Rows with a missing value are not linked: {here:,} here, {there:,} there.")
    figure = _build_band_figure(
        f"Rows by the number of their possible matches in {other}",
        linked.match_bands,
        "matches",
        linked.rows[0],
    )
    return PageSection(f"Linkage with {other}", tuple(texts), figures=(figure,))
