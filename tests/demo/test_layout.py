"""Charts that have nothing to scale by."""

from __future__ import annotations

from demo.helpers_pages import draw_page
from hedgerow.charts.text_bars import TextBar
from hedgerow.demo.layout import show_chart


def test_charts_of_no_bar_and_of_one() -> None:
    assert "0 ± 0" in draw_page(show_chart(("a", "b"), (TextBar("x", 0, 0, 0, 0),), 78))
    assert draw_page(show_chart(("a", "b"), (), 78)).split()[:2] == ["a", "b"]
