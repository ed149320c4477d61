"""Plots are well-formed, say what they show, and draw numbers where they belong."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from hedgerow.charts.plots import (
    Bar,
    draw_bar_chart,
    draw_column_chart,
    draw_heatmap,
    draw_line_chart,
)
from hedgerow.charts.svg import CHARACTER_WIDTH, WIDTH

GIVEN = [Bar("a & b", 10, 8, 12), Bar("<c>", -2, -5, 1), Bar("none", 4)]


def read(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def boxes(text: str) -> list[dict[str, float]]:
    return [
        {name: float(box.get(name, "nan")) for name in ("x", "y", "width", "height")}
        for box in read(text).iter("rect")
    ]


@pytest.mark.parametrize("draw", [draw_column_chart, draw_bar_chart, draw_line_chart])
def test_a_drawing_says_in_words_what_it_shows_and_escapes_text(draw: object) -> None:
    drawn = draw(GIVEN, 'How many "x" & y')  # type: ignore[operator]
    root = read(drawn)
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'How many "x" & y'
    assert any(element.text == "a & b" for element in root.iter("text"))


def test_bars_are_as_high_as_their_counts_above_and_below_the_axis() -> None:
    drawn = draw_column_chart(GIVEN, "words")
    first, second, third = boxes(drawn)
    assert first["height"] == pytest.approx(2.5 * third["height"], rel=0.01)
    # one hangs from the axis, one stands on it
    assert second["y"] == pytest.approx(first["y"] + first["height"], abs=0.2)
    assert [title.text for title in read(drawn).iter("title")] == [
        "a & b: 10 (95 %: 8 to 12)",
        "<c>: −2 (95 %: −5 to 1)",
        "none: 4",
    ]
    assert drawn.count('class="whisker"') == 2


def test_lying_bars_begin_at_zero_and_have_their_numbers_beside_them() -> None:
    drawn = draw_bar_chart(GIVEN, "words")
    first, second, third = boxes(drawn)
    assert first["x"] == third["x"] == pytest.approx(second["x"] + second["width"], abs=0.2)
    assert first["width"] == pytest.approx(2.5 * third["width"], rel=0.01)
    assert {"10", "−2", "4"} <= {element.text for element in read(drawn).iter("text")}


def test_a_line_has_its_band_around_it() -> None:
    bars = [Bar(str(i), i, i - 1, i + 2) for i in range(5)]
    assert draw_line_chart(bars, "words", has_whiskers=True).count('class="whisker"') == 5
    root = read(draw_line_chart(bars, "words"))
    (band,), (path,) = list(root.iter("polygon")), list(root.iter("polyline"))
    points = [tuple(map(float, point.split(","))) for point in str(path.get("points")).split()]
    ring = [tuple(map(float, point.split(","))) for point in str(band.get("points")).split()]
    upper, lower = ring[:5], ring[:4:-1]
    for (x, y), (u, v), (w, z) in zip(points, upper, lower, strict=True):
        assert x == u == w
        assert v < y < z  # downwards is more


def test_shades_are_darker_for_more_and_numbers_stand_in_them_only_if_all_fit() -> None:
    drawn = draw_heatmap(["r", "s"], ["c", "d"], [[0, 5], [10, -1]], "words")
    shade = [float(found) for found in re.findall(r'fill-opacity="([0-9.]+)"', drawn)]
    assert shade[2] == max(shade) == 1
    assert shade[0] == shade[3] < shade[1] < shade[2]
    assert {"5", "10"} <= {element.text for element in read(drawn).iter("text")}
    narrow = draw_heatmap(["r"], [str(i) for i in range(100)], [[1234.0] + [0.0] * 99], "words")
    assert "1,234" not in {element.text for element in read(narrow).iter("text")}
    assert "1,230" not in narrow


def test_many_labels_are_thinned_out_and_long_ones_cut() -> None:
    many = [Bar(f"label {i}", 1) for i in range(200)]
    assert len(list(read(draw_column_chart(many, "w")).iter("text"))) < 60
    assert "…" in draw_bar_chart([Bar("x" * 50, 1)], "w")
    few = draw_column_chart([Bar("one", 1), Bar("two", 2)], "w")
    assert "rotate" not in few
    assert "rotate" in draw_column_chart([Bar(f"a long label {i}", 1) for i in range(12)], "w")
    assert "short" in draw_column_chart([Bar("a long label", 1, short_label="short")], "w")


def test_an_interval_may_have_another_name() -> None:
    bar = Bar("a", 3, 2, 4, interval_name="from")
    assert "<title>a: 3 (from 2 to 4)</title>" in draw_bar_chart([bar], "w")


def test_all_zeros_can_be_drawn() -> None:
    for draw in (draw_column_chart, draw_bar_chart, draw_line_chart):
        assert read(draw([Bar("a", 0), Bar("b", 0)], "w")) is not None
    assert read(draw_heatmap(["a"], ["b"], [[0.0]], "w")) is not None


def test_a_written_value_stands_beside_its_bar_inside_the_drawing() -> None:
    drawn = draw_bar_chart([Bar("x", 99.99, written="over 99.9 %"), Bar("y", 5)], "words")
    (value,) = (each for each in read(drawn).iter("text") if each.text == "over 99.9 %")
    assert float(value.get("x", "nan")) + CHARACTER_WIDTH * len("over 99.9 %") <= WIDTH
    assert "x: over 99.9 %" in {title.text for title in read(drawn).iter("title")}
