"""The clinic with a small budget, for several processes that share it."""

from __future__ import annotations

from pathlib import Path

from service.helpers_service import POLICY, write_clinic

NAMES = ("ana", "eve", "ida", "jan")
EPSILON = "0.0625"  # of every question
_BUDGET = "epsilon = 100\ndelta = 1e-9\ndefault_epsilon = 0.5"
_ANALYSTS = POLICY[POLICY.index("[analysts.ana]") :]


def write_small_budget(folder: Path, questions: int) -> Path:
    """Write the clinic with a budget for so many questions, and no quotas."""
    policy = write_clinic(folder)
    budget = f"epsilon = {questions / 16}\ndefault_epsilon = {EPSILON}"
    text = POLICY.replace(_BUDGET, budget).replace(_ANALYSTS, "")
    policy.write_text(text)
    return policy
