"""The audit of the last chapter. Alarm rate of each statistical check: 1e-9, but for the audit's
own 1e-6, which needs it to be wrong.
"""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.demo import audit_chapter as outside


@pytest.mark.long
def test_the_audit_tells_ours_from_the_textbook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "CONFIDENCE", 1 - 1e-9)
    ours, floats = outside.audit_noise().findings
    assert (ours.refuted, floats.refuted) == (False, True)
    assert 0.7 < ours.epsilon <= 1 < 5 < floats.epsilon
    # two ways to say it, nearly as good as each other
    assert "multiple of 2^-" in floats.event or "lowest set bit" in floats.event


def test_the_textbook_noise_is_laplace_at_least_roughly() -> None:
    noise = outside.sample_textbook_laplace(3.0, 100_000) - 3.0
    # |noise| is exponential: its mean has standard error 0.0032, and 0.025 is more than seven of
    # them.
    assert abs(np.abs(noise).mean() - 1) < 0.025
