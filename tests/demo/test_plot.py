from __future__ import annotations

import pytest

from hedgerow.demo import plot
from hedgerow.demo.chapters import Bar


@pytest.mark.parametrize(
    ("item", "drawn"),
    [
        (Bar("a", 5, 3, 7, 5), "███├─◆─┤"),
        (Bar("a", 5, 3, 7, 6), "███├─┼◆┤"),
        (Bar("a", 5, 3, 7, 9), "███├─┼─┤ ◆"),
        (Bar("a", 5, 3, 7, 1), "███├─┼─┤"),
        (Bar("a", 0, 0, 2, 0), "◆─┤"),
        (Bar("a", -4, -6, -2, 0), "◆"),
        (Bar("a", 10, 8, 10, 10), "████████├─◆"),
    ],
)
def test_bar(item: Bar, drawn: str) -> None:
    assert plot.bar(item, 10, 11).plain == drawn


@pytest.mark.parametrize(
    ("item", "drawn"),
    [
        (Bar("a", 15, 13, 17, 15), "   ├─◆─┤"),
        (Bar("a", 15, 13, 17, 19), "   ├─┼─┤ ◆"),
        (Bar("a", 15, 13, 17, 11), " ◆ ├─┼─┤"),
        (Bar("a", 15, 13, 17, 12), "  ◆├─┼─┤"),
    ],
)
def test_span(item: Bar, drawn: str) -> None:
    assert plot.span(item, 10, 20, 11).plain == drawn


def test_an_axis_of_no_length() -> None:
    assert plot.span(Bar("a", 5, 5, 5, 5), 5, 5, 11).plain == "◆"


def test_only_the_truth_is_coloured_as_truth() -> None:
    for text in (plot.bar(Bar("a", 5, 3, 7, 6), 10, 11), plot.span(Bar("a", 5, 3, 7, 1), 0, 10, 11)):
        assert [text.plain[span.start : span.end] for span in text.spans if span.style == "truth"] == ["◆"]


def test_a_bar_never_leaves_its_width() -> None:
    for value in range(0, 101, 7):
        assert len(plot.bar(Bar("a", value, 0, 100, value), 100, 20).plain) <= 20
        assert len(plot.span(Bar("a", value, -50, 150, 3 * value), 0, 100, 20).plain) <= 20


@pytest.mark.parametrize(
    ("left", "paid", "drawn"),
    [
        (1, 0, "██████████"),
        (0.9, 0.1, "█████████▒"),
        (0.4, 0.3, "████▒▒▒░░░"),
        (0, 0.2, "▒▒░░░░░░░░"),
        (0, 0, "░░░░░░░░░░"),
        (0.01, 0, "█░░░░░░░░░"),
    ],
)
def test_gauge(left: float, paid: float, drawn: str) -> None:
    assert plot.gauge(left, paid, 10).plain == drawn
