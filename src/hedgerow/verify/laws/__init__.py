"""The laws every mechanism must keep; ``check_mechanism`` runs them all.

``suite`` holds the list. ``claims`` compares what a mechanism says of itself with its own ``log_prob``, ``accuracy`` its error, ``draws``
what it does when it runs. Behind them: ``neighbours`` (the worst inputs a sensitivity allows), ``masses`` (laws of
whole numbers), ``goodness`` (tests of fit), ``case`` (what a law is given).
"""

from __future__ import annotations

from hedgerow.verify.laws.case import Case, Finding, LawBroken
from hedgerow.verify.laws.suite import LAWS, Law, Report, check_mechanism

__all__ = ["LAWS", "Case", "Finding", "Law", "LawBroken", "Report", "check_mechanism"]
