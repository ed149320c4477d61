"""The tour on paper: every chapter has a page, at any width, with and without colour."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest
from rich.console import Console

from demo import pages
from hedgerow.charts.text_bars import TextBar
from hedgerow.demo import pager as show
from hedgerow.demo.chapters import (
    Again,
    Attacked,
    Audited,
    Chapter,
    Charge,
    Discovered,
    Explained,
    Filtered,
    Finding,
    Grouped,
    Kept,
    Protected,
    Refusal,
    Refused,
    Spent,
    Unpaid,
)

SQL = (
    "SELECT region, COUNT(*) AS visits, AVG(cost) AS mean_cost\nFROM visits WHERE diagnosis = 'lung"
    " cancer' AND age >= 40 GROUP BY region"
)
LONG = "word " * 60
CHAPTERS: list[Chapter] = [
    Protected("demo/clinic.toml", "patient_id", "add-remove", 0.95, 100_000, pages.ACCOUNT),
    Explained(SQL, LONG, 5, Fraction(2, 10), pages.ACCOUNT),
    Grouped(SQL, pages.COUNTS, pages.MEANS, pages.RECEIPT),
    Again(SQL, True, pages.FREE),
    Discovered(
        SQL,
        567,
        (TextBar("a very long diagnosis", 31_000, 30_000, 32_000, 31_500),),
        (("x", 3),),
        pages.RECEIPT,
    ),
    Filtered(SQL, pages.COUNTS, pages.MEANS, pages.RECEIPT),
    Refused((Refusal(SQL, LONG),), pages.ACCOUNT),
    Attacked(50, 1, SQL, Fraction(1, 10), pages.COUNTS, 5.0, 2.0, 1.0, LONG, 6, pages.ACCOUNT),
    Spent(SQL, Fraction(1), LONG, pages.ACCOUNT),
    Kept(
        "demo/clinic.ledger",
        18,
        True,
        Fraction(1),
        (Charge(3, "ana", "COUNT(*), AVG(cost) of visits", Fraction(1)),),
    ),
    Unpaid("A title of its own", SQL, LONG, pages.ACCOUNT),
    Audited((Finding("ours", 1.0, 0.9, "output >= 1", False),), 50_000, 0.95),
]


def printed(width: int, *, colour: bool = False, made: bool = False) -> str:
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
    )
    shown = show.TourPrinter(console)
    shown.print_opening(Path("demo/clinic.toml"), made=made)
    for chapter in CHAPTERS:
        shown.print_chapter(chapter)
    shown.print_closing(Path("demo/clinic.toml"))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def test_every_chapter_has_a_page() -> None:
    assert (
        set(show._CHAPTER_PAGES)
        == set(get_args(Chapter))
        == {type(chapter) for chapter in CHAPTERS}
    )


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_keeps_to_the_width(width: int) -> None:
    assert max(map(len, printed(width).splitlines())) <= min(width, 100)


def test_pages_are_numbered_in_order() -> None:
    text = printed(80)
    titles = [
        f"{number}  {title or 'A title of its own'}"
        for number, (title, _) in enumerate(show._CHAPTER_PAGES.values(), 1)
    ]
    places = [text.index(title) for title in titles]
    assert places == sorted(places)


def test_the_opening_says_what_is_new_and_what_is_free() -> None:
    assert "made just now" in printed(80, made=True)
    assert "free" in " ".join(printed(80).split("1  Who")[0].split())


def test_colour_adds_nothing_but_colour() -> None:
    from rich.text import Text

    plain, coloured = printed(80), printed(80, colour=True)
    assert "\x1b" not in plain
    assert "\x1b" in coloured
    assert Text.from_ansi(coloured).plain.rstrip() == plain.rstrip()
