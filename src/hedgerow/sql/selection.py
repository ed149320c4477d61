"""A SELECT, clause by clause, becomes a plan and what is made of its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.expressions import Expression
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Project, Rows, Table
from hedgerow.plan.normal import normal, places
from hedgerow.plan.values import Value
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.grouping import Grouped, position, read_groups
from hedgerow.sql.heading import Heading
from hedgerow.sql.measuring import Measuring
from hedgerow.sql.names import output_names
from hedgerow.sql.question import Key, Order, Output, Question
from hedgerow.sql.readers import RowReader, only
from hedgerow.sql.results import ResultReader
from hedgerow.sql.scope import Scope
from hedgerow.sql.source import read_source
from hedgerow.sql.typed import Typed, aligned

__all__ = ["Selection"]

MAX_CELLS: Final = 100_000
MAX_PARTS: Final = 50_000
MAX_WORK: Final = 50_000
_CLAUSES: Final = ("expressions", "from_", "where", "group", "having", "order", "limit", "offset")


class Selection:
    """One SELECT over one table."""

    def __init__(self, heading: Heading, select: exp.Select, catalog: Catalog) -> None:
        only(heading.text, select, *_CLAUSES)
        self._heading, self._select, self._text = heading, select, heading.text
        self._scope: Scope = read_source(heading.text, select, catalog)
        self._items: list[exp.Expr] = list(self._checked_items())
        self._parts = 0

    def question(self) -> Question:
        """Everything, or the first refusal."""
        condition = self._where()
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
        plan = self._plan(condition, groups, measuring)
        become = dict(zip(plan.measures, places(plan), strict=True))
        return Question(
            plan=normal(plan),
            aggregates=tuple(replace(call, measure=become[call.measure]) for call in measuring.calls),
            keys=tuple(Key(f"k{i}", group.value.type, group.text) for i, group in enumerate(groups)),
            outputs=outputs,
            having=having,
            order=order,
            limit=self._number("limit"),
            offset=self._number("offset") or 0,
            options=self._heading.options,
            explain=self._heading.explain,
            tables=(self._scope.table,),
        )

    def _checked_items(self) -> Iterator[exp.Expr]:
        if not self._select.expressions:
            raise self._text.refusal(Unsupported, "Nothing is asked for", self._text.word("SELECT"), "Name an aggregate, such as COUNT(*).")
        for item in self._select.expressions:
            if isinstance(item, exp.Alias):
                only(self._text, item, "this", "alias")
                if self._scope.entry.is_unit(item.alias):
                    what = f"{item.alias} is the name of the column that says whose rows these are"
                    raise self._text.refusal(Unsupported, what, item, "Choose another alias.")
            yield item

    def _where(self) -> Typed | None:
        where = self._select.args.get("where")
        if where is None:
            return None
        only(self._text, where, "this")
        return self._condition(RowReader(self._scope).read(where.this), where, "WHERE")

    def _having(self, reader: ResultReader, keys: Sequence[Typed]) -> Expression | None:
        having = self._select.args.get("having")
        if having is None:
            return None
        only(self._text, having, "this")
        return self._condition(reader.settle(having.this, keys, "having"), having, "HAVING").expression

    def _condition(self, found: Typed, node: exp.Expr, clause: str) -> Typed:
        (value,) = aligned([self._counted(found, node)], "boolean")
        if value.type != "boolean":
            what = f"{clause} wants a condition, and this is {value.type}"
            raise self._text.refusal(Unsupported, what, node.this, "Write a comparison, such as x > 0 or x = 'a'.")
        return value

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
        return int(written.this)

    def _no_number(self, name: str, clause: exp.Expr) -> Exception:
        what = f"{name.upper()} takes a number of rows that is written out"
        return self._text.refusal(Unsupported, what, clause, f"Write {name.upper()} 10.")

    def _plan(self, condition: Typed | None, groups: Sequence[Grouped], measuring: Measuring) -> Aggregate:
        work = measuring.work + sum(group.value.work for group in groups) + (condition.work if condition is not None else 0)
        if work > MAX_WORK:
            raise self._text.refusal(
                Unsupported, "This question is too intricate", None, "Write flatter expressions, or ask for the parts."
            )
        rows: Rows = Table(self._scope.entry.schema)
        if condition is not None:
            rows = Filter(rows, condition.expression)
        names = tuple(f"k{i}" for i in range(len(groups)))
        outputs = (*zip(names, (group.value.expression for group in groups), strict=True), *measuring.columns)
        if outputs:
            rows = Project(rows, outputs)
        entry = self._scope.entry
        bound = Bound(rows, names, self._max_groups(), entry.max_rows_per_group)
        measures = tuple(dict.fromkeys(call.measure for call in measuring.calls))
        return Aggregate(Group(bound, _domain(groups)), measures)

    def _max_groups(self) -> int:
        most, asked = self._scope.entry.max_groups, self._heading.options.max_groups
        if asked is not None and asked > most:
            what = f"max_groups_contributed is at most {most} by the policy of {self._scope.table}, and this asks for {asked}"
            where = self._text.word("MAX_GROUPS_CONTRIBUTED")
            raise self._text.refusal(Unsupported, what, where, f"Write max_groups_contributed = {most}, or leave it out.")
        return asked or most


def _domain(groups: Sequence[Grouped]) -> tuple[tuple[Value, ...], ...] | None:
    """The values of every key, where all are declared and the groups not too many."""
    known = [group.domain for group in groups if group.domain is not None]
    return tuple(known) if len(known) == len(groups) and prod(map(len, known)) <= MAX_CELLS else None
