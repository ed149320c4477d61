"""The audit of the last chapter. Alarm rate of each statistical check: 1e-9, but for the audit's
own 1e-6, which needs it to be wrong.
"""

from __future__ import annotations

import numpy as np
import pytest

from demo.helpers_pages import draw_page
from hedgerow.demo import audit_chapter as outside
from hedgerow.demo.audit_chapter import AuditChapter, AuditFinding


@pytest.mark.long
def test_the_audit_tells_ours_from_the_textbook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "CONFIDENCE", 1 - 1e-9)
    ours, floats = outside.AuditChapter.ask().findings
    assert (ours.refuted, floats.refuted) == (False, True)
    assert 0.7 < ours.epsilon <= 1 < 5 < floats.epsilon
    # two ways to say it, nearly as good as each other
    assert "multiple of 2^-" in floats.event or "lowest set bit" in floats.event


def test_the_textbook_noise_is_laplace_at_least_roughly() -> None:
    noise = outside.sample_textbook_laplace(3.0, 100_000) - 3.0
    # |noise| is exponential: its mean has standard error 0.0032, and 0.025 is more than seven of
    # them.
    assert abs(np.abs(noise).mean() - 1) < 0.025


def test_the_audit_page_has_a_verdict_for_each_noise() -> None:
    findings = (
        AuditFinding("ours", 1.0, 0.92, "output >= 1", False),
        AuditFinding("theirs", 1.0, 6.5, "output is odd", True),
    )
    page = draw_page(AuditChapter(findings, 50_000, 0.999).render(78))
    verdicts = [line.split()[-1] for line in page.splitlines() if "≥" in line]
    assert verdicts == ["stands", "refuted"]
