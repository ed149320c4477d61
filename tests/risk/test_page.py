"""A risk report says at its head and at its foot that it is sensitive, and escapes what it shows."""

from __future__ import annotations

from hedgerow.publish.report import Section
from hedgerow.risk.page import WARNING, page


def test_a_report_is_marked_twice_and_shows_text_as_text() -> None:
    text = page("Risk of <b>", [("rows", "24")], [Section("Unique", ("7 of 24",))])
    assert text.count(WARNING) == 2
    assert "<b>" not in text
    assert "7 of 24" in text
