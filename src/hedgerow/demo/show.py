"""Draws the tour in a terminal. Everything reads without colour too: what colour says is also said in words or shapes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text
from rich.theme import Theme

import hedgerow
from hedgerow.demo import draw
from hedgerow.demo.chapters import Audited, Averaged, Chapter, Chosen, Counted, Histogram, Led, Protected, Refusal, Survey

__all__ = ["THEME", "Pages"]

THEME = Theme(
    {
        "head": "bold green",
        "name": "cyan",
        "answer": "bold",
        "truth": "magenta",
        "bar": "green",
        "error": "bold",
        "left": "green",
        "low": "yellow",
        "paid": "red",
        "faint": "dim",
        "good": "bold green",
        "bad": "bold red",
    }
)
_WIDEST = 100
_PAGES: dict[type[Any], tuple[str, Callable[[Any, int], RenderableType]]] = {
    Protected: ("Who is protected?", draw.protected),
    Counted: ("How many patients are there?", draw.counted),
    Averaged: ("How old are they on average?", draw.averaged),
    Histogram: ("How many of each age?", draw.histogram),
    Chosen: ("What do most of them have?", draw.chosen),
    Led: ("By how much does it lead?", draw.led),
    Survey: ("What if nobody is trusted?", draw.survey),
    Refusal: ("One question too many", draw.refusal),
    Audited: ("Why not just numpy?", draw.audited),
}


class Pages:
    """Prints chapter after chapter, numbered."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._number = 0
        self.width = min(console.width, _WIDEST)

    def opening(self, file: Path, made: bool) -> None:
        """Who speaks, about what."""
        state = "made just now" if made else "kept from before; --reset makes it anew"
        self._print(
            Text.assemble(("Hedgerow", "head"), f" {hedgerow.__version__}, differential privacy at work\n"),
            f"The clinic in [name]{file}[/] is made up ({state}). The noise is real: every tour gives other numbers. "
            "An analyst sees the answers. What only the custodian of the data sees is marked [truth]◆[/].",
        )

    def chapter(self, chapter: Chapter) -> None:
        """One chapter, under its title."""
        self._number += 1
        title, drawn = _PAGES[type(chapter)]
        self._rule(f"{self._number}  {title}")
        self._print(drawn(chapter, self.width - 2))

    def closing(self) -> None:
        """Where to go from here."""
        self._rule("Next")
        self._print(
            "[name]docs/ten-minutes.md[/] does all this in Python. [name]hedgerow audit FILE:FUNCTION[/] tests a mechanism of your own."
        )

    def _rule(self, title: str) -> None:
        with self._console.use_theme(THEME):
            self._console.print()
            self._console.print(Rule(Text(title, style="head"), align="left", style="green"), width=self.width)
            self._console.print()

    def _print(self, *parts: RenderableType) -> None:
        with self._console.use_theme(THEME):
            self._console.print(Padding(Group(*parts), (0, 0, 0, 2)), width=self.width, highlight=False)
