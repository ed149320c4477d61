"""Risk: how exposed a table or a set of published answers is, and how attacks fare against
Hedgerow.

For custodians only: results are about people in the data, without any protection.
"""

from __future__ import annotations

from hedgerow.risk.answers.answer_files import read_answers
from hedgerow.risk.answers.averaging import averaging
from hedgerow.risk.answers.differencing import differencing
from hedgerow.risk.answers.disclosure import Rules, build_cells, deaggregate, list_violations
from hedgerow.risk.answers.suppression import bound_suppressed_cells
from hedgerow.risk.attack.attack_bounds import Ceiling, epsilon_for, list_epsilon_choices
from hedgerow.risk.attack.comparison import Crowd, compare_attacks
from hedgerow.risk.attack.reconstruction import (
    fit_within_bound,
    least_squares,
    linear_program,
    match_conditions,
)
from hedgerow.risk.table.linkage import linkage
from hedgerow.risk.table.sample_students import students
from hedgerow.risk.table.uniqueness import uniqueness

__all__ = [
    "Ceiling",
    "Crowd",
    "Rules",
    "averaging",
    "bound_suppressed_cells",
    "build_cells",
    "compare_attacks",
    "deaggregate",
    "differencing",
    "epsilon_for",
    "fit_within_bound",
    "least_squares",
    "linear_program",
    "linkage",
    "list_epsilon_choices",
    "list_violations",
    "match_conditions",
    "read_answers",
    "students",
    "uniqueness",
]
