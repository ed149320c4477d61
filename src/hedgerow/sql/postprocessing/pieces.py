"""Pieces: the private questions inside a statement, and the SQL over their noisy answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

from sqlglot import exp

from hedgerow.errors import Refused
from hedgerow.plan.scalar.expressions import ColumnRef, evaluate
from hedgerow.plan.values import Type, Value
from hedgerow.sql.catalog import Catalog, UndeclaredBounds
from hedgerow.sql.postprocessing.constants import (
    QueryConstant,
    build_place,
    fill_places,
    find_places,
    list_samples,
)
from hedgerow.sql.predicates.domain_narrowing import can_be_null
from hedgerow.sql.predicates.unsatisfiable import UnsatisfiableCondition, drop_condition
from hedgerow.sql.question import QueryOptions, Question
from hedgerow.sql.select import build_question
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery

__all__ = ["KeyTable", "Piece", "PieceCollector", "SplitStatement", "select_all"]

_PIECE_NAME: Final = "answer"


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """A private question inside a statement. The SQL around it reads its answer as a table of
    this ``name``, which no name of the statement equals. Its ``constants`` need values first."""

    name: str
    heading: TokenisedQuery
    select: exp.Select
    constants: tuple[QueryConstant, ...] = ()

    def fill(self, values: Mapping[str, Value]) -> Piece:
        """Return the piece with the values of its constants."""
        select = fill_places(self.select, values)
        left = tuple(one for one in self.constants if one.name not in values)
        return Piece(self.name, self.heading, select, left)

    def build_question(self, catalog: Catalog) -> Question:
        """Return the piece as a question of its own."""
        return build_question(self.heading, self.select, catalog)


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The declared keys of a SELECT without aggregates, or the answer to one whose WHERE is never
    true. They follow from the policy alone, so they are free."""

    name: str
    types: Mapping[str, Type]
    rows: tuple[Mapping[str, Value], ...]


@dataclass(frozen=True, slots=True)
class SplitStatement:
    """A statement split into ``pieces`` that are released, tables of declared keys, and a ``tree``
    of ordinary SQL over these and public tables."""

    heading: TokenisedQuery
    pieces: tuple[Piece, ...]
    key_tables: tuple[KeyTable, ...]
    tree: exp.Query
    notes: tuple[str, ...] = ()


class PieceCollector:
    """The pieces of a statement, collected while it is split."""

    def __init__(self, heading: TokenisedQuery, catalog: Catalog) -> None:
        options = QueryOptions(max_groups=heading.options.max_groups)
        self._heading = replace(heading, options=options, explain=False)
        self._catalog = catalog
        self._prefix = _choose_unused_name(heading.text.sql)
        self.pieces: list[Piece] = []
        self.key_tables: list[KeyTable] = []
        self._is_sampling = False
        self.notes: list[str] = []  # of what is known without data
        self.constants: dict[str, QueryConstant] = {}
        self.refusal: Refused | None = None  # of the last SELECT that is no piece

    def is_answerable(self, select: exp.Expr) -> bool:
        """Return whether a SELECT is a question that can be answered by itself."""
        try:
            build_question(self._heading, self.fill_samples(select), self._catalog)
        except UndeclaredBounds:
            return True  # the bounds are found later
        except UnsatisfiableCondition as refusal:
            self.refusal = refusal
            return not self._is_sampling and self._build_without_rows(select) is not None
        except Refused as refusal:
            self.refusal = refusal
            return False
        return True

    def add(self, select: exp.Select) -> exp.Select:
        """Add a piece, and return the SELECT that reads its answer. Equal pieces are one."""
        known = next((piece for piece in self.pieces if piece.select == select), None)
        if known is None:
            empty = self._add_empty(select)
            if empty is not None:
                return empty
            places = find_places(select)
            constants = tuple(self.constants[name] for name in places if name in self.constants)
            known = Piece(self._choose_name(), self._heading, select, constants)
            self.pieces.append(known)
        return select_all(known.name)

    def _add_empty(self, select: exp.Select) -> exp.Select | None:
        """Add a table for a SELECT whose WHERE is never true, which is known without data: its
        counts are 0, and its other aggregates NULL. None for any other SELECT."""
        try:
            build_question(self._heading, self.fill_samples(select), self._catalog)
        except UndeclaredBounds:
            return None
        except UnsatisfiableCondition as refusal:
            problem = str(refusal).split("\n")[0]
        else:
            return None
        question = self._build_without_rows(select)
        if question is None:
            return None
        domain = question.plan.source.domain
        groups = [()] if not question.keys else [] if domain is None else product(*domain)
        names = [key.name for key in question.keys]
        nothing = {
            f"{call.name}{end}": 0 if call.function == "COUNT" else None
            for call in question.aggregates
            for end in ("", ".low", ".high")
        }
        rows = tuple(
            {
                output.name: evaluate(
                    output.expression, {**nothing, **dict(zip(names, group, strict=True))}
                )
                for output in question.outputs
            }
            for group in groups
        )
        types = {output.name: output.type for output in question.outputs}
        self.key_tables.append(KeyTable(self._choose_name(), types, rows))
        self.notes.append(f"A part of this is free and exact. {problem}.")
        return select_all(self.key_tables[-1].name)

    def _build_without_rows(self, select: exp.Expr) -> Question | None:
        """Return the question of a SELECT whose WHERE is never true, without WHERE; None if it has
        constants, or chooses among its groups."""
        if not isinstance(select, exp.Select) or find_places(select):
            return None
        try:
            question = build_question(self._heading, drop_condition(select), self._catalog)
        except Refused:
            return None
        chooses = question.having is not None or question.limit is not None or question.offset
        return None if chooses else question

    def has_all_rows(self, select: exp.Select, names: Collection[str]) -> bool:
        """Return whether each row that a SELECT counts is in one of its groups and counts in full,
        even if the keys of these ``names`` were left out: rows are units, which have no caps, and
        no such key is NULL."""
        try:
            question = build_question(self._heading, self.fill_samples(select), self._catalog)
        except Refused:
            return False
        bound = question.plan.bound
        texts = {output.expression: output.name for output in question.outputs}
        dropped = [key.name for key in question.keys if texts[ColumnRef(key.name)] in names]
        return (
            bound.source.unit == "row"
            and question.plan.source.domain is not None
            and not any(
                bound.columns[name].nullable and can_be_null(bound.source, ColumnRef(name))
                for name in dropped
            )
        )

    def add_constant(self, tree: exp.Query, sample: Value) -> exp.Expr:
        """Add a constant, and return its place. Equal ones are one."""
        known = next((one for one in self.constants.values() if one.tree == tree), None)
        if known is None:
            known = QueryConstant(f"{self._prefix} constant {len(self.constants)}", tree, sample)
            self.constants[known.name] = known
        return build_place(known.name)

    def fill_samples(self, node: exp.Expr) -> Any:
        """Return a query with samples in the places of constants."""
        return fill_places(node, {name: one.sample for name, one in self.constants.items()})

    def list_samples(self, node: exp.Expr, count: int) -> Iterator[tuple[Value, ...]]:
        """List values to bind a query with that has some constants. One with which its WHERE can
        never hold says nothing about the constant."""
        self._is_sampling = True
        try:
            yield from list_samples(self._catalog, node, count)
        finally:
            self._is_sampling = False

    def list_used_pieces(self, outer: exp.Expr) -> tuple[Piece, ...]:
        """List the pieces that a tree reads, by itself or through constants of other pieces."""
        used, trees = set[str](), [outer]
        while trees:
            names = {table.name for table in trees.pop().find_all(exp.Table)}
            found = [one for one in self.pieces if one.name in names - used]
            used |= {one.name for one in found}
            trees += [constant.tree for one in found for constant in one.constants]
        return tuple(one for one in self.pieces if one.name in used)

    def add_keys(self, select: exp.Select, names: Collection[str]) -> exp.Select:
        """Add the keys of a SELECT, whose outputs have these ``names``: a table if all of them are
        declared, else a piece."""
        empty = self._add_empty(select)
        if empty is not None:
            return empty
        question = build_question(self._heading, self.fill_samples(select), self._catalog)
        domain = question.plan.source.domain
        if domain is None or any(name in self.constants for name in find_places(select)):
            return self.add(select)
        outputs = [output for output in question.outputs if output.name in names]
        keys = [key.name for key in question.keys]
        known = [dict(zip(keys, values, strict=True)) for values in product(*domain)]
        rows = tuple(
            {output.name: evaluate(output.expression, values) for output in outputs}
            for values in known
        )
        types = {output.name: output.type for output in outputs}
        self.key_tables.append(KeyTable(self._choose_name(), types, rows))
        return select_all(self.key_tables[-1].name)

    def _choose_name(self) -> str:
        return f"{self._prefix} {len(self.pieces) + len(self.key_tables)}"


def select_all(table: str) -> exp.Select:
    """Build SELECT * FROM a table."""
    source = exp.Table(this=exp.to_identifier(table, quoted=True))
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=source))


def _choose_unused_name(sql: str) -> str:
    name = _PIECE_NAME
    while name in sql.casefold():
        name += "_"
    return name
