"""Axes, curves, bars and legends of the pictures of docs/concepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.figures import Picture, Point

__all__ = ["AMBER", "BLUE", "BLUES", "GREEN", "GREY", "PALE", "RED", "Axes", "Law", "draw_legend"]

BLUE, GREEN, AMBER, RED, GREY, PALE = (
    "#2563eb",
    "#059669",
    "#d97706",
    "#dc2626",
    "#94a3b8",
    "#e2e8f0",
)
BLUES = ("#60a5fa", "#3b82f6", "#1d4ed8", "#1e3a8a")

Law = Mapping[int, float]


def _even(value: float) -> float:
    return value


@dataclass(frozen=True)
class Axes:
    """A rectangle of a picture with two scales."""

    picture: Picture
    box: tuple[float, float, float, float]  # left, top, width, height
    x: tuple[float, float]
    y: tuple[float, float]
    x_scale: Callable[[float], float] = _even
    y_scale: Callable[[float], float] = _even

    def at(self, x: float, y: float) -> Point:
        """Where a point is drawn."""
        left, top, width, height = self.box
        across = (self.x_scale(x) - self.x_scale(self.x[0])) / (
            self.x_scale(self.x[1]) - self.x_scale(self.x[0])
        )
        up = (self.y_scale(y) - self.y_scale(self.y[0])) / (
            self.y_scale(self.y[1]) - self.y_scale(self.y[0])
        )
        return left + across * width, top + height - up * height

    def ticks(
        self, across: Mapping[float, str], up: Mapping[float, str], below: str = "", title: str = ""
    ) -> None:
        """Marks with their labels, and what they measure."""
        left, top, width, height = self.box
        for value, label in up.items():
            y = self.at(self.x[0], value)[1]
            self.picture.line([(left, y), (left + width, y)], PALE)
            self.picture.words(left - 6, y + 4, label, anchor="end", size=10)
        for value, label in across.items():
            self.picture.words(
                self.at(value, self.y[0])[0], top + height + 15, label, anchor="middle", size=10
            )
        self.picture.words(left + width / 2, top + height + 33, below, anchor="middle", size=11)
        self.picture.words(left, top - 12, title, bold=True)

    def curve(
        self, points: Iterable[Point], colour: str, width: float = 2.0, dashes: str = ""
    ) -> None:
        """A line through points in the scales."""
        self.picture.line([self.at(*point) for point in points], colour, width, dashes)

    def dots(
        self, points: Iterable[Point], colour: str, radius: float = 3.0, opacity: float = 1.0
    ) -> None:
        """Points in the scales."""
        self.picture.dots([self.at(*point) for point in points], colour, radius, opacity)

    def note(self, x: float, y: float, text: str, colour: str, anchor: str = "start") -> None:
        """Words at a point in the scales."""
        self.picture.words(*self.at(x, y), text, anchor=anchor, colour=colour)

    def bars(self, law: Law, colour: str, start: float, width: float) -> None:
        """A bar for each outcome, from ``start`` beside it and so wide, in units of x."""
        for value, height in law.items():
            (left, top), (right, bottom) = (
                self.at(value + start, height),
                self.at(value + start + width, self.y[0]),
            )
            shape = (
                f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}"'
                f' height="{bottom - top:.1f}"'
            )
            self.picture.parts.append(f'<rect {shape} fill="{colour}"/>')

    def pair(self, one: Law, other: Law) -> None:
        """Bars of two laws side by side: grey and blue."""
        self.bars(one, GREY, -0.4, 0.4)
        self.bars(other, BLUE, 0.0, 0.4)


def draw_legend(
    picture: Picture, y: float, start: float, step: float, names: Sequence[tuple[str, str]]
) -> None:
    """Draw the name of each colour beside a stroke of it."""
    for place, (name, colour) in enumerate(names):
        picture.line([(start + step * place, y), (start + 18 + step * place, y)], colour, 8)
        picture.words(start + 25 + step * place, y + 4, name)
