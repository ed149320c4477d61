"""Showing the danger: how exposed a table or a set of published answers is, and how the same attacks fare against Hedgerow.

For custodians only: what stands in these results is about people in the data, without any protection.
"""

from __future__ import annotations

from hedgerow.risk.answers.averaging import averaging
from hedgerow.risk.answers.differencing import differencing
from hedgerow.risk.answers.disclosure import Rules, cells, deaggregate, flags
from hedgerow.risk.answers.reading import read_answers
from hedgerow.risk.answers.suppression import suppressed
from hedgerow.risk.attack.ceilings import Ceiling, choices, epsilon_for
from hedgerow.risk.attack.comparison import Crowd, before_and_after
from hedgerow.risk.attack.reconstruction import least_squares, linear_program, members_of, within
from hedgerow.risk.table.linkage import linkage
from hedgerow.risk.table.students import students
from hedgerow.risk.table.uniqueness import uniqueness

__all__ = [
    "Ceiling",
    "Crowd",
    "Rules",
    "averaging",
    "before_and_after",
    "cells",
    "choices",
    "deaggregate",
    "differencing",
    "epsilon_for",
    "flags",
    "least_squares",
    "linear_program",
    "linkage",
    "members_of",
    "read_answers",
    "students",
    "suppressed",
    "uniqueness",
    "within",
]
