"""The tour: its chapters in order, all under one budget in one ledger, and their printing.

The questions are the same every time, so a second tour gets its answers from the ledger for free.
The exact values beside the answers are read straight from the files: that is fine here, because
nobody in them is real.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

import hedgerow
from hedgerow.demo.answer_chapters import (
    DiscoveryChapter,
    FilterChapter,
    GroupsChapter,
    PriceChapter,
    ProtectionChapter,
    RepeatChapter,
)
from hedgerow.demo.audit_chapter import AuditChapter
from hedgerow.demo.chapter import Chapter, ClinicSession, PaidChapter
from hedgerow.demo.layout import THEME
from hedgerow.demo.limit_chapters import (
    AveragingChapter,
    ExhaustedBudgetChapter,
    LedgerChapter,
    RefusalChapter,
    UnpaidChapter,
)
from hedgerow.errors import BudgetExceeded

__all__ = ["CHAPTERS", "TourPrinter", "ask_chapter", "run_tour"]

CHAPTERS: tuple[type[PaidChapter], ...] = (
    ProtectionChapter,
    PriceChapter,
    GroupsChapter,
    RepeatChapter,
    DiscoveryChapter,
    FilterChapter,
    RefusalChapter,
    AveragingChapter,
    ExhaustedBudgetChapter,
    LedgerChapter,
    AuditChapter,
)
_MAX_WIDTH = 100


def run_tour(policy: Path) -> Iterator[Chapter]:
    """Ask the questions of one chapter after the other."""
    with hedgerow.open(policy) as db:
        session = ClinicSession(policy, db)
        for kind in CHAPTERS:
            yield ask_chapter(kind, session)


def ask_chapter(kind: type[PaidChapter], session: ClinicSession) -> Chapter:
    """Return a chapter, or a page that says that the budget no longer covers it."""
    try:
        return kind.ask(session)
    except BudgetExceeded as problem:
        return UnpaidChapter(kind.page_title, kind.question, str(problem), session.account)


class TourPrinter:
    """A printer of numbered chapters on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._chapter_number = 0
        self.width = min(console.width, _MAX_WIDTH)

    def print_opening(self, policy: Path, created: bool) -> None:
        """Print what the reader is about to see."""
        state = (
            "It was made just now."
            if created
            else "It is kept from before, so questions asked before are answered from the ledger,"
            " for free; --reset makes it anew."
        )
        self._print(
            Text.assemble(
                ("Hedgerow", "head"), f" {hedgerow.__version__}, differential privacy at work\n"
            ),
            f"The clinic in [name]{policy.parent}[/] is made up; the noise is real. {state} An"
            " analyst sees the answers. The mark [truth]◆[/] shows what only the custodian of the"
            " data sees.",
        )

    def print_chapter(self, chapter: Chapter) -> None:
        """Print one chapter under its number and title."""
        self._chapter_number += 1
        self._print_rule(f"{self._chapter_number}  {chapter.heading}")
        self._print(chapter.render(self.width - 2))

    def print_closing(self, policy: Path) -> None:
        """Print commands to try next."""
        self._print_rule("Now you")
        commands = (
            ("ask a question; by default it costs epsilon 0.1",
             f'hedgerow query {policy} --custodian "SELECT sex, AVG(bmi) FROM patients GROUP BY'
             ' sex"'),
            ("see what is left", f"hedgerow budget {policy}"),
            ("put it behind a web page and psql: a first account, then the service",
             f"hedgerow account add {policy} you --role custodian"),
            ("and open http://127.0.0.1:8800", f"hedgerow serve {policy}"),
            ("write a policy for your own data", "hedgerow init your.csv"),
        )  # fmt: skip
        for purpose, command in commands:
            self._print(Text(f"# {purpose}", style="faint"), Text(command, style="name"))

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
