"""The tour on paper: every chapter has a page, at any width, with and without colour."""

from __future__ import annotations

import io
from pathlib import Path
from typing import get_args

import pytest
from rich.console import Console

from hedgerow.demo import clinic, show
from hedgerow.demo.chapters import Chapter
from hedgerow.demo.tour import tour


@pytest.fixture(scope="module")
def chapters() -> list[Chapter]:
    return list(tour(clinic.invent()))


def printed(chapters: list[Chapter], width: int, *, colour: bool = False) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=colour, color_system="standard" if colour else None)
    pages = show.Pages(console)
    pages.opening(Path("demo/visits.csv"), made=False)
    for chapter in chapters:
        pages.chapter(chapter)
    pages.closing()
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def test_every_chapter_has_a_page() -> None:
    assert set(show._PAGES) == set(get_args(Chapter))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_keeps_to_the_width(chapters: list[Chapter], width: int) -> None:
    lines = printed(chapters, width).splitlines()
    assert max(map(len, lines)) <= min(width, 100)


def test_pages_are_numbered_in_order(chapters: list[Chapter]) -> None:
    text = printed(chapters, 80)
    titles = [f"{number}  {title}" for number, (title, _) in enumerate(show._PAGES.values(), 1)]
    places = [text.index(title) for title in titles]
    assert places == sorted(places)


def test_colour_adds_nothing_but_colour(chapters: list[Chapter]) -> None:
    from rich.text import Text

    plain, coloured = printed(chapters, 80), printed(chapters, 80, colour=True)
    assert "\x1b" not in plain
    assert "\x1b" in coloured
    assert Text.from_ansi(coloured).plain.rstrip() == plain.rstrip()
