"""Reasons why a table cannot be joined to those before it, each with a fix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.catalog import UnitPart, has_whole_id
from hedgerow.sql.relations.join_conditions import JoinCondition, JoinInput
from hedgerow.sql.syntax.quoting import quote_name

__all__ = [
    "JOIN_ONE_BY_ONE",
    "LEFT_SIDE_UNJOINED",
    "ROW_UNITS",
    "JoinProblem",
    "UsableCondition",
    "find_join_problem",
    "has_unique_key",
]


@dataclass(frozen=True, slots=True)
class UsableCondition:
    """A condition between an input (``here``) and the rows joined so far (``there``)."""

    condition: JoinCondition
    here: ColumnReference
    there: ColumnReference


@dataclass(frozen=True, slots=True)
class JoinProblem:
    """A refusal of a join; ``node`` is underlined, or else the whole input."""

    problem: str
    fix: str
    node: exp.Expr | None = None


JOIN_ONE_BY_ONE: Final = "Join public tables to the protected one, one by one."
LEFT_SIDE_UNJOINED: Final = JoinProblem(
    "The left side of this LEFT JOIN is not joined to a protected table", JOIN_ONE_BY_ONE
)
ROW_UNITS: Final = JoinProblem(
    "Every row of this table is its own unit, so it cannot be joined to another protected table",
    "Join it with public tables only.",
)


def find_join_problem(
    scope: Scope, part: JoinInput, usable: Sequence[UsableCondition], first_alias: str
) -> JoinProblem | None:
    """Return the reason why an input cannot be joined to the rows of a scope, if there is one."""
    for used in usable:
        columns = (used.here, used.there)
        missing = next((column for column in columns if column.may_be_missing), None)
        if missing is not None:
            return JoinProblem(
                f"{missing.name} may be NULL here because of the LEFT JOIN",
                f"Use {quote_name(missing.name)} of the left table.",
                used.condition.node,
            )
        ids = [column for column in columns if column.is_privacy_id]
        parts = [column for column in columns if isinstance(column.owner, UnitPart)]
        if parts and ids and used.here.owner != used.there.owner:
            return JoinProblem(
                f"{ids[0].name} is part of the privacy id. It can only be compared with the same"
                " part of the id of another table",
                "Compare all parts: a.store = b.store AND a.customer = b.customer.",
                used.condition.node,
            )
        if len(ids) == 1 and not parts:
            return JoinProblem(
                f"{ids[0].name} is the privacy id. It can only be compared with the privacy id of"
                " another table",
                "Compare privacy ids with each other: a.patient_id = b.patient_id.",
                used.condition.node,
            )
    label = part.scope.sources[0][1]
    if part.is_semijoin and not part.scope.tables:
        return None
    if not part.scope.tables:
        return _find_public_problem(scope, part, usable, f"{first_alias}.x = {part.alias}.x")
    if "row" in (part.scope.rows.unit, scope.rows.unit):
        return ROW_UNITS
    if has_whole_id(used.here.owner for used in usable if used.here.owner == used.there.owner):
        return None
    return JoinProblem(
        f"{label} is not joined on the privacy id, so rows of different units would meet",
        _suggest_condition(scope, part, usable),
    )


def _find_public_problem(
    scope: Scope, part: JoinInput, usable: Sequence[UsableCondition], example: str
) -> JoinProblem | None:
    label = part.scope.sources[0][1]
    if not usable:
        return JoinProblem(
            f"{label} is not joined to the other tables", f"Add an equality, such as ON {example}."
        )
    if scope.rows.unit == "row" and not has_unique_key(part.scope, usable):
        return JoinProblem(
            f"A row could match several rows of {label}, but every row is its own unit and counts"
            " once",
            f"Join on columns that the policy declares unique in {label}.",
        )
    return None


def has_unique_key(scope: Scope, usable: Sequence[UsableCondition]) -> bool:
    """Return whether the joined columns cover a declared key of a public table."""
    origins = [used.here.origin for used in usable]
    names = {origin[1].name.casefold() for origin in origins if origin is not None}
    return any({name.casefold() for name in key} <= names for key in scope.unique)


def _suggest_condition(scope: Scope, part: JoinInput, usable: Sequence[UsableCondition]) -> str:
    owned = [column for column in part.scope.columns if column.owner is not None]
    joined = {used.here.owner for used in usable if used.here.owner == used.there.owner}
    mine = next((column for column in owned if column.owner not in joined), None)
    theirs = mine and next((column for column in scope.columns if column.owner == mine.owner), None)
    if mine is None or theirs is None:
        return (
            "Join on the privacy id or on a declared foreign key; a subquery must select it under"
            " its own name."
        )
    added = (
        f"Add {quote_name(theirs.alias)}.{quote_name(theirs.name)} ="
        f" {quote_name(mine.alias)}.{quote_name(mine.name)}"
    )
    shared = [quote_name(used.here.name) for used in usable if used.here.name == used.there.name]
    if not shared or part.scope.tables != scope.tables:
        return f"{added}."
    return (
        f"{added} to join rows of the same unit; to count what units share, write SELECT COUNT(*) …"
        f" GROUP BY {', '.join(shared)}."
    )
