"""The report on a table as a page: who is alone, what each column adds, which sets identify,
what attackers can do, who can be linked.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hedgerow.charts.svg import Bar, draw_bar_chart, draw_column_chart, format_number
from hedgerow.publish.output.figures import Figure
from hedgerow.publish.output.report import PageSection
from hedgerow.risk.report_page import build_risk_page
from hedgerow.risk.table.column_subsets import ColumnSubset
from hedgerow.risk.table.equivalence_classes import SizeBand
from hedgerow.risk.table.linkage import Linkage
from hedgerow.risk.table.uniqueness import Uniqueness

__all__ = ["build_table_page", "format_percent"]

_MAX_LISTED_SETS: Final = 20  # sets of columns in a list
_MAX_DRAWN_COLUMNS: Final = 40  # columns in a picture
_UNIQUENESS_TEXT: Final = (
    "Rows are taken for people. Somebody is unique on some columns when nobody else in the table"
    " has the same values in all of them: whoever knows these values of a person finds the row, and"
    " reads everything else that stands in it."
)
_GUESSING_TEXT: Final = (
    "An attacker who knows that a person is in the table, and knows these columns, guesses among"
    " the rows that agree. The risk is the chance that the guess is right, averaged over everybody."
)
_LINKAGE_TEXT: Final = (
    "A row has as many possible matches as rows of the other file agree with it. Where one row here"
    " and one row there agree and no others do, they are the same person, if that person is in both"
    " files."
)


def format_percent(part: Fraction | float) -> str:
    """With as many digits as tell it from nothing and from all."""
    value = 100 * float(part)
    if 0 < value < 0.1 or 99.9 < value < 100:
        return "under 0.1 %" if value < 1 else "over 99.9 %"
    return f"{value:.1f} %" if value % 1 else f"{value:.0f} %"


def build_table_page(
    name: str, found: Uniqueness, linked: Linkage | None = None, other: str = ""
) -> str:
    """The report as HTML. ``name`` is that of the data, ``other`` that of what they were linked
    with.
    """
    whole = found.classes
    facts = [
        ("Rows", f"{found.rows:,}"),
        (
            "Columns",
            ", ".join(found.columns[:_MAX_LISTED_SETS])
            + (
                f" and {len(found.columns) - _MAX_LISTED_SETS:,} more"
                if found.columns[_MAX_LISTED_SETS:]
                else ""
            ),
        ),
        ("Unique", f"{whole.unique:,} rows, {format_percent(whole.unique_fraction)}"),
        ("k-anonymity", f"k = {whole.smallest:,}"),
        ("Mean risk", format_percent(whole.mean_risk)),
        ("In classes under 5", format_percent(whole.fraction_below(5))),
    ]
    sections = [
        _build_uniqueness_section(found),
        _build_steps_section(found),
        _build_sets_section(found),
        *_build_attacker_sections(found),
    ]
    if linked is not None:
        sections.append(_build_linkage_section(linked, other))
    return build_risk_page(f"Re-identification: {name}", facts, sections)


def _build_uniqueness_section(found: Uniqueness) -> PageSection:
    figure = _build_band_figure(
        "Rows by how many share their values, themselves included",
        found.classes.count_bands(),
        "rows that share them",
        found.rows,
    )
    return PageSection("Who is alone", (_UNIQUENESS_TEXT, *found.notes), figures=(figure,))


def _build_band_figure(caption: str, bands: Sequence[SizeBand], title: str, rows: int) -> Figure:
    drawing = draw_column_chart(
        [Bar(str(band), float(band.rows)) for band in bands], f"Bars: {caption.lower()}"
    )
    told = tuple(
        (str(band), f"{band.rows:,}", format_percent(Fraction(band.rows, rows))) for band in bands
    )
    return Figure(caption, drawing, (title, "rows", "of all"), told)


def _build_steps_section(found: Uniqueness) -> PageSection:
    steps: list[Bar] = []
    rows: list[tuple[str, ...]] = []
    before = Fraction(0)
    for step in found.steps[:_MAX_DRAWN_COLUMNS]:
        label = step.columns[-1] if not steps else f"+ {step.columns[-1]}"
        steps.append(Bar(label, round(float(100 * step.unique_fraction), 1)))
        rows.append(
            (
                label,
                f"{step.unique:,}",
                format_percent(step.unique_fraction),
                format_percent(step.unique_fraction - before),
            )
        )
        before = step.unique_fraction
    caption = "Percent of rows that are unique, one more column known on each line"
    left = (
        f"The first {_MAX_DRAWN_COLUMNS} of {len(found.steps):,} columns."
        if found.steps[_MAX_DRAWN_COLUMNS:]
        else ""
    )
    figure = Figure(
        caption,
        draw_bar_chart(steps, f"Bars: {caption.lower()}"),
        ("column", "unique", "of all", "added"),
        tuple(rows),
        left,
    )
    return PageSection("What each column adds", figures=(figure,))


def _build_sets_section(found: Uniqueness) -> PageSection:
    least = (
        f"at least {format_percent(found.share)} of the rows" if found.share < 1 else "every row"
    )
    named = found.identifying
    words = f"Searched: {_describe_search(found)}."
    if named:
        words += (
            f" {len(named):,} of them {'makes' if len(named) == 1 else 'make'} {least} unique and"
            " can spare no column."
        )
    else:
        words += f" None makes {least} unique; shown is the most identifying of each size."
    if named[_MAX_LISTED_SETS:]:
        words += f" The first {_MAX_LISTED_SETS} are listed; --json has all."
    shown = named[:_MAX_LISTED_SETS] if named else found.most_identifying
    rows = tuple(
        (
            _format_subset(each),
            f"{each.unique:,}",
            format_percent(Fraction(each.unique, found.rows)),
        )
        for each in shown
    )
    return PageSection(
        "The smallest sets that identify", (words,), ("columns", "unique", "of all"), rows
    )


def _describe_search(found: Uniqueness) -> str:
    return (
        "one set, to which the best column is added each time"
        if found.searched == "greedy"
        else f"{found.searched} columns"
    )


def _format_subset(subset: ColumnSubset) -> str:
    return ", ".join(subset.columns)


def _build_attacker_sections(found: Uniqueness) -> list[PageSection]:
    if not found.attackers:
        return []
    rows = tuple(
        (f"any {each.knows}", format_percent(each.unique), format_percent(each.worst_unique), format_percent(each.risk), format_percent(each.worst_risk),
         ", ".join(each.worst))
        for each in found.attackers
    )  # fmt: skip
    titles = ("knows", "unique", "at worst", "risk", "at worst", "the worst columns")
    drawn = [Bar(f"{each.knows} known, {what}", round(float(100 * value), 1))
             for each in found.attackers for what, value in (("average", each.unique), ("worst", each.worst_unique))]  # fmt: skip
    caption = "Percent of rows that are unique to somebody who knows so many columns"
    figure = Figure(caption, draw_bar_chart(drawn, f"Bars: {caption.lower()}"), titles, rows)
    return [PageSection("An attacker who knows some columns", (_GUESSING_TEXT,), figures=(figure,))]


def _build_linkage_section(linked: Linkage, other: str) -> PageSection:
    words: tuple[str, ...] = (
        _LINKAGE_TEXT,
        (
            f"On {', '.join(linked.on)}: {linked.certain_count:,} of {linked.rows[0]:,} rows are"
            f" matched for certain with {other}, {linked.linked_count:,} have a possible match"
            f" there, and of one-to-one guesses about {format_number(linked.expected_correct)} are"
            " right if everybody who can be in both files is."
        ),
    )
    if any(linked.incomplete):
        words += (
            (
                f"Rows that lack one of the values are not linked: {linked.incomplete[0]:,} here,"
                f" {linked.incomplete[1]:,} there."
            ),
        )
    return PageSection(f"Who is in {other}", words, figures=(_build_band_figure(
        f"How many rows have how many possible matches in {other}", linked.match_bands, "matches", linked.rows[0]),))  # fmt: skip
