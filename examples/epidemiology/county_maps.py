"""The pictures of the study as SVG: two hexagon maps, bars by age, and ratios against dust with the
exact values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import county
from shapes import GRID, INK, PAPER, SOFT, box, line, page, text

LOW, HIGH = (37, 99, 175), (185, 28, 28)  # blue below, red above, white where nothing is unusual
ZONES = {"under 6 km": "#b91c1c", "6 to 12 km": "#e8963c", "over 12 km": "#3b76b8"}
SIDE = 32.0  # of a hexagon


def maps(answer: Any, found: Mapping[str, str], mean: float) -> str:
    """Draw the plain rate and the age-adjusted ratio as two maps of the county."""
    rates = {row["district"]: row["rate"] / mean for row in answer.rows}
    ratios = {row["district"]: row["ratio"] for row in answer.rows}
    told_rates = {row["district"]: f"{100 * row['rate']:.1f} %" for row in answer.rows}
    told_ratios = {row["district"]: f"{row['ratio']:.2f}" for row in answer.rows}
    parts = [
        text(30, 36, "Patients with bronchitis in 2026", 17, weight=600),
        text(30, 56, "of all patients; in the hills of the west people are old", 12.5, SOFT),
        text(530, 36, "The same, with age allowed for", 17, weight=600),
        text(
            530, 56, "cases over the cases expected at the county's rates for each age", 12.5, SOFT
        ),
        *_tiles(30, 78, rates, told_rates, {}),
        *_tiles(530, 78, ratios, told_ratios, found),
        *_key(30, 410, mean),
        *_legend(530, 410),
    ]
    return page(
        1000,
        464,
        "Two tile maps of forty districts: the rate of bronchitis, and its ratio to the cases"
        " expected by age",
        parts,
    )


def _tiles(
    x: float,
    y: float,
    values: Mapping[str, float],
    told: Mapping[str, str],
    found: Mapping[str, str],
) -> list[str]:
    wide, parts, above = SIDE * 3**0.5, [], []
    for each in county.districts():
        middle = (x + wide * (each.column + 0.5), y + SIDE * (1.5 * each.row + 1))
        ratio, verdict = values[each.name], found.get(each.name, "")
        tip = (
            f"{each.name}: {told[each.name]}, {each.kilometres} km from the works, {each.height} m,"
            f" dust {each.dust}"
        )
        parts.append(hexagon(*middle, SIDE - 1.2, shade(ratio), tip=tip))
        ink = PAPER if abs(math.log2(max(ratio, 0.05))) > 0.75 else INK
        above.append(text(middle[0], middle[1] - 1, each.name, 9.5, ink, anchor="middle"))
        above.append(
            text(middle[0], middle[1] + 12, told[each.name], 11, ink, anchor="middle", weight=600)
        )
        if verdict:
            above.insert(
                0,
                hexagon(
                    *middle,
                    SIDE - 2.5,
                    "none",
                    stroke=INK,
                    dashes="" if verdict == "high" else "3 3",
                ),
            )
    works = (x + wide * (county.WORKS[0] + 0.5), y + SIDE * (1.5 * county.WORKS[1] + 1))
    return [*parts, *above, *chimney(*works)]


def _key(x: float, y: float, mean: float) -> list[str]:
    """Draw the colour scale that both maps share."""
    steps = 60
    parts = [
        f'<rect x="{x + 4 * i:.1f}" y="{y:.1f}" width="4.6" height="12"'
        f' fill="{shade(2 ** (2.6 * i / (steps - 1) - 1.3))}"/>'
        for i in range(steps)
    ]
    for ratio in (0.5, 1.0, 2.0):
        at = x + 4 * (steps - 1) * (math.log2(ratio) + 1.3) / 2.6 + 2
        parts += [
            line(at, y + 12, at, y + 17, SOFT),
            text(at, y + 29, f"{ratio:g}", 11, SOFT, anchor="middle"),
        ]
    return [
        *parts,
        text(x + 4 * steps + 14, y + 10, f"times the county's {100 * mean:.1f} %,", 11, SOFT),
        text(x + 4 * steps + 14, y + 25, "or times the cases expected", 11, SOFT),
    ]


def _legend(x: float, y: float) -> list[str]:
    return [
        hexagon(x + 10, y + 6, 9, "none", stroke=INK),
        text(x + 26, y + 10, "above 1 beyond noise and chance (99 % each)", 11, SOFT),
        hexagon(x + 10, y + 30, 9, "none", stroke=INK, dashes="3 3"),
        text(x + 26, y + 34, "below 1 beyond noise and chance", 11, SOFT),
        *chimney(x + 316, y + 6),
        text(x + 330, y + 10, "copper works", 11, SOFT),
    ]


def ages(answer: Any) -> str:
    """Draw bars with error bars for five age groups at three distances."""
    left, base, tall, most = 60.0, 330.0, 250.0, 0.30
    wide = (840 - left - 20) / len(county.AGES)
    parts = [
        text(24, 30, "Bronchitis by age and distance from the works", 16, weight=600),
        text(
            24, 50, "Patients in a hundred in 2026, with the 95 % intervals of the noise", 12, SOFT
        ),
    ]
    for mark in (0, 0.1, 0.2, 0.3):
        parts += [line(left, base - tall * mark / most, 830, base - tall * mark / most, GRID)]
        parts += [
            text(
                left - 8,
                base - tall * mark / most + 4,
                f"{100 * mark:.0f} %",
                11,
                SOFT,
                anchor="end",
            )
        ]
    rows = {
        (row["age_group"], row["zone"]): (row["rate"], ends)
        for row, ends in zip(answer.rows, answer.interval("rate"), strict=True)
    }
    for i, group in enumerate(county.AGES):
        parts.append(text(left + wide * (i + 0.5), base + 20, group, 12, INK, anchor="middle"))
        for j, (zone, colour) in enumerate(ZONES.items()):
            rate, (low, high) = rows[group, zone]
            x = left + wide * i + 16 + j * (wide - 32) / 3
            top, a, b = (base - tall * min(max(each, 0), most) / most for each in (rate, high, low))
            tip = f"{group}, {zone}: {100 * rate:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
            parts.append(box(x, top, (wide - 32) / 3 - 4, base - top, colour, tip))
            parts += [whisker(x + (wide - 32) / 6 - 2, a, b)]
    parts.append(line(left, base, 830, base, SOFT))
    for j, (zone, colour) in enumerate(ZONES.items()):
        parts += [box(480 + 122 * j, 40, 12, 12, colour), text(498 + 122 * j, 50, zone, 12, INK)]
    return page(
        860,
        370,
        "Rates of bronchitis by age group and distance from the works, with error bars",
        parts,
    )


def custodian(
    answer: Any,
    ends: Sequence[tuple[float, float]],
    found: Mapping[str, str],
    exact: Mapping[str, Sequence[Any]],
) -> str:
    """Draw the ratio of every district against its dust: the answer, both intervals, and the exact
    ratio, which only the custodian may see."""
    left, base, tall, most = (
        60.0,
        370.0,
        270.0,
        0.5 * math.ceil(2 * max(high for _, high in ends) + 0.2),
    )
    parts = [
        text(24, 30, "Answers and truth, district by district", 16, weight=600),
        text(24, 50, "For the custodian's eyes only: the rings are exact", 12, SOFT),
    ]

    def across(dust: float) -> float:
        return left + 14 + (820 - left) * math.log2(dust / 8) / math.log2(64 / 8)

    def up(ratio: float) -> float:
        return base - tall * min(max(ratio, 0), most) / most

    for mark in range(int(2 * most) + 1):
        parts += [line(left, up(mark / 2), 840, up(mark / 2), SOFT if mark == 2 else GRID)]
        parts += [text(left - 8, up(mark / 2) + 4, f"{mark / 2:g}", 11, SOFT, anchor="end")]
    parts += [
        text(across(mark), base + 18, f"{mark}", 11, SOFT, anchor="middle")
        for mark in (8, 12, 16, 24, 32, 48, 64)
    ]
    dust = {each.name: each.dust for each in county.districts()}
    for row, wide, narrow in zip(answer.rows, ends, answer.interval("ratio"), strict=True):
        x, name = across(dust[row["district"]]), row["district"]
        colour = {"high": "#b91c1c", "low": "#3b76b8"}.get(found[name], "#94a3b8")
        parts += [
            line(x, up(wide[1]), x, up(wide[0]), colour, 1),
            line(x, up(narrow[1]), x, up(narrow[0]), colour, 5),
        ]
        parts.append(ring(x, up(exact[name][4]), name))
        if found[name] == "high":
            parts.append(text(x, up(wide[1]) - 6, name, 10.5, INK, anchor="middle"))
    parts.append(
        text(840, base + 36, "dust in the air, micrograms in a cubic metre", 11, SOFT, anchor="end")
    )
    parts += [text(left, 80, "cases over expected cases", 11, SOFT), *_marks(470, 50)]
    return page(
        870,
        420,
        "Ratio of cases to expected cases against the dust in the air, with intervals and exact"
        " values",
        parts,
    )


def _marks(x: float, y: float) -> list[str]:
    return [
        *(line(x, y - 4, x + 16, y - 4, "#94a3b8", 5), text(x + 24, y, "noise, 95 %", 11, SOFT)),
        *(
            line(x + 96, y - 4, x + 112, y - 4, "#94a3b8", 1),
            text(x + 118, y, "noise and chance, 99 % each", 11, SOFT),
        ),
        *(ring(x + 306, y - 4, "exact"), text(x + 316, y, "exact", 11, SOFT)),
    ]


def ring(x: float, y: float, tip: str) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="{PAPER}" stroke="{INK}"'
        f' stroke-width="1.4"><title>{escape(tip)}</title></circle>'
    )


def shade(ratio: float) -> str:
    """Return the colour of a ratio: white at 1, full colour at 2.5 and at 0.4."""
    turn = max(-1.0, min(1.0, math.log2(max(ratio, 0.05)) / 1.32))
    end = HIGH if turn > 0 else LOW
    return "#" + "".join(f"{round(248 + (part - 248) * abs(turn) ** 0.9):02x}" for part in end)


def whisker(x: float, top: float, bottom: float) -> str:
    path = f"M{x - 4:.1f} {top:.1f}h8M{x:.1f} {top:.1f}V{bottom:.1f}M{x - 4:.1f} {bottom:.1f}h8"
    return f'<path d="{path}" stroke="{INK}" stroke-width="1.3" fill="none"/>'


def hexagon(
    x: float,
    y: float,
    side: float,
    fill: str,
    *,
    stroke: str = "none",
    dashes: str = "",
    tip: str = "",
) -> str:
    corners = (
        (x + side * math.cos(turn), y + side * math.sin(turn))
        for turn in (math.pi / 6 + math.pi / 3 * i for i in range(6))
    )
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
    style = (
        f'fill="{fill}" stroke="{stroke}" stroke-width="2.2" stroke-dasharray="{dashes or "none"}"'
    )
    return f'<polygon points="{points}" {style}><title>{escape(tip)}</title></polygon>'


def chimney(x: float, y: float) -> list[str]:
    """Draw the works as a small black factory."""
    path = f"M{x - 8:.1f} {y + 7:.1f}v-8l5 3v-3l5 3v-11h4v16z"
    return [f'<path d="{path}" fill="{INK}" stroke="{PAPER}" stroke-width="1.2"/>']
