"""The split of a statement into private questions and ordinary SQL over their noisy answers.

From the outside in, a SELECT that can be answered by itself becomes a piece. Everything above the
pieces is post-processing: it reads their noisy answers and public tables, and nothing else. The
split is not trusted. Each piece is bound, priced and charged like a question that is asked alone,
and the SQL around them runs in a process that has no protected table.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn, TypeVar

from sqlglot import exp

from hedgerow.errors import Refused, Unbounded, Unsupported
from hedgerow.plan.values import Value
from hedgerow.sql.binder.scope import UNIT_NAME, Scope
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_statement
from hedgerow.sql.postprocessing.aggregate_extraction import (
    ExtractedAggregates,
    extract_aggregates,
)
from hedgerow.sql.postprocessing.constants import build_literal, list_constants, replace_nodes
from hedgerow.sql.postprocessing.pieces import PieceCollector, SplitStatement
from hedgerow.sql.postprocessing.syntax_trees import (
    attach_with,
    expand_named_windows,
    map_children,
    replace_args,
)
from hedgerow.sql.postprocessing.text_extremes import ask_text_extremes
from hedgerow.sql.relations.from_clause import FromBinder
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery, tokenise_query

__all__ = ["split_statement"]

_MAX_PIECES: Final = 20
_MAX_CONSTANTS: Final = 4
_Query = TypeVar("_Query", exp.Select, exp.Query, exp.Expr)


class _NotSplittableError(Exception):
    """A private part of the statement is neither a question nor made of questions; ``refusal``
    says why, if it is one of the statement's aggregates."""

    def __init__(self, refusal: Refused | None = None) -> None:
        super().__init__(refusal)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class _NameScope:
    """The named subqueries in scope: ``rows`` hold protected rows and belong to the pieces that
    read them, ``answers`` are above the pieces."""

    rows: tuple[exp.CTE, ...] = ()
    answers: tuple[exp.CTE, ...] = ()

    @property
    def answer_names(self) -> frozenset[str]:
        """The names of the subqueries above the pieces."""
        return frozenset(cte.alias.casefold() for cte in self.answers)

    def add_rows(self, cte: exp.CTE) -> _NameScope:
        """Return the scope with a subquery of protected rows."""
        hidden = self.hide(cte.alias)
        return replace(hidden, rows=(*hidden.rows, cte))

    def add_answer(self, cte: exp.CTE) -> _NameScope:
        """Return the scope with a subquery above the pieces."""
        hidden = self.hide(cte.alias)
        return replace(hidden, answers=(*hidden.answers, cte))

    def hide(self, name: str) -> _NameScope:
        """Return the scope without a name that is defined anew."""
        rows, answers = (
            tuple(cte for cte in known if cte.alias.casefold() != name.casefold())
            for known in (self.rows, self.answers)
        )
        return _NameScope(rows, answers)


def split_statement(text: str, catalog: Catalog, refusal: Refused) -> SplitStatement:
    """Split a statement that is not one question; raise its ``refusal`` if it cannot be split."""
    heading = tokenise_query(text)
    tree = expand_named_windows(parse_statement(heading, catalog))
    if not isinstance(tree, exp.Query):
        raise refusal
    splitter = _StatementSplitter(heading, catalog)
    try:
        outer = splitter.split_query(tree, _NameScope())
    except _NotSplittableError as problem:
        known = splitter.correlated or problem.refusal
        raise _choose_refusal(refusal, known, splitter.collector.refusal) from None
    except RecursionError:
        raise refusal from None
    pieces = splitter.collector.list_used_pieces(outer)
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
    notes = tuple(dict.fromkeys(splitter.collector.notes))
    return SplitStatement(heading, pieces, key_tables, outer, notes)


def _choose_refusal(whole: Refused, known: Refused | None, innermost: Refused | None) -> Refused:
    """Return the refusal that helps: of what is no piece, or of a piece that has no bounds. For one
    problem, that of the whole statement, which has seen all of it."""
    if known is not None and str(known).split("\n")[0] != str(whole).split("\n")[0]:
        return known
    return innermost if isinstance(innermost, Unbounded) else whole


class _StatementSplitter:
    def __init__(self, heading: TokenisedQuery, catalog: Catalog) -> None:
        self._heading, self._catalog = heading, catalog
        self.collector = PieceCollector(heading, catalog)
        self.correlated: Refused | None = None  # a subquery that is no constant

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
            query = cte.this
            if self._is_private(query, scope):
                piece = self._find_piece(query, scope)
                rows = self._find_rows(query, scope) if piece is None else None
                if rows is not None:
                    scope = scope.add_rows(replace_args(cte, this=rows))
                    continue
                query = (
                    self.split_query(query, scope) if piece is None else self.collector.add(piece)
                )
            kept.append(replace_args(cte, this=query))
            scope = scope.add_answer(kept[-1])
        return scope, kept

    def _split_select(self, select: exp.Select, scope: _NameScope) -> exp.Expr:
        piece = self._find_piece(select, scope)
        if piece is not None:
            return self.collector.add(piece)
        sources = [select.args.get("from_"), *(select.args.get("joins") or [])]
        if sources[0] is not None and any(
            source is not None and self._are_source_rows(source.this, scope) for source in sources
        ):
            select = self._extract_pieces(select, scope)
        return map_children(select, lambda part: self._split_subqueries(part, scope))

    def _extract_pieces(self, select: exp.Select, scope: _NameScope) -> exp.Select:
        """Return a SELECT over the answers to its aggregates, one for each grouping set."""
        rows = self._bind_sources(select, scope)
        columns = frozenset(column.name.casefold() for found in rows for column in found.columns)
        extracted = extract_aggregates(select, columns, _build_count(rows))
        if extracted is None:
            raise _NotSplittableError
        answers = self._ask_grouping_sets(extracted, scope)
        branches: list[exp.Expr] = [
            extracted.build_branch(grouping_set, source)
            for grouping_set, source in zip(extracted.grouping_sets, answers, strict=True)
        ]
        levels = functools.reduce(
            lambda left, right: exp.Union(this=left, expression=right, distinct=False), branches
        )
        source = _name_table(levels, "levels")
        return replace_args(extracted.outer, from_=exp.From(this=source))

    def _ask_grouping_sets(
        self, extracted: ExtractedAggregates, scope: _NameScope
    ) -> list[exp.Expr]:
        """Return the answer of each grouping set: a piece, or sums of the answer of the finest one
        where they have the same meaning."""
        finest, dropped = extracted.finest, extracted.list_dropped_keys()
        whole = None if finest is None else self._find_piece(extracted.build_piece(finest), scope)
        if whole is not None and self.collector.has_all_rows(whole, dropped):
            source = self.collector.add(whole).args["from_"].this
            return [
                source.copy()
                if keys == finest
                else _name_table(extracted.build_sum(keys, source.copy()), "sums")
                for keys in extracted.grouping_sets
            ]
        return [self._ask_grouping_set(extracted, keys, scope) for keys in extracted.grouping_sets]

    def _ask_grouping_set(
        self, extracted: ExtractedAggregates, keys: tuple[exp.Expr, ...], scope: _NameScope
    ) -> exp.Expr:
        asked = self._find_piece(extracted.build_piece(keys), scope)
        if asked is None:
            reason = None if extracted.has_keys_alone else self.collector.refusal
            rows = self._bind_sources(extracted.build_piece(keys), scope)
            source = ask_text_extremes(extracted, keys, rows, lambda one: self._ask(one, scope))
            if source is not None:
                return source
            raise _NotSplittableError(reason)
        if extracted.has_keys_alone:
            answer = self.collector.add_keys(asked, extracted.keys)
        else:
            answer = self.collector.add(asked)
        table: exp.Expr = answer.args["from_"].this
        return table

    def _ask(self, select: exp.Select, scope: _NameScope) -> exp.Expr | None:
        """Return the answer to a SELECT as a table; None if it is no piece."""
        asked = self._find_piece(select, scope)
        if asked is None and isinstance(self.collector.refusal, Unbounded):
            raise _NotSplittableError(self.collector.refusal)  # of numbers, not of texts
        source: exp.Expr | None = None
        if asked is not None:
            source = self.collector.add(asked).args["from_"].this
        return source

    def _bind_sources(self, select: exp.Select, scope: _NameScope) -> list[Scope]:
        """Bind each source of a SELECT by itself."""
        sources = [select.args["from_"], *(select.args.get("joins") or [])]
        try:
            return [
                self._build_binder(scope).bind_from(
                    exp.Select(from_=exp.From(this=self.collector.fill_samples(source.this)))
                )
                for source in sources
            ]
        except Refused:
            raise _NotSplittableError from None

    def _build_binder(self, scope: _NameScope) -> FromBinder:
        """Return a binder that knows the named rows in scope."""
        rows = [self.collector.fill_samples(cte) for cte in scope.rows]
        named = attach_with(exp.Select(expressions=[exp.Star()]), rows)
        return FromBinder(self._heading.text, self._catalog).bind_with(named)

    def _split_subqueries(self, node: exp.Expr, scope: _NameScope) -> exp.Expr:
        """Return a part of a SELECT over answers with its private subqueries split."""
        if isinstance(node, exp.Select | exp.SetOperation):
            return self._split_if_private(node, scope)
        return map_children(node, lambda part: self._split_subqueries(part, scope))

    def _split_if_private(self, node: exp.Expr, scope: _NameScope) -> exp.Expr:
        return self.split_query(node, scope) if self._is_private(node, scope) else node

    def _find_piece(self, node: exp.Expr, scope: _NameScope) -> exp.Select | None:
        """Return a query that can be answered by itself, with the named rows that it reads and
        places for its constants; None for any other."""
        if type(node) is not exp.Select:
            return None

        def is_answerable(query: exp.Expr) -> bool:
            return not _reads_any(query, scope.answer_names) and self.collector.is_answerable(query)

        asked = _attach_used(node, scope.rows)
        return self._place_constants(asked, scope, is_answerable, is_outermost=True)

    def _find_rows(self, node: exp.Expr, scope: _NameScope) -> exp.Expr | None:
        """Return a query that yields protected rows, with places for its constants; None for any
        other."""
        return self._place_constants(
            node, scope, lambda query: self._are_rows(query, scope), is_outermost=False
        )

    def _place_constants(
        self,
        node: _Query,
        scope: _NameScope,
        is_wanted: Callable[[exp.Expr], bool],
        *,
        is_outermost: bool,
    ) -> _Query | None:
        """Return a query with places for its constants, if it is wanted with some values there."""
        if is_wanted(node):
            return node
        constants = list_constants(node, is_outermost=is_outermost)
        if not 0 < len(constants) <= _MAX_CONSTANTS:
            return None
        for constant in constants:
            self._keep_refusal(constant)
        places = [id(constant) for constant in constants]
        for samples in self.collector.list_samples(node, len(constants)):
            literals = map(build_literal, samples)
            if is_wanted(replace_nodes(node, dict(zip(places, literals, strict=True)))):
                named = [
                    self._add_constant(constant, sample, scope)
                    for constant, sample in zip(constants, samples, strict=True)
                ]
                placed: _Query = replace_nodes(node, dict(zip(places, named, strict=True)))
                return placed
        return None

    def _keep_refusal(self, constant: exp.Subquery) -> None:
        """Keep a refusal for a subquery that reads columns of the SELECT around it."""
        sources = (*constant.find_all(exp.Table), *constant.find_all(exp.Subquery))
        names = {source.alias_or_name.casefold() for source in sources}
        outer = [
            column
            for column in constant.find_all(exp.Column)
            if column.table and column.table.casefold() not in names
        ]
        if outer:
            name = self._heading.text.format_node(outer[0])
            self.correlated = self._heading.text.refusal(
                Unsupported,
                f"This subquery has another value for each row, since it reads {name}",
                constant,
                "Leave that condition out, so that it is one number for all rows. To compare with"
                " a number per person, join it in FROM: JOIN (SELECT id, AVG(x) AS mean FROM …"
                " GROUP BY id) AS d USING (id).",
            )

    def _add_constant(self, node: exp.Subquery, sample: Value, scope: _NameScope) -> exp.Expr:
        query = self._split_if_private(node.this, scope)
        assert isinstance(query, exp.Query)
        return self.collector.add_constant(_attach_used(query, scope.answers), sample)

    def _are_rows(self, node: exp.Expr, scope: _NameScope) -> bool:
        """Return whether a query yields protected rows, which only a piece may read."""
        if _reads_any(node, scope.answer_names):
            return False
        try:
            self._build_binder(scope).bind_query(self.collector.fill_samples(node))
        except Unbounded:
            return True
        except Refused as refusal:
            self.collector.refusal = refusal
            return False
        return True

    def _are_source_rows(self, node: exp.Expr, scope: _NameScope) -> bool:
        if not self._is_private(node, scope):
            return False
        return isinstance(node, exp.Table) or (
            isinstance(node, exp.Subquery) and self._find_rows(node.this, scope) is not None
        )

    def _is_private(self, node: exp.Expr, scope: _NameScope) -> bool:
        """Return whether a query reads a protected table, by itself or through named rows."""
        rows, answers = {cte.alias.casefold() for cte in scope.rows}, scope.answer_names
        for table in node.find_all(exp.Table):
            name = table.name.casefold()
            found = self._catalog.find_table(table.name)
            protected = found is not None and found[1].schema.unit is not None
            if name not in answers and (name in rows or protected):
                return True
        return False

    def _refuse(self, node: exp.Expr, problem: str, fix: str) -> NoReturn:
        raise self._heading.text.refusal(Unsupported, problem, node, fix)


def _reads_any(node: exp.Expr, names: frozenset[str]) -> bool:
    return any(table.name.casefold() in names for table in node.find_all(exp.Table))


def _name_table(query: exp.Expr, name: str) -> exp.Subquery:
    alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    return exp.Subquery(this=query, alias=alias)


def _attach_used(node: _Query, named: Sequence[exp.CTE]) -> _Query:
    """Return a query with those named subqueries that it reads, by itself or through others."""
    used: list[exp.CTE] = []
    for cte in reversed(named):
        names = frozenset((cte.alias.casefold(),))
        if any(_reads_any(reader, names) for reader in (node, *used)):
            used.insert(0, cte)
    return attach_with(node, used)


def _build_count(rows: Sequence[Scope]) -> exp.Expr:
    """Build the count that decides which keys are shown: of units, because one unit changes it by
    1 at most."""
    if any(scope.rows.unit == "row" for scope in rows):
        return exp.Count(this=exp.Star())
    unit = exp.column(UNIT_NAME, quoted=True)
    return exp.Count(this=exp.Distinct(expressions=[unit]))
