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
        (Bar("a", 10, 8, 10, 10), "████████├─◆"),
    ],
)
def test_bar(item: Bar, drawn: str) -> None:
    assert plot.bar(item, 10, 11).plain == drawn


def test_only_the_truth_is_coloured_as_truth() -> None:
    text = plot.bar(Bar("a", 5, 3, 7, 6), 10, 11)
    assert [text.plain[span.start : span.end] for span in text.spans if span.style == "truth"] == ["◆"]


def test_a_bar_never_leaves_its_width() -> None:
    for value in range(0, 101, 7):
        assert len(plot.bar(Bar("a", value, 0, 100, value), 100, 20).plain) <= 20


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
