"""Pieces of chapters for the tests that draw them, and the text of a drawn page."""

from __future__ import annotations

import io
from fractions import Fraction

from rich.console import Console, RenderableType

from hedgerow.charts.text_bars import TextBar
from hedgerow.demo.chapter import QuestionReceipt
from hedgerow.demo.layout import THEME
from hedgerow.privacy.budget_view import Balance

ACCOUNT = Balance(Fraction(1), Fraction(6, 10))
RECEIPT = QuestionReceipt(3, Fraction(3, 10), False, ACCOUNT)
FREE = QuestionReceipt(3, Fraction(0), True, ACCOUNT)
COUNTS = (TextBar("north", 500, 440, 560, 510), TextBar("south", 90, 30, 150, 77))
MEANS = (TextBar("north", 50, 45, 55, 51), TextBar("south", 60, 55, 65, 52))


def draw_page(page: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=78, theme=THEME, color_system=None, highlight=False)
    console.print(page)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return "\n".join(line.rstrip() for line in text.splitlines())


def assert_paid(page: str) -> None:
    assert page.rstrip().endswith("budget  ████████████▒▒▒▒▒▒▒▒▒░░░░░░░░░  0.3 paid, 0.4 of 1 left")


def assert_left(page: str) -> None:
    assert page.rstrip().endswith("budget  ████████████░░░░░░░░░░░░░░░░░░  0.4 of 1 left")
