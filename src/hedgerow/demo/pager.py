"""Draws the tour in a terminal. Everything reads without colour too: what colour says is also
said in words or shapes.
"""

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
from hedgerow.demo import render as draw
from hedgerow.demo.chapters import (
    Again,
    Attacked,
    Audited,
    Chapter,
    Discovered,
    Explained,
    Filtered,
    Grouped,
    Kept,
    Protected,
    Refused,
    Spent,
    Unpaid,
)

__all__ = ["THEME", "TourPrinter"]

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
_MAX_WIDTH = 100
_CHAPTER_PAGES: dict[type[Any], tuple[str, Callable[[Any, int], RenderableType]]] = {
    Protected: ("Who is protected?", draw.protected),
    Explained: ("What would it cost?", draw.explained),
    Grouped: ("What does a visit cost?", draw.grouped),
    Again: ("The same question again", draw.again),
    Discovered: ("Keys that nobody declared", draw.discovered),
    Filtered: ("Some of the rows", draw.filtered),
    Refused: ("What no budget buys", draw.refused),
    Attacked: ("Averaging the noise away", draw.attacked),
    Spent: ("One question too many", draw.spent),
    Kept: ("The receipts", draw.kept),
    Unpaid: ("", draw.unpaid),
    Audited: ("Why not just numpy?", draw.audited),
}


class TourPrinter:
    """Prints chapter after chapter, numbered."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._chapter_number = 0
        self.width = min(console.width, _MAX_WIDTH)

    def print_opening(self, policy: Path, made: bool) -> None:
        """Who speaks, about what."""
        state = "made just now" if made else "kept from before; --reset makes it anew"
        again = "" if made else " What was asked before comes back from the ledger, free."
        self._print(
            Text.assemble(
                ("Hedgerow", "head"), f" {hedgerow.__version__}, differential privacy at work\n"
            ),
            f"The clinic in [name]{policy.parent}[/] is made up ({state}). The noise is"
            f" real.{again} An analyst sees the answers. What only the custodian of the data sees"
            " is marked [truth]◆[/].",
        )

    def print_chapter(self, chapter: Chapter) -> None:
        """One chapter, under its title."""
        self._chapter_number += 1
        title, drawn = _CHAPTER_PAGES[type(chapter)]
        self._print_rule(
            f"{self._chapter_number}  {chapter.title if isinstance(chapter, Unpaid) else title}"
        )
        self._print(drawn(chapter, self.width - 2))

    def print_closing(self, policy: Path) -> None:
        """Where to go from here."""
        self._print_rule("Now you")
        lines = (
            (
                f"hedgerow query {policy} --custodian ",
                '"SELECT sex, AVG(bmi) FROM patients GROUP BY sex"',
            ),
            (f"hedgerow budget {policy}", ""),
            ("hedgerow init your.csv", ""),
        )
        told = ("the default price is epsilon 0.1", "what is left", "a policy for data of your own")
        self._print(
            *(
                Text.assemble((command, "name"), (rest, "name"), f"  # {word}")
                for (command, rest), word in zip(lines, told, strict=True)
            ),
        )

    def _print_rule(self, title: str) -> None:
        with self._console.use_theme(THEME):
            self._console.print()
            self._console.print(
                Rule(Text(title, style="head"), align="left", style="green"), width=self.width
            )
            self._console.print()

    def _print(self, *parts: RenderableType) -> None:
        with self._console.use_theme(THEME):
            self._console.print(
                Padding(Group(*parts), (0, 0, 0, 2)), width=self.width, highlight=False
            )
