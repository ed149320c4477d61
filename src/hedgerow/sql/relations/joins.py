"""Joins: the sources of FROM as one relation, where each row meets only rows of its unit.

The order of sources in FROM does not matter. Beginning with the first protected source, each is
joined by an equality with those before it. Two protected sources need an equality of their privacy
ids, or of a declared foreign key and its target, so that rows of two units never meet. Sources that
have none are a second side, whose rows meet those of other units (``joins_across_units``). A second
population comes last, joined by its id (``second_population``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.measures import SecondPopulation
from hedgerow.plan.nodes import Join
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.binder.typed_expression import (
    TypedExpression,
    align_types,
    build_constant,
    require_condition,
)
from hedgerow.sql.relations.join_columns import (
    add_column,
    add_expression,
    add_presence,
    choose_plan_names,
    keep_matching,
    list_added_columns,
    merge_equal_columns,
    prepare_semijoin,
)
from hedgerow.sql.relations.join_conditions import (
    JoinConditions,
    JoinInput,
    find_multiplying_inputs,
)
from hedgerow.sql.relations.join_problems import (
    JOIN_ONE_BY_ONE,
    LEFT_SIDE_UNJOINED,
    JoinProblem,
    UsableCondition,
    find_join_problem,
    has_unique_key,
)
from hedgerow.sql.relations.joins_across_units import (
    THIRD_UNIT,
    JoinFailure,
    has_join_caps,
    join_across_units,
)
from hedgerow.sql.relations.public_outer_joins import (
    check_extended_condition,
    find_extended_aliases,
    read_outer_joins,
)
from hedgerow.sql.relations.second_population import find_second_population, is_reference
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["JoinedRows", "join_inputs"]

MAX_INPUTS: Final = 30


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """The joined sources, and the conditions that remain to be applied."""

    scope: Scope
    conditions: tuple[TypedExpression, ...]


def join_inputs(text: SourceText, parts: Sequence[JoinInput], where: exp.Expr | None) -> JoinedRows:
    """Join the sources of FROM by the equalities of ON, USING and WHERE."""
    if len(parts) > MAX_INPUTS:
        raise text.refusal(
            Unsupported,
            f"FROM has more than {MAX_INPUTS} tables and subqueries",
            parts[MAX_INPUTS].node,
            "Ask several shorter questions.",
        )
    outer = read_outer_joins(parts)
    return _JoinBuilder(text, JoinConditions(text, outer.inputs, where), outer.extended).build()


class _JoinBuilder:
    def __init__(self, text: SourceText, read: JoinConditions, extended: frozenset[str]) -> None:
        self._text, self._inputs, self._join_conditions, self._filters = (
            text,
            read.inputs,
            read.conditions,
            read.filters,
        )
        self._scope, self._left_conditions = self._inputs[0].scope, read.left_conditions
        self._extended = find_extended_aliases(extended, read)
        self._second_population = find_second_population(text, self._inputs, self._join_conditions)
        self._capping_tables = frozenset(
            name
            for i in find_multiplying_inputs(self._inputs, self._join_conditions)
            for name in self._inputs[i].scope.capping_table_names
        )

    def build(self) -> JoinedRows:
        """Join all inputs and bind the remaining conditions."""
        self._join_all()
        return JoinedRows(self._scope, tuple(self._bind_conditions()))

    def _join_all(self) -> None:
        are_public = not any(part.scope.tables for part in self._inputs)
        first = next(
            (
                i
                for i, part in enumerate(self._inputs)
                if (part.scope.tables or are_public)
                and not part.is_left_join
                and i != self._second_population
            ),
            None,
        )
        if first is None:
            self._refuse(
                self._inputs[-1].node,
                "Public tables are joined here before a protected one",
                JOIN_ONE_BY_ONE,
            )
        self._scope, placed = self._inputs[first].scope, {first}
        while left := [
            i for i in range(len(self._inputs)) if i not in placed and i != self._second_population
        ]:
            chosen = next((i for i in left if self._find_problem(i, placed) is None), None)
            if chosen is None:
                self._join_across_units(left, placed)
                break
            self._add_input(chosen, placed)
            placed.add(chosen)
        if self._second_population is not None:
            self._join_second_population(self._second_population, placed)
        order = [alias for part in self._inputs for alias, _ in part.scope.sources]
        columns = sorted(self._scope.columns, key=lambda column: order.index(column.alias))
        sources = tuple(part.scope.sources[0] for part in self._inputs)
        self._scope = replace(
            self._scope,
            columns=tuple(columns),
            sources=sources,
            capping_tables=self._capping_tables,
            extended_aliases=self._extended,
        )

    def _join_across_units(self, left: Sequence[int], placed: set[int]) -> None:
        """Join the inputs that are left as a second side, whose rows belong to other units."""
        problem, node = self._find_problem(left[0], placed), self._inputs[left[0]].node
        ours, start = self._scope, next((i for i in left if self._inputs[i].scope.tables), None)
        theirs = set[int]()
        if start is not None and self._second_population is None:
            self._scope, theirs = self._inputs[start].scope, {start}
        while theirs and (more := [i for i in left if i not in theirs]):
            chosen = next((i for i in more if self._find_problem(i, theirs) is None), None)
            if chosen is None:
                if self._inputs[more[0]].scope.tables and has_join_caps(ours, self._scope):
                    problem, node = THIRD_UNIT, self._inputs[more[0]].node
                theirs = set()
            else:
                self._add_input(chosen, theirs)
                theirs.add(chosen)
        assert problem is not None
        self._scope, self._join_conditions = join_across_units(
            JoinFailure(self._text, problem, node),
            [place for place, part in enumerate(self._inputs) if not part.is_semijoin],
            self._join_conditions,
            (placed, ours),
            (theirs, self._scope),
        )

    def _list_usable_conditions(self, place: int, placed: set[int]) -> list[UsableCondition]:
        """Return the conditions that join an input to those placed before it."""
        usable = []
        for condition in self._join_conditions:
            ends = condition.find_ends(place)
            if (
                ends is not None
                and ends[1] in placed
                and (condition.left_join == place or not self._inputs[place].is_left_join)
            ):
                here, other, there = ends
                name = self._inputs[other].alias, there.name
                renamed = next(
                    column for column in self._scope.columns if (column.alias, column.name) == name
                )
                usable.append(UsableCondition(condition, here, renamed))
        return usable

    def _find_problem(self, place: int, placed: set[int]) -> JoinProblem | None:
        waits = any(
            condition.left_join == place
            and (ends := condition.find_ends(place)) is not None
            and ends[1] not in placed
            for condition in self._join_conditions
        ) or any(
            condition.place == place and not condition.inputs <= placed
            for condition in self._left_conditions
        )
        return (
            LEFT_SIDE_UNJOINED
            if waits
            else find_join_problem(
                self._scope,
                self._inputs[place],
                self._list_usable_conditions(place, placed),
                self._inputs[0].alias,
            )
        )

    def _add_input(self, place: int, placed: set[int]) -> None:
        part, source = self._inputs[place], self._scope
        usable = self._list_usable_conditions(place, placed)
        for used in usable:
            # Types that do not compare are refused; of ids, by the compiler.
            if not (used.here.is_privacy_id or used.there.is_privacy_id):
                binder = RowBinder(source)
                binder.apply(used.condition.node, "=", used.there.value, used.here.value)
        pairs = [
            (used.there.plan_column, used.here.plan_column)
            for used in usable
            if not (used.here.is_privacy_id or used.there.is_privacy_id)
        ]
        if part.is_left_join:
            part = replace(part, scope=add_presence(part.scope, may_be_missing=True))
        if part.is_semijoin:
            source, part, pairs = prepare_semijoin(source, part, pairs)
        source, part, pairs = self._add_left_conditions(place, source, part, pairs)
        names = choose_plan_names(part.scope, source)
        rows = Join(
            source.rows,
            part.scope.rows,
            tuple(dict.fromkeys(pairs)),
            list_added_columns(part.scope, names),
            1
            if source.rows.unit == "row" or (part.is_semijoin and not part.scope.tables)
            else None,
            part.is_left_join,
        )
        known = rows.columns
        added = tuple(add_column(column, names) for column in part.scope.columns)
        columns = tuple(
            replace(column, range=known[column.plan_column]) if column.plan_column else column
            for column in added
        )
        keeps_apart = part.is_left_join or part.is_semijoin or bool(self._extended)
        everything = merge_equal_columns(
            (*source.columns, *columns),
            [] if keeps_apart else [(own, names[there]) for own, there in pairs],
        )
        is_unique = not part.scope.tables and (
            part.is_semijoin or has_unique_key(part.scope, usable)
        )
        other_key = frozenset[str]() if is_unique else part.scope.key_within_unit
        key = None
        if source.key_within_unit is not None and other_key is not None:
            free = other_key - {there for _, there in pairs}
            key = source.key_within_unit | {names[column] for column in free}
        has_one_match = other_key is not None and other_key <= {there for _, there in pairs}
        self._extend_scope(part, rows, everything, key)
        self._apply_left_conditions(place, rows, has_one_match=has_one_match)
        done = [used.condition for used in usable]
        self._join_conditions = [
            condition for condition in self._join_conditions if condition not in done
        ]

    def _add_left_conditions(
        self, place: int, source: Scope, part: JoinInput, pairs: list[tuple[str, str]]
    ) -> tuple[Scope, JoinInput, list[tuple[str, str]]]:
        """Join on conditions of the left side alone, as a column that is 1 where they hold."""
        nodes = [c.node for c in self._left_conditions if c.place == place and not c.reads_right]
        if not nodes:
            return source, part, pairs
        value = self._bind_on(source, place, nodes)
        one, nothing = build_constant(1, "integer"), build_constant(None, "integer")
        flag = RowBinder(source).apply(nodes[0], "case", value, *align_types([one, nothing]))
        here, rows = add_expression(source, flag.expression)
        there, others = add_expression(part.scope)
        work = source.work + flag.work
        return (
            replace(source, rows=rows, work=work),
            replace(part, scope=replace(part.scope, rows=others)),
            [*pairs, (here, there)],
        )

    def _apply_left_conditions(self, place: int, rows: Join, *, has_one_match: bool) -> None:
        """Apply conditions on both sides of a LEFT JOIN to its matches."""
        nodes = [c.node for c in self._left_conditions if c.place == place and c.reads_right]
        if not nodes:
            return
        value = self._bind_on(self._scope, place, nodes)
        if not has_one_match:
            self._refuse(
                nodes[0],
                "This condition in the ON of a LEFT JOIN reads both sides, and a row may match"
                " several rows",
                "Put it into WHERE, or join a subquery with one row for each joined key.",
            )
        kept = keep_matching(rows, value.expression)
        work = self._scope.work + value.work * len(rows.added_columns)
        self._scope = replace(self._scope, rows=kept, work=work).check_limits()

    def _bind_on(self, scope: Scope, place: int, nodes: Sequence[exp.Expr]) -> TypedExpression:
        before = self._inputs[: place + 1]
        named = replace(scope, sources=tuple(part.scope.sources[0] for part in before))
        binder = RowBinder(named.restrict_to({part.alias.casefold() for part in before}))
        values = [require_condition(self._text, "ON", node, binder.bind(node)) for node in nodes]
        return values[0] if len(values) == 1 else binder.apply(nodes[0], "and", *values)

    def _extend_scope(
        self,
        part: JoinInput,
        rows: Join,
        columns: tuple[ColumnReference, ...],
        key: frozenset[str] | None,
    ) -> None:
        source, other = self._scope, part.scope
        self._scope = Scope(
            self._text,
            rows,
            columns,
            source.sources,
            tuple(dict((*source.tables, *other.tables)).items()),
            key,
            source.source_count + other.source_count,
            source.work + other.work,
        ).check_limits()

    def _join_second_population(self, place: int, placed: set[int]) -> None:
        """Join each row with one row of the second population that it references.

        Further equalities become conditions, which needs one row per id: another row might match.
        """
        part, source = self._inputs[place], self._scope
        reference = next(
            used
            for used in self._list_usable_conditions(place, placed)
            if is_reference(used.condition, place)
        )
        here, there = reference.here, reference.there
        further = [
            condition
            for condition in self._join_conditions
            if condition is not reference.condition and condition.find_ends(place) is not None
        ]
        if further and part.scope.key_within_unit != frozenset():
            name = quote_name(here.name)
            problem = (
                f"{part.scope.tables[0][0]} may have several rows per {name} and only one of them"
                " is joined, so this condition is not supported"
            )
            rows_per_id = f"SELECT {name}, MAX(x) AS x … GROUP BY {name}"
            fix = f"Join a subquery with one row per {name}: {rows_per_id}."
            self._refuse(further[0].node, problem, fix)
        if there.value.type == "real":
            self._refuse(
                reference.condition.node,
                f"{there.name} is declared as real, which cannot be matched exactly with an id",
                "Declare both columns as integer or as text.",
            )
        names = choose_plan_names(part.scope, source)
        others = SecondPopulation(there.plan_column, (), source.max_groups, part.scope.max_rows)
        added = list_added_columns(part.scope, names)
        rows = Join(source.rows, part.scope.rows, (), added, 1, second_population=others)
        columns = (
            *source.columns,
            *(add_column(column, names) for column in part.scope.columns),
        )
        self._extend_scope(part, rows, columns, source.key_within_unit)
        self._join_conditions = [
            condition for condition in self._join_conditions if condition is not reference.condition
        ]

    def _bind_conditions(self) -> Iterator[TypedExpression]:
        leftover = [(condition.node, len(self._inputs) - 1) for condition in self._join_conditions]
        for node, last in (*self._filters, *leftover):
            aliases = {part.alias.casefold() for part in self._inputs[: last + 1]}
            scope = self._scope.restrict_to(aliases)
            value = RowBinder(scope).bind(node)
            check_extended_condition(scope, node, value)
            yield require_condition(self._text, "ON or WHERE", node, value)

    def _refuse(self, node: exp.Expr, problem: str, fix: str) -> NoReturn:
        raise self._text.refusal(Unsupported, problem, node, fix)
