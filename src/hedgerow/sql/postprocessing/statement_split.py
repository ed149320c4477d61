"""The split of a statement into private questions and ordinary SQL over their noisy answers.

From the outside in, a SELECT that can be answered by itself becomes a piece. Everything above the
pieces is post-processing: it reads their noisy answers and public tables, and nothing else. The
split is not trusted. Each piece is bound, priced and charged like a question that is asked alone,
and the SQL around them runs in a process that has no protected table.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Refused, Unbounded, Unsupported
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_statement
from hedgerow.sql.postprocessing.aggregate_extraction import extract_aggregates
from hedgerow.sql.postprocessing.pieces import PieceCollector, SplitStatement
from hedgerow.sql.postprocessing.syntax_trees import attach_with, map_children, replace_args
from hedgerow.sql.relations.from_clause import FromBinder
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery, tokenise_query

__all__ = ["split_statement"]

_MAX_PIECES: Final = 20


class _NotSplittableError(Exception):
    """A private part of the statement is neither a question nor made of questions."""


@dataclass(frozen=True, slots=True)
class _NameScope:
    """The named subqueries in scope: ``rows`` hold protected rows and belong to the pieces that
    read them, ``answers`` are names of subqueries above the pieces."""

    rows: tuple[exp.CTE, ...] = ()
    answers: frozenset[str] = frozenset()

    def add_rows(self, cte: exp.CTE) -> _NameScope:
        """Return the scope with a subquery of protected rows."""
        hidden = self.hide(cte.alias)
        return replace(hidden, rows=(*hidden.rows, cte))

    def add_answer(self, name: str) -> _NameScope:
        """Return the scope with a subquery above the pieces."""
        hidden = self.hide(name)
        return replace(hidden, answers=hidden.answers | {name.casefold()})

    def hide(self, name: str) -> _NameScope:
        """Return the scope without a name that is defined anew."""
        rows = tuple(cte for cte in self.rows if cte.alias.casefold() != name.casefold())
        return _NameScope(rows, self.answers - {name.casefold()})


def split_statement(text: str, catalog: Catalog, refusal: Refused) -> SplitStatement:
    """Split a statement that is not one question; raise its ``refusal`` if it cannot be split."""
    heading = tokenise_query(text)
    tree = parse_statement(heading, catalog)
    if not isinstance(tree, exp.Query):
        raise refusal
    splitter = _StatementSplitter(heading, catalog)
    try:
        outer = splitter.split_query(tree, _NameScope())
    except _NotSplittableError:
        raise _choose_refusal(refusal, splitter.collector.refusal) from None
    except RecursionError:
        raise refusal from None
    pieces = tuple(splitter.collector.pieces)
    key_tables = tuple(splitter.collector.key_tables)
    if not (pieces or key_tables) or not isinstance(outer, exp.Query):
        raise refusal
    if len(pieces) > _MAX_PIECES:
        raise heading.text.refusal(
            Unsupported,
            f"This statement asks {len(pieces)} private questions, and one may ask {_MAX_PIECES}",
            None,
            "Ask several shorter statements.",
        )
    return SplitStatement(heading, pieces, key_tables, outer)


def _choose_refusal(whole: Refused, innermost: Refused | None) -> Refused:
    """Return the refusal that helps: a missing bound of a piece is worth more than the reason why
    the statement is not one question."""
    return innermost if isinstance(innermost, Unbounded) else whole


class _StatementSplitter:
    def __init__(self, heading: TokenisedQuery, catalog: Catalog) -> None:
        self._heading, self._catalog = heading, catalog
        self.collector = PieceCollector(heading, catalog)

    def split_query(self, node: exp.Expr, scope: _NameScope) -> exp.Expr:
        """Return a query with its pieces replaced by their answers."""
        if isinstance(node, exp.Subquery) and node.args.get("alias") is None:
            return replace_args(node, this=self.split_query(node.this, scope))
        if isinstance(node, exp.SetOperation):
            scope, kept = self._split_with(node, scope)
            left, right = (self.split_query(side, scope) for side in (node.this, node.expression))
            return attach_with(replace_args(node, this=left, expression=right), kept)
        if type(node) is not exp.Select:
            raise _NotSplittableError
        scope, kept = self._split_with(node, scope)
        return attach_with(self._split_select(replace_args(node, with_=None), scope), kept)

    def _split_with(self, node: exp.Expr, scope: _NameScope) -> tuple[_NameScope, list[exp.CTE]]:
        """Return the scope inside a query, and the subqueries of its WITH above the pieces."""
        with_ = node.args.get("with_")
        if with_ is None:
            return scope, []
        if with_.args.get("recursive"):
            self._refuse(with_, "WITH RECURSIVE is not supported", "Write WITH name AS (SELECT …).")
        kept = []
        for cte in with_.expressions:
            if (
                self._is_private(cte.this, scope)
                and not self._is_piece(cte.this, scope)
                and self._are_rows(cte.this, scope)
            ):
                scope = scope.add_rows(cte)
                continue
            kept.append(replace_args(cte, this=self._split_if_private(cte.this, scope)))
            scope = scope.add_answer(cte.alias)
        return scope, kept

    def _split_select(self, select: exp.Select, scope: _NameScope) -> exp.Expr:
        if self._is_piece(select, scope):
            return self.collector.add(attach_with(select, scope.rows))
        sources = [select.args.get("from_"), *(select.args.get("joins") or [])]
        if any(
            source is not None and self._are_source_rows(source.this, scope) for source in sources
        ):
            select = self._extract_pieces(select, scope)
        return map_children(select, lambda part: self._split_subqueries(part, scope))

    def _extract_pieces(self, select: exp.Select, scope: _NameScope) -> exp.Select:
        """Return a SELECT over the answers to its aggregates, one for each grouping set."""
        columns = self._list_columns(select, scope)
        extracted = extract_aggregates(select, columns, self._build_count(select))
        if extracted is None:
            raise _NotSplittableError
        branches: list[exp.Expr] = []
        for grouping_set in extracted.grouping_sets:
            piece = extracted.build_piece(grouping_set)
            if not self._is_piece(piece, scope):
                raise _NotSplittableError
            asked = attach_with(piece, scope.rows)
            answer = (
                self.collector.add_keys(asked, extracted.keys)
                if extracted.has_keys_alone
                else self.collector.add(asked)
            )
            branches.append(extracted.build_branch(grouping_set, answer.args["from_"].this))
        levels = functools.reduce(
            lambda left, right: exp.Union(this=left, expression=right, distinct=False), branches
        )
        alias = exp.TableAlias(this=exp.to_identifier("levels", quoted=True))
        source = exp.Subquery(this=levels, alias=alias)
        return replace_args(extracted.outer, from_=exp.From(this=source))

    def _list_columns(self, select: exp.Select, scope: _NameScope) -> frozenset[str]:
        """Return the names of the columns of the rows that a SELECT reads."""
        rows = {name: select.args[name] for name in ("from_", "joins") if select.args.get(name)}
        binder = FromBinder(self._heading.text, self._catalog)
        named = attach_with(exp.Select(expressions=[exp.Star()]), scope.rows)
        try:
            found = binder.bind_with(named).bind_from(replace_args(exp.Select(), **rows))
        except Refused:
            raise _NotSplittableError from None
        return frozenset(column.name.casefold() for column in found.columns)

    def _build_count(self, select: exp.Select) -> exp.Expr:
        """Build the count that decides which keys are shown: of units, where the first table has a
        privacy id, because one unit changes it by 1 at most."""
        source = select.args["from_"].this
        found = self._catalog.find_table(source.name) if isinstance(source, exp.Table) else None
        unit = None if found is None else found[1].schema.unit
        if found is None or unit in (None, "row") or found[1].schema.link is not None:
            return exp.Count(this=exp.Star())
        owner = exp.column(str(unit), table=source.alias_or_name, quoted=True)
        return exp.Count(this=exp.Distinct(expressions=[owner]))

    def _split_subqueries(self, node: exp.Expr, scope: _NameScope) -> exp.Expr:
        """Return a part of a SELECT over answers with its private subqueries split."""
        if isinstance(node, exp.Select | exp.SetOperation):
            return self._split_if_private(node, scope)
        return map_children(node, lambda part: self._split_subqueries(part, scope))

    def _split_if_private(self, node: exp.Expr, scope: _NameScope) -> exp.Expr:
        return self.split_query(node, scope) if self._is_private(node, scope) else node

    def _is_piece(self, node: exp.Expr, scope: _NameScope) -> bool:
        """Return whether a query can be answered by itself, with the named rows in scope."""
        return (
            type(node) is exp.Select
            and not _reads_any(node, scope.answers)
            and self.collector.is_answerable(attach_with(node, scope.rows))
        )

    def _are_rows(self, node: exp.Expr, scope: _NameScope) -> bool:
        """Return whether a query yields protected rows, which only a piece may read."""
        if _reads_any(node, scope.answers):
            return False
        binder = FromBinder(self._heading.text, self._catalog)
        try:
            named = exp.Select(expressions=[exp.Star()])
            binder.bind_with(attach_with(named, scope.rows)).bind_query(node)
        except Unbounded:
            return True
        except Refused as refusal:
            self.collector.refusal = refusal
            return False
        return True

    def _are_source_rows(self, node: exp.Expr, scope: _NameScope) -> bool:
        if isinstance(node, exp.Subquery):
            return self._is_private(node.this, scope) and self._are_rows(node.this, scope)
        return isinstance(node, exp.Table) and self._is_private(node, scope)

    def _is_private(self, node: exp.Expr, scope: _NameScope) -> bool:
        """Return whether a query reads a protected table, by itself or through named rows."""
        rows = {cte.alias.casefold() for cte in scope.rows}
        for table in node.find_all(exp.Table):
            name = table.name.casefold()
            found = self._catalog.find_table(table.name)
            protected = found is not None and found[1].schema.unit is not None
            if name not in scope.answers and (name in rows or protected):
                return True
        return False

    def _refuse(self, node: exp.Expr, problem: str, fix: str) -> NoReturn:
        raise self._heading.text.refusal(Unsupported, problem, node, fix)


def _reads_any(node: exp.Expr, names: frozenset[str]) -> bool:
    return any(table.name.casefold() in names for table in node.find_all(exp.Table))
