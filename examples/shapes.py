"""SVG shapes for pictures without axes, on white; ``drawing`` has panels with axes."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["GRID", "INK", "PAPER", "SOFT", "box", "line", "page", "text"]

INK, SOFT, GRID, PAPER = "#1e293b", "#64748b", "#e2e8f0", "#ffffff"


def page(width: float, height: float, words: str, parts: Iterable[str]) -> str:
    """Return a whole picture on white, which is readable on a dark page too."""
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif"'
        ' role="img">'
    )
    ground = f'<rect width="{width:g}" height="{height:g}" rx="6" fill="{PAPER}"/>'
    return "\n".join([head, f"<title>{escape(words)}</title>", ground, *parts, "</svg>", ""])


def text(
    x: float,
    y: float,
    words: str,
    size: float,
    colour: str = INK,
    *,
    anchor: str = "start",
    weight: int = 400,
) -> str:
    """Return a text element."""
    style = f'font-size="{size:g}" fill="{colour}" text-anchor="{anchor}" font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(words)}</text>'


def line(
    x: float, y: float, u: float, v: float, colour: str, width: float = 1, dashes: str = ""
) -> str:
    """Return a line with round ends, or a dashed one."""
    style = f'stroke="{colour}" stroke-width="{width:g}" ' + (
        f'stroke-dasharray="{dashes}"' if dashes else 'stroke-linecap="round"'
    )
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" {style}/>'


def box(x: float, y: float, width: float, height: float, colour: str, tip: str = "") -> str:
    """Return a filled rectangle with a tooltip."""
    told = f"<title>{escape(tip)}</title>" if tip else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="1.5"'
        f' fill="{colour}">{told}</rect>'
    )
