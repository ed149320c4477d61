"""A risk report says at its head and at its foot that it is sensitive, and escapes what it
shows.
"""

from __future__ import annotations

from hedgerow.charts.html_page import PageSection
from hedgerow.risk.report_page import SENSITIVE_WARNING, build_risk_page


def test_a_report_is_marked_twice_and_shows_text_as_text() -> None:
    text = build_risk_page("Risk of <b>", [("rows", "24")], [PageSection("Unique", ("7 of 24",))])
    assert text.count(SENSITIVE_WARNING) == 2
    assert "<b>" not in text
    assert "7 of 24" in text
