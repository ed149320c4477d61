"""A picture of findings: a line for each value, with its estimate, its interval and, where it is
known, the truth. One SVG file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, log10
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.value_estimates import ValueEstimate

__all__ = ["draw_estimates"]

_WIDTH, _LINE, _TOP = 720, 22, 46
_CHARACTER_WIDTH = 6.6  # pixels of text, about
_MAX_LABEL_LENGTH = 32  # characters of a label
_INK, _SOFT, _ESTIMATE, _TRUTH = "#334155", "#e2e8f0", "#2563eb", "#d97706"


def draw_estimates(
    found: Sequence[ValueEstimate],
    title: str,
    truth: Mapping[Any, float] | None = None,
    *,
    unit: str = "clients",
) -> str:
    """The SVG, values in the order given. ``truth`` has the true number of each value, in a
    simulation.
    """
    if not found:
        raise InvalidArgument("found", "must hold at least one value to draw")
    labels = [_shorten_label(str(finding.value)) for finding in found]
    left = 16 + _CHARACTER_WIDTH * max(map(len, labels))
    low = min(0.0, *(finding.low for finding in found))
    high = max(1e-300, *(finding.high for finding in found), *(truth or {"": 0.0}).values())
    bottom = _TOP + _LINE * len(found)

    def at(number: float) -> float:
        return left + (number - low) / (high - low) * (_WIDTH - 24 - left)

    parts = [_draw_text(12, 20, title, bold=True), *_draw_axis(low, high, at, bottom)]
    for place, (finding, label) in enumerate(zip(found, labels, strict=True)):
        y = _TOP + _LINE * (place + 0.5)
        start, middle, end = at(finding.low), at(finding.estimate), at(finding.high)
        parts.append(_draw_text(left - 8, y + 4, label, anchor="end"))
        parts.append(
            f'<path d="M{start:.1f} {y:.1f}H{end:.1f}M{start:.1f} {y - 4:.1f}v8M{end:.1f}'
            f' {y - 4:.1f}v8" stroke="{_ESTIMATE}"/>'
        )
        parts.append(
            f'<circle cx="{middle:.1f}" cy="{y:.1f}" r="3.5"'
            f' fill="{_ESTIMATE}"><title>{escape(_format_tooltip(finding))}</title></circle>'
        )
        if truth is not None and finding.value in truth:
            parts.append(
                f'<path d="M{at(truth[finding.value]):.1f} {y - 6:.1f}l5 6l-5 6l-5-6z"'
                f' stroke="{_TRUTH}"/>'
            )
    parts += _draw_legend(bottom + 40, unit, known=truth is not None)
    box = f'viewBox="0 0 {_WIDTH} {bottom + 56}" width="{_WIDTH}" height="{bottom + 56}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" fill="none"'
        ' stroke-width="1.5" role="img">'
    )
    return (
        "\n".join(
            [
                head,
                f"<title>{escape(title)}</title>",
                '<rect width="100%" height="100%" fill="#fff"/>',
                *parts,
                "</svg>",
            ]
        )
        + "\n"
    )


def _draw_axis(low: float, high: float, at: Any, bottom: float) -> list[str]:
    power = 10.0 ** floor(log10(high - low))
    step = next(
        power * part for part in (0.2, 0.25, 0.5, 1.0, 2.0) if (high - low) / (power * part) <= 7
    )
    parts = []
    for mark in range(-floor(-low / step), floor(high / step) + 1):
        x = at(mark * step)
        parts.append(
            f'<path d="M{x:.1f} {_TOP - 8}V{bottom + 2}" stroke="{_SOFT if mark else _INK}"'
            ' stroke-width="1"/>'
        )
        parts.append(
            _draw_text(x, bottom + 16, _format_number(mark * step), anchor="middle", size=10)
        )
    return parts


def _draw_legend(y: float, unit: str, *, known: bool) -> list[str]:
    parts = [
        f'<circle cx="20" cy="{y - 4}" r="3.5" fill="{_ESTIMATE}"/>',
        _draw_text(30, y, f"estimate and 95 % interval, {unit}", size=11),
    ]
    if known:
        parts += [
            f'<path d="M320 {y - 10}l5 6l-5 6l-5-6z" stroke="{_TRUTH}"/>',
            _draw_text(330, y, "truth", size=11),
        ]
    return parts


def _format_tooltip(finding: ValueEstimate) -> str:
    form = ",.0f" if finding.p_value is not None else ".4f"
    return (
        f"{finding.value}: {finding.estimate:{form}} ({finding.low:{form}} to"
        f" {finding.high:{form}})"
    )


def _format_number(number: float) -> str:
    text = f"{number:,.6f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")


def _shorten_label(text: str) -> str:
    return text if len(text) <= _MAX_LABEL_LENGTH else text[: _MAX_LABEL_LENGTH - 1] + "…"


def _draw_text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
        f' fill="{_INK}"{weight}>{escape(text)}</text>'
    )
