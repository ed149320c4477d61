"""Pictures for the examples as SVG: panels with axes, lines with error bars, dots and text, for
light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

__all__ = ["Panel", "Picture", "Point"]

Point = tuple[float, float]

_LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2933",
    "soft": "#616e7c",
    "grid": "#e4e7eb",
    "pale": "#b8c4d0",
    "mist": "#93a3b4",
    "blue": "#2563eb",
    "orange": "#c2570c",
    "green": "#047857",
    "red": "#dc2626",
}
_DARK = {
    "paper": "#171b21",
    "ink": "#e4e7eb",
    "soft": "#9aa5b1",
    "grid": "#2d343d",
    "pale": "#4a5665",
    "mist": "#66758a",
    "blue": "#7aa7f7",
    "orange": "#f0a35e",
    "green": "#4cc9a0",
    "red": "#f87171",
}


def _sheet(colours: Mapping[str, str]) -> str:
    return "".join(
        f".{name}{{fill:{colour}}}.l-{name}{{stroke:{colour}}}" for name, colour in colours.items()
    )


class Picture:
    """A picture, as a list of SVG elements in drawing order. Colours have names: ink, soft, grid,
    pale, mist, blue, orange, green, red."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.parts = [f'<rect class="paper" width="{width}" height="{height}" rx="8"/>']

    def line(
        self, points: Iterable[Point], colour: str, width: float = 1.0, dashes: str = ""
    ) -> None:
        """Draw a line through the points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        more = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(
            f'<polyline class="l-{colour}" points="{path}" fill="none" stroke-width="{width:g}"'
            f' stroke-linejoin="round"{more}/>'
        )

    def dots(self, points: Iterable[Point], colour: str, radius: float = 3.0) -> None:
        """Draw dots as strokes without length and with round ends, which keeps thousands of them
        small."""
        path = "".join(
            f"M{x:.0f} {y:.1f}h0" if radius < 2 else f"M{x:.1f} {y:.1f}h0" for x, y in points
        )
        self.parts.append(
            f'<path class="l-{colour}" d="{path}" stroke-width="{2 * radius:g}"'
            ' stroke-linecap="round"/>'
        )

    def columns(self, spans: Iterable[tuple[float, float, float]], colour: str) -> None:
        """Draw vertical strokes one pixel wide: x, from y, to y."""
        path = "".join(f"M{x:.1f} {y:.0f}V{z:.0f}" for x, y, z in spans)
        self.parts.append(f'<path class="l-{colour}" d="{path}" stroke-width="1.1"/>')

    def ring(self, at: Point, colour: str, radius: float, tip: str) -> None:
        """Draw an empty circle with a tooltip."""
        shape = f'cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:g}" fill="none" stroke-width="2"'
        self.parts.append(
            f'<circle class="l-{colour}" {shape}><title>{escape(tip)}</title></circle>'
        )

    def whisker(self, x: float, low: float, high: float, colour: str) -> None:
        """Draw an error bar."""
        path = f"M{x - 4:.1f} {low:.1f}h8M{x:.1f} {low:.1f}V{high:.1f}M{x - 4:.1f} {high:.1f}h8"
        self.parts.append(f'<path class="l-{colour}" d="{path}" stroke-width="1.5" fill="none"/>')

    def words(
        self,
        x: float,
        y: float,
        text: str,
        colour: str = "soft",
        *,
        anchor: str = "start",
        size: int = 12,
        bold: bool = False,
    ) -> None:
        """Draw a piece of text."""
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text class="{colour}" x="{x:.1f}" y="{y:.1f}" font-size="{size}"'
            f' text-anchor="{anchor}"{weight}>{escape(text)}</text>'
        )

    def write(self, file: Path, words: str) -> None:
        """Write the picture to a file, with a text description."""
        box = (
            f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="system-ui, sans-serif"'
            ' role="img">'
        )
        style = (
            f"<style>{_sheet(_LIGHT)}@media (prefers-color-scheme:dark){{{_sheet(_DARK)}}}</style>"
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            "\n".join([head, f"<title>{escape(words)}</title>", style, *self.parts, "</svg>"])
            + "\n",
            encoding="utf-8",
        )


@dataclass(frozen=True, slots=True)
class Panel:
    """A rectangle of a picture with two axes; the horizontal axis may be logarithmic."""

    picture: Picture
    left: float
    top: float
    width: float
    height: float
    across: tuple[float, float]
    up: tuple[float, float]
    logarithmic: bool = False

    def at(self, x: float, y: float) -> Point:
        """Return the position of a pair of numbers."""
        low, high = self.across
        share = (
            math.log(x / low) / math.log(high / low)
            if self.logarithmic
            else (x - low) / (high - low)
        )
        return (
            self.left + share * self.width,
            self.top + self.height - (y - self.up[0]) / (self.up[1] - self.up[0]) * self.height,
        )

    def frame(
        self,
        title: str,
        note: str,
        across: str,
        ticks: Mapping[float, str],
        marks: Mapping[float, str],
    ) -> None:
        """Draw the title, the horizontal axis with its ticks, and a rule for each mark of the
        vertical axis."""
        for value, name in marks.items():
            y = self.at(self.across[0], value)[1]
            self.picture.line([(self.left, y), (self.left + self.width, y)], "grid")
            self.picture.words(self.left - 8, y + 4, name, anchor="end", size=11)
        bottom = self.top + self.height
        self.picture.line([(self.left, bottom), (self.left + self.width, bottom)], "mist")
        for value, name in ticks.items():
            self.picture.words(
                self.at(value, self.up[0])[0], bottom + 17, name, anchor="middle", size=11
            )
        self.picture.words(self.left, self.top - 32, title, "ink", size=14, bold=True)
        self.picture.words(self.left, self.top - 13, note)
        self.picture.words(self.left + self.width / 2, bottom + 36, across, anchor="middle")

    def curve(
        self, rows: Sequence[tuple[float, float, float, float]], colour: str, shift: float = 0.0
    ) -> None:
        """Draw a line with error bars through (x, value, low, high), shifted by some pixels to keep
        the bars of several lines apart."""
        points = [(self.at(x, value)[0] + shift, self.at(x, value)[1]) for x, value, _, _ in rows]
        self.picture.line(points, colour, 2.2)
        for (x, _, low, high), point in zip(rows, points, strict=True):
            self.picture.whisker(point[0], self.at(x, low)[1], self.at(x, high)[1], colour)
        self.picture.dots(points, colour, 3.5)

    def level(self, value: float, colour: str, dashes: str = "5 4") -> None:
        """Draw a dashed line across the panel."""
        self.picture.line(
            [self.at(self.across[0], value), self.at(self.across[1], value)], colour, 1.6, dashes
        )
