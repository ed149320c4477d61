"""The page of a risk report: one HTML file that says first of all that it must not leave the
custodian's hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.publish.output.report import PageSection, render_page

__all__ = ["SENSITIVE_WARNING", "build_risk_page"]

SENSITIVE_WARNING: Final = (
    "SENSITIVE: this report was made from the data without any protection, for their custodian"
    " alone. Do not publish it, and do not pass it on."
)


def build_risk_page(
    title: str, facts: Sequence[tuple[str, str]], sections: Sequence[PageSection]
) -> str:
    """The report as HTML. Its lead and its foot are the warning, so that neither the screen nor
    the last printed sheet lacks it.
    """
    return render_page(title, SENSITIVE_WARNING, facts, sections, SENSITIVE_WARNING)
