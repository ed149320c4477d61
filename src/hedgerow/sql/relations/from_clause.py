"""The binder of FROM, WITH and subqueries: the rows of a SELECT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.sql.binder.row_expressions import RowBinder, check_args
from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.binder.typed_expression import TypedExpression, require_condition
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.predicates.unsatisfiable import (
    NEVER_TRUE,
    UnsatisfiableCondition,
    refuse_unsatisfiable,
)
from hedgerow.sql.relations.column_names import ColumnNames
from hedgerow.sql.relations.join_conditions import JoinInput
from hedgerow.sql.relations.joins import JoinedRows, join_inputs
from hedgerow.sql.relations.joins_across_units import joins_across_units
from hedgerow.sql.relations.per_unit_aggregation import aggregate_per_unit
from hedgerow.sql.relations.second_population import find_population_join
from hedgerow.sql.relations.select_list import expand_select_list, project_items, rename_columns
from hedgerow.sql.relations.semijoins import SEMIJOIN, rewrite_semijoins
from hedgerow.sql.relations.set_operations import build_set_operation
from hedgerow.sql.relations.table_scan import scan_table
from hedgerow.sql.relations.union_all import build_union
from hedgerow.sql.rules import find_refusal
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["FromBinder"]

_NAME_TABLES: Final = "Use tables by name, or subqueries: SELECT … FROM table WHERE … GROUP BY …."
_CLAUSES: Final = ("expressions", "from_", "joins", "where", "group", "having", "distinct", "with_")
_RESULT_CLAUSES: Final = {"order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET"}


@dataclass(frozen=True, slots=True)
class FromBinder:
    """A binder of FROM with the tables of the catalog and the named subqueries in scope."""

    text: SourceText
    catalog: Catalog
    named_subqueries: Mapping[str, Scope] = field(default_factory=dict)

    def bind_with(self, select: exp.Expr) -> FromBinder:
        """Return a binder that knows the subqueries of WITH, each with those before it in scope."""
        clause = select.args.get("with_")
        if clause is None:
            return self
        if clause.args.get("recursive"):
            self._refuse(
                clause, "WITH RECURSIVE is not supported", "Write WITH name AS (SELECT …)."
            )
        check_args(self.text, clause, "expressions")
        found = self
        for part in clause.expressions:
            check_args(self.text, part, "this", "alias")
            name = part.alias
            if name.casefold() in {known.casefold() for known in found.named_subqueries} - {
                known.casefold() for known in self.named_subqueries
            }:
                self._refuse(
                    part.args["alias"],
                    f"Two subqueries are named {name[:60]}",
                    "Give each its own name.",
                )
            others = {
                known: scope
                for known, scope in found.named_subqueries.items()
                if known.casefold() != name.casefold()
            }
            found = replace(
                found,
                named_subqueries={
                    **others,
                    name: rename_columns(found.bind_query(part.this), part.args["alias"]),
                },
            )
        return found

    def bind_from(self, select: exp.Select, *, is_outermost: bool = False) -> Scope:
        """Bind FROM and WHERE to the rows of a SELECT."""
        kind = UnsatisfiableCondition if is_outermost else Unsupported
        from_ = select.args.get("from_")
        if from_ is None:
            raise self.text.refusal(
                Unsupported, "FROM is missing", None, "Add FROM and the name of a table."
            )
        check_args(self.text, from_, "this")
        where = select.args.get("where")
        if where is not None:
            check_args(self.text, where, "this")
        parts = [JoinInput(self._bind_source(from_.this), from_.this)]
        parts += [self._bind_join(join) for join in select.args.get("joins") or []]
        found = self._join_inputs(parts, where)
        condition: TypedExpression | None = None
        for part in found.conditions:
            if part.is_null and where is not None:
                fix = "Write a comparison, such as x > 0 or x = 'a'."
                raise self.text.refusal(kind, NEVER_TRUE, where.this, fix)
            condition = (
                part
                if condition is None
                else RowBinder(found.scope).apply(where or from_, "and", condition, part)
            )
        refuse_unsatisfiable(found.scope, found.conditions, where, kind)
        return found.scope.filter_rows(condition).check_limits()

    def rewrite_conditions(self, select: exp.Select) -> exp.Select:
        """Return a SELECT with IN (SELECT …) and EXISTS as joins."""
        return rewrite_semijoins(select, ColumnNames(self.catalog, self.named_subqueries))

    def _bind_join(self, join: exp.Join) -> JoinInput:
        scope, is_semijoin = self._bind_source(join.this), bool(join.meta.get(SEMIJOIN))
        if is_semijoin:  # no name and no * reaches its columns
            columns = tuple(replace(column, is_merged=True) for column in scope.columns)
            scope = replace(scope, columns=columns)
        return JoinInput(scope, join.this, join, is_semijoin)

    def _join_inputs(self, parts: list[JoinInput], where: exp.Expr | None) -> JoinedRows:
        if len(parts) > 1:
            self._refuse_across_units([part.scope for part in parts], parts[-1].node)
            return join_inputs(self.text, parts, None if where is None else where.this)
        scope = parts[0].scope
        if where is None:
            return JoinedRows(scope, ())
        value = RowBinder(scope).bind(where.this)
        return JoinedRows(scope, (require_condition(self.text, "WHERE", where.this, value),))

    def _bind_source(self, node: exp.Expr) -> Scope:
        if isinstance(node, exp.Subquery):
            check_args(self.text, node, "this", "alias")
            found, alias = self.bind_query(node.this), node.args.get("alias")
            return (found if alias is None else rename_columns(found, alias)).with_alias(
                str(node.alias)
            )
        if type(node) is not exp.Table:
            self._refuse(node, *find_refusal(node, "This is not a table", _NAME_TABLES))
        if not isinstance(node.this, exp.Identifier):
            self._refuse(node, "Table functions are not supported", _NAME_TABLES)
        check_args(self.text, node, "this", "alias")
        if node.args.get("alias") is not None:
            check_args(self.text, node.args["alias"], "this")
        scope = next(
            (
                scope
                for name, scope in self.named_subqueries.items()
                if name.casefold() == node.name.casefold()
            ),
            None,
        )
        return (
            scan_table(self.text, node, self.catalog)
            if scope is None
            else scope.with_alias(node.alias or node.name)
        )

    def bind_query(self, node: exp.Expr) -> Scope:
        """Bind a subquery, or UNION, INTERSECT or EXCEPT of several, to rows."""
        if isinstance(node, exp.Subquery) and node.args.get("alias") is None:
            check_args(self.text, node, "this")
            return self.bind_query(node.this)
        if isinstance(node, exp.SetOperation):
            self._refuse_result_clauses(node)
            check_args(self.text, node, "this", "expression", "distinct", "with_")
        if isinstance(node, exp.SetOperation) and not _is_union_all(node):
            inner = self.bind_with(node)
            sides = [inner.bind_query(side) for side in (node.this, node.expression)]
            self._refuse_across_units(sides, node)
            return build_set_operation(self.text, node, *sides)
        if isinstance(node, exp.Union):
            parts = [
                (part, self.bind_with(node).bind_query(part)) for part in self._list_branches(node)
            ]
            self._refuse_across_units([scope for _, scope in parts], node)
            return build_union(self.text, parts)
        if type(node) is exp.Select:
            return self._bind_select(node)
        if isinstance(node, exp.Table):
            self._refuse(
                node,
                "Parentheses around tables and joins are not supported",
                "Write FROM a JOIN b ON … JOIN c ON …, or a SELECT in parentheses.",
            )
        fix = "Write a SELECT in parentheses."
        return self._refuse(node, *find_refusal(node, "This is not a subquery", fix))

    def _list_branches(self, node: exp.Expr) -> Iterator[exp.Expr]:
        if not _is_union_all(node):
            yield node
            return
        self._refuse_result_clauses(node)
        check_args(self.text, node, "this", "expression", "distinct", "with_")
        yield from self._list_branches(node.this)
        yield from self._list_branches(node.expression)

    def _bind_select(self, select: exp.Select) -> Scope:
        self._refuse_result_clauses(select)
        check_args(self.text, select, *_CLAUSES)
        if not select.expressions:
            self._refuse(select, "The SELECT list is empty", "Name columns, or write SELECT *.")
        binder = self.bind_with(select)
        select = binder.rewrite_conditions(select)
        scope = binder.bind_from(select)
        if find_population_join(scope.rows) is not None:
            self._refuse(
                select,
                "A subquery cannot join two populations",
                "Join them in the outermost SELECT; each side may be a subquery.",
            )
        if scope.extended_aliases:
            self._refuse(
                select,
                "A subquery cannot keep public rows without a match, which belong to nobody",
                "Write JOIN here; or put the LEFT JOIN into the outermost SELECT.",
            )
        aggregates = [item for item in select.expressions if item.find(exp.AggFunc)]
        if aggregates or select.args.get("group") or select.args.get("distinct"):
            self._refuse_across_units([scope], select)
        items = expand_select_list(scope, select.expressions)
        found = aggregate_per_unit(scope, select, items) or project_items(scope, items)
        return found.check_limits()

    def _refuse_result_clauses(self, node: exp.Expr) -> None:
        for part, word in _RESULT_CLAUSES.items():
            if node.args.get(part) is not None:
                problem = f"{word} in a subquery would choose rows by comparing different units"
                where = node.args[part]
                self._refuse(
                    where,
                    problem,
                    (
                        f"Write {word} at the end, where it applies to the noisy"
                        f" answer{_suggest_condition(node)}."
                    ),
                )

    def _refuse_across_units(self, scopes: Sequence[Scope], node: exp.Expr) -> None:
        """Refuse subqueries whose rows belong to two units, where each row needs one owner."""
        if any(joins_across_units(scope.rows) for scope in scopes):
            self._refuse(
                node,
                "Joined rows of different units cannot be joined further, combined or aggregated"
                " in a subquery",
                "Join all tables in one FROM, and aggregate in the outermost SELECT.",
            )

    def _refuse(self, node: exp.Expr, problem: str, fix: str) -> NoReturn:
        raise self.text.refusal(Unsupported, problem, node, fix)


def _is_union_all(node: exp.Expr) -> bool:
    return isinstance(node, exp.Union) and not node.args.get("distinct")


def _suggest_condition(node: exp.Expr) -> str:
    order = node.args.get("order")
    first = order.expressions[0] if isinstance(order, exp.Order) and order.expressions else None
    if not isinstance(first, exp.Ordered) or not isinstance(first.this, exp.Column):
        return "; to keep some rows only, filter them: WHERE x >= 100"
    sign = ">=" if first.args.get("desc") else "<="
    return (
        "; for the first rows in that order, filter by value: WHERE"
        f" {quote_name(first.this.name)} {sign} …"
    )
