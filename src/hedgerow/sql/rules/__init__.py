"""The rules, one file for each construct. A class of node that is in none of them is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from hedgerow.sql.binder.rule import Refusal, Rule
from hedgerow.sql.rules import (
    aggregates,
    arithmetic,
    casts,
    columns,
    comparisons,
    dates,
    literals,
    logic,
    statements,
    windows,
)
from hedgerow.sql.rules import conditionals as choices
from hedgerow.sql.rules import dp_functions as intervals
from hedgerow.sql.rules import foreign_functions as elsewhere
from hedgerow.sql.rules import misplaced as shapes
from hedgerow.sql.rules import numeric_functions as numbers
from hedgerow.sql.rules import strings as texts

__all__ = ["RULES", "RULES_BY_NODE"]

RULES: Final[tuple[Rule | Refusal, ...]] = (
    *literals.RULES,
    *columns.RULES,
    *arithmetic.RULES,
    *numbers.RULES,
    *comparisons.RULES,
    *logic.RULES,
    *choices.RULES,
    *casts.RULES,
    *dates.RULES,
    *elsewhere.RULES,
    *texts.RULES,
    *aggregates.RULES,
    *intervals.RULES,
    *windows.RULES,
    *shapes.RULES,
    *statements.RULES,
)
RULES_BY_NODE: Final[Mapping[type[exp.Expr], Rule | Refusal]] = {rule.node: rule for rule in RULES}
