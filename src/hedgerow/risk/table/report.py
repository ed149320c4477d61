"""The report on a table as a page: who is alone, what each column adds, which sets identify, what attackers can do, who can be linked."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hedgerow.publish.pictures import Figure
from hedgerow.publish.report import Section
from hedgerow.publish.svg import Bar, across, bars, number
from hedgerow.risk.page import page
from hedgerow.risk.table.classes import Band
from hedgerow.risk.table.linkage import Linkage
from hedgerow.risk.table.subsets import Subset
from hedgerow.risk.table.uniqueness import Uniqueness

__all__ = ["percent", "table_page"]

_SHOWN: Final = 20  # sets of columns in a list
_DRAWN: Final = 40  # columns in a picture
_WHO: Final = (
    "Rows are taken for people. Somebody is unique on some columns when nobody else in the table has the same values in all of them: "
    "whoever knows these values of a person finds the row, and reads everything else that stands in it."
)
_GUESS: Final = (
    "An attacker who knows that a person is in the table, and knows these columns, guesses among the rows that agree. The risk is the "
    "chance that the guess is right, averaged over everybody."
)
_LINK: Final = (
    "A row has as many possible matches as rows of the other file agree with it. Where one row here and one row there agree and no others "
    "do, they are the same person, if that person is in both files."
)


def percent(part: Fraction | float) -> str:
    """With as many digits as tell it from nothing and from all."""
    value = 100 * float(part)
    if 0 < value < 0.1 or 99.9 < value < 100:
        return "under 0.1 %" if value < 1 else "over 99.9 %"
    return f"{value:.1f} %" if value % 1 else f"{value:.0f} %"


def table_page(name: str, found: Uniqueness, linked: Linkage | None = None, other: str = "") -> str:
    """The report as HTML. ``name`` is that of the data, ``other`` that of what they were linked with."""
    whole = found.classes
    facts = [
        ("Rows", f"{found.rows:,}"),
        ("Columns", ", ".join(found.columns[:_SHOWN]) + (f" and {len(found.columns) - _SHOWN:,} more" if found.columns[_SHOWN:] else "")),
        ("Unique", f"{whole.unique:,} rows, {percent(whole.unique_fraction)}"),
        ("k-anonymity", f"k = {whole.smallest:,}"),
        ("Mean risk", percent(whole.mean_risk)),
        ("In classes under 5", percent(whole.below(5))),
    ]
    sections = [_alone(found), _steps(found), _sets(found), *_attackers(found)]
    if linked is not None:
        sections.append(_linked(linked, other))
    return page(f"Re-identification: {name}", facts, sections)


def _alone(found: Uniqueness) -> Section:
    figure = _banded("Rows by how many share their values, themselves included", found.classes.bands(), "rows that share them", found.rows)
    return Section("Who is alone", (_WHO, *found.notes), figures=(figure,))


def _banded(caption: str, bands: Sequence[Band], title: str, rows: int) -> Figure:
    drawing = bars([Bar(str(band), float(band.rows)) for band in bands], f"Bars: {caption.lower()}")
    told = tuple((str(band), f"{band.rows:,}", percent(Fraction(band.rows, rows))) for band in bands)
    return Figure(caption, drawing, (title, "rows", "of all"), told)


def _steps(found: Uniqueness) -> Section:
    steps: list[Bar] = []
    rows: list[tuple[str, ...]] = []
    before = Fraction(0)
    for step in found.steps[:_DRAWN]:
        label = step.columns[-1] if not steps else f"+ {step.columns[-1]}"
        steps.append(Bar(label, round(float(100 * step.unique_fraction), 1)))
        rows.append((label, f"{step.unique:,}", percent(step.unique_fraction), percent(step.unique_fraction - before)))
        before = step.unique_fraction
    caption = "Percent of rows that are unique, one more column known on each line"
    left = f"The first {_DRAWN} of {len(found.steps):,} columns." if found.steps[_DRAWN:] else ""
    figure = Figure(caption, across(steps, f"Bars: {caption.lower()}"), ("column", "unique", "of all", "added"), tuple(rows), left)
    return Section("What each column adds", figures=(figure,))


def _sets(found: Uniqueness) -> Section:
    least = f"at least {percent(found.share)} of the rows" if found.share < 1 else "every row"
    named = found.identifying
    words = f"Searched: {_searched(found)}."
    if named:
        words += f" {len(named):,} of them {'makes' if len(named) == 1 else 'make'} {least} unique and can spare no column."
    else:
        words += f" None makes {least} unique; shown is the most identifying of each size."
    if named[_SHOWN:]:
        words += f" The first {_SHOWN} are listed; --json has all."
    shown = named[:_SHOWN] if named else found.most_identifying
    rows = tuple((_set(each), f"{each.unique:,}", percent(Fraction(each.unique, found.rows))) for each in shown)
    return Section("The smallest sets that identify", (words,), ("columns", "unique", "of all"), rows)


def _searched(found: Uniqueness) -> str:
    return "one set, to which the best column is added each time" if found.searched == "greedy" else f"{found.searched} columns"


def _set(subset: Subset) -> str:
    return ", ".join(subset.columns)


def _attackers(found: Uniqueness) -> list[Section]:
    if not found.attackers:
        return []
    rows = tuple(
        (f"any {each.knows}", percent(each.unique), percent(each.worst_unique), percent(each.risk), percent(each.worst_risk),
         ", ".join(each.worst))
        for each in found.attackers
    )  # fmt: skip
    titles = ("knows", "unique", "at worst", "risk", "at worst", "the worst columns")
    drawn = [Bar(f"{each.knows} known, {what}", round(float(100 * value), 1))
             for each in found.attackers for what, value in (("average", each.unique), ("worst", each.worst_unique))]  # fmt: skip
    caption = "Percent of rows that are unique to somebody who knows so many columns"
    figure = Figure(caption, across(drawn, f"Bars: {caption.lower()}"), titles, rows)
    return [Section("An attacker who knows some columns", (_GUESS,), figures=(figure,))]


def _linked(linked: Linkage, other: str) -> Section:
    words: tuple[str, ...] = (
        _LINK,
        f"On {', '.join(linked.on)}: {linked.certain:,} of {linked.rows[0]:,} rows are matched for certain with {other}, "
        f"{linked.linked:,} have a possible match there, and of one-to-one guesses about {number(linked.expected)} are right if everybody "
        "who can be in both files is.",
    )
    if any(linked.incomplete):
        words += (f"Rows that lack one of the values are not linked: {linked.incomplete[0]:,} here, {linked.incomplete[1]:,} there.",)
    return Section(f"Who is in {other}", words, figures=(_banded(
        f"How many rows have how many possible matches in {other}", linked.possible, "matches", linked.rows[0]),))  # fmt: skip
