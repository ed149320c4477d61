"""The rules, one file for each construct. A class of node that is in none of them is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from hedgerow.sql.rule import Refusal, Rule
from hedgerow.sql.rules import (
    aggregates,
    arithmetic,
    casts,
    choices,
    columns,
    comparisons,
    dates,
    elsewhere,
    intervals,
    literals,
    logic,
    numbers,
    shapes,
    statements,
    texts,
    windows,
)

__all__ = ["BY_NODE", "RULES"]

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
BY_NODE: Final[Mapping[type[exp.Expr], Rule | Refusal]] = {rule.node: rule for rule in RULES}
