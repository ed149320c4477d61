"""The rules of expressions, one module per construct. Nodes without a rule are refused."""

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
    conditionals,
    date_names,
    dates,
    dp_functions,
    foreign_functions,
    literals,
    logic,
    misplaced,
    numeric_functions,
    patterns,
    statements,
    strings,
    text_patterns,
)

__all__ = ["RULES", "RULES_BY_NODE", "find_refusal"]

RULES: Final[tuple[Rule | Refusal, ...]] = (
    *literals.RULES,
    *columns.RULES,
    *arithmetic.RULES,
    *numeric_functions.RULES,
    *comparisons.RULES,
    *logic.RULES,
    *conditionals.RULES,
    *casts.RULES,
    *dates.RULES,
    *date_names.RULES,
    *foreign_functions.RULES,
    *strings.RULES,
    *text_patterns.RULES,
    *patterns.RULES,
    *aggregates.RULES,
    *dp_functions.RULES,
    *misplaced.RULES,
    *statements.RULES,
)
RULES_BY_NODE: Final[Mapping[type[exp.Expr], Rule | Refusal]] = {rule.node: rule for rule in RULES}


def find_refusal(node: exp.Expr | None, problem: str, fix: str) -> tuple[str, str]:
    """Return the problem and fix of a refused class of node, or these for any other."""
    rule = RULES_BY_NODE.get(type(node)) if node is not None else None
    return (rule.problem, rule.fix) if isinstance(rule, Refusal) else (problem, fix)
