"""The picture shows the numbers it stands for, in their places, as text that XML readers accept."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from hedgerow.charts.svg import build_standalone_svg
from hedgerow.risk.attack.attack_bounds import Ceiling
from hedgerow.risk.attack.charts import build_attack_figure, build_belief_figure, format_rate
from risk.helpers_attack import comparison

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("rate", "places", "text"),
    [
        (0.5, 1, "50.0 %"),
        (Fraction(2, 3), 2, "66.67 %"),
        (1, 0, "100 %"),
        (0.9999, 1, "99.9 %"),
        (0.999, 0, "99 %"),
        (1, 1, "100.0 %"),
    ],
)
def test_a_share_is_never_rounded_up_to_all(rate: float, places: int, text: str) -> None:
    assert format_rate(rate, places) == text


def test_a_bound_is_rounded_up() -> None:
    assert format_rate(Fraction(81606, 100000), 2, up=True) == "81.61 %"
    assert format_rate(Fraction(81601, 100000), 2, up=True) == "81.61 %"
    assert format_rate(Fraction(99999, 100000), 1, up=True) == "100.0 %"


def test_the_numbers_stand_beside_the_picture() -> None:
    found = build_attack_figure(comparison())
    assert len(found.rows) == 12
    assert found.rows[0][:3] == ("exact", "one by one", "50.0 %")
    assert found.rows[0][-1] == "none"
    assert found.rows[8] == ("epsilon 1", "one by one", "80.0 %", "78.7 % to 81.2 %", "81.61 %")


def test_marks_stand_where_their_numbers_are() -> None:
    drawn = ET.fromstring(build_standalone_svg(build_attack_figure(comparison()).drawing))
    words = [text.text for text in drawn.iter(f"{SVG}text")]
    for word in (
        "Published without noise",
        "Through Hedgerow",
        "total epsilon",
        "a coin",
        "out of reach of every attack, on average over runs",
        "exact",
        "rounded",
        "50 %",
    ):
        assert word in words
    # those of the legend have no title
    marks = [circle for circle in drawn.iter(f"{SVG}circle") if len(circle)]
    assert [float(mark.get("cy", "0")) for mark in marks] == [
        pytest.approx(264 - (rate - 0.44) / 0.56 * 220, abs=0.1) for rate in (0.8, 1)
    ]
    assert float(marks[0].get("cx", "0")) < float(marks[1].get("cx", "0"))
    bars = [bar for bar in drawn.iter(f"{SVG}rect") if bar.get("class") == "bar"]
    assert len(bars) == 4
    assert all(float(bar.get("height", "0")) > 150 for bar in bars)
    # two marks and the legend
    assert sum(bar.get("class") == "open" for bar in drawn.iter(f"{SVG}rect")) == 3


def test_without_guards_there_is_only_the_left_half() -> None:
    drawing = build_attack_figure(
        replace(comparison(), hedgerow_results=(), hedgerow_publishers=())
    ).drawing
    assert "Through Hedgerow" not in drawing
    assert "Published without noise" in drawing


def test_the_belief_chart_shows_both_posteriors() -> None:
    ceilings = [(f"epsilon {e}", Ceiling("change-one", epsilon=Fraction(e))) for e in (1, 10)]
    found = build_belief_figure(ceilings)
    assert found.rows == (("epsilon 1", "23.2 %", "73.2 %"), ("epsilon 10", "100.0 %", "100.0 %"))
    drawn = ET.fromstring(build_standalone_svg(found.drawing))
    names = [text for text in drawn.iter(f"{SVG}text") if (text.text or "").startswith("epsilon")]
    assert [text.text for text in names] == ["epsilon 10: 100.0 %", "epsilon 1: 73.2 %"]
    near = [(f"epsilon {e}", Ceiling("change-one", epsilon=Fraction(e))) for e in (10, 11, 12)]
    heights = [
        float(text.get("y") or 0)
        for text in ET.fromstring(build_standalone_svg(build_belief_figure(near).drawing)).iter(
            f"{SVG}text"
        )
        if (text.text or "").startswith("epsilon")
    ]
    assert min(b - a for a, b in pairwise(heights)) >= 14.9  # names do not touch
    assert "For all answers" in found.note
    assert ET.fromstring(build_standalone_svg(found.drawing)).get("width") == "720"
    close = [("epsilon 1", Ceiling("change-one", epsilon=Fraction(1), delta=Fraction(1, 10**9)))]
    assert (
        "Except with a probability of 1 in 1,000,000"
        in build_belief_figure(close, Fraction(1, 10**6)).note
    )


def test_the_smallest_and_the_largest_epsilon_can_be_drawn() -> None:
    found = comparison()
    ends = [
        replace(guard, epsilon=Fraction(epsilon))
        for guard, epsilon in zip(found.hedgerow_publishers, ("1e-12", "1e4"), strict=True)
    ]
    lines = [
        replace(line, epsilon=guard.epsilon)
        for guard, line in zip(ends, found.hedgerow_results, strict=False)
    ]
    words = [
        text.text
        for text in ET.fromstring(
            build_standalone_svg(
                build_attack_figure(
                    replace(found, hedgerow_publishers=tuple(ends), hedgerow_results=tuple(lines))
                ).drawing
            )
        ).iter(f"{SVG}text")
    ]
    assert "1e-12" in words
    assert "10000" in words
