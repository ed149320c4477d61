"""Answers and explanations as people look at them: tables with intervals, in a terminal and in a notebook."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from hedgerow.answers.estimates import Interval

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "Aggregated",
    "Paid",
    "Shown",
    "Told",
    "answer_notes",
    "answer_table",
    "explanation_html",
    "explanation_text",
    "html_table",
    "more",
    "size",
    "text_table",
]

_SHOWN = 60
_WIDTH, _HEIGHT = 120, 14  # of an error bar in a notebook
_NUMBER, _TEXT = "text-align:right;white-space:nowrap", "text-align:left"


class Paid(Protocol):
    """What is shown of a receipt."""

    @property
    def entry(self) -> int: ...
    @property
    def epsilon(self) -> Fraction: ...
    @property
    def reused(self) -> bool: ...


class Shown(Protocol):
    """What is shown of an answer."""

    @property
    def columns(self) -> Sequence[str]: ...
    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def cost(self) -> object: ...
    @property
    def receipt(self) -> Paid: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def keys(self) -> frozenset[str]: ...
    def interval(self, column: str, /, *, rows: int | None) -> Sequence[Interval]: ...


class Aggregated(Protocol):
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


class Told(Protocol):
    """What is shown of an explanation."""

    @property
    def cost(self) -> object: ...
    @property
    def lines(self) -> Sequence[Aggregated]: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def steps(self) -> Sequence[str]: ...
    @property
    def receipt(self) -> Paid | None: ...
    @property
    def covered(self) -> bool: ...
    @property
    def questions_left(self) -> int: ...
    @property
    def short(self) -> str: ...


@dataclass(frozen=True, slots=True)
class _Column:
    """A column as text; ``intervals`` is None for keys and the like."""

    name: str
    number: bool
    cells: list[str]
    pairs: Sequence[Interval]
    intervals: list[str] | None


def _columns(answer: Shown) -> list[_Column]:
    found = []
    for name in answer.columns:
        values, pairs = [row[name] for row in answer.rows[:_SHOWN]], answer.interval(name, rows=_SHOWN)
        places = _places(pairs)
        number = any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
        intervals = _intervals(pairs, places) if any(pair is not None for pair in pairs) else None
        plain = name in answer.keys  # years and numbers of rooms are no amounts
        found.append(_Column(name, number, [_text(value, places, plain=plain) for value in values], pairs, intervals))
    return found


def _places(pairs: Sequence[Interval]) -> int | None:
    """Decimals that are worth showing: two digits of the narrowest interval. None where nothing says how exact a number is."""
    widths = [pair[1] - pair[0] for pair in pairs if pair is not None and pair[1] > pair[0]]
    return min(max(1 - math.floor(math.log10(min(widths) / 2)), 0), 12) if widths else None


def _text(value: Any, places: int | None = None, *, plain: bool = False) -> str:
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
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(value))


def _intervals(pairs: Sequence[Interval], places: int | None) -> list[str]:
    """Aligned, so that the eye can run down either end."""
    ends = [("", "") if pair is None else (_text(pair[0], places), _text(pair[1], places)) for pair in pairs]
    left, right = (max(map(len, side)) for side in zip(*ends, strict=True))
    return [f"{low:>{left}} … {high:>{right}}" if high else "" for low, high in ends]


def answer_notes(answer: Shown) -> list[str]:
    """What stands under the table: rows that are left out, the price, and what to know when reading it."""
    receipt = answer.receipt
    lines = more(len(answer.rows))
    lines += [] if answer.rows else [_nothing(answer.notes)]
    price = "Answered before, free now" if receipt.reused else f"Cost: {answer.cost}"
    lines.append(f"{price} · ledger entry {receipt.entry}")
    return lines + list(answer.notes)


def more(count: int) -> list[str]:
    """A line about the rows that are left out, where some are."""
    return [f"… and {count - _SHOWN:,} rows more: all are in .rows, and printed by --format csv"] if count > _SHOWN else []


def _nothing(notes: Sequence[str]) -> str:
    hidden = any(note.startswith("Groups are shown from") for note in notes)
    return f"No group reached {'the noisy count from which groups are shown' if hidden else 'what HAVING, LIMIT and OFFSET leave'}."


def answer_table(answer: Shown) -> Table:
    """For a rich console: each number with its interval at its right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    columns = _columns(answer)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(Text(column.name), justify="right" if column.number else "left", no_wrap=column.number)
        if column.intervals is not None:
            table.add_column(Text("95 % interval", style="dim"), style="dim", no_wrap=True)
    for place in range(min(len(answer.rows), _SHOWN)):
        cells = [text for column in columns for text in (column.cells, column.intervals) if text is not None]
        table.add_row(*(Text(text[place]) for text in cells))
    return table


def text_table(answer: Shown) -> str:
    """For the terminal."""
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=400, color_system=None, legacy_windows=False).print(answer_table(answer))
    lines = [line.rstrip() for line in out.getvalue().splitlines() if line.strip()]
    return "\n".join([*lines, "", *answer_notes(answer)])


def html_table(answer: Shown) -> str:
    """For a notebook, with an error bar for each number that has an interval."""
    columns = _columns(answer)
    titles, rows = "", ["" for _ in answer.rows[:_SHOWN]]
    for column in columns:
        style = _NUMBER if column.number else _TEXT
        titles += f'<th style="{style}">{escape(column.name)}</th>'
        bars = None
        if column.intervals is not None:
            titles += f'<th style="{_TEXT}" colspan="2">95 % interval</th>'
            bars = _bars([row[column.name] for row in answer.rows[:_SHOWN]], column.pairs)
        for place, cell in enumerate(column.cells):
            rows[place] += f'<td style="{style}">{escape(cell)}</td>'
            if column.intervals is not None and bars is not None:
                rows[place] += f'<td style="{_NUMBER}">{escape(column.intervals[place])}</td><td>{bars[place]}</td>'
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    foot = "<br>".join(escape(line) for line in answer_notes(answer))
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table><p><small>{foot}</small></p>"


def _bars(values: Sequence[Any], pairs: Sequence[Interval]) -> list[str]:
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
        dot = f'<circle cx="{at(value)}" cy="{_HEIGHT // 2}" r="3" fill="currentColor" stroke="none"/>'
        inner = f'<g stroke="currentColor" fill="none">{line}{ends}{dot}</g>'
        drawn.append(f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="error bar">{inner}</svg>')
    return drawn


def _price(explanation: Told) -> list[str]:
    if (paid := explanation.receipt) is not None:
        return [f"It was answered before, for epsilon {size(float(paid.epsilon))} (ledger entry {paid.entry}): asking again is free."]
    many, covers = explanation.questions_left, explanation.covered
    what = f"The {explanation.short}"
    left = f"{what} covers {many:,} such question{'s' * (many != 1)}." if covers else f"{what} does not cover it."
    return [f"It would cost {explanation.cost}. {left}"]


def _lines(explanation: Told) -> list[tuple[str, str]]:
    """Each aggregate, and how good its answer would be."""
    found = []
    for line in explanation.lines:
        per = ""
        if line.expected_error is None or line.error_95 is None:
            error, per = line.note, "/n"
        else:
            error = f"off by about {size(line.expected_error)}, with 95 % by at most {size(line.error_95)}"
        how = line.mechanism if line.scale is None else f"{line.mechanism} noise, scale {size(line.scale)}{per}"
        found.append((line.aggregate, f"{error} ({how})"))
    return found


def size(value: float) -> str:
    """Four digits, and no exponent where zeros are easier to read."""
    short = f"{value:.4g}"
    return f"{float(short):,.0f}" if 1000 <= abs(value) < 1e15 else short


def explanation_text(explanation: Told) -> str:
    """Price, error, and what the answer leaves out. The steps are in ``steps``."""
    lines = _lines(explanation)
    wide = max((len(name) for name, _ in lines), default=0)
    return "\n".join([*_price(explanation), *(f"  {name:<{wide}}  {error}" for name, error in lines), *explanation.notes])


def explanation_html(explanation: Told) -> str:
    """For a notebook; the steps unfold."""
    price = "<br>".join(map(escape, _price(explanation)))
    rows = "".join(
        f'<tr><td style="{_TEXT}"><code>{escape(name)}</code></td><td style="{_TEXT}">{escape(error)}</td></tr>'
        for name, error in _lines(explanation)
    )
    notes = "<br>".join(map(escape, explanation.notes))
    steps = "".join(f"<li>{escape(step)}</li>" for step in explanation.steps)
    how = f"<details><summary>Step by step</summary><ol>{steps}</ol></details>"
    return f"<p>{price}</p><table><tbody>{rows}</tbody></table><p><small>{notes}</small></p>{how}"
