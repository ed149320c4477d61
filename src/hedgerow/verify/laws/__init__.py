"""The laws every mechanism must keep; ``check_mechanism`` runs them all.

``suite`` holds the list. ``claims`` compares what a mechanism says of itself with its own
``log_prob``, ``accuracy`` its error, ``draws`` what it does when it runs. Behind them:
``neighbours`` (the worst inputs a sensitivity allows), ``masses`` (laws of whole numbers),
``goodness`` (tests of fit), ``case`` (what a law is given).
"""

from __future__ import annotations

from hedgerow.verify.laws.case import LawBroken, LawCase, LawFinding
from hedgerow.verify.laws.suite import LAWS, Law, LawReport, check_mechanism

__all__ = ["LAWS", "Law", "LawBroken", "LawCase", "LawFinding", "LawReport", "check_mechanism"]
