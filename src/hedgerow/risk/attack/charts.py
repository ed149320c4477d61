"""The attack as a picture that people understand: left what is published by habit, right Hedgerow,
and one scale for both.

The scale begins at 50 %, which is a coin. A bar or a mark says how many secrets were guessed right;
the part above the ceiling is out of reach, whatever the attack.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape
from typing import Final

from hedgerow.numeric.exact_number import MAX_EPSILON, MIN_EPSILON
from hedgerow.publish.output.figures import Figure
from hedgerow.risk.attack.attack_bounds import Ceiling
from hedgerow.risk.attack.comparison import ONE_BY_ONE, AttackComparison, AttackResult

__all__ = ["build_attack_figure", "build_belief_figure", "build_standalone_svg", "format_rate"]

_WIDTH, _HEIGHT, _TOP, _BOTTOM = 720, 352, 44, 264
# where the bars begin and end, and where the marks do
_LEFT, _MIDDLE, _GAP, _RIGHT = 56, 296, 330, 704
_LOW: Final = 0.44  # the foot of the scale
_CURVE_POINTS: Final = 60  # of a curve
_LABEL_DISTANCE: Final = 15.0  # between two names below each other


def format_rate(rate: float | Fraction, places: int = 1, *, up: bool = False) -> str:
    """A share as people read it; never 100 % for what is less, unless it is a bound, which is
    rounded ``up``.
    """
    scale = 10 ** (places + 2)
    steps = math.ceil(rate * scale) if up else min(round(rate * scale), scale - (rate < 1))
    return f"{steps / 10**places:.{places}f} %"


def build_attack_figure(found: AttackComparison) -> Figure:
    """The picture with its numbers."""
    rows = tuple(
        (
            line.publisher,
            line.attack,
            format_rate(line.success.rate),
            " to ".join(format_rate(end) for end in line.success.interval()),
            "none" if line.ceiling is None else format_rate(line.ceiling, 2, up=True),
        )
        for line in (*found.baseline_results, *found.hedgerow_results)
    )
    note = (
        "Bars and marks: secrets guessed right, with 95 % intervals. A coin guesses half of them."
        " Bars show the better of two attacks; marks show both. The ceiling follows from epsilon"
        " alone, whatever the attack."
    )
    return Figure(
        "How many secrets an attacker gets right",
        _draw_comparison(found),
        ("published", "attack", "right", "95 % interval", "ceiling"),
        rows,
        note=note,
    )


def build_belief_figure(
    ceilings: Sequence[tuple[str, Ceiling]], but: Fraction = Fraction(0)
) -> Figure:
    """What somebody can believe afterwards, against what she believed before, a curve for each
    epsilon.
    """
    left, right, top, bottom = 56.0, 560.0, 30.0, 292.0
    across, up = _build_scale(0, 1, left, right), _build_scale(0, 1, bottom, top)
    parts = [_draw_text(left, 16, "believed afterwards, at most", "start", "value")]
    for mark in (0, 25, 50, 75, 100):
        parts += [
            _draw_line(left, up(mark / 100), right, up(mark / 100), "grid"),
            _draw_text(left - 8, up(mark / 100) + 4, f"{mark} %", "end"),
        ]
        parts.append(_draw_text(across(mark / 100), bottom + 18, f"{mark} %", "middle"))
    parts.append(
        _draw_text((left + right) / 2, bottom + 38, "believed before any answer", "middle", "value")
    )
    parts.append(_draw_line(left, up(0), right, up(1), "axis"))
    told, ends = [], []
    for name, ceiling in ceilings:
        curve = ceiling.belief_curve(
            [Fraction(k, _CURVE_POINTS) for k in range(1, _CURVE_POINTS)], but=but
        )
        path = " ".join(f"{across(float(p)):.1f},{up(float(most)):.1f}" for p, _, most in curve)
        whole = f"{left:.1f},{bottom:.1f} {path} {right:.1f},{top:.1f}"
        parts.append(
            f'<polyline class="line" points="{whole}"><title>{escape(name)}</title></polyline>'
        )
        half = format_rate(ceiling.belief(but=but), up=True)
        told.append((name, format_rate(ceiling.belief(Fraction(1, 10), but=but), up=True), half))
        ends.append((up(float(ceiling.belief(but=but))), f"{name}: {half}"))
    parts += [
        _draw_text(right + 14, 16, "from 50 % to", "start", "value"),
        *_from_half(across(0.5), right, ends),
    ]
    drawing = _wrap_svg(
        _WIDTH,
        340,
        "Curves: the most that can be believed afterwards, by what was believed before",
        parts,
    )
    titles = ("total", "believed 10 %, afterwards at most", "believed 50 %, afterwards at most")
    return Figure(
        "What an attacker can come to believe about one person",
        drawing,
        titles,
        tuple(told),
        note=_describe_failure(but),
    )


def _from_half(x: float, right: float, ends: Sequence[tuple[float, str]]) -> list[str]:
    """From where each curve passes 50 % a line to its name in the margin; names that would touch
    are moved apart.
    """
    parts, free = [], 0.0
    for y, words in sorted(ends):
        free = max(y, free + _LABEL_DISTANCE)
        parts.append(
            f'<path class="leader" d="M{x:.1f} {y:.1f}H{right:.1f}L{right + 12:.1f} {free:.1f}"/>'
        )
        parts.append(f'<circle class="bar" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')
        parts.append(_draw_text(right + 14, free + 4, words, "start"))
    return parts


def build_standalone_svg(drawing: str) -> str:
    """A drawing as a file of its own, for light and dark."""
    size = drawing.split('viewBox="0 0 ', 1)[1].split('"', 1)[0].split(" ")
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
    begin, rest = drawing.removeprefix("<svg ").split(">", 1)
    return (
        f'{head}{begin}><style>{_STYLE}</style><rect class="paper" width="100%"'
        f' height="100%"/>{rest}\n'
    )


def _draw_comparison(found: AttackComparison) -> str:
    at = _build_scale(_LOW, 1.0, _BOTTOM, _TOP)
    parts = []
    for mark in (60, 70, 80, 90, 100):
        parts += [
            _draw_line(_LEFT, at(mark / 100), _RIGHT, at(mark / 100), "grid"),
            _draw_text(_LEFT - 8, at(mark / 100) + 4, f"{mark} %", "end"),
        ]
    parts += [
        _draw_text(_LEFT - 8, at(0.5) + 4, "50 %", "end"),
        _draw_text(_LEFT, 18, "Published by habit", "start", "value"),
    ]
    parts += _draw_baselines(found, at)
    if found.hedgerow_results:
        parts += [
            _draw_text(_GAP, 18, "Through Hedgerow", "start", "value"),
            *_draw_guarded(found, at),
        ]
    dashes = 'stroke-dasharray="5 4"'
    parts.append(
        f'<line class="axis" {dashes} x1="{_LEFT}" y1="{at(0.5):.1f}" x2="{_RIGHT}"'
        f' y2="{at(0.5):.1f}"/>'
    )
    parts.append(_draw_text(_LEFT - 8, at(0.5) + 18, "a coin", "end"))
    return _wrap_svg(
        _WIDTH,
        _HEIGHT,
        "Secrets guessed right: bars by habit of publishing, marks by total epsilon with the"
        " ceiling",
        parts,
    )


def _draw_baselines(found: AttackComparison, at: Callable[[float], float]) -> list[str]:
    names = list(dict.fromkeys(line.publisher for line in found.baseline_results))
    wide = (_MIDDLE - _LEFT) / max(len(names), 1)
    parts = []
    for place, name in enumerate(names):
        line, x = found.find_best(name), _LEFT + (place + 0.5) * wide
        y, half = at(max(line.success.rate, 0.5)), min(wide * 0.32, 30)
        shape = f'x="{x - half:.1f}" y="{y:.1f}" width="{2 * half:.1f}" height="{at(0.5) - y:.1f}"'
        parts.append(
            f'<rect class="bar" {shape}><title>{escape(_format_tooltip(line))}</title></rect>'
        )
        parts += [
            _draw_whisker(x, line, at),
            _draw_text(x, at(1) - 8, format_rate(line.success.rate, 0), "middle", "value"),
        ]
        parts += [
            _draw_text(x, _BOTTOM + 16 + 14 * row, words, "middle")
            for row, words in enumerate(_split_name(name))
        ]
    return parts


def _draw_guarded(found: AttackComparison, at: Callable[[float], float]) -> list[str]:
    epsilons = sorted({float(guard.epsilon) for guard in found.hedgerow_publishers})
    low, high = math.log(epsilons[0]) - 0.8, math.log(epsilons[-1]) + 0.8
    across = _build_scale(low, high, _GAP, _RIGHT)
    first = found.hedgerow_publishers[0]
    curve = []
    for k in range(_CURVE_POINTS + 1):
        power = low + (high - low) * k / _CURVE_POINTS
        epsilon = min(max(Fraction(f"{math.exp(power):.6e}"), MIN_EPSILON), MAX_EPSILON)
        curve.append((across(power), at(float(replace(first, epsilon=epsilon).ceiling))))
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in curve)
    parts = [
        f'<polygon class="band" points="{_GAP},{at(1):.1f} {path} {_RIGHT},{at(1):.1f}"/>',
        f'<polyline class="line" points="{path}"/>',
    ]
    for line in found.hedgerow_results:
        shift = 0 if line.attack == ONE_BY_ONE else 14
        x, y = across(math.log(float(line.epsilon or 1))) + shift, at(max(line.success.rate, _LOW))
        parts.append(_draw_whisker(x, line, at))
        if line.attack == ONE_BY_ONE:
            parts.append(
                f'<circle class="bar" cx="{x:.1f}" cy="{y:.1f}"'
                f' r="5"><title>{escape(_format_tooltip(line))}</title></circle>'
            )
        else:
            box = f'x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"'
            parts.append(
                f'<rect class="open" {box}><title>{escape(_format_tooltip(line))}</title></rect>'
            )
    parts += [
        _draw_text(across(math.log(total)), _BOTTOM + 16, f"{total:g}", "middle")
        for total in epsilons
    ]
    return [
        *parts,
        _draw_text((_GAP + _RIGHT) / 2, _BOTTOM + 34, "total epsilon", "middle", "value"),
        *_draw_legend(_BOTTOM + 58),
    ]


def _draw_legend(y: float) -> list[str]:
    return [
        f'<circle class="bar" cx="{_GAP + 6}" cy="{y - 4:.1f}" r="5"/>',
        _draw_text(_GAP + 18, y, "one by one", "start"),
        f'<rect class="open" x="{_GAP + 100}" y="{y - 8:.1f}" width="8" height="8"/>',
        _draw_text(_GAP + 116, y, "crossing groups", "start"),
        (
            f'<line class="line" x1="{_GAP + 224}" y1="{y - 4:.1f}" x2="{_GAP + 250}"'
            f' y2="{y - 4:.1f}"/>'
        ),
        _draw_text(_GAP + 258, y, "ceiling", "start"),
        f'<rect class="band" x="{_GAP}" y="{y + 10:.1f}" width="14" height="12"/>',
        _draw_text(
            _GAP + 18, y + 20, "out of reach of every attack, on average over runs", "start"
        ),
    ]


def _split_name(name: str) -> list[str]:
    """A name in two lines, if it is long."""
    first, _, rest = name.partition(" ")
    return (
        [first, rest]
        if len(name) <= 12 or len(rest) <= 9
        else [" ".join(name.split(" ")[:2]), " ".join(name.split(" ")[2:])]
    )


def _format_tooltip(line: AttackResult) -> str:
    ceiling = "" if line.ceiling is None else f", ceiling {format_rate(line.ceiling, 2, up=True)}"
    low, high = line.success.interval()
    return (
        f"{line.publisher}, {line.attack}: {format_rate(line.success.rate)} right (95 %:"
        f" {format_rate(low)} to {format_rate(high)}){ceiling}"
    )


def _describe_failure(but: Fraction) -> str:
    sure = (
        "Whatever the answers are" if but == 0 else f"But for a chance of one in {round(1 / but):,}"
    )
    return (
        f"{sure}, and whatever else is known: a belief lies below its curve. On the straight line"
        " nothing was learned."
    )


def _build_scale(low: float, high: float, start: float, stop: float) -> Callable[[float], float]:
    return lambda value: start + (value - low) / (high - low) * (stop - start)


def _draw_whisker(x: float, line: AttackResult, at: Callable[[float], float]) -> str:
    low, high = (at(max(end, _LOW)) for end in line.success.interval())
    return (
        f'<path class="whisker" d="M{x - 4:.1f} {low:.1f}h8M{x:.1f}'
        f' {low:.1f}V{high:.1f}M{x - 4:.1f} {high:.1f}h8"/>'
    )


def _draw_line(x: float, y: float, u: float, v: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}"/>'


def _draw_text(x: float, y: float, words: str, anchor: str, kind: str = "label") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"'
        f' text-anchor="{anchor}">{escape(words)}</text>'
    )


def _wrap_svg(width: float, height: float, words: str, parts: Sequence[str]) -> str:
    inner = "".join(parts)
    own = (
        "<style>svg .open{fill:var(--paper,#fff);stroke:var(--bar,#3f72af);stroke-width:2}"
        "svg .leader{fill:none;stroke:var(--soft,#52606d);stroke-dasharray:2 3}</style>"
    )
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img"'
        f' aria-label="{escape(words)}">{own}{inner}</svg>'
    )


_STYLE: Final = """
:root{--ink:#1f2933;--soft:#52606d;--paper:#fff;--line:#e1e6eb;--bar:#3f72af}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#9aa5b1;--paper:#171b21;--line:#2d343d;--bar:#6ea0dc}}
svg{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.paper{fill:var(--paper)}.bar{fill:var(--bar)}.grid{stroke:var(--line)}.axis{stroke:var(--soft)}
.whisker{stroke:var(--ink);stroke-width:1.3;fill:none}.band{fill:var(--bar);fill-opacity:.22}
.line{fill:none;stroke:var(--bar);stroke-width:2;stroke-linejoin:round}.label{fill:var(--soft)}.value{fill:var(--ink)}
"""
