"""Figures of the attack: success rates of the publishers side by side, and bounds on belief.

The scale of the success rates begins just below 50 %, the rate of a coin. The shaded part above
the ceiling is out of reach of every attack.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from hedgerow.charts.html_page import Figure
from hedgerow.charts.number_text import format_share
from hedgerow.charts.svg import (
    build_scale,
    draw_circle,
    draw_line,
    draw_polygon,
    draw_polyline,
    draw_rectangle,
    draw_text,
    draw_whisker,
    wrap_svg,
)
from hedgerow.numeric.exact_number import MAX_EPSILON, MIN_EPSILON
from hedgerow.risk.attack.attack_bounds import Ceiling
from hedgerow.risk.attack.comparison import ONE_BY_ONE, AttackComparison, AttackResult

__all__ = ["build_attack_figure", "build_belief_figure", "format_rate"]

_HEIGHT, _TOP, _BOTTOM = 352, 44, 264
_LEFT, _MIDDLE = 56, 296  # the panel of other publishers
_GAP, _RIGHT = 330, 704  # the panel of Hedgerow
_LOW: Final = 0.44  # the rate at the foot of the scale
_CURVE_POINTS: Final = 60
_LABEL_DISTANCE: Final = 15.0  # pixels between two labels below each other

Scale = Callable[[float], float]


def format_rate(rate: float | Fraction, places: int = 1, *, up: bool = False) -> str:
    """Format a success rate or, with ``up``, an upper bound on one. A rate below 1 never shows
    as 100 %; a bound is rounded up.
    """
    scale = 10 ** (places + 2)
    steps = math.ceil(rate * scale) if up else min(round(rate * scale), scale - (rate < 1))
    return f"{steps / 10**places:.{places}f} %"


def build_attack_figure(comparison: AttackComparison) -> Figure:
    """Build the figure of success rates, with its numbers."""
    rows = tuple(
        (
            result.publisher,
            result.attack,
            format_rate(result.success.rate),
            " to ".join(format_rate(end) for end in result.success.interval()),
            "none" if result.ceiling is None else format_rate(result.ceiling, 2, up=True),
        )
        for result in (*comparison.baseline_results, *comparison.hedgerow_results)
    )
    return Figure(
        "How many secrets an attacker guesses right",
        _draw_comparison(comparison),
        ("published", "attack", "right", "95 % interval", "ceiling"),
        rows,
        note=(
            "Bars and marks are the share of secrets guessed right, with 95 % intervals; a coin"
            " guesses half of them. Bars show the better of two attacks, marks show both. The"
            " ceiling follows from epsilon alone and holds for every attack."
        ),
    )


def build_belief_figure(
    ceilings: Sequence[tuple[str, Ceiling]], failure_probability: Fraction = Fraction(0)
) -> Figure:
    """Build the figure of the highest belief after all answers by the belief before, one curve
    for each epsilon.
    """
    left, right, top, bottom = 56.0, 560.0, 30.0, 292.0
    across, up = build_scale(0, 1, left, right), build_scale(0, 1, bottom, top)
    parts = [draw_text(left, 16, "highest belief afterwards", "start", "value")]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [
            draw_line(left, up(share), right, up(share), "grid"),
            draw_text(left - 8, up(share) + 4, format_share(share), "end"),
            draw_text(across(share), bottom + 18, format_share(share), "middle"),
        ]
    middle = (left + right) / 2
    parts.append(draw_text(middle, bottom + 38, "belief before any answer", "middle", "value"))
    parts.append(draw_line(left, up(0), right, up(1), "axis"))
    rows, ends = [], []
    for name, ceiling in ceilings:
        curve = ceiling.belief_curve(
            [Fraction(k, _CURVE_POINTS) for k in range(1, _CURVE_POINTS)], but=failure_probability
        )
        points = [(across(float(before)), up(float(highest))) for before, _, highest in curve]
        parts.append(draw_polyline([(left, bottom), *points, (right, top)], name))
        from_half = ceiling.belief(but=failure_probability)
        half = format_rate(from_half, up=True)
        tenth = ceiling.belief(Fraction(1, 10), but=failure_probability)
        rows.append((name, format_rate(tenth, up=True), half))
        ends.append((up(float(from_half)), f"{name}: {half}"))
    parts.append(draw_text(right + 14, 16, "from 50 % to", "start", "value"))
    parts += _draw_leaders(across(0.5), right, ends)
    return Figure(
        "The highest belief an attacker can reach about one person",
        wrap_svg(340, "Curves: the highest belief afterwards, by the belief before", parts),
        ("total", "from 10 % to at most", "from 50 % to at most"),
        tuple(rows),
        note=_describe_failure(failure_probability),
    )


def _draw_leaders(x: float, right: float, ends: Sequence[tuple[float, str]]) -> list[str]:
    """Draw a line from each curve at 50 % to its label in the margin; labels that would touch
    are moved apart.
    """
    parts, free = [], 0.0
    for y, label in sorted(ends):
        free = max(y, free + _LABEL_DISTANCE)
        path = f"M{x:.1f} {y:.1f}H{right:.1f}L{right + 12:.1f} {free:.1f}"
        parts.append(f'<path class="leader" d="{path}"/>')
        parts.append(draw_circle(x, y, 3.5))
        parts.append(draw_text(right + 14, free + 4, label, "start"))
    return parts


def _draw_comparison(comparison: AttackComparison) -> str:
    at = build_scale(_LOW, 1.0, _BOTTOM, _TOP)
    parts = [draw_text(_LEFT - 8, at(0.5) + 4, "50 %", "end")]
    for percent in (60, 70, 80, 90, 100):
        y = at(percent / 100)
        parts.append(draw_line(_LEFT, y, _RIGHT, y, "grid"))
        parts.append(draw_text(_LEFT - 8, y + 4, f"{percent} %", "end"))
    parts.append(draw_text(_LEFT, 18, "Published without noise", "start", "value"))
    parts += _draw_baselines(comparison, at)
    if comparison.hedgerow_results:
        parts.append(draw_text(_GAP, 18, "Through Hedgerow", "start", "value"))
        parts += _draw_hedgerow(comparison, at)
    dashes = ' stroke-dasharray="5 4"'
    parts.append(draw_line(_LEFT, at(0.5), _RIGHT, at(0.5), "axis", dashes))
    parts.append(draw_text(_LEFT - 8, at(0.5) + 18, "a coin", "end"))
    description = (
        "Secrets guessed right: bars for counts published without noise, marks by total epsilon"
        " with the ceiling"
    )
    return wrap_svg(_HEIGHT, description, parts)


def _draw_baselines(comparison: AttackComparison, at: Scale) -> list[str]:
    names = list(dict.fromkeys(result.publisher for result in comparison.baseline_results))
    pitch = (_MIDDLE - _LEFT) / max(len(names), 1)
    half = min(pitch * 0.32, 30)
    parts = []
    for place, name in enumerate(names):
        result, x = comparison.find_best(name), _LEFT + (place + 0.5) * pitch
        y, rate = at(max(result.success.rate, 0.5)), format_rate(result.success.rate, 0)
        parts += [
            draw_rectangle(x - half, y, 2 * half, at(0.5) - y, _format_tooltip(result)),
            _draw_interval(x, result, at),
            draw_text(x, at(1) - 8, rate, "middle", "value"),
        ]
        parts += [
            draw_text(x, _BOTTOM + 16 + 14 * line, text, "middle")
            for line, text in enumerate(_split_name(name))
        ]
    return parts


def _draw_hedgerow(comparison: AttackComparison, at: Scale) -> list[str]:
    epsilons = sorted({float(guard.epsilon) for guard in comparison.hedgerow_publishers})
    low, high = math.log(epsilons[0]) - 0.8, math.log(epsilons[-1]) + 0.8
    across = build_scale(low, high, _GAP, _RIGHT)
    first = comparison.hedgerow_publishers[0]
    curve = []
    for k in range(_CURVE_POINTS + 1):
        power = low + (high - low) * k / _CURVE_POINTS
        epsilon = min(max(Fraction(f"{math.exp(power):.6e}"), MIN_EPSILON), MAX_EPSILON)
        curve.append((across(power), at(float(replace(first, epsilon=epsilon).ceiling))))
    parts = [draw_polygon([(_GAP, at(1)), *curve, (_RIGHT, at(1))]), draw_polyline(curve)]
    for result in comparison.hedgerow_results:
        x = across(math.log(float(result.epsilon or 1)))
        y, tooltip = at(max(result.success.rate, _LOW)), _format_tooltip(result)
        if result.attack == ONE_BY_ONE:
            parts += [_draw_interval(x, result, at), draw_circle(x, y, 5, tooltip)]
        else:  # beside the mark of the other attack
            parts.append(_draw_interval(x + 14, result, at))
            parts.append(draw_rectangle(x + 10, y - 4, 8, 8, tooltip, "open"))
    parts += [
        draw_text(across(math.log(epsilon)), _BOTTOM + 16, f"{epsilon:g}", "middle")
        for epsilon in epsilons
    ]
    middle = (_GAP + _RIGHT) / 2
    parts.append(draw_text(middle, _BOTTOM + 34, "total epsilon", "middle", "value"))
    return parts + _draw_legend(_BOTTOM + 58)


def _draw_legend(y: float) -> list[str]:
    return [
        draw_circle(_GAP + 6, y - 4, 5),
        draw_text(_GAP + 18, y, "one by one", "start"),
        draw_rectangle(_GAP + 100, y - 8, 8, 8, kind="open"),
        draw_text(_GAP + 116, y, "crossing groups", "start"),
        draw_line(_GAP + 224, y - 4, _GAP + 250, y - 4, "line"),
        draw_text(_GAP + 258, y, "ceiling", "start"),
        draw_rectangle(_GAP, y + 10, 14, 12, kind="band"),
        draw_text(_GAP + 18, y + 20, "out of reach of every attack, on average over runs", "start"),
    ]


def _split_name(name: str) -> list[str]:
    words = name.split(" ")
    at = 1 if len(name) <= 12 or len(" ".join(words[1:])) <= 9 else 2
    return [" ".join(words[:at]), " ".join(words[at:])]


def _format_tooltip(result: AttackResult) -> str:
    low, high = (format_rate(end) for end in result.success.interval())
    rate = f"{format_rate(result.success.rate)} right (95 %: {low} to {high})"
    bound = result.ceiling
    ceiling = "" if bound is None else f", ceiling {format_rate(bound, 2, up=True)}"
    return f"{result.publisher}, {result.attack}: {rate}{ceiling}"


def _describe_failure(failure_probability: Fraction) -> str:
    scope = (
        f"Except with a probability of 1 in {round(1 / failure_probability):,}"
        if failure_probability
        else "For all answers"
    )
    return (
        f"{scope}, and whatever else the attacker knows, the belief stays below its curve. On the"
        " straight line the attacker has learned nothing."
    )


def _draw_interval(x: float, result: AttackResult, at: Scale) -> str:
    low, high = (at(max(end, _LOW)) for end in result.success.interval())
    return draw_whisker(x, low, high, 4)
