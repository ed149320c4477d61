"""A SELECT, clause by clause, becomes a plan and what is made of its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.canonical_plans import canonicalise
from hedgerow.plan.canonical_plans import map_measures as places_of
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, RelationNode
from hedgerow.plan.scalar.expressions import ColumnRef, Expression
from hedgerow.plan.values import Value
from hedgerow.sql.aggregates.clipping_counts import count_clipped_units
from hedgerow.sql.aggregates.measures import MeasureCollector
from hedgerow.sql.binder.output_names import name_outputs
from hedgerow.sql.binder.result_expressions import ResultBinder
from hedgerow.sql.binder.row_expressions import check_args
from hedgerow.sql.binder.scope import MAX_WORK, Scope
from hedgerow.sql.binder.typed_expression import TypedExpression, align_types
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.group_by import KeyExpression, bind_keys, resolve_position
from hedgerow.sql.question import AggregateCall, GroupKey, OutputColumn, Question, SortKey
from hedgerow.sql.relations.from_clause import FromBinder
from hedgerow.sql.relations.second_population import (
    build_population_rows,
    check_aggregates,
    find_population_join,
)
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery

__all__ = ["SelectStatement"]

MAX_CELLS: Final = 100_000
MAX_QUERY_SIZE: Final = 50_000
_CLAUSES: Final = (
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "with_",
)


class SelectStatement:
    """The outermost SELECT."""

    def __init__(self, heading: TokenisedQuery, select: exp.Select, catalog: Catalog) -> None:
        check_args(heading.text, select, *_CLAUSES)
        self._heading, self._select, self._text = heading, select, heading.text
        self._scope: Scope = FromBinder(heading.text, catalog).bind_with(select).bind_from(select)
        self._check_protected()
        self._items: list[exp.Expr] = list(self._list_items())
        self._parts = 0

    def build_question(self) -> Question:
        """Everything, or the first refusal."""
        groups = bind_keys(self._scope, self._select.args.get("group"), self._items)
        keys = [group.value for group in groups]
        measuring = MeasureCollector(self._scope)
        reader = ResultBinder(self._scope, measuring, self._items)
        outputs = tuple(self._bind_outputs(reader, keys))
        having = self._bind_having(reader, keys)
        order = tuple(self._bind_order(reader, keys))
        if not measuring.calls:
            what = "This asks for no aggregate, and rows are never shown"
            raise self._text.refusal(
                Unsupported, what, self._items[0], "Add an aggregate, such as COUNT(*)."
            )
        plan, calls, places = self._build_plan(groups, measuring, measuring.calls)
        become = dict(zip(plan.measures, places_of(plan), strict=True))
        return Question(
            plan=canonicalise(plan),
            aggregates=tuple(replace(call, measure=become[call.measure]) for call in calls),
            keys=tuple(
                GroupKey(f"k{place}", groups[place].value.type, groups[place].text)
                for place in places
            ),
            outputs=outputs,
            having=having,
            order=(
                order
                if places == sorted(places)
                else (
                    *order,
                    *(SortKey(ColumnRef(f"k{place}"), False, False) for place in sorted(places)),
                )
            ),
            limit=self._parse_row_count("limit"),
            offset=self._parse_row_count("offset") or 0,
            options=self._heading.options,
            explain=self._heading.explain,
            tables=tuple(name for name, _ in self._scope.tables),
        )

    def _check_protected(self) -> None:
        if not self._scope.tables:
            name = self._scope.sources[0][1]
            what = f"{name} is public and protects nobody"
            instead = "Public tables alone cost nothing and have no noise: ask them with query."
            raise self._text.refusal(Unsupported, what, self._select.args["from_"], instead)

    def _list_items(self) -> Iterator[exp.Expr]:
        if not self._select.expressions:
            raise self._text.refusal(
                Unsupported,
                "Nothing is asked for",
                self._text.find_word("SELECT"),
                "Name an aggregate, such as COUNT(*).",
            )
        for item in self._select.expressions:
            if isinstance(item, exp.Alias):
                check_args(self._text, item, "this", "alias")
                if any(
                    item.alias.casefold() == visible.name.casefold()
                    for visible in self._scope.columns
                    if visible.is_privacy_id
                ):
                    what = f"{item.alias} is the name of the column that says whose rows these are"
                    raise self._text.refusal(Unsupported, what, item, "Choose another alias.")
            yield item

    def _bind_having(
        self, reader: ResultBinder, keys: Sequence[TypedExpression]
    ) -> Expression | None:
        having = self._select.args.get("having")
        if having is None:
            return None
        check_args(self._text, having, "this")
        (value,) = align_types(
            [self._check_size(reader.bind_result(having.this, keys, "having"), having)], "boolean"
        )
        if value.type != "boolean":
            what = f"HAVING wants a condition, and this is {value.type}"
            raise self._text.refusal(
                Unsupported, what, having.this, "Write a comparison, such as x > 0 or x = 'a'."
            )
        return value.expression

    def _bind_outputs(
        self, reader: ResultBinder, keys: Sequence[TypedExpression]
    ) -> Iterator[OutputColumn]:
        for name, item in zip(name_outputs(self._items, self._scope), self._items, strict=True):
            node = item.this if isinstance(item, exp.Alias) else item
            value = self._check_size(reader.bind_result(node, keys), node)
            yield OutputColumn(name, value.expression, value.type)

    def _bind_order(
        self, reader: ResultBinder, keys: Sequence[TypedExpression]
    ) -> Iterator[SortKey]:
        order = self._select.args.get("order")
        if order is None:
            return
        check_args(self._text, order, "expressions")
        for item in order.expressions:
            check_args(self._text, item, "this", "desc", "nulls_first")
            node = item.this
            if isinstance(node, exp.Literal) and not node.is_string:
                node = resolve_position(self._text, node, self._items)
                value = reader.bind_result(node, keys)
            else:
                value = reader.bind_result(node, keys, "order")
            self._check_size(value, item)
            yield SortKey(
                value.expression, bool(item.args.get("desc")), not item.args.get("nulls_first")
            )

    def _check_size(self, value: TypedExpression, node: exp.Expr) -> TypedExpression:
        self._parts += value.size
        if self._parts > MAX_QUERY_SIZE:
            raise self._text.refusal(
                Unsupported,
                f"This question has more than {MAX_QUERY_SIZE} parts",
                node,
                "Ask several shorter questions.",
            )
        return value

    def _parse_row_count(self, name: str) -> int | None:
        clause = self._select.args.get(name)
        if clause is None:
            return None
        written = clause.args.get("expression")
        if (
            type(clause) not in (exp.Limit, exp.Offset)
            or not isinstance(written, exp.Literal)
            or written.is_string
        ):
            raise self._build_row_count_error(name, clause)
        check_args(self._text, clause, "expression")
        if not written.this.isdecimal() or len(written.this) > 9:
            raise self._build_row_count_error(name, clause)
        if name == "limit" and int(written.this) == 0:
            what = "LIMIT 0 leaves nothing of an answer that is paid for"
            raise self._text.refusal(
                Unsupported,
                what,
                clause,
                "Write EXPLAIN PRIVACY before the SELECT: it costs nothing.",
            )
        return int(written.this)

    def _build_row_count_error(self, name: str, clause: exp.Expr) -> Exception:
        what = f"{name.upper()} takes a number of rows that is written out"
        count = clause.args.get("count")  # of FETCH FIRST 5 ROWS ONLY
        rows = str(count.this)[:9] if isinstance(count, exp.Literal) and count.is_int else "10"
        return self._text.refusal(Unsupported, what, clause, f"Write {name.upper()} {rows}.")

    def _build_plan(
        self,
        groups: Sequence[KeyExpression],
        measuring: MeasureCollector,
        calls: Sequence[AggregateCall],
    ) -> tuple[Aggregate, Sequence[AggregateCall], list[int]]:
        """The plan, what it measures, and for each of its keys the place that it has in GROUP
        BY.
        """
        work = self._scope.work + measuring.work + sum(group.value.work for group in groups)
        if work > MAX_WORK:
            raise self._text.refusal(
                Unsupported,
                "This question is too intricate",
                None,
                "Write flatter expressions, or ask for the parts.",
            )
        rows = self._scope.rows
        places = _order_keys(rows, groups)
        groups = [groups[place] for place in places]
        names = tuple(f"k{i}" for i in range(len(groups)))
        outputs = (
            *zip(names, (group.value.expression for group in groups), strict=True),
            *measuring.columns,
        )
        if find_population_join(rows) is not None:
            check_aggregates(self._text, calls)
            if (cells := prod(len(group.domain or ()) for group in groups)) > MAX_CELLS:
                what = (
                    f"There would be {cells:,} groups, and where two populations meet there may be"
                    f" {MAX_CELLS:,}"
                )
                raise self._text.refusal(
                    Unsupported, what, None, "Group by fewer columns, or by such with fewer values."
                )
            rows = build_population_rows(
                self._text, rows, groups, outputs, self._compute_max_groups()
            )
        elif outputs:
            rows = Project(rows, outputs)
        alone = self._has_one_row_per_group(groups)
        if any(call.clip is not None for call in calls):
            rows, calls = count_clipped_units(
                self._text, rows, names, calls, alone=alone or rows.unit == "row"
            )
            alone = True
        most = 1 if alone else self._scope.max_rows
        calls = _limit_bracket_counts(calls, most)
        bound = Bound(rows, names, self._compute_max_groups(), most)
        return (
            Aggregate(
                Group(bound, _combine_domains(groups)),
                tuple(dict.fromkeys(call.measure for call in calls)),
            ),
            calls,
            places,
        )

    def _has_one_row_per_group(self, groups: Sequence[KeyExpression]) -> bool:
        """Whether the rows are one for each unit and group, so that one counts; else it is the
        largest cap of the tables.
        """
        once = self._scope.key_within_unit
        keys = {
            group.value.expression.column
            for group in groups
            if isinstance(group.value.expression, ColumnRef)
        }
        return once is not None and once <= keys

    def _compute_max_groups(self) -> int:
        most, asked = self._scope.max_groups, self._heading.options.max_groups
        if asked is not None and asked > most:
            tables = " and ".join(name for name, _ in self._scope.tables)
            what = (
                f"max_groups_contributed is at most {most} by the policy of {tables}, and this asks"
                f" for {asked}"
            )
            where = self._text.find_word("MAX_GROUPS_CONTRIBUTED")
            raise self._text.refusal(
                Unsupported, what, where, f"Write max_groups_contributed = {most}, or leave it out."
            )
        # With one row for each unit, a unit is in one group.
        return asked or (1 if self._scope.key_within_unit == frozenset() else most)


def _order_keys(rows: RelationNode, groups: Sequence[KeyExpression]) -> list[int]:
    """The keys in an order of their own, whatever that of GROUP BY is: so both ask the same.
    Where two populations meet they stay.
    """
    places = list(range(len(groups)))
    if len(groups) < 2 or find_population_join(rows) is not None:
        return places

    # All of them at once, as columns that are counted: alone, those of two rows that are spelled
    # alike would be the same.
    columns = tuple((f"k{place}", group.value.expression) for place, group in enumerate(groups))
    plan = Aggregate(
        Group(Bound(Project(rows, columns), (), 1, 1)),
        tuple(Measure("values", name) for name, _ in columns),
    )
    counted = [str(measure.column) for measure in places_of(plan)]  # v0, v1, …
    return sorted(places, key=lambda place: int(counted[place][1:]))


def _limit_bracket_counts(calls: Sequence[AggregateCall], most: int) -> Sequence[AggregateCall]:
    """Of the values that a quantile with a bracket is chosen from, so many count of each unit in
    a group.
    """
    counts = {call.bracket.count for call in calls if call.bracket is not None}
    return [
        (
            replace(call, measure=replace(call.measure, sum_bounds=(0, most)))
            if call.name in counts and isinstance(call.measure, Measure)
            else call
        )
        for call in calls
    ]


def _combine_domains(groups: Sequence[KeyExpression]) -> tuple[tuple[Value, ...], ...] | None:
    """The values of every key, where all are declared and the groups not too many."""
    known = [group.domain for group in groups if group.domain is not None]
    return (
        tuple(known) if len(known) == len(groups) and prod(map(len, known)) <= MAX_CELLS else None
    )
