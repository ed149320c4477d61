"""Laws that every mechanism must keep; ``check_mechanism`` tests them all.

``suite`` lists the laws. ``claims`` compares the loss with ``log_prob``, ``accuracy`` the error
with it, and ``sampling`` the draws. They use ``neighbours`` (the worst inputs a sensitivity
allows), ``integer_distribution``, ``goodness_of_fit`` and ``case`` (the input of a law).
"""

from __future__ import annotations

from hedgerow.verify.laws.case import LawBroken, LawCase, LawFinding
from hedgerow.verify.laws.suite import LAWS, Law, LawReport, check_mechanism

__all__ = ["LAWS", "Law", "LawBroken", "LawCase", "LawFinding", "LawReport", "check_mechanism"]
