"""SVG elements, and the drawing that holds them, as plain text.

Colours come from the classes of ``STYLE``, which a page or a standalone file includes: a drawing
is then right in light, in dark and on paper. Every drawing describes itself for screen readers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Final

__all__ = [
    "CHARACTER_WIDTH",
    "PALETTE",
    "SLIM_WIDTH",
    "STYLE",
    "WIDTH",
    "build_scale",
    "build_standalone_svg",
    "compute_label_width",
    "compute_ticks",
    "draw_circle",
    "draw_for_screens",
    "draw_line",
    "draw_polygon",
    "draw_polyline",
    "draw_rectangle",
    "draw_text",
    "draw_whisker",
    "format_number",
    "shorten_label",
    "wrap_svg",
]

WIDTH: Final = 720  # pixels of every drawing, but for those of phones
SLIM_WIDTH: Final = 360
CHARACTER_WIDTH: Final = 6.6  # pixels of one character at 12 pixels, about
_MAX_LABEL_LENGTH: Final = 28  # characters

PALETTE: Final = """
:root{--ink:#1f2933;--soft:#52606d;--paper:#fff;--line:#e1e6eb;--panel:#f5f7f9;
--bar:#3f72af;--truth:#d97706}
@media (prefers-color-scheme:dark){
:root{--ink:#e4e7eb;--soft:#9aa5b1;--paper:#171b21;--line:#2d343d;--panel:#1f252d;
--bar:#6ea0dc;--truth:#e3b765}}"""
STYLE: Final = """
svg .bar{fill:var(--bar)}svg .grid{stroke:var(--line)}svg .axis{stroke:var(--soft)}
svg .whisker{stroke:var(--ink);stroke-width:1.3;fill:none}
svg .truth{stroke:var(--truth);stroke-width:1.5;fill:none}
svg .band{fill:var(--bar);fill-opacity:.22}
svg .line{fill:none;stroke:var(--bar);stroke-width:2;stroke-linejoin:round}
svg .open{fill:var(--paper);stroke:var(--bar);stroke-width:2}
svg .leader{fill:none;stroke:var(--soft);stroke-dasharray:2 3}
svg .label{fill:var(--soft)}svg .value{fill:var(--ink)}svg .over{fill:var(--paper)}
svg .title{fill:var(--ink);font-weight:600}
"""
_FILE_STYLE: Final = (
    'svg{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}.paper{fill:var(--paper)}'
)


def format_number(value: float, digits: int = 4) -> str:
    """Format a number with this many significant digits, without an exponent where zeros read
    better, and with a minus sign instead of a hyphen.
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    if abs(value) >= 1e15 or abs(value) < 1e-4:
        return f"{value:.3g}".replace("-", "−")
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{places}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def compute_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return about ``count`` round numbers from at most ``low`` to at least ``high``."""
    span = (high - low) or abs(high) or 1.0
    rough = span / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * nice for nice in (1, 2, 2.5, 5, 10) if power * nice >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [place * step for place in range(first, max(last, first + 1) + 1)]


def build_scale(low: float, high: float, start: float, stop: float) -> Callable[[float], float]:
    """Return the linear map that takes ``low`` to ``start`` and ``high`` to ``stop``."""
    return lambda value: start + (value - low) / ((high - low) or 1.0) * (stop - start)


def shorten_label(name: str) -> str:
    """Cut a long label and mark the cut with an ellipsis."""
    return name if len(name) <= _MAX_LABEL_LENGTH else name[: _MAX_LABEL_LENGTH - 1] + "…"


def compute_label_width(names: Iterable[str]) -> float:
    """Return the width in pixels of the longest label, once shortened."""
    return CHARACTER_WIDTH * max(len(shorten_label(name)) for name in names)


def wrap_svg(height: float, description: str, parts: Sequence[str], width: float = WIDTH) -> str:
    """Build a drawing from its elements; screen readers read out the description."""
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img"'
        f' aria-label="{escape(description)}">{"".join(parts)}</svg>'
    )


def draw_for_screens(draw: Callable[[float], str]) -> str:
    """Draw at two widths, for wide screens and for phones; a page shows the one that fits."""
    wide = draw(WIDTH)
    return wide and f'<div class="broad">{wide}</div><div class="slim">{draw(SLIM_WIDTH)}</div>'


def build_standalone_svg(drawing: str) -> str:
    """Build an SVG file from a drawing, with its own style for light and dark."""
    height = drawing.split(f'viewBox="0 0 {WIDTH} ', 1)[1].split('"', 1)[0]
    attributes, rest = drawing.removeprefix("<svg ").split(">", 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" {attributes}>'
        f"<style>{PALETTE}{_FILE_STYLE}{STYLE}</style>"
        f'<rect class="paper" width="100%" height="100%"/>{rest}\n'
    )


def draw_line(x1: float, y1: float, x2: float, y2: float, kind: str, attributes: str = "") -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line class="{kind}" {ends}{attributes}/>'


def draw_polyline(points: Iterable[tuple[float, float]], tooltip: str = "") -> str:
    return _close("polyline", f'class="line" points="{_join_points(points)}"', tooltip)


def draw_polygon(points: Iterable[tuple[float, float]]) -> str:
    return f'<polygon class="band" points="{_join_points(points)}"/>'


def draw_rectangle(
    x: float,
    y: float,
    width: float,
    height: float,
    tooltip: str = "",
    kind: str = "bar",
    attributes: str = "",
) -> str:
    shape = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.0):.1f}" height="{max(height, 0.0):.1f}"'
    return _close("rect", f'class="{kind}" {shape}{attributes}', tooltip)


def draw_circle(x: float, y: float, radius: float, tooltip: str = "") -> str:
    return _close("circle", f'class="bar" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"', tooltip)


def draw_whisker(
    across: float, start: float, stop: float, half: float, *, horizontal: bool = False
) -> str:
    """Draw an interval from ``start`` to ``stop`` with an end bar of ``2 * half`` at each end."""
    a, b, c, d, e = (
        f"{value:.1f}" for value in (across - half, across + half, across, start, stop)
    )
    upright, lying = (
        f"M{a} {d}H{b}M{c} {d}V{e}M{a} {e}H{b}",
        f"M{d} {a}V{b}M{d} {c}H{e}M{e} {a}V{b}",
    )
    return f'<path class="whisker" d="{lying if horizontal else upright}"/>'


def draw_text(
    x: float, y: float, text: str, anchor: str, kind: str = "label", attributes: str = ""
) -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"'
        f' text-anchor="{anchor}"{attributes}>{escape(text)}</text>'
    )


def _join_points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _close(tag: str, attributes: str, tooltip: str) -> str:
    if not tooltip:
        return f"<{tag} {attributes}/>"
    return f"<{tag} {attributes}><title>{escape(tooltip)}</title></{tag}>"
