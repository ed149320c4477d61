from __future__ import annotations

import pytest

from hedgerow.charts import text_bars as plot
from hedgerow.charts.text_bars import TextBar


@pytest.mark.parametrize(
    ("item", "drawn"),
    [
        (TextBar("a", 5, 3, 7, 5), "███├─◆─┤"),
        (TextBar("a", 5, 3, 7, 6), "███├─┼◆┤"),
        (TextBar("a", 5, 3, 7, 9), "███├─┼─┤ ◆"),
        (TextBar("a", 5, 3, 7, 1), "███├─┼─┤"),
        (TextBar("a", 0, 0, 2, 0), "◆─┤"),
        (TextBar("a", -4, -6, -2, 0), "◆"),
        (TextBar("a", 10, 8, 10, 10), "████████├─◆"),
    ],
)
def test_a_bar_shows_interval_answer_and_truth(item: TextBar, drawn: str) -> None:
    assert plot.draw_bar(item, 10, 11).plain == drawn


@pytest.mark.parametrize(
    ("item", "drawn"),
    [
        (TextBar("a", 15, 13, 17, 15), "   ├─◆─┤"),
        (TextBar("a", 15, 13, 17, 19), "   ├─┼─┤ ◆"),
        (TextBar("a", 15, 13, 17, 11), " ◆ ├─┼─┤"),
        (TextBar("a", 15, 13, 17, 12), "  ◆├─┼─┤"),
    ],
)
def test_a_span_leaves_out_what_is_below_the_interval(item: TextBar, drawn: str) -> None:
    assert plot.draw_span(item, 10, 20, 11).plain == drawn


def test_an_axis_of_no_length() -> None:
    assert plot.draw_span(TextBar("a", 5, 5, 5, 5), 5, 5, 11).plain == "◆"


def test_only_the_truth_is_coloured_as_truth() -> None:
    for text in (
        plot.draw_bar(TextBar("a", 5, 3, 7, 6), 10, 11),
        plot.draw_span(TextBar("a", 5, 3, 7, 1), 0, 10, 11),
    ):
        assert [
            text.plain[span.start : span.end] for span in text.spans if span.style == "truth"
        ] == ["◆"]


def test_a_bar_never_leaves_its_width() -> None:
    for value in range(0, 101, 7):
        assert len(plot.draw_bar(TextBar("a", value, 0, 100, value), 100, 20).plain) <= 20
        assert len(plot.draw_span(TextBar("a", value, -50, 150, 3 * value), 0, 100, 20).plain) <= 20


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
def test_a_gauge_shows_what_is_left_paid_and_spent(left: float, paid: float, drawn: str) -> None:
    assert plot.draw_gauge(left, paid, 10).plain == drawn
