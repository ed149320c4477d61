"""A chart of decoded values as one SVG file: estimates, intervals and, if known, the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hedgerow.charts.svg import (
    WIDTH,
    build_scale,
    build_standalone_svg,
    compute_label_width,
    compute_ticks,
    draw_circle,
    draw_line,
    draw_text,
    draw_whisker,
    format_number,
    shorten_label,
    wrap_svg,
)
from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.value_estimates import ValueEstimate

__all__ = ["draw_estimates"]

_LINE_HEIGHT: Final = 22
_TOP: Final = 46


def draw_estimates(
    estimates: Sequence[ValueEstimate],
    title: str,
    truth: Mapping[Any, float] | None = None,
    *,
    unit: str = "clients",
) -> str:
    """Draw the values in the given order; ``truth`` has the true number of each, if known."""
    if not estimates:
        raise InvalidArgument("estimates", "must hold at least one value to draw")
    left = 16 + compute_label_width(str(estimate.value) for estimate in estimates)
    low = min(0.0, *(estimate.low for estimate in estimates))
    high = max(1e-300, *(estimate.high for estimate in estimates), *(truth or {"": 0.0}).values())
    bottom = _TOP + _LINE_HEIGHT * len(estimates)
    at = build_scale(low, high, left, WIDTH - 24)
    parts = [draw_text(12, 20, title, "start", "title")]
    for tick in compute_ticks(low, high):
        if low <= tick <= high:
            kind = "grid" if tick else "axis"
            parts.append(draw_line(at(tick), _TOP - 8, at(tick), bottom + 2, kind))
            parts.append(draw_text(at(tick), bottom + 16, format_number(tick), "middle"))
    for place, estimate in enumerate(estimates):
        y = _TOP + _LINE_HEIGHT * (place + 0.5)
        parts += [
            draw_text(left - 8, y + 4, shorten_label(str(estimate.value)), "end"),
            draw_whisker(y, at(estimate.low), at(estimate.high), 4, horizontal=True),
            draw_circle(at(estimate.estimate), y, 3.5, _format_tooltip(estimate)),
        ]
        if truth is not None and estimate.value in truth:
            parts.append(_draw_diamond(at(truth[estimate.value]), y))
    y = bottom + 36
    parts.append(draw_circle(20, y, 3.5))
    parts.append(draw_text(30, y + 4, f"estimate and 95 % interval, {unit}", "start"))
    if truth is not None:
        parts += [_draw_diamond(320, y), draw_text(330, y + 4, "truth", "start")]
    return build_standalone_svg(wrap_svg(bottom + 56, title, parts))


def _draw_diamond(x: float, y: float) -> str:
    return f'<path class="truth" d="M{x:.1f} {y - 6:.1f}l5 6l-5 6l-5-6z"/>'


def _format_tooltip(estimate: ValueEstimate) -> str:
    form = ",.0f" if estimate.p_value is not None else ".4f"
    interval = f"{estimate.low:{form}} to {estimate.high:{form}}"
    return f"{estimate.value}: {estimate.estimate:{form}} ({interval})"
