"""Questions about two populations: rows of one reference a unit of the other.

docs/decisions/0011 has the proof. The source about the second population is joined last, by its
privacy id. Conditions that read one side alone are applied to that side, and so are keys of the
referencing side, because they tell the references of a unit apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.plan.canonical_expressions import flatten
from hedgerow.plan.measures import Measure, SecondPopulation
from hedgerow.plan.nodes import Filter, Join, Project, RelationNode
from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    find_columns,
    substitute_columns,
)
from hedgerow.sql.catalog import PRIVACY_ID
from hedgerow.sql.group_by import KeyExpression
from hedgerow.sql.question import AggregateCall
from hedgerow.sql.relations.join_conditions import JoinCondition, JoinInput
from hedgerow.sql.relations.join_problems import ROW_UNITS
from hedgerow.sql.syntax.source_text import SourceText

__all__ = [
    "build_population_rows",
    "check_aggregates",
    "find_population_join",
    "find_second_population",
    "is_reference",
]

# AVG and the like are missing: each number of a moment would be clamped by itself, and where all
# are clamped, the mean is the middle of the bounds, whatever the data.
_SUPPORTED_AGGREGATES: Final = (
    "Ask for COUNT(*), COUNT(x) or SUM(x), or about one population alone."
)


def find_second_population(
    text: SourceText, parts: Sequence[JoinInput], conditions: Sequence[JoinCondition]
) -> int | None:
    """Return the position of the source about the second population, if there is one."""
    protected = [i for i, part in enumerate(parts) if part.scope.tables]
    names = list(dict.fromkeys(parts[i].scope.population for i in protected))
    if len(names) < 2:
        return None
    first, last = (
        next(parts[i] for i in protected if parts[i].scope.population == name)
        for name in (names[0], names[-1])
    )
    if len(names) > 2:
        _refuse(
            text,
            last.node,
            "A question can join at most two populations",
            "Ask about two of them at a time.",
        )
    for i in protected:
        if parts[i].scope.rows.unit == "row":
            _refuse(text, parts[i].node, ROW_UNITS.problem, ROW_UNITS.fix)
    found = next((i for i in protected if _is_referenced(i, parts, conditions)), None)
    if found is None:
        labels = [part.scope.sources[0][1] for part in (first, last)]
        ids = (column.name for column in last.scope.columns if column.owner == PRIVACY_ID)
        id_name = next(ids, "id")
        problem = (
            f"{labels[1]} and {labels[0]} are about different populations, and no column"
            " of one holds the id of the other"
        )
        _refuse(
            text,
            last.node,
            problem,
            (
                f"Join on the id of one of them, such as ON {first.alias}.x ="
                f" {last.alias}.{id_name}."
            ),
        )
    beside = [i for i in protected if i != found]
    if parts[found].is_left_join or all(parts[i].is_left_join for i in beside):
        node = parts[found if parts[found].is_left_join else beside[0]].node
        _refuse(
            text,
            node,
            "A LEFT JOIN of two populations would show who has no match",
            "Write JOIN, which drops rows without a match.",
        )
    _check_caps(text, parts, protected, found)
    return found


def _is_referenced(
    place: int, parts: Sequence[JoinInput], conditions: Sequence[JoinCondition]
) -> bool:
    """Return whether an input is alone in its population and a protected row references its id."""
    population = parts[place].scope.population
    alone = sum(part.scope.population == population for part in parts) == 1
    return alone and any(
        (ends := condition.find_ends(place)) is not None
        and is_reference(condition, place)
        and bool(parts[ends[1]].scope.tables)
        for condition in conditions
    )


def is_reference(condition: JoinCondition, place: int) -> bool:
    """Return whether an equality compares the privacy id of an input with another column."""
    ends = condition.find_ends(place)
    return (
        ends is not None
        and ends[0].owner == PRIVACY_ID
        and not ends[0].may_be_missing
        and not ends[2].is_privacy_id
    )


def _check_caps(
    text: SourceText, parts: Sequence[JoinInput], protected: Sequence[int], found: int
) -> None:
    """Refuse undeclared caps.

    The referenced side needs no group cap, because one row of it is joined.
    """
    for i in protected:
        for name, entry in parts[i].scope.tables:
            caps = [cap for cap in entry.undeclared_caps if i != found or cap != "max_groups"]
            if caps:
                problem = (
                    f"{name} has no declared contribution bounds, which cannot be found for two"
                    " populations"
                )
                raise text.refusal(
                    Unbounded,
                    problem,
                    parts[i].node,
                    f"Declare {' and '.join(caps)} under [tables.{name}].",
                )


def find_population_join(rows: RelationNode) -> Join | None:
    """Return the join of two populations; None if the rows are about one."""
    while isinstance(rows, Filter | Project):
        rows = rows.source
    return rows if isinstance(rows, Join) and rows.second_population is not None else None


def check_aggregates(text: SourceText, calls: Sequence[AggregateCall]) -> None:
    """Refuse aggregates without a sensitivity bound for two populations."""
    for call in calls:
        measure = call.measure
        if (
            not isinstance(measure, Measure)
            or measure.kind in ("units", "distinct", "moments")
            or measure.sum_bounds is not None
        ):
            raise text.refusal(
                Unsupported,
                f"{call.text} is not supported for two populations",
                None,
                _SUPPORTED_AGGREGATES,
            )


def build_population_rows(
    text: SourceText,
    rows: RelationNode,
    groups: Sequence[KeyExpression],
    outputs: Sequence[tuple[str, Expression]],
    max_groups: int,
) -> RelationNode:
    """Build the rows of a question about two populations, with these columns, keys first.

    Each side is filtered by itself, and keys of the referencing side become part of its references.
    """
    join, conditions = _split_filters(rows)
    assert join.second_population is not None
    own = set(join.source.columns)
    theirs = {name: ColumnRef(column) for name, column in join.added_columns}
    own_groups = _select_own_groups(text, join, groups)
    own_filters: list[Expression] = []
    other_filters: list[Expression] = []
    joint_filters: list[Expression] = []
    for condition in conditions:
        used = set(find_columns(condition))
        if used <= own:
            own_filters.append(condition)
        elif used <= set(theirs):
            other_filters.append(substitute_columns(condition, theirs))
        else:
            joint_filters.append(condition)
    free = (name for i in itertools.count() if (name := f"bond {i}") not in own | set(theirs))
    references = {group.value.expression: next(free) for group in own_groups}
    own_filters += [_build_domain_filter(group) for group in own_groups]
    source = Project(
        _filter_rows(join.source, own_filters),
        (
            *((name, ColumnRef(name)) for name in sorted(own)),
            *((n, e) for e, n in references.items()),
        ),
    )
    others = SecondPopulation(
        join.second_population.id_column,
        tuple(references.values()),
        max_groups,
        join.second_population.max_rows,
    )
    met = Join(
        source,
        _filter_rows(join.other, other_filters),
        (),
        join.added_columns,
        1,
        second_population=others,
    )
    columns = [
        (name, ColumnRef(references[value]) if i < len(groups) and value in references else value)
        for i, (name, value) in enumerate(outputs)
    ]
    return Project(
        _filter_rows(met, joint_filters), tuple(columns) or (("one", Constant(1, "integer")),)
    )


def _select_own_groups(
    text: SourceText, join: Join, groups: Sequence[KeyExpression]
) -> list[KeyExpression]:
    """Return the keys of the referencing side; refuse keys of both sides and unknown values."""
    assert join.second_population is not None
    id_column, theirs = join.second_population.id_column, {name for name, _ in join.added_columns}
    own_groups = []
    for group in groups:
        used = set(find_columns(group.value.expression))
        if not used & theirs and used != {id_column}:
            own_groups.append(group)
        elif not used <= {id_column, *theirs}:
            problem = f"{group.text} combines columns of two populations"
            fix = "Group by columns of each separately: GROUP BY a.x, b.y."
            raise text.refusal(Unsupported, problem, None, fix)
        if group.domain is None:
            problem = f"GROUP BY {group.text} over two populations needs declared values"
            raise text.refusal(Unbounded, problem, None, "List them in the policy: values = […].")
    return own_groups


def _build_domain_filter(group: KeyExpression) -> Expression:
    """Build the filter of rows outside the groups, lest they use up references."""
    return Call(
        "in",
        (
            group.value.expression,
            *(Constant(value, group.value.type) for value in group.domain or ()),
        ),
    )


def _filter_rows(rows: RelationNode, conditions: Sequence[Expression]) -> RelationNode:
    for condition in conditions:
        rows = Filter(rows, condition)
    return rows


def _split_filters(rows: RelationNode) -> tuple[Join, list[Expression]]:
    conditions: list[Expression] = []
    while isinstance(rows, Filter):
        conditions[:0] = flatten(rows.condition, "and")
        rows = rows.source
    assert isinstance(rows, Join)  # subqueries cannot join two populations
    return rows, conditions


def _refuse(text: SourceText, node: exp.Expr, problem: str, fix: str) -> NoReturn:
    raise text.refusal(Unsupported, problem, node, fix)
