"""SVG elements are well-formed and escaped; numbers and ticks are round."""

from __future__ import annotations

import itertools
import math
from xml.etree import ElementTree

import pytest

from hedgerow.charts.svg import (
    build_standalone_svg,
    compute_ticks,
    draw_circle,
    draw_for_screens,
    draw_rectangle,
    draw_text,
    format_number,
    wrap_svg,
)

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12345.6, "12,346"),
        (1.5, "1.5"),
        (0.00001, "1e−05"),
        (-3.14159, "−3.142"),
        (1e18, "1e+18"),
        (math.nan, "–"),
        (999.96, "1,000"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3, 7), (0, 123456), (0, 0), (5, 5), (-0.001, 0.002)]
)
def test_ticks_are_round_and_reach_around(low: float, high: float) -> None:
    marks = compute_ticks(low, high)
    assert marks[0] <= low + 1e-12
    assert marks[-1] >= high - 1e-12
    assert 2 <= len(marks) <= 9
    steps = {round((b - a) / (marks[1] - marks[0]), 6) for a, b in itertools.pairwise(marks)}
    assert steps == {1.0}


def test_a_standalone_drawing_has_its_size_its_style_and_a_background() -> None:
    parts = [draw_text(1, 2, "a < b", "start"), draw_circle(3, 4, 5, "a & b")]
    root = ElementTree.fromstring(build_standalone_svg(wrap_svg(99.6, 'says "x"', parts)))
    assert (root.get("width"), root.get("height")) == ("720", "100")
    assert (root.get("role"), root.get("aria-label")) == ("img", 'says "x"')
    assert [child.tag.removeprefix(SVG) for child in root] == ["style", "rect", "text", "circle"]
    assert "prefers-color-scheme:dark" in (root[0].text or "")
    assert root[2].text == "a < b"
    assert root[3][0].text == "a & b"


def test_a_rectangle_never_has_a_negative_size() -> None:
    assert 'width="0.0" height="0.0"' in draw_rectangle(1, 2, -3, -4)


def test_a_drawing_for_screens_has_two_widths_and_nothing_is_nothing() -> None:
    drawn = draw_for_screens(lambda width: wrap_svg(10, "d", [], width))
    root = ElementTree.fromstring(f"<p>{drawn}</p>")
    views = {one.get("class"): one[0].get("viewBox") for one in root}
    assert views == {"broad": "0 0 720 10", "slim": "0 0 360 10"}
    assert draw_for_screens(lambda width: "") == ""
