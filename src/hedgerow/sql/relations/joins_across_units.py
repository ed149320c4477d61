"""Joins across units: rows meet rows of whomever they belong to, on keys that name no unit.

docs/decisions/0018 has the proof. Both sides are joined by unit first, and truncated to the caps of
their tables. Conditions that read one side alone are applied to that side, before it is truncated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.plan.canonical_expressions import flatten
from hedgerow.plan.measures import Measure, Truncation
from hedgerow.plan.nodes import Filter, Join, Project, RelationNode
from hedgerow.plan.relations import find_owner_join
from hedgerow.plan.scalar.expressions import ColumnRef, Expression, find_columns, substitute_columns
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.catalog import PRIVACY_ID
from hedgerow.sql.group_by import KeyExpression
from hedgerow.sql.question import AggregateCall
from hedgerow.sql.relations.join_columns import choose_plan_names
from hedgerow.sql.relations.join_conditions import JoinCondition
from hedgerow.sql.relations.join_problems import JoinProblem, UsableCondition
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = [
    "THIRD_UNIT",
    "JoinFailure",
    "check_measures_across_units",
    "filter_sides",
    "has_join_caps",
    "join_across_units",
    "joins_across_units",
]

THIRD_UNIT: Final = JoinProblem(
    "Rows of three different units would meet",
    "Let rows of two units meet; join each further table on the privacy id of one of them.",
)
_MEASURE_KINDS: Final = ("rows", "values", "total", "moments")
_MAX_CELLS: Final = 100_000
_EXAMPLES: Final = "max_join_rows_per_unit = 20", "max_join_rows_per_key = 5"


def joins_across_units(rows: RelationNode) -> bool:
    """Return whether rows of different units are joined in these rows."""
    join = find_owner_join(rows)
    return join is not None and join.truncations is not None


def has_join_caps(*sides: Scope) -> bool:
    """Return whether each side has a table that declares the caps of such joins."""
    return None not in map(_find_caps, sides)


@dataclass(frozen=True, slots=True)
class JoinFailure:
    """The reason why inputs are not joined unit by unit, and the first such input."""

    text: SourceText
    reason: JoinProblem
    node: exp.Expr

    def refuse(self, more: str = "") -> NoReturn:
        """Refuse the join for this reason, with one more fix."""
        reason = self.reason
        raise self.text.refusal(
            Unsupported, reason.problem, reason.node or self.node, f"{reason.fix}{more}"
        )


def join_across_units(
    failure: JoinFailure,
    shown: Sequence[int],
    conditions: Sequence[JoinCondition],
    ours: tuple[set[int], Scope],
    theirs: tuple[set[int], Scope],
) -> tuple[Scope, list[JoinCondition]]:
    """Join two sides on the conditions between them; return the scope and all other conditions.

    The inputs that are not ``shown`` are only tested for matches. ``failure`` says what is wrong
    where the sides are not joined at all, or have no caps.
    """
    bonds = _find_bonds(shown, conditions, ours, theirs)
    if not bonds:
        failure.refuse()
    caps = _read_caps(failure, bonds, ours[1], theirs[1])
    for bond in bonds:
        _check_keys(failure.text, ours[1], bond)
    scope = _join_sides(failure.text, bonds, caps, ours[1], theirs[1])
    done = [bond.condition for bond in bonds]
    return scope, [condition for condition in conditions if condition not in done]


def _find_bonds(
    shown: Sequence[int],
    conditions: Sequence[JoinCondition],
    ours: tuple[set[int], Scope],
    theirs: tuple[set[int], Scope],
) -> list[UsableCondition]:
    """Return the conditions between two sides, ``here`` in the second one; none if one of them is
    about rows that are only tested for matches.
    """
    found = [
        (condition, i, a, j, b)
        for condition in conditions
        for (i, a), (j, b) in (
            (condition.first, condition.second),
            (condition.second, condition.first),
        )
        if i in theirs[0] and j in ours[0]
    ]
    if not {place for _, i, _, j, _ in found for place in (i, j)} <= set(shown):
        return []
    return [
        UsableCondition(condition, theirs[1].find_same_column(a), ours[1].find_same_column(b))
        for condition, _, a, _, b in found
    ]


def _read_caps(
    failure: JoinFailure, bonds: Sequence[UsableCondition], ours: Scope, theirs: Scope
) -> tuple[Truncation, Truncation]:
    """Return the caps of both sides; refuse missing ones, and rows that are units beside others."""
    if (ours.rows.unit == "row") != (theirs.rows.unit == "row"):
        failure.refuse()
    first, second = _find_caps(ours), _find_caps(theirs)
    sides = [
        (first, ours, [bond.there for bond in bonds]),
        (second, theirs, [bond.here for bond in bonds]),
    ]
    if first is None or second is None:
        names = (_name_table(scope, keys) for found, scope, keys in sides if found is None)
        where = " and ".join(f"[tables.{name}]" for name in dict.fromkeys(names))
        lines = " and ".join(_EXAMPLES[ours.rows.unit == "row" :])
        failure.refuse(f" Or let a few of them meet: under {where}, declare {lines}.")
    return first, second


def _join_sides(
    text: SourceText,
    bonds: Sequence[UsableCondition],
    caps: tuple[Truncation, Truncation],
    ours: Scope,
    theirs: Scope,
) -> Scope:
    names = choose_plan_names(theirs, ours)
    rows = Join(
        ours.rows,
        theirs.rows,
        tuple((bond.there.plan_column, bond.here.plan_column) for bond in bonds),
        tuple((names[column], column) for column in names),
        truncations=caps,
    )
    renamed = (
        replace(column, plan_column=names.get(column.plan_column, ""), size=1, work=1)
        for column in theirs.columns
    )
    return Scope(
        text,
        rows,
        (*ours.columns, *renamed),
        ours.sources,
        tuple(dict((*ours.tables, *theirs.tables)).items()),
        None,
        ours.source_count + theirs.source_count,
        ours.work + theirs.work,
    ).check_limits()


def _find_caps(scope: Scope) -> Truncation | None:
    """Return the largest caps that tables of a side declare."""
    declared = [entry.join_caps for _, entry in scope.tables if entry.join_caps is not None]
    if not declared:
        return None
    return Truncation(
        max(caps.max_rows_per_unit for caps in declared),
        max(caps.max_rows_per_key for caps in declared),
    )


def _name_table(scope: Scope, keys: Sequence[ColumnReference]) -> str:
    """Return the protected table of the joined columns, or else the first one of the side."""
    names = [name for name, _ in scope.tables]
    origins = [key.origin[0] for key in keys if key.origin is not None]
    return next((name for name in origins if name in names), names[0])


def _check_keys(text: SourceText, ours: Scope, bond: UsableCondition) -> None:
    """Refuse a LEFT JOIN, and keys that do not compare exactly."""
    here, there = bond.here, bond.there
    if bond.condition.left_join is not None:
        raise text.refusal(
            Unsupported,
            "A LEFT JOIN with rows of other units would show who has no match",
            bond.condition.node,
            "Write JOIN, which drops rows without a match.",
        )
    missing = next((one for one in (here, there) if one.may_be_missing), None)
    if missing is not None:
        raise text.refusal(
            Unsupported,
            f"{missing.name} may be NULL here because of the LEFT JOIN",
            bond.condition.node,
            f"Use {quote_name(missing.name)} of the left table.",
        )
    part = next(
        (one for one in (here, there) if one.is_privacy_id and one.owner != PRIVACY_ID), None
    )
    if part is not None:
        raise text.refusal(
            Unsupported,
            f"{part.name} is part of the privacy id, and does not say on its own whose row this is",
            bond.condition.node,
            "Declare its values or bounds in the policy, which makes it a column to join on.",
        )
    if not (here.is_privacy_id or there.is_privacy_id):
        RowBinder(ours).apply(bond.condition.node, "=", there.value, here.value)
    column = next((one for one in (here, there) if one.range.type == "real"), None)
    if column is not None or here.range.type != there.range.type:
        raise text.refusal(
            Unsupported,
            f"{(column or here).name} is declared as {(column or here).range.type}, and rows of"
            " different units are joined on equal integers, texts, dates or booleans",
            bond.condition.node,
            "Declare both columns with the same such type in the policy.",
        )


def filter_sides(rows: RelationNode) -> RelationNode:
    """Apply the conditions that read one side alone to that side, before it is truncated, wherever
    they are written.
    """
    conditions, outputs = list[Expression](), list[tuple[tuple[str, Expression], ...]]()
    while isinstance(rows, Filter | Project):
        if isinstance(rows, Filter):
            conditions[:0] = flatten(rows.condition, "and")
        else:
            columns = dict(rows.outputs)
            conditions = [substitute_columns(condition, columns) for condition in conditions]
            outputs.append(rows.outputs)
        rows = rows.source
    assert isinstance(rows, Join)  # nothing else stands above a join of rows of different units
    theirs = {name: ColumnRef(column) for name, column in rows.added_columns}
    source, other, left = rows.source, rows.other, list[Expression]()
    for condition in conditions:
        used = set(find_columns(condition))
        if used <= set(rows.source.columns):
            source = Filter(source, condition)
        elif used <= set(theirs):
            other = Filter(other, substitute_columns(condition, theirs))
        else:
            left.append(condition)
    joined: RelationNode = replace(rows, source=source, other=other)
    for condition in left:
        joined = Filter(joined, condition)
    for columns_above in reversed(outputs):
        joined = Project(joined, columns_above)
    return joined


def check_measures_across_units(
    text: SourceText, calls: Sequence[AggregateCall], groups: Sequence[KeyExpression]
) -> None:
    """Refuse aggregates and groups without a sensitivity bound for joins across units."""

    def refuse(kind: type[Unsupported | Unbounded], problem: str, fix: str) -> NoReturn:
        raise text.refusal(kind, problem, None, fix)

    for call in calls:
        measure = call.measure
        if (
            not isinstance(measure, Measure)
            or measure.kind not in _MEASURE_KINDS
            or (measure.sum_bounds, call.clip, call.bracket) != (None, None, None)
        ):
            refuse(
                Unsupported,
                f"{call.text} is not supported where rows of different units are joined",
                "Ask for COUNT(*), COUNT(x), SUM(x), AVG(x) or VARIANCE(x).",
            )
    for group in groups:
        if group.domain is None:
            refuse(
                Unbounded,
                f"GROUP BY {quote_name(group.text)} needs declared values where rows of different"
                " units are joined",
                "List them in the policy: values = […].",
            )
    cells = prod(len(group.domain or ()) for group in groups)
    if cells > _MAX_CELLS:
        refuse(
            Unsupported,
            f"This makes {cells:,} groups, and a question that joins rows of different units may"
            f" have at most {_MAX_CELLS:,}",
            "Group by fewer columns, or by columns with fewer values.",
        )
