"""The pictures of docs/streams.md: ``python -m bench.stream_figures`` draws them anew. The data
stay the same; the noise does not.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log10, sqrt

import numpy as np

from bench.figures import Picture, Point
from hedgerow.publish.streaming.mechanism import StreamMechanism
from hedgerow.publish.streaming.stream import StreamParameters, list_stream_mechanisms

__all__ = ["main", "readings"]

HALF = Fraction(1, 2)
COLOURS = {
    "square root": "#2563eb",
    "tree": "#059669",
    "plain tree": "#d97706",
    "each element": "#6b7280",
    "each prefix": "#dc2626",
}
DAYS = 365


def readings(days: int) -> list[int]:
    """Watt-hours of a household in every half-hour: what is always on, cooking twice a day,
    washing on some days, heating in winter.
    """
    chance = np.random.default_rng(7)
    hours = np.arange(days * 48) % 48 / 2
    season = 1 + np.cos(2 * np.pi * np.arange(days * 48) / (365 * 48))
    used = 55 + 20 * chance.random(days * 48) + 60 * season * ((hours >= 6) & (hours < 22))
    for start, long, watts, often in (
        (7.0, 2, 700, 0.8),
        (18.5, 3, 900, 0.9),
        (20.0, 3, 1000, 0.35),
    ):
        for day in np.flatnonzero(chance.random(days) < often):
            first = int(day * 48 + 2 * start + chance.integers(-2, 3))
            used[max(first, 0) : first + long] += watts * chance.uniform(0.6, 1.2)
    return [int(value) for value in used]


def _short(way: StreamMechanism) -> str:
    name = way.name.split(",")[0]
    return next(
        short
        for short in ("square root", "plain tree", "tree", "each element", "each prefix")
        if name.startswith(short)
    )


def errors() -> None:
    """rms error against the number of elements, by way."""
    picture, left, top, width, height = Picture(720, 400), 60, 40, 520, 300
    sizes = [2**power for power in range(4, 21, 2)]

    def at(n: int, off: float) -> Point:
        return left + (log10(n) - 1.2) / 4.9 * width, top + height - log10(off) / 3.1 * height

    for power in range(4):
        y = at(16, 10.0**power)[1]
        picture.line([(left, y), (left + width, y)], "#e2e8f0")
        picture.words(left - 6, y + 4, f"{10**power:,}", anchor="end", size=10)
    for power in (2, 3, 4, 5, 6):
        picture.words(
            at(10**power, 1)[0], top + height + 16, f"{10**power:,}", anchor="middle", size=10
        )
    picture.words(
        left,
        top - 14,
        "off by, on average; elements from 0 to 1, one of them protected, rho 1/2",
        bold=True,
    )
    picture.words(left + width / 2, top + height + 36, "elements", anchor="middle", size=11)
    lines: dict[str, list[Point]] = {}
    for n in sizes:
        for way in list_stream_mechanisms(StreamParameters(n, Fraction(0), Fraction(1), rho=HALF)):
            lines.setdefault(_short(way), []).append(at(n, sqrt(way.total_variance() / n)))
    for name, points in lines.items():
        picture.line(points, COLOURS[name], 2)
        picture.dots(points, COLOURS[name])
        picture.words(
            points[-1][0] + 8,
            points[-1][1] + {"each prefix": -4, "each element": 10}.get(name, 4),
            name,
            colour=COLOURS[name],
        )
    picture.write(
        "stream-errors.svg", "Error of running totals against the length of the stream, by way"
    )


def meter() -> None:
    """A year of a household: how far each way is off, day by day."""
    elements = readings(DAYS)
    terms = StreamParameters(DAYS * 48, Fraction(0), Fraction(3000), rho=HALF, touched=4)
    exact = np.cumsum(elements)
    names = ("each element", "plain tree", "square root")
    ends = range(47, DAYS * 48, 48)
    offs = {
        _short(way): [(told[end] - float(exact[end])) / 1000 for end in ends]
        for way in list_stream_mechanisms(terms)
        for told in [_told(way, elements)]
    }
    most = 500 * ceil(max(abs(off) for name in names for off in offs[name]) / 500)
    picture, left, top, width, height = Picture(720, 360), 60, 50, 560, 270

    def at(day: int, off: float) -> Point:
        return left + day / DAYS * width, top + height / 2 - off / most * height / 2

    for mark in range(-most, most + 1, 500):
        y = at(0, mark)[1]
        picture.line([(left, y), (left + width, y)], "#94a3b8" if mark == 0 else "#e2e8f0")
        picture.words(left - 6, y + 4, f"{mark:+,}" if mark else "0", anchor="end", size=10)
    for day in (0, 90, 180, 270, 360):
        picture.words(at(day, 0)[0], top + height + 16, f"day {day}", anchor="middle", size=10)
    picture.words(
        left,
        top - 22,
        f"kWh off the meter, which reads {exact[-1] / 1000:,.0f} kWh at the end of the year",
        bold=True,
    )
    for name in names:
        points = [at(day, off) for day, off in enumerate(offs[name], 1)]
        picture.line(points, COLOURS[name], 2 if name == "square root" else 1.2)
    for place, name in enumerate(("square root", "plain tree", "each element")):
        picture.line([(120 + 170 * place, 350), (145 + 170 * place, 350)], COLOURS[name], 2.5)
        picture.words(150 + 170 * place, 354, name)
    picture.write(
        "stream-meter.svg",
        "How far the running total of a household's meter is off, day by day, by way",
    )


def _told(way: StreamMechanism, elements: list[int]) -> list[float]:
    """Without a file: this is for a picture."""
    state, found = way.initial_state(), list[float]()
    private, public = state.private, state.public
    for place, element in enumerate(elements):
        private, exact = way.measure_element(private, place, element)
        public, value = way.estimate_sum(
            public, place, [way.noise.sample(number) for number in exact]
        )
        found.append(value)
    return found


def main() -> None:
    """Both."""
    errors()
    meter()


if __name__ == "__main__":
    main()
