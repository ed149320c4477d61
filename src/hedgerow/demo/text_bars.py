"""Bars with error bars, in text.

    flu     31,728  ██████████├──┼◆─┤

The bar is full up to the lower end of the interval; the interval is the bracket, ``┼`` the answer,
``◆`` (for the custodian) the truth.
"""

from __future__ import annotations

from rich.text import Text

from hedgerow.demo.chapters import TextBar

__all__ = ["draw_bar", "draw_gauge", "draw_interval", "draw_span"]

FULL, PAID, EMPTY = "█", "▒", "░"
_LEFT, _LINE, _RIGHT, _ANSWER, _TRUTH = "├", "─", "┤", "┼", "◆"


def draw_bar(item: TextBar, top: float, width: int) -> Text:
    """One bar on an axis that runs from 0 to ``top`` over ``width`` cells."""
    low, answer, high, truth = _scale_to_cells(item, 0, top, width)
    text = Text()  # a base style would colour the bracket as well
    text.append(FULL * low, style="bar")
    text.append_text(draw_interval(low, answer, high, truth))
    return text


def draw_span(item: TextBar, start: float, end: float, width: int) -> Text:
    """The bracket alone, on an axis that runs from ``start`` to ``end``."""
    low, answer, high, truth = _scale_to_cells(item, start, end, width)
    first = min(low, truth)
    text = Text(" " * first)
    if truth < low:
        text.append(_TRUTH, style="truth")
        text.append(" " * (low - truth - 1))
    text.append_text(draw_interval(low, answer, high, truth))
    return text


def _scale_to_cells(item: TextBar, start: float, end: float, width: int) -> list[int]:
    scale = (width - 1) / ((end - start) or 1)
    return [
        min(max(round((value - start) * scale), 0), width - 1)
        for value in (item.low, item.answer, item.high, item.truth)
    ]


def draw_interval(low: int, answer: int, high: int, truth: int) -> Text:
    """The bracket from cell ``low`` to cell ``high``; a truth outside it is drawn where it is,
    further right or not at all.
    """
    cells = dict.fromkeys(range(low, high + 1), _LINE)
    cells |= {low: _LEFT, high: _RIGHT, answer: _ANSWER}
    if truth >= low:
        cells[truth] = _TRUTH
    text = Text()
    for place in range(low, max(cells) + 1):
        mark = cells.get(place, " ")
        text.append(mark, style="truth" if mark == _TRUTH else "error")
    return text


def draw_gauge(left: float, paid: float, width: int) -> Text:
    """A budget of 1: what is left, what was just paid, what was gone before. What is left shows
    while it is above 0.
    """
    end, kept = round((left + paid) * width), round(left * width)
    kept = max(kept, int(left > 0))
    text = Text()
    text.append(FULL * kept, style="left" if left > 0.5 else "low")
    text.append(PAID * (end - kept), style="paid")
    text.append(EMPTY * (width - max(end, kept)), style="faint")
    return text
