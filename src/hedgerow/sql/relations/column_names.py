"""Names of columns before binding: which source of which SELECT a name in a subquery refers to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from hedgerow.sql.binder.scope import Scope
from hedgerow.sql.catalog import Catalog

__all__ = ["ColumnNames", "Sources"]

Sources = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The names of columns of tables and named subqueries, all in lower case."""

    catalog: Catalog
    named_subqueries: Mapping[str, Scope]

    def is_public(self, query: exp.Expr) -> bool:
        """Return whether a query reads public tables only."""
        tables = list(query.find_all(exp.Table))
        return bool(tables) and all(map(self._is_public_table, tables))

    def _is_public_table(self, table: exp.Table) -> bool:
        scope, found = self._find_scope(table.name), self.catalog.find_table(table.name)
        if scope is not None:
            return not scope.tables
        return found is not None and found[1].schema.unit is None

    def _find_scope(self, name: str) -> Scope | None:
        named = self.named_subqueries.items()
        return next((scope for known, scope in named if known.casefold() == name.casefold()), None)

    def list_sources(self, select: exp.Select) -> Sources | None:
        """List the sources of a SELECT by alias, with their columns; None if one is unknown."""
        from_ = select.args.get("from_")
        parts = [] if from_ is None else [from_.this]
        parts += [join.this for join in select.args.get("joins") or []]
        found: dict[str, frozenset[str]] = {}
        for part in parts:
            columns = self._list_columns(part)
            if columns is None:
                return None
            found[part.alias_or_name.casefold()] = columns
        return found

    def _list_columns(self, source: exp.Expr) -> frozenset[str] | None:
        if isinstance(source, exp.Subquery):
            alias = source.args.get("alias")
            given = [] if alias is None else alias.args.get("columns") or []
            if given:
                return frozenset(name.name.casefold() for name in given)
            return self._list_outputs(source.this)
        if not isinstance(source, exp.Table):
            return None
        scope, found = self._find_scope(source.name), self.catalog.find_table(source.name)
        if scope is not None:
            return frozenset(column.name.casefold() for column in scope.columns)
        if found is None:
            return None
        schema = found[1].schema
        names = {column.name.casefold() for column in found[1].columns}
        return frozenset(names | {str(schema.unit).casefold()} if schema.link is None else names)

    def _list_outputs(self, query: exp.Expr) -> frozenset[str] | None:
        inner = query.unnest()
        if isinstance(inner, exp.SetOperation):
            return self._list_outputs(inner.this)
        if not isinstance(inner, exp.Select) or inner.args.get("with_"):
            return None
        names = set[str]()
        for item in inner.expressions:
            if item.find(exp.Star) is None or item.find(exp.AggFunc) is not None:
                names.add(item.alias_or_name.casefold())
                continue
            sources = self.list_sources(inner)
            if sources is None:
                return None
            names = names.union(*sources.values())
        return frozenset(names)

    def list_outer_columns(self, node: exp.Expr, sources: Sources) -> list[exp.Column]:
        """List the columns below a node that belong neither to these sources nor to a subquery
        inside the node."""
        free = self._list_free_columns(node)
        return [column for column in free if not _has_column(sources, column)]

    def _list_free_columns(self, node: exp.Expr) -> Iterator[exp.Column]:
        for column in node.find_all(exp.Column):
            above = column.parent if column is not node else None
            while above is not None and above is not node.parent:
                if isinstance(above, exp.Select) and _has_column(
                    self.list_sources(above) or {}, column
                ):
                    break
                above = above.parent
            else:
                yield column


def _has_column(sources: Sources, column: exp.Column) -> bool:
    """Return whether a name refers to one of the sources."""
    if column.table:
        return column.table.casefold() in sources
    return any(column.name.casefold() in columns for columns in sources.values())
