"""Subqueries with GROUP BY or DISTINCT: one row per unit and keys, from rows of that unit alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from hedgerow.errors import Refused, Unbounded
from hedgerow.plan.nodes import Project, UnitAggregation, UnitStatistic
from hedgerow.plan.scalar.expressions import ColumnRef, Constant, Expression, find_columns
from hedgerow.plan.values import Range
from hedgerow.sql.aggregates.aggregate_syntax import AggregateSyntax
from hedgerow.sql.aggregates.arguments import bind_argument
from hedgerow.sql.aggregates.grids import build_grid
from hedgerow.sql.binder.declaration_hints import suggest_number_declaration
from hedgerow.sql.binder.row_expressions import RowBinder, check_args
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.binder.typed_expression import TypedExpression, require_condition
from hedgerow.sql.catalog import UnitPart, has_whole_id
from hedgerow.sql.group_by import expand_group_by
from hedgerow.sql.relations.select_list import SelectItem, build_projection
from hedgerow.sql.rules.aggregates import is_aggregate
from hedgerow.sql.syntax.named_arguments import NamedArguments
from hedgerow.sql.syntax.quoting import quote_name

__all__ = ["aggregate_per_unit"]

_MAX_INTEGER_STEP: Final = 2**62  # largest step for sums of integers
_NOISE_COMES_LAST: Final = (
    "This subquery aggregates over several units, which would give exact results before"
    " noise is added"
)
_SHARED_ROWS: Final = "SELECT DISTINCT in a subquery compares rows of different units"
_JOIN_PUBLIC: Final = "Join public tables as they are, row by row."
_AGGREGATES: Final = "Use COUNT, SUM, AVG, MIN or MAX."


def aggregate_per_unit(
    scope: Scope, select: exp.Select, items: Sequence[SelectItem]
) -> Scope | None:
    """Aggregate the rows of a subquery per unit; None if nothing is aggregated."""
    group, having, distinct = (select.args.get(part) for part in ("group", "having", "distinct"))
    asks = any(is_aggregate(part) for item in items for part in item.node.walk())
    for window in (
        part for item in items for part in item.node.walk() if isinstance(part, exp.Window)
    ):
        RowBinder(scope).bind(window)
    binder = _PerUnitBinder(scope)
    if distinct is not None:
        check_args(scope.text, distinct)
        if group is not None or having is not None or asks:
            binder.refuse(
                distinct,
                "DISTINCT cannot be combined with GROUP BY or aggregates",
                "Leave DISTINCT out: GROUP BY returns each row once.",
            )
        return binder.build_distinct(distinct, items)
    if group is None and having is None and not asks:
        return None
    return binder.build_grouped(select, items)


class _PerUnitBinder(RowBinder):
    """A binder for keys and per-unit aggregates, named k0, k1, … and f0, f1, … in the plan."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope, "an aggregate")
        self._row_binder = RowBinder(scope, "an aggregate")
        self._keys: dict[Expression, tuple[str, TypedExpression, ColumnReference | None]] = {}
        self._columns: dict[Expression, tuple[str, Range]] = {}
        self._outputs: dict[UnitStatistic, str] = {}
        self._work = scope.work

    def build_distinct(self, node: exp.Expr, items: Sequence[SelectItem]) -> Scope:
        """Build the distinct rows of each unit."""
        self._bind_keys(node, [(item.node, item.column) for item in items])
        outputs = [(item, self._bind_output(item, self._row_binder)) for item in items]
        return build_projection(self._build_scope(), outputs)

    def build_grouped(self, select: exp.Select, items: Sequence[SelectItem]) -> Scope:
        """Build the groups of each unit, from GROUP BY, the SELECT list and HAVING."""
        group = select.args.get("group")
        nodes = [] if group is None else expand_group_by(self.scope, group, select.expressions)
        self._bind_keys(
            group or select, [(node, self.scope.find_bare_column(node)) for node in nodes]
        )
        outputs = [(item, self._bind_output(item, self)) for item in items]
        having = select.args.get("having")
        condition = None if having is None else self._bind_having(having)
        return build_projection(self._build_scope().filter_rows(condition), outputs)

    def _bind_having(self, having: exp.Expr) -> TypedExpression:
        check_args(self.text, having, "this")
        value = self._resolve_keys(having.this, self.bind(having.this))
        return require_condition(self.text, "HAVING", having.this, value)

    def _bind_keys(
        self, where: exp.Expr, nodes: Sequence[tuple[exp.Expr, ColumnReference | None]]
    ) -> None:
        scope = self.scope
        if not scope.tables:
            where = where.meta.get("condition") or where
            self.refuse(where, "A subquery cannot aggregate a public table", _JOIN_PUBLIC)
        if scope.rows.unit == "row":
            self.refuse(
                where,
                "Every row of this table is its own unit, so a subquery has nothing to aggregate",
                "Use the aggregates in the outer SELECT.",
            )
        for node, visible in nodes:
            if visible is not None and visible.is_privacy_id:
                self.check_selectable(node, visible) if visible.may_be_missing else None
                continue
            value = visible.value if visible is not None else self._row_binder.bind(node)
            if value.expression not in self._keys:
                self._keys[value.expression] = f"k{len(self._keys)}", value, visible
                self._work += value.work
        owners = {visible.owner for _, visible in nodes if visible is not None}
        if not has_whole_id(owners):
            unit = next(
                (
                    visible.name
                    for visible in scope.columns
                    if (visible.is_privacy_id or isinstance(visible.owner, UnitPart))
                    and visible.owner not in owners
                ),
                "the id",
            )
            if "condition" in where.meta:
                problem = (
                    "This condition does not compare the privacy id, so it would show"
                    " rows of other units"
                )
                self.refuse(
                    where.meta["condition"], problem, _suggest_same_unit(where, scope, unit)
                )
            if isinstance(where, exp.Distinct):
                self.refuse(
                    where,
                    _SHARED_ROWS,
                    (
                        f"Add {unit}, so that rows are distinct per unit; or write GROUP BY"
                        " and COUNT(*) in the outer SELECT."
                    ),
                )
            self.refuse(
                where,
                _NOISE_COMES_LAST,
                (
                    f"Add {unit} to GROUP BY for one row per unit; or ask for it first, in a"
                    " separate question, and write its result."
                ),
            )

    def build_unbounded_error(
        self, node: exp.Expr, arguments: Sequence[TypedExpression]
    ) -> Refused:
        """Return the refusal of a node without bounds, such as a sum over all rows of a unit."""
        unbounded = [argument for argument in arguments if not argument.range.is_bounded]
        if any(
            name.startswith("\0")
            for argument in unbounded
            for name in find_columns(argument.expression)
        ):
            problem = (
                f"{self.text.format_node(node)} needs bounds: a unit may have any number of rows"
            )
            fix = "Clamp it to bounds of your choice: LEAST(GREATEST(SUM(x), 0), 500)."
            return self.text.refusal(Unbounded, problem, node, fix)
        return super().build_unbounded_error(node, arguments)

    def bind_aggregate(self, asked: AggregateSyntax) -> TypedExpression:
        """Bind an aggregate over the rows of one unit."""
        if asked.named_arguments != NamedArguments():
            self.refuse(
                asked.node,
                "Named arguments are not allowed in a subquery",
                "Leave them out, or use them in the outer SELECT.",
            )
        statistic = self._build_aggregate(asked)
        name = self._outputs.setdefault(statistic, f"f{len(self._outputs)}")
        return TypedExpression(
            ColumnRef("\0" + name), statistic.range(dict(self._columns.values()))
        )

    def _build_aggregate(self, asked: AggregateSyntax) -> UnitStatistic:
        if asked.function == "COUNT":
            value = bind_argument(self._row_binder, asked)
            if not asked.distinct and value.expression == Constant(1, "integer"):
                return UnitStatistic("rows")
            return UnitStatistic(
                "distinct" if asked.distinct else "values", self._add_column(value)
            )
        if asked.distinct and asked.function not in ("MIN", "MAX"):
            self.refuse(
                asked.node,
                "In a subquery, DISTINCT is only allowed in COUNT",
                "Write COUNT(DISTINCT x).",
            )
        if asked.function not in ("SUM", "AVG", "MIN", "MAX"):
            self.refuse(asked.node, f"{asked.name} is not supported in a subquery", _AGGREGATES)
        value = bind_argument(self._row_binder, asked)
        numbers = asked.function in ("SUM", "AVG")
        if (
            value.type not in ("integer", "real", *(() if numbers else ("date", "timestamp")))
            or value.range.values == ()
        ):
            problem = (
                f"{asked.name} needs numbers{'' if numbers else ' or dates'}, but this"
                f" is {value.type}"
            )
            line = suggest_number_declaration(self.scope, [value], "real", ", min = …, max = …")
            self.refuse(
                asked.node,
                problem,
                (
                    "Use COUNT(x), or another column."
                    if line is None
                    else f"{line}; otherwise use COUNT(x)."
                ),
            )
        if not numbers:
            return UnitStatistic(
                "least" if asked.function == "MIN" else "greatest", self._add_column(value)
            )
        if not value.range.is_bounded:
            raise self.build_unbounded_error(asked.node, [value])
        grid = build_grid(value.range)
        if grid is None or (value.type == "integer" and grid.step > _MAX_INTEGER_STEP):
            problem, fix = (
                "The bounds are too wide for an exact sum",
                "Declare narrower bounds in the policy: within ±2^53.",
            )
            raise self.text.refusal(Unbounded, problem, asked.node, fix)
        return UnitStatistic(
            "total" if asked.function == "SUM" else "mean", self._add_column(value), grid
        )

    def _add_column(self, value: TypedExpression) -> str:
        if value.expression not in self._columns:
            self._columns[value.expression] = f"v{len(self._columns)}", value.range
            self._work += value.work
        return self._columns[value.expression][0]

    def _bind_output(self, item: SelectItem, binder: RowBinder) -> TypedExpression | None:
        return None if item.is_privacy_id else self._resolve_keys(item.node, item.bind(binder))

    def _resolve_keys(self, node: exp.Expr, value: TypedExpression) -> TypedExpression:
        names: dict[Expression, Expression] = {
            expression: ColumnRef(name) for expression, (name, _, _) in self._keys.items()
        }
        return replace(value, expression=self.replace_keys(node, value.expression, names, "MAX"))

    def _build_scope(self) -> Scope:
        """Build the scope of the aggregated rows, with the column names of the plan."""
        scope = self.scope
        keys = [(name, value, visible) for name, value, visible in self._keys.values()]
        inner = (
            *((name, value.expression) for name, value, _ in keys),
            *((name, expression) for expression, (name, _) in self._columns.items()),
        )
        rows = Project(scope.rows, inner) if inner else scope.rows
        names = tuple(name for name, _, _ in keys)
        outputs = tuple((name, statistic) for statistic, name in self._outputs.items())
        if not names and not outputs:
            outputs = (("f0", UnitStatistic("rows")),)
        aggregation = UnitAggregation(rows, names, outputs)
        known = aggregation.columns
        columns = (
            *(
                ColumnReference(
                    "",
                    name,
                    name,
                    known[name],
                    *((None, None) if visible is None else (visible.owner, visible.origin)),
                )
                for name, _, visible in keys
            ),
            *(ColumnReference("", name, name, known[name]) for name, _ in outputs),
        )
        statistic = Scope(
            scope.text,
            aggregation,
            columns,
            scope.sources,
            scope.tables,
            frozenset(name for name, _, visible in keys if not _is_constant_in_unit(visible)),
            scope.source_count + 1,
            self._work,
        )
        return replace(statistic, capping_tables=scope.capping_tables).check_limits()


def _is_constant_in_unit(visible: ColumnReference | None) -> bool:
    """Return whether a key is a readable part of a composite id, as one declaration reads it."""
    owner, origin = (None, None) if visible is None else (visible.owner, visible.origin)
    return isinstance(owner, UnitPart) and origin is not None


def _suggest_same_unit(where: exp.Expr, scope: Scope, unit: str) -> str:
    """Return IN or EXISTS with the privacy id compared too."""
    name = scope.sources[0][1]
    table = quote_name(name) if name in dict(scope.tables) else "…"
    both = " AND ".join(
        f"d.{quote_name(there.output_name or '…')} = {scope.text.format_node(here)}"
        for here, there in where.meta["pairs"]
    )
    no = "NOT " if isinstance(where, exp.Group) else ""
    inside = f"SELECT 1 FROM {table} AS d WHERE d.{quote_name(unit)} = … AND {both}"
    return (
        "Compare the privacy id too, with the id of the outer row for the dots:"
        f" {no}EXISTS ({inside})."
    )
