"""Answers and explanations as tables with intervals, for a terminal and for a notebook."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from hedgerow.answers.clipping_caveats import WARNING
from hedgerow.answers.estimates.estimate import Interval
from hedgerow.charts.number_text import format_size

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "AggregateView",
    "AnswerColumn",
    "AnswerView",
    "ExplanationView",
    "ReceiptView",
    "build_answer_columns",
    "build_answer_table",
    "describe_payment",
    "format_answer_notes",
    "format_answer_warnings",
    "format_omitted_rows",
    "render_answer_html",
    "render_answer_text",
    "render_explanation_html",
    "render_explanation_text",
    "render_table_html",
    "render_table_text",
]

_MAX_SHOWN_ROWS = 60
_WIDTH, _HEIGHT = 120, 14  # of an error bar in a notebook
_NUMBER_STYLE, _TEXT_STYLE = "text-align:right;white-space:nowrap", "text-align:left"


class ReceiptView(Protocol):
    """The fields of a receipt that are shown."""

    @property
    def entry(self) -> int: ...
    @property
    def epsilon(self) -> Fraction: ...
    @property
    def reused(self) -> bool: ...


class AnswerView(Protocol):
    """The fields of an answer that are shown."""

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
    """The fields of one explained aggregate that are shown."""

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
    """The fields of an explanation that are shown."""

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
class AnswerColumn:
    """A column as text; ``interval_texts`` is None for a column without intervals."""

    name: str
    is_number: bool
    cells: list[str]
    pairs: Sequence[Interval]
    interval_texts: list[str] | None


def build_answer_columns(answer: AnswerView) -> list[AnswerColumn]:
    found = []
    for name in answer.columns:
        values = [row[name] for row in answer.rows[:_MAX_SHOWN_ROWS]]
        pairs = answer.interval(name, rows=_MAX_SHOWN_ROWS)
        decimals = _count_decimals(pairs)
        is_number = any(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
        # Keys get no thousands separators: a year or a room number is not an amount.
        cells = [_format_value(value, decimals, plain=name in answer.keys) for value in values]
        has_intervals = any(pair is not None for pair in pairs)
        intervals = _format_intervals(pairs, decimals) if has_intervals else None
        found.append(AnswerColumn(name, is_number, cells, pairs, intervals))
    return found


def _count_decimals(pairs: Sequence[Interval]) -> int | None:
    """Return the decimals worth showing: two digits of the narrowest interval; None where there
    is no interval."""
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
    # Text comes from the data: control characters must not steer the terminal.
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(value)
    )


def _format_intervals(pairs: Sequence[Interval], places: int | None) -> list[str]:
    """Format intervals with both ends aligned."""
    ends = [
        ("", "") if pair is None else tuple(_format_value(end, places) for end in pair)
        for pair in pairs
    ]
    left, right = (max(map(len, side)) for side in zip(*ends, strict=True))
    return [f"{low:>{left}} … {high:>{right}}" if high else "" for low, high in ends]


def format_answer_notes(answer: AnswerView) -> list[str]:
    """Format the lines below the table: omitted rows, the cost, and the notes."""
    lines = format_omitted_rows(len(answer.rows))
    lines += [] if answer.rows else [_describe_no_rows(answer.notes)]
    lines.append(describe_payment(answer))
    return lines + [note for note in answer.notes if not note.startswith(WARNING)]


def describe_payment(answer: AnswerView) -> str:
    """Return what an answer cost, and the ledger entry of its charge."""
    receipt = answer.receipt
    price = "Answered before, free now" if receipt.reused else f"Cost: {answer.cost}"
    return f"{price} · ledger entry {receipt.entry}"


def format_answer_warnings(answer: AnswerView) -> list[str]:
    """Format the lines above the table."""
    return [note for note in answer.notes if note.startswith(WARNING)]


def format_omitted_rows(count: int) -> list[str]:
    """Format the line about omitted rows, if there are any."""
    if count <= _MAX_SHOWN_ROWS:
        return []
    more = count - _MAX_SHOWN_ROWS
    return [f"… and {more:,} more rows. Read them all in .rows, or print them with --format csv."]


def _describe_no_rows(notes: Sequence[str]) -> str:
    if any(note.startswith("Groups with a noisy count below") for note in notes):
        return "Every group is hidden: no noisy count is large enough."
    return "HAVING, LIMIT or OFFSET leaves no rows."


def build_answer_table(
    answer: AnswerView, *, intervals: bool = True, names: Sequence[str] | None = None
) -> Table:
    """Build a rich table with each number beside its interval, unless ``intervals`` is False;
    ``names`` are the columns to show."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    columns = [one for one in build_answer_columns(answer) if names is None or one.name in names]
    if not intervals:
        columns = [replace(column, interval_texts=None) for column in columns]
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


def render_answer_text(answer: AnswerView, *, intervals: bool = True) -> str:
    """Render an answer for the terminal."""
    warnings = "".join(f"{line}\n\n" for line in format_answer_warnings(answer))
    notes = format_answer_notes(answer)
    return warnings + render_table_text(answer, notes, intervals=intervals)


def render_table_text(answer: AnswerView, notes: Sequence[str], *, intervals: bool = True) -> str:
    """Render the table of an answer as text, with notes below."""
    from rich.console import Console

    out = io.StringIO()
    # Without force_jupyter, rich shows the table in a notebook by itself and writes nothing here.
    console = Console(
        file=out, width=400, color_system=None, legacy_windows=False, force_jupyter=False
    )
    console.print(build_answer_table(answer, intervals=intervals))
    lines = [line.rstrip() for line in out.getvalue().splitlines() if line.strip()]
    return "\n".join([*lines, "", *notes])


def render_answer_html(answer: AnswerView) -> str:
    """Render an answer for a notebook, with an error bar for each interval."""
    columns = build_answer_columns(answer)
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
                interval = escape(column.interval_texts[place])
                rows[place] += f'<td style="{_NUMBER_STYLE}">{interval}</td><td>{bars[place]}</td>'
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    warnings = "".join(f"<p><b>{escape(line)}</b></p>" for line in format_answer_warnings(answer))
    return warnings + render_table_html(titles, body, format_answer_notes(answer))


def render_table_html(titles: str, body: str, notes: Sequence[str]) -> str:
    """Render a table of HTML cells with its notes below."""
    foot = "<br>".join(map(escape, notes))
    return (
        f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
        f"<p><small>{foot}</small></p>"
    )


def _draw_error_bars(values: Sequence[Any], pairs: Sequence[Interval]) -> list[str]:
    """Draw one error bar for each row, all on one axis: a line between the ends, a dot at the
    answer."""
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
            f"This question was answered before, at epsilon {format_size(float(paid.epsilon))}"
            f" (ledger entry {paid.entry}): asking again is free."
        ]
    count = explanation.questions_left
    covers = f"covers {count:,} such question{'s' * (count != 1)}"
    return [
        f"This question would cost {explanation.cost}. The {explanation.limited_by}"
        f" {covers if explanation.covered else 'does not cover it'}."
    ]


def _describe_aggregates(explanation: ExplanationView) -> list[tuple[str, str]]:
    """Return each aggregate with a description of its error."""
    found = []
    for line in explanation.lines:
        error, per = line.note, "/n"
        if line.expected_error is not None and line.error_95 is not None:
            expected, at_most = format_size(line.expected_error), format_size(line.error_95)
            error, per = f"off by about {expected}, at most {at_most} (95 %)", ""
        how = line.mechanism
        if line.scale is not None:
            how += f" noise, scale {format_size(line.scale)}{per}"
        found.append((line.aggregate, f"{error}; {how}"))
    return found


def render_explanation_text(explanation: ExplanationView, *, notes: bool = True) -> str:
    """Render the cost, the errors and the notes of an explanation; its ``steps`` are left out."""
    lines = _describe_aggregates(explanation)
    wide = max((len(name) for name, _ in lines), default=0)
    return "\n".join(
        [
            *_describe_price(explanation),
            *(f"  {name:<{wide}}  {error}" for name, error in lines),
            *(explanation.notes if notes else ()),
        ]
    )


def render_explanation_html(explanation: ExplanationView) -> str:
    """Render an explanation for a notebook; its steps unfold."""
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
