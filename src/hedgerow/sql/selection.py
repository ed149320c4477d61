"""A SELECT, clause by clause, becomes a plan and what is made of its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.expressions import Expression, Read
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Rows
from hedgerow.plan.normal import normal
from hedgerow.plan.normal import places as places_of
from hedgerow.plan.values import Value
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.clipping import clipping
from hedgerow.sql.grouping import Grouped, position, read_groups
from hedgerow.sql.heading import Heading
from hedgerow.sql.measuring import Measuring
from hedgerow.sql.meeting import check_aggregates, meeting_of, settled
from hedgerow.sql.names import output_names
from hedgerow.sql.question import AggregateCall, Key, Order, Output, Question
from hedgerow.sql.readers import only
from hedgerow.sql.results import ResultReader
from hedgerow.sql.scope import MAX_WORK, Scope
from hedgerow.sql.subqueries import Sources
from hedgerow.sql.typed import Typed, aligned

__all__ = ["Selection"]

MAX_CELLS: Final = 100_000
MAX_PARTS: Final = 50_000
_CLAUSES: Final = ("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "with_")


class Selection:
    """The outermost SELECT."""

    def __init__(self, heading: Heading, select: exp.Select, catalog: Catalog) -> None:
        only(heading.text, select, *_CLAUSES)
        self._heading, self._select, self._text = heading, select, heading.text
        self._scope: Scope = Sources(heading.text, catalog).with_(select).read(select)
        self._check_protected()
        self._items: list[exp.Expr] = list(self._checked_items())
        self._parts = 0

    def question(self) -> Question:
        """Everything, or the first refusal."""
        groups = read_groups(self._scope, self._select.args.get("group"), self._items)
        keys = [group.value for group in groups]
        measuring = Measuring(self._scope)
        reader = ResultReader(self._scope, measuring, self._items)
        outputs = tuple(self._outputs(reader, keys))
        having = self._having(reader, keys)
        order = tuple(self._order(reader, keys))
        if not measuring.calls:
            what = "This asks for no aggregate, and rows are never shown"
            raise self._text.refusal(Unsupported, what, self._items[0], "Add an aggregate, such as COUNT(*).")
        plan, calls, places = self._plan(groups, measuring, measuring.calls)
        become = dict(zip(plan.measures, places_of(plan), strict=True))
        return Question(
            plan=normal(plan),
            aggregates=tuple(replace(call, measure=become[call.measure]) for call in calls),
            keys=tuple(Key(f"k{place}", groups[place].value.type, groups[place].text) for place in places),
            outputs=outputs,
            having=having,
            order=order if places == sorted(places) else (*order, *(Order(Read(f"k{place}"), False, False) for place in sorted(places))),
            limit=self._number("limit"),
            offset=self._number("offset") or 0,
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

    def _checked_items(self) -> Iterator[exp.Expr]:
        if not self._select.expressions:
            raise self._text.refusal(Unsupported, "Nothing is asked for", self._text.word("SELECT"), "Name an aggregate, such as COUNT(*).")
        for item in self._select.expressions:
            if isinstance(item, exp.Alias):
                only(self._text, item, "this", "alias")
                if any(item.alias.casefold() == visible.name.casefold() for visible in self._scope.columns if visible.is_unit):
                    what = f"{item.alias} is the name of the column that says whose rows these are"
                    raise self._text.refusal(Unsupported, what, item, "Choose another alias.")
            yield item

    def _having(self, reader: ResultReader, keys: Sequence[Typed]) -> Expression | None:
        having = self._select.args.get("having")
        if having is None:
            return None
        only(self._text, having, "this")
        (value,) = aligned([self._counted(reader.settle(having.this, keys, "having"), having)], "boolean")
        if value.type != "boolean":
            what = f"HAVING wants a condition, and this is {value.type}"
            raise self._text.refusal(Unsupported, what, having.this, "Write a comparison, such as x > 0 or x = 'a'.")
        return value.expression

    def _outputs(self, reader: ResultReader, keys: Sequence[Typed]) -> Iterator[Output]:
        for name, item in zip(output_names(self._items, self._scope), self._items, strict=True):
            node = item.this if isinstance(item, exp.Alias) else item
            value = self._counted(reader.settle(node, keys), node)
            yield Output(name, value.expression, value.type)

    def _order(self, reader: ResultReader, keys: Sequence[Typed]) -> Iterator[Order]:
        order = self._select.args.get("order")
        if order is None:
            return
        only(self._text, order, "expressions")
        for item in order.expressions:
            only(self._text, item, "this", "desc", "nulls_first")
            node = item.this
            if isinstance(node, exp.Literal) and not node.is_string:
                node = position(self._text, node, self._items)
                value = reader.settle(node, keys)
            else:
                value = reader.settle(node, keys, "order")
            self._counted(value, item)
            yield Order(value.expression, bool(item.args.get("desc")), not item.args.get("nulls_first"))

    def _counted(self, value: Typed, node: exp.Expr) -> Typed:
        self._parts += value.size
        if self._parts > MAX_PARTS:
            raise self._text.refusal(Unsupported, f"This question has more than {MAX_PARTS} parts", node, "Ask several shorter questions.")
        return value

    def _number(self, name: str) -> int | None:
        clause = self._select.args.get(name)
        if clause is None:
            return None
        written = clause.args.get("expression")
        if type(clause) not in (exp.Limit, exp.Offset) or not isinstance(written, exp.Literal) or written.is_string:
            raise self._no_number(name, clause)
        only(self._text, clause, "expression")
        if not written.this.isdecimal() or len(written.this) > 9:
            raise self._no_number(name, clause)
        if name == "limit" and int(written.this) == 0:
            what = "LIMIT 0 leaves nothing of an answer that is paid for"
            raise self._text.refusal(Unsupported, what, clause, "Write EXPLAIN PRIVACY before the SELECT: it costs nothing.")
        return int(written.this)

    def _no_number(self, name: str, clause: exp.Expr) -> Exception:
        what = f"{name.upper()} takes a number of rows that is written out"
        count = clause.args.get("count")  # of FETCH FIRST 5 ROWS ONLY
        rows = str(count.this)[:9] if isinstance(count, exp.Literal) and count.is_int else "10"
        return self._text.refusal(Unsupported, what, clause, f"Write {name.upper()} {rows}.")

    def _plan(
        self, groups: Sequence[Grouped], measuring: Measuring, calls: Sequence[AggregateCall]
    ) -> tuple[Aggregate, Sequence[AggregateCall], list[int]]:
        """The plan, what it measures, and for each of its keys the place that it has in GROUP BY."""
        work = self._scope.work + measuring.work + sum(group.value.work for group in groups)
        if work > MAX_WORK:
            raise self._text.refusal(
                Unsupported, "This question is too intricate", None, "Write flatter expressions, or ask for the parts."
            )
        rows = self._scope.rows
        places = _places(rows, groups)
        groups = [groups[place] for place in places]
        names = tuple(f"k{i}" for i in range(len(groups)))
        outputs = (*zip(names, (group.value.expression for group in groups), strict=True), *measuring.columns)
        if meeting_of(rows) is not None:
            check_aggregates(self._text, calls)
            if (cells := prod(len(group.domain or ()) for group in groups)) > MAX_CELLS:
                what = f"There would be {cells:,} groups, and where two populations meet there may be {MAX_CELLS:,}"
                raise self._text.refusal(Unsupported, what, None, "Group by fewer columns, or by such with fewer values.")
            rows = settled(self._text, rows, groups, outputs, self._max_groups())
        elif outputs:
            rows = Project(rows, outputs)
        alone = self._alone(groups)
        if any(call.clip is not None for call in calls):
            rows, calls = clipping(self._text, rows, names, calls, alone=alone or rows.unit == "row")
            alone = True
        most = 1 if alone else self._scope.max_rows
        calls = _counted(calls, most)
        bound = Bound(rows, names, self._max_groups(), most)
        return Aggregate(Group(bound, _domain(groups)), tuple(dict.fromkeys(call.measure for call in calls))), calls, places

    def _alone(self, groups: Sequence[Grouped]) -> bool:
        """Whether the rows are one for each unit and group, so that one counts; else it is the largest cap of the tables."""
        once = self._scope.once
        keys = {group.value.expression.column for group in groups if isinstance(group.value.expression, Read)}
        return once is not None and once <= keys

    def _max_groups(self) -> int:
        most, asked = self._scope.max_groups, self._heading.options.max_groups
        if asked is not None and asked > most:
            tables = " and ".join(name for name, _ in self._scope.tables)
            what = f"max_groups_contributed is at most {most} by the policy of {tables}, and this asks for {asked}"
            where = self._text.word("MAX_GROUPS_CONTRIBUTED")
            raise self._text.refusal(Unsupported, what, where, f"Write max_groups_contributed = {most}, or leave it out.")
        # With one row for each unit, a unit is in one group.
        return asked or (1 if self._scope.once == frozenset() else most)


def _places(rows: Rows, groups: Sequence[Grouped]) -> list[int]:
    """The keys in an order of their own, whatever that of GROUP BY is: so both ask the same. Where two populations meet they stay."""
    places = list(range(len(groups)))
    if len(groups) < 2 or meeting_of(rows) is not None:
        return places

    # All of them at once, as columns that are counted: alone, those of two rows that are spelled alike would be the same.
    columns = tuple((f"k{place}", group.value.expression) for place, group in enumerate(groups))
    plan = Aggregate(Group(Bound(Project(rows, columns), (), 1, 1)), tuple(Measure("values", name) for name, _ in columns))
    counted = [str(measure.column) for measure in places_of(plan)]  # v0, v1, …
    return sorted(places, key=lambda place: int(counted[place][1:]))


def _counted(calls: Sequence[AggregateCall], most: int) -> Sequence[AggregateCall]:
    """Of the values that a quantile with a bracket is chosen from, so many count of each unit in a group."""
    counts = {call.bracket.count for call in calls if call.bracket is not None}
    return [
        replace(call, measure=replace(call.measure, limits=(0, most)))
        if call.name in counts and isinstance(call.measure, Measure)
        else call
        for call in calls
    ]


def _domain(groups: Sequence[Grouped]) -> tuple[tuple[Value, ...], ...] | None:
    """The values of every key, where all are declared and the groups not too many."""
    known = [group.domain for group in groups if group.domain is not None]
    return tuple(known) if len(known) == len(groups) and prod(map(len, known)) <= MAX_CELLS else None
