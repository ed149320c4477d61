"""The HTML page of a risk report, marked as sensitive at its head and at its foot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.charts.html_page import PageSection, render_page

__all__ = ["SENSITIVE_WARNING", "build_risk_page"]

SENSITIVE_WARNING: Final = (
    "SENSITIVE: this report was computed from the unprotected data, for their custodian only. Do"
    " not publish it and do not share it."
)


def build_risk_page(
    title: str, facts: Sequence[tuple[str, str]], sections: Sequence[PageSection]
) -> str:
    """Build the page of a risk report. The warning is its lead and its foot, so that both the
    screen and the last printed sheet show it.
    """
    return render_page(title, SENSITIVE_WARNING, facts, sections, SENSITIVE_WARNING)
