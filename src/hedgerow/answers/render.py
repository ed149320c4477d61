"""Answers and explanations as people look at them: tables with intervals, in a terminal and in a
notebook.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from hedgerow.answers.estimates.estimate import Interval
from hedgerow.numeric.formatting import format_size

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "AggregateView",
    "AnswerView",
    "ExplanationView",
    "ReceiptView",
    "build_answer_table",
    "format_answer_notes",
    "format_omitted_rows",
    "render_answer_html",
    "render_answer_text",
    "render_explanation_html",
    "render_explanation_text",
]

_MAX_SHOWN_ROWS = 60
_WIDTH, _HEIGHT = 120, 14  # of an error bar in a notebook
_NUMBER_STYLE, _TEXT_STYLE = "text-align:right;white-space:nowrap", "text-align:left"


class ReceiptView(Protocol):
    """What is shown of a receipt."""

    @property
    def entry(self) -> int: ...
    @property
    def epsilon(self) -> Fraction: ...
    @property
    def reused(self) -> bool: ...


class AnswerView(Protocol):
    """What is shown of an answer."""

    @property
    def columns(self) -> Sequence[str]: ...
    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def cost(self) -> object: ...
    @property
    def receipt(self) -> ReceiptView: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def keys(self) -> frozenset[str]: ...
    def interval(self, column: str, /, *, rows: int | None) -> Sequence[Interval]: ...


class AggregateView(Protocol):
    """What is shown of one aggregate of an explanation."""

    @property
    def aggregate(self) -> str: ...
    @property
    def mechanism(self) -> str: ...
    @property
    def scale(self) -> float | None: ...
    @property
    def expected_error(self) -> float | None: ...
    @property
    def error_95(self) -> float | None: ...
    @property
    def note(self) -> str: ...


class ExplanationView(Protocol):
    """What is shown of an explanation."""

    @property
    def cost(self) -> object: ...
    @property
    def lines(self) -> Sequence[AggregateView]: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def steps(self) -> Sequence[str]: ...
    @property
    def receipt(self) -> ReceiptView | None: ...
    @property
    def covered(self) -> bool: ...
    @property
    def questions_left(self) -> int: ...
    @property
    def limited_by(self) -> str: ...


@dataclass(frozen=True, slots=True)
class _TableColumn:
    """A column as text; ``intervals`` is None for keys and the like."""

    name: str
    is_number: bool
    cells: list[str]
    pairs: Sequence[Interval]
    interval_texts: list[str] | None


def _build_columns(answer: AnswerView) -> list[_TableColumn]:
    found = []
    for name in answer.columns:
        values, pairs = (
            [row[name] for row in answer.rows[:_MAX_SHOWN_ROWS]],
            answer.interval(name, rows=_MAX_SHOWN_ROWS),
        )
        places = _count_decimals(pairs)
        number = any(
            isinstance(value, (int, float)) and not isinstance(value, bool) for value in values
        )
        intervals = (
            _format_intervals(pairs, places) if any(pair is not None for pair in pairs) else None
        )
        plain = name in answer.keys  # years and numbers of rooms are no amounts
        found.append(
            _TableColumn(
                name,
                number,
                [_format_value(value, places, plain=plain) for value in values],
                pairs,
                intervals,
            )
        )
    return found


def _count_decimals(pairs: Sequence[Interval]) -> int | None:
    """Decimals that are worth showing: two digits of the narrowest interval. None where nothing
    says how exact a number is.
    """
    widths = [pair[1] - pair[0] for pair in pairs if pair is not None and pair[1] > pair[0]]
    return min(max(1 - math.floor(math.log10(min(widths) / 2)), 0), 12) if widths else None


def _format_value(value: Any, places: int | None = None, *, plain: bool = False) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value}" if plain else f"{value:,}"
    if isinstance(value, float):
        if places is not None:
            return f"{value:,.{places}f}"
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    # Text comes from the data: what is no letter must not steer a terminal or turn the line round.
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(value)
    )


def _format_intervals(pairs: Sequence[Interval], places: int | None) -> list[str]:
    """Aligned, so that the eye can run down either end."""
    ends = [
        (
            ("", "")
            if pair is None
            else (_format_value(pair[0], places), _format_value(pair[1], places))
        )
        for pair in pairs
    ]
    left, right = (max(map(len, side)) for side in zip(*ends, strict=True))
    return [f"{low:>{left}} … {high:>{right}}" if high else "" for low, high in ends]


def format_answer_notes(answer: AnswerView) -> list[str]:
    """What stands under the table: rows that are left out, the price, and what to know when
    reading it.
    """
    receipt = answer.receipt
    lines = format_omitted_rows(len(answer.rows))
    lines += [] if answer.rows else [_describe_no_rows(answer.notes)]
    price = "Answered before, free now" if receipt.reused else f"Cost: {answer.cost}"
    lines.append(f"{price} · ledger entry {receipt.entry}")
    return lines + list(answer.notes)


def format_omitted_rows(count: int) -> list[str]:
    """A line about the rows that are left out, where some are."""
    return (
        [
            f"… and {count - _MAX_SHOWN_ROWS:,} rows more: all are in .rows, and printed by"
            " --format csv"
        ]
        if count > _MAX_SHOWN_ROWS
        else []
    )


def _describe_no_rows(notes: Sequence[str]) -> str:
    hidden = any(note.startswith("Groups are shown from") for note in notes)
    return (
        "No group reached"
        f" {'the noisy count from which groups are shown' if hidden else 'what HAVING, LIMIT and OFFSET leave'}."
    )


def build_answer_table(answer: AnswerView) -> Table:
    """For a rich console: each number with its interval at its right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    columns = _build_columns(answer)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(
            Text(column.name),
            justify="right" if column.is_number else "left",
            no_wrap=column.is_number,
        )
        if column.interval_texts is not None:
            table.add_column(Text("95 % interval", style="dim"), style="dim", no_wrap=True)
    for place in range(min(len(answer.rows), _MAX_SHOWN_ROWS)):
        cells = [
            text
            for column in columns
            for text in (column.cells, column.interval_texts)
            if text is not None
        ]
        table.add_row(*(Text(text[place]) for text in cells))
    return table


def render_answer_text(answer: AnswerView) -> str:
    """For the terminal."""
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=400, color_system=None, legacy_windows=False).print(
        build_answer_table(answer)
    )
    lines = [line.rstrip() for line in out.getvalue().splitlines() if line.strip()]
    return "\n".join([*lines, "", *format_answer_notes(answer)])


def render_answer_html(answer: AnswerView) -> str:
    """For a notebook, with an error bar for each number that has an interval."""
    columns = _build_columns(answer)
    titles, rows = "", ["" for _ in answer.rows[:_MAX_SHOWN_ROWS]]
    for column in columns:
        style = _NUMBER_STYLE if column.is_number else _TEXT_STYLE
        titles += f'<th style="{style}">{escape(column.name)}</th>'
        bars = None
        if column.interval_texts is not None:
            titles += f'<th style="{_TEXT_STYLE}" colspan="2">95 % interval</th>'
            bars = _draw_error_bars(
                [row[column.name] for row in answer.rows[:_MAX_SHOWN_ROWS]], column.pairs
            )
        for place, cell in enumerate(column.cells):
            rows[place] += f'<td style="{style}">{escape(cell)}</td>'
            if column.interval_texts is not None and bars is not None:
                rows[place] += (
                    f'<td style="{_NUMBER_STYLE}">{escape(column.interval_texts[place])}</td><td>{bars[place]}</td>'
                )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    foot = "<br>".join(escape(line) for line in format_answer_notes(answer))
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table><p><small>{foot}</small></p>"


def _draw_error_bars(values: Sequence[Any], pairs: Sequence[Interval]) -> list[str]:
    """One drawing for each row, all on one axis: a line between the ends, a dot at the answer."""
    known = [pair for pair in pairs if pair is not None]
    low, high = float(min(pair[0] for pair in known)), float(max(pair[1] for pair in known))
    scale = (_WIDTH - 8) / ((high - low) or 1.0)

    def at(value: Any) -> str:
        return f"{4 + (float(value) - low) * scale:.1f}"

    drawn = []
    for value, pair in zip(values, pairs, strict=True):
        if pair is None or value is None:
            drawn.append("")
            continue
        ends = "".join(f'<path d="M{at(end)} 3V{_HEIGHT - 3}"/>' for end in pair)
        line = f'<path d="M{at(pair[0])} {_HEIGHT // 2}H{at(pair[1])}"/>'
        dot = (
            f'<circle cx="{at(value)}" cy="{_HEIGHT // 2}" r="3" fill="currentColor"'
            ' stroke="none"/>'
        )
        inner = f'<g stroke="currentColor" fill="none">{line}{ends}{dot}</g>'
        drawn.append(
            f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="error'
            f' bar">{inner}</svg>'
        )
    return drawn


def _describe_price(explanation: ExplanationView) -> list[str]:
    if (paid := explanation.receipt) is not None:
        return [
            f"It was answered before, for epsilon {format_size(float(paid.epsilon))} (ledger entry"
            f" {paid.entry}): asking again is free."
        ]
    many, covers = explanation.questions_left, explanation.covered
    what = f"The {explanation.limited_by}"
    left = (
        f"{what} covers {many:,} such question{'s' * (many != 1)}."
        if covers
        else f"{what} does not cover it."
    )
    return [f"It would cost {explanation.cost}. {left}"]


def _describe_aggregates(explanation: ExplanationView) -> list[tuple[str, str]]:
    """Each aggregate, and how good its answer would be."""
    found = []
    for line in explanation.lines:
        per = ""
        if line.expected_error is None or line.error_95 is None:
            error, per = line.note, "/n"
        else:
            error = (
                f"off by about {format_size(line.expected_error)}, with 95 % by at most"
                f" {format_size(line.error_95)}"
            )
        how = (
            line.mechanism
            if line.scale is None
            else f"{line.mechanism} noise, scale {format_size(line.scale)}{per}"
        )
        found.append((line.aggregate, f"{error} ({how})"))
    return found


def render_explanation_text(explanation: ExplanationView) -> str:
    """Price, error, and what the answer leaves out. The steps are in ``steps``."""
    lines = _describe_aggregates(explanation)
    wide = max((len(name) for name, _ in lines), default=0)
    return "\n".join(
        [
            *_describe_price(explanation),
            *(f"  {name:<{wide}}  {error}" for name, error in lines),
            *explanation.notes,
        ]
    )


def render_explanation_html(explanation: ExplanationView) -> str:
    """For a notebook; the steps unfold."""
    price = "<br>".join(map(escape, _describe_price(explanation)))
    rows = "".join(
        f'<tr><td style="{_TEXT_STYLE}"><code>{escape(name)}</code></td><td'
        f' style="{_TEXT_STYLE}">{escape(error)}</td></tr>'
        for name, error in _describe_aggregates(explanation)
    )
    notes = "<br>".join(map(escape, explanation.notes))
    steps = "".join(f"<li>{escape(step)}</li>" for step in explanation.steps)
    how = f"<details><summary>Step by step</summary><ol>{steps}</ol></details>"
    return f"<p>{price}</p><table><tbody>{rows}</tbody></table><p><small>{notes}</small></p>{how}"
