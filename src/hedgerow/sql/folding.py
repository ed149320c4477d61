"""Subqueries with GROUP BY or DISTINCT: one row for each person and the keys, made of that person's rows alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from hedgerow.errors import Refused, Unbounded
from hedgerow.plan.expressions import Call, Expression, Read, reads
from hedgerow.plan.nodes import Fold, Folded, Project, tables_of
from hedgerow.plan.values import Range
from hedgerow.sql.arguments import argument, unit_of
from hedgerow.sql.asked import Asked
from hedgerow.sql.grouping import meant
from hedgerow.sql.named import Arguments
from hedgerow.sql.quoting import quoted
from hedgerow.sql.readers import RowReader, as_numbers, only
from hedgerow.sql.rules.aggregates import is_aggregate
from hedgerow.sql.scope import Scope, Visible
from hedgerow.sql.shaping import Item, shaped
from hedgerow.sql.snapping import snap
from hedgerow.sql.typed import Typed, aligned

__all__ = ["folded"]

_COARSE: Final = 2**62  # the largest step in which whole numbers are added up
_NOISE: Final = "Aggregates of several people are noisy, and noise comes last: here they would be exact"
_SHARED: Final = "SELECT DISTINCT looks for rows that different people share"
_PUBLIC: Final = "Join public tables as they are, row by row."
_LISTED: Final = "For each person there are COUNT, SUM, AVG, MIN and MAX."


def folded(scope: Scope, select: exp.Select, items: Sequence[Item]) -> Scope | None:
    """The rows of a subquery with GROUP BY, DISTINCT or aggregates; None where it has none of them."""
    group, having, distinct = (select.args.get(part) for part in ("group", "having", "distinct"))
    asks = any(is_aggregate(part) for item in items for part in item.node.walk())
    for window in (part for item in items for part in item.node.walk() if isinstance(part, exp.Window)):
        RowReader(scope).read(window)
    folding = _Folding(scope)
    if distinct is not None:
        only(scope.text, distinct)
        if group is not None or having is not None or asks:
            folding.refuse(distinct, "DISTINCT and aggregates do not go together here", "Leave DISTINCT out: GROUP BY gives each row once.")
        return folding.distinct(distinct, items)
    if group is None and having is None and not asks:
        return None
    return folding.grouped(select, items)


class _Folding(RowReader):
    """Reads keys and what is made of each person's rows. Keys are called k0, k1, … in the plan, the rest f0, f1, …."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope, "an aggregate")
        self._reader = RowReader(scope, "an aggregate")
        self._keys: dict[Expression, tuple[str, Typed, Visible | None]] = {}
        self._columns: dict[Expression, tuple[str, Range]] = {}
        self._outputs: dict[Folded, str] = {}
        self._work = scope.work

    def distinct(self, node: exp.Expr, items: Sequence[Item]) -> Scope:
        """Each row once for each person."""
        self._read_keys(node, [(item.node, item.visible) for item in items])
        outputs = [(item, None if self._is_unit(item) else self._key(item)) for item in items]
        return shaped(self._scope(), outputs)

    def grouped(self, select: exp.Select, items: Sequence[Item]) -> Scope:
        """GROUP BY, the SELECT list and HAVING."""
        group = select.args.get("group")
        nodes = [] if group is None else meant(self.scope, group, select.expressions)
        self._read_keys(group or select, [(node, self._visible(node)) for node in nodes])
        outputs = [(item, None if self._is_unit(item) else self._settled(item.node, self._item(item))) for item in items]
        having = select.args.get("having")
        condition = None if having is None else self._having(having)
        return shaped(self._scope().filtered(condition), outputs)

    def _having(self, having: exp.Expr) -> Typed:
        only(self.text, having, "this")
        (value,) = aligned([self._settled(having.this, self.read(having.this))], "boolean")
        if value.type != "boolean":
            self.refuse(having.this, f"HAVING wants a condition, and this is {value.type}", "Write a comparison, such as COUNT(*) > 3.")
        return value

    def _read_keys(self, where: exp.Expr, nodes: Sequence[tuple[exp.Expr, Visible | None]]) -> None:
        scope, known = self.scope, False
        if not scope.tables:
            condition = where.meta.get("condition")
            if condition is not None:
                self.refuse(condition, "IN and EXISTS are not about public tables", _public_instead(where, scope))
            self.refuse(where, "Public tables are not summed up in a subquery", _PUBLIC)
        if scope.rows.unit == "row":
            what = "Where every row is somebody of their own, there is nothing to put together for each person"
            self.refuse(where, what, "Ask for the aggregates outside the subquery.")
        for node, visible in nodes:
            if visible is not None and visible.whose is not None:
                known = True
            if visible is not None and visible.is_unit:
                self.shown(node, visible) if visible.lost else None
                continue
            value = visible.value if visible is not None else self._reader.read(node)
            if value.expression not in self._keys:
                self._keys[value.expression] = f"k{len(self._keys)}", value, visible
                self._work += value.work
        if not known:
            unit = next((visible.name for visible in scope.columns if visible.is_unit), "the id")
            if "condition" in where.meta:
                what = "Nothing says that this is about rows of the same person, and it would show what others hold"
                self.refuse(where.meta["condition"], what, _same_person(where, scope, unit))
            if isinstance(where, exp.Distinct):
                self.refuse(where, _SHARED, f"Add {unit} to it: each row once for each person; or write GROUP BY and COUNT(*), outside.")
            self.refuse(
                where,
                _NOISE,
                f"Add {unit} to GROUP BY: one row for each person; or ask for it first, as a question of its own, and write its number.",
            )

    def column(self, node: exp.Column) -> Typed:
        """A column of the rows; whether it is a key turns out when all is settled."""
        return self.shown(node, self.scope.column(node)).value

    def unbounded(self, node: exp.Expr, why: str, arguments: Sequence[Typed]) -> Refused:
        """Sums and counts of a person's rows have no bounds, since nobody knows how many rows there are."""
        if any(name.startswith("\0") for argument in arguments for name in reads(argument.expression) if not argument.range.bounded):
            what = f"How many rows a person has is not known, so sums and counts of them have no bounds, {why}"
            return self.text.refusal(Unbounded, what, node, "Clamp them, to bounds of your choice: LEAST(GREATEST(SUM(x), 0), 500).")
        return super().unbounded(node, why, arguments)

    def aggregate(self, asked: Asked) -> Typed:
        """What becomes of the rows of one person."""
        if asked.named != Arguments():
            self.refuse(asked.node, "Named arguments are those of the outer aggregates", "Leave them out in the subquery.")
        made = self._folded(asked)
        name = self._outputs.setdefault(made, f"f{len(self._outputs)}")
        return Typed(Read("\0" + name), made.range(dict(self._columns.values())))

    def _folded(self, asked: Asked) -> Folded:
        if asked.function == "COUNT":
            if not asked.conditions and (not asked.arguments or (unit_of(self._reader, asked) and not asked.distinct)):
                return Folded("rows")
            return Folded("distinct" if asked.distinct else "values", self._column(argument(self._reader, asked)))
        if asked.distinct and asked.function not in ("MIN", "MAX"):
            self.refuse(asked.node, "DISTINCT stands inside COUNT only", "Write COUNT(DISTINCT x).")
        if asked.function not in ("SUM", "AVG", "MIN", "MAX"):
            self.refuse(asked.node, f"{asked.name} of each person is not read", _LISTED)
        value = argument(self._reader, asked)
        numbers = asked.function in ("SUM", "AVG")
        if value.type not in ("integer", "real", *(() if numbers else ("date",))) or value.range.values == ():
            what = f"{asked.name} works on numbers{'' if numbers else ' and dates'}, and this is {value.type}"
            line = as_numbers(self.scope, [value], "real", ", min = …, max = …")
            self.refuse(asked.node, what, "Use COUNT(x), or another column." if line is None else f"{line}; else use COUNT(x).")
        if not numbers:
            return Folded("least" if asked.function == "MIN" else "greatest", self._column(value))
        if not value.range.bounded:
            raise self.unbounded(asked.node, "and sums need them", [value])
        grid = snap(value.range)
        if grid is None or (value.type == "integer" and grid.step > _COARSE):
            what, instead = "The bounds of this are too wide to add it up exactly", "Declare narrower bounds in the policy: within ±2^53."
            raise self.text.refusal(Unbounded, what, asked.node, instead)
        return Folded("total" if asked.function == "SUM" else "mean", self._column(value), grid)

    def _column(self, value: Typed) -> str:
        if value.expression not in self._columns:
            self._columns[value.expression] = f"v{len(self._columns)}", value.range
            self._work += value.work
        return self._columns[value.expression][0]

    def _visible(self, node: exp.Expr) -> Visible | None:
        inner = node.unnest()
        return self.scope.find(inner) if type(inner) is exp.Column and isinstance(inner.this, exp.Identifier) else None

    def _is_unit(self, item: Item) -> bool:
        return item.visible is not None and item.visible.is_unit

    def _item(self, item: Item) -> Typed:
        return self.read(item.node) if item.visible is None else item.visible.value

    def _key(self, item: Item) -> Typed:
        return self._settled(item.node, item.visible.value if item.visible is not None else self._reader.read(item.node))

    def _settled(self, node: exp.Expr, value: Typed) -> Typed:
        return Typed(self._replaced(node, value.expression), value.range, value.size, value.work)

    def _replaced(self, node: exp.Expr, expression: Expression) -> Expression:
        if expression in self._keys:
            return Read(self._keys[expression][0])
        if isinstance(expression, Call):
            return Call(expression.function, tuple(self._replaced(node, part) for part in expression.arguments))
        if isinstance(expression, Read):
            if not expression.column.startswith("\0"):
                visible = self.scope.by_column(expression.column)
                name = expression.column if visible is None else visible.name
                self.refuse(node, f"{name} differs among the rows of one person", f"Add it to GROUP BY, or write MAX({name}).")
            return Read(expression.column[1:])
        return expression

    def _scope(self) -> Scope:
        """The rows after folding; its names are those of the plan, for ``shaped`` to rename."""
        scope = self.scope
        keys = [(name, value, visible) for name, value, visible in self._keys.values()]
        inner = (
            *((name, value.expression) for name, value, _ in keys),
            *((name, expression) for expression, (name, _) in self._columns.items()),
        )
        rows = Project(scope.rows, inner) if inner else scope.rows
        names = tuple(name for name, _, _ in keys)
        outputs = tuple((name, made) for made, name in self._outputs.items())
        if not names and not outputs:
            outputs = (("f0", Folded("rows")),)
        fold = Fold(rows, names, outputs)
        known = fold.columns
        columns = (
            *(
                Visible("", name, name, known[name], *((None, None) if visible is None else (visible.whose, visible.origin)))
                for name, _, visible in keys
            ),
            *(Visible("", name, name, known[name]) for name, _ in outputs),
        )
        made = Scope(scope.text, fold, columns, scope.sources, scope.tables, frozenset(names), scope.leaves + 1, self._work)
        return replace(made, capping=scope.capping).within_limits()


def _public_instead(where: exp.Expr, scope: Scope) -> str:
    """The values themselves, in the place of IN or EXISTS about a public table. A join where no row would meet several there, which would
    be counted as often, and where what is asked for is there."""
    pairs, negated = where.meta["pairs"], isinstance(where, exp.Group)
    names = [f"{quoted(here.table)}.{quoted(here.name)}" if here.table else quoted(here.name) for here, _ in pairs]
    keys = {there.name.casefold() for _, there in pairs}
    if not negated and any({name.casefold() for name in key} <= keys for key in scope.unique):
        both = " AND ".join(f"{name} = d.{quoted(there.name)}" for name, (_, there) in zip(names, pairs, strict=True))
        return f"Join it as it is, and write its conditions after WHERE: JOIN {quoted(scope.sources[0][1])} AS d ON {both}."
    no = "NOT " if negated else ""
    listed = f"{names[0]} {no}IN ('a', 'b')" if len(names) == 1 else f"{no}({' AND '.join(f'{name} = …' for name in names)} OR …)"
    return f"Ask for the values, which is free{_values(where, scope)}; then write them: {listed}."


def _values(where: exp.Expr, scope: Scope) -> str:
    """The question for the values that IN or EXISTS looks for; none where it names what only this question knows, as WITH does."""
    assert where.parent is not None
    rows = where.parent.copy()
    rows.set("expressions", [there.copy() for _, there in where.meta["pairs"]])
    rows.set("group", None)
    rows.set("distinct", exp.Distinct())
    known = {schema.table.casefold() for schema in tables_of(scope.rows)}
    return f": {scope.text.cut(rows)}" if {table.name.casefold() for table in rows.find_all(exp.Table)} <= known else ""


def _same_person(where: exp.Expr, scope: Scope, unit: str) -> str:
    """The condition with the person in it. What is no table has a name only where it stands, if any."""
    name = scope.sources[0][1]
    table = quoted(name) if name in dict(scope.tables) else "…"
    both = " AND ".join(f"d.{quoted(there.name)} = {here.sql()}" for here, there in where.meta["pairs"])
    no = "NOT " if isinstance(where, exp.Group) else ""
    inside = f"SELECT 1 FROM {table} AS d WHERE d.{quoted(unit)} = … AND {both}"
    return f"Compare the person too, whose id outside stands for the dots: {no}EXISTS ({inside})."
