"""Bars and intervals in text, for terminals.

    flu     31,728  ██████████├──┼◆─┤

The bar is full up to the lower end of the interval. The bracket is the interval, ``┼`` the answer,
``◆`` the truth, which only the custodian sees.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text

__all__ = ["EMPTY", "FULL", "TextBar", "draw_bar", "draw_gauge", "draw_span", "fill_cells"]

FULL, PAID, EMPTY = "█", "▒", "░"
_LEFT, _LINE, _RIGHT, _ANSWER, _TRUTH = "├", "─", "┤", "┼", "◆"


@dataclass(frozen=True)
class TextBar:
    """An answer with its 95 % interval and the truth."""

    label: str
    answer: float
    low: float
    high: float
    truth: float


def fill_cells(value: float, top: float, width: int, mark: str = FULL) -> str:
    """Draw a plain bar that has ``width`` cells at ``top``."""
    return mark * round(value / top * width)


def draw_bar(item: TextBar, top: float, width: int) -> Text:
    """Draw a bar with its interval on an axis from 0 to ``top`` over ``width`` cells."""
    low, answer, high, truth = _scale_to_cells(item, 0, top, width)
    text = Text()  # a base style here would colour the bracket as well
    text.append(FULL * low, style="bar")
    text.append_text(_draw_interval(low, answer, high, truth))
    return text


def draw_span(item: TextBar, start: float, end: float, width: int) -> Text:
    """Draw the interval alone on an axis from ``start`` to ``end`` over ``width`` cells."""
    low, answer, high, truth = _scale_to_cells(item, start, end, width)
    text = Text(" " * min(low, truth))
    if truth < low:
        text.append(_TRUTH, style="truth")
        text.append(" " * (low - truth - 1))
    text.append_text(_draw_interval(low, answer, high, truth))
    return text


def draw_gauge(left: float, paid: float, width: int) -> Text:
    """Draw a budget of 1: what is left, what was just paid, and what was spent before. Anything
    left above 0 shows as at least one cell.
    """
    end, kept = round((left + paid) * width), max(round(left * width), int(left > 0))
    text = Text()
    text.append(FULL * kept, style="left" if left > 0.5 else "low")
    text.append(PAID * (end - kept), style="paid")
    text.append(EMPTY * (width - max(end, kept)), style="faint")
    return text


def _scale_to_cells(item: TextBar, start: float, end: float, width: int) -> list[int]:
    scale = (width - 1) / ((end - start) or 1)
    return [
        min(max(round((value - start) * scale), 0), width - 1)
        for value in (item.low, item.answer, item.high, item.truth)
    ]


def _draw_interval(low: int, answer: int, high: int, truth: int) -> Text:
    """Draw the bracket from cell ``low`` to cell ``high``, and a truth that is not left of it."""
    cells = dict.fromkeys(range(low, high + 1), _LINE)
    cells |= {low: _LEFT, high: _RIGHT, answer: _ANSWER}
    if truth >= low:
        cells[truth] = _TRUTH
    text = Text()
    for place in range(low, max(cells) + 1):
        mark = cells.get(place, " ")
        text.append(mark, style="truth" if mark == _TRUTH else "error")
    return text
