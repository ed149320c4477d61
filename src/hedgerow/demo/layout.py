"""The building blocks of the tour's pages: questions, charts, paragraphs and the budget.

Pages read without colour too: shapes or words repeat whatever colour shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from hedgerow.charts.text_bars import TextBar, draw_bar, draw_gauge, draw_span
from hedgerow.demo.chapter import QuestionReceipt
from hedgerow.privacy.budget_view import Balance

__all__ = [
    "THEME",
    "format_number",
    "show_below",
    "show_budget",
    "show_chart",
    "show_receipt",
    "show_rows",
    "show_sql",
    "show_text",
]

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
_GAUGE_WIDTH = 30


def format_number(value: float) -> str:
    """Return a whole number with separators."""
    return f"{value:,.0f}"


def show_below(part: RenderableType) -> Padding:
    """Put an empty line above a part of the page."""
    return Padding(part, (1, 0, 0, 0))


def show_text(text: str) -> Padding:
    """Draw a paragraph."""
    return show_below(Text(text))


def show_sql(sql: str, *notes: str) -> Padding:
    """Draw a question, with notes above it."""
    shown = Syntax(sql, "sql", theme="ansi_dark", background_color="default", word_wrap=True)
    return Padding(Group(*(Text(line, style="faint") for line in notes), shown), (0, 0, 1, 0))


def show_budget(account: Balance, cost: Fraction = Fraction(0)) -> Padding:
    """Draw the budget that is left, and the cost that was just paid from it."""
    total, left = float(account.total), float(account.left)
    paid = f"{float(cost):g} paid, " if cost else ""
    gauge = draw_gauge(left / total, float(cost) / total, _GAUGE_WIDTH)
    amount = f"{left:g} of {total:g} left", "answer"
    return show_below(Text.assemble("budget  ", gauge, f"  {paid}", amount))


def show_receipt(receipt: QuestionReceipt) -> RenderableType:
    """Draw the budget after a question, and say so if the question was free."""
    budget = show_budget(receipt.account, receipt.cost)
    if not receipt.reused:
        return budget
    free = f"Paid for before, by ledger entry {receipt.entry}: free now."
    return Group(show_below(Text(free, style="good")), budget)


def show_rows(titles: Sequence[str], numbers: Sequence[str] = ()) -> Table:
    """Return an empty table without borders; the columns ``numbers`` are aligned right."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="faint")
    for title in titles:
        table.add_column(title, justify="right" if title in numbers else "left")
    return table


def show_chart(
    head: tuple[str, str], bars: Sequence[TextBar], width: int, *, zoomed: bool = False
) -> Table:
    """Draw label, answer and bar with interval of each row, and the truth at the right."""
    answers = [
        format_number(bar.answer)
        if zoomed
        else f"{format_number(bar.answer)} ± {format_number((bar.high - bar.low) / 2)}"
        for bar in bars
    ]
    truths = [format_number(bar.truth) for bar in bars]
    label_width = max(5, *map(len, [head[0], *(bar.label for bar in bars)]))
    answer_width = max(map(len, [head[1], *answers]))
    truth_width = max(map(len, ["◆", *truths]))
    space = max(width - label_width - answer_width - truth_width - 6, 10)
    top = max([1.0, *(max(bar.high, bar.truth) for bar in bars)])
    start = min((min(bar.low, bar.truth) for bar in bars), default=0.0) if zoomed else 0.0
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(justify="right", width=label_width)
    rows.add_column(justify="right", width=answer_width)
    rows.add_column(width=space, no_wrap=True)
    rows.add_column(justify="right", width=truth_width)
    axis = format_number(start) + format_number(top).rjust(space - len(format_number(start)))
    rows.add_row(*(Text(word, style="faint") for word in (*head, axis)), Text("◆", style="truth"))
    for bar, answer, truth in zip(bars, answers, truths, strict=True):
        drawn = draw_span(bar, start, top, space) if zoomed else draw_bar(bar, top, space)
        rows.add_row(bar.label, Text(answer, style="answer"), drawn, Text(truth, style="truth"))
    return rows
