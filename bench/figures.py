"""The pictures of docs/robust.md: ``python -m bench.figures`` draws them anew. The data are the
same each time; the noise is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from html import escape
from math import log10
from pathlib import Path
from typing import Any

import numpy as np

from bench.quantile import LOWER, SHAPES, UPPER, releases, shapes
from bench.report import Row
from hedgerow.advisor import choose
from hedgerow.mechanisms.data_dependent.inverse_sensitivity import InverseSensitivity
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.mechanisms.selection.extremes import Extreme
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample

__all__ = ["main"]

FOLDER = Path(__file__).parents[1] / "docs" / "img"
COLOURS = {
    "exponential": "#2563eb",
    "rank inside": "#2563eb",
    "smooth": "#d97706",
    "inverse": "#059669",
    "laplace": "#6b7280",
}
SHORT = ("1", "10", "100", "1,000", "10,000", "100,000", "1 m")
DOTS = 150

Point = tuple[float, float]


class Picture:
    """Lines, dots and words of an SVG."""

    def __init__(self, width: int, height: int) -> None:
        self.size, self.parts = (
            (width, height),
            [f'<rect width="{width}" height="{height}" fill="#fff"/>'],
        )

    def line(
        self, points: Iterable[Point], colour: str, width: float = 1.0, dashes: str = ""
    ) -> None:
        """A polyline."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        more = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}"'
            f' stroke-width="{width}"{more}/>'
        )

    def dots(
        self, points: Iterable[Point], colour: str, radius: float = 3.0, opacity: float = 1.0
    ) -> None:
        """Dots: lines of no length with round ends."""
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in points)
        self.parts.append(
            f'<path d="{path}" stroke="{colour}" stroke-width="{2 * radius:g}"'
            f' stroke-linecap="round" stroke-opacity="{opacity:g}"/>'
        )

    def bar(self, x: float, y: float, width: float, height: float) -> None:
        """A bar of a histogram."""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            ' fill="#cbd5e1"/>'
        )

    def words(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: str = "start",
        colour: str = "#334155",
        size: int = 12,
        bold: bool = False,
    ) -> None:
        """A piece of text."""
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
            f' fill="{colour}"{weight}>{escape(text)}</text>'
        )

    def write(self, name: str, title: str) -> None:
        """Into the folder of pictures."""
        width, height = self.size
        box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" role="img">'
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / name).write_text(
            "\n".join([head, f"<title>{escape(title)}</title>", *self.parts, "</svg>"]) + "\n",
            encoding="utf-8",
        )


def by_size() -> None:
    """Four panels, one for each shape: ranks off against n."""
    section = shapes(None, quick=False)  # type: ignore[arg-type]
    rows = [row for row in section.rows if row["epsilon"] == "0.1"]
    picture = Picture(720, 470)
    for place, shape in enumerate(SHAPES):
        _panel(
            picture,
            55 + place % 2 * 355,
            40 + place // 2 * 210,
            shape,
            [row for row in rows if row["shape"] == shape],
        )
    for place, method in enumerate(("exponential", "smooth", "laplace")):
        picture.line([(210 + 130 * place, 452), (235 + 130 * place, 452)], COLOURS[method], 2.5)
        picture.words(240 + 130 * place, 456, method)
    picture.write(
        "median-by-size.svg",
        "Mean rank error of a private median at epsilon 0.1 against the number of rows, for data of"
        " four shapes",
    )


def _panel(picture: Picture, left: float, top: float, shape: str, rows: Sequence[Row]) -> None:
    width, height = 290, 150

    def at(n: float, off: float) -> Point:
        """Ranks below a tenth are drawn at the bottom."""
        return (
            left + (log10(n) - 3) / 3 * width,
            top + height - (log10(max(off, 0.1)) + 1) / 7 * height,
        )

    for power in (-1, 0, 2, 4, 6):
        y = at(1000, 10.0**power)[1]
        picture.line([(left, y), (left + width, y)], "#e2e8f0")
        picture.words(left - 6, y + 4, "0" if power < 0 else SHORT[power], anchor="end", size=10)
    for power in (3, 4, 5, 6):
        picture.words(
            at(10**power, 1)[0], top + height + 14, SHORT[power], anchor="middle", size=10
        )
    picture.words(left, top - 8, shape, bold=True)
    picture.words(left + width, top - 8, "ranks off, by rows", anchor="end", size=10)
    for method in ("laplace", "smooth", "exponential"):
        points = [
            at(float(str(row["n"]).replace(",", "")), float(row[method] or 0)) for row in rows
        ]
        picture.line(points, COLOURS[method], 2)
        picture.dots(points, COLOURS[method])


def answers() -> None:
    """Single releases of a median, by method, under a histogram of the data."""
    column = SortedSample.from_values(
        SHAPES["skewed"](np.random.default_rng(5), 1000), lower=LOWER, upper=UPPER
    )
    choice = choose(
        "median", lower=LOWER, upper=UPPER, n=1000, epsilon=0.5, neighbours="add-remove"
    )
    quantile = Quantile(Fraction(1, 2), "add-remove")
    drawn = {
        option.method.partition(",")[0]: releases(option, column, DOTS)
        for option in choice.options
        if option.method != "inverse"
    }
    _strips(
        "median-answers.svg",
        "Releases of the median of 1,000 skewed values at epsilon 0.5",
        column,
        quantile.value(column),
        drawn,
        logarithmic=True,
    )


def maximum() -> None:
    """Single releases of a maximum."""
    column = SortedSample.from_values(
        SHAPES["skewed"](np.random.default_rng(5), 1000), lower=LOWER, upper=UPPER
    )
    quantile, largest = Quantile(Fraction(1), "add-remove"), int(column.values[-1])
    inside = Extreme.calibrate(side="max", width=column.width, epsilon=1)
    noise, inverse = (
        Laplace.calibrate(sensitivity=1000, epsilon=1, grid=column.grid),
        InverseSensitivity.calibrate(epsilon=1),
    )
    makers: dict[str, Callable[[], Any]] = {
        "rank inside": lambda: inside.sample(column),
        "inverse": lambda: inverse.quantile(quantile, column),
        "laplace": lambda: min(max(noise.sample(largest * float(column.grid)), LOWER), UPPER),
    }
    drawn = {method: [make() for _ in range(DOTS)] for method, make in makers.items()}
    _strips(
        "maximum-answers.svg",
        "Releases of the maximum of 1,000 skewed values at epsilon 1",
        column,
        largest,
        drawn,
        logarithmic=False,
    )


def _strips(
    name: str,
    title: str,
    column: SortedSample,
    truth: int,
    drawn: dict[str, list[float]],
    *,
    logarithmic: bool,
) -> None:
    left, width, top = 110, 580, 60
    picture = Picture(720, top + 50 + 60 * len(drawn))

    def at(value: float) -> float:
        return left + width * (log10(max(value, 1.0)) / 3 if logarithmic else value / UPPER)

    edges = np.geomspace(1, UPPER, 61) if logarithmic else np.linspace(LOWER, UPPER, 61)
    counts, _ = np.histogram(column.values * float(column.grid), edges)
    for count, start, end in zip(
        counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True
    ):
        picture.bar(
            at(start),
            top - 45 * count / counts.max(),
            at(end) - at(start) - 1,
            45 * count / counts.max(),
        )
    picture.words(left - 10, top - 5, "data", anchor="end")
    jitter = np.random.default_rng(1)
    bottom = top + 20 + 60 * len(drawn)
    for place, (method, values) in enumerate(drawn.items()):
        y = top + 45 + 60 * place
        picture.words(left - 10, y + 4, method, anchor="end", colour=COLOURS[method], bold=True)
        picture.dots(
            ((at(value), y + jitter.uniform(-16, 16)) for value in values),
            COLOURS[method],
            2.5,
            0.6,
        )
    picture.line(
        [(at(truth * float(column.grid)), top - 50), (at(truth * float(column.grid)), bottom)],
        "#dc2626",
        1.2,
        "4 3",
    )
    picture.line([(left, bottom), (left + width, bottom)], "#94a3b8")
    for tick in (1, 10, 100, 1000) if logarithmic else (0, 250, 500, 750, 1000):
        picture.words(at(tick), bottom + 16, f"{tick:,}", anchor="middle", size=10)
    picture.write(name, f"{title}; the dashed line is the exact one")


def main() -> None:
    """All of them."""
    for draw in (by_size, answers, maximum):
        draw()


if __name__ == "__main__":
    main()
