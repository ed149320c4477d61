"""The pictures of the month as SVG: clicks by region and day, by audience before and after the new
film, and the charges."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from html import escape
from typing import Any

import campaign
from shapes import GRID, INK, SOFT, box, line, page, text

BLUE, ORANGE, RED, PALE = "#2f6fb3", "#e07b24", "#b91c1c", "#f1f5f9"


def month(
    days: Sequence[date], answers: Sequence[Any], alarms: Collection[tuple[date, str]]
) -> str:
    """Draw a small chart for each region: the rate of every day with its interval."""
    parts = [
        text(24, 32, "Clicks in a hundred, day by day", 17, weight=600),
        text(
            24,
            52,
            "Each day is a question to that day's part alone. Lines are 95 % intervals; week-ends"
            " are shaded",
            12.5,
            SOFT,
        ),
    ]
    ends = [answer.interval("rate") for answer in answers]
    for place, region in enumerate(campaign.REGIONS):
        x, y = 48 + 318 * (place % 3), 82 + 190 * (place // 3)
        rates = [
            (answer.rows[place]["rate"], end[place])
            for answer, end in zip(answers, ends, strict=True)
        ]
        parts += _panel(x, y, region, days, rates, alarms)
    parts += [
        *(line(48, 462, 48, 474, BLUE, 1.5), text(56, 472, "a day", 11.5, SOFT)),
        *(
            line(120, 462, 120, 474, RED, 1.5),
            text(128, 472, "far below what was usual: looked at more closely", 11.5, SOFT),
        ),
        *(
            line(430, 460, 430, 476, ORANGE, 1.3, "4 3"),
            text(438, 472, "from here on, the new film", 11.5, SOFT),
        ),
    ]
    return page(
        1000,
        492,
        "Rates of clicks by region and day, with intervals; on three days the lakes are far below"
        " the rest",
        parts,
    )


def _panel(
    x: float,
    y: float,
    region: str,
    days: Sequence[date],
    rates: Sequence[Any],
    alarms: Collection[tuple[date, str]],
) -> list[str]:
    wide, tall, most = 284.0, 130.0, 0.17
    step = wide / len(days)

    def up(rate: float) -> float:
        return y + 18 + tall * (1 - min(max(rate, 0), most) / most)

    parts = [text(x, y + 6, region, 13, weight=600)]
    parts += [
        box(x + step * i, up(most), step, tall, PALE)
        for i, day in enumerate(days)
        if day.weekday() >= 5
    ]
    for mark in (0, 0.05, 0.1, 0.15):
        parts += [line(x, up(mark), x + wide, up(mark), SOFT if mark == 0 else GRID, 1)]
        parts += [text(x - 5, up(mark) + 4, f"{100 * mark:.0f} %", 10, SOFT, anchor="end")]
    if campaign.FILM in days:
        at = x + step * days.index(campaign.FILM)
        parts.append(line(at, up(most), at, up(0), ORANGE, 1.3, "4 3"))
    for i, (day, (rate, (low, high))) in enumerate(zip(days, rates, strict=True)):
        colour, at = RED if (day, region) in alarms else BLUE, x + step * (i + 0.5)
        tip = f"{region}, {day}: {rate:.1%} ({low:.1%} to {high:.1%})"
        parts += [line(at, up(low), at, up(high), colour, 1.5), dot(at, up(rate), 2.6, colour, tip)]
    every = [day for day in days if day.day % 5 == 0 or day == days[0]]
    return [
        *parts,
        *(
            text(
                x + step * (days.index(day) + 0.5),
                up(0) + 14,
                str(day.day),
                10,
                SOFT,
                anchor="middle",
            )
            for day in every
        ),
    ]


def audience(
    groups: Sequence[tuple[str, str]],
    before: Sequence[Sequence[float]],
    after: Sequence[Sequence[float]],
) -> str:
    """Draw two rates for each audience, side by side: the old film and the new one."""
    left, top, step, most = 190.0, 92.0, 27.0, 0.16
    bottom = top + step * len(groups) + 8

    def across(rate: float) -> float:
        return left + (820 - left) * min(max(rate, 0), most) / most

    parts = [
        text(24, 32, "Who clicked: the old film and the new one", 17, weight=600),
        text(
            24,
            52,
            "Clicks in a hundred, added up from the daily answers, with about 95 % intervals of the"
            " noise",
            12.5,
            SOFT,
        ),
        *(
            dot(left + 6, 74, 4.5, SOFT, "until the 15th"),
            text(left + 16, 78, "until the 15th", 12, SOFT),
        ),
        *(
            dot(left + 126, 74, 4.5, ORANGE, "from the 16th on"),
            text(left + 136, 78, "from the 16th on: the new film", 12, SOFT),
        ),
    ]
    for mark in (0, 0.04, 0.08, 0.12, 0.16):
        parts += [line(across(mark), top, across(mark), bottom, GRID, 1)]
        parts += [text(across(mark), bottom + 16, f"{100 * mark:.0f} %", 11, SOFT, anchor="middle")]
    for place, (age, gender) in enumerate(groups):
        y = top + step * (place + 0.5) + 4
        if place % 4 >= 2:
            parts.insert(4, box(24, y - step / 2, 796, step, PALE))
        parts.append(text(left - 14, y + 4, f"{age}, {gender}", 12, INK, anchor="end"))
        for (rate, low, high), colour, shift in (
            (before[place], SOFT, -4.0),
            (after[place], ORANGE, 4.0),
        ):
            tip = f"{age}, {gender}: {rate:.1%} ({low:.1%} to {high:.1%})"
            parts += [
                line(across(low), y + shift, across(high), y + shift, colour, 2),
                dot(across(rate), y + shift, 4, colour, tip),
            ]
    return page(
        850,
        bottom + 32,
        "Rates of clicks by age and gender, with the old film and the new one",
        parts,
    )


def budget(
    days: Sequence[date], daily: Sequence[float], whole: float, asked: float, total: float
) -> str:
    """Draw the charges to each part, and their total for one person, with parts and without."""
    left, base, tall, step = 60.0, 212.0, 140.0, 770 / len(days)
    dearest = sorted(range(len(days)), key=lambda place: -daily[place])[: campaign.MOST_DAYS]
    parts = [
        text(24, 32, "What was asked, and what one person pays", 17, weight=600),
        text(
            24,
            52,
            "Epsilon asked of each day's part. Nobody is in more than three of them: the three"
            " dearest count",
            12.5,
            SOFT,
        ),
    ]
    for mark in (0, 0.3, 0.6, 0.9):
        parts += [
            line(left, base - tall * mark, 830, base - tall * mark, SOFT if mark == 0 else GRID, 1)
        ]
        parts += [text(left - 8, base - tall * mark + 4, f"{mark:g}", 11, SOFT, anchor="end")]
    for place, (day, spent) in enumerate(zip(days, daily, strict=True)):
        x = left + step * place
        parts.append(
            box(
                x + 2,
                base - tall * spent,
                step - 4,
                tall * spent,
                BLUE if place in dearest else "#a9c3de",
                f"{day}: {spent:g}",
            )
        )
        parts.append(text(x + step / 2, base + 15, str(day.day), 10.5, SOFT, anchor="middle"))
    parts += [text(830, base + 32, "November 2026", 11, SOFT, anchor="end")]
    three = sum(daily[place] for place in dearest)
    parts += draw_totals(three, whole, asked, total)
    return page(
        860,
        380,
        "Epsilon asked of each day, and what one person pays at most with parts and without",
        parts,
    )


def draw_totals(three: float, whole: float, asked: float, total: float) -> list[str]:
    """Draw what one person pays with parts and without, beside the budget."""
    parts: list[str] = []
    wide = (830 - 200) / asked
    for y, words, pieces in (
        (276, "with parts", ((three, BLUE), (whole, ORANGE))),
        (316, "without parts", ((asked - whole, "#a9c3de"), (whole, ORANGE))),
    ):
        x = 140.0
        parts.append(text(x - 12, y + 15, words, 12.5, INK, anchor="end"))
        for amount, colour in pieces:
            parts.append(box(x, y, wide * amount, 22, colour, f"{amount:.1f}"))
            x += wide * amount
        parts.append(
            text(x + 8, y + 16, f"{sum(amount for amount, _ in pieces):.1f}", 13, INK, weight=600)
        )
    limit = 140 + wide * total
    parts += [
        line(limit, 264, limit, 348, RED, 1.5, "4 3"),
        text(limit + 6, 360, f"the budget: {total:g}", 11.5, RED),
    ]
    parts += [
        box(560, 350, 12, 12, BLUE),
        text(578, 360, "the three dearest days", 11.5, SOFT),
        box(720, 350, 12, 12, ORANGE),
    ]
    parts += [text(738, 360, "the whole month", 11.5, SOFT)]
    return parts


def dot(x: float, y: float, radius: float, colour: str, tip: str) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"'
        f' fill="{colour}"><title>{escape(tip)}</title></circle>'
    )
