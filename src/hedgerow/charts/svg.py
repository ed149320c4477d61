"""Plots as plain SVG text, to stand inside a page: bars with error bars, a line with its band, a
table in shades.

They take their colours from the page (``currentColor`` and the classes of ``report``), so that they
are right in the dark, in the light and on paper. Each says in words what it shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

__all__ = [
    "Bar",
    "compute_ticks",
    "draw_bar_chart",
    "draw_column_chart",
    "draw_heatmap",
    "draw_line_chart",
    "format_number",
]

_WIDTH = 720
_CHARACTER_WIDTH = 6.6  # of text of 12 pixels, about
_MAX_LABEL_LENGTH = 28  # characters of a label


@dataclass(frozen=True, slots=True)
class Bar:
    """A count with its interval, if it has one. Under an axis its label may be a shorter one."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    short_label: str = ""

    @property
    def extent(self) -> tuple[float, float]:
        """From where to where it is drawn."""
        return (
            self.value if self.low is None else min(self.low, self.value),
            self.value if self.high is None else max(self.high, self.value),
        )


def format_number(value: float, digits: int = 4) -> str:
    """So many digits, and no exponent where zeros are easier to read."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    if abs(value) >= 1e15 or abs(value) < 1e-4:
        return f"{value:.3g}".replace("-", "−")
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{places}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def compute_ticks(low: float, high: float, many: int = 5) -> list[float]:
    """Round numbers from below ``low`` to above ``high``, about so many."""
    span = (high - low) or abs(high) or 1.0
    rough = span / many
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * nice for nice in (1, 2, 2.5, 5, 10) if power * nice >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [place * step for place in range(first, max(last, first + 1) + 1)]


def _choose_axis(given: Sequence[Bar]) -> tuple[float, list[float]]:
    """Where the axis begins, and the round numbers on it, 0 among them; below 0 it goes no
    further than something is drawn.
    """
    least, most = (
        min(0.0, *(bar.extent[0] for bar in given)),
        max(0.0, *(bar.extent[1] for bar in given)),
    )
    marks = [mark for mark in compute_ticks(least, most) if mark >= least]
    return least, marks if len(marks) > 1 else compute_ticks(0.0, 1.0)


def draw_column_chart(given: Sequence[Bar], words: str) -> str:
    """Upright bars, for bins in their order."""
    left, top, height = 64, 12, 220
    least, marks = _choose_axis(given)
    at = _build_scale(least, marks[-1], top + height, top)
    wide = (_WIDTH - left - 12) / len(given)
    parts = [_draw_line(left, at(mark), _WIDTH - 12, at(mark), "grid") for mark in marks]
    parts += [_draw_text(left - 8, at(mark) + 4, format_number(mark), "end") for mark in marks]
    for place, bar in enumerate(given):
        x, gap = left + place * wide, min(wide * 0.12, 6)
        y, base = at(bar.value), at(0)
        parts.append(
            _draw_box(x + gap, min(y, base), wide - 2 * gap, abs(base - y), _format_tooltip(bar))
        )
        if bar.low is not None and bar.high is not None:
            parts.append(_draw_whisker(x + wide / 2, at(bar.low), at(bar.high), min(wide * 0.2, 6)))
    parts.append(_draw_line(left, at(0), _WIDTH - 12, at(0), "axis"))
    labels, below = _draw_labels(
        [bar.short_label or bar.label for bar in given], left, wide, top + height
    )
    return _wrap_svg(_WIDTH, top + height + below, words, parts + labels)


def draw_bar_chart(given: Sequence[Bar], words: str) -> str:
    """Bars that lie, for names: one line each."""
    left = 16 + _CHARACTER_WIDTH * min(max(len(bar.label) for bar in given), _MAX_LABEL_LENGTH)
    line_height, top = 22, 6
    least, marks = _choose_axis(given)
    at = _build_scale(least, marks[-1], left, _WIDTH - 70)
    bottom = top + line_height * len(given)
    parts = [_draw_line(at(mark), top, at(mark), bottom, "grid") for mark in marks]
    parts += [_draw_text(at(mark), bottom + 16, format_number(mark), "middle") for mark in marks]
    for place, bar in enumerate(given):
        y = top + place * line_height
        start, stop = sorted((at(0), at(bar.value)))
        parts.append(_draw_text(left - 8, y + 15, _shorten_label(bar.label), "end"))
        parts.append(_draw_box(start, y + 4, stop - start, line_height - 8, _format_tooltip(bar)))
        if bar.low is not None and bar.high is not None:
            parts.append(
                _draw_whisker(y + line_height / 2, at(bar.low), at(bar.high), 4, lying=True)
            )
        parts.append(
            _draw_text(at(bar.extent[1]) + 8, y + 15, format_number(bar.value), "start", "value")
        )
    parts.append(_draw_line(at(0), top, at(0), bottom, "axis"))
    return _wrap_svg(_WIDTH, bottom + 24, words, parts)


def draw_line_chart(given: Sequence[Bar], words: str) -> str:
    """A line through the values in their order, with a band between the ends of their intervals."""
    left, top, height = 64, 12, 220
    least, marks = _choose_axis(given)
    at = _build_scale(least, marks[-1], top + height, top)
    wide = (_WIDTH - left - 12) / len(given)
    xs = [left + (place + 0.5) * wide for place in range(len(given))]
    parts = [_draw_line(left, at(mark), _WIDTH - 12, at(mark), "grid") for mark in marks]
    parts += [_draw_text(left - 8, at(mark) + 4, format_number(mark), "end") for mark in marks]
    upper = [f"{x:.1f},{at(bar.extent[1]):.1f}" for x, bar in zip(xs, given, strict=True)]
    lower = [f"{x:.1f},{at(bar.extent[0]):.1f}" for x, bar in zip(xs, given, strict=True)]
    parts.append(f'<polygon class="band" points="{" ".join(upper + lower[::-1])}"/>')
    path = " ".join(f"{x:.1f},{at(bar.value):.1f}" for x, bar in zip(xs, given, strict=True))
    parts += [
        f'<polyline class="line" points="{path}"/>',
        _draw_line(left, at(0), _WIDTH - 12, at(0), "axis"),
    ]
    labels, below = _draw_labels(
        [bar.short_label or bar.label for bar in given], left, wide, top + height
    )
    return _wrap_svg(_WIDTH, top + height + below, words, parts + labels)


def draw_heatmap(
    rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], words: str
) -> str:
    """A table in which more is darker. What is 0 or less is empty."""
    left = 16 + _CHARACTER_WIDTH * min(max(map(len, rows)), _MAX_LABEL_LENGTH)
    wide, top = min((_WIDTH - left - 60) / len(columns), 64.0), 6
    high = min(max(wide, 14.0), 26.0)
    most = max(max(map(max, values)), 1e-300)
    told = (
        max(len(format_number(value, 3)) for line_ in values for value in line_) * _CHARACTER_WIDTH
        + 6
        < wide
    )
    parts = []
    for i, row in enumerate(rows):
        y = top + i * high
        if i % max(1, math.ceil(12 / high)) == 0:
            parts.append(_draw_text(left - 8, y + high / 2 + 4, _shorten_label(row), "end"))
        for j, value in enumerate(values[i]):
            shade, short = max(value, 0.0) / most, format_number(value, 3)
            tip = f"{row}, {columns[j]}: {format_number(value)}"
            parts.append(
                _draw_box(
                    left + j * wide,
                    y,
                    wide - 1,
                    high - 1,
                    tip,
                    f' fill-opacity="{0.04 + 0.96 * shade:.3f}"',
                )
            )
            if told:
                over = "over" if shade > 0.72 else "value"
                parts.append(
                    _draw_text(
                        left + (j + 0.5) * wide - 0.5, y + high / 2 + 4, short, "middle", over
                    )
                )
    labels, below = _draw_labels(columns, left, wide, top + high * len(rows))
    return _wrap_svg(_WIDTH, top + high * len(rows) + below, words, parts + labels)


def _build_scale(low: float, high: float, start: float, stop: float) -> Callable[[float], float]:
    return lambda value: start + (value - low) / ((high - low) or 1.0) * (stop - start)


def _draw_labels(
    names: Sequence[str], left: float, wide: float, y: float
) -> tuple[list[str], float]:
    """Names below, level if they fit, else aslant; only every so many of them where they are
    close. And how much room they take.
    """
    longest = max(min(len(name), _MAX_LABEL_LENGTH) for name in names) * _CHARACTER_WIDTH
    if longest + 8 <= wide * max(1, len(names) // 12):
        every = max(1, math.ceil((longest + 8) / wide))
        return [
            _draw_text(left + (place + 0.5) * wide, y + 16, _shorten_label(name), "middle")
            for place, name in enumerate(names)
            if place % every == 0
        ], 26.0
    every = max(1, math.ceil(24 / wide))
    found = []
    for place, name in enumerate(names):
        if place % every == 0:
            x = left + (place + 0.5) * wide
            turned = f' transform="rotate(-40 {x:.1f} {y + 14:.1f})"'
            found.append(_draw_text(x + 3, y + 14, _shorten_label(name), "end", more=turned))
    return found, 22 + longest * 0.66


def _shorten_label(name: str) -> str:
    return name if len(name) <= _MAX_LABEL_LENGTH else name[: _MAX_LABEL_LENGTH - 1] + "…"


def _format_tooltip(bar: Bar) -> str:
    interval = (
        ""
        if bar.low is None or bar.high is None
        else f" (95 %: {format_number(bar.low)} to {format_number(bar.high)})"
    )
    return f"{bar.label}: {format_number(bar.value)}{interval}"


def _wrap_svg(width: float, height: float, words: str, parts: Sequence[str]) -> str:
    inner = "".join(parts)
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img"'
        f' aria-label="{escape(words)}">{inner}</svg>'
    )


def _draw_line(x: float, y: float, u: float, v: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}"/>'


def _draw_box(x: float, y: float, width: float, height: float, tip: str, more: str = "") -> str:
    shape = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.0):.1f}" height="{max(height, 0.0):.1f}"'
    return f'<rect class="bar" {shape}{more}><title>{escape(tip)}</title></rect>'


def _draw_whisker(
    across_: float, start: float, stop: float, half: float, *, lying: bool = False
) -> str:
    a, b, c, d, e = (
        f"{value:.1f}" for value in (across_ - half, across_ + half, across_, start, stop)
    )
    path = (
        f"M{d} {a}V{b}M{d} {c}H{e}M{e} {a}V{b}"
        if lying
        else f"M{a} {d}H{b}M{c} {d}V{e}M{a} {e}H{b}"
    )
    return f'<path class="whisker" d="{path}"/>'


def _draw_text(
    x: float, y: float, words: str, anchor: str, kind: str = "label", more: str = ""
) -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"'
        f' text-anchor="{anchor}"{more}>{escape(words)}</text>'
    )
