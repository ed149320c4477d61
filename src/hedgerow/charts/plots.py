"""Plots of counts with their intervals: columns, bars, a line with its band, and a heat map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hedgerow.charts.svg import (
    CHARACTER_WIDTH,
    WIDTH,
    build_scale,
    compute_label_width,
    compute_ticks,
    draw_circle,
    draw_line,
    draw_polygon,
    draw_polyline,
    draw_rectangle,
    draw_text,
    draw_whisker,
    format_number,
    shorten_label,
    wrap_svg,
)

__all__ = ["Bar", "draw_bar_chart", "draw_column_chart", "draw_heatmap", "draw_line_chart"]

_LEFT, _RIGHT, _TOP, _HEIGHT = 64, 12, 12, 220  # the frame of columns and lines
_BAR_HEIGHT, _BAR_TOP = 22, 6


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval, if it has one. ``short_label`` replaces the label under an axis;
    ``interval_name`` says in the tooltip what kind of interval it is; ``written`` is the value as
    people read it, if a plain number would mislead.
    """

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    short_label: str = ""
    interval_name: str = "95 %:"
    written: str = ""

    @property
    def extent(self) -> tuple[float, float]:
        """The ends of everything that is drawn for this bar, except the axis."""
        return (
            self.value if self.low is None else min(self.low, self.value),
            self.value if self.high is None else max(self.high, self.value),
        )

    @property
    def value_label(self) -> str:
        """The value as it stands beside the bar."""
        return self.written or format_number(self.value)

    @property
    def tooltip(self) -> str:
        """The label, the value and its interval."""
        text = f"{self.label}: {self.value_label}"
        if self.low is None or self.high is None:
            return text
        ends = f"{format_number(self.low)} to {format_number(self.high)}"
        return f"{text} ({self.interval_name} {ends})"


def draw_column_chart(bars: Sequence[Bar], description: str, width: float = WIDTH) -> str:
    """Draw upright bars, for bins in their order."""
    at, parts = _draw_frame(bars, width)
    pitch = _column_pitch(bars, width)
    for place, bar in enumerate(bars):
        x, gap = _LEFT + place * pitch, min(pitch * 0.12, 6)
        y, base = at(bar.value), at(0)
        parts.append(
            draw_rectangle(x + gap, min(y, base), pitch - 2 * gap, abs(base - y), bar.tooltip)
        )
        if bar.low is not None and bar.high is not None:
            parts.append(
                draw_whisker(x + pitch / 2, at(bar.low), at(bar.high), min(pitch * 0.2, 6))
            )
    return _close_frame(bars, at, parts, description, width)


def draw_line_chart(
    bars: Sequence[Bar], description: str, width: float = WIDTH, *, has_whiskers: bool = False
) -> str:
    """Draw a line through the values in their order, with a band between their intervals' ends,
    and with each interval as well if they are few."""
    at, parts = _draw_frame(bars, width)
    pitch = _column_pitch(bars, width)
    xs = [_LEFT + (place + 0.5) * pitch for place in range(len(bars))]
    lower, upper = (
        [(x, at(bar.extent[end])) for x, bar in zip(xs, bars, strict=True)] for end in (0, 1)
    )
    parts.append(draw_polygon(upper + lower[::-1]))
    parts.append(draw_polyline((x, at(bar.value)) for x, bar in zip(xs, bars, strict=True)))
    if has_whiskers:
        for x, bar in zip(xs, bars, strict=True):
            low, high = bar.extent
            parts.append(draw_whisker(x, at(low), at(high), min(pitch * 0.2, 4)))
            parts.append(draw_circle(x, at(bar.value), 2.5, bar.tooltip))
    return _close_frame(bars, at, parts, description, width)


def draw_bar_chart(bars: Sequence[Bar], description: str, width: float = WIDTH) -> str:
    """Draw horizontal bars, for names: one line each, with the value beside it."""
    left = 16 + compute_label_width(bar.label for bar in bars)
    least, ticks = _choose_axis(bars, width)
    right = max(70, 16 + compute_label_width(bar.value_label for bar in bars))
    at = build_scale(least, ticks[-1], left, width - right)
    bottom = _BAR_TOP + _BAR_HEIGHT * len(bars)
    parts = [draw_line(at(tick), _BAR_TOP, at(tick), bottom, "grid") for tick in ticks]
    parts += [draw_text(at(tick), bottom + 16, format_number(tick), "middle") for tick in ticks]
    for place, bar in enumerate(bars):
        y = _BAR_TOP + place * _BAR_HEIGHT
        start, stop = sorted((at(0), at(bar.value)))
        parts.append(draw_text(left - 8, y + 15, shorten_label(bar.label), "end"))
        parts.append(draw_rectangle(start, y + 4, stop - start, _BAR_HEIGHT - 8, bar.tooltip))
        if bar.low is not None and bar.high is not None:
            middle = y + _BAR_HEIGHT / 2
            parts.append(draw_whisker(middle, at(bar.low), at(bar.high), 4, horizontal=True))
        parts.append(draw_text(at(bar.extent[1]) + 8, y + 15, bar.value_label, "start", "value"))
    parts.append(draw_line(at(0), _BAR_TOP, at(0), bottom, "axis"))
    return wrap_svg(bottom + 24, description, parts, width)


def draw_heatmap(
    rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]], description: str
) -> str:
    """Draw a table in which a higher value is darker; a value of 0 or less is empty."""
    left = 16 + compute_label_width(rows)
    width, top = min((WIDTH - left - 60) / len(columns), 64.0), 6
    height = min(max(width, 14.0), 26.0)
    highest = max(max(map(max, values)), 1e-300)
    longest = max(len(format_number(value, 3)) for line in values for value in line)
    numbers_fit = longest * CHARACTER_WIDTH + 6 < width
    parts = []
    for i, row in enumerate(rows):
        y = top + i * height
        if i % max(1, math.ceil(12 / height)) == 0:
            parts.append(draw_text(left - 8, y + height / 2 + 4, shorten_label(row), "end"))
        for j, value in enumerate(values[i]):
            x, shade = left + j * width, max(value, 0.0) / highest
            tooltip = f"{row}, {columns[j]}: {format_number(value)}"
            fill = f' fill-opacity="{0.04 + 0.96 * shade:.3f}"'
            parts.append(draw_rectangle(x, y, width - 1, height - 1, tooltip, attributes=fill))
            if numbers_fit:
                kind = "over" if shade > 0.72 else "value"
                text = format_number(value, 3)
                parts.append(
                    draw_text(x + width / 2 - 0.5, y + height / 2 + 4, text, "middle", kind)
                )
    labels, below = _draw_labels(columns, left, width, top + height * len(rows))
    return wrap_svg(top + height * len(rows) + below, description, parts + labels)


def _choose_axis(bars: Sequence[Bar], width: float = WIDTH) -> tuple[float, list[float]]:
    """Return the start of the axis and its ticks, 0 among them; below 0 the axis goes no further
    than something is drawn.
    """
    least = min(0.0, *(bar.extent[0] for bar in bars))
    greatest, count = max(0.0, *(bar.extent[1] for bar in bars)), 5 if width >= WIDTH else 3
    ticks = [tick for tick in compute_ticks(least, greatest, count) if tick >= least]
    return least, ticks if len(ticks) > 1 else compute_ticks(0.0, 1.0)


def _column_pitch(bars: Sequence[Bar], width: float) -> float:
    return (width - _LEFT - _RIGHT) / len(bars)


def _draw_frame(bars: Sequence[Bar], width: float) -> tuple[Callable[[float], float], list[str]]:
    """Return the vertical scale of columns or a line, and the grid with its numbers."""
    least, ticks = _choose_axis(bars)
    at = build_scale(least, ticks[-1], _TOP + _HEIGHT, _TOP)
    parts = [draw_line(_LEFT, at(tick), width - _RIGHT, at(tick), "grid") for tick in ticks]
    parts += [draw_text(_LEFT - 8, at(tick) + 4, format_number(tick), "end") for tick in ticks]
    return at, parts


def _close_frame(
    bars: Sequence[Bar],
    at: Callable[[float], float],
    parts: Sequence[str],
    description: str,
    width: float,
) -> str:
    axis = draw_line(_LEFT, at(0), width - _RIGHT, at(0), "axis")
    names = [bar.short_label or bar.label for bar in bars]
    labels, below = _draw_labels(names, _LEFT, _column_pitch(bars, width), _TOP + _HEIGHT)
    return wrap_svg(_TOP + _HEIGHT + below, description, [*parts, axis, *labels], width)


def _draw_labels(
    names: Sequence[str], left: float, pitch: float, y: float
) -> tuple[list[str], float]:
    """Return the labels below an axis and the height they take: level if they fit, else slanted,
    and thinned out where they are too close.
    """
    longest = compute_label_width(names)
    level = longest + 8 <= pitch * max(1, len(names) // 12)
    every = max(1, math.ceil((longest + 8 if level else 24) / pitch))
    parts = []
    for place in range(0, len(names), every):
        x, name = left + (place + 0.5) * pitch, shorten_label(names[place])
        turn = f' transform="rotate(-40 {x:.1f} {y + 14:.1f})"'
        parts.append(
            draw_text(x, y + 16, name, "middle")
            if level
            else draw_text(x + 3, y + 14, name, "end", attributes=turn)
        )
    return parts, 26.0 if level else 22 + longest * 0.66
