"""The chart shows its values to scale, and escapes markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.chart import draw_estimates
from hedgerow.local.decode.value_estimates import ValueEstimate

SVG = "{http://www.w3.org/2000/svg}"
FOUND = [
    ValueEstimate("first", 800.0, 50.0, 700.0, 900.0, 0.0),
    ValueEstimate("second <b>", 400.0, 50.0, 300.0, 500.0, 0.0),
    ValueEstimate(7, 5.0, 1.0, 3.0, 7.0, 0.0),
]


def drawn(*arguments: object, **options: object) -> tuple[ElementTree.Element, list[str]]:
    root = ElementTree.fromstring(draw_estimates(*arguments, **options))  # type: ignore[arg-type]
    return root, [text.text or "" for text in root.iter(f"{SVG}text")]


def test_estimates_lie_to_scale_with_their_intervals() -> None:
    root, words = drawn(FOUND, "What there is")
    first, second, third, _ = (float(dot.attrib["cx"]) for dot in root.iter(f"{SVG}circle"))
    assert (first - second) / (second - third) == pytest.approx(400 / 395, abs=0.01)
    whisker = next(path.attrib["d"] for path in root.iter(f"{SVG}path") if "H" in path.attrib["d"])
    start, end = map(
        float,
        re.search(r"M([\d.]+) [\d.]+H([\d.]+)", whisker).groups(),  # type: ignore[union-attr]
    )
    assert (start + end) / 2 == pytest.approx(first, abs=0.1)
    assert {
        "What there is",
        "first",
        "second <b>",
        "7",
        "0",
        "400",
        "800",
        "estimate and 95 % interval, clients",
    } <= set(words)
    assert "truth" not in words


def test_the_truth_is_drawn_where_it_is_known() -> None:
    root, words = drawn(FOUND, "t", {"first": 800, "second <b>": 1_000_000.0})
    diamonds = [
        path.attrib["d"] for path in root.iter(f"{SVG}path") if path.attrib["d"].endswith("z")
    ]
    assert len(diamonds) == 2 + 1  # and one in the legend
    assert "truth" in words
    assert "1,000,000" in words


def test_negative_ends_shares_and_long_labels() -> None:
    rows = [ValueEstimate("x" * 50, 0.02, 0.05, -0.08, 0.12, None)]
    root, words = drawn(rows, "t", unit="from 0 to 1")
    assert "x" * 27 + "…" in words
    assert {"−0.05", "0", "0.05", "0.1"} <= set(words)
    assert next(root.iter(f"{SVG}circle"))[0].text == "x" * 50 + ": 0.0200 (-0.0800 to 0.1200)"


@pytest.mark.parametrize("top", [1.0, 1.9, 3.4, 3.6, 7.4, 7.6, 9.9, 123_456.0])
def test_an_axis_has_a_few_round_marks(top: float) -> None:
    _, words = drawn([ValueEstimate(1, top / 2, 1.0, 0.0, top, 0.0)], "t")
    marks = [word for word in words if word.replace(",", "").replace(".", "").isdecimal()][:-1]
    assert 3 <= len(marks) <= 8


def test_nothing_is_not_drawn() -> None:
    with pytest.raises(InvalidArgument, match="at least one value to draw"):
        draw_estimates([], "t")
